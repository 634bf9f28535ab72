using System.Collections.Generic;
using System.Linq;

namespace Latchkey
{
    /// <summary>A refusal that stays in force without a connection.</summary>
    internal sealed class Tombstone
    {
        internal readonly string Code;
        internal readonly long At;

        internal Tombstone(string code, long at)
        {
            Code = code;
            At = at;
        }
    }

    /// <summary>The end of a floating seat without another heartbeat, and the time of the last one.</summary>
    internal sealed class Seat
    {
        internal readonly long Until;
        internal readonly long BeatAt;

        internal Seat(long until, long beatAt)
        {
            Until = until;
            BeatAt = beatAt;
        }
    }

    /// <summary>A use of a meter that waits for an answer. The service counts a <c>RequestId</c> once.</summary>
    internal sealed class StoredUse
    {
        internal readonly string Meter;
        internal readonly long Units;
        internal readonly string RequestId;
        internal readonly long At;

        internal StoredUse(string meter, long units, string requestId, long at)
        {
            Meter = meter;
            Units = units;
            RequestId = requestId;
            At = at;
        }
    }

    /// <summary>
    /// The state between starts: one JSON text, which the clients of all languages share, see section 2 of
    /// docs/apps/client-behaviour.md. Nothing in it is trusted without a check, because anything may have changed it.
    /// Who changes a state changes a copy.
    /// </summary>
    internal sealed class StoredState
    {
        /// <summary>The number of uses that a state can hold.</summary>
        internal const int MostUses = 500;

        private const int MaxText = 262144;

        /// <summary>So many bytes of a file make clear that it is no state.</summary>
        internal const int MaxBytes = 4 * MaxText + 1;

        internal string LicenseKey;
        internal string Token;
        internal StoredFacts Facts;
        internal string File;
        internal IReadOnlyList<string> KeyLists = new string[0];
        internal long? LastGoodAt;
        internal Tombstone Tombstone;
        internal Seat Seat;

        /// <summary>The time of the last automatic call of /activate, or of the last accepted one.</summary>
        internal long? ActivatedAt;
        internal KnownTimes Times = KnownTimes.None;
        internal IReadOnlyList<StoredUse> Uses = new StoredUse[0];

        internal bool IsFloating
        {
            get { return Facts != null && Facts.LicenseType == "floating"; }
        }

        /// <summary>Whether somebody removed the times, so that only the machine's clock would count.</summary>
        internal bool LacksTimes
        {
            get { return (LicenseKey != null || File != null) && Times.AreEmpty; }
        }

        /// <summary>Whether there is nothing to store.</summary>
        internal bool IsEmpty
        {
            get
            {
                return LicenseKey == null && Token == null && Facts == null && File == null && KeyLists.Count == 0
                    && Latest == null && Times.AreEmpty && Uses.Count == 0;
            }
        }

        /// <summary>The newest moment apart from the times; null without any.</summary>
        internal long? Latest
        {
            get { return new[] { LastGoodAt, ActivatedAt, Tombstone?.At, Seat?.BeatAt }.Max(); }
        }

        internal StoredState Copy()
        {
            return (StoredState)MemberwiseClone();
        }

        /// <summary>The state of a text; null if it is none, as after a failure of the disk.</summary>
        internal static StoredState Read(string text)
        {
            var fields = text.Length > MaxText ? null : Json.ParseObject(text);
            if (fields == null || Json.Whole(fields.Get("v")) != 1) return null;
            var reader = new FieldReader(fields);
            var times = reader.Group("times");
            var lists = reader.Raw("keyLists") as List<object>;
            if (times == null || lists == null) return null;
            var state = new StoredState
            {
                LicenseKey = reader.Text("licenseKey"),
                Token = reader.Text("token"),
                Facts = StoredFacts.Read(reader.Group("facts")),
                File = reader.Text("file"),
                KeyLists = lists.Select(list => reader.Must(list as string)).ToArray(),
                LastGoodAt = reader.Time("lastGoodAt"),
                ActivatedAt = reader.Time("activatedAt"),
                Times = new KnownTimes(times.Moment("trusted"), times.Moment("confirmed"), times.Moment("seen")),
                Uses = ReadUses(reader),
            };
            var tombstone = reader.Group("tombstone");
            if (tombstone != null)
                state.Tombstone = new Tombstone(tombstone.Must(tombstone.Text("code")), tombstone.Must(tombstone.Time("at")));
            var seat = reader.Group("seat");
            if (seat != null) state.Seat = new Seat(seat.Must(seat.Time("until")), seat.Must(seat.Time("beatAt")));
            return reader.HasFailed ? null : state;
        }

        /// <summary>The JSON text.</summary>
        internal string Write()
        {
            var fields = new Fields
            {
                { "v", 1 },
                { "licenseKey", LicenseKey },
                { "token", Token },
                { "facts", Facts?.Write() },
                { "file", File },
                { "keyLists", KeyLists },
                { "lastGoodAt", LastGoodAt },
                { "tombstone", Tombstone == null ? null : new Fields { { "code", Tombstone.Code }, { "at", Tombstone.At } } },
                { "seat", Seat == null ? null : new Fields { { "until", Seat.Until }, { "beatAt", Seat.BeatAt } } },
                { "activatedAt", ActivatedAt },
                {
                    "times",
                    new Fields
                    {
                        { "trusted", Written(Times.Trusted) },
                        { "confirmed", Written(Times.Confirmed) },
                        { "seen", Written(Times.Seen) },
                    }
                },
            };
            if (Uses.Count > 0) fields["uses"] = Uses.Select(Written).ToArray();
            return Json.Write(fields);
        }

        private static IReadOnlyList<StoredUse> ReadUses(FieldReader reader)
        {
            if (!reader.Has("uses")) return new StoredUse[0];
            var uses = reader.Raw("uses") as List<object>;
            if (uses == null || uses.Count > MostUses) reader.Fail();
            else return uses.Select(use => ReadUse(use as Fields, reader)).ToArray();
            return new StoredUse[0];
        }

        private static StoredUse ReadUse(Fields fields, FieldReader outer)
        {
            var reader = new FieldReader(fields ?? new Fields(), outer);
            var units = reader.Must(Json.Whole(reader.Raw("units")));
            if (units < 0) reader.Fail();
            return new StoredUse(
                reader.Must(reader.Text("meter")), units, reader.Must(reader.Text("requestId")), reader.Must(reader.Time("at")));
        }

        private static Fields Written(Moment moment)
        {
            return moment == null ? null : new Fields { { "time", moment.Time }, { "local", moment.Local } };
        }

        private static Fields Written(StoredUse use)
        {
            return new Fields
            {
                { "meter", use.Meter }, { "units", use.Units }, { "requestId", use.RequestId }, { "at", use.At },
            };
        }
    }
}
