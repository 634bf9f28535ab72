// Stands in for the parts of Unity that the transport and the example use, by Unity's documentation, with real
// requests.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Net;
using System.Threading;
using System.Threading.Tasks;

namespace UnityEngine
{
    public class GameObject
    {
    }

    public class MonoBehaviour
    {
        public GameObject gameObject { get; } = new GameObject();

        protected static void DontDestroyOnLoad(GameObject target)
        {
        }
    }

    public static class Application
    {
        public static string persistentDataPath
        {
            get { return Environment.GetEnvironmentVariable("UNITY_DATA"); }
        }

        public static string version
        {
            get { return "1.2.3"; }
        }
    }

    public static class SystemInfo
    {
        public static string deviceName
        {
            get { return "<unknown>"; }
        }
    }

    public static class Debug
    {
        public static void LogWarning(object text)
        {
            Console.Error.WriteLine(text);
        }
    }

    /// <summary>The main thread, in which everything of Unity runs.</summary>
    public sealed class PlayerLoop : SynchronizationContext
    {
        private const int FrameMilliseconds = 16;

        private readonly BlockingCollection<Action> posted = new BlockingCollection<Action>();
        private static Thread main;

        public static void MustBeMain()
        {
            if (Thread.CurrentThread != main) throw new InvalidOperationException("can only be called from the main thread");
        }

        public static PlayerLoop Begin()
        {
            var loop = new PlayerLoop();
            main = Thread.CurrentThread;
            SetSynchronizationContext(loop);
            return loop;
        }

        public override void Post(SendOrPostCallback callback, object state)
        {
            posted.Add(() => callback(state));
        }

        /// <summary>Plays frames until a condition holds.</summary>
        public void PlayUntil(Func<bool> isReached)
        {
            var idle = Stopwatch.StartNew();
            while (!isReached())
            {
                if (idle.ElapsedMilliseconds > 60000) throw new TimeoutException("nothing happens any more");
                if (!posted.TryTake(out var action, FrameMilliseconds)) continue;
                action();
                idle.Restart();
            }
        }
    }
}

namespace UnityEngine.Networking
{
    public class DownloadHandlerScript
    {
        protected virtual bool ReceiveData(byte[] data, int dataLength)
        {
            return true;
        }

        internal bool Receive(byte[] data, int dataLength)
        {
            return ReceiveData(data, dataLength);
        }
    }

    public class UploadHandlerRaw
    {
        internal readonly byte[] Data;

        public UploadHandlerRaw(byte[] data)
        {
            Data = data;
        }
    }

    public class UnityWebRequestAsyncOperation
    {
        public event Action<UnityWebRequestAsyncOperation> completed;

        internal void End()
        {
            completed(this);
        }
    }

    public class UnityWebRequest : IDisposable
    {
        private readonly HttpWebRequest request;
        private Dictionary<string, string> headers;
        private bool isDisposed;

        public UnityWebRequest(Uri uri, string method)
        {
            PlayerLoop.MustBeMain();
            request = WebRequest.CreateHttp(uri);
            request.Method = method;
            request.AllowAutoRedirect = false;
        }

        public enum Result
        {
            InProgress,
            Success,
            ConnectionError,
            ProtocolError,
            DataProcessingError,
        }

        public DownloadHandlerScript downloadHandler { get; set; }

        public UploadHandlerRaw uploadHandler { get; set; }

        public int redirectLimit { get; set; }

        public Result result { get; private set; }

        public long responseCode { get; private set; }

        public string error { get; private set; }

        public void SetRequestHeader(string name, string value)
        {
            if (name == "Accept") request.Accept = value;
            else if (name == "Content-Type") request.ContentType = value;
            else request.Headers[name] = value;
        }

        public Dictionary<string, string> GetResponseHeaders()
        {
            if (isDisposed) throw new InvalidOperationException("the request is disposed");
            return headers;
        }

        public UnityWebRequestAsyncOperation SendWebRequest()
        {
            PlayerLoop.MustBeMain();
            var operation = new UnityWebRequestAsyncOperation();
            var main = SynchronizationContext.Current;
            Task.Run(() =>
            {
                Exchange();
                main.Post(ignored => operation.End(), null);
            });
            return operation;
        }

        public void Abort()
        {
            PlayerLoop.MustBeMain();
            request.Abort();
        }

        public void Dispose()
        {
            isDisposed = true;
        }

        private void Exchange()
        {
            try
            {
                if (uploadHandler != null)
                {
                    using (var body = request.GetRequestStream()) body.Write(uploadHandler.Data, 0, uploadHandler.Data.Length);
                }
                Take((HttpWebResponse)request.GetResponse());
            }
            catch (WebException failure)
            {
                var refused = failure.Response as HttpWebResponse;
                if (refused != null) Take(refused);
                else Fail(failure.Message);
            }
        }

        private void Take(HttpWebResponse response)
        {
            using (response)
            {
                responseCode = (int)response.StatusCode;
                headers = response.Headers.AllKeys.ToDictionary(name => name.ToUpperInvariant(), name => response.Headers[name]);
                result = responseCode >= 400 ? Result.ProtocolError : Result.Success;
                error = responseCode >= 400 ? "HTTP/1.1 " + responseCode : null;
                var part = new byte[1000];
                using (var body = response.GetResponseStream())
                {
                    for (var read = body.Read(part, 0, part.Length); read > 0; read = body.Read(part, 0, part.Length))
                    {
                        if (downloadHandler.Receive(part, read)) continue;
                        Fail("Curl error 23: Failed writing received data to disk/application");
                        return;
                    }
                }
                if (responseCode >= 300 && responseCode < 400) Fail("Redirect limit exceeded");
            }
        }

        private void Fail(string text)
        {
            result = Result.ConnectionError;
            error = text;
        }
    }
}
