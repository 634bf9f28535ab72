using System;
using System.Threading;
using System.Threading.Tasks;

namespace Latchkey
{
    /// <summary>
    /// Makes the calls to the service, and draws the consequences of its answers. Callers run one method at a time.
    /// </summary>
    internal sealed partial class Session
    {
        /// <summary>Sent for a computer without a name, because the service needs one.</summary>
        private const string Nameless = "Unnamed computer";

        /// <summary>
        /// The time between two automatic activations of a machine, because all machines of a license share 15
        /// activations an hour.
        /// </summary>
        private const long ActivationPause = Times.Hour;

        private readonly LatchkeyOptions options;
        private readonly LicenseRecord record;
        private readonly Line line;
        private readonly Action<UseRefusedEventArgs> tellRefused;

        // By the monotonic clock.
        private long fullCheckDue;
        private long fileNotBefore;

        internal Session(LatchkeyOptions options, LicenseRecord record, Action<UseRefusedEventArgs> tellRefused)
        {
            this.options = options;
            this.record = record;
            this.tellRefused = tellRefused;
            line = new Line(options);
        }

        internal string Hostname
        {
            get
            {
                var name = options.Hostname ?? ThisMachine.Hostname();
                return name.Trim().Length == 0 ? Nameless : name;
            }
        }

        private long Monotonic
        {
            get { return options.Clock.Monotonic; }
        }

        /// <summary>Checks the license.</summary>
        /// <returns>The failure without a fingerprint, else null.</returns>
        internal async Task<NoFingerprintException> CheckAsync(bool isAskedFor, CancellationToken cancellationToken)
        {
            var failure = await AskAsync(isAskedFor, cancellationToken).ConfigureAwait(false);
            if (failure == null && record.Outcome == Outcome.Good) await SendUsesAsync(cancellationToken).ConfigureAwait(false);
            return failure;
        }

        private async Task<NoFingerprintException> AskAsync(bool isAskedFor, CancellationToken cancellationToken)
        {
            var failure = record.Load();
            var licenseKey = record.Stored.LicenseKey;
            var token = record.Stored.Token;
            if (failure != null || licenseKey == null) return failure;
            if (token == null)
            {
                await JoinAsync(licenseKey, cancellationToken).ConfigureAwait(false);
                return null;
            }
            var hasGood = record.Outcome == Outcome.Good && record.CoversBuild;
            var isHeartbeat = !isAskedFor && record.Stored.IsFloating && hasGood && Monotonic < fullCheckDue;
            if (isHeartbeat) await BeatAsync(licenseKey, token, cancellationToken).ConfigureAwait(false);
            else await ValidateAsync(licenseKey, token, cancellationToken).ConfigureAwait(false);
            await RenewFileAsync(cancellationToken).ConfigureAwait(false);
            return null;
        }

        private async Task BeatAsync(string licenseKey, string token, CancellationToken cancellationToken)
        {
            // Another process of this machine may have renewed the shared seat.
            if (HasBeaten(record.Stored.Seat)) return;
            var called = await CallAsync("/heartbeat", licenseKey, token, null, cancellationToken).ConfigureAwait(false);
            if (!called.IsGood)
            {
                await NotGoodAsync(licenseKey, called, cancellationToken).ConfigureAwait(false);
                return;
            }
            var facts = FactsBefore(licenseKey);
            facts.TakeHeartbeat(called.Reply);
            record.Accept(called, facts, state => { });
        }

        private bool HasBeaten(Seat seat)
        {
            if (seat == null) return false;
            var interval = Math.Min(Times.Of(options.Heartbeat), (seat.Until - seat.BeatAt) / 3.0);
            return record.Now - seat.BeatAt < interval / 2;
        }

