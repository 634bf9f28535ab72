use crate::clock::TrustedClock;
use crate::decide::{Known, Outcome};
use crate::error::Error;
use crate::facts::Facts;
use crate::file::{verify_license_file, LicenseFile, PublicKey, ReadOptions};
use crate::json::Object;
use crate::keeper::Keeper;
use crate::keys::follow_key_lists;
use crate::options::Options;
use crate::schedule::{until_daily_check, until_heartbeat, until_refused_check, until_retry, until_seat_poll};
use crate::state::Problem;
use crate::stored::{Seat, StoredState, Tombstone};
use crate::terms::{Build, Terms};
use crate::time::{iso_in, millis_of, MINUTE};
use std::io;
use std::sync::Arc;

/// Everything known about the license on this machine: the stored state, the verified file, and the outcome of the last
/// call.
pub(crate) struct Record {
    pub options: Arc<Options>,
    pub build: Build,
    pub keeper: Keeper,
    pub clock: TrustedClock,
    pub find_fingerprint: Box<dyn Fn() -> io::Result<String> + Send>,
    pub stored: StoredState,
    /// The verified file, which may have expired.
    pub file: Option<LicenseFile>,
    /// Empty before a load that did not fail.
    pub fingerprint: String,
    pub fingerprint_problem: Option<String>,
    pub outcome: Outcome,
    /// The time of this process's last good answer.
    pub answered_at: Option<i64>,
    /// The terms in the last good answer.
    pub answered_terms: Option<Terms>,
    pub failures: u32,
    pub polls: u32,
    /// By the monotonic clock: no call before it, even if the user asks for one.
    pub not_before: i64,
    /// Counts the outcomes that began.
    pub outcomes: u64,
}

impl Record {
    /// What decides the state, at this moment.
    pub fn known(&self) -> Known {
        let grace = if self.stored.is_floating() { self.options.floating_grace } else { self.options.grace };
        Known {
            stored: self.stored.clone(),
            file: self.file.clone(),
            needs_file: self.needs_file(),
            answered_at: self.answered_at,
            outcome: self.outcome.clone(),
            grace: millis_of(grace),
            covers_build: self.covers_build(),
            terms: self.terms(),
            storage_problem: self.keeper.problem().map(str::to_owned).or(self.fingerprint_problem.clone()),
            clock: self.clock.clone(),
        }
    }

    /// Those of an answer, else of the signed file, else of the stored facts if no signed file is needed.
    fn terms(&self) -> Option<Terms> {
        if self.answered_terms.is_some() {
            return self.answered_terms.clone();
        }
        match &self.file {
            Some(file) => Some(Terms::of_file(file)),
            None if self.needs_file() => None,
            None => self.stored.facts.as_ref().map(Facts::terms),
        }
    }

    pub fn covers_build(&self) -> bool {
        self.terms().is_none_or(|terms| terms.covers(&self.build))
    }

    pub fn now(&self) -> i64 {
        self.clock.now()
    }

    /// Whether only a signed file lets the app go on without the service.
    pub fn needs_file(&self) -> bool {
        !self.options.public_keys.is_empty()
    }

    /// The problem of the last call; none if it had an answer, and while the machine has lost its slot.
    pub fn problem(&self) -> Option<&Problem> {
        match &self.outcome {
            Outcome::Trouble { problem, .. } => Some(problem),
            _ => None,
        }
    }

    /// The time until the service may be asked again.
    pub fn pause(&self) -> i64 {
        (self.not_before - self.options.clock.monotonic()).max(0)
    }

    /// The time until the next check; none if there is nothing to check.
    pub fn until_check(&self) -> Option<i64> {
        if self.fingerprint_problem.is_some() {
            Some(MINUTE)
        } else if self.stored.license_key.is_some() {
            Some(self.pause().max(self.until_next_check((self.options.random)())))
        } else {
            self.keeper.is_unread().then_some(MINUTE)
        }
    }

