//! Times: milliseconds since 1970 in UTC inside of this crate.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(crate) const SECOND: i64 = 1000;
pub(crate) const MINUTE: i64 = 60 * SECOND;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// The years 0 to 9999, the only ones that texts have.
const EARLIEST: i64 = -62_167_219_200_000;
const LATEST: i64 = 253_402_300_799_999;

/// A moment, in whole milliseconds of UTC, held to the years 0 to 9999.
///
/// It is written as ISO 8601; a precision cuts the text, so that `{:.10}` writes the date alone. It becomes a
/// [`SystemTime`] for the calendar of the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    pub(crate) fn of(millis: i64) -> Self {
        Time(millis.clamp(EARLIEST, LATEST))
    }

    /// Milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Time {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date_of(self.0.div_euclid(DAY));
        let rest = self.0.rem_euclid(DAY);
        let (hour, minute) = (rest / HOUR, rest % HOUR / MINUTE);
        let (second, milli) = (rest % MINUTE / SECOND, rest % SECOND);
        out.pad(&format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z"))
    }
}

impl From<Time> for SystemTime {
    fn from(time: Time) -> Self {
        let distance = Duration::from_millis(time.0.unsigned_abs());
        if time.0 < 0 {
            UNIX_EPOCH - distance
        } else {
            UNIX_EPOCH + distance
        }
    }
}

/// Writes ISO 8601 with milliseconds, held to the years 0 to 9999.
pub(crate) fn iso(millis: i64) -> String {
    Time::of(millis).to_string()
}

/// The milliseconds of a duration.
pub(crate) fn millis_of(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// The milliseconds since 1970 of a time of the system.
pub(crate) fn millis_since_1970(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => millis_of(after),
        Err(before) => -millis_of(before.duration()),
    }
}

/// The time of a text in ISO 8601, or of a day, which begins at midnight in UTC.
pub(crate) fn read_iso(text: &str) -> Option<i64> {
    let mut rest = Rest(text);
    let (year, month, day) =
        (rest.number(4)?, rest.after('-').then(|| rest.number(2))??, rest.after('-').then(|| rest.number(2))??);
    let days = days_of(year, month, day);
    if date_of(days) != (year, month, day) {
        return None;
    }
    if rest.0.is_empty() {
        return Some(days * DAY);
    }
    let (hour, minute) = (rest.after('T').then(|| rest.number(2))??, rest.after(':').then(|| rest.number(2))??);
    let second = if rest.after(':') { rest.number(2)? } else { 0 };
    if hour > 24 || minute > 59 || second > 59 || (hour == 24 && minute + second > 0) {
        return None;
    }
    let milli = if rest.after('.') { rest.fraction()? } else { 0 };
    let zone = match rest.0.chars().next()? {
        'Z' => {
            rest.after('Z');
            0
        }
        sign @ ('+' | '-') => {
            rest.after(sign);
            let distance = rest.number(2)? * HOUR + rest.after(':').then(|| rest.number(2))?? * MINUTE;
            if sign == '-' {
                -distance
            } else {
                distance
            }
        }
        _ => return None,
    };
    let at = days * DAY + hour * HOUR + minute * MINUTE + second * SECOND + milli - zone;
    rest.0.is_empty().then_some(at)
}

/// [`read_iso`] for a text that may be absent.
pub(crate) fn iso_in(text: Option<&str>) -> Option<i64> {
    text.and_then(read_iso)
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The time of the header `Date`, in the form that HTTP requires: `Sat, 28 Nov 2026 18:00:00 GMT`.
pub(crate) fn read_http_date(text: &str) -> Option<i64> {
    let (_, text) = text.trim().split_once(", ")?;
    let mut rest = Rest(text);
    let day = rest.number(2)?;
    let name = rest.after(' ').then(|| rest.0.get(..3))??;
    let month = MONTHS.iter().position(|each| *each == name)? as i64 + 1;
    rest.0 = &rest.0[3..];
    let year = rest.after(' ').then(|| rest.number(4))??;
    let hour = rest.after(' ').then(|| rest.number(2))??;
    let minute = rest.after(':').then(|| rest.number(2))??;
    let second = rest.after(':').then(|| rest.number(2))??;
    (rest.0 == " GMT").then(|| days_of(year, month, day) * DAY + hour * HOUR + minute * MINUTE + second * SECOND)
}

/// The rest of a text that is read from its begin.
struct Rest<'a>(&'a str);

impl Rest<'_> {
    fn number(&mut self, digits: usize) -> Option<i64> {
        let found = self.0.get(..digits).filter(|found| found.bytes().all(|each| each.is_ascii_digit()))?;
        self.0 = &self.0[digits..];
        found.parse().ok()
    }

    fn after(&mut self, letter: char) -> bool {
        let rest = self.0.strip_prefix(letter);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// The milliseconds of a fraction with one to nine digits.
    fn fraction(&mut self) -> Option<i64> {
        let digits = self.0.bytes().take_while(u8::is_ascii_digit).count();
        if !(1..=9).contains(&digits) {
            return None;
        }
        let (found, rest) = self.0.split_at(digits);
        self.0 = rest;
        format!("{found}00")[..3].parse().ok()
    }
}

/// Days since 1970 of a date in the Gregorian calendar. A day that the month does not have becomes one of another month.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    // Years begin with March here, so that the leap day is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year - 719_468
}

/// Year, month and day of so many days since 1970.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march = (5 * of_year + 2) / 153;
    let month = (march + 2) % 12 + 1;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, of_year - (153 * march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_times() {
        for (text, at) in [
            ("1970-01-01T00:00:00.000Z", 0),
            ("1970-01-02", DAY),
            ("2024-02-29T12:00Z", 1_709_208_000_000),
            ("1970-01-01T01:00:00.5+01:00", 500),
            ("0000-01-01T00:00:00.000Z", EARLIEST),
            ("9999-12-31T23:59:59.999Z", LATEST),
        ] {
            assert_eq!(read_iso(text), Some(at), "{text}");
        }
        for text in [
            "",
            "soon",
            "2023-02-29",
            "2024-13-01",
            "2024-00-01",
            "2024-01-01T25:00Z",
            "2024-01-01T00:00",
            "2024-01-0é",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00Zx",
        ] {
            assert_eq!(read_iso(text), None, "{text}");
        }
        assert_eq!(read_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777_000));
        for text in ["", "Sunday", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Néo 1994 08:49:37 GMT"]
        {
            assert_eq!(read_http_date(text), None, "{text}");
        }
    }

    #[test]
    fn times_are_written_with_four_digits_of_the_year() {
        assert_eq!(iso(LATEST + 1), "9999-12-31T23:59:59.999Z");
        assert_eq!(iso(EARLIEST - 1), "0000-01-01T00:00:00.000Z");
        assert_eq!(format!("{:.10}", Time::of(-1)), "1969-12-31");
        assert_eq!(millis_since_1970(Time::of(-1500).into()), -1500);
        for days in (-719_528..2_932_896).step_by(97) {
            assert_eq!(read_iso(&iso(days * DAY)), Some(days * DAY));
        }
    }
}
