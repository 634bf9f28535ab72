using System;

namespace Latchkey
{
    /// <summary>The outcome of a use of a meter.</summary>
    public sealed class Consumption
    {
        internal Consumption()
        {
        }

        /// <summary>
        /// Whether the service did not answer: the use is stored, and is sent later. The numbers are null then.
        /// </summary>
        public bool IsQueued { get; internal set; }

        /// <summary>The name of the meter.</summary>
        public string Meter { get; internal set; }

        /// <summary>The units of this use.</summary>
        public long Units { get; internal set; }

        /// <summary>The name of this use.</summary>
        public string RequestId { get; internal set; }

        /// <summary>The units of the present period.</summary>
        public long? Used { get; internal set; }

        /// <summary>-1 for no limit.</summary>
        public long? Limit { get; internal set; }

        /// <summary>Null for no limit.</summary>
        public long? Remaining { get; internal set; }

        /// <summary>The begin of the next period; null if none begins.</summary>
        public DateTimeOffset? ResetsAt { get; internal set; }
    }

    /// <summary>A stored use that the service refused when it was sent. It was not counted.</summary>
    public sealed class UseRefusedEventArgs : EventArgs
    {
        internal UseRefusedEventArgs(StoredUse use, string code)
        {
            Meter = use.Meter;
            Units = use.Units;
            RequestId = use.RequestId;
            Code = code;
        }

        /// <summary>The name of the meter.</summary>
        public string Meter { get; }

        /// <summary>The units of the use.</summary>
        public long Units { get; }

        /// <summary>The name of the use.</summary>
        public string RequestId { get; }

        /// <summary>The code of the refusal.</summary>
        public string Code { get; }
    }
}
