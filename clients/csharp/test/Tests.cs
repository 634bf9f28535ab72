using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;

namespace Latchkey.Tests
{
    /// <summary>
    /// Tests of the parts, and with the addresses of page.ts those with the real service. It needs no library.
    /// </summary>
    internal static class Tests
    {
        private static readonly List<string> Failures = new List<string>();

        private static int Main()
        {
            var all = new List<Action>
            {
                SignaturesAreJudged, LicenseFilesAreJudged, NoChangeOfAFilePasses, AWrittenStateIsRead,
                OtherTypesAreUnreadable, NoChangeOfAStateCrashes, JsonIsStrict, TimesAreRead,
                AFieldOfAnotherTypeIsNoAnswer, TransportTests.AnswersAreJudged, TransportTests.AnAnswerByteByByteEndsInTime,
            };
            if (Environment.GetEnvironmentVariable("LATCHKEY_SERVER") != null) all.AddRange(LiveTests.All);
            foreach (var test in all)
            {
                try
                {
                    test();
                }
                catch (Exception error)
                {
                    Failures.Add(test.Method.Name + ": " + error);
                }
            }
            foreach (var failure in Failures) Console.WriteLine("failed: " + failure);
            if (Failures.Count == 0) Console.WriteLine(all.Count + " tests passed");
            return Failures.Count == 0 ? 0 : 1;
        }

        internal static void Check(bool isRight, string text)
        {
            if (!isRight) Failures.Add(text);
        }

        private static Fields Vectors(string path)
        {
            return Json.ParseObject(File.ReadAllText("../../" + path));
        }

        private static byte[] Bytes(Fields from, string name)
        {
            var text = from.Text(name);
            return Enumerable.Range(0, text.Length / 2).Select(at => Convert.ToByte(text.Substring(2 * at, 2), 16)).ToArray();
        }

        private static void SignaturesAreJudged()
        {
            var cases = ((List<object>)Vectors("clients/conformance/vectors/ed25519.json").Get("cases")).Cast<Fields>().ToList();
            Check(cases.Count >= 70, "vectors are missing");
            foreach (var each in cases)
            {
                var isValid = Ed25519.Verify(Bytes(each, "publicKey"), Bytes(each, "message"), Bytes(each, "signature"));
                Check(isValid == (each.Text("result") == "valid"), each.Text("name"));
            }
            var clock = Stopwatch.StartNew();
            var first = cases[0];
            for (var round = 0; round < 100; round++)
                Ed25519.Verify(Bytes(first, "publicKey"), Bytes(first, "message"), Bytes(first, "signature"));
            Console.WriteLine("a signature is verified in " + clock.ElapsedMilliseconds / 100.0 + " ms");
        }

        private static LicenseFile ReadFile(Fields all, Fields own, string text)
        {
            Func<string, object> value = name => own != null && own.ContainsKey(name) ? own.Get(name) : all.Get(name);
            var keys = ((List<object>)value("publicKeys")).Cast<Fields>();
            var now = Times.DateOf(Json.Whole(value("now")).Value * Times.Second);
            return LicenseFile.Read(
                text, keys.Select(key => new PublicKey(key.Text("kid"), key.Text("x"))).ToArray(), (string)value("issuer"),
                (string)value("productId"), (string)value("fingerprint"), now);
        }

        private static void LicenseFilesAreJudged()
        {
            var vectors = Vectors("docs/vectors/license-files.json");
            var expected = (Fields)vectors.Get("expected");
            var accepted = ((List<object>)vectors.Get("accepted")).Cast<Fields>().ToList();
            var refused = ((List<object>)vectors.Get("refused")).Cast<Fields>().ToList();
            Check(accepted.Count >= 10 && refused.Count >= 30, "vectors are missing");
            foreach (var each in accepted)
            {
                var file = ReadFile(expected, each.Get("expected") as Fields, each.Text("file"));
                Check(Sorted(file.Fields) == Sorted((Fields)each.Get("claims")), each.Text("name"));
            }
            foreach (var each in refused)
            {
                try
                {
                    ReadFile(expected, each.Get("expected") as Fields, each.Text("file"));
                    Check(false, "accepted: " + each.Text("name"));
                }
                catch (BadLicenseFileException)
                {
                }
            }
        }

