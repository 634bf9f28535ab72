using System;
using System.Collections.Generic;

namespace Latchkey
{
    /// <summary>
    /// Everything known about the license on this machine: the stored state, the verified file, and the outcome of the
    /// last call. Callers run one method at a time.
    /// </summary>
    internal sealed class LicenseRecord
    {
        private readonly LatchkeyOptions options;
        private readonly Build build;
        private string fingerprintProblem;
        private Problem problem;
        private long problemSince;

        /// <summary>The time of this process's last good answer.</summary>
        private long? answeredAt;

        /// <summary>The terms in this process's last good answer.</summary>
        private Terms answeredTerms;
        private int failures;
        private int polls;

        /// <summary>By the monotonic clock: no call before it, even if the user asks for one.</summary>
        private long notBefore;

        internal LicenseRecord(LatchkeyOptions options, Keeper keeper)
        {
            this.options = options;
            build = new Build(options.BuildDate, options.Version);
            Keeper = keeper;
            Clock = new TrustedClock(options.Clock);
        }

        internal Keeper Keeper { get; }

        internal TrustedClock Clock { get; }

        internal StoredState Stored { get; private set; } = new StoredState();

        /// <summary>The verified file, which may have expired; null without one.</summary>
        internal LicenseFile File { get; private set; }

        /// <summary>Null before a load that found it.</summary>
        internal string Fingerprint { get; private set; }

        internal Outcome Outcome { get; private set; }

        /// <summary>The number of outcomes that began.</summary>
        internal int Outcomes { get; private set; }

        internal long Now
        {
            get { return Clock.Now; }
        }

        /// <summary>Whether only a signed file lets the app go on without the service.</summary>
        internal bool NeedsFile
        {
            get { return options.PublicKeys.Count > 0; }
        }

        internal bool CoversBuild
        {
            get
            {
                var terms = TermsOf();
                return terms == null || terms.Cover(build);
            }
        }

        /// <summary>The problem of the last call, as the answer to another one.</summary>
        internal Problem Problem
        {
            get { return problem; }
        }

        /// <summary>The time until the service may be asked again.</summary>
        internal long Pause
        {
            get { return Math.Max(0, notBefore - options.Clock.Monotonic); }
        }

        /// <summary>The outcome without a free slot: no seat is free, or the machine has no slot any more.</summary>
        internal Outcome LostSlot
        {
            get { return Stored.IsFloating ? Outcome.Waiting : Outcome.Released; }
        }

        /// <summary>What decides the state, at this moment.</summary>
        internal Decision Known()
        {
            return new Decision
            {
                Stored = Stored,
                File = File,
                NeedsFile = NeedsFile,
                AnsweredAt = answeredAt,
                Outcome = Outcome,
                Problem = problem,
                Since = problemSince,
                Grace = Times.Of(Stored.IsFloating ? options.FloatingGrace : options.Grace),
                CoversBuild = CoversBuild,
                Terms = TermsOf(),
                StorageProblem = Keeper.Problem ?? fingerprintProblem,
                Clock = Clock.Copy(),
            };
        }

        /// <summary>The time until the next check; null if there is nothing to check.</summary>
        internal long? UntilCheck()
        {
            if (fingerprintProblem != null) return Times.Minute;
            if (Stored.LicenseKey != null) return Math.Max(Pause, UntilNextCheck(options.Random()));
            return Keeper.IsUnread ? Times.Minute : (long?)null;
        }

        /// <summary>
        /// Reads the stored state, which another process may have changed, and verifies its file. The rest of the
        /// stored state counts also without a fingerprint.
        /// </summary>
        /// <returns>
        /// The failure without a fingerprint, without which no call and no file is of use; else null.
        /// </returns>
        internal NoFingerprintException Load()
        {
            var wasNamed = Fingerprint != null;
            var failure = FindFingerprint();
            var before = Stored;
            Adopt(Keeper.Read());
            Clock.Restore(Stored.Times);
            if (Stored.LacksTimes)
            {
                // Only in this case, as these moments may come from a clock that was ahead and has been corrected.
                Clock.AtLeast(Stored.Latest);
                Clock.AtLeast(Keeper.Shared?.WrittenAt());
            }
            var isNew = Clock.Look();
            if (!wasNamed || Stored.File != before.File) ReadFile();
            if (isNew && (Stored.LicenseKey != null || File != null)) Keep(state => { });
            return failure;
        }

