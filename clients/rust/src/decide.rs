use crate::clock::TrustedClock;
use crate::file::LicenseFile;
use crate::state::{Problem, Source, State, Status};
use crate::stored::StoredState;
use crate::terms::Terms;
use crate::time::{iso_in, Time, DAY};

/// The outcome of the last call in this process.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    NotAsked,
    Good,
    /// `since` is the time of the last good answer before it.
    Trouble {
        problem: Problem,
        since: i64,
    },
    Waiting,
    Released,
}

/// The time for which an answer counts in the process that received it, if only signed files count beyond that.
const IN_MEMORY: i64 = DAY;

/// The time by which the grace may exceed the expiry, because an outage may delay a renewal.
const LEEWAY: i64 = 3 * DAY;

/// The end of a right without one.
const NO_END: i64 = i64::MAX;

/// Everything that decides the state, but for the time.
pub(crate) struct Known {
    pub stored: StoredState,
    /// The verified file, which may have expired.
    pub file: Option<LicenseFile>,
    /// Whether only the file counts, not the rest of the stored state.
    pub needs_file: bool,
    /// The time of this process's last good answer.
    pub answered_at: Option<i64>,
    pub outcome: Outcome,
    pub grace: i64,
    pub covers_build: bool,
    pub terms: Option<Terms>,
    pub storage_problem: Option<String>,
    pub clock: TrustedClock,
}

impl Known {
    /// The time until which the app may run without another answer; none without a right.
    fn right_until(&self) -> Option<i64> {
        let file = self.file.as_ref().map(|file| file.expires.map_or(NO_END, Time::millis));
        let answer = if self.needs_file {
            self.answered_at.map(|at| at + IN_MEMORY)
        } else {
            self.stored.last_good_at.map(|at| at + self.grace)
        };
        file.max(answer.map(|end| self.with_leeway(end)))
    }

    fn with_leeway(&self, end: i64) -> i64 {
        let Some(facts) = &self.stored.facts else { return end };
        let Some(expires) = facts.expires() else { return end };
        let last = iso_in(facts.grace_until.as_deref()).map_or(expires, |grace| grace.max(expires));
        end.min(last + LEEWAY)
    }

    /// The state at this moment.
    pub fn decide(&self) -> State {
        State {
            status: self.status(),
            facts: self.stored.facts.as_ref().map(|facts| facts.shown()),
            clock: self.clock.condition(),
            storage_problem: self.storage_problem.clone(),
        }
    }

    /// The first rule that fits decides.
    fn status(&self) -> Status {
        let now = self.clock.now();
        let until = self.right_until();
        let has_right = until.is_some_and(|until| until > now);
        let licensed = |source| Status::Licensed { source, until: until.filter(|end| *end != NO_END).map(Time::of) };
        if let Some(tombstone) = &self.stored.tombstone {
            return Status::Refused { why: tombstone.code.clone(), since: Some(Time::of(tombstone.at)) };
        }
        if self.stored.license_key.is_none() && self.file.is_none() {
            return Status::Unlicensed;
        }
        if !self.covers_build {
            return Status::Refused { why: "update_not_covered".into(), since: None };
        }
        if self.outcome == Outcome::Good {
            return licensed(Source::Server);
        }
        if has_right && self.file.as_ref().is_some_and(|file| file.purpose != "grace") {
            return licensed(Source::Stored);
        }
        match &self.outcome {
            Outcome::Waiting => Status::Waiting,
            Outcome::Released => Status::Released,
            Outcome::NotAsked if has_right => licensed(Source::Stored),
            Outcome::Trouble { problem, since } => trouble(until, now, problem.clone(), *since),
            _ => trouble(until, now, Problem::new("not_asked", "the service was not asked yet"), now),
        }
    }
}

/// The state of an app whose service cannot be asked.
fn trouble(until: Option<i64>, now: i64, problem: Problem, since: i64) -> Status {
    match until {
        Some(until) if until > now => Status::Grace { until: Time::of(until), since: Time::of(since), problem },
        _ => Status::Lapsed { since: Time::of(until.unwrap_or(since)), problem },
    }
}
