use crate::state::ClockCondition;
use crate::time::{millis_since_1970, DAY, HOUR};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::SystemTime;

/// Tells the time of the machine. Tests replace it.
pub trait Clock: Send + Sync {
    /// The machine's clock, in milliseconds since 1970.
    fn now(&self) -> i64;
    /// Milliseconds since any moment; they never go back.
    fn monotonic(&self) -> i64;
    /// Whether `monotonic` goes on while the machine sleeps.
    fn counts_sleep(&self) -> bool;
}

pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> i64 {
        millis_since_1970(SystemTime::now())
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn monotonic(&self) -> i64 {
        let at = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        std::time::Duration::try_from(at).map_or(0, crate::time::millis_of)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn monotonic(&self) -> i64 {
        use std::sync::OnceLock;
        use std::time::Instant;
        static BEGIN: OnceLock<Instant> = OnceLock::new();
        crate::time::millis_of(BEGIN.get_or_init(Instant::now).elapsed())
    }

    fn counts_sleep(&self) -> bool {
        // On Windows `Instant` goes on during sleep, on macOS it does not.
        cfg!(any(target_os = "linux", target_os = "android", windows))
    }
}

/// A known time, and the machine's clock at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Moment {
    #[serde(deserialize_with = "crate::fields::time")]
    pub time: i64,
    #[serde(deserialize_with = "crate::fields::time")]
    pub local: i64,
}

impl Moment {
    /// Advances with the machine's clock, but does not go back with it: if that was set back, the elapsed time is unknown.
    fn counted(self, local: i64) -> i64 {
        if local >= self.local {
            self.time + local - self.local
        } else {
            self.time.max(local)
        }
    }
}

/// The newest time of the service, a later one that two readings prove, and the last reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnownTimes {
    #[serde(deserialize_with = "crate::fields::nullable")]
    pub trusted: Option<Moment>,
    #[serde(deserialize_with = "crate::fields::nullable")]
    pub confirmed: Option<Moment>,
    #[serde(deserialize_with = "crate::fields::nullable")]
    pub seen: Option<Moment>,
}

impl KnownTimes {
    pub fn are_empty(&self) -> bool {
        *self == KnownTimes::default()
    }

    /// The time by all known moments; the machine's clock without any.
    fn by(&self, local: i64) -> i64 {
        [self.trusted, self.confirmed].into_iter().flatten().map(|known| known.counted(local)).max().unwrap_or(local)
    }
}

fn is_later(known: Option<Moment>, than: Option<Moment>) -> bool {
    known.is_some_and(|known| than.is_none_or(|than| known.time > than.time))
}

/// The present time in a running process. The clock of the machine may be wrong by years, set back to extend a grace, or
/// corrected after it was wrong; so the time counts from known moments.
///
/// A clone tells the time by the moments that were known when it was made.
#[derive(Clone)]
pub(crate) struct TrustedClock {
    machine: Arc<dyn Clock>,
    pub times: KnownTimes,
    /// A moment of this process, by its monotonic clock; none before the first load.
    anchor: Option<Moment>,
}

impl TrustedClock {
    pub fn new(machine: Arc<dyn Clock>) -> Self {
        TrustedClock { machine, times: KnownTimes::default(), anchor: None }
    }

    pub fn now(&self) -> i64 {
        let Some(anchor) = self.anchor else { return self.times.by(self.machine.now()) };
        let counted = anchor.time + self.machine.monotonic() - anchor.local;
        if self.machine.counts_sleep() {
            counted
        } else {
            counted.max(self.times.by(self.machine.now()))
        }
    }

    /// Compares the machine's clock with the time.
    pub fn condition(&self) -> ClockCondition {
        match self.machine.now() - self.now() {
            ahead if ahead > DAY => ClockCondition::Ahead,
            ahead if ahead < -DAY => ClockCondition::Behind,
            _ => ClockCondition::Right,
        }
    }

    /// Takes the stored times. Later calls take over only later times, which another process learned.
    pub fn restore(&mut self, times: KnownTimes) {
        let by_stored = times.by(self.machine.now());
        if self.anchor.is_none() {
            self.know(times, by_stored);
            return;
        }
        let is_newer = is_later(times.trusted, self.times.trusted);
        if is_newer || is_later(times.confirmed, self.times.confirmed) {
            if is_newer || by_stored > self.now() {
                self.know(times, by_stored);
            } else {
                self.times = times;
            }
        }
    }

    /// Takes the time of the service, which replaces all earlier knowledge; none teaches nothing.
    pub fn learn(&mut self, server_time: Option<i64>) {
        if let Some(time) = server_time {
            let trusted = Some(Moment { time, local: self.machine.now() });
            self.know(KnownTimes { trusted, confirmed: None, seen: None }, time);
        }
    }

    /// Learns from a genuine text that was made at a time: it is no earlier now.
    pub fn at_least(&mut self, known: Option<i64>) {
        self.learn(known.filter(|known| *known > self.now()));
    }

    /// Reads the machine's clock, and returns whether there is something new to store. One reading proves nothing: a
    /// machine without a battery may start in any year. Of two readings an hour apart, the earlier one becomes a lower
    /// bound for the time, until the service tells a better one.
    pub fn look(&mut self) -> bool {
        let reading = Moment { time: self.now(), local: self.machine.now() };
        if let Some(seen) = self.times.seen.filter(|seen| reading.time >= seen.time) {
            if reading.time - seen.time < HOUR {
                return false;
            }
            self.times.confirmed = Some(seen);
        }
        self.times.seen = Some(reading);
        true
    }

    fn know(&mut self, times: KnownTimes, present: i64) {
        self.times = times;
        self.anchor = Some(Moment { time: present, local: self.machine.monotonic() });
    }
}
