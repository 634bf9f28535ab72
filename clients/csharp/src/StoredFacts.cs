using System;
using System.Text.RegularExpressions;

namespace Latchkey
{
    /// <summary>The facts about the license as they are stored. Who changes facts changes a copy.</summary>
    internal sealed class StoredFacts
    {
        internal string LicenseKeyHint;
        internal string ProductId;
        internal string Variant;
        internal string LicenseType;
        internal string LicenseExpiresAt;
        internal double? DaysRemaining;
        internal double? MachinesUsed;
        internal double? MaxMachines;
        internal string GraceUntil;
        internal string UpdatesUntil;
        internal string MaxVersion;
        internal Fields Features;

        internal StoredFacts Copy()
        {
            return (StoredFacts)MemberwiseClone();
        }

        /// <summary>The last group of a license key, or the last four characters of a key without groups.</summary>
        internal static string HintOf(string licenseKey)
        {
            var key = licenseKey.Trim().ToUpperInvariant();
            var end = key.LastIndexOf('-');
            return end >= 0 ? key.Substring(end + 1) : key.Substring(Math.Max(0, key.Length - 4));
        }

        /// <summary>Whether a key, in any spelling, can be the one that a file names.</summary>
        internal static bool IsKeyOfFile(string licenseKey, LicenseFile file)
        {
            return licenseKey != null && file != null
                && Bare(licenseKey).EndsWith(Bare(file.KeyHint), StringComparison.Ordinal);
        }

        /// <summary>
        /// Rounds up to whole days, like the service. It subtracts a second, because the Date header omits fractions.
        /// </summary>
        internal static double? DaysUntil(long? expires, long now)
        {
            if (expires == null) return null;
            return Math.Max(0, (expires.Value - now - Times.Second + Times.Day - 1) / Times.Day);
        }

        /// <summary>The facts in a license file.</summary>
        internal static StoredFacts OfFile(LicenseFile file, long now)
        {
            var terms = Terms.OfFile(file);
            var expires = file.LicenseExpiresSeconds * Times.Second;
            return new StoredFacts
            {
                LicenseKeyHint = file.KeyHint,
                ProductId = file.ProductId,
                Variant = file.Variant,
                LicenseType = file.LicenseType,
                LicenseExpiresAt = expires == null ? null : Times.Iso(expires.Value),
                DaysRemaining = DaysUntil(expires, now),
                MaxMachines = file.Fields.Get("maxMachines") as double?,
                UpdatesUntil = terms.UpdatesUntil == null ? null : Times.Iso(terms.UpdatesUntil.Value),
                MaxVersion = terms.MaxVersion,
                Features = Terms.FeaturesIn(file.Fields.Get("features")),
            };
        }

        internal static StoredFacts Read(FieldReader reader)
        {
            if (reader == null) return null;
            foreach (var later in new[] { "graceUntil", "updatesUntil", "maxVersion", "features" }) reader.MayLack(later);
            var features = reader.Raw("features") as Fields;
            if (features == null && reader.Raw("features") != null) reader.Fail();
            foreach (var value in (features ?? new Fields()).Values)
            {
                if (!Terms.IsFeature(value)) reader.Fail();
            }
            return new StoredFacts
            {
                LicenseKeyHint = reader.Must(reader.Text("licenseKeyHint")),
                ProductId = reader.Must(reader.Text("productId")),
                Variant = reader.Text("variant"),
                LicenseType = reader.Text("licenseType"),
                LicenseExpiresAt = reader.Iso("licenseExpiresAt"),
                DaysRemaining = reader.Number("daysRemaining"),
                MachinesUsed = reader.Number("machinesUsed"),
                MaxMachines = reader.Number("maxMachines"),
                GraceUntil = reader.Iso("graceUntil"),
                UpdatesUntil = reader.Iso("updatesUntil"),
                MaxVersion = reader.Text("maxVersion"),
                Features = features,
            };
        }

        internal Fields Write()
        {
            return new Fields
            {
                { "licenseKeyHint", LicenseKeyHint },
                { "productId", ProductId },
                { "variant", Variant },
                { "licenseType", LicenseType },
                { "licenseExpiresAt", LicenseExpiresAt },
                { "daysRemaining", DaysRemaining },
                { "machinesUsed", MachinesUsed },
                { "maxMachines", MaxMachines },
                { "graceUntil", GraceUntil },
                { "updatesUntil", UpdatesUntil },
                { "maxVersion", MaxVersion },
                { "features", Features },
            };
        }

        /// <summary>The facts as apps read them.</summary>
        internal LicenseFacts Shown()
        {
            return new LicenseFacts
            {
                LicenseKeyHint = LicenseKeyHint,
                ProductId = ProductId,
                Variant = Variant,
                LicenseType = LicenseType,
                LicenseExpiresAt = Times.DateIn(LicenseExpiresAt),
                DaysRemaining = (long?)DaysRemaining,
                MachinesUsed = (long?)MachinesUsed,
                MaxMachines = (long?)MaxMachines,
                GraceUntil = Times.DateIn(GraceUntil),
                UpdatesUntil = Times.DateIn(UpdatesUntil),
                MaxVersion = MaxVersion,
                Features = Features,
            };
        }

        /// <summary>
        /// Takes over the covered builds, as an answer or a refusal states them. One of another type counts as absent.
        /// </summary>
        internal void Cover(Fields reply)
        {
            UpdatesUntil = IsoIn(reply, "updatesUntil");
            MaxVersion = reply.Text("maxVersion");
        }

        /// <summary>
        /// Takes over what an answer of /heartbeat says, which every good answer of the other endpoints does, too.
        /// </summary>
        internal void TakeHeartbeat(Fields reply)
        {
            GraceUntil = IsoIn(reply, "graceUntil");
            Features = Terms.FeaturesIn(reply.Get("features"));
        }

        /// <summary>Takes over an answer of /activate.</summary>
        internal void TakeActivation(Fields reply, long now)
        {
            TakeCommon(reply);
            DaysRemaining = DaysUntil(Times.ReadIso(LicenseExpiresAt), now);
            MachinesUsed = reply.Get("machinesUsed") as double?;
            MaxMachines = reply.Get("maxMachines") as double?;
        }

        /// <summary>Takes over an answer of /validate.</summary>
        internal void TakeCheck(Fields reply)
        {
            TakeCommon(reply);
            ProductId = reply.Text("productId");
            DaysRemaining = reply.Get("daysRemaining") as double?;
        }

        private void TakeCommon(Fields reply)
        {
            TakeHeartbeat(reply);
            Cover(reply);
            Variant = reply.Text("variant");
            LicenseExpiresAt = IsoIn(reply, "licenseExpiresAt");
            LicenseType = reply.Text("licenseType") ?? LicenseType;
        }

        private static string IsoIn(Fields reply, string name)
        {
            return FieldReader.IsIso(reply.Get(name)) ? reply.Text(name) : null;
        }

        private static string Bare(string text)
        {
            return Regex.Replace(text.ToUpperInvariant(), "[^A-Z0-9]", "");
        }
    }
}
