using System;
using System.Threading;
using System.Threading.Tasks;

namespace Latchkey
{
    /// <summary>Operations one after the other, and the checks that are due.</summary>
    public sealed partial class LatchkeyClient
    {
        /// <summary>Runs an operation in a thread of the pool once no other one is in progress.</summary>
        private async Task<Result> OperateAsync<Result>(Func<Task<Result>> act, CancellationToken cancellationToken)
        {
            await turn.WaitAsync(cancellationToken).ConfigureAwait(false);
            try
            {
                return await Task.Run(act).ConfigureAwait(false);
            }
            finally
            {
                EndOperation();
            }
        }

        /// <summary>An operation of the app, after which the next check is planned.</summary>
        private async Task<LicenseState> ChangeAsync(Func<Task> act, CancellationToken cancellationToken)
        {
            await OperateAsync(
                async () =>
                {
                    try
                    {
                        await act().ConfigureAwait(false);
                    }
                    finally
                    {
                        Plan(record.UntilCheck());
                    }
                    return true;
                },
                cancellationToken).ConfigureAwait(false);
            return State;
        }

        /// <summary>Ends an operation, and gives notice of a changed state.</summary>
        private void EndOperation()
        {
            shown = record.Known();
            if (hasChecked) firstCheck?.TrySetResult(true);
            var former = noticed;
            var present = State;
            noticed = present;
            if (!present.Equals(former))
                news.Add(() => Changed?.Invoke(this, new LicenseChangedEventArgs(former, present)));
            turn.Release();
            news.Tell();
        }

        /// <summary>Begins to run. Returns the stored state; null if it runs already.</summary>
        private LicenseState Begin()
        {
            if (isRunning) return null;
            isRunning = true;
            WarnOf(record.Load());
            Shared?.Beat();
            stop = new CancellationTokenSource();
            var isKeyed = record.Stored.LicenseKey != null;
            firstCheck = isKeyed
                ? new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously)
                : null;
            hasChecked = false;
            Plan(isKeyed ? 0 : record.UntilCheck());
            return record.Known().Decide();
        }

        /// <summary>Makes the checks that are due, until it is cancelled.</summary>
        private async Task RunAsync(CancellationToken stopped)
        {
            while (!stopped.IsCancellationRequested)
            {
                var pause = TimeSpan.FromMilliseconds(WorkEvery);
                try
                {
                    pause = await WorkAsync(stopped).ConfigureAwait(false);
                }
                catch (OperationCanceledException)
                {
                    // The app closes the client.
                }
                catch (Exception error)
                {
                    // A function of the app, such as its storage, threw what it must not.
                    Warn(error.Message);
                }
                await Task.WhenAny(Task.Delay(pause, stopped)).ConfigureAwait(false);
            }
        }

        private async Task WithinTimeAsync(Task wait, CancellationToken cancellationToken)
        {
            await Task.WhenAny(wait, Task.Delay(options.RequestTimeout, cancellationToken)).ConfigureAwait(false);
        }

        private async Task CheckNowAsync(bool isAskedFor, CancellationToken cancellationToken)
        {
            Shared?.Beat();
            WarnOf(await session.CheckAsync(isAskedFor, cancellationToken).ConfigureAwait(false));
            checkedAt = options.Clock.Monotonic;
            Plan(record.UntilCheck());
            hasChecked = true;
        }

        /// <summary>
        /// Takes over what another process stored. Another license, or another verdict about it, is checked here, too.
        /// </summary>
        private void Notice()
        {
            var before = record.Stored;
            if (record.Keeper.IsChanged) WarnOf(record.Load());
            var isOtherVerdict = (record.Stored.Tombstone == null) != (before.Tombstone == null);
            if (record.Stored.LicenseKey != before.LicenseKey || isOtherVerdict) Plan(record.UntilCheck());
        }

        private void Plan(long? until)
        {
            var clock = options.Clock;
            due = until == null || !isRunning ? null : new Moment(clock.Monotonic + until.Value, clock.Now + until.Value);
        }

        private bool IsDue()
        {
            var planned = due;
            var clock = options.Clock;
            if (planned == null) return false;
            var hasSlept = !clock.CountsSleep && clock.Now >= planned.Local;
            return hasSlept || clock.Monotonic >= planned.Time;
        }

        private string RequestFor(string licenseKey)
        {
            record.LoadOrThrow();
            return OfflineRequest.For(licenseKey, options.ProductId, record.Fingerprint, session.Hostname, options.Clock.Now);
        }

        private void TellRefused(UseRefusedEventArgs use)
        {
            news.Add(() => UseRefused?.Invoke(this, use));
        }

        /// <summary>Tells the log of a failure once, which is tried again every minute.</summary>
        private void WarnOf(Exception failure)
        {
            if (failure == null || failure.Message == lastWarning) return;
            lastWarning = failure.Message;
            Warn(failure.Message);
        }

        private void Warn(string text)
        {
            options.Log?.Invoke(text);
        }
    }
}
