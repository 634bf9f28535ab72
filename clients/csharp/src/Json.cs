using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Latchkey
{
    /// <summary>
    /// A JSON object. Values are null, bool, double, string, <see cref="Fields"/> and lists of these.
    /// </summary>
    internal sealed class Fields : Dictionary<string, object>
    {
        internal Fields() : base(StringComparer.Ordinal)
        {
        }

        /// <summary>The value of a field; null if it is absent.</summary>
        internal object Get(string name)
        {
            return TryGetValue(name, out var value) ? value : null;
        }

        internal string Text(string name)
        {
            return Get(name) as string;
        }
    }

    /// <summary>Reads and writes JSON (RFC 8259) without reflection, which IL2CPP would strip.</summary>
    internal sealed class Json
    {
        /// <summary>The last whole number that every language which shares the stored state has.</summary>
        private const double LargestWhole = 9007199254740991;

        /// <summary>A text nested more deeply is none of the service, and could exhaust the stack.</summary>
        private const int MaxDepth = 200;

        private readonly string text;
        private int at;

        private Json(string text)
        {
            this.text = text;
        }

        /// <summary>The object of a JSON text; null for any other text.</summary>
        internal static Fields ParseObject(string text)
        {
            try
            {
                var reader = new Json(text);
                var value = reader.Value(0);
                reader.SkipSpace();
                return reader.at == text.Length ? value as Fields : null;
            }
            catch (FormatException)
            {
                return null;
            }
        }

        /// <summary>A whole number that every language has; null for any other value.</summary>
        internal static long? Whole(object value)
        {
            if (!(value is double)) return null;
            var number = (double)value;
            return Math.Abs(number) <= LargestWhole && Math.Floor(number) == number ? (long)number : (long?)null;
        }

        /// <summary>Writes a value; also of the types int, long, and null.</summary>
        internal static string Write(object value)
        {
            var written = new StringBuilder();
            Append(written, value);
            return written.ToString();
        }

        private static void Append(StringBuilder written, object value)
        {
            if (value == null) written.Append("null");
            else if (value is bool) written.Append((bool)value ? "true" : "false");
            else if (value is string) AppendText(written, (string)value);
            else if (value is double) written.Append(((double)value).ToString("R", CultureInfo.InvariantCulture));
            else if (value is Fields) AppendFields(written, (Fields)value);
            else if (value is IEnumerable<object>) AppendList(written, (IEnumerable<object>)value);
            else written.Append(((IFormattable)value).ToString(null, CultureInfo.InvariantCulture));
        }

        private static void AppendFields(StringBuilder written, Fields fields)
        {
            var separator = "{";
            foreach (var field in fields)
            {
                written.Append(separator);
                AppendText(written, field.Key);
                written.Append(':');
                Append(written, field.Value);
                separator = ",";
            }
            written.Append(fields.Count == 0 ? "{}" : "}");
        }

        private static void AppendList(StringBuilder written, IEnumerable<object> values)
        {
            written.Append('[');
            var separator = "";
            foreach (var value in values)
            {
                written.Append(separator);
                Append(written, value);
                separator = ",";
            }
            written.Append(']');
        }

        private static void AppendText(StringBuilder written, string text)
        {
            written.Append('"');
            for (var index = 0; index < text.Length; index++)
            {
                var letter = text[index];
                var isPair = char.IsHighSurrogate(letter) && index + 1 < text.Length && char.IsLowSurrogate(text[index + 1]);
                if (letter == '"' || letter == '\\') written.Append('\\').Append(letter);
                else if (isPair) written.Append(letter).Append(text[++index]);
                else if (letter < ' ' || char.IsSurrogate(letter)) written.Append("\\u" + ((int)letter).ToString("x4"));
                else written.Append(letter);
            }
            written.Append('"');
        }

        private object Value(int depth)
        {
            SkipSpace();
            if (depth > MaxDepth) throw new FormatException();
            switch (Peek())
            {
                case '{':
                    return Object(depth);
                case '[':
                    return List(depth);
                case '"':
                    return Text();
                case 't':
                    return Word("true", true);
                case 'f':
                    return Word("false", false);
                case 'n':
                    return Word("null", null);
                default:
                    return Number();
            }
        }

        private Fields Object(int depth)
        {
            var fields = new Fields();
            at++;
            SkipSpace();
            if (Takes('}')) return fields;
            do
            {
                SkipSpace();
                var name = Text();
                SkipSpace();
                Expect(':');
                fields[name] = Value(depth + 1);
                SkipSpace();
            }
            while (Takes(','));
            Expect('}');
            return fields;
        }

        private List<object> List(int depth)
        {
            var values = new List<object>();
            at++;
            SkipSpace();
            if (Takes(']')) return values;
            do
            {
                values.Add(Value(depth + 1));
                SkipSpace();
            }
            while (Takes(','));
            Expect(']');
            return values;
        }

        private string Text()
        {
            Expect('"');
            var read = new StringBuilder();
            for (;;)
            {
                var letter = Peek();
                at++;
                if (letter == '"') return read.ToString();
                if (letter < ' ') throw new FormatException();
                read.Append(letter == '\\' ? Escaped() : letter);
            }
        }

        private char Escaped()
        {
            var letter = Peek();
            at++;
            switch (letter)
            {
                case '"':
                case '\\':
                case '/':
                    return letter;
                case 'b':
                    return '\b';
                case 'f':
                    return '\f';
                case 'n':
                    return '\n';
                case 'r':
                    return '\r';
                case 't':
                    return '\t';
                case 'u':
                    return Code();
                default:
                    throw new FormatException();
            }
        }

        private char Code()
        {
            var digits = text.Substring(at, Math.Min(4, text.Length - at));
            var isCode = ushort.TryParse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var code);
            if (!isCode || digits.Length < 4) throw new FormatException();
            at += 4;
            return (char)code;
        }

        private object Word(string word, object value)
        {
            if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0) throw new FormatException();
            at += word.Length;
            return value;
        }

        private object Number()
        {
            var start = at;
            var isNegative = Takes('-');
            if (!Takes('0')) Digits();
            if (Takes('.')) Digits();
            if (Takes('e') || Takes('E'))
            {
                if (!Takes('+')) Takes('-');
                Digits();
            }
            var spelled = text.Substring(start, at - start);
            if (double.TryParse(spelled, NumberStyles.Float, CultureInfo.InvariantCulture, out var number)) return number;
            // A number that no double has must not make the rest of the text unreadable.
            return isNegative ? double.NegativeInfinity : double.PositiveInfinity;
        }

        private void Digits()
        {
            var start = at;
            while (at < text.Length && text[at] >= '0' && text[at] <= '9') at++;
            if (at == start) throw new FormatException();
        }

        private void SkipSpace()
        {
            while (at < text.Length && " \t\n\r".IndexOf(text[at]) >= 0) at++;
        }

        private char Peek()
        {
            if (at >= text.Length) throw new FormatException();
            return text[at];
        }

        private bool Takes(char expected)
        {
            if (at >= text.Length || text[at] != expected) return false;
            at++;
            return true;
        }

        private void Expect(char expected)
        {
            if (!Takes(expected)) throw new FormatException();
        }
    }
}
