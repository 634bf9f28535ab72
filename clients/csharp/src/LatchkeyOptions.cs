using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;

namespace Latchkey
{
    /// <summary>The time at which <see cref="LatchkeyClient.CloseAsync"/> gives a floating seat back.</summary>
    public enum Release
    {
        /// <summary>
        /// Seats of pools of up to ten go back. The next start activates again, and a license has 15 activations an
        /// hour for all its machines.
        /// </summary>
        SmallPools,

        /// <summary>Every seat goes back.</summary>
        Always,

        /// <summary>No seat goes back; it ends by itself.</summary>
        Never,
    }

    /// <summary>A key that signs license files.</summary>
    public sealed class PublicKey
    {
        /// <param name="kid">The id of the key.</param>
        /// <param name="x">The public part as in a JWK, base64url.</param>
        public PublicKey(string kid, string x)
        {
            Kid = kid ?? throw new ArgumentNullException(nameof(kid));
            X = x ?? throw new ArgumentNullException(nameof(x));
        }

        /// <summary>The id of the key.</summary>
        public string Kid { get; }

        /// <summary>The public part as in a JWK, base64url.</summary>
        public string X { get; }
    }

    /// <summary>
    /// The options of a client, which reads them when it is created. <see cref="Servers"/> and <see cref="ProductId"/>
    /// are required.
    /// </summary>
    public sealed class LatchkeyOptions
    {
        /// <summary>The https addresses of the service, tried in this order.</summary>
        public IReadOnlyList<string> Servers { get; set; } = new string[0];

        /// <summary>The product, as licenses name it.</summary>
        public string ProductId { get; set; }

        /// <summary>
        /// The keys that <c>list-signing-keys --as csharp</c> prints, compiled into the app. With them, only a signed
        /// file lets the app go on without the service. Without them, the time of the last good answer does, which a
        /// user can extend by editing the stored state.
        /// </summary>
        public IReadOnlyList<PublicKey> PublicKeys { get; set; } = new PublicKey[0];

        /// <summary>The issuer of the license files, which the same command prints.</summary>
        public string Issuer { get; set; }

        /// <summary>Ids of signing keys that are ignored in published lists.</summary>
        public IReadOnlyList<string> StolenKeys { get; set; } = new string[0];

        /// <summary>The date of this build in ISO 8601; a license may cover builds up to a date.</summary>
        public string BuildDate { get; set; }

        /// <summary>The version of this build; a license may cover builds up to a version.</summary>
        public string Version { get; set; }

        /// <summary>The folder of the stored state, by default <see cref="ThisMachine.StateDirectory"/>.</summary>
        public string Directory { get; set; }

        /// <summary>
        /// A text that identifies this machine and never changes, by default <see cref="ThisMachine.Fingerprint"/>. It
        /// may throw.
        /// </summary>
        public Func<string> Fingerprint { get; set; }

        /// <summary>The user's name for the machine, by default the system's.</summary>
        public string Hostname { get; set; }

        /// <summary>
        /// The person who uses the app, such as the address of the signed-in account; null while nobody is signed in. A
        /// license for named users needs it to activate.
        /// </summary>
        public Func<string> User { get; set; }

        /// <summary>The longest time between two heartbeats of a floating license.</summary>
        public TimeSpan Heartbeat { get; set; } = TimeSpan.FromMinutes(5);

        /// <summary>The longest time for a whole answer.</summary>
        public TimeSpan RequestTimeout { get; set; } = TimeSpan.FromSeconds(10);

        /// <summary>The time at which a floating seat goes back.</summary>
        public Release Release { get; set; }

        /// <summary>
        /// Whether the user decides if a machine that the service does not know any more takes a free slot again.
        /// </summary>
        public bool AsksToReactivate { get; set; }

        /// <summary>The time for which a good answer counts without <see cref="PublicKeys"/>.</summary>
        public TimeSpan Grace { get; set; } = TimeSpan.FromDays(30);

        /// <summary>The same for floating licenses.</summary>
        public TimeSpan FloatingGrace { get; set; } = TimeSpan.FromHours(24);

