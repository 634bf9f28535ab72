using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Latchkey
{
    /// <summary>License files that the client fetches.</summary>
    internal sealed partial class Session
    {
        /// <summary>The pause before another request for a license file that could not be had.</summary>
        private const long FilePause = Times.Hour;

        /// <summary>
        /// Fetches a newer license file when it is due. On failure nothing changes, and the app goes on with its
        /// present one.
        /// </summary>
        private async Task RenewFileAsync(CancellationToken cancellationToken)
        {
            var licenseKey = record.Stored.LicenseKey;
            var token = record.Stored.Token;
            var isAsked = record.NeedsFile && record.CoversBuild && record.Outcome == Outcome.Good;
            if (!isAsked || licenseKey == null || token == null) return;
            if (Monotonic < fileNotBefore || !IsFileDue()) return;
            fileNotBefore = Monotonic + FilePause;
            var called = await CallAsync("/issueLicenseFile", licenseKey, token, null, cancellationToken).ConfigureAwait(false);
            if (called.Code == "license_files_not_offered") fileNotBefore = Monotonic + Times.Day;
            if (!called.IsGood) return;
            var text = called.Reply.Text("licenseFile");
            var keyLists = await KeyListsForAsync(text, cancellationToken).ConfigureAwait(false);
            if (keyLists == null) return;
            record.Keep(state =>
            {
                state.File = text;
                state.KeyLists = keyLists;
            });
            fileNotBefore = 0;
        }

        /// <summary>
        /// Whether none is stored, its renewal has come, the license or its key has changed, or the file is from the
        /// future.
        /// </summary>
        private bool IsFileDue()
        {
            var file = record.File;
            if (file == null) return true;
            if (file.Purpose != "grace") return false;
            var now = record.Now;
            var facts = record.Stored.Facts;
            var isOther = Times.SecondsIn(facts?.LicenseExpiresAt) != file.LicenseExpiresSeconds
                || Times.SecondsIn(facts?.UpdatesUntil) != Json.Whole(file.Fields.Get("updatesUntil"));
            return isOther || !StoredFacts.IsKeyOfFile(record.Stored.LicenseKey, file)
                || now >= file.RenewAfterSeconds * Times.Second
                || file.IssuedSeconds * Times.Second > now + Times.Day;
        }

        /// <summary>The lists of signing keys that prove a file genuine; null if it is not.</summary>
        private async Task<IReadOnlyList<string>> KeyListsForAsync(string text, CancellationToken cancellationToken)
        {
            if (record.IsGenuine(text, record.Stored.KeyLists)) return record.Stored.KeyLists;
            var published = await line.FetchKeyListsAsync(cancellationToken).ConfigureAwait(false);
            // Published lists first: any of them leads to all keys, while the stored ones lead to some.
            return ProvingLists(text, published.Concat(record.Stored.KeyLists).ToArray());
        }

        private IReadOnlyList<string> ProvingLists(string text, IReadOnlyList<string> candidates)
        {
            if (!record.IsGenuine(text, candidates)) return null;
            SignedText.FollowLists(options, candidates, out var useful);
            return useful;
        }
    }
}
