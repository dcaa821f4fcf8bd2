//! `get_current_date`: the time, which no model knows.

use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde_json::{Map, Value, json};

use super::{BuiltIn, READ_ONLY, files};
use crate::tool::{RunError, ToolOutput};
use crate::{Code, Context, Diagnostic};

/// The tool.
pub(super) const TOOL: BuiltIn = BuiltIn {
    name: "get_current_date",
    title: "Get the current date and time",
    description: "Returns the current date and time: `iso` in UTC, `local` as text in the zone of \
                  the user, and `epochMs`, the milliseconds since 1970.",
    parameters: || json!({"type": "object", "properties": {}, "additionalProperties": true}),
    annotations: READ_ONLY,
    run: now,
};

fn now(tool: &str, _: &Map<String, Value>, cx: &Context) -> Result<ToolOutput, RunError> {
    let value = at(Timestamp::now(), zone(cx)).map_err(|error| {
        let message = format!("the time cannot be written: {error}");
        files::failed(tool, Diagnostic::new(Code::Internal, message))
    })?;
    Ok(ToolOutput {
        text: format!("{value}\n"),
        value: Some(value),
        ..ToolOutput::default()
    })
}

/// A time as the tool returns it.
fn at(time: Timestamp, zone: TimeZone) -> Result<Value, jiff::Error> {
    let local = Zoned::new(time, zone);
    let local = strtime::format("%A, %-d %B %Y, %H:%M:%S %Z", &local)?;
    Ok(json!({
        "iso": format!("{time:.3}"),
        "local": local,
        "epochMs": time.as_millisecond(),
    }))
}

/// The zone that the variable TZ names, or else that of the system.
fn zone(cx: &Context) -> TimeZone {
    let named = cx
        .environment
        .user_vars(["TZ"])
        .remove(std::ffi::OsStr::new("TZ"));
    let named = named.and_then(|name| TimeZone::get(name.to_str()?.trim_start_matches(':')).ok());
    named
        .or_else(|| TimeZone::try_system().ok())
        .unwrap_or(TimeZone::UTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_three_forms() {
        let time = Timestamp::from_millisecond(1_735_787_045_678).expect("a time");
        let expected = json!({
            "iso": "2025-01-02T03:04:05.678Z",
            "local": "Thursday, 2 January 2025, 03:04:05 UTC",
            "epochMs": 1_735_787_045_678_i64,
        });
        assert_eq!(at(time, TimeZone::UTC).expect("a format"), expected);
        let zone = TimeZone::fixed(jiff::tz::offset(9));
        let local = at(time, zone).expect("a format")["local"].clone();
        assert_eq!(local, "Thursday, 2 January 2025, 12:04:05 +09");
    }
}
