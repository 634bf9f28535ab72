using System;

namespace Latchkey
{
    /// <summary>
    /// The times until the next requests, in milliseconds. <c>random</c> is from 0 up to 1, and spreads the requests of
    /// many apps.
    /// </summary>
    internal static class Schedule
    {
        /// <summary>Until the next check of a license without seats: a day, plus or minus two hours.</summary>
        internal static long UntilDailyCheck(double random)
        {
            return (long)(22.0 * Times.Hour + random * 4 * Times.Hour);
        }

        /// <summary>Until the next check of a refused license, which may be renewed or reinstated.</summary>
        internal static long UntilRefusedCheck(double random)
        {
            return Spread(Times.Hour, random);
        }

        /// <summary>
        /// Until the next heartbeat. The seat is held for a time without one; null if that is unknown.
        /// </summary>
        internal static long UntilHeartbeat(long heartbeat, long? seat, double random)
        {
            var third = seat == null ? heartbeat : seat.Value / 3.0;
            return Spread(Math.Max(Times.Second, Math.Min(heartbeat, third)), random);
        }

        /// <summary>Until the next attempt after so many failures in a row.</summary>
        internal static long UntilRetry(int failures, bool hasSeat, double random)
        {
            var longest = hasSeat ? Times.Minute : Times.Hour;
            return UpperHalf(Math.Min(longest, 5 * Times.Second << Math.Min(failures - 1, 20)), random);
        }

        /// <summary>Until the next request for a free seat after so many answers without one.</summary>
        internal static long UntilSeatPoll(int polls, double random)
        {
            return UpperHalf(Math.Min(5 * Times.Minute, Times.Minute << Math.Min(polls - 1, 20)), random);
        }

        private static long UpperHalf(long step, double random)
        {
            return (long)(step / 2.0 + random * step / 2);
        }

        /// <summary>Adds or takes a tenth.</summary>
        private static long Spread(double milliseconds, double random)
        {
            return (long)(milliseconds * (0.9 + random * 0.2));
        }
    }
}
