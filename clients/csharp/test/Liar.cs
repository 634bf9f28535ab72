using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Latchkey.Tests
{
    /// <summary>A server that answers each request, whose body is JSON without a nested object, as told.</summary>
    internal sealed class Liar : IDisposable
    {
        private readonly TcpListener listener = new TcpListener(IPAddress.Loopback, 0);
        private readonly Action<NetworkStream> answer;
        private readonly TaskCompletionSource<bool> asked = new TaskCompletionSource<bool>();
        private int requests;

        /// <param name="answer">Writes an answer.</param>
        internal Liar(Action<NetworkStream> answer)
        {
            this.answer = answer;
            listener.Start();
            Address = "http://127.0.0.1:" + ((IPEndPoint)listener.LocalEndpoint).Port;
            Task.Run(() => Serve());
        }

        /// <param name="answer">The answer without its version; nothing at all if it is empty.</param>
        internal Liar(string answer) : this(stream => Write(stream, answer == "" ? "" : "HTTP/1.1 " + answer))
        {
        }

        internal string Address { get; }

        /// <summary>The number of requests so far.</summary>
        internal int Requests
        {
            get { return requests; }
        }

        /// <summary>Ends with the first request.</summary>
        internal Task Asked
        {
            get { return asked.Task; }
        }

        /// <summary>A server that never answers.</summary>
        internal static Liar Silent()
        {
            return new Liar(stream => Thread.Sleep(Timeout.Infinite));
        }

        internal static void Write(NetworkStream stream, string text)
        {
            var bytes = Encoding.UTF8.GetBytes(text);
            stream.Write(bytes, 0, bytes.Length);
        }

        public void Dispose()
        {
            listener.Stop();
        }

        private void Serve()
        {
            for (;;)
            {
                TcpClient connection;
                try
                {
                    connection = listener.AcceptTcpClient();
                }
                catch (SocketException)
                {
                    return;
                }
                new Thread(() => Answer(connection)) { IsBackground = true }.Start();
            }
        }

        private void Answer(TcpClient connection)
        {
            using (connection)
            {
                try
                {
                    var stream = connection.GetStream();
                    if (!HasRequest(stream)) return;
                    Interlocked.Increment(ref requests);
                    asked.TrySetResult(true);
                    answer(stream);
                }
                catch (IOException)
                {
                    // The client has left.
                }
            }
        }

        private static bool HasRequest(NetworkStream stream)
        {
            var read = new StringBuilder();
            while (read.Length == 0 || read[read.Length - 1] != '}')
            {
                var letter = stream.ReadByte();
                if (letter < 0) return false;
                read.Append((char)letter);
            }
            return true;
        }
    }
}
