using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;

namespace Latchkey
{
    /// <summary>
    /// Stores the state in the file <c>state</c> of a folder, which the clients of all languages share.
    /// </summary>
    internal sealed class FileStorage : ISharedStorage
    {
        /// <summary>How often a change is made again because another process took the lock for abandoned.</summary>
        private const int LockRepeats = 3;

        private readonly string folder;
        private readonly string own;

        /// <summary>The time after which a client of the machine counts as gone.</summary>
        private readonly TimeSpan silent;
        private readonly FileLock fileLock;

        internal FileStorage(string folder, TimeSpan silent)
        {
            this.folder = folder;
            this.silent = silent;
            own = Path.Combine(folder, "processes", NativeSystem.ProcessId() + "." + ThisMachine.RandomName());
            fileLock = new FileLock(Place("lock"));
        }

        public string Read()
        {
            try
            {
                return Files.TextOf(Place("state"), StoredState.MaxBytes);
            }
            catch (FileNotFoundException)
            {
                return null;
            }
            catch (DirectoryNotFoundException)
            {
                // A file in the place of the folder is no absent state.
                if (Files.IsBlocked(folder)) throw;
                return null;
            }
        }

        public void Write(string text)
        {
            Files.WriteWhole(Place("state"), text, fileLock.MustHold);
        }

        public void Remove()
        {
            fileLock.MustHold();
            if (Read() != null) File.Delete(Place("state"));
        }

        public void SetAside(string text)
        {
            Files.Try(() => Files.WriteWhole(Place("state.broken"), text, () => { }));
        }

        public void Exclusively(Action change)
        {
            for (var repeats = 0; ; repeats++)
            {
                if (repeats < LockRepeats) fileLock.Take();
                try
                {
                    change();
                    return;
                }
                catch (LostLockException)
                {
                    // Another process may have changed the text.
                }
                finally
                {
                    fileLock.Free();
                }
            }
        }

        public long? WrittenAt()
        {
            long? newest = null;
            Files.Try(() =>
            {
                var names = Directory.EnumerateFileSystemEntries(folder, "*", SearchOption.AllDirectories);
                foreach (var name in names.Concat(new[] { folder }))
                {
                    var at = Times.Of(File.GetLastWriteTimeUtc(name));
                    if (newest == null || at > newest) newest = at;
                }
            });
            return newest;
        }

        public void Beat()
        {
            Files.Try(() =>
            {
                if (!File.Exists(own))
                {
                    Files.CreateFolder(Path.GetDirectoryName(own));
                    Files.WriteNew(own, "");
                }
                File.SetLastWriteTimeUtc(own, DateTime.UtcNow);
            });
        }

        public bool Leave()
        {
            Files.Try(() => File.Delete(own));
            var isLast = true;
            Files.Try(() =>
            {
                foreach (var path in Directory.GetFiles(Path.GetDirectoryName(own)))
                {
                    if (IsOfRunningClient(path)) isLast = false;
                    else Files.Try(() => File.Delete(path));
                }
            });
            return isLast;
        }

        private bool IsOfRunningClient(string path)
        {
            var name = Path.GetFileName(path).Split('.')[0];
            var isProcess = int.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out var process);
            var isRecent = DateTime.UtcNow - File.GetLastWriteTimeUtc(path) < silent;
            return isProcess && isRecent && NativeSystem.IsAlive(process);
        }

        private string Place(string name)
        {
            return Path.Combine(folder, name);
        }
    }

    /// <summary>Another process holds the lock, because it took it for abandoned.</summary>
    internal sealed class LostLockException : Exception
    {
    }

    /// <summary>Files of this user, written whole or not at all.</summary>
    internal static class Files
    {
        /// <summary>
        /// The time for which the client tries to replace a file: Windows refuses it while a virus scanner reads the
        /// file.
        /// </summary>
        private static readonly TimeSpan ReplaceFor = TimeSpan.FromSeconds(1);

        private static readonly UTF8Encoding Utf8 = new UTF8Encoding(false);

        /// <summary>Does what may fail without a consequence.</summary>
        internal static void Try(Action action)
        {
            try
            {
                action();
            }
            catch (IOException)
            {
            }
            catch (UnauthorizedAccessException)
            {
            }
        }

        /// <summary>At most the first bytes of a file.</summary>
        internal static string TextOf(string path, int maxBytes)
        {
            using (var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete))
            {
                var bytes = new MemoryStream();
                var part = new byte[65536];
                for (var read = -1; read != 0 && bytes.Length < maxBytes;)
                {
                    read = file.Read(part, 0, part.Length);
                    bytes.Write(part, 0, read);
                }
                return Utf8.GetString(bytes.ToArray());
            }
        }

        /// <summary>Whether a file stands in the place of a folder.</summary>
        internal static bool IsBlocked(string folder)
        {
            for (var place = folder; !string.IsNullOrEmpty(place); place = Path.GetDirectoryName(place))
            {
                if (Directory.Exists(place)) return false;
                if (File.Exists(place)) return true;
            }
            return false;
        }

        /// <summary>Creates a folder and those above it for this user alone.</summary>
        internal static void CreateFolder(string folder)
        {
            if (Directory.Exists(folder)) return;
            var above = Path.GetDirectoryName(folder);
            if (!string.IsNullOrEmpty(above)) CreateFolder(above);
            NativeSystem.CreateFolder(folder);
        }

        /// <summary>Creates a file for this user alone, and flushes it to the disk.</summary>
        internal static void WriteNew(string path, string text)
        {
            using (var file = new FileStream(path, FileMode.CreateNew, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete))
            {
                NativeSystem.MakePrivate(path);
                var bytes = Utf8.GetBytes(text);
                file.Write(bytes, 0, bytes.Length);
                file.Flush(true);
            }
        }

        /// <summary>Writes a temporary file and renames it, so that a crash leaves the old or the new text.</summary>
        /// <param name="path">The file.</param>
        /// <param name="text">Its whole text.</param>
        /// <param name="check">Throws if the file must stay.</param>
        internal static void WriteWhole(string path, string text, Action check)
        {
            CreateFolder(Path.GetDirectoryName(path));
            var temporary = path + "." + ThisMachine.RandomName() + ".tmp";
            try
            {
                WriteNew(temporary, text);
                check();
                Replace(temporary, path);
            }
            catch
            {
                Try(() => File.Delete(temporary));
                throw;
            }
        }

        private static void Replace(string temporary, string path)
        {
            var giveUpAt = DateTime.UtcNow + ReplaceFor;
            while (!NativeSystem.Rename(temporary, path))
            {
                if (!NativeSystem.IsWindows || DateTime.UtcNow > giveUpAt) throw new IOException("cannot replace " + path);
                Thread.Sleep(50);
            }
        }
    }
}