        /// <exception cref="NoFingerprintException">The fingerprint cannot be found.</exception>
        internal void LoadOrThrow()
        {
            var failure = Load();
            if (failure != null) throw failure;
        }

        /// <summary>
        /// The content of a license file for this machine. Without <c>now</c>, an expired file passes.
        /// </summary>
        /// <exception cref="BadLicenseFileException">The file is not valid here.</exception>
        internal LicenseFile Verify(string text, long? now, IEnumerable<string> keyLists)
        {
            var keys = SignedText.FollowLists(options, keyLists, out var used);
            return LicenseFile.Verify(text, keys, options.Issuer, options.ProductId, Fingerprint, now);
        }

        internal bool IsGenuine(string text, IEnumerable<string> keyLists)
        {
            try
            {
                return Verify(text, null, keyLists) != null;
            }
            catch (BadLicenseFileException)
            {
                return false;
            }
        }

        /// <summary>
        /// Stores changes of the present state, which another process may have changed. Returns false if another
        /// process has stored another license, which stays then.
        /// </summary>
        internal bool Keep(Action<StoredState> change)
        {
            var licenseKey = Stored.LicenseKey;
            var times = Clock.Times;
            TakeOver(Keeper.Update(present =>
            {
                if (present.LicenseKey != licenseKey) return null;
                var state = present.Copy();
                change(state);
                state.Times = times;
                return state;
            }));
            return Stored.LicenseKey == licenseKey;
        }

        /// <summary>Replaces the stored state.</summary>
        internal void Replace(StoredState state)
        {
            ForgetLicense();
            if (!state.IsEmpty) state.Times = Clock.Times;
            TakeOver(Keeper.Update(present => state));
        }

        /// <summary>Takes over a good answer.</summary>
        internal void Accept(Called called, StoredFacts facts, Action<StoredState> change)
        {
            Clock.Learn(called.ServerTime);
            ForgetOutcome();
            answeredTerms = Terms.OfFacts(facts);
            var now = Now;
            Outcome = Outcome.Good;
            answeredAt = now;
            var ends = Times.ReadIso(called.Reply.Text("sessionExpiresAt"));
            // The end is by the clock of the service.
            var seat = ends == null ? null : new Seat(ends.Value + now - (called.ServerTime ?? now), now);
            Keep(state =>
            {
                state.Facts = facts;
                state.LastGoodAt = now;
                state.Tombstone = null;
                state.Seat = seat;
                change(state);
            });
        }

        /// <summary>Withdraws the app's right to run until the service accepts the license again.</summary>
        internal void Refuse(string code)
        {
            var now = Now;
            Withdraw(Outcome.NotAsked, state =>
            {
                state.File = null;
                state.Tombstone = new Tombstone(code, now);
            });
        }

        /// <summary>
        /// Takes over that the license does not cover this build. Older builds of this machine run on, so nothing else
        /// is stored. Returns false if the coverage covers the build, which contradicts the refusal.
        /// </summary>
        internal bool LeaveUncovered(Fields reply)
        {
            if (Stored.Facts == null) return false;
            var facts = Stored.Facts.Copy();
            facts.Cover(reply);
            var terms = Terms.OfFacts(facts);
            if (terms.Cover(build)) return false;
            if (Keep(state => state.Facts = facts))
            {
                Begin(Outcome.Good);
                answeredTerms = terms.WithoutFeatures();
            }
            return true;
        }