        private async Task ValidateAsync(string licenseKey, string token, CancellationToken cancellationToken)
        {
            var fields = BuildFields();
            fields["acceptsReplacement"] = true;
            var called = await CallAsync("/validate", licenseKey, token, fields, cancellationToken)
                .ConfigureAwait(false);
            if (called.IsGood) Validated(licenseKey, token, called);
            else if (called.IsOfReplacedKey) Refused(called);
            else await NotGoodAsync(licenseKey, called, cancellationToken).ConfigureAwait(false);
        }

        private void Validated(string licenseKey, string token, Called called)
        {
            CheckedFully();
            var newKey = called.Reply.Text("licenseKey");
            var newToken = called.Reply.Text("sessionToken");
            if (newKey == null || newToken == null) newToken = called.Reply.Text("newToken") ?? token;
            else if (!Move(licenseKey, newKey, newToken)) return;
            var facts = FactsBefore(licenseKey);
            facts.TakeCheck(called.Reply);
            record.Accept(called, facts, state => state.Token = newToken);
        }

        /// <summary>
        /// Stores the key that took the place of the stored one. Returns false if another process has stored a third
        /// one, which stays then.
        /// </summary>
        private bool Move(string from, string licenseKey, string token)
        {
            var facts = FactsBefore(from);
            facts.LicenseKeyHint = StoredFacts.HintOf(licenseKey);
            record.Keep(state =>
            {
                state.LicenseKey = licenseKey;
                state.Token = token;
                state.Facts = facts;
            });
            return record.Stored.LicenseKey == licenseKey;
        }

        private void CheckedFully()
        {
            fullCheckDue = Monotonic + Schedule.UntilDailyCheck(options.Random());
        }

        private StoredFacts FactsBefore(string licenseKey)
        {
            if (record.Stored.Facts != null) return record.Stored.Facts.Copy();
            return new StoredFacts { LicenseKeyHint = StoredFacts.HintOf(licenseKey), ProductId = options.ProductId };
        }

        /// <summary>The fields that name this build.</summary>
        private Fields BuildFields()
        {
            var fields = new Fields();
            if (options.BuildDate != null) fields["buildDate"] = options.BuildDate;
            if (options.Version != null) fields["version"] = options.Version;
            return fields;
        }

        /// <summary>The fields that name the machine, the product, the build, and the user if it is known.</summary>
        private Fields MachineFields()
        {
            var fields = BuildFields();
            fields["machineFingerprint"] = record.Fingerprint;
            fields["hostname"] = Hostname;
            fields["productId"] = options.ProductId;
            var user = options.User?.Invoke();
            if (!string.IsNullOrEmpty(user)) fields["user"] = user;
            return fields;
        }

        private Task<Called> CallAsync(
            string endpoint, string licenseKey, string token, Fields more, CancellationToken cancellationToken)
        {
            var fields = more ?? new Fields();
            fields["licenseKey"] = licenseKey;
            fields["token"] = token;
            fields["machineFingerprint"] = record.Fingerprint;
            return line.CallAsync(endpoint, fields, cancellationToken);
        }

        private Task<Called> CallActivateAsync(string licenseKey, CancellationToken cancellationToken)
        {
            var fields = MachineFields();
            fields["licenseKey"] = licenseKey;
            return line.CallAsync("/activate", fields, cancellationToken);
        }

        private Task<Called> CallVerifyAsync(string licenseKey, CancellationToken cancellationToken)
        {
            var fields = new Fields { { "licenseKey", licenseKey }, { "productId", options.ProductId } };
            return line.CallAsync("/verify", fields, cancellationToken);
        }

        /// <summary>Handles an answer to a check that is not good.</summary>
        private async Task NotGoodAsync(string licenseKey, Called called, CancellationToken cancellationToken)
        {
            var token = record.Stored.Token;
            if (called.Problem != null) record.Miss(called.Problem, called.RetryAfter);
            else if (called.IsOfReplacedKey && token != null)
                await ValidateAsync(licenseKey, token, cancellationToken).ConfigureAwait(false);
            else if (called.Code == "machine_not_activated")
                await RejoinAsync(licenseKey, "slot", cancellationToken).ConfigureAwait(false);
            else if (called.Code == "invalid_token" || called.Code == "token_mismatch")
                await RejoinAsync(licenseKey, "token", cancellationToken).ConfigureAwait(false);
            else Refused(called);
        }

