using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

namespace Latchkey.Tests
{
    /// <summary>The driver of this client for the conformance tests, see clients/conformance/PROTOCOL.md.</summary>
    internal static class Driver
    {
        private const string Can =
            "tls default-fingerprint default-directory fingerprint-function uncounted-sleep features trials meters users";

        private const int FileTooLarge = 25;

        private static int output;
        private static readonly List<string> Notices = new List<string>();
        private static LatchkeyClient client;
        private static CommandClock clock;
        private static string fingerprint;

        /// <summary>A clock that stands still between commands.</summary>
        private sealed class CommandClock : IClock
        {
            public long Now { get; set; }

            public long Monotonic { get; set; }

            public bool CountsSleep { get; set; }
        }

        [DllImport("libc")]
        private static extern IntPtr signal(int number, IntPtr handler);

        [DllImport("libc")]
        private static extern int dup(int descriptor);

        [DllImport("libc")]
        private static extern int dup2(int descriptor, int other);

        [DllImport("libc")]
        private static extern IntPtr write(int descriptor, byte[] bytes, IntPtr count);

        private static void Main()
        {
            // A full disk is simulated by a limit, whose signal would end the program.
            signal(FileTooLarge, new IntPtr(1));
            // Mono writes of errors that it does not know to the standard output, which is for answers.
            output = dup(1);
            dup2(2, 1);
            Say(new Fields { { "driver", "csharp" }, { "protocol", 1 }, { "can", Can.Split(' ') } });
            using (var lines = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false)))
            {
                for (var line = lines.ReadLine(); line != null; line = lines.ReadLine())
                    Say(AnswerAsync(Json.ParseObject(line)).Result);
            }
            // The app has crashed: its client is not closed.
            Environment.Exit(0);
        }

        private static void Say(Fields answer)
        {
            var bytes = Encoding.UTF8.GetBytes(Json.Write(answer) + "\n");
            if ((long)write(output, bytes, new IntPtr(bytes.Length)) != bytes.Length) throw new IOException("nobody reads");
        }

        private static async Task<Fields> AnswerAsync(Fields command)
        {
            var answer = new Fields { { "state", null }, { "next", null }, { "notices", new object[0] } };
            try
            {
                if (command.Text("do") == "create") Create(command);
                else if (client != null)
                {
                    var values = await DoAsync(command);
                    if (values.Length > 0) answer["value"] = values[0];
                }
            }
            catch (Exception error)
            {
                answer["error"] = ErrorOf(error);
            }
            if (client == null) return answer;
            answer["state"] = Shown(client.State);
            answer["next"] = client.NextCheck == null ? null : (object)(long)client.NextCheck.Value.TotalMilliseconds;
            lock (Notices)
            {
                answer["notices"] = Notices.ToArray();
                Notices.Clear();
            }
            return answer;
        }

        private static void Create(Fields command)
        {
            client = null;
            Notices.Clear();
            var given = (Fields)command.Get("options");
            clock = new CommandClock { CountsSleep = !false.Equals(given.Get("countsSleep")) };
            SetClock(command);
            var random = given.Get("random") as double? ?? 0.5;
            var options = new LatchkeyOptions
            {
                Servers = Texts(given, "server"),
                ProductId = given.Text("productId"),
                PublicKeys = Keys(given),
                Issuer = given.Text("issuer"),
                StolenKeys = Texts(given, "stolenKeys"),
                BuildDate = given.Text("buildDate"),
                Version = given.Text("version"),
                Directory = given.Text("directory"),
                Hostname = given.Text("hostname"),
                AsksToReactivate = given.Text("reactivate") == "ask",
                IsManual = true,
                Clock = clock,
                Random = () => random,
            };
            if (given.ContainsKey("offlineUses")) options.OfflineUses = (int)(double)given.Get("offlineUses");
            if (given.ContainsKey("heartbeatMs")) options.Heartbeat = Duration(given, "heartbeatMs", 1);
            if (given.ContainsKey("requestTimeoutMs")) options.RequestTimeout = Duration(given, "requestTimeoutMs", 1);
            if (given.ContainsKey("graceDays")) options.Grace = Duration(given, "graceDays", 86400000);
            if (given.ContainsKey("graceFloatingHours")) options.FloatingGrace = Duration(given, "graceFloatingHours", 3600000);
            if (given.Text("release") == "always") options.Release = Release.Always;
            if (given.Text("release") == "never") options.Release = Release.Never;
            if (given.ContainsKey("user")) options.User = () => given.Text("user");
            if (given.ContainsKey("fingerprint"))
            {
                fingerprint = given.Text("fingerprint");
                options.Fingerprint = FindFingerprint;
            }
            if (given.ContainsKey("ca")) options.Transport = new HttpTransport(CertificatesIn(given.Text("ca")));
            client = new LatchkeyClient(options);
            client.Changed += (sender, change) =>
            {
                lock (Notices) Notices.Add(Name(change.Present.Status));
            };
        }

        private static void SetClock(Fields command)
        {
            clock.Now = Json.Whole(command.Get("now")).Value;
            clock.Monotonic = Json.Whole(command.Get("monotonic")).Value;
        }

        private static TimeSpan Duration(Fields given, string name, double unit)
        {
            return TimeSpan.FromMilliseconds((double)given.Get(name) * unit);
        }

        private static string FindFingerprint()
        {
            if (fingerprint == null) throw new InvalidOperationException("the fingerprint cannot be found");
            return fingerprint;
        }

        private static string[] Texts(Fields given, string name)
        {
            return given.ContainsKey(name) ? ((List<object>)given.Get(name)).Cast<string>().ToArray() : new string[0];
        }

        private static PublicKey[] Keys(Fields given)
        {
            var keys = given.Get("publicKeys") as List<object> ?? new List<object>();
            return keys.Cast<Fields>().Select(key => new PublicKey(key.Text("kid"), key.Text("x"))).ToArray();
        }

        private static X509Certificate2Collection CertificatesIn(string path)
        {
            var certificates = new X509Certificate2Collection();
            foreach (Match found in Regex.Matches(File.ReadAllText(path), "-----BEGIN CERTIFICATE-----([^-]+)-----END"))
                certificates.Add(new X509Certificate2(Convert.FromBase64String(found.Groups[1].Value)));
            return certificates;
        }

        /// <summary>Makes the checks that are due.</summary>
        private static async Task WorkAsync()
        {
            await client.WorkAsync();
            while (client.NextCheck == TimeSpan.Zero) await client.WorkAsync();
        }

        /// <summary>Returns the value of the command; nothing for none.</summary>
        private static async Task<object[]> DoAsync(Fields command)
        {
            switch (command.Text("do"))
            {
                case "start":
                    var state = await client.StartAsync();
                    await WorkAsync();
                    return new object[] { Name(state.Status) };
                case "clock":
                    SetClock(command);
                    await WorkAsync();
                    break;
                case "activate":
                    await client.ActivateAsync(command.Text("key"));
                    break;
                case "startTrial":
                    var order = command.Get("order") as Fields ?? new Fields();
                    await client.StartTrialAsync(order.Text("variant"), order.Text("email"));
                    break;
                case "check":
                    var times = Json.Whole(command.Get("times")) ?? 1;
                    await Task.WhenAll(Enumerable.Range(0, (int)times).Select(ignored => client.CheckAsync()));
                    break;
                case "feature":
                    return new[] { client.Feature(command.Text("name")) };
                case "consume":
                    var units = Json.Whole(command.Get("units")) ?? 1;
                    return new object[]
                    {
                        Shown(await client.ConsumeAsync(command.Text("meter"), units, command.Text("requestId"))),
                    };
                case "importFile":
                    await client.ImportFileAsync(command.Text("text"));
                    break;
                case "exportRequest":
                    return new object[] { await client.ExportRequestAsync(command.Text("key")) };
                case "deactivate":
                    await client.DeactivateAsync();
                    break;
                case "close":
                    await client.CloseAsync();
                    break;
                case "fingerprint":
                    fingerprint = command.Text("value");
                    break;
                case "state":
                    break;
                default:
                    throw new NotSupportedException();
            }
            return new object[0];
        }

        private static string Name(LicenseStatus status)
        {
            return status.ToString().ToLowerInvariant();
        }

        private static object Text(DateTimeOffset? at)
        {
            return at == null ? null : at.Value.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'");
        }

        private static Fields Shown(Consumption use)
        {
            var shown = new Fields { { "status", use.IsQueued ? "queued" : "counted" }, { "meter", use.Meter } };
            if (use.IsQueued)
            {
                shown["units"] = use.Units;
                shown["requestId"] = use.RequestId;
                return shown;
            }
            shown["used"] = use.Used;
            shown["limit"] = use.Limit;
            shown["remaining"] = use.Remaining;
            shown["resetsAt"] = Text(use.ResetsAt);
            return shown;
        }

        private static Fields Shown(LicenseState state)
        {
            var shown = new Fields
            {
                { "status", Name(state.Status) },
                { "mayRun", state.MayRun },
                { "facts", state.Facts == null ? null : Shown(state.Facts) },
                { "clock", state.Clock },
                { "storageProblem", state.StorageProblem },
            };
            var status = state.Status;
            if (state.Source != null) shown["source"] = state.Source;
            if (status == LicenseStatus.Licensed || status == LicenseStatus.Grace) shown["until"] = Text(state.Until);
            if (status == LicenseStatus.Grace || status == LicenseStatus.Lapsed || status == LicenseStatus.Refused)
                shown["since"] = Text(state.Since);
            if (state.Problem != null)
                shown["problem"] = new Fields { { "kind", state.Problem.Kind }, { "detail", state.Problem.Detail } };
            if (state.Why != null) shown["why"] = state.Why;
            return shown;
        }

        private static Fields Shown(LicenseFacts facts)
        {
            Fields features = null;
            if (facts.Features != null)
            {
                features = new Fields();
                foreach (var feature in facts.Features) features[feature.Key] = feature.Value;
            }
            return new Fields
            {
                { "licenseKeyHint", facts.LicenseKeyHint },
                { "productId", facts.ProductId },
                { "variant", facts.Variant },
                { "licenseType", facts.LicenseType },
                { "licenseExpiresAt", Text(facts.LicenseExpiresAt) },
                { "daysRemaining", facts.DaysRemaining },
                { "machinesUsed", facts.MachinesUsed },
                { "maxMachines", facts.MaxMachines },
                { "graceUntil", Text(facts.GraceUntil) },
                { "updatesUntil", Text(facts.UpdatesUntil) },
                { "maxVersion", facts.MaxVersion },
                { "features", features },
            };
        }

        private static Fields ErrorOf(Exception error)
        {
            var refused = error as RefusedException;
            if (refused != null)
            {
                var shown = new Fields { { "name", "Refused" }, { "code", refused.Code } };
                if (refused.Limit != null) shown["limit"] = refused.Limit;
                if (refused.RetryAfter != null) shown["retryAfterMs"] = (long)refused.RetryAfter.Value.TotalMilliseconds;
                if (refused.ResetsAt != null) shown["resetsAt"] = Text(refused.ResetsAt);
                return shown;
            }
            if (error is UnreachableException)
                return new Fields { { "name", "Unreachable" }, { "kind", ((UnreachableException)error).Problem.Kind } };
            if (error is BadLicenseFileException)
                return new Fields { { "name", "BadLicenseFile" }, { "reason", ((BadLicenseFileException)error).Reason } };
            if (error is NoFingerprintException) return new Fields { { "name", "NoFingerprint" } };
            if (error is NoLicenseKeyException) return new Fields { { "name", "NoKey" } };
            if (error is NotSupportedException) return new Fields { { "name", "UnknownCommand" } };
            if (error is ArgumentException) return new Fields { { "name", "InvalidOption" } };
            Console.Error.WriteLine(error);
            return new Fields { { "name", "Unexpected" } };
        }
    }
}
