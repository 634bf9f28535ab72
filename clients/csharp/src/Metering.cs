using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Latchkey
{
    /// <summary>Uses of meters.</summary>
    internal sealed partial class Session
    {
        private const long MostUnits = 1000000000;

        private static readonly string[] CodesAboutUses =
        {
            "meter_limit", "meter_not_found", "request_id_reused", "missing_fields", "invalid_field",
        };

        /// <summary>Counts a use, or stores it. After an exception, nothing was counted or stored.</summary>
        internal async Task<Consumption> ConsumeAsync(
            string meter, long units, string requestId, CancellationToken cancellationToken)
        {
            if (units < 0 || units > MostUnits)
                throw new ArgumentOutOfRangeException(nameof(units), "units must be from 0 to " + MostUnits);
            record.LoadOrThrow();
            if (record.Stored.LicenseKey == null) throw new NoLicenseKeyException();
            var name = string.IsNullOrEmpty(requestId) ? Base64Url.Encode(ThisMachine.RandomBytes()) : requestId;
            var use = new StoredUse(meter, units, name, record.Now);
            // A use that has no answer may have been counted. Later ones wait behind it, so that only one is ever in
            // doubt.
            var called = await SendUsesAsync(cancellationToken).ConfigureAwait(false);
            if (called == null) called = await CallUseAsync(use, cancellationToken).ConfigureAwait(false);
            if (called.IsGood) return CountedIn(use, called.Reply);
            if (called.Refusal != null) throw called.Refusal.AsException();
            if (units > 0 && StoreUse(use))
                return new Consumption { IsQueued = true, Meter = meter, Units = units, RequestId = name };
            throw new UnreachableException(called.Problem);
        }

        /// <summary>
        /// Sends the stored uses in their order. Returns the answer that says nothing about a use; null once none is
        /// left.
        /// </summary>
        private async Task<Called> SendUsesAsync(CancellationToken cancellationToken)
        {
            while (record.Stored.Uses.Count > 0)
            {
                var use = record.Stored.Uses[0];
                var called = await CallUseAsync(use, cancellationToken).ConfigureAwait(false);
                if (!called.IsGood && !IsAboutUse(called)) return called;
                if (!called.IsGood) tellRefused(new UseRefusedEventArgs(use, called.Code));
                RemoveUse(use);
            }
            return null;
        }

        private void RemoveUse(StoredUse use)
        {
            record.Keep(state => state.Uses = state.Uses.Where(each => each.RequestId != use.RequestId).ToArray());
        }

        /// <summary>Stores a use, if the app may run and there is room.</summary>
        private bool StoreUse(StoredUse use)
        {
            Func<StoredState, bool> isStored = state => state.Uses.Any(each => each.RequestId == use.RequestId);
            var isRoom = record.Stored.Uses.Count < options.OfflineUses || isStored(record.Stored);
            if (!isRoom || !record.Known().Decide().MayRun) return false;
            var isKept = record.Keep(state =>
            {
                // Another process may have stored uses since; the same use is stored once.
                if (state.Uses.Count < options.OfflineUses && !isStored(state))
                    state.Uses = state.Uses.Concat(new[] { use }).ToArray();
            });
            return isKept && isStored(record.Stored);
        }

        /// <summary>Calls the service, a second time if the machine got another token meanwhile.</summary>
        private async Task<Called> CallUseAsync(StoredUse use, CancellationToken cancellationToken)
        {
            if (record.Stored.Token == null) await AskAsync(true, cancellationToken).ConfigureAwait(false);
            var first = await CallUseOnceAsync(use, cancellationToken).ConfigureAwait(false);
            var licenseKey = record.Stored.LicenseKey;
            var token = record.Stored.Token;
            if (first.IsGood || IsAboutUse(first) || licenseKey == null || token == null) return first;
            await NotGoodAsync(licenseKey, first, cancellationToken).ConfigureAwait(false);
            if (first.IsOfReplacedKey && record.Outcome == Outcome.Problem) return new Called { Problem = record.Problem };
            var present = record.Stored;
            // The key that took the place of the sent one counts the same use once.
            var isSame = first.IsOfReplacedKey || present.LicenseKey == licenseKey;
            if (!isSame || present.Token == null || present.Token == token) return first;
            return await CallUseOnceAsync(use, cancellationToken).ConfigureAwait(false);
        }

        private async Task<Called> CallUseOnceAsync(StoredUse use, CancellationToken cancellationToken)
        {
            var licenseKey = record.Stored.LicenseKey;
            var token = record.Stored.Token;
            if (licenseKey == null || token == null) return CouldNotJoin();
            var fields = new Fields { { "meter", use.Meter }, { "units", use.Units } };
            // Asking counts nothing, and needs no id.
            if (use.Units > 0) fields["requestId"] = use.RequestId;
            var called = await CallAsync("/consume", licenseKey, token, fields, cancellationToken).ConfigureAwait(false);
            if (called.IsGood || IsAboutUse(called)) record.Clock.Learn(called.ServerTime);
            return called;
        }

        private Called CouldNotJoin()
        {
            if (record.Outcome == Outcome.Problem) return new Called { Problem = record.Problem };
            return new Called { Refusal = new Refusal("machine_not_activated", "Machine not activated", new Fields()) };
        }

        /// <summary>
        /// Whether an answer refuses a use alone. Any other refusal is about the license, the machine or its token.
        /// </summary>
        private static bool IsAboutUse(Called called)
        {
            return CodesAboutUses.Contains(called.Code);
        }

        private static Consumption CountedIn(StoredUse use, Fields reply)
        {
            return new Consumption
            {
                Meter = reply.Text("meter"),
                Units = use.Units,
                RequestId = use.RequestId,
                Used = Json.Whole(reply.Get("used")),
                Limit = Json.Whole(reply.Get("limit")),
                Remaining = Json.Whole(reply.Get("remaining")),
                ResetsAt = Times.DateIn(reply.Text("resetsAt")),
            };
        }
    }
}