        private static string Sorted(Fields fields)
        {
            return string.Join("\n", fields.OrderBy(field => field.Key, StringComparer.Ordinal)
                .Select(field => field.Key + "=" + (field.Value is Fields ? Sorted((Fields)field.Value) : Json.Write(field.Value))));
        }

        private static void NoChangeOfAFilePasses()
        {
            var vectors = Vectors("docs/vectors/license-files.json");
            var expected = (Fields)vectors.Get("expected");
            var armoured = ((Fields)((List<object>)vectors.Get("accepted"))[0]).Text("file");
            var jws = string.Concat(armoured.Split('\n').Where(line => !line.StartsWith("-----")));
            var draw = new Random(8032);
            for (var round = 0; round < 2000; round++)
            {
                var at = draw.Next(jws.Length);
                var letters = new[] { "", "A", "_", ".", "\u00e9", "\ud800", "\0", new string(jws[at], 2) };
                var changed = jws.Substring(0, at) + letters[draw.Next(letters.Length)] + jws.Substring(at + 1);
                try
                {
                    ReadFile(expected, null, changed);
                    Check(changed == jws, "accepted with a change at " + at);
                }
                catch (BadLicenseFileException)
                {
                }
            }
        }

        /// <summary>A state with every field.</summary>
        private static string WholeState()
        {
            return new StoredState
            {
                LicenseKey = "AAAAA-BBBBB",
                Token = "t\u0001\ud800\"",
                File = "f",
                KeyLists = new[] { "l" },
                Facts = new StoredFacts
                {
                    LicenseKeyHint = "BBBBB",
                    ProductId = "app",
                    LicenseExpiresAt = "2027-01-01T00:00:00.000Z",
                    MaxMachines = 2,
                    Features = new Fields { { "export", true }, { "seats", 3.5 } },
                },
                LastGoodAt = 1,
                Tombstone = new Tombstone("license_revoked", 2),
                Seat = new Seat(3, 4),
                ActivatedAt = 5,
                Times = new KnownTimes(new Moment(6, 7), new Moment(8, 9), new Moment(10, 11)),
                Uses = new[] { new StoredUse("exports", 1, "id", 12) },
            }.Write();
        }

        private static void AWrittenStateIsRead()
        {
            foreach (var text in new[] { WholeState(), new StoredState().Write() })
            {
                var read = StoredState.Read(text);
                Check(read != null && read.Write() == text, text + " is read as " + read?.Write());
            }
        }

        private static void OtherTypesAreUnreadable()
        {
            var changes = new[]
            {
                "v=2", "v=true", "licenseKey=1", "facts=[]", "facts.maxMachines=true", "facts.licenseExpiresAt=\"soon\"",
                "facts.features={\"a\":null}", "facts.licenseKeyHint=null", "keyLists=\"l\"", "keyLists=[1]", "lastGoodAt=9e15",
                "tombstone={\"code\":\"license_revoked\"}", "seat={\"until\":\"1\",\"beatAt\":2}", "times=null", "times.seen=",
                "times.seen=[]", "uses=[null]", "uses=[{\"meter\":\"m\",\"units\":-1,\"requestId\":\"r\",\"at\":1}]", "uses=null",
                "token=", "facts=", "file=", "keyLists=", "seat=", "activatedAt=",
            };
            foreach (var change in changes)
            {
                var place = change.Substring(0, change.IndexOf('='));
                var value = change.Substring(place.Length + 1);
                var fields = Json.ParseObject(WholeState());
                var inner = place.Contains('.') ? (Fields)fields.Get(place.Split('.')[0]) : fields;
                var name = place.Split('.').Last();
                inner.Remove(name);
                if (value != "") inner[name] = Json.ParseObject("{\"x\":" + value + "}").Get("x");
                Check(StoredState.Read(Json.Write(fields)) == null, change + " is readable");
            }
            var earlier = Json.ParseObject(WholeState());
            earlier.Remove("uses");
            ((Fields)earlier.Get("facts")).Remove("features");
            Check(StoredState.Read(Json.Write(earlier)) != null, "a state of an earlier client is unreadable");
        }