    fn until_next_check(&self, random: f64) -> i64 {
        let is_floating = self.stored.is_floating();
        if self.stored.tombstone.is_some() || (self.outcome == Outcome::Good && !self.covers_build()) {
            return until_refused_check(random);
        }
        match &self.outcome {
            Outcome::Released => until_refused_check(random),
            Outcome::NotAsked => 0,
            Outcome::Waiting => until_seat_poll(self.polls, random),
            Outcome::Trouble { .. } => until_retry(self.failures, is_floating, random),
            Outcome::Good if !is_floating => until_daily_check(random),
            Outcome::Good => {
                let left = self.stored.seat.map(|seat| seat.until - self.now());
                until_heartbeat(millis_of(self.options.heartbeat), left, random)
            }
        }
    }

    /// Reads the stored state, which another process may have changed, and verifies its file. It fails without a
    /// fingerprint, as no call and no file is of use without one; the rest of the stored state counts nevertheless.
    pub fn load(&mut self) -> Result<(), Error> {
        let was_named = !self.fingerprint.is_empty();
        let named = self.name();
        let file = self.stored.file.clone();
        let state = self.keeper.read();
        self.adopt(state);
        self.clock.restore(self.stored.times);
        if self.stored.lacks_times() {
            // Only in this case, as these moments may come from a clock that was ahead and has been corrected.
            self.clock.at_least(self.stored.latest());
            self.clock.at_least(self.keeper.folder().and_then(|folder| folder.written_at()));
        }
        let is_new = self.clock.look();
        if !was_named || self.stored.file != file {
            self.read_file();
        }
        if is_new && (self.stored.license_key.is_some() || self.file.is_some()) {
            self.keep(|_| {});
        }
        named
    }

    /// Finds the fingerprint.
    fn name(&mut self) -> Result<(), Error> {
        if self.fingerprint.is_empty() {
            let found = (self.find_fingerprint)().map_err(|cause| cause.to_string());
            let found = found.and_then(|found| if found.is_empty() { Err("it is empty".into()) } else { Ok(found) });
            let named = found.map_err(Error::NoFingerprint);
            self.fingerprint_problem = named.as_ref().err().map(Error::to_string);
            self.fingerprint = named?;
        }
        Ok(())
    }

    /// Verifies the stored file. One that is not genuine counts for nothing, and stays stored.
    fn read_file(&mut self) {
        self.file = None;
        let Some(text) = self.stored.file.as_deref().filter(|_| !self.fingerprint.is_empty()) else { return };
        if let Ok(file) = self.verify(text, None, &self.stored.key_lists) {
            self.clock.at_least(Some(file.issued.millis()));
            self.file = Some(file);
        }
    }

    /// The content of a license file for this machine. Without `now`, an expired file passes.
    pub fn verify(&self, text: &str, now: Option<i64>, key_lists: &[String]) -> Result<LicenseFile, Error> {
        let expected = ReadOptions {
            public_keys: self.follow(key_lists).0,
            issuer: self.options.issuer.clone().unwrap_or_default(),
            product_id: self.options.product_id.clone(),
            fingerprint: Some(self.fingerprint.clone()),
            now: None,
        };
        verify_license_file(text, &expected, now)
    }

    /// The known keys, and the lists that led to them.
    pub fn follow(&self, key_lists: &[String]) -> (Vec<PublicKey>, Vec<String>) {
        let Options { public_keys, issuer, stolen_keys, .. } = &*self.options;
        follow_key_lists(public_keys, issuer.as_deref().unwrap_or_default(), key_lists, stolen_keys)
    }

    /// Stores changes of the present state, which another process may have changed. Returns false if another process has
    /// stored another license, which stays then.
    pub fn keep(&mut self, change: impl Fn(&mut StoredState)) -> bool {
        let (license_key, times) = (self.stored.license_key.clone(), self.clock.times);
        let state = self.keeper.update(|mut present| {
            if present.license_key != license_key {
                return None;
            }
            change(&mut present);
            present.times = times;
            Some(present)
        });
        self.take_over(state);
        self.stored.license_key == license_key
    }

    /// Replaces the stored state.
    pub fn replace(&mut self, mut state: StoredState) {
        self.forget_license();
        if !state.is_empty() {
            state.times = self.clock.times;
        }
        let kept = self.keeper.update(|_| Some(state.clone()));
        self.take_over(kept);
    }

