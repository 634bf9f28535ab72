using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;

namespace Latchkey
{
    /// <summary>The build of the app. Its date and its version are null if the app does not say.</summary>
    internal sealed class Build
    {
        private static readonly Regex VersionText =
            new Regex("^[0-9]{1,15}(\\.[0-9]{1,15})*([-+].*)?\\z", RegexOptions.Singleline);

        internal readonly long? Date;
        internal readonly string Version;

        internal Build(string date, string version)
        {
            Date = Times.ReadIso(date);
            Version = version;
        }

        internal static bool IsVersion(string text)
        {
            return VersionText.IsMatch(text);
        }

        /// <summary>
        /// Whether a version is above a bound, of which only the given numbers count: 2.3.7 is not above 2.3.
        /// </summary>
        internal static bool IsAbove(string version, string bound)
        {
            var numbers = NumbersOf(version);
            var most = NumbersOf(bound);
            for (var index = 0; index < most.Count; index++)
            {
                var given = index < numbers.Count ? numbers[index] : 0;
                if (given != most[index]) return given > most[index];
            }
            return false;
        }

        private static IReadOnlyList<double> NumbersOf(string version)
        {
            return version.Split('-', '+')[0].Split('.').Select(NumberOf).ToArray();
        }

        /// <summary>A bound that is no number covers everything.</summary>
        private static double NumberOf(string part)
        {
            var isNumber = long.TryParse(part, NumberStyles.None, CultureInfo.InvariantCulture, out var number);
            return isNumber && number < 1L << 50 ? number : double.NaN;
        }
    }

    /// <summary>The terms of a license as an answer, a license file or the stored facts state them.</summary>
    internal sealed class Terms
    {
        private readonly Fields features;

        /// <summary>In seconds since 1970.</summary>
        private readonly Dictionary<string, long> featureEnds = new Dictionary<string, long>();

        /// <summary>In milliseconds since 1970.</summary>
        internal readonly long? UpdatesUntil;
        internal readonly string MaxVersion;

        private Terms(Fields features, long? updatesUntil, string maxVersion)
        {
            this.features = features;
            UpdatesUntil = updatesUntil;
            MaxVersion = maxVersion;
        }

        internal static Terms OfFacts(StoredFacts facts)
        {
            return new Terms(facts.Features, Times.ReadIso(facts.UpdatesUntil), facts.MaxVersion);
        }

        /// <summary>
        /// The terms in a genuine file. Those of another type count as absent, because a later service may have made
        /// the file.
        /// </summary>
        internal static Terms OfFile(LicenseFile file)
        {
            var claims = file.Fields;
            var until = Json.Whole(claims.Get("updatesUntil")) * Times.Second;
            var terms = new Terms(FeaturesIn(claims.Get("features")), until, claims.Text("maxVersion"));
            var ends = claims.Get("featureEnds") as Fields ?? new Fields();
            foreach (var end in ends)
            {
                var seconds = Json.Whole(end.Value);
                if (seconds != null) terms.featureEnds[end.Key] = seconds.Value;
            }
            return terms;
        }

        /// <summary>
        /// The features in an answer or a file, without those of another type; null without any object.
        /// </summary>
        internal static Fields FeaturesIn(object value)
        {
            var given = value as Fields;
            if (given == null) return null;
            var features = new Fields();
            foreach (var each in given)
            {
                if (IsFeature(each.Value)) features[each.Key] = each.Value;
            }
            return features;
        }

        internal static bool IsFeature(object value)
        {
            return value is bool || value is string || FieldReader.IsNumber(value);
        }

        /// <summary>The same terms without features.</summary>
        internal Terms WithoutFeatures()
        {
            return new Terms(null, UpdatesUntil, MaxVersion);
        }

        /// <summary>The value of a feature at a time; null if the license does not have it.</summary>
        internal object Feature(string name, long now)
        {
            if (featureEnds.TryGetValue(name, out var end) && end * Times.Second <= now) return null;
            return features?.Get(name);
        }

        /// <summary>Whether the terms cover a build. A build of the very moment is covered.</summary>
        internal bool Cover(Build build)
        {
            if (UpdatesUntil != null && build.Date != null && build.Date > UpdatesUntil) return false;
            return MaxVersion == null || build.Version == null || !Build.IsAbove(build.Version, MaxVersion);
        }
    }
}
