//! The times of the next requests, in milliseconds. `random` is from 0 up to 1 and spreads the requests of many apps.

use crate::time::{HOUR, MINUTE, SECOND};

/// The next check of a license without seats: a day, plus or minus two hours.
pub(crate) fn until_daily_check(random: f64) -> i64 {
    (22.0 * HOUR as f64 + random * 4.0 * HOUR as f64) as i64
}

/// The next check of a refused license, which may be renewed or reinstated.
pub(crate) fn until_refused_check(random: f64) -> i64 {
    spread(HOUR as f64, random)
}

/// The next heartbeat. The seat is held for a time without one; none if that is unknown.
pub(crate) fn until_heartbeat(heartbeat: i64, seat: Option<i64>, random: f64) -> i64 {
    let third = seat.map_or(heartbeat as f64, |left| left as f64 / 3.0);
    spread((heartbeat as f64).min(third).max(SECOND as f64), random)
}

/// The next attempt after so many failures in a row.
pub(crate) fn until_retry(failures: u32, has_seat: bool, random: f64) -> i64 {
    let longest = if has_seat { MINUTE } else { HOUR };
    upper_half(longest.min((5 * SECOND) << failures.saturating_sub(1).min(20)), random)
}

/// The next request for a free seat after so many answers without one.
pub(crate) fn until_seat_poll(polls: u32, random: f64) -> i64 {
    upper_half((5 * MINUTE).min(MINUTE << polls.saturating_sub(1).min(20)), random)
}

fn upper_half(step: i64, random: f64) -> i64 {
    (step as f64 / 2.0 + random * step as f64 / 2.0) as i64
}

/// Adds or takes a tenth.
fn spread(millis: f64, random: f64) -> i64 {
    (millis * (0.9 + random * 0.2)) as i64
}