        /// <summary>
        /// Activates a machine again that has lost its slot, its seat or its token, within the limit.
        /// </summary>
        private async Task RejoinAsync(string licenseKey, string lost, CancellationToken cancellationToken)
        {
            var activatedAt = record.Stored.ActivatedAt;
            var mayAsk = lost == "token" || record.Stored.IsFloating || !options.AsksToReactivate;
            var isSoon = activatedAt != null && Math.Abs(record.Now - activatedAt.Value) < ActivationPause;
            if (mayAsk && !isSoon)
            {
                await JoinAsync(licenseKey, cancellationToken).ConfigureAwait(false);
                return;
            }
            if (lost == "slot")
            {
                bool? isFull = true;
                if (mayAsk) isFull = await IsFullAsync(licenseKey, cancellationToken).ConfigureAwait(false);
                if (isFull == null) return;
                if (isFull == true)
                {
                    record.Lose(record.LostSlot);
                    return;
                }
                // Another process may have deactivated the license in the meantime.
                if (record.Load() != null || record.Stored.LicenseKey != licenseKey) return;
            }
            record.Miss(new Problem("token", "the service does not know the " + lost + " of this machine any more"));
        }

        /// <summary>Whether every slot is taken; null if the answer has settled the state already.</summary>
        private async Task<bool?> IsFullAsync(string licenseKey, CancellationToken cancellationToken)
        {
            var called = await CallVerifyAsync(licenseKey, cancellationToken).ConfigureAwait(false);
            if (called.IsGood)
            {
                record.Clock.Learn(called.ServerTime);
                var most = Json.Whole(called.Reply.Get("maxMachines"));
                return most >= 0 && Json.Whole(called.Reply.Get("machinesUsed")) >= most;
            }
            if (called.Problem != null) record.Miss(called.Problem, called.RetryAfter);
            else Refused(called);
            return null;
        }

        /// <summary>Handles a refusal of a license that was accepted on this machine before.</summary>
        private void Refused(Called called)
        {
            var refusal = called.Refusal;
            if (refusal.Code == "license_expired" && IsExpiredByAWrongClock(called.ServerTime))
            {
                record.Miss(new Problem("clock", "by the clock of the service, which is ahead, the license has expired"));
                return;
            }
            record.Clock.Learn(called.ServerTime);
            switch (refusal.Code)
            {
                case "license_replaced":
                case "license_revoked":
                case "license_expired":
                case "wrong_product":
                    record.Refuse(refusal.Code);
                    break;
                case "machine_limit":
                    record.Lose(record.LostSlot);
                    break;
                case "user_limit":
                    record.Lose(Outcome.Released);
                    break;
                case "license_not_found":
                    // The license existed when it was activated. The service has lost it, as after restoring an old
                    // backup, and the customer has paid.
                    record.Miss(new Problem("license_not_found", "the service does not know the license any more"));
                    break;
                case "activation_rate":
                    record.Miss(new Problem("busy", refusal.Text), refusal.RetryAfter);
                    break;
                case "update_not_covered":
                    if (!record.LeaveUncovered(refusal.Fields)) record.Miss(new Problem("request", refusal.Text));
                    break;
                default:
                    record.Miss(new Problem("request", refusal.Text));
                    break;
            }
        }

        /// <summary>
        /// Whether the license has expired only by a clock of the service that is more than a day ahead. A user who
        /// sets the machine's clock back to get here gains no more than from an outage.
        /// </summary>
        private bool IsExpiredByAWrongClock(long? serverTime)
        {
            var expires = Times.ReadIso(record.Stored.Facts?.LicenseExpiresAt);
            var now = record.Now;
            return expires != null && now < expires && expires <= serverTime && serverTime - now > Times.Day;
        }
    }
}
