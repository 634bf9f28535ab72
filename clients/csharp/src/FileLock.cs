using System;
using System.Diagnostics;
using System.IO;
using System.Threading;

namespace Latchkey
{
    /// <summary>
    /// The lock of a folder: a file, which programs in every language can hold, also on network drives. Its holder
    /// creates it exclusively, and removes it.
    /// </summary>
    internal sealed class FileLock
    {
        /// <summary>A lock that shows the same text for this long was abandoned: a holder needs milliseconds.</summary>
        private static readonly TimeSpan Abandoned = TimeSpan.FromSeconds(2);

        /// <summary>
        /// The wait for a lock, after which the work is done without it, because a lock must not stop a customer.
        /// </summary>
        private static readonly TimeSpan Patience = TimeSpan.FromSeconds(6);

        private const int PauseMilliseconds = 5;

        /// <summary>The codes of a file that exists, in Windows and Mono, and in .NET on Unix.</summary>
        private const int FileExists = 80;
        private const int AlreadyExists = 183;
        private const int Eexist = 17;
        private const int SharingViolation = 32;

        private readonly string path;

        /// <summary>The text of the lock that this process holds; null without one.</summary>
        private string held;

        internal FileLock(string path)
        {
            this.path = path;
        }

        private enum Attempt
        {
            Created,
            Exists,
            Failed,
        }

        /// <summary>Takes the lock. It goes on without it if the lock cannot be had.</summary>
        internal void Take()
        {
            var text = ThisMachine.RandomName();
            var waited = Stopwatch.StartNew();
            string shown = null;
            var shownSince = TimeSpan.Zero;
            while (waited.Elapsed < Patience)
            {
                var attempt = Create(text);
                if (attempt == Attempt.Created) held = text;
                if (attempt != Attempt.Exists) return;
                var present = TextOf(path);
                if (present == null || present != shown)
                {
                    shown = present;
                    shownSince = waited.Elapsed;
                }
                else if (waited.Elapsed - shownSince > Abandoned) RemoveAbandoned(present);
                Thread.Sleep(PauseMilliseconds);
            }
        }

        /// <summary>Frees the lock, unless another process holds it by now.</summary>
        internal void Free()
        {
            if (held != null && TextOf(path) == held) Files.Try(() => File.Delete(path));
            held = null;
        }

        /// <exception cref="LostLockException">Another process holds the lock.</exception>
        internal void MustHold()
        {
            if (held != null && TextOf(path) != held) throw new LostLockException();
        }

        private Attempt Create(string text)
        {
            try
            {
                Files.CreateFolder(Path.GetDirectoryName(path));
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
            {
                return Attempt.Failed;
            }
            FileStream file;
            try
            {
                file = new FileStream(path, FileMode.CreateNew, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
            }
            catch (UnauthorizedAccessException)
            {
                // Windows reports so for a file that is about to disappear.
                return NativeSystem.IsWindows ? Attempt.Exists : Attempt.Failed;
            }
            catch (IOException error)
            {
                var code = error.HResult & 0xffff;
                var isHeld = code == FileExists || code == AlreadyExists || code == Eexist || code == SharingViolation;
                return isHeld || File.Exists(path) ? Attempt.Exists : Attempt.Failed;
            }
            return Fill(file, text) ? Attempt.Created : Attempt.Failed;
        }

        private bool Fill(FileStream file, string text)
        {
            try
            {
                using (file)
                {
                    NativeSystem.MakePrivate(path);
                    var bytes = System.Text.Encoding.ASCII.GetBytes(text);
                    file.Write(bytes, 0, bytes.Length);
                }
                return true;
            }
            catch (IOException)
            {
                Files.Try(() => File.Delete(path));
                return false;
            }
        }

        /// <summary>Another process may have removed the lock and taken it since: that lock is put back.</summary>
        private void RemoveAbandoned(string text)
        {
            var moved = path + "." + ThisMachine.RandomName();
            if (!NativeSystem.Rename(path, moved)) return;
            if (TextOf(moved) != text) NativeSystem.Link(moved, path);
            Files.Try(() => File.Delete(moved));
        }

        private static string TextOf(string path)
        {
            string text = null;
            Files.Try(() => text = Files.TextOf(path, 1024));
            return text;
        }
    }
}
