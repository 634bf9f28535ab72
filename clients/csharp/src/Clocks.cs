using System;
using System.Diagnostics;

namespace Latchkey
{
    /// <summary>Tells the time of the machine. Tests replace it.</summary>
    public interface IClock
    {
        /// <summary>The machine's clock, in milliseconds since 1970.</summary>
        long Now { get; }

        /// <summary>Milliseconds since any moment, which never go back.</summary>
        long Monotonic { get; }

        /// <summary>Whether <see cref="Monotonic"/> goes on while the machine sleeps.</summary>
        bool CountsSleep { get; }
    }

    internal sealed class SystemClock : IClock
    {
        private static readonly Stopwatch Watch = Stopwatch.StartNew();
        private readonly bool countsSleep = NativeSystem.MillisecondsSinceBoot() != null;

        public long Now
        {
            get { return Times.Of(DateTimeOffset.UtcNow); }
        }

        // The watch stops while the machine sleeps, so the client compares it with the machine's clock.
        public long Monotonic
        {
            get { return countsSleep ? NativeSystem.MillisecondsSinceBoot().Value : Watch.ElapsedMilliseconds; }
        }

        public bool CountsSleep
        {
            get { return countsSleep; }
        }
    }

    /// <summary>A known time, and the machine's clock at it.</summary>
    internal sealed class Moment
    {
        internal readonly long Time;
        internal readonly long Local;

        internal Moment(long time, long local)
        {
            Time = time;
            Local = local;
        }

        /// <summary>
        /// The time counted from this moment. It advances with the machine's clock, but does not go back with it: if
        /// that was set back, the elapsed time is unknown.
        /// </summary>
        internal long CountedUntil(long local)
        {
            return local >= Local ? Time + local - Local : Math.Max(Time, local);
        }

        internal bool IsLaterThan(Moment other)
        {
            return other == null || Time > other.Time;
        }
    }

    /// <summary>
    /// The newest time of the service, a later one that two readings prove, and the last reading; each may be null.
    /// </summary>
    internal sealed class KnownTimes
    {
        internal static readonly KnownTimes None = new KnownTimes(null, null, null);

        internal readonly Moment Trusted;
        internal readonly Moment Confirmed;
        internal readonly Moment Seen;

        internal KnownTimes(Moment trusted, Moment confirmed, Moment seen)
        {
            Trusted = trusted;
            Confirmed = confirmed;
            Seen = seen;
        }

        internal bool AreEmpty
        {
            get { return Trusted == null && Confirmed == null && Seen == null; }
        }

        /// <summary>The time by all known moments; the machine's clock without any.</summary>
        internal long By(long local)
        {
            if (Trusted == null && Confirmed == null) return local;
            var byTrusted = Trusted == null ? long.MinValue : Trusted.CountedUntil(local);
            return Math.Max(byTrusted, Confirmed == null ? long.MinValue : Confirmed.CountedUntil(local));
        }
    }

    /// <summary>
    /// The present time in a running process. The clock of the machine may be wrong by years, set back to extend a
    /// grace, or corrected after it was wrong; so the time counts from known moments.
    /// </summary>
    internal sealed class TrustedClock
    {
        private readonly IClock machine;

        /// <summary>A moment of this process, by its monotonic clock; null before the first load.</summary>
        private Moment anchor;

        internal TrustedClock(IClock machine)
        {
            this.machine = machine;
        }

        internal KnownTimes Times { get; private set; } = KnownTimes.None;

        internal long Now
        {
            get
            {
                var local = machine.Now;
                if (anchor == null) return Times.By(local);
                var counted = anchor.Time + machine.Monotonic - anchor.Local;
                return machine.CountsSleep ? counted : Math.Max(counted, Times.By(local));
            }
        }

        /// <summary>The machine's clock compared with the time.</summary>
        internal string Condition
        {
            get
            {
                var ahead = machine.Now - Now;
                return ahead > Latchkey.Times.Day ? "ahead" : ahead < -Latchkey.Times.Day ? "behind" : "right";
            }
        }

        /// <summary>A clock that tells the time by the present knowledge.</summary>
        internal TrustedClock Copy()
        {
            return (TrustedClock)MemberwiseClone();
        }

        /// <summary>
        /// Takes the stored times. Later calls take over only later times, which another process learned.
        /// </summary>
        internal void Restore(KnownTimes stored)
        {
            var byStored = stored.By(machine.Now);
            if (anchor == null)
            {
                Know(stored, byStored);
                return;
            }
            var isNewer = stored.Trusted != null && stored.Trusted.IsLaterThan(Times.Trusted);
            var isConfirmed = stored.Confirmed != null && stored.Confirmed.IsLaterThan(Times.Confirmed);
            if (!isNewer && !isConfirmed) return;
            if (isNewer || byStored > Now) Know(stored, byStored);
            else Times = stored;
        }

        /// <summary>
        /// Takes the time of the service, which replaces all earlier knowledge; null teaches nothing.
        /// </summary>
        internal void Learn(long? serverTime)
        {
            if (serverTime == null) return;
            Know(new KnownTimes(new Moment(serverTime.Value, machine.Now), null, null), serverTime.Value);
        }

        /// <summary>Learns from a genuine text that was made at a time: it is no earlier now.</summary>
        internal void AtLeast(long? known)
        {
            if (known != null && known.Value > Now) Learn(known);
        }

        /// <summary>
        /// Reads the machine's clock, and returns whether there is something new to store. One reading proves nothing:
        /// a machine without a battery may start in any year. Of two readings an hour apart, the earlier one becomes a
        /// lower bound for the time, until the service tells a better one.
        /// </summary>
        internal bool Look()
        {
            var reading = new Moment(Now, machine.Now);
            var seen = Times.Seen;
            var confirmed = Times.Confirmed;
            if (seen != null && reading.Time >= seen.Time)
            {
                if (reading.Time - seen.Time < Latchkey.Times.Hour) return false;
                confirmed = seen;
            }
            Times = new KnownTimes(Times.Trusted, confirmed, reading);
            return true;
        }

        private void Know(KnownTimes times, long present)
        {
            Times = times;
            anchor = new Moment(present, machine.Monotonic);
        }
    }
}
