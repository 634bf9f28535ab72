using System;
using System.Threading;
using System.Threading.Tasks;

namespace Latchkey
{
    /// <summary>
    /// The license of an app on this machine. <see cref="State"/>, <see cref="MayRun"/> and <see cref="Feature"/> never
    /// wait. All other functions read files and make calls in threads of the pool, and wait for each other; any thread
    /// may call them.
    /// </summary>
    public sealed partial class LatchkeyClient
    {
        /// <summary>
        /// The time after a check within which another one makes no call, for users who click repeatedly.
        /// </summary>
        private const long ClickPause = 2 * Times.Second;

        /// <summary>The longest time between two looks at the stored state.</summary>
        private const long WorkEvery = 2 * Times.Second;

        private readonly LatchkeyOptions options;
        private readonly LicenseRecord record;
        private readonly Session session;
        private readonly News news;
        private readonly SemaphoreSlim turn = new SemaphoreSlim(1, 1);

        /// <summary>What readers see: everything that decides the state, as of the end of the last operation.</summary>
        private volatile Decision shown;

        /// <summary>
        /// The time of the next check by the monotonic clock (and by the machine's); null if none is planned.
        /// </summary>
        private volatile Moment due;
        private volatile LicenseState noticed;
        private bool isRunning;
        private long? checkedAt;
        private string lastWarning;

        /// <summary>
        /// Ends with the operation of the first check after <see cref="StartAsync"/>; null without one.
        /// </summary>
        private TaskCompletionSource<bool> firstCheck;
        private bool hasChecked;
        private CancellationTokenSource stop;
        private Task running = Task.FromResult(true);

        /// <summary>
        /// Creates a client, which does nothing yet. <see cref="Changed"/> and <see cref="UseRefused"/> are raised in
        /// the synchronization context of the caller, such as that of Unity's main thread; without one in any thread.
        /// </summary>
        /// <exception cref="ArgumentException">An option is invalid; the exception names it.</exception>
        public LatchkeyClient(LatchkeyOptions options)
        {
            if (options == null) throw new ArgumentNullException(nameof(options));
            this.options = options.Filled();
            news = new News(SynchronizationContext.Current, Warn);
            record = new LicenseRecord(this.options, new Keeper(this.options.Storage, Warn));
            session = new Session(this.options, record, TellRefused);
            shown = record.Known();
            noticed = State;
        }

        /// <summary>Raised after every change of the state.</summary>
        public event EventHandler<LicenseChangedEventArgs> Changed;

        /// <summary>Raised with a use that had waited and was refused.</summary>
        public event EventHandler<UseRefusedEventArgs> UseRefused;

        /// <summary>The state at this moment. During an operation, it is the one before it.</summary>
        public LicenseState State
        {
            get { return shown.Decide(); }
        }

        /// <summary>Whether the app works.</summary>
        public bool MayRun
        {
            get { return State.MayRun; }
        }

        /// <summary>The time until the next check that is due by itself; null if none is planned.</summary>
        public TimeSpan? NextCheck
        {
            get
            {
                var planned = due;
                if (planned == null) return null;
                return TimeSpan.FromMilliseconds(Math.Max(0, planned.Time - options.Clock.Monotonic));
            }
        }

        private ISharedStorage Shared
        {
            get { return record.Keeper.Shared; }
        }

        /// <summary>
        /// The value of a feature, of the type bool, double or string; null if the license does not have it, and while
        /// the app may not run.
        /// </summary>
        public object Feature(string name)
        {
            var present = shown;
            var mayRun = present.Terms != null && present.Decide().MayRun;
            return mayRun ? present.Terms.Feature(name, present.Clock.Now) : null;
        }