    fn take_over(&mut self, state: StoredState) {
        let is_other_file = state.file != self.stored.file;
        self.adopt(state);
        if is_other_file {
            self.read_file();
        }
    }

    /// Takes over a state. Answers about one license say nothing of another.
    fn adopt(&mut self, state: StoredState) {
        if state.license_key != self.stored.license_key {
            self.forget_license();
        }
        self.stored = state;
    }

    fn forget_license(&mut self) {
        self.forget_outcome();
        self.answered_terms = None;
    }

    fn forget_outcome(&mut self) {
        self.begin(Outcome::NotAsked);
        self.polls = 0;
    }

    /// Begins an outcome, without the failures before it.
    fn begin(&mut self, outcome: Outcome) {
        self.outcome = outcome;
        self.outcomes += 1;
        self.answered_at = None;
        self.failures = 0;
        self.not_before = 0;
    }

    /// Takes over a good answer.
    pub fn accept(
        &mut self,
        reply: &Object,
        server_time: Option<i64>,
        given: Facts,
        change: impl Fn(&mut StoredState),
    ) {
        self.clock.learn(server_time);
        self.forget_outcome();
        self.answered_terms = Some(given.terms());
        let now = self.now();
        self.outcome = Outcome::Good;
        self.answered_at = Some(now);
        // The end of the seat is by the clock of the service.
        let ends = iso_in(reply.get("sessionExpiresAt").and_then(|ends| ends.as_str()));
        let seat = ends.map(|ends| Seat { until: ends + server_time.map_or(0, |time| now - time), beat_at: now });
        self.keep(|state| {
            state.facts = Some(given.clone());
            state.last_good_at = Some(now);
            state.tombstone = None;
            state.seat = seat;
            change(state);
        });
    }

    /// Withdraws the app's right to run until the service accepts the license again.
    pub fn refuse(&mut self, code: &str) {
        let now = self.now();
        self.withdraw(Outcome::NotAsked, |state| {
            state.file = None;
            state.tombstone = Some(Tombstone { code: code.into(), at: now });
        });
    }

    /// Takes over that the license does not cover this build. Older builds of this machine run on, so nothing else is
    /// stored. Returns false if the coverage covers the build, which contradicts the refusal.
    pub fn leave_uncovered(&mut self, reply: &Object) -> bool {
        let Some(mut given) = self.stored.facts.clone() else { return false };
        given.cover(reply);
        let stated = Terms { features: None, ..given.terms() };
        if stated.covers(&self.build) {
            return false;
        }
        if self.keep(|state| state.facts = Some(given.clone())) {
            self.begin(Outcome::Good);
            self.answered_terms = Some(stated);
        }
        true
    }

    /// Takes over that no seat of a floating license is free, or that the machine has no slot any more.
    pub fn lose_slot(&mut self) {
        self.lose(if self.stored.is_floating() { Outcome::Waiting } else { Outcome::Released });
    }

    pub fn lose(&mut self, kind: Outcome) {
        self.polls += 1;
        // An operator's file is for a machine without a network, and stays valid.
        let keeps_file = self.file.as_ref().is_some_and(|file| file.purpose != "grace");
        let file = self.stored.file.clone().filter(|_| keeps_file);
        self.withdraw(kind, |state| state.file.clone_from(&file));
    }

    fn withdraw(&mut self, outcome: Outcome, change: impl Fn(&mut StoredState)) {
        let is_kept = self.keep(|state| {
            state.last_good_at = None;
            state.seat = None;
            change(state);
        });
        if is_kept {
            self.begin(outcome);
        }
    }

    /// Takes over that there was no answer, or an inconclusive one.
    pub fn miss(&mut self, problem: Problem, retry_after: Option<i64>) {
        self.failures += 1;
        self.not_before = self.options.clock.monotonic() + retry_after.unwrap_or(0);
        let since = match &self.outcome {
            // Disconnecting does not restore a lost seat.
            Outcome::Waiting | Outcome::Released => return,
            Outcome::Trouble { since, .. } => *since,
            _ => self.answered_at.or(self.stored.last_good_at).unwrap_or_else(|| self.now()),
        };
        self.outcome = Outcome::Trouble { problem, since };
        self.outcomes += 1;
    }
}
