//! Points in time, and where they come from.

use std::fmt::{self, Debug, Display, Formatter};
use std::sync::Arc;
use std::time::SystemTime;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A point in time, in milliseconds; in a file, RFC 3339 in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(jiff::Timestamp);

/// Where the time comes from: the system, or a test.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Timestamp {
    /// The time of the system.
    pub fn now() -> Self {
        Self::from_system(SystemTime::now())
    }

    /// The time of a file, for example.
    pub fn from_system(time: SystemTime) -> Self {
        let time = jiff::Timestamp::try_from(time).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        Self::from_millis(time.as_millisecond())
    }

    /// Milliseconds since 1970; the nearest time that can be written.
    pub fn from_millis(millis: i64) -> Self {
        let bound = if millis < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        };
        Self(jiff::Timestamp::from_millisecond(millis).unwrap_or(bound))
    }

    /// Milliseconds since 1970.
    pub fn as_millis(self) -> i64 {
        self.0.as_millisecond()
    }

    /// The time `seconds` later.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self::from_millis(
            self.as_millis()
                .saturating_add(seconds.saturating_mul(1000)),
        )
    }

    /// The milliseconds since `earlier`; 0 if the clock was set back meanwhile.
    pub fn millis_since(self, earlier: Self) -> u64 {
        let millis = self.as_millis().saturating_sub(earlier.as_millis());
        u64::try_from(millis).unwrap_or(0)
    }
}

impl Display for Timestamp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse()
            .map(Self)
            .map_err(|_| de::Error::custom("not a time in the form of RFC 3339"))
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date-time"})
    }
}

impl Clock {
    /// A clock that answers with `now`.
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new(Timestamp::now)
    }
}

impl Debug for Clock {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let time = serde_json::from_value::<Timestamp>(text.into());
        assert_eq!(
            time.ok().map(|time| time.to_string()).as_deref(),
            expected,
            "{text}"
        );
    }

    #[test]
    fn a_time_is_written_in_utc_with_milliseconds() {
        check("2026-11-22T09:15:03.250Z", Some("2026-11-22T09:15:03.250Z"));
        check(
            "2026-11-22T11:15:03+02:00",
            Some("2026-11-22T09:15:03.000Z"),
        );
        check("2026-11-22", None);
        check("yesterday", None);
        assert_eq!(
            Timestamp::from_millis(-1).to_string(),
            "1969-12-31T23:59:59.999Z"
        );
        for extreme in [i64::MIN, i64::MAX] {
            let text = Timestamp::from_millis(extreme).to_string();
            check(&text, Some(&text));
        }
    }

    #[test]
    fn a_clock_that_was_set_back_measures_nothing() {
        let [early, late] = [1_000, 3_500].map(Timestamp::from_millis);
        assert_eq!(
            (late.millis_since(early), early.millis_since(late)),
            (2_500, 0)
        );
    }
}
