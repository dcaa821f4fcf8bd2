//! The texts that lengths, patterns and formats leave.

use serde_json::{Value, json};

use super::{Object, Outcome, Reason, limits};
use crate::automaton::{self, Automaton};

/// What texts of a format look like, at least.
const FORMATS: [(&str, &str); 7] = [
    ("time", r"^[0-9]{2}:[0-9]{2}:[0-9]{2}.+$"),
    ("date", r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
    (
        "date-time",
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}.+$",
    ),
    (
        "uuid",
        r"^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$",
    ),
    ("ipv4", r"^[0-9]{1,3}(\.[0-9]{1,3}){3}$"),
    ("email", r"^.+@.+$"),
    ("uri", r"^[A-Za-z][A-Za-z0-9+.-]*:.*$"),
];

/// The texts that all `parts` permit.
pub(super) fn texts(parts: &[&Object]) -> Outcome {
    let (least, most) = limits(parts, "minLength", "maxLength");
    if let Some(most) = most.filter(|most| least > *most) {
        let what = format!("no text has at least {least} and at most {most} characters");
        return Outcome::Empty(Reason::new("minLength", what));
    }
    let text = |keyword: &'static str| {
        let found = parts
            .iter()
            .filter_map(move |part| part.get(keyword)?.as_str());
        found.map(move |text| (keyword, text))
    };
    let mut automata = Vec::new();
    let mut keyword = "pattern";
    for (name, written) in text("pattern").chain(text("format")) {
        let format = FORMATS.iter().find(|(format, _)| *format == written);
        let pattern = match (name, format) {
            ("pattern", _) => written,
            (_, Some((_, pattern))) => pattern,
            _ => continue,
        };
        if let Some(automaton) = Automaton::of(pattern) {
            automata.push(automaton);
            keyword = if keyword == "pattern" && automata.len() == 1 {
                name
            } else {
                "pattern"
            };
        }
    }
    if automaton::no_common_text(&automata, least, most) {
        let what = match (automata.len(), least > 0 || most.is_some()) {
            (1, false) => "no text matches its pattern",
            (1, true) => "no text of a permitted length has this form",
            _ => "no text has both forms",
        };
        return Outcome::Empty(Reason::new(keyword, what));
    }
    match most {
        Some(0) => Outcome::Values(vec![json!("")]),
        _ => Outcome::Open,
    }
}

/// A text of this format.
pub(super) fn example(format: &str) -> Option<Value> {
    Some(json!(match format {
        "date" => "2024-01-31",
        "date-time" => "2024-01-31T12:00:00Z",
        "uuid" => "123e4567-e89b-42d3-a456-426614174000",
        "email" => "a@example.org",
        "uri" => "https://example.org/",
        "ipv4" => "192.0.2.1",
        _ => return None,
    }))
}
