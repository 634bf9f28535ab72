using System;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;

namespace Latchkey
{
    /// <summary>This machine.</summary>
    public static class ThisMachine
    {
        private const int IdTries = 3;
        private const int IdPauseMilliseconds = 100;
        private const int MaxIdBytes = 65536;

        private static readonly Random Drawn = new Random();

        /// <summary>The default folder of the stored state: one for each product, of this user.</summary>
        /// <exception cref="ArgumentException">
        /// The system names no folder of this user; set <c>Directory</c>.
        /// </exception>
        public static string StateDirectory(string productId)
        {
            var home = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);
            var given = NativeSystem.IsMac ? null
                : Environment.GetEnvironmentVariable(NativeSystem.IsWindows ? "LOCALAPPDATA" : "XDG_STATE_HOME");
            if (string.IsNullOrEmpty(given) && string.IsNullOrEmpty(home))
                throw new ArgumentException("Directory is missing, and the system names no folder of this user", "Directory");
            var usual = NativeSystem.IsMac ? new[] { "Library", "Application Support" }
                : NativeSystem.IsWindows ? new[] { "AppData", "Local" } : new[] { ".local", "state" };
            var folder = string.IsNullOrEmpty(given) ? Path.Combine(home, usual[0], usual[1]) : given;
            return Path.Combine(folder, "latchkey", Regex.Replace(productId, "[^A-Za-z0-9_.-]", "_"));
        }

        /// <summary>
        /// The fingerprint of this machine: the id that the system keeps, hashed together with the product. The hash
        /// cannot be reversed, and fingerprints of two products cannot be matched. In a container, or if the system
        /// keeps no id, as on phones, it is made from a random id in the file <c>machine-id</c> of the folder.
        /// </summary>
        /// <param name="productId">The product.</param>
        /// <param name="directory">The folder of the stored state.</param>
        /// <exception cref="IOException">
        /// The id cannot be read at the moment; a random one would be another machine to the service.
        /// </exception>
        public static string Fingerprint(string productId, string directory)
        {
            var id = (IsInContainer() ? null : SystemId()) ?? KeptId(directory);
            using (var hash = new HMACSHA256(Encoding.UTF8.GetBytes(id)))
            {
                var hashed = hash.ComputeHash(Encoding.UTF8.GetBytes("latchkey:" + productId));
                return "v1." + Base64Url.Encode(hashed).Substring(0, 22);
            }
        }

        internal static double RandomNumber()
        {
            lock (Drawn) return Drawn.NextDouble();
        }

        internal static byte[] RandomBytes()
        {
            var bytes = new byte[16];
            using (var generator = RandomNumberGenerator.Create()) generator.GetBytes(bytes);
            return bytes;
        }

        internal static string RandomName()
        {
            return string.Concat(RandomBytes().Select(each => each.ToString("x2")));
        }

        /// <summary>The system's name of the computer; empty without one.</summary>
        internal static string Hostname()
        {
            try
            {
                return System.Net.Dns.GetHostName();
            }
            catch (System.Net.Sockets.SocketException)
            {
                return "";
            }
        }

        /// <summary>Null if the system keeps no id.</summary>
        private static string SystemId()
        {
            if (NativeSystem.IsMac || NativeSystem.IsWindows) return IdIn(NativeSystem.MachineId());
            foreach (var path in new[] { "/etc/machine-id", "/var/lib/dbus/machine-id" })
            {
                // An image that was never started has no id, or zeros.
                var id = TextOfSystemFile(path).Trim().ToLowerInvariant();
                if (Regex.IsMatch(id, "^[0-9a-f]{32}\\z") && id.Trim('0').Length > 0) return id;
            }
            return null;
        }

        private static string IdIn(string text)
        {
            return text != null && Regex.IsMatch(text, "^[0-9A-Fa-f-]{36}\\z") ? text.ToLowerInvariant() : null;
        }

        /// <summary>
        /// Whether this is a container: those of one image share its id, or get a new one at each start.
        /// </summary>
        private static bool IsInContainer()
        {
            if (!NativeSystem.IsLinux) return false;
            if (File.Exists("/.dockerenv") || File.Exists("/run/.containerenv")) return true;
            return Regex.IsMatch(TextOfSystemFile("/proc/self/cgroup"), "kubepods|docker|containerd|lxc");
        }

        /// <summary>
        /// The text of a file; empty if there is none for this app. A reading that fails otherwise may succeed the next
        /// time.
        /// </summary>
        private static string TextOfSystemFile(string path)
        {
            for (var tries = 1; ; tries++)
            {
                try
                {
                    return Files.TextOf(path, MaxIdBytes);
                }
                catch (Exception error)
                {
                    var isLasting = error is FileNotFoundException || error is DirectoryNotFoundException
                        || error is UnauthorizedAccessException;
                    if (isLasting) return "";
                    if (tries == IdTries) throw;
                }
                Thread.Sleep(IdPauseMilliseconds);
            }
        }

        /// <summary>
        /// The random id of a folder. If several processes create it at once, all of them get the first one.
        /// </summary>
        private static string KeptId(string directory)
        {
            if (directory == null) throw new IOException("an app without a folder needs a fingerprint of its own");
            var path = Path.Combine(directory, "machine-id");
            var isThere = File.Exists(path);
            var known = isThere ? Files.TextOf(path, MaxIdBytes).Trim() : "";
            if (known.Length > 0) return known;
            Files.CreateFolder(directory);
            var temporary = path + "." + RandomName() + ".tmp";
            try
            {
                Files.WriteNew(temporary, RandomUuid());
                // An empty file, as after a power cut, is replaced. A link fails if another process has created it by
                // now.
                if (isThere) NativeSystem.Rename(temporary, path);
                else NativeSystem.Link(temporary, path);
            }
            finally
            {
                Files.Try(() => File.Delete(temporary));
            }
            var made = Files.TextOf(path, MaxIdBytes).Trim();
            if (made.Length == 0) throw new IOException("the file machine-id is empty");
            return made;
        }

        private static string RandomUuid()
        {
            return Guid.NewGuid().ToString();
        }
    }
}
