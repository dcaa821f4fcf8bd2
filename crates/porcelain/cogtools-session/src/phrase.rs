//! Short phrases for values: times, arguments, results.

use cogtools_log::{NodeEvent, NodeState, Outcome, Timestamp, Usage, duration};
use cogtools_program::terminal::{pluralize, truncate};
use serde_json::Value;

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// The number of characters of an argument that are shown.
const MAX_VALUE_CHARS: usize = 40;
/// The number of characters of a line that are shown.
const MAX_LINE_CHARS: usize = 100;

/// Writes an age: `now`, `5 min`, `3 h`, `12 d`.
pub(crate) fn age(now: Timestamp, then: Timestamp) -> String {
    let ms = now.millis_since(then);
    if ms < MINUTE {
        "now".to_owned()
    } else if ms < HOUR {
        format!("{} min", ms / MINUTE)
    } else if ms < DAY {
        format!("{} h", ms / HOUR)
    } else {
        format!("{} d", ms / DAY)
    }
}

/// Writes the number of tokens, and the share of those sent that were cached.
pub(crate) fn tokens(usage: &Usage) -> String {
    let tokens = pluralize(usage.total, "token");
    match usage.cached_percent() {
        0 => tokens,
        percent => format!("{tokens}, {percent} % cached"),
    }
}

/// The end of a call.
pub(crate) fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Failed { code } => format!("failed ({code})"),
        outcome => outcome.name().replace('_', " "),
    }
}

/// Arguments on one line: `path=a.rs all=true`.
pub(crate) fn arguments(arguments: &Value) -> String {
    let short = |value: &Value| -> String {
        let is_word = |text: &&str| !text.is_empty() && !text.contains(char::is_whitespace);
        match value.as_str().filter(is_word) {
            Some(word) => truncate(word, MAX_VALUE_CHARS).into_owned(),
            None => truncate(&value.to_string(), MAX_VALUE_CHARS).into_owned(),
        }
    };
    match arguments {
        Value::Object(fields) => {
            let words = fields
                .iter()
                .map(|(name, value)| format!("{name}={}", short(value)));
            let line = words.collect::<Vec<String>>().join(" ");
            truncate(&line, MAX_LINE_CHARS).into_owned()
        }
        Value::Null => String::new(),
        other => short(other),
    }
}

/// The first `max` lines of `text`, and how many more there are.
pub(crate) fn head(text: &str, max: usize) -> (Vec<String>, usize) {
    let text = text.trim_end();
    let lines = text.lines().take(max);
    let lines = lines.map(|line| truncate(line, MAX_LINE_CHARS).into_owned());
    (lines.collect(), text.lines().count().saturating_sub(max))
}

/// The first line of `text`, shortened.
pub(crate) fn first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or("");
    truncate(line, MAX_LINE_CHARS).into_owned()
}

/// Writes the end of a node of a flow, or that it waits; `None` while it runs.
pub(crate) fn node(event: &NodeEvent) -> Option<String> {
    let text = match &event.state {
        NodeState::Started => return None,
        NodeState::Succeeded => "succeeded".to_owned(),
        NodeState::Failed { code, .. } => format!("failed ({code})"),
        NodeState::Waiting { question } => format!("waits for an answer: {question}"),
        NodeState::Skipped { because: None } => "skipped".to_owned(),
        NodeState::Skipped {
            because: Some(because),
        } => format!("skipped: {because}"),
    };
    let time = event.ms.map(|ms| format!(", {}", duration(ms)));
    Some(format!("{} {text}{}", event.node, time.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ages_have_the_unit_that_fits() {
        let at = |minutes: i64| Timestamp::from_millis(minutes * 60_000);
        let texts = [0, 59, 60, 24 * 60, 12 * 24 * 60].map(|minutes| age(at(minutes), at(0)));
        assert_eq!(texts, ["now", "59 min", "1 h", "1 d", "12 d"]);
        // A clock was set back.
        assert_eq!(age(at(0), at(60)), "now");
    }

    #[test]
    fn arguments_are_words() {
        let long = "x".repeat(50);
        for (value, expected) in [
            (
                json!({"path": "a.rs", "all": true}),
                "path=a.rs all=true".to_owned(),
            ),
            (
                json!({"text": "two words", "empty": ""}),
                "text=\"two words\" empty=\"\"".to_owned(),
            ),
            (
                json!({"list": [1, {"a": 2}]}),
                "list=[1,{\"a\":2}]".to_owned(),
            ),
            (json!({"long": long}), format!("long={}…", "x".repeat(40))),
            (json!({}), String::new()),
            (json!(null), String::new()),
            (json!("wrong"), "wrong".to_owned()),
        ] {
            assert_eq!(arguments(&value), expected);
        }
    }

    #[test]
    fn only_the_first_lines_are_shown() {
        assert_eq!(
            head("a\nb\nc\n\n", 2),
            (vec!["a".to_owned(), "b".to_owned()], 1)
        );
        assert_eq!(first_line("\n  two\nlines"), "two");
    }
}