        /// <summary>
        /// The number of uses of meters that wait in the stored state without an answer, at most 500. A user who
        /// deletes the stored state deletes them.
        /// </summary>
        public int OfflineUses { get; set; }

        /// <summary>
        /// Whether the app makes the checks that are due, by calling <see cref="LatchkeyClient.WorkAsync"/> regularly.
        /// </summary>
        public bool IsManual { get; set; }

        /// <summary>
        /// Called in any thread with a text about a stored state that cannot be read or written, or about a listener
        /// that threw; without a secret.
        /// </summary>
        public Action<string> Log { get; set; }

        /// <summary>Sends the requests, by default an <see cref="HttpTransport"/>.</summary>
        public ITransport Transport { get; set; }

        /// <summary>Stores the state, by default in a file of <see cref="Directory"/>.</summary>
        public IStorage Storage { get; set; }

        /// <summary>Tells the time of the machine; for tests.</summary>
        public IClock Clock { get; set; }

        /// <summary>Draws a number from 0 up to 1, which spreads the requests of many apps; for tests.</summary>
        public Func<double> Random { get; set; }

        /// <summary>A copy with its defaults.</summary>
        /// <exception cref="ArgumentException">An option is invalid; the exception names it.</exception>
        internal LatchkeyOptions Filled()
        {
            var filled = (LatchkeyOptions)MemberwiseClone();
            Require(Servers != null && Servers.Count > 0, nameof(Servers), "is missing");
            foreach (var address in Servers)
                Require(IsTrusted(address), nameof(Servers), "\"" + address + "\" is not an https address");
            filled.Servers = Servers.Select(address => address.TrimEnd('/')).ToArray();
            Require(!string.IsNullOrEmpty(ProductId), nameof(ProductId), "is missing");
            filled.PublicKeys = (PublicKeys ?? new PublicKey[0]).ToArray();
            filled.StolenKeys = (StolenKeys ?? new string[0]).ToArray();
            Require(filled.PublicKeys.Count == 0 || !string.IsNullOrEmpty(Issuer), nameof(Issuer), "of the keys is missing");
            Require(OfflineUses >= 0 && OfflineUses <= StoredState.MostUses, nameof(OfflineUses), "must be from 0 to 500");
            Require(Version == null || Build.IsVersion(Version), nameof(Version), "is not dotted numbers");
            Require(BuildDate == null || Times.ReadIso(BuildDate) != null, nameof(BuildDate), "is not a date in ISO 8601");
            Require(Heartbeat > TimeSpan.Zero, nameof(Heartbeat), "must be positive");
            Require(RequestTimeout > TimeSpan.Zero, nameof(RequestTimeout), "must be positive");
            filled.Transport = Transport ?? new HttpTransport();
            filled.Clock = Clock ?? new SystemClock();
            filled.Random = Random ?? ThisMachine.RandomNumber;
            if (Storage == null && Directory == null) filled.Directory = ThisMachine.StateDirectory(ProductId);
            filled.Storage = Storage ?? new FileStorage(filled.Directory, TimeSpan.FromTicks(3 * Heartbeat.Ticks));
            filled.Fingerprint = Fingerprint ?? (() => ThisMachine.Fingerprint(ProductId, filled.Directory));
            return filled;
        }

        private static void Require(bool isMet, string option, string text)
        {
            if (!isMet) throw new ArgumentException(option + " " + text, option);
        }

        /// <summary>
        /// Whether only the service can answer. On this machine, only its own programs answer plain HTTP.
        /// </summary>
        private static bool IsTrusted(string address)
        {
            if (!Uri.TryCreate(address, UriKind.Absolute, out var uri) || uri.Host.Length == 0) return false;
            var isHere = Regex.IsMatch(uri.Host, "^(?:localhost|127\\.0\\.0\\.1|\\[?::1\\]?)\\z");
            return uri.Scheme == "https" || (uri.Scheme == "http" && isHere);
        }
    }
}
