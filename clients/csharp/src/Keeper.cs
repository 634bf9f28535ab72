using System;

namespace Latchkey
{
    /// <summary>
    /// Keeps the state in the storage. If that fails, it keeps it in memory, because a full disk must not stop a
    /// customer.
    /// </summary>
    internal sealed class Keeper
    {
        private readonly IStorage storage;
        private readonly Action<string> warn;

        /// <summary>The last state known to this process; null before the first reading.</summary>
        private StoredState last;

        /// <summary>The text that was read or written last; null for none.</summary>
        private string text;

        /// <summary>The unreadable text that was set aside.</summary>
        private string broken;

        /// <summary>Whether the last write failed, so that the last state is newer than the stored one.</summary>
        private bool isAhead;

        internal Keeper(IStorage storage, Action<string> warn)
        {
            this.storage = storage;
            this.warn = warn;
            Shared = storage as ISharedStorage;
        }

        /// <summary>The storage, if several processes share it, else null.</summary>
        internal ISharedStorage Shared { get; }

        /// <summary>Whether every reading has failed so far, as with a locked keychain.</summary>
        internal bool IsUnread { get; private set; }

        /// <summary>Why the state cannot be read or written; null if it can.</summary>
        internal string Problem { get; private set; }

        /// <summary>
        /// Whether the stored text is neither the one that was read last nor the one that was written last.
        /// </summary>
        internal bool IsChanged
        {
            get
            {
                try
                {
                    return storage.Read() != text;
                }
                catch (Exception)
                {
                    return true;
                }
            }
        }

        private StoredState Known
        {
            get { return last ?? new StoredState(); }
        }

        /// <summary>The present state, which another process may have changed.</summary>
        internal StoredState Read()
        {
            if (isAhead && last != null) return last;
            string stored;
            try
            {
                stored = storage.Read();
            }
            catch (Exception error)
            {
                Failed("read", error);
                IsUnread = last == null;
                return Known;
            }
            Problem = null;
            IsUnread = false;
            text = stored;
            var state = stored == null ? new StoredState() : StoredState.Read(stored);
            if (state == null) SetAside(stored);
            last = state ?? Known;
            return last;
        }

        /// <summary>
        /// Makes the next state of the present one, or leaves it for null. Returns the present state after that.
        /// </summary>
        internal StoredState Update(Func<StoredState, StoredState> next)
        {
            StoredState present = null;
            Action change = () =>
            {
                present = Read();
                var state = next(present);
                if (state != null) present = Store(state);
            };
            try
            {
                if (Shared == null) change();
                else Shared.Exclusively(change);
                return present;
            }
            catch (Exception error)
            {
                isAhead = true;
                Failed("write", error);
                return Known;
            }
        }

        private StoredState Store(StoredState state)
        {
            last = state;
            var written = state.IsEmpty ? null : state.Write();
            if (written == null) storage.Remove();
            else storage.Write(written);
            text = written;
            Problem = null;
            isAhead = false;
            return state;
        }

        private void SetAside(string unreadable)
        {
            Problem = "the stored state cannot be read";
            if (broken == unreadable) return;
            broken = unreadable;
            warn(Problem);
            Shared?.SetAside(unreadable);
        }

        private void Failed(string what, Exception error)
        {
            var isNew = Problem == null;
            Problem = "cannot " + what + " the state: " + error.Message;
            if (isNew) warn(Problem);
        }
    }
}