        /// <summary>
        /// Reads the stored state and keeps it up to date from then on. If the state allows the app to run, it returns
        /// at once and asks the service in the background; otherwise it waits for the check, at most
        /// <c>RequestTimeout</c>.
        /// </summary>
        /// <param name="cancellationToken">Ends the waiting; the client runs nevertheless.</param>
        public async Task<LicenseState> StartAsync(CancellationToken cancellationToken = default(CancellationToken))
        {
            var begun = await OperateAsync(() => Task.FromResult(Begin()), cancellationToken).ConfigureAwait(false);
            if (begun == null) return State;
            var wait = firstCheck?.Task;
            if (!options.IsManual) running = Task.Run(() => RunAsync(stop.Token));
            if (begun.MayRun || wait == null) return State;
            if (options.IsManual) await WorkAsync(cancellationToken).ConfigureAwait(false);
            else await WithinTimeAsync(wait, cancellationToken).ConfigureAwait(false);
            return State;
        }

        /// <summary>
        /// Notices what other processes stored, and makes the check that is due. The client calls it by itself, unless
        /// the option <c>IsManual</c> is set.
        /// </summary>
        /// <returns>The time until it wants to be called again.</returns>
        public Task<TimeSpan> WorkAsync(CancellationToken cancellationToken = default(CancellationToken))
        {
            return OperateAsync(
                async () =>
                {
                    if (!isRunning) return TimeSpan.FromMilliseconds(WorkEvery);
                    Notice();
                    if (IsDue()) await CheckNowAsync(false, cancellationToken).ConfigureAwait(false);
                    var left = NextCheck ?? TimeSpan.MaxValue;
                    return TimeSpan.FromMilliseconds(Math.Min(WorkEvery, left.TotalMilliseconds));
                },
                cancellationToken);
        }

        /// <summary>
        /// Binds a license key to this machine. If a floating license has no free seat, the state becomes
        /// <c>Waiting</c>.
        /// </summary>
        /// <param name="licenseKey">The key as the user entered it; null for the stored one.</param>
        /// <param name="cancellationToken">Ends the waiting and the call.</param>
        /// <exception cref="RefusedException">The service refused the key.</exception>
        /// <exception cref="UnreachableException">The service did not answer.</exception>
        /// <exception cref="NoLicenseKeyException">No key is given or stored.</exception>
        /// <exception cref="NoFingerprintException">The fingerprint cannot be found.</exception>
        public Task<LicenseState> ActivateAsync(
            string licenseKey = null, CancellationToken cancellationToken = default(CancellationToken))
        {
            return ChangeAsync(() => session.ActivateAsync(licenseKey, cancellationToken), cancellationToken);
        }

        /// <summary>
        /// Starts the trial of this machine, without a license key; it changes nothing while the app may run. A machine
        /// has one trial of a product.
        /// </summary>
        /// <param name="variant">The edition; null for the only one of the product that offers a trial.</param>
        /// <param name="email">The address of the user, or null.</param>
        /// <param name="cancellationToken">Ends the waiting and the call.</param>
        /// <exception cref="RefusedException">
        /// The service refused the trial, with the code <c>trial_over</c> once it has ended.
        /// </exception>
        /// <exception cref="UnreachableException">The service did not answer.</exception>
        /// <exception cref="NoFingerprintException">The fingerprint cannot be found.</exception>
        public Task<LicenseState> StartTrialAsync(
            string variant = null, string email = null, CancellationToken cancellationToken = default(CancellationToken))
        {
            return ChangeAsync(() => session.StartTrialAsync(variant, email, cancellationToken), cancellationToken);
        }

