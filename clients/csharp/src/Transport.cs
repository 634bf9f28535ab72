using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Latchkey
{
    /// <summary>A request with its whole address.</summary>
    public sealed class TransportRequest
    {
        internal TransportRequest(Uri address, string body)
        {
            Address = address;
            Body = body;
        }

        /// <summary>The whole address.</summary>
        public Uri Address { get; }

        /// <summary>JSON for a POST; null for a GET.</summary>
        public string Body { get; }
    }

    /// <summary>An answer of any server.</summary>
    public sealed class TransportAnswer
    {
        private readonly Func<string, string> header;

        /// <param name="status">The HTTP status.</param>
        /// <param name="header">Returns the value of a header, in any case of its name; null for an absent one.</param>
        /// <param name="text">The body.</param>
        public TransportAnswer(int status, Func<string, string> header, string text)
        {
            Status = status;
            this.header = header;
            Text = text;
        }

        /// <summary>The HTTP status.</summary>
        public int Status { get; }

        /// <summary>The body.</summary>
        public string Text { get; }

        /// <summary>The value of a header; null for an absent one.</summary>
        public string Header(string name)
        {
            return header(name);
        }
    }

    /// <summary>There was no complete answer.</summary>
    public sealed class TransportException : Exception
    {
        /// <param name="kind"><c>network</c>, <c>tls</c> or <c>timeout</c>.</param>
        /// <param name="message">The detail for a log.</param>
        /// <param name="cause">The exception of the library below, or null.</param>
        public TransportException(string kind, string message, Exception cause = null) : base(message, cause)
        {
            Kind = kind;
        }

        /// <summary><c>network</c>, <c>tls</c> or <c>timeout</c>.</summary>
        public string Kind { get; }
    }

    /// <summary>
    /// Sends requests. An implementation checks the certificate, follows no redirect and reads at most 65,536 bytes.
    /// </summary>
    public interface ITransport
    {
        /// <summary>
        /// Sends a request: a POST with <c>Content-Type: application/json</c>, or a GET. It throws a
        /// <see cref="TransportException"/>; any other exception counts as a failure of the network.
        /// </summary>
        /// <param name="request">The request.</param>
        /// <param name="cancellationToken">Cancelled when the client waits for the answer no longer.</param>
        Task<TransportAnswer> SendAsync(TransportRequest request, CancellationToken cancellationToken);
    }

    /// <summary>The result of a call: a good reply, a refusal, or a problem.</summary>
    internal sealed class Called
    {
        internal Fields Reply;
        internal Refusal Refusal;
        internal Problem Problem;

        /// <summary>The time in the answer, in milliseconds since 1970; null without one.</summary>
        internal long? ServerTime;

        /// <summary>The pause that comes with a problem, in milliseconds.</summary>
        internal long? RetryAfter;

        internal bool IsGood
        {
            get { return Reply != null; }
        }

        internal string Code
        {
            get { return Refusal?.Code; }
        }

        /// <summary>Whether another key has taken the place of the one that was sent.</summary>
        internal bool IsOfReplacedKey
        {
            get { return Code == "license_replaced"; }
        }
    }

    /// <summary>The addresses of the service, and the transport for calls.</summary>
    internal sealed class Line
    {
        private const string KeyLists = "/.well-known/latchkey-keys.json";

        private readonly LatchkeyOptions options;

        internal Line(LatchkeyOptions options)
        {
            this.options = options;
        }

        /// <summary>
        /// Calls an endpoint. If an address does not answer as the service does, it tries the next one.
        /// </summary>
        internal Task<Called> CallAsync(string endpoint, Fields fields, CancellationToken cancellationToken)
        {
            return OverServersAsync(endpoint, Json.Write(fields), answer => CalledIn(endpoint, answer), cancellationToken);
        }

        /// <summary>The signed lists of signing keys that the service publishes; empty without an answer.</summary>
        internal async Task<IReadOnlyList<string>> FetchKeyListsAsync(CancellationToken cancellationToken)
        {
            var called = await OverServersAsync(KeyLists, null, ListsIn, cancellationToken).ConfigureAwait(false);
            var lists = new List<string>();
            if (!called.IsGood) return lists;
            foreach (var each in (List<object>)called.Reply.Get("keys"))
            {
                if (each is string) lists.Add((string)each);
            }
            return lists;
        }

        private static Called CalledIn(string endpoint, TransportAnswer answer)
        {
            var body = Json.ParseObject(answer.Text);
            var called = new Called { ServerTime = Times.ReadHttp(answer.Header("Date")) };
            if (Replies.IsGood(endpoint, answer, body)) called.Reply = body;
            else called.Refusal = Refusal.In(endpoint, answer, body);
            return called.IsGood || called.Refusal != null ? called : null;
        }

        private static Called ListsIn(TransportAnswer answer)
        {
            var body = Json.ParseObject(answer.Text);
            var isGood = answer.Status == 200 && body != null && body.Get("keys") is List<object>;
            return isGood ? new Called { Reply = body } : null;
        }

        private async Task<Called> OverServersAsync(
            string path, string body, Func<TransportAnswer, Called> read, CancellationToken cancellationToken)
        {
            Called first = null;
            foreach (var server in options.Servers)
            {
                var called = await AskAsync(server, path, body, read, cancellationToken).ConfigureAwait(false);
                if (called.Problem == null) return called;
                first = first ?? called;
            }
            return first;
        }

        private async Task<Called> AskAsync(
            string server, string path, string body, Func<TransportAnswer, Called> read, CancellationToken cancellationToken)
        {
            TransportAnswer answer;
            try
            {
                var request = new TransportRequest(new Uri(server + path), body);
                answer = await InTimeAsync(request, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception error)
            {
                cancellationToken.ThrowIfCancellationRequested();
                var failure = error as TransportException;
                var kind = failure == null ? "network" : failure.Kind;
                return new Called { Problem = new Problem(kind, server + " could not be reached: " + error.Message) };
            }
            var called = read(answer);
            if (called != null) return called;
            var isBusy = answer.Status == 429 || answer.Status == 503;
            var detail = server + " answered " + answer.Status + ", which says nothing about the license";
            var problem = new Problem(isBusy ? "busy" : "answer", detail);
            return new Called { Problem = problem, RetryAfter = Refusal.RetryAfterIn(answer) };
        }

        /// <summary>Leaves a request that takes too long, even if the transport does not end it.</summary>
        private async Task<TransportAnswer> InTimeAsync(TransportRequest request, CancellationToken cancellationToken)
        {
            using (var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken))
            using (var waiting = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken))
            {
                var sending = options.Transport.SendAsync(request, limit.Token);
                var late = Task.Delay(options.RequestTimeout, waiting.Token);
                var ended = await Task.WhenAny(sending, late).ConfigureAwait(false);
                waiting.Cancel();
                if (ended == sending) return await sending.ConfigureAwait(false);
                Observe(sending);
                limit.Cancel();
                throw new TransportException("timeout", "no whole answer within " + options.RequestTimeout);
            }
        }

        /// <summary>Nobody waits for this task any more; its exception is of no use.</summary>
        private static void Observe(Task task)
        {
            task.ContinueWith(ended => ended.Exception, TaskContinuationOptions.OnlyOnFaulted);
        }
    }
}