        private static void NoChangeOfAStateCrashes()
        {
            var text = WholeState();
            const string letters = "{}[]\",:0e-.\\u\ud800x";
            var draw = new Random(55);
            for (var round = 0; round < 5000; round++)
            {
                var changed = new StringBuilder(text);
                for (var changes = draw.Next(1, 4); changes > 0; changes--)
                    changed[draw.Next(changed.Length)] = letters[draw.Next(letters.Length)];
                StoredState.Read(changed.ToString());
            }
            Check(StoredState.Read(new string('[', 200000)) == null, "deep nesting is readable");
        }

        private static void JsonIsStrict()
        {
            var bad = new[]
            {
                "", "[]", "{", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{\"a\":01}", "{\"a\":+1}", "{\"a\":1.}", "{\"a\":.5}",
                "{\"a\":\"\n\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"\\u 123\"}", "{\"a\":tru}", "{} {}", "\ufeff{}",
                "{\"a\":1e}", "{\"a\":-}", "{\"a\":NaN}",
            };
            foreach (var text in bad) Check(Json.ParseObject(text) == null, "accepted: " + text);
            var read = Json.ParseObject(" {\"a\" : [1e999, -0, 1.5e-3, \"\\ud83d\\ude00\\/\", true, null, {}] } ");
            Check(Json.Write(read) == "{\"a\":[Infinity,0,0.0015,\"\ud83d\ude00/\",true,null,{}]}"
                || Json.Write(read) == "{\"a\":[Infinity,-0,0.0015,\"\ud83d\ude00/\",true,null,{}]}", Json.Write(read));
        }

        private static void AFieldOfAnotherTypeIsNoAnswer()
        {
            const string good = "{\"valid\":true,\"success\":true,\"expiresAt\":\"2027-01-01\",\"productId\":\"app\","
                + "\"variant\":\"pro\",\"licenseExpiresAt\":null,\"daysRemaining\":null";
            var answer = new TransportAnswer(200, name => null, "");
            Func<string, string, bool> isGood = (endpoint, more) =>
                Replies.IsGood(endpoint, answer, Json.ParseObject(good + more + "}"));
            Check(isGood("/validate", ""), "not good without a new key");
            foreach (var name in new[] { "newToken", "licenseKey", "sessionToken" })
            {
                foreach (var value in new[] { "7", "\"\"", "null", "[]", "{}" })
                {
                    var more = ",\"" + name + "\":" + value;
                    Check(!isGood("/validate", more), "good with" + more);
                    Check(isGood("/heartbeat", more), "not good with an unknown field" + more);
                }
                Check(isGood("/validate", ",\"" + name + "\":\"text\""), "not good with " + name);
            }
        }

        private static void TimesAreRead()
        {
            Check(Times.ReadIso("1970-01-01T00:00:01.5Z") == 1500, "a fraction");
            Check(Times.ReadIso("1970-01-02") == Times.Day, "a day");
            Check(Times.ReadIso("1970-01-01T02:00+02:00") == 0, "a zone");
            Check(Times.ReadIso("0000-01-01T00:00:00Z") == -62167219200000, "the year 0");
            Check(Times.ReadIso("0000-02-29") != null && Times.ReadIso("2023-02-29") == null, "leap years");
            Check(Times.ReadIso("2026-11-28T00:00:00Z\n") == null && Times.ReadIso("now") == null, "other texts");
            Check(Times.ReadHttp("Sat, 28 Nov 2026 18:00:00 GMT") == Times.ReadIso("2026-11-28T18:00:00Z"), "a header");
            Check(Times.ReadHttp("Sat, 31 Feb 2026 18:00:00 GMT") == null && Times.ReadHttp(null) == null, "bad headers");
            Check(Times.SecondsIn("1969-12-31T23:59:59.500Z") == -1, "seconds before 1970");
        }
    }
}
