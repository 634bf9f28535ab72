using System.Threading;
using System.Threading.Tasks;

namespace Latchkey
{
    /// <summary>Keys, trials, seats and files that come and go.</summary>
    internal sealed partial class Session
    {
        /// <summary>The number of seats up to which a pool gets its seats back when the app closes.</summary>
        private const int SmallPool = 10;

        /// <summary>The time within which an app that is restarted keeps its seat.</summary>
        private const long ReleasePause = 10 * Times.Minute;

        /// <summary>Takes a key that the user entered, or takes a slot again.</summary>
        internal async Task ActivateAsync(string given, CancellationToken cancellationToken)
        {
            record.LoadOrThrow();
            var typed = (given ?? "").Trim();
            var licenseKey = typed.Length > 0 ? typed : record.Stored.LicenseKey;
            if (licenseKey == null) throw new NoLicenseKeyException();
            var isSame = record.Stored.LicenseKey == licenseKey;
            var called = await CallActivateAsync(licenseKey, cancellationToken).ConfigureAwait(false);
            if (called.Problem != null)
            {
                if (isSame) record.Miss(called.Problem, called.RetryAfter);
                throw new UnreachableException(called.Problem);
            }
            if (called.IsGood)
            {
                await AcceptKeyAsync(licenseKey, called, cancellationToken).ConfigureAwait(false);
                await SendUsesAsync(cancellationToken).ConfigureAwait(false);
                return;
            }
            if (called.Code == "machine_limit")
            {
                var isFloating = await IsFloatingAsync(licenseKey, called, cancellationToken).ConfigureAwait(false);
                if (isFloating)
                {
                    Wait(licenseKey, isSame);
                    return;
                }
            }
            if (isSame && called.IsOfReplacedKey)
            {
                await NotGoodAsync(licenseKey, called, cancellationToken).ConfigureAwait(false);
                if (record.Stored.LicenseKey != licenseKey)
                {
                    await RenewFileAsync(cancellationToken).ConfigureAwait(false);
                    await SendUsesAsync(cancellationToken).ConfigureAwait(false);
                    return;
                }
                if (record.Outcome == Outcome.Problem) throw new UnreachableException(record.Problem);
            }
            else if (isSame) Refused(called);
            else record.Clock.Learn(called.ServerTime);
            throw called.Refusal.AsException();
        }

        /// <summary>Takes a trial, unless the app may run.</summary>
        internal async Task StartTrialAsync(string variant, string email, CancellationToken cancellationToken)
        {
            record.LoadOrThrow();
            if (record.Known().Decide().MayRun) return;
            var fields = MachineFields();
            if (!string.IsNullOrEmpty(variant)) fields["variant"] = variant;
            if (!string.IsNullOrEmpty(email)) fields["email"] = email;
            var called = await line.CallAsync("/startTrial", fields, cancellationToken).ConfigureAwait(false);
            if (called.Problem != null) throw new UnreachableException(called.Problem);
            if (called.Refusal != null)
            {
                record.Clock.Learn(called.ServerTime);
                throw called.Refusal.AsException();
            }
            await AcceptKeyAsync(called.Reply.Text("licenseKey"), called, cancellationToken).ConfigureAwait(false);
        }

        /// <summary>Frees the slot and forgets the license. Without an answer nothing has changed.</summary>
        internal async Task DeactivateAsync(CancellationToken cancellationToken)
        {
            record.LoadOrThrow();
            await SendUsesAsync(cancellationToken).ConfigureAwait(false);
            if (record.Stored.LicenseKey != null && record.Stored.Token != null)
            {
                var called = await CallDeactivateAsync(cancellationToken).ConfigureAwait(false);
                var licenseKey = record.Stored.LicenseKey;
                if (called.Code == "invalid_token" && licenseKey != null)
                {
                    // Only a token of the present activation frees the slot.
                    var again = await CallActivateAsync(licenseKey, cancellationToken).ConfigureAwait(false);
                    if (again.Problem != null) called = again;
                    if (again.IsGood)
                    {
                        called = await CallAsync("/deactivate", licenseKey, again.Reply.Text("token"), null, cancellationToken)
                            .ConfigureAwait(false);
                    }
                }
                if (called.Problem != null) throw new UnreachableException(called.Problem);
            }
            record.Replace(new StoredState());
        }

        /// <summary>Gives a floating seat back if others may need it, and keeps the license.</summary>
        internal async Task GiveSeatBackAsync(CancellationToken cancellationToken)
        {
            if (record.Load() != null || !GivesSeatBack(record.Stored)) return;
            var called = await CallDeactivateAsync(cancellationToken).ConfigureAwait(false);
            if (!called.IsGood) return;
            record.Keep(state =>
            {
                state.Token = null;
                state.Seat = null;
            });
        }

