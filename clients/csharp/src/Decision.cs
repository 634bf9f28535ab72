using System;

namespace Latchkey
{
    /// <summary>The outcome of the last call in this process.</summary>
    internal enum Outcome
    {
        NotAsked,
        Good,
        Problem,
        Waiting,
        Released,
    }

    /// <summary>Everything that decides the state, but for the time. It never changes.</summary>
    internal sealed class Decision
    {
        /// <summary>
        /// The time for which an answer counts in the process that received it, if only signed files count beyond that.
        /// </summary>
        private const long InMemory = Times.Day;

        /// <summary>The time by which the grace may exceed the expiry, because an outage may delay a renewal.</summary>
        private const long Leeway = 3 * Times.Day;

        /// <summary>The end of a right without one.</summary>
        private const long NoEnd = long.MaxValue;

        internal StoredState Stored;

        /// <summary>
        /// The verified file, which may have expired. With <see cref="NeedsFile"/> only the file counts, not the rest
        /// of the stored state.
        /// </summary>
        internal LicenseFile File;
        internal bool NeedsFile;

        /// <summary>The time of this process's last good answer.</summary>
        internal long? AnsweredAt;
        internal Outcome Outcome;
        internal Problem Problem;

        /// <summary>The time of the last good answer before a problem.</summary>
        internal long Since;
        internal long Grace;
        internal bool CoversBuild;
        internal Terms Terms;
        internal string StorageProblem;
        internal TrustedClock Clock;

        /// <summary>The state at this moment. The first rule that fits decides.</summary>
        internal LicenseState Decide()
        {
            var now = Clock.Now;
            var until = RightUntil();
            var hasRight = until != null && until > now;
            var state = new LicenseState
            {
                Facts = Stored.Facts?.Shown(), Clock = Clock.Condition, StorageProblem = StorageProblem,
            };
            if (Stored.Tombstone != null)
            {
                state.Status = LicenseStatus.Refused;
                state.Why = Stored.Tombstone.Code;
                state.Since = Times.DateOf(Stored.Tombstone.At);
            }
            else if (Stored.LicenseKey == null && File == null) state.Status = LicenseStatus.Unlicensed;
            else if (!CoversBuild)
            {
                state.Status = LicenseStatus.Refused;
                state.Why = "update_not_covered";
            }
            else if (Outcome == Outcome.Good) License(state, "server", until);
            else if (hasRight && File != null && File.Purpose != "grace") License(state, "stored", until);
            else if (Outcome == Outcome.Waiting) state.Status = LicenseStatus.Waiting;
            else if (Outcome == Outcome.Released) state.Status = LicenseStatus.Released;
            else if (hasRight && Outcome == Outcome.NotAsked) License(state, "stored", until);
            else DecideTrouble(state, until, hasRight, now);
            return state;
        }

        private static void License(LicenseState state, string source, long? until)
        {
            state.Status = LicenseStatus.Licensed;
            state.MayRun = true;
            state.Source = source;
            if (until != null && until != NoEnd) state.Until = Times.DateOf(until.Value);
        }

        /// <summary>Decides the state of an app whose service cannot be asked.</summary>
        private void DecideTrouble(LicenseState state, long? until, bool hasRight, long now)
        {
            var isAsked = Outcome == Outcome.Problem;
            state.Problem = isAsked ? Problem : new Problem("not_asked", "the service was not asked yet");
            state.Status = hasRight ? LicenseStatus.Grace : LicenseStatus.Lapsed;
            state.MayRun = hasRight;
            if (hasRight) state.Until = Times.DateOf(until.Value);
            state.Since = Times.DateOf(!hasRight && until != null ? until.Value : isAsked ? Since : now);
        }

        /// <summary>The time until which the app may run without another answer; null without a right.</summary>
        private long? RightUntil()
        {
            long? until = null;
            if (File != null) until = File.ExpiresSeconds == null ? NoEnd : File.ExpiresSeconds * Times.Second;
            if (AnsweredAt != null && NeedsFile) until = Later(until, WithLeeway(AnsweredAt.Value + InMemory));
            if (Stored.LastGoodAt != null && !NeedsFile) until = Later(until, WithLeeway(Stored.LastGoodAt.Value + Grace));
            return until;
        }

        private static long Later(long? one, long other)
        {
            return one == null ? other : Math.Max(one.Value, other);
        }

        private long WithLeeway(long end)
        {
            var expires = Times.ReadIso(Stored.Facts?.LicenseExpiresAt);
            if (expires == null) return end;
            var last = Later(Times.ReadIso(Stored.Facts.GraceUntil), expires.Value);
            return Math.Min(end, last + Leeway);
        }
    }
}
