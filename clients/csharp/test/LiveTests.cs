using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Latchkey.Tests
{
    /// <summary>Tests with the real service, which page.ts starts.</summary>
    internal static class LiveTests
    {
        private static readonly TimeSpan Long = TimeSpan.FromSeconds(30);
        private static readonly string Server = Environment.GetEnvironmentVariable("LATCHKEY_SERVER");
        private static readonly string Key = Environment.GetEnvironmentVariable("LATCHKEY_KEY");
        private static readonly string Folder = Environment.GetEnvironmentVariable("LATCHKEY_FOLDER");

        internal static readonly Action[] All =
        {
            () => AStartWithAStoredLicenseChecksInTheBackground().Wait(),
            () => AFirstStartWaitsForTheCheck().Wait(),
            () => AnotherClientOfTheMachineIsNoticed().Wait(),
            () => ChecksAtOnceShareACall().Wait(),
            () => AListenerMayCallTheClient().Wait(),
            () => AListenerThatThrowsStopsNothing().Wait(),
            () => NoticesComeInTheContextOfTheCreator().Wait(),
            () => ACancelledCallChangesNothing().Wait(),
            () => AKeyOfAnotherClientStays().Wait(),
            () => Failures().Wait(),
        };

        private static LatchkeyOptions OptionsFor(string machine)
        {
            return new LatchkeyOptions
            {
                Servers = new[] { Server },
                ProductId = "my-app",
                Directory = Path.Combine(Folder, machine, "state"),
                Fingerprint = () => machine,
            };
        }

        private static async Task Soon(Task awaited, string name)
        {
            var ended = await Task.WhenAny(awaited, Task.Delay(Long));
            Tests.Check(ended == awaited, name + " did not come");
        }

        private static Task<LicenseState> Next(LatchkeyClient client, Func<LicenseState, bool> isAwaited)
        {
            var found = new TaskCompletionSource<LicenseState>();
            client.Changed += (sender, change) =>
            {
                if (isAwaited(change.Present)) found.TrySetResult(change.Present);
            };
            return found.Task;
        }

        private static async Task AStartWithAStoredLicenseChecksInTheBackground()
        {
            var first = new LatchkeyClient(OptionsFor("background"));
            await first.StartAsync();
            var activated = await first.ActivateAsync(Key);
            Tests.Check(activated.Source == "server", "not activated");
            await first.CloseAsync();
            var client = new LatchkeyClient(OptionsFor("background"));
            var checkedByServer = Next(client, state => state.Source == "server");
            var started = await client.StartAsync();
            Tests.Check(started.MayRun, "the stored license does not count");
            await Soon(checkedByServer, "the check");
            Tests.Check(client.NextCheck > TimeSpan.FromHours(1), "no next check");
            await client.CloseAsync();
            Tests.Check(client.NextCheck == null, "a closed client plans a check");
            await client.StartAsync();
            await client.DeactivateAsync();
            Tests.Check(!client.MayRun, "it runs without a license");
            await client.CloseAsync();
        }

        private static async Task AFirstStartWaitsForTheCheck()
        {
            var options = OptionsFor("waits");
            options.Grace = TimeSpan.FromTicks(1);
            options.RequestTimeout = Long;
            var first = new LatchkeyClient(options);
            await first.ActivateAsync(Key);
            var client = new LatchkeyClient(options);
            var state = await client.StartAsync();
            Tests.Check(state.Source == "server", "it did not wait: " + state.Status);
            await client.DeactivateAsync();
            await client.CloseAsync();
        }

        private static async Task AnotherClientOfTheMachineIsNoticed()
        {
            var other = new LatchkeyClient(OptionsFor("noticed"));
            var one = new LatchkeyClient(OptionsFor("noticed"));
            var isLicensed = Next(one, state => state.MayRun);
            await one.StartAsync();
            await other.ActivateAsync(Key);
            await Soon(isLicensed, "the license of another client");
            await one.DeactivateAsync();
            await one.CloseAsync();
        }

        /// <summary>Counts the requests.</summary>
        private sealed class CountingTransport : ITransport
        {
            private readonly HttpTransport usual = new HttpTransport();
            internal int Calls;

            public Task<TransportAnswer> SendAsync(TransportRequest request, CancellationToken cancellationToken)
            {
                Interlocked.Increment(ref Calls);
                return usual.SendAsync(request, cancellationToken);
            }
        }

        /// <summary>A clock that stands still, so that all checks come at once.</summary>
        private sealed class StandingClock : IClock
        {
            public long Now { get; } = Times.Of(DateTimeOffset.UtcNow);

            public long Monotonic { get; } = 1;

            public bool CountsSleep { get; } = true;
        }

        private static async Task ChecksAtOnceShareACall()
        {
            var options = OptionsFor("shared");
            var first = new LatchkeyClient(options);
            await first.ActivateAsync(Key);
            var transport = new CountingTransport();
            options.Transport = transport;
            options.Clock = new StandingClock();
            var client = new LatchkeyClient(options);
            await client.StartAsync();
            await Task.WhenAll(Enumerable.Range(0, 8).Select(ignored => Task.Run(() => client.CheckAsync())));
            Tests.Check(transport.Calls == 1, transport.Calls + " calls");
            await client.DeactivateAsync();
            await client.CloseAsync();
        }

        private static async Task AListenerMayCallTheClient()
        {
            var options = OptionsFor("listener");
            options.Storage = new MemoryStorage();
            var client = new LatchkeyClient(options);
            var seen = new List<LicenseStatus>();
            client.Changed += (sender, change) =>
            {
                seen.Add(change.Present.Status);
                Tests.Check(client.CheckAsync().Result.MayRun == client.MayRun, "another state in the listener");
            };
            await client.ActivateAsync(Key);
            Tests.Check(seen.SequenceEqual(new[] { LicenseStatus.Licensed }), string.Join(" ", seen));
            await client.DeactivateAsync();
        }

        private static async Task AListenerThatThrowsStopsNothing()
        {
            var options = OptionsFor("throws");
            var logged = new List<string>();
            options.Log = logged.Add;
            var client = new LatchkeyClient(options);
            client.Changed += (sender, change) => { throw new InvalidOperationException("of the app"); };
            await client.ActivateAsync(Key);
            Tests.Check(logged.SequenceEqual(new[] { "a listener threw: of the app" }), string.Join("\n", logged));
            await client.DeactivateAsync();
        }

        /// <summary>Keeps what is posted.</summary>
        private sealed class KeptContext : SynchronizationContext
        {
            internal readonly List<SendOrPostCallback> Posted = new List<SendOrPostCallback>();

            public override void Post(SendOrPostCallback callback, object state)
            {
                lock (Posted) Posted.Add(callback);
            }
        }

        private static LatchkeyClient CreateIn(SynchronizationContext context, LatchkeyOptions options)
        {
            var former = SynchronizationContext.Current;
            SynchronizationContext.SetSynchronizationContext(context);
            try
            {
                return new LatchkeyClient(options);
            }
            finally
            {
                SynchronizationContext.SetSynchronizationContext(former);
            }
        }

        private static async Task NoticesComeInTheContextOfTheCreator()
        {
            var context = new KeptContext();
            var client = CreateIn(context, OptionsFor("context"));
            var seen = 0;
            client.Changed += (sender, change) => seen++;
            await client.ActivateAsync(Key);
            Tests.Check(seen == 0 && context.Posted.Count == 1, seen + " seen, " + context.Posted.Count + " posted");
            context.Posted[0](null);
            Tests.Check(seen == 1, "the notice did not come");
            await client.DeactivateAsync();
        }

        private static async Task ACancelledCallChangesNothing()
        {
            var client = new LatchkeyClient(OptionsFor("cancelled"));
            var cancelled = new CancellationToken(true);
            var error = await ErrorOf(client.ActivateAsync(Key, cancelled));
            Tests.Check(error is OperationCanceledException && !client.MayRun, "not cancelled: " + error);
            using (var silent = Liar.Silent())
            {
                var options = OptionsFor("cancelled");
                options.Servers = new[] { silent.Address };
                var waiting = new LatchkeyClient(options);
                using (var source = new CancellationTokenSource())
                {
                    var activating = waiting.ActivateAsync(Key, source.Token);
                    await silent.Asked;
                    source.Cancel();
                    error = await ErrorOf(activating);
                    Tests.Check(error is OperationCanceledException, "not cancelled while it waits: " + error);
                }
            }
            // The client can be used afterwards.
            await client.ActivateAsync(Key);
            await client.DeactivateAsync();
        }

        /// <summary>Lets something happen before the answer arrives.</summary>
        private sealed class LateTransport : ITransport
        {
            private readonly HttpTransport usual = new HttpTransport();
            internal Func<Task> Meanwhile = () => Task.FromResult(true);

            public async Task<TransportAnswer> SendAsync(TransportRequest request, CancellationToken cancellationToken)
            {
                var answer = await usual.SendAsync(request, cancellationToken);
                await Meanwhile();
                return answer;
            }
        }

        /// <summary>A call of the operator. Returns the license key in the answer.</summary>
        private static async Task<string> KeyAfterAsync(string path, Fields fields)
        {
            fields["adminSecret"] = Environment.GetEnvironmentVariable("LATCHKEY_ADMIN_SECRET");
            var request = new TransportRequest(new Uri(Server + path), Json.Write(fields));
            var answer = await new HttpTransport().SendAsync(request, CancellationToken.None);
            return Json.ParseObject(answer.Text).Text("licenseKey");
        }

        private static async Task AKeyOfAnotherClientStays()
        {
            var former = await KeyAfterAsync(
                "/createLicense", new Fields { { "email", "ada@example.com" }, { "productId", "my-app" } });
            var transport = new LateTransport();
            var options = OptionsFor("third");
            options.Transport = transport;
            var one = new LatchkeyClient(options);
            var other = new LatchkeyClient(OptionsFor("third"));
            await one.ActivateAsync(former);
            var present = await KeyAfterAsync("/replaceLicense", new Fields { { "licenseKey", former } });
            Tests.Check(present != null && present != former, "the key was not replaced");
            transport.Meanwhile = () => other.ActivateAsync(Key);
            var hint = (await one.CheckAsync()).Facts.LicenseKeyHint;
            Tests.Check(hint == StoredFacts.HintOf(Key), "the key of another client is gone: " + hint);
            // A token of another license would not pass.
            Tests.Check((await other.CheckAsync()).Source == "server", "the token of another client is gone");
            await other.DeactivateAsync();
        }

        private static async Task<Exception> ErrorOf(Task task)
        {
            try
            {
                await task;
                return null;
            }
            catch (Exception error)
            {
                return error;
            }
        }

        private static async Task Failures()
        {
            var options = OptionsFor("failures");
            var client = new LatchkeyClient(options);
            await client.StartAsync();
            Tests.Check(await ErrorOf(client.ActivateAsync()) is NoLicenseKeyException, "no key");
            Tests.Check(await ErrorOf(client.ConsumeAsync("exports")) is NoLicenseKeyException, "no key for a use");
            var refused = await ErrorOf(client.ActivateAsync("A-KEY")) as RefusedException;
            Tests.Check(refused != null && refused.Code == "license_not_found", "not refused");
            Tests.Check(refused != null && !refused.ToString().Contains("A-KEY"), "the key is in the message");
            Tests.Check(await ErrorOf(client.ConsumeAsync("exports", -1)) is ArgumentOutOfRangeException, "negative units");
            await client.CloseAsync();
            options.Servers = new[] { "http://127.0.0.1:9" };
            var unreachable = await ErrorOf(new LatchkeyClient(options).ActivateAsync(Key)) as UnreachableException;
            Tests.Check(unreachable != null && unreachable.Problem.Kind == "network", "not unreachable");
            foreach (var server in new[] { "http://licenses.example.com", "licenses.example.com", "", null })
            {
                options.Servers = new[] { server };
                Tests.Check(IsInvalid(options), server + " is accepted");
            }
            options.Servers = new string[0];
            Tests.Check(IsInvalid(options), "no server is accepted");
        }

        private static bool IsInvalid(LatchkeyOptions options)
        {
            try
            {
                return new LatchkeyClient(options) == null;
            }
            catch (ArgumentException error)
            {
                return error.ParamName == "Servers";
            }
        }
    }
}