        /// <summary>
        /// Frees the slot or the seat of the stored key; if that was replaced, of the one that took its place.
        /// </summary>
        private async Task<Called> CallDeactivateAsync(CancellationToken cancellationToken)
        {
            var licenseKey = record.Stored.LicenseKey;
            var called = await CallAsync("/deactivate", licenseKey, record.Stored.Token, null, cancellationToken)
                .ConfigureAwait(false);
            if (!called.IsOfReplacedKey) return called;
            await NotGoodAsync(licenseKey, called, cancellationToken).ConfigureAwait(false);
            if (record.Outcome == Outcome.Problem) return new Called { Problem = record.Problem };
            var present = record.Stored;
            if (present.LicenseKey == null || present.LicenseKey == licenseKey || present.Token == null) return called;
            return await CallAsync("/deactivate", present.LicenseKey, present.Token, null, cancellationToken)
                .ConfigureAwait(false);
        }

        /// <summary>Takes over a license file.</summary>
        internal void ImportFile(string text)
        {
            record.LoadOrThrow();
            var file = record.Verify(text, record.Now, record.Stored.KeyLists);
            var refused = record.Stored.Tombstone;
            if (refused != null && file.IssuedSeconds * Times.Second <= refused.At)
                throw new BadLicenseFileException("refused", "the license was refused after this file was made");
            var isOfKey = StoredFacts.IsKeyOfFile(record.Stored.LicenseKey, file);
            var state = isOfKey ? record.Stored.Copy() : new StoredState { KeyLists = record.Stored.KeyLists };
            state.File = text;
            state.Facts = StoredFacts.OfFile(file, record.Now);
            state.Tombstone = null;
            record.Replace(state);
        }

        /// <summary>
        /// Activates with the stored key, but only if that can succeed, because attempts are limited.
        /// </summary>
        private async Task JoinAsync(string licenseKey, CancellationToken cancellationToken)
        {
            if (record.Stored.Tombstone != null || record.Outcome == Outcome.Waiting)
            {
                var isFull = await IsFullAsync(licenseKey, cancellationToken).ConfigureAwait(false);
                if (isFull == null) return;
                if (record.Outcome == Outcome.Waiting && isFull == true)
                {
                    record.Lose(record.LostSlot);
                    return;
                }
            }
            var called = await CallActivateAsync(licenseKey, cancellationToken).ConfigureAwait(false);
            if (called.IsGood) Activated(licenseKey, called);
            else if (called.Problem != null) record.Miss(called.Problem, called.RetryAfter);
            else
            {
                var now = record.Now;
                if (record.Keep(state => state.ActivatedAt = now)) Refused(called);
            }
        }

        private void Activated(string licenseKey, Called called)
        {
            CheckedFully();
            var now = called.ServerTime ?? record.Now;
            var facts = FactsBefore(licenseKey);
            facts.TakeActivation(called.Reply, now);
            record.Accept(called, facts, state =>
            {
                state.Token = called.Reply.Text("token");
                state.ActivatedAt = now;
            });
        }

        private async Task AcceptKeyAsync(string licenseKey, Called called, CancellationToken cancellationToken)
        {
            if (record.Stored.LicenseKey != licenseKey) PutKey(licenseKey);
            Activated(licenseKey, called);
            await RenewFileAsync(cancellationToken).ConfigureAwait(false);
        }

        /// <summary>Replaces the license. A file that was imported for the new one stays.</summary>
        private void PutKey(string licenseKey)
        {
            record.Replace(new StoredState
            {
                LicenseKey = licenseKey,
                KeyLists = record.Stored.KeyLists,
                File = StoredFacts.IsKeyOfFile(licenseKey, record.File) ? record.Stored.File : null,
            });
        }

        /// <summary>Takes over the key of a floating license without a free seat.</summary>
        private void Wait(string licenseKey, bool isSame)
        {
            if (!isSame) PutKey(licenseKey);
            var facts = FactsBefore(licenseKey);
            facts.LicenseType = "floating";
            var isKept = record.Keep(state =>
            {
                state.Facts = facts;
                state.Tombstone = null;
            });
            if (isKept) record.Lose(record.LostSlot);
        }

        /// <summary>Whether a license without a free slot is a floating one.</summary>
        private async Task<bool> IsFloatingAsync(string licenseKey, Called called, CancellationToken cancellationToken)
        {
            var named = called.Refusal.Fields.Text("licenseType");
            if (named != null) return named == "floating";
            var stored = record.Stored;
            if (stored.LicenseKey == licenseKey && stored.Facts?.LicenseType != null) return stored.IsFloating;
            var verified = await CallVerifyAsync(licenseKey, cancellationToken).ConfigureAwait(false);
            return verified.IsGood && verified.Reply.Text("licenseType") == "floating";
        }

        private bool GivesSeatBack(StoredState stored)
        {
            var isHeld = stored.IsFloating && stored.LicenseKey != null && stored.Token != null;
            if (!isHeld || options.Release == Release.Never) return false;
            if (options.Release == Release.Always) return true;
            var seats = stored.Facts.MaxMachines;
            var isFresh = stored.ActivatedAt != null && record.Now - stored.ActivatedAt < ReleasePause;
            return seats >= 0 && seats <= SmallPool && !isFresh;
        }
    }
}
