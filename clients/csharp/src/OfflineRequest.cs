using System;
using System.Text;

namespace Latchkey
{
    /// <summary>The request of a machine without a network for a license file.</summary>
    internal static class OfflineRequest
    {
        private const int LineLength = 64;

        internal static string For(string licenseKey, string productId, string fingerprint, string hostname, long now)
        {
            var encoded = Base64Url.Encode(Encoding.UTF8.GetBytes(Json.Write(new Fields
            {
                { "v", 1 },
                { "productId", productId },
                { "licenseKey", licenseKey },
                { "fingerprint", fingerprint },
                { "hostname", hostname },
                { "client", "latchkey-csharp" },
                { "createdAt", Times.Iso(now) },
            })));
            var text = new StringBuilder("-----BEGIN LATCHKEY REQUEST-----\n");
            for (var at = 0; at < encoded.Length; at += LineLength)
                text.Append(encoded, at, Math.Min(LineLength, encoded.Length - at)).Append('\n');
            return text.Append("-----END LATCHKEY REQUEST-----\n").ToString();
        }
    }
}
