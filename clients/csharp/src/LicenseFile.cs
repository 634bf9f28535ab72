using System;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

namespace Latchkey
{
    /// <summary>The content of a genuine license file.</summary>
    public sealed class LicenseFile
    {
        /// <summary>It has room for 50 features with texts of 200 characters.</summary>
        private const int MaxText = 65536;

        private const string Begin = "-----BEGIN LATCHKEY LICENSE-----";
        private const string End = "-----END LATCHKEY LICENSE-----";

        /// <summary>Every claim, those of which another type is expected included.</summary>
        internal readonly Fields Fields;

        // In seconds since 1970.
        internal readonly long IssuedSeconds;
        internal readonly long RenewAfterSeconds;
        internal readonly long? ExpiresSeconds;
        internal readonly long? LicenseExpiresSeconds;

        private LicenseFile(Fields claims)
        {
            Fields = claims;
            IssuedSeconds = Json.Whole(claims.Get("iat")).Value;
            RenewAfterSeconds = Json.Whole(claims.Get("renewAfter")).Value;
            ExpiresSeconds = Json.Whole(claims.Get("exp"));
            LicenseExpiresSeconds = Json.Whole(claims.Get("licenseExpiresAt"));
        }

        /// <summary>The time at which the file was made.</summary>
        public DateTimeOffset Issued
        {
            get { return Times.DateOf(IssuedSeconds * Times.Second); }
        }

        /// <summary>The time from which the app asks for a newer file.</summary>
        public DateTimeOffset RenewAfter
        {
            get { return Times.DateOf(RenewAfterSeconds * Times.Second); }
        }

        /// <summary>The end of the file; null for no end.</summary>
        public DateTimeOffset? Expires
        {
            get { return DateOf(ExpiresSeconds); }
        }

        /// <summary>
        /// <c>grace</c> for a file that the app fetched, <c>offline</c> or <c>borrow</c> for one that an operator made.
        /// </summary>
        public string Purpose
        {
            get { return Fields.Text("purpose"); }
        }

        /// <summary>The last group of the license key.</summary>
        public string KeyHint
        {
            get { return Fields.Text("keyHint"); }
        }

        /// <summary>The product of the license.</summary>
        public string ProductId
        {
            get { return Fields.Text("productId"); }
        }

        /// <summary>The edition.</summary>
        public string Variant
        {
            get { return Fields.Text("variant"); }
        }

        /// <summary>The type of the license.</summary>
        public string LicenseType
        {
            get { return Fields.Text("licenseType"); }
        }

        /// <summary>The end of the license; null for a perpetual one.</summary>
        public DateTimeOffset? LicenseExpires
        {
            get { return DateOf(LicenseExpiresSeconds); }
        }

        /// <summary>
        /// Every field by its name in docs/apps/license-files.md, with values of the types bool, double, string,
        /// dictionaries of texts to values, and lists of values.
        /// </summary>
        public IReadOnlyDictionary<string, object> Claims
        {
            get { return Fields; }
        }

        /// <summary>Verifies a license file without a client, for tools and servers.</summary>
        /// <param name="text">The file.</param>
        /// <param name="publicKeys">The keys that are trusted.</param>
        /// <param name="issuer"><c>urn:latchkey:...</c> of your service.</param>
        /// <param name="productId">The product that the file must license.</param>
        /// <param name="fingerprint">The fingerprint of this machine; null accepts files for any machine.</param>
        /// <param name="now">The time at which the file must be valid, by default the present.</param>
        /// <exception cref="BadLicenseFileException">The file is not valid here.</exception>
        public static LicenseFile Read(
            string text,
            IReadOnlyList<PublicKey> publicKeys,
            string issuer,
            string productId,
            string fingerprint = null,
            DateTimeOffset? now = null)
        {
            return Verify(text, publicKeys, issuer, productId, fingerprint, Times.Of(now ?? DateTimeOffset.UtcNow));
        }

        /// <summary>The content of a file. <c>now</c> is in milliseconds; null accepts expired files, too.</summary>
        internal static LicenseFile Verify(
            string text, IReadOnlyList<PublicKey> publicKeys, string issuer, string productId, string fingerprint, long? now)
        {
            if (text == null || text.Length > MaxText) throw new BadLicenseFileException("format", "the file is too large");
            var claims = SignedText.Verify(WithoutArmour(text), "latchkey-license+jwt", publicKeys);
            if (!HaveForm(claims))
                throw new BadLicenseFileException("claims", "the file is of a later version than this app understands");
            if (claims.Text("iss") != issuer)
                throw new BadLicenseFileException("issuer", "the file comes from another service");
            if (!((List<object>)claims.Get("products")).Contains(productId))
                throw new BadLicenseFileException("product", "the file is for another product");
            var machine = claims.Text("fp");
            if (machine != null && fingerprint != null && machine != HashOf(fingerprint))
                throw new BadLicenseFileException("machine", "the file is for another machine");
            var file = new LicenseFile(claims);
            if (now != null && file.ExpiresSeconds * Times.Second <= now)
                throw new BadLicenseFileException("expired", "the file has expired");
            return file;
        }

        private static bool HaveForm(Fields claims)
        {
            var texts = new[] { "iss", "jti", "lic", "keyHint", "productId", "variant", "licenseType", "purpose" };
            if (texts.Any(name => claims.Text(name) == null)) return false;
            if (!claims.ContainsKey("fp") || !(claims.Get("fp") == null || claims.Text("fp") != null)) return false;
            foreach (var name in new[] { "exp", "licenseExpiresAt" })
            {
                if (!claims.ContainsKey(name)) return false;
                if (claims.Get(name) != null && Json.Whole(claims.Get(name)) == null) return false;
            }
            var products = claims.Get("products") as List<object>;
            return Json.Whole(claims.Get("v")) == 1 && Json.Whole(claims.Get("iat")) != null
                && Json.Whole(claims.Get("renewAfter")) != null
                && products != null && products.All(product => product is string)
                && new[] { "grace", "offline", "borrow" }.Contains(claims.Text("purpose"));
        }

        /// <summary>The compact JWS inside the armour; a JWS without armour is accepted, too.</summary>
        private static string WithoutArmour(string text)
        {
            text = (text.StartsWith("\ufeff", StringComparison.Ordinal) ? text.Substring(1) : text).Trim();
            var isArmoured = text.Length >= Begin.Length + End.Length
                && text.StartsWith(Begin, StringComparison.Ordinal) && text.EndsWith(End, StringComparison.Ordinal);
            if (isArmoured) text = text.Substring(Begin.Length, text.Length - Begin.Length - End.Length);
            return new string(text.Where(letter => !char.IsWhiteSpace(letter)).ToArray());
        }

        /// <summary>The hash by which a license file names a machine.</summary>
        private static string HashOf(string fingerprint)
        {
            using (var sha = SHA256.Create())
                return Base64Url.Encode(sha.ComputeHash(Encoding.UTF8.GetBytes("latchkey-fp:" + fingerprint)));
        }

        private static DateTimeOffset? DateOf(long? seconds)
        {
            return seconds == null ? (DateTimeOffset?)null : Times.DateOf(seconds.Value * Times.Second);
        }
    }
}
