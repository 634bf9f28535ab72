using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Latchkey
{
    /// <summary>
    /// Sends requests by HttpClient, through the proxy of the system. Nothing in this machine's name goes through a
    /// proxy, which has another machine under it.
    /// </summary>
    public sealed class HttpTransport : ITransport
    {
        /// <summary>Answers of the service are below 4 KiB, apart from license files.</summary>
        private const int MaxAnswerBytes = 65536;

        private readonly HttpClient byProxy;
        private readonly HttpClient direct;

        /// <summary>Trusts the certificate authorities of the system.</summary>
        public HttpTransport() : this(null)
        {
        }

        /// <param name="authorities">
        /// Certificate authorities that are trusted beside those of the system, and certificates of servers; null for
        /// none. Mono follows no chain of elliptic curves, and needs the certificate of the server itself.
        /// </param>
        public HttpTransport(X509Certificate2Collection authorities)
        {
            byProxy = ClientFor(authorities, true);
            direct = ClientFor(authorities, false);
        }

        /// <inheritdoc/>
        public async Task<TransportAnswer> SendAsync(TransportRequest request, CancellationToken cancellationToken)
        {
            try
            {
                return await AnswerAsync(request, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception error)
            {
                if (error is TransportException) throw;
                throw new TransportException(IsOfTls(error) ? "tls" : "network", error.GetBaseException().Message, error);
            }
        }

        private async Task<TransportAnswer> AnswerAsync(TransportRequest request, CancellationToken cancellationToken)
        {
            var client = request.Address.IsLoopback ? direct : byProxy;
            using (var message = MessageOf(request))
            using (var answer = await client.SendAsync(message, HttpCompletionOption.ResponseHeadersRead, cancellationToken)
                .ConfigureAwait(false))
            {
                var text = await TextOfAsync(answer, cancellationToken).ConfigureAwait(false);
                return new TransportAnswer((int)answer.StatusCode, HeadersOf(answer.Headers), text);
            }
        }

        private static HttpRequestMessage MessageOf(TransportRequest request)
        {
            var message = new HttpRequestMessage(request.Body == null ? HttpMethod.Get : HttpMethod.Post, request.Address);
            message.Headers.TryAddWithoutValidation("Accept", "application/json");
            message.Headers.TryAddWithoutValidation("User-Agent", "latchkey-csharp");
            message.Headers.ExpectContinue = false;
            message.Headers.ConnectionClose = true;
            if (request.Body == null) return message;
            message.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(request.Body));
            message.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
            return message;
        }

        private static async Task<string> TextOfAsync(HttpResponseMessage answer, CancellationToken cancellationToken)
        {
            var bytes = new byte[MaxAnswerBytes + 1];
            var count = 0;
            using (var body = await answer.Content.ReadAsStreamAsync().ConfigureAwait(false))
            {
                for (var read = -1; read != 0 && count < bytes.Length; count += read)
                    read = await body.ReadAsync(bytes, count, bytes.Length - count, cancellationToken).ConfigureAwait(false);
            }
            if (count > MaxAnswerBytes) throw new IOException("the answer is larger than 65536 bytes");
            // Some versions of the framework take the end of the connection for the end of the answer.
            if (count < (answer.Content.Headers.ContentLength ?? 0)) throw new IOException("the answer is not whole");
            return Encoding.UTF8.GetString(bytes, 0, count);
        }

        private static Func<string, string> HeadersOf(HttpResponseHeaders headers)
        {
            return name => headers.TryGetValues(name, out var values) ? values.FirstOrDefault() : null;
        }

        private static HttpClient ClientFor(X509Certificate2Collection authorities, bool usesProxy)
        {
            var handler = new HttpClientHandler { AllowAutoRedirect = false, UseCookies = false, UseProxy = usesProxy };
            if (authorities != null)
            {
                handler.ServerCertificateCustomValidationCallback =
                    (message, certificate, chain, errors) => IsTrusted(certificate, errors, authorities);
            }
            // The client ends requests by itself.
            return new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan };
        }

        private static bool IsTrusted(
            X509Certificate2 certificate, SslPolicyErrors errors, X509Certificate2Collection authorities)
        {
            if (errors == SslPolicyErrors.None) return true;
            if (certificate == null || errors != SslPolicyErrors.RemoteCertificateChainErrors) return false;
            var isNow = certificate.NotBefore <= DateTime.Now && DateTime.Now <= certificate.NotAfter;
            return isNow && (IsAmong(certificate, authorities) || LeadsTo(authorities, certificate));
        }

        private static bool LeadsTo(X509Certificate2Collection authorities, X509Certificate2 certificate)
        {
            using (var chain = new X509Chain())
            {
                chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
                chain.ChainPolicy.VerificationFlags = X509VerificationFlags.AllowUnknownCertificateAuthority;
                chain.ChainPolicy.ExtraStore.AddRange(authorities);
                try
                {
                    var root = chain.Build(certificate) ? chain.ChainElements.Cast<X509ChainElement>().Last() : null;
                    return root != null && IsAmong(root.Certificate, authorities);
                }
                catch (NotSupportedException)
                {
                    // Mono cannot verify signatures of elliptic curves.
                    return false;
                }
            }
        }

        private static bool IsAmong(X509Certificate2 certificate, X509Certificate2Collection authorities)
        {
            return authorities.Cast<X509Certificate2>().Any(each => each.RawData.SequenceEqual(certificate.RawData));
        }

        private static bool IsOfTls(Exception error)
        {
            for (var cause = error; cause != null; cause = cause.InnerException)
            {
                var ofWeb = cause as WebException;
                if (cause is AuthenticationException) return true;
                if (ofWeb != null && ofWeb.Status == WebExceptionStatus.TrustFailure) return true;
                if (ofWeb != null && ofWeb.Status == WebExceptionStatus.SecureChannelFailure) return true;
            }
            return false;
        }
    }
}
