use crate::time::Time;
use serde_json::{Map, Value};

/// Why there is no answer, or none of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// `network`, `tls` and `timeout` (the connection), `answer` (not the service's), `busy` (the service asks to wait),
    /// `license_not_found` and `token` (the service has lost data), `request` (the service considers the request
    /// invalid), `clock` (the license has expired by a clock of the service that is ahead), or `not_asked`.
    pub kind: &'static str,
    /// English, for a log, without any secret.
    pub detail: String,
}

impl Problem {
    pub(crate) fn new(kind: &'static str, detail: impl Into<String>) -> Self {
        Problem { kind, detail: detail.into() }
    }
}

/// What licenses the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The last answer of the service.
    Server,
    /// The stored state: a license file, or a former answer.
    Stored,
}

/// The clock of the machine compared with the time of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockCondition {
    /// They differ by a day at most.
    Right,
    /// The machine's clock is ahead.
    Ahead,
    /// The machine's clock is behind.
    Behind,
}

/// The kind of a [`State`], with the fields of this kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// No license key and no license file is stored.
    Unlicensed,
    /// The license is valid.
    Licensed {
        /// What licenses the app.
        source: Source,
        /// The end without another answer; none for no end.
        until: Option<Time>,
    },
    /// The service cannot be asked, and the app goes on.
    Grace {
        /// The end of the grace.
        until: Time,
        /// The time of the last good answer.
        since: Time,
        /// The cause.
        problem: Problem,
    },
    /// The service cannot be asked, and nothing licenses the app any more.
    Lapsed {
        /// The end of the right to run, or the begin of the problem.
        since: Time,
        /// The cause.
        problem: Problem,
    },
    /// Every seat of the floating license is taken.
    Waiting,
    /// The machine has lost its slot, and none is free for it.
    Released,
    /// The service refused the license, or the license does not cover this build.
    Refused {
        /// The code of the refusal, such as `license_revoked`; `update_not_covered` for a build that is not covered.
        why: String,
        /// The time of the refusal; none for a build that is not covered.
        since: Option<Time>,
    },
}

impl Status {
    /// The name of the status, as the pages of the service have it.
    pub fn name(&self) -> &'static str {
        match self {
            Status::Unlicensed => "unlicensed",
            Status::Licensed { .. } => "licensed",
            Status::Grace { .. } => "grace",
            Status::Lapsed { .. } => "lapsed",
            Status::Waiting => "waiting",
            Status::Released => "released",
            Status::Refused { .. } => "refused",
        }
    }
}

/// The known facts about the license, for display.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LicenseFacts {
    /// The last group of the license key.
    pub license_key_hint: String,
    /// The product of the license.
    pub product_id: String,
    /// The variant of the product.
    pub variant: Option<String>,
    /// Such as `per-machine` and `floating`.
    pub license_type: Option<String>,
    /// None for a perpetual license.
    pub license_expires_at: Option<Time>,
    /// Whole days until the expiry.
    pub days_remaining: Option<i64>,
    /// Activated machines.
    pub machines_used: Option<i64>,
    /// -1 for no limit.
    pub max_machines: Option<i64>,
    /// The end of the time that is lent after the expiry.
    pub grace_until: Option<Time>,
    /// Builds until this date are covered.
    pub updates_until: Option<Time>,
    /// Versions up to this one are covered.
    pub max_version: Option<String>,
    /// Features of the types bool, number and text; none if they are not known.
    pub features: Option<Map<String, Value>>,
}

/// The state of the license on this machine.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct State {
    /// The kind of the state.
    pub status: Status,
    /// Facts about the license; none before a key was accepted.
    pub facts: Option<LicenseFacts>,
    /// Whether the machine's clock is right.
    pub clock: ClockCondition,
    /// Why the stored state cannot be read or written; the app goes on in memory.
    pub storage_problem: Option<String>,
}

impl State {
    /// Decides whether the app works: licensed or in grace.
    pub fn may_run(&self) -> bool {
        matches!(self.status, Status::Licensed { .. } | Status::Grace { .. })
    }
}

/// A use of a meter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The name of the meter.
    pub meter: String,
    /// All are counted, or none. 0 units only ask.
    pub units: u64,
    /// Names the use, which is counted once within 48 hours; the client makes an id if it is absent.
    pub request_id: Option<String>,
}

impl Use {
    /// A use that the client names.
    pub fn new(meter: impl Into<String>, units: u64) -> Self {
        Use { meter: meter.into(), units, request_id: None }
    }
}

/// The outcome of a use of a meter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consumption {
    /// The service counted the use.
    Counted {
        /// The meter.
        meter: String,
        /// The units of the present period.
        used: i64,
        /// -1 for no limit.
        limit: i64,
        /// None for no limit.
        remaining: Option<i64>,
        /// The begin of the next period; none if no further one begins.
        resets_at: Option<Time>,
    },
    /// The service did not answer: the use is stored, and is sent later.
    Queued(Use),
}

/// A stored use that the service refused when it was sent. It was not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedUse {
    /// The use.
    pub refused: Use,
    /// The code of the refusal.
    pub code: String,
}
