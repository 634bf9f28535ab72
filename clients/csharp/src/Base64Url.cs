using System;

namespace Latchkey
{
    internal static class Base64Url
    {
        private const string Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

        internal static string Encode(byte[] bytes)
        {
            return Convert.ToBase64String(bytes).TrimEnd('=').Replace('+', '-').Replace('/', '_');
        }

        /// <summary>The bytes of a text that is their only spelling; null for any other text.</summary>
        internal static byte[] Decode(string text)
        {
            if (text.Length == 0 || text.Length % 4 == 1) return null;
            var bytes = new byte[text.Length * 3 / 4];
            int bits = 0, count = 0, index = 0;
            foreach (var letter in text)
            {
                var digit = Alphabet.IndexOf(letter);
                if (digit < 0) return null;
                bits = (bits << 6 | digit) & 0xffff;
                count += 6;
                if (count < 8) continue;
                count -= 8;
                bytes[index++] = (byte)(bits >> count);
            }
            return (bits & (1 << count) - 1) == 0 ? bytes : null;
        }
    }
}
