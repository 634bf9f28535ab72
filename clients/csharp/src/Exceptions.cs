using System;

namespace Latchkey
{
    /// <summary>A function of the client failed, and nothing has changed.</summary>
    public abstract class LatchkeyException : Exception
    {
        internal LatchkeyException(string message, Exception cause = null) : base(message, cause)
        {
        }
    }

    /// <summary>The service refused the call.</summary>
    public sealed class RefusedException : LatchkeyException
    {
        internal RefusedException(string code, string text) : base("refused: " + code + ": " + text)
        {
            Code = code;
        }

        /// <summary>The name of the refusal, such as <c>license_revoked</c>.</summary>
        public string Code { get; }

        /// <summary>
        /// The limit of machines or users, with <c>machine_limit</c> and <c>user_limit</c>; null if unknown.
        /// </summary>
        public long? Limit { get; internal set; }

        /// <summary>The time to wait, with refusals that end by waiting, else null.</summary>
        public TimeSpan? RetryAfter { get; internal set; }

        /// <summary>
        /// The begin of the next period of the meter, with <c>meter_limit</c>; null if none begins.
        /// </summary>
        public DateTimeOffset? ResetsAt { get; internal set; }
    }

    /// <summary>The service did not answer.</summary>
    public sealed class UnreachableException : LatchkeyException
    {
        internal UnreachableException(Problem problem) : base(problem.Detail)
        {
            Problem = problem;
        }

        /// <summary>The cause.</summary>
        public Problem Problem { get; }
    }

    /// <summary>A text is no valid license file for this app and machine.</summary>
    public sealed class BadLicenseFileException : LatchkeyException
    {
        internal BadLicenseFileException(string reason, string text) : base("bad license file: " + text)
        {
            Reason = reason;
        }

        /// <summary>
        /// The first check that failed: <c>format</c>, <c>algorithm</c>, <c>type</c>, <c>key</c>, <c>signature</c>,
        /// <c>claims</c>, <c>issuer</c>, <c>product</c>, <c>machine</c>, <c>expired</c>, or <c>refused</c> if the
        /// service refused the license after the file was made.
        /// </summary>
        public string Reason { get; }
    }

    /// <summary>The function needs a license key, and none is given or stored.</summary>
    public sealed class NoLicenseKeyException : LatchkeyException
    {
        internal NoLicenseKeyException() : base("there is no license key")
        {
        }
    }

    /// <summary>The fingerprint of this machine cannot be found at the moment.</summary>
    public sealed class NoFingerprintException : LatchkeyException
    {
        internal NoFingerprintException(Exception cause) : base("cannot find the fingerprint: " + cause.Message, cause)
        {
        }
    }
}
