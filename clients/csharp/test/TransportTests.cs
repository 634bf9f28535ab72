using System;
using System.Collections.Generic;
using System.Net.Sockets;
using System.Threading;

namespace Latchkey.Tests
{
    /// <summary>Answers of servers that lie.</summary>
    internal static class TransportTests
    {
        internal static void AnswersAreJudged()
        {
            var full = new string(' ', 65536);
            var answers = new Dictionary<string, string>
            {
                { "200 OK\r\nContent-Length: 2\r\n\r\n{}", "200 {}" },
                { "403 Forbidden\r\nContent-Length: 2\r\n\r\n{}", "403 {}" },
                { "200 OK\r\nContent-Length: 9\r\n\r\n{}", "network" },
                { "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{}", "network" },
                { "", "network" },
                { "200 OK\r\nContent-Length: 65536\r\n\r\n" + full, "200 " + full },
                { "200 OK\r\nContent-Length: 65537\r\n\r\n " + full, "network" },
                { "200 OK\r\n\r\n" + full + full, "network" },
            };
            foreach (var each in answers) ExpectAnswer(each.Value, Ask(each.Key));
            using (var other = new Liar("200 OK\r\nContent-Length: 0\r\n\r\n"))
            {
                ExpectAnswer("302 x", Ask("302 Found\r\nLocation: " + other.Address + "\r\nContent-Length: 1\r\n\r\nx"));
                Tests.Check(other.Requests == 0, "a redirect was followed");
            }
        }

        internal static void AnAnswerByteByByteEndsInTime()
        {
            using (var liar = new Liar(Drip))
            {
                var options = OptionsFor(liar, TimeSpan.FromMilliseconds(300));
                var called = new Line(options).CallAsync("/verify", new Fields(), CancellationToken.None).Result;
                Tests.Check(called.Problem != null && called.Problem.Kind == "timeout", "byte by byte: " + called.Problem?.Kind);
            }
        }

        private static void ExpectAnswer(string expected, string given)
        {
            Tests.Check(given == expected, "not " + Start(expected) + ": " + Start(given));
        }

        private static string Start(string text)
        {
            return text.Substring(0, Math.Min(60, text.Length));
        }

        private static LatchkeyOptions OptionsFor(Liar liar, TimeSpan timeout)
        {
            return new LatchkeyOptions
            {
                Servers = new[] { liar.Address }, Transport = new HttpTransport(), RequestTimeout = timeout,
            };
        }

        /// <summary>The status and text of the answer, or the kind of the failure.</summary>
        private static string Ask(string answer)
        {
            using (var liar = new Liar(answer))
            {
                try
                {
                    var request = new TransportRequest(new Uri(liar.Address), "{}");
                    var given = new HttpTransport().SendAsync(request, CancellationToken.None).Result;
                    return given.Status + " " + given.Text;
                }
                catch (AggregateException error)
                {
                    return ((TransportException)error.InnerException).Kind;
                }
            }
        }

        private static void Drip(NetworkStream stream)
        {
            Liar.Write(stream, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
            for (;;)
            {
                Liar.Write(stream, " ");
                Thread.Sleep(5);
            }
        }
    }
}
