using System;
using System.Collections.Generic;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;

namespace Latchkey.Tests
{
    /// <summary>Runs the component of the example as Unity does: SERVER KEY [ISSUER KID X].</summary>
    internal static class UnityHost
    {
        private static void Main(string[] arguments)
        {
            var loop = PlayerLoop.Begin();
            var component = new LicenseComponent { server = arguments[0] };
            if (arguments.Length > 2)
            {
                component.issuer = arguments[2];
                component.keyId = arguments[3];
                component.key = arguments[4];
            }
            Message(component, "Start");
            loop.PlayUntil(() => component.Sentence != null);
            Console.WriteLine(component.MayPlay + " " + component.Sentence);
            Expect(loop, component, () => component.Enter("A-KEY"), "This license key is unknown.");
            Expect(loop, component, () => component.Enter(arguments[1]), "Licensed, key ending in");
            if (!component.MayPlay) throw new InvalidOperationException("the game may not be played");
            Expect(loop, component, component.Leave, "Please enter your license key.");
            Message(component, "OnApplicationQuit");
            Transport(loop, arguments[0]);
            Console.WriteLine("the component ran");
        }

        private static void Message(LicenseComponent component, string name)
        {
            typeof(LicenseComponent).GetMethod(name, BindingFlags.Instance | BindingFlags.NonPublic).Invoke(component, null);
        }

        private static void Expect(PlayerLoop loop, LicenseComponent component, Action act, string start)
        {
            act();
            loop.PlayUntil(() => component.Sentence.StartsWith(start, StringComparison.Ordinal));
            Console.WriteLine(component.Sentence);
        }

        /// <summary>
        /// The transport leaves an answer that is too large, a redirect, and one that nobody waits for.
        /// </summary>
        private static void Transport(PlayerLoop loop, string server)
        {
            var full = new string(' ', 65536);
            var answers = new Dictionary<string, string>
            {
                { "200 OK\r\nContent-Length: 65536\r\n\r\n" + full, "200" },
                { "200 OK\r\nContent-Length: 65537\r\n\r\n " + full, "network" },
                { "302 Found\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 1\r\n\r\nx", "302" },
                { "403 Forbidden\r\nContent-Length: 2\r\n\r\n{}", "403" },
            };
            var transport = new UnityWebRequestTransport();
            foreach (var each in answers)
            {
                using (var liar = new Liar(each.Key))
                {
                    var given = Result(loop, transport, liar.Address, CancellationToken.None);
                    if (given != each.Value) throw new InvalidOperationException(each.Key.Substring(0, 20) + " gives " + given);
                }
            }
            using (var silent = Liar.Silent())
            using (var source = new CancellationTokenSource(200))
            {
                var given = Result(loop, transport, silent.Address, source.Token);
                if (given != "cancelled") throw new InvalidOperationException("not cancelled: " + given);
            }
        }

        private static string Result(PlayerLoop loop, ITransport transport, string address, CancellationToken token)
        {
            // The client calls it in a thread of the pool.
            var asked = Task.Run(() => transport.SendAsync(new TransportRequest(new Uri(address), "{}"), token));
            loop.PlayUntil(() => asked.IsCompleted);
            if (asked.IsCanceled) return "cancelled";
            var failure = asked.Exception?.InnerException as TransportException;
            return failure == null ? asked.Result.Status.ToString() : failure.Kind;
        }
    }
}
