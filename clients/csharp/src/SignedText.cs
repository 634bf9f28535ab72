using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Latchkey
{
    /// <summary>Compact JWS, the form of license files and of lists of signing keys.</summary>
    internal static class SignedText
    {
        /// <summary>The number of lists of signing keys that are examined.</summary>
        private const int MaxKeyLists = 16;

        private static readonly UTF8Encoding StrictUtf8 = new UTF8Encoding(false, true);

        /// <summary>The payload of a JWS, after a check with the key that its header names.</summary>
        /// <exception cref="BadLicenseFileException">It is not genuine.</exception>
        internal static Fields Verify(string jws, string type, IReadOnlyList<PublicKey> publicKeys)
        {
            var parts = jws.Split('.');
            var header = parts.Length == 3 ? ObjectIn(parts[0]) : null;
            var payload = parts.Length == 3 ? ObjectIn(parts[1]) : null;
            var signature = parts.Length == 3 ? Base64Url.Decode(parts[2]) : null;
            if (header == null || payload == null || signature == null)
                throw new BadLicenseFileException("format", "this is not a license file");
            // RFC 9864 renames the algorithm. Both names mean the same here, because all keys are Ed25519.
            if (header.Text("alg") != "EdDSA" && header.Text("alg") != "Ed25519")
                throw new BadLicenseFileException("algorithm", "the file is signed in an unknown way");
            if (header.Text("typ") != type)
                throw new BadLicenseFileException("type", "this is a file of another kind");
            var key = publicKeys.FirstOrDefault(each => each.Kid == header.Text("kid"));
            if (key == null)
                throw new BadLicenseFileException("key", "the file is signed with a key that this app does not know");
            if (!Ed25519.Verify(Base64Url.Decode(key.X), Encoding.ASCII.GetBytes(parts[0] + "." + parts[1]), signature))
                throw new BadLicenseFileException("signature", "the file was changed, or is not genuine");
            return payload;
        }

        /// <summary>
        /// Every key that the signed lists lead to, the compiled-in ones first. Lists that are not genuine, and stolen
        /// keys, are ignored. The service publishes lists of its keys, each signed by an older key, so that a
        /// compiled-in key leads to all later ones. The client stores the signed lists, never bare keys, because a user
        /// could add keys by editing the state. <c>used</c> are the lists that led to the keys.
        /// </summary>
        internal static IReadOnlyList<PublicKey> FollowLists(
            LatchkeyOptions options, IEnumerable<string> lists, out IReadOnlyList<string> used)
        {
            var keys = options.PublicKeys.ToList();
            var known = new HashSet<string>(options.StolenKeys.Concat(keys.Select(key => key.Kid)));
            var useful = new List<string>();
            var left = lists.Take(MaxKeyLists).ToList();
            for (var hasMoved = true; hasMoved;)
            {
                hasMoved = false;
                var open = new List<string>();
                foreach (var list in left)
                {
                    var listed = KeysIn(list, keys, options.Issuer);
                    if (listed == null)
                    {
                        open.Add(list);
                        continue;
                    }
                    hasMoved = true;
                    var added = listed.Where(key => known.Add(key.Kid)).ToList();
                    keys.AddRange(added);
                    if (added.Count > 0) useful.Add(list);
                }
                left = open;
            }
            used = useful;
            return keys;
        }

        /// <summary>The keys of a list that a known key signed; null for another text.</summary>
        private static IEnumerable<PublicKey> KeysIn(string list, IReadOnlyList<PublicKey> known, string issuer)
        {
            Fields payload;
            try
            {
                payload = Verify(list, "latchkey-keys+jwt", known);
            }
            catch (BadLicenseFileException)
            {
                return null;
            }
            var listed = payload.Get("keys") as List<object>;
            if (listed == null || payload.Text("iss") != issuer) return null;
            return listed.OfType<Fields>()
                .Where(key => key.Text("kid") != null && key.Text("x") != null)
                .Select(key => new PublicKey(key.Text("kid"), key.Text("x")));
        }

        private static Fields ObjectIn(string part)
        {
            var bytes = Base64Url.Decode(part);
            try
            {
                return bytes == null ? null : Json.ParseObject(StrictUtf8.GetString(bytes));
            }
            catch (DecoderFallbackException)
            {
                return null;
            }
        }
    }
}