        /// <summary>Takes over that no seat is free, or that the machine has no slot any more.</summary>
        internal void Lose(Outcome outcome)
        {
            polls++;
            // An operator's file is for a machine without a network, and stays valid.
            var file = File != null && File.Purpose != "grace" ? Stored.File : null;
            Withdraw(outcome, state => state.File = file);
        }

        /// <summary>Takes over that there was no answer, or an inconclusive one.</summary>
        internal void Miss(Problem missed, long? retryAfter = null)
        {
            failures++;
            notBefore = options.Clock.Monotonic + (retryAfter ?? 0);
            // Disconnecting does not restore a lost seat.
            if (Outcome == Outcome.Waiting || Outcome == Outcome.Released) return;
            if (Outcome != Outcome.Problem) problemSince = answeredAt ?? Stored.LastGoodAt ?? Now;
            Outcome = Outcome.Problem;
            problem = missed;
            Outcomes++;
        }

        private long UntilNextCheck(double random)
        {
            var isRefused = Stored.Tombstone != null || (Outcome == Outcome.Good && !CoversBuild);
            if (isRefused || Outcome == Outcome.Released) return Schedule.UntilRefusedCheck(random);
            if (Outcome == Outcome.NotAsked) return 0;
            if (Outcome == Outcome.Waiting) return Schedule.UntilSeatPoll(polls, random);
            if (Outcome == Outcome.Problem) return Schedule.UntilRetry(failures, Stored.IsFloating, random);
            if (!Stored.IsFloating) return Schedule.UntilDailyCheck(random);
            var left = Stored.Seat == null ? (long?)null : Stored.Seat.Until - Now;
            return Schedule.UntilHeartbeat(Times.Of(options.Heartbeat), left, random);
        }

        /// <summary>
        /// The terms of an answer, else of the signed file, else of the stored facts if no signed file is needed.
        /// </summary>
        private Terms TermsOf()
        {
            if (answeredTerms != null) return answeredTerms;
            if (File != null) return Terms.OfFile(File);
            return NeedsFile || Stored.Facts == null ? null : Terms.OfFacts(Stored.Facts);
        }

        private NoFingerprintException FindFingerprint()
        {
            if (Fingerprint != null) return null;
            try
            {
                var found = options.Fingerprint();
                if (string.IsNullOrEmpty(found)) throw new InvalidOperationException("it is empty");
                Fingerprint = found;
                fingerprintProblem = null;
                return null;
            }
            catch (Exception error)
            {
                var failure = new NoFingerprintException(error);
                fingerprintProblem = failure.Message;
                return failure;
            }
        }

        /// <summary>Verifies the stored file. One that is not genuine counts for nothing, and stays stored.</summary>
        private void ReadFile()
        {
            File = null;
            if (Stored.File == null || Fingerprint == null) return;
            try
            {
                File = Verify(Stored.File, null, Stored.KeyLists);
                Clock.AtLeast(File.IssuedSeconds * Times.Second);
            }
            catch (BadLicenseFileException)
            {
            }
        }

        private void TakeOver(StoredState state)
        {
            var file = Stored.File;
            Adopt(state);
            if (state.File != file) ReadFile();
        }

        /// <summary>Takes over a state. Answers about one license say nothing of another.</summary>
        private void Adopt(StoredState state)
        {
            if (state.LicenseKey != Stored.LicenseKey) ForgetLicense();
            Stored = state;
        }

        private void ForgetLicense()
        {
            ForgetOutcome();
            answeredTerms = null;
        }

        private void ForgetOutcome()
        {
            Begin(Outcome.NotAsked);
            polls = 0;
        }

        /// <summary>Begins an outcome, without the failures before it.</summary>
        private void Begin(Outcome outcome)
        {
            Outcome = outcome;
            Outcomes++;
            answeredAt = null;
            failures = 0;
            notBefore = 0;
        }

        private void Withdraw(Outcome outcome, Action<StoredState> change)
        {
            var isKept = Keep(state =>
            {
                state.LastGoodAt = null;
                state.Seat = null;
                change(state);
            });
            if (isKept) Begin(outcome);
        }
    }
}
