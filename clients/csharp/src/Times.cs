using System;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Latchkey
{
    /// <summary>Times are milliseconds since 1970 in UTC inside of this library.</summary>
    internal static class Times
    {
        internal const long Second = 1000;
        internal const long Minute = 60 * Second;
        internal const long Hour = 60 * Minute;
        internal const long Day = 24 * Hour;

        // The years 1 to 9999, the only ones that a DateTimeOffset has.
        private const long Earliest = -62135596800000;
        private const long Latest = 253402300799999;

        private const string IsoForm = "yyyy-MM-dd'T'HH:mm:ss.fff'Z'";

        private static readonly DateTimeOffset Epoch = new DateTimeOffset(1970, 1, 1, 0, 0, 0, TimeSpan.Zero);

        private static readonly Regex IsoText = new Regex(
            "^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?(?:\\.([0-9]{1,9}))?"
            + "(?:Z|([+-])([0-9]{2}):([0-9]{2})))?\\z",
            RegexOptions.CultureInvariant);

        private static readonly Regex HttpText = new Regex(
            "^[A-Za-z]{3}, ([0-9]{2}) ([A-Za-z]{3}) ([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT\\z",
            RegexOptions.CultureInvariant);

        private static readonly string[] Months =
        {
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        };

        /// <summary>
        /// The time of a text in ISO 8601, or of a day, which begins at midnight in UTC; null for none.
        /// </summary>
        internal static long? ReadIso(string text)
        {
            var found = text == null ? Match.Empty : IsoText.Match(text);
            if (!found.Success) return null;
            int hours = Number(found, 4), minutes = Number(found, 5), seconds = Number(found, 6);
            if (hours > 24 || minutes > 59 || seconds > 59 || (hours == 24 && minutes + seconds > 0)) return null;
            var day = DayOf(Number(found, 1), Number(found, 2), Number(found, 3));
            var fraction = long.Parse((found.Groups[7].Value + "000").Substring(0, 3), CultureInfo.InvariantCulture);
            var zone = Number(found, 9) * Hour + Number(found, 10) * Minute;
            if (found.Groups[8].Value == "-") zone = -zone;
            return day + hours * Hour + minutes * Minute + seconds * Second + fraction - zone;
        }

        /// <summary>The time of a header <c>Date</c>; null for another text.</summary>
        internal static long? ReadHttp(string text)
        {
            var found = text == null ? Match.Empty : HttpText.Match(text.Trim());
            if (!found.Success) return null;
            var day = DayOf(Number(found, 3), Array.IndexOf(Months, found.Groups[2].Value) + 1, Number(found, 1));
            return day + Number(found, 4) * Hour + Number(found, 5) * Minute + Number(found, 6) * Second;
        }

        /// <summary>ISO 8601 with milliseconds.</summary>
        internal static string Iso(long at)
        {
            return DateOf(at).ToString(IsoForm, CultureInfo.InvariantCulture);
        }

        /// <summary>The time as apps read it, held to the years that it has.</summary>
        internal static DateTimeOffset DateOf(long at)
        {
            return Epoch.AddTicks(Math.Max(Earliest, Math.Min(at, Latest)) * TimeSpan.TicksPerMillisecond);
        }

        /// <summary><see cref="DateOf"/> for a text that may be absent.</summary>
        internal static DateTimeOffset? DateIn(string text)
        {
            var at = ReadIso(text);
            return at == null ? (DateTimeOffset?)null : DateOf(at.Value);
        }

        internal static long Of(DateTimeOffset date)
        {
            return (date - Epoch).Ticks / TimeSpan.TicksPerMillisecond;
        }

        internal static long Of(TimeSpan duration)
        {
            return duration.Ticks / TimeSpan.TicksPerMillisecond;
        }

        /// <summary>Seconds since 1970 as license files have them; null for null.</summary>
        internal static long? SecondsIn(string text)
        {
            var at = ReadIso(text);
            return at == null ? (long?)null : (long)Math.Floor(at.Value / (double)Second);
        }

        /// <summary>The begin of a day of any year; null for one that its month does not have.</summary>
        private static long? DayOf(int year, int month, int day)
        {
            if (month < 1 || month > 12 || day < 1) return null;
            // The year 0 has the days of the year 400, which is as long before as the calendar repeats itself.
            var shifted = year == 0 ? 400 : year;
            if (day > DateTime.DaysInMonth(shifted, month)) return null;
            var date = new DateTime(shifted, month, day, 0, 0, 0, DateTimeKind.Utc);
            var days = (date - Epoch.UtcDateTime).Days - (year == 0 ? 146097 : 0);
            return days * Day;
        }

        private static int Number(Match found, int group)
        {
            var text = found.Groups[group].Value;
            return text.Length == 0 ? 0 : int.Parse(text, CultureInfo.InvariantCulture);
        }
    }
}
