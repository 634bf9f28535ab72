using System;

namespace Latchkey
{
    /// <summary>Reads fields of an object, and remembers whether one has another type than it must have.</summary>
    internal sealed class FieldReader
    {
        /// <summary>The last moment of a date in the languages that share the state.</summary>
        private const double LastDate = 8.64e15;

        private readonly Fields fields;
        private readonly FieldReader outer;

        internal FieldReader(Fields fields, FieldReader outer = null)
        {
            this.fields = fields;
            this.outer = outer;
        }

        internal bool HasFailed { get; private set; }

        internal static bool IsNumber(object value)
        {
            return value is double && !double.IsInfinity((double)value) && !double.IsNaN((double)value);
        }

        internal static bool IsIso(object value)
        {
            return Times.ReadIso(value as string) != null;
        }

        internal void Fail()
        {
            HasFailed = true;
            outer?.Fail();
        }

        internal object Raw(string name)
        {
            return fields.Get(name);
        }

        internal bool Has(string name)
        {
            return fields.ContainsKey(name);
        }

        internal string Text(string name)
        {
            return Take(name, value => value is string) as string;
        }

        internal string Iso(string name)
        {
            return Take(name, IsIso) as string;
        }

        internal double? Number(string name)
        {
            return Take(name, IsNumber) as double?;
        }

        internal long? Time(string name)
        {
            var found = Take(name, value => IsNumber(value) && Math.Abs((double)value) <= LastDate) as double?;
            return found == null ? (long?)null : (long)found.Value;
        }

        /// <summary>A reader of the fields of an object; null for null.</summary>
        internal FieldReader Group(string name)
        {
            var group = Take(name, value => value is Fields) as Fields;
            return group == null ? null : new FieldReader(group, this);
        }

        internal Moment Moment(string name)
        {
            var group = Group(name);
            return group == null ? null : new Moment(group.Must(group.Time("time")), group.Must(group.Time("local")));
        }

        /// <summary>Reads an absent field as null, because earlier clients do not store it.</summary>
        internal void MayLack(string name)
        {
            if (!fields.ContainsKey(name)) fields[name] = null;
        }

        internal long Must(long? value)
        {
            if (value == null) Fail();
            return value ?? 0;
        }

        internal string Must(string value)
        {
            if (value == null) Fail();
            return value ?? "";
        }

        /// <summary>A field; null for null or another type.</summary>
        private object Take(string name, Func<object, bool> hasType)
        {
            if (fields.TryGetValue(name, out var value) && (value == null || hasType(value))) return value;
            Fail();
            return null;
        }
    }
}
