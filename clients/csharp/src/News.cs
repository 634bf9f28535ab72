using System;
using System.Collections.Generic;
using System.Threading;

namespace Latchkey
{
    /// <summary>
    /// Calls the listeners in the order of the events, and outside of operations, so that they may call the client: in
    /// the context of a thread, or without one in the thread that found the event.
    /// </summary>
    internal sealed class News
    {
        private readonly Queue<Action> waiting = new Queue<Action>();
        private readonly SynchronizationContext context;
        private readonly Action<string> warn;
        private bool isTelling;

        internal News(SynchronizationContext context, Action<string> warn)
        {
            this.context = context;
            this.warn = warn;
        }

        internal void Add(Action tell)
        {
            lock (waiting) waiting.Enqueue(tell);
        }

        /// <summary>Tells everything that waits, unless a caller up the stack or another thread does.</summary>
        internal void Tell()
        {
            lock (waiting)
            {
                if (isTelling) return;
                isTelling = true;
            }
            for (;;)
            {
                Action tell;
                lock (waiting)
                {
                    isTelling = waiting.Count > 0;
                    if (!isTelling) return;
                    tell = waiting.Dequeue();
                }
                if (context == null) Call(tell);
                else context.Post(ignored => Call(tell), null);
            }
        }

        private void Call(Action tell)
        {
            try
            {
                tell();
            }
            catch (Exception error)
            {
                // It would end the checks.
                warn("a listener threw: " + error.Message);
            }
        }
    }
}
