using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using NSec.Cryptography;

public sealed record Expected(
    string Issuer, IReadOnlyDictionary<string, string> PublicKeys, string ProductId, string Fingerprint, long Now);

public static class LicenseFile
{
    /// <summary>The claims of a file that is good here and now; null for any other.</summary>
    public static JsonElement? Read(string text, Expected expected)
    {
        try
        {
            var parts = Regex.Replace(text, @"-----(BEGIN|END) LATCHKEY LICENSE-----|\s", "").Split('.');
            if (parts.Length != 3) return null;
            var header = JsonDocument.Parse(BytesIn(parts[0])).RootElement;
            if (header.GetProperty("typ").GetString() != "latchkey-license+jwt") return null;
            if (header.GetProperty("alg").GetString() is not ("EdDSA" or "Ed25519")) return null;
            if (!expected.PublicKeys.TryGetValue(header.GetProperty("kid").GetString() ?? "", out var x)) return null;
            var ed25519 = SignatureAlgorithm.Ed25519;
            var key = PublicKey.Import(ed25519, BytesIn(x), KeyBlobFormat.RawPublicKey);
            var signed = Encoding.ASCII.GetBytes($"{parts[0]}.{parts[1]}");
            if (!ed25519.Verify(key, signed, BytesIn(parts[2]))) return null;
            var claims = JsonDocument.Parse(BytesIn(parts[1])).RootElement;
            if (claims.GetProperty("v").GetInt32() != 1) return null;
            if (claims.GetProperty("iss").GetString() != expected.Issuer) return null;
            if (!claims.GetProperty("products").EnumerateArray().Any(each => each.GetString() == expected.ProductId))
                return null;
            var fp = claims.GetProperty("fp");
            var hash = SHA256.HashData(Encoding.UTF8.GetBytes($"latchkey-fp:{expected.Fingerprint}"));
            var machine = Convert.ToBase64String(hash).TrimEnd('=').Replace('+', '-').Replace('/', '_');
            if (fp.ValueKind != JsonValueKind.Null && fp.GetString() != machine) return null;
            var exp = claims.GetProperty("exp");
            if (exp.ValueKind != JsonValueKind.Null && exp.GetInt64() <= expected.Now) return null;
            return claims;
        }
        catch (Exception error) when (error is FormatException or JsonException or KeyNotFoundException or InvalidOperationException)
        {
            return null;
        }
    }

    private static byte[] BytesIn(string part)
    {
        var text = part.Replace('-', '+').Replace('_', '/');
        return Convert.FromBase64String(text.PadRight((text.Length + 3) / 4 * 4, '='));
    }
}
