using System;
using System.Numerics;
using System.Security.Cryptography;

namespace Latchkey
{
    /// <summary>
    /// Verifies Ed25519 signatures (RFC 8032), which .NET does not. There are no secrets here, so the time need not be
    /// constant. Keys and points of small order, and points in a second spelling, are refused.
    /// </summary>
    internal static class Ed25519
    {
        private static readonly BigInteger P = BigInteger.Pow(2, 255) - 19;

        private static readonly BigInteger Order =
            BigInteger.Pow(2, 252) + BigInteger.Parse("27742317777372353535851937790883648493");

        private static readonly BigInteger D = Mod(-121665 * Inverse(121666));
        private static readonly BigInteger TwiceD = Mod(2 * D);
        private static readonly BigInteger RootOfMinusOne = BigInteger.ModPow(2, (P - 1) / 4, P);
        private static readonly Point Neutral = new Point(0, 1, 1, 0);
        private static readonly Point Base = BasePoint();

        /// <summary>A point in extended coordinates: x = X / Z, y = Y / Z and x * y = T / Z.</summary>
        private sealed class Point
        {
            internal readonly BigInteger X, Y, Z, T;

            internal Point(BigInteger x, BigInteger y, BigInteger z, BigInteger t)
            {
                X = x;
                Y = y;
                Z = z;
                T = t;
            }
        }

        /// <summary>Whether the key of 32 bytes made the signature of 64 bytes of a message.</summary>
        internal static bool Verify(byte[] publicKey, byte[] message, byte[] signature)
        {
            if (publicKey == null || signature == null || publicKey.Length != 32 || signature.Length != 64) return false;
            var spelled = new byte[32];
            Array.Copy(signature, spelled, 32);
            var scalar = Number(signature, 32, 32);
            Point key = Decode(publicKey), point = Decode(spelled);
            if (key == null || point == null || scalar >= Order) return false;
            var hashed = new byte[64 + message.Length];
            spelled.CopyTo(hashed, 0);
            publicKey.CopyTo(hashed, 32);
            message.CopyTo(hashed, 64);
            BigInteger factor;
            using (var sha = SHA512.Create()) factor = Number(sha.ComputeHash(hashed), 0, 64) % Order;
            // scalar * Base = point + factor * key
            return AreSame(SumOfProducts(scalar, Base, factor, Negative(key)), point);
        }

        private static BigInteger Mod(BigInteger value)
        {
            var rest = value % P;
            return rest.Sign < 0 ? rest + P : rest;
        }

        private static BigInteger Inverse(BigInteger value)
        {
            return BigInteger.ModPow(Mod(value), P - 2, P);
        }

        /// <summary>A number of bytes, the least first.</summary>
        private static BigInteger Number(byte[] bytes, int start, int length)
        {
            // The further byte keeps the number positive.
            var digits = new byte[length + 1];
            Array.Copy(bytes, start, digits, 0, length);
            return new BigInteger(digits);
        }

        private static Point Add(Point one, Point other)
        {
            var a = (one.Y - one.X) * (other.Y - other.X) % P;
            var b = (one.Y + one.X) * (other.Y + other.X) % P;
            var c = one.T * TwiceD % P * other.T % P;
            var d = 2 * one.Z * other.Z % P;
            return Joined(b - a, d - c, d + c, b + a);
        }

        private static Point Double(Point point)
        {
            var a = point.X * point.X % P;
            var b = point.Y * point.Y % P;
            var c = 2 * point.Z * point.Z % P;
            var sum = point.X + point.Y;
            var h = a + b;
            var g = a - b;
            return Joined(h - sum * sum % P, c + g, g, h);
        }

        private static Point Joined(BigInteger e, BigInteger f, BigInteger g, BigInteger h)
        {
            return new Point(e * f % P, g * h % P, f * g % P, e * h % P);
        }

        private static Point Negative(Point point)
        {
            return new Point(-point.X, point.Y, point.Z, -point.T);
        }

        /// <summary>Doubles once for both products, which takes half of the time.</summary>
        private static Point SumOfProducts(BigInteger factor, Point point, BigInteger otherFactor, Point otherPoint)
        {
            var both = Add(point, otherPoint);
            byte[] bits = Bits(factor), otherBits = Bits(otherFactor);
            var sum = Neutral;
            for (var bit = 255; bit >= 0; bit--)
            {
                sum = Double(sum);
                bool isSet = HasBit(bits, bit), isOtherSet = HasBit(otherBits, bit);
                if (isSet || isOtherSet) sum = Add(sum, isSet && isOtherSet ? both : isSet ? point : otherPoint);
            }
            return sum;
        }

        private static byte[] Bits(BigInteger number)
        {
            var bits = number.ToByteArray();
            Array.Resize(ref bits, 33);
            return bits;
        }

        private static bool HasBit(byte[] bits, int bit)
        {
            return (bits[bit / 8] >> (bit % 8) & 1) == 1;
        }

        private static bool AreSame(Point one, Point other)
        {
            return ((one.X * other.Z - other.X * one.Z) % P).IsZero && ((one.Y * other.Z - other.Y * one.Z) % P).IsZero;
        }

        /// <summary>The x of a point on the curve; null without one.</summary>
        private static BigInteger? XOf(BigInteger y, bool isOdd)
        {
            var square = Mod((y * y - 1) * Inverse(D * y * y + 1));
            var x = BigInteger.ModPow(square, (P + 3) / 8, P);
            if (!((x * x - square) % P).IsZero) x = x * RootOfMinusOne % P;
            if (!((x * x - square) % P).IsZero || (x.IsZero && isOdd)) return null;
            return x.IsEven == isOdd ? P - x : x;
        }

        /// <summary>The point of 32 bytes; null for none, for a second spelling, and for small order.</summary>
        private static Point Decode(byte[] bytes)
        {
            var isOdd = bytes[31] >= 128;
            var y = Number(bytes, 0, 32) - (isOdd ? BigInteger.Pow(2, 255) : 0);
            var x = y < P ? XOf(y, isOdd) : null;
            if (x == null) return null;
            var point = new Point(x.Value, y, 1, x.Value * y % P);
            return AreSame(Double(Double(Double(point))), Neutral) ? null : point;
        }

        private static Point BasePoint()
        {
            var y = Mod(4 * Inverse(5));
            var x = XOf(y, false).Value;
            return new Point(x, y, 1, x * y % P);
        }
    }
}