        /// <summary>
        /// Counts units of a meter of the license. While the service does not answer, the use waits in the stored
        /// state, if the option <c>OfflineUses</c> allows it, and is sent later. After an exception, nothing was
        /// counted.
        /// </summary>
        /// <param name="meter">The name of the meter.</param>
        /// <param name="units">All are counted, or none; 0 units only ask.</param>
        /// <param name="requestId">Names the use, which counts once within 48 hours; null for a new name.</param>
        /// <param name="cancellationToken">Ends the waiting and the call.</param>
        /// <exception cref="RefusedException">
        /// The service refused the use, with the code <c>meter_limit</c> beyond the limit.
        /// </exception>
        /// <exception cref="UnreachableException">The service did not answer, and the use was not stored.</exception>
        /// <exception cref="ArgumentOutOfRangeException">The units are no number from 0 to 1,000,000,000.</exception>
        /// <exception cref="NoLicenseKeyException">No key is stored.</exception>
        /// <exception cref="NoFingerprintException">The fingerprint cannot be found.</exception>
        public Task<Consumption> ConsumeAsync(
            string meter,
            long units = 1,
            string requestId = null,
            CancellationToken cancellationToken = default(CancellationToken))
        {
            return OperateAsync(
                async () =>
                {
                    var outcomes = record.Outcomes;
                    try
                    {
                        return await session.ConsumeAsync(meter, units, requestId, cancellationToken).ConfigureAwait(false);
                    }
                    finally
                    {
                        // A use that says nothing about the license leaves the next check where it is.
                        if (record.Outcomes != outcomes) Plan(record.UntilCheck());
                    }
                },
                cancellationToken);
        }

        /// <summary>Asks the service now. Concurrent callers share one call. It never fails.</summary>
        public async Task<LicenseState> CheckAsync(CancellationToken cancellationToken = default(CancellationToken))
        {
            await OperateAsync(
                async () =>
                {
                    var isTooSoon = checkedAt != null && options.Clock.Monotonic - checkedAt < ClickPause;
                    if (isTooSoon || record.Pause > 0) return false;
                    await CheckNowAsync(true, cancellationToken).ConfigureAwait(false);
                    return true;
                },
                cancellationToken).ConfigureAwait(false);
            return State;
        }

        /// <summary>Imports a license file.</summary>
        /// <exception cref="BadLicenseFileException">The file is not valid here.</exception>
        /// <exception cref="NoFingerprintException">The fingerprint cannot be found.</exception>
        public Task<LicenseState> ImportFileAsync(
            string text, CancellationToken cancellationToken = default(CancellationToken))
        {
            return ChangeAsync(
                () =>
                {
                    session.ImportFile(text);
                    return Task.FromResult(true);
                },
                cancellationToken);
        }

        /// <summary>
        /// A text from which an operator makes a license file for this machine, which has no network.
        /// </summary>
        /// <exception cref="NoFingerprintException">The fingerprint cannot be found.</exception>
        public Task<string> ExportRequestAsync(
            string licenseKey, CancellationToken cancellationToken = default(CancellationToken))
        {
            return OperateAsync(() => Task.FromResult(RequestFor(licenseKey)), cancellationToken);
        }

        /// <summary>
        /// Frees the slot of this machine and forgets the license. After an exception nothing has changed.
        /// </summary>
        /// <exception cref="UnreachableException">The service did not answer.</exception>
        /// <exception cref="NoFingerprintException">The fingerprint cannot be found.</exception>
        public Task DeactivateAsync(CancellationToken cancellationToken = default(CancellationToken))
        {
            return ChangeAsync(() => session.DeactivateAsync(cancellationToken), cancellationToken);
        }

        /// <summary>
        /// Ends the checks, gives back a floating seat as the option <c>Release</c> says, and keeps the license.
        /// </summary>
        /// <param name="cancellationToken">Ends the waiting and the call.</param>
        public async Task CloseAsync(CancellationToken cancellationToken = default(CancellationToken))
        {
            await OperateAsync(
                async () =>
                {
                    if (!isRunning) return false;
                    isRunning = false;
                    due = null;
                    stop.Cancel();
                    if (Shared != null && !Shared.Leave()) return false;
                    await session.GiveSeatBackAsync(cancellationToken).ConfigureAwait(false);
                    return true;
                },
                cancellationToken).ConfigureAwait(false);
            await running.ConfigureAwait(false);
        }
    }
}
