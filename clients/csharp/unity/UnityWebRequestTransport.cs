using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine.Networking;

namespace Latchkey
{
    /// <summary>
    /// Sends requests by UnityWebRequest, for platforms of Unity on which HttpClient does not find the certificates or
    /// the proxy of the system. Create it in the main thread, in which Unity sends requests.
    /// </summary>
    public sealed class UnityWebRequestTransport : ITransport
    {
        private const int MaxAnswerBytes = 65536;

        private readonly SynchronizationContext mainThread = SynchronizationContext.Current;

        /// <summary>Creates a transport of the present thread.</summary>
        /// <exception cref="InvalidOperationException">The thread has no synchronization context.</exception>
        public UnityWebRequestTransport()
        {
            if (mainThread == null) throw new InvalidOperationException("create the transport in the main thread of Unity");
        }

        /// <inheritdoc/>
        public Task<TransportAnswer> SendAsync(TransportRequest request, CancellationToken cancellationToken)
        {
            var answered = new TaskCompletionSource<TransportAnswer>(TaskCreationOptions.RunContinuationsAsynchronously);
            mainThread.Post(ignored => Begin(request, answered, cancellationToken), null);
            return answered.Task;
        }

        private void Begin(
            TransportRequest request, TaskCompletionSource<TransportAnswer> answered, CancellationToken cancellationToken)
        {
            try
            {
                var web = WebRequestOf(request);
                var cancelling = cancellationToken.Register(() => mainThread.Post(ignored => Cancel(web, answered), null));
                web.SendWebRequest().completed += operation =>
                {
                    cancelling.Dispose();
                    End(web, answered);
                };
            }
            catch (Exception error)
            {
                answered.TrySetException(new TransportException("network", error.Message, error));
            }
        }

        private static UnityWebRequest WebRequestOf(TransportRequest request)
        {
            var web = new UnityWebRequest(request.Address, request.Body == null ? "GET" : "POST")
            {
                downloadHandler = new BoundedHandler(),
                redirectLimit = 0,
            };
            web.SetRequestHeader("Accept", "application/json");
            if (request.Body == null) return web;
            web.uploadHandler = new UploadHandlerRaw(Encoding.UTF8.GetBytes(request.Body));
            web.SetRequestHeader("Content-Type", "application/json");
            return web;
        }

        private static void Cancel(UnityWebRequest web, TaskCompletionSource<TransportAnswer> answered)
        {
            // An ended request is disposed, and has answered.
            if (answered.TrySetCanceled()) web.Abort();
        }

        private static void End(UnityWebRequest web, TaskCompletionSource<TransportAnswer> answered)
        {
            using (web)
            {
                var handler = (BoundedHandler)web.downloadHandler;
                // Unity reports a redirect that it does not follow as a failure, too.
                var isRedirect = web.responseCode >= 300 && web.responseCode < 400;
                var isWhole = web.result == UnityWebRequest.Result.Success
                    || web.result == UnityWebRequest.Result.ProtocolError;
                if (isRedirect || (isWhole && !handler.IsTooLarge)) answered.TrySetResult(AnswerOf(web, handler));
                else answered.TrySetException(FailureOf(web.error ?? "the answer is too large"));
            }
        }

        private static TransportAnswer AnswerOf(UnityWebRequest web, BoundedHandler handler)
        {
            // The headers are read before Unity disposes the request.
            var headers = web.GetResponseHeaders() ?? new Dictionary<string, string>();
            Func<string, string> header = name =>
            {
                foreach (var each in headers)
                {
                    if (string.Equals(each.Key, name, StringComparison.OrdinalIgnoreCase)) return each.Value;
                }
                return null;
            };
            return new TransportAnswer((int)web.responseCode, header, handler.Text);
        }

        private static TransportException FailureOf(string error)
        {
            var isOfTls = error.IndexOf("SSL", StringComparison.OrdinalIgnoreCase) >= 0
                || error.IndexOf("certificate", StringComparison.OrdinalIgnoreCase) >= 0;
            return new TransportException(isOfTls ? "tls" : "network", error);
        }

        /// <summary>Ends an answer that is too large.</summary>
        private sealed class BoundedHandler : DownloadHandlerScript
        {
            private readonly byte[] bytes = new byte[MaxAnswerBytes];
            private int count;

            internal bool IsTooLarge { get; private set; }

            internal string Text
            {
                get { return Encoding.UTF8.GetString(bytes, 0, count); }
            }

            protected override bool ReceiveData(byte[] data, int dataLength)
            {
                IsTooLarge = IsTooLarge || dataLength > bytes.Length - count;
                if (IsTooLarge) return false;
                Array.Copy(data, 0, bytes, count, dataLength);
                count += dataLength;
                return true;
            }
        }
    }
}
