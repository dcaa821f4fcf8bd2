//! The clock of caches: the system's, moved by the test.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The days of 400 years.
const ERA: u64 = 146_097;

/// The days from the first of March of the year 0 to 1970.
const BEFORE_1970: u64 = 719_468;

/// The time that the fake lives in, so that a cache expires without a wait.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// The time at which it is fixed, unless it is the system's.
    fixed: Option<Duration>,
    ahead: Arc<Mutex<Duration>>,
}

impl Clock {
    /// A clock that only the test moves, at `seconds` after 1970.
    pub fn fixed(seconds: u64) -> Self {
        Self {
            fixed: Some(Duration::from_secs(seconds)),
            ..Self::default()
        }
    }

    /// Moves it forwards.
    pub fn advance(&self, by: Duration) {
        *self.ahead.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }

    /// The time since 1970.
    pub fn now(&self) -> Duration {
        let system = || SystemTime::now().duration_since(UNIX_EPOCH);
        let base = self
            .fixed
            .unwrap_or_else(|| system().expect("the system's clock is after 1970"));
        base + *self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A time since 1970 in the format of the API (RFC 3339, UTC).
pub(super) fn written(time: Duration) -> String {
    let seconds = time.as_secs();
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let micros = time.subsec_micros();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
}

/// The time since 1970 that `text` says, in the format of the API.
pub(super) fn read(text: &str) -> Option<Duration> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let numbers = |text: &str, separator| -> Option<Vec<u64>> {
        text.split(separator)
            .map(|part| part.parse().ok())
            .collect()
    };
    let [year, month, day] = numbers(date, '-')?.try_into().ok()?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [hour, minute, second] = numbers(time, ':')?.try_into().ok()?;
    let days = days(year, month, day)?;
    let fraction: f64 = format!("0.{fraction}").parse().ok()?;
    let whole = Duration::from_secs(days * 86_400 + hour * 3600 + minute * 60 + second);
    Some(whole + Duration::from_secs_f64(fraction))
}

/// The date of a day since 1970, in the proleptic Gregorian calendar. Years begin in
/// March here, so that a leap day is the last of its year.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + BEFORE_1970;
    let (era, day) = (days / ERA, days % ERA);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + u64::from(month <= 2), month, day)
}

/// The inverse of [`date`].
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let year = year.checked_sub(u64::from(month <= 2))?;
    let (era, year) = (year / 400, year % 400);
    let day = (153 * ((month + 9) % 12) + 2) / 5 + day.checked_sub(1)?;
    (era * ERA + year * 365 + year / 4 - year / 100 + day).checked_sub(BEFORE_1970)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{read, written};

    #[test]
    fn time_is_written_and_read() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_399, "2000-02-28T23:59:59.000000Z"),
            (951_782_400, "2000-02-29T00:00:00.000000Z"),
            (951_868_800, "2000-03-01T00:00:00.000000Z"),
            (1_767_225_599, "2025-12-31T23:59:59.000000Z"),
            (1_767_225_600, "2026-01-01T00:00:00.000000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000000Z"),
        ] {
            let time = Duration::from_secs(seconds);
            assert_eq!(written(time), text);
            assert_eq!(read(text), Some(time), "{text}");
        }
        assert_eq!(
            read("1970-01-01T00:00:01.5Z"),
            Some(Duration::from_millis(1500))
        );
        for wrong in [
            "",
            "1970-01-01",
            "1970-01-01T00:00Z",
            "1970-01-00T00:00:00Z",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
