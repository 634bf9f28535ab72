using System;
using System.Collections.Generic;
using System.Linq;

namespace Latchkey
{
    /// <summary>The kind of a <see cref="LicenseState"/>.</summary>
    public enum LicenseStatus
    {
        /// <summary>No license key and no license file is stored.</summary>
        Unlicensed,

        /// <summary>
        /// Licensed by the service or by the stored state (<see cref="LicenseState.Source"/>), until a time without
        /// another answer (<see cref="LicenseState.Until"/>).
        /// </summary>
        Licensed,

        /// <summary>
        /// The service cannot be asked since a time (<see cref="LicenseState.Since"/>,
        /// <see cref="LicenseState.Problem"/>); the app goes on until another (<see cref="LicenseState.Until"/>).
        /// </summary>
        Grace,

        /// <summary>
        /// The service cannot be asked (<see cref="LicenseState.Problem"/>), and nothing licenses the app since a time
        /// (<see cref="LicenseState.Since"/>).
        /// </summary>
        Lapsed,

        /// <summary>Every seat of the floating license is taken.</summary>
        Waiting,

        /// <summary>The machine has lost its slot, and none is free for it.</summary>
        Released,

        /// <summary>
        /// The service refused the license (<see cref="LicenseState.Why"/>, <see cref="LicenseState.Since"/>), or the
        /// license does not cover this build (<see cref="LicenseState.Why"/> is <c>update_not_covered</c>).
        /// </summary>
        Refused,
    }

    /// <summary>The cause of a missing or bad answer.</summary>
    public sealed class Problem
    {
        internal Problem(string kind, string detail)
        {
            Kind = kind;
            Detail = detail;
        }

        /// <summary>
        /// <c>network</c>, <c>tls</c> and <c>timeout</c> are about the connection, <c>answer</c> is not the service's,
        /// <c>busy</c> asks to wait, <c>license_not_found</c> and <c>token</c> mean that the service has lost data,
        /// <c>request</c> that it considers the request invalid, <c>clock</c> that the license has expired by a clock
        /// of the service that is ahead, and <c>not_asked</c> that it was not asked yet.
        /// </summary>
        public string Kind { get; }

        /// <summary>English, for a log, and without a secret.</summary>
        public string Detail { get; }
    }

    /// <summary>The known facts about the license, for display. Each is null if it is not known.</summary>
    public sealed class LicenseFacts : IEquatable<LicenseFacts>
    {
        internal LicenseFacts()
        {
        }

        /// <summary>The last group of the license key.</summary>
        public string LicenseKeyHint { get; internal set; }

        /// <summary>The product, as licenses name it.</summary>
        public string ProductId { get; internal set; }

        /// <summary>The edition, as the product names it.</summary>
        public string Variant { get; internal set; }

        /// <summary><c>per-machine</c>, <c>floating</c>, <c>site</c>, or a later type.</summary>
        public string LicenseType { get; internal set; }

        /// <summary>Null for a perpetual license.</summary>
        public DateTimeOffset? LicenseExpiresAt { get; internal set; }

        /// <summary>Whole days until the license expires.</summary>
        public long? DaysRemaining { get; internal set; }

        /// <summary>The machines or seats in use.</summary>
        public long? MachinesUsed { get; internal set; }

        /// <summary>-1 for no limit.</summary>
        public long? MaxMachines { get; internal set; }

        /// <summary>The end of the time that is lent after the expiry.</summary>
        public DateTimeOffset? GraceUntil { get; internal set; }

        /// <summary>The license covers builds until this time.</summary>
        public DateTimeOffset? UpdatesUntil { get; internal set; }

        /// <summary>The license covers builds up to this version.</summary>
        public string MaxVersion { get; internal set; }

        /// <summary>The features, with values of the types bool, double and string.</summary>
        public IReadOnlyDictionary<string, object> Features { get; internal set; }

        /// <summary>Whether both tell the same.</summary>
        public bool Equals(LicenseFacts other)
        {
            return other != null && Values().SequenceEqual(other.Values())
                && (Features == null) == (other.Features == null)
                && (Features == null || Features.OrderBy(Name).SequenceEqual(other.Features.OrderBy(Name)));
        }

        /// <inheritdoc/>
        public override bool Equals(object obj)
        {
            return Equals(obj as LicenseFacts);
        }

        /// <inheritdoc/>
        public override int GetHashCode()
        {
            return (LicenseKeyHint ?? "").GetHashCode();
        }

        private static string Name(KeyValuePair<string, object> feature)
        {
            return feature.Key;
        }

        private object[] Values()
        {
            return new object[]
            {
                LicenseKeyHint, ProductId, Variant, LicenseType, LicenseExpiresAt, DaysRemaining, MachinesUsed, MaxMachines,
                GraceUntil, UpdatesUntil, MaxVersion,
            };
        }
    }

    /// <summary>
    /// The state of the license on this machine. It never changes: a client has another one after each change.
    /// </summary>
    public sealed class LicenseState : IEquatable<LicenseState>
    {
        internal LicenseState()
        {
        }

        /// <summary>The kind of the state.</summary>
        public LicenseStatus Status { get; internal set; }

        /// <summary>Whether the app works.</summary>
        public bool MayRun { get; internal set; }

        /// <summary>Null before a key was accepted.</summary>
        public LicenseFacts Facts { get; internal set; }

        /// <summary>
        /// <c>ahead</c> or <c>behind</c> if the clock of the machine differs from the time of the service by more than
        /// a day, else <c>right</c>.
        /// </summary>
        public string Clock { get; internal set; }

        /// <summary>
        /// Why the stored state cannot be read or written, while the app goes on in memory; null if it can.
        /// </summary>
        public string StorageProblem { get; internal set; }

        /// <summary><c>server</c> or <c>stored</c> while licensed, else null.</summary>
        public string Source { get; internal set; }

        /// <summary>The end of <c>Licensed</c> (null for none) and of <c>Grace</c>.</summary>
        public DateTimeOffset? Until { get; internal set; }

        /// <summary>The begin of <c>Grace</c>, <c>Lapsed</c> and <c>Refused</c>.</summary>
        public DateTimeOffset? Since { get; internal set; }

        /// <summary>The cause of <c>Grace</c> and <c>Lapsed</c>, else null.</summary>
        public Problem Problem { get; internal set; }

        /// <summary>The code of the refusal, else null.</summary>
        public string Why { get; internal set; }

        /// <summary>Whether both tell the same.</summary>
        public bool Equals(LicenseState other)
        {
            return other != null && Values().SequenceEqual(other.Values());
        }

        /// <inheritdoc/>
        public override bool Equals(object obj)
        {
            return Equals(obj as LicenseState);
        }

        /// <inheritdoc/>
        public override int GetHashCode()
        {
            return (int)Status;
        }

        private object[] Values()
        {
            return new object[]
            {
                Status, MayRun, Facts, Clock, StorageProblem, Source, Until, Since, Problem?.Kind, Problem?.Detail, Why,
            };
        }
    }

    /// <summary>The state before and after a change.</summary>
    public sealed class LicenseChangedEventArgs : EventArgs
    {
        internal LicenseChangedEventArgs(LicenseState former, LicenseState present)
        {
            Former = former;
            Present = present;
        }

        /// <summary>The state before the change.</summary>
        public LicenseState Former { get; }

        /// <summary>The state after the change.</summary>
        public LicenseState Present { get; }
    }
}
