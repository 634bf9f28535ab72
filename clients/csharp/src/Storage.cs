using System;

namespace Latchkey
{
    /// <summary>Stores one text between starts. If a function throws, the client goes on in memory.</summary>
    public interface IStorage
    {
        /// <summary>The text of the last write; null without any.</summary>
        string Read();

        /// <summary>Replaces the whole text.</summary>
        void Write(string text);

        /// <summary>Removes the text.</summary>
        void Remove();
    }

    /// <summary>
    /// Keeps the state for the life of the process: for tests, and for servers that activate at each start.
    /// </summary>
    public sealed class MemoryStorage : IStorage
    {
        private string stored;

        /// <inheritdoc/>
        public string Read()
        {
            return stored;
        }

        /// <inheritdoc/>
        public void Write(string text)
        {
            stored = text;
        }

        /// <inheritdoc/>
        public void Remove()
        {
            stored = null;
        }
    }

    /// <summary>A storage that several processes of a machine share.</summary>
    internal interface ISharedStorage : IStorage
    {
        /// <summary>Makes a change, a reading and a writing, while no other process makes one.</summary>
        void Exclusively(Action change);

        /// <summary>Copies an unreadable text, for support to inspect.</summary>
        void SetAside(string text);

        /// <summary>The time of the last write by the machine's clock; null if it is unknown.</summary>
        long? WrittenAt();

        /// <summary>Records that this client is alive.</summary>
        void Beat();

        /// <summary>Removes the record of this client. Returns whether it was the last one of the machine.</summary>
        bool Leave();
    }
}
