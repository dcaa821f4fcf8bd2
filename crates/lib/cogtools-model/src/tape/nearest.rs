//! The recorded request that is most like one that was not recorded, and how they differ.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;
use similar::{Algorithm, TextDiff};

use super::recording::Recording;

/// How many lines of a difference are shown.
const MAX_DIFF_LINES: usize = 40;

/// How much of a line is shown: a file may be one.
const MAX_LINE_CHARS: usize = 200;

/// How long a difference is searched for; after that it is larger than necessary.
const MAX_DIFF_TIME: Duration = Duration::from_secs(2);

/// The difference between `model` with `body` and the nearest of `recordings`, from that one to
/// this.
pub(super) fn difference(recordings: &[Recording], model: &str, body: &Value) -> Option<String> {
    let wanted = lines(model, body);
    let texts = recordings
        .iter()
        .map(|recording| lines(&recording.model, &recording.request));
    let mut nearest: Option<(usize, String)> = None;
    for text in texts {
        let distance = distance(&text, &wanted);
        if nearest.as_ref().is_none_or(|(least, _)| distance < *least) {
            nearest = Some((distance, text));
        }
    }
    let (_, nearest) = nearest?;
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .timeout(MAX_DIFF_TIME)
        .diff_lines(nearest.as_str(), wanted.as_str());
    let unified = diff.unified_diff().context_radius(2).to_string();
    let total = unified.lines().count();
    let mut shown: Vec<String> = unified.lines().take(MAX_DIFF_LINES).map(short).collect();
    if total > MAX_DIFF_LINES {
        shown.push(format!("… {} more lines", total - MAX_DIFF_LINES));
    }
    Some(shown.join("\n"))
}

fn lines(model: &str, request: &Value) -> String {
    let body = serde_json::to_string_pretty(request).unwrap_or_default();
    format!("model: {model}\n{body}\n")
}

/// How many lines only one of the two texts has.
fn distance(one: &str, other: &str) -> usize {
    let mut counts: HashMap<&str, isize> = HashMap::new();
    for line in one.lines() {
        *counts.entry(line).or_default() += 1;
    }
    for line in other.lines() {
        *counts.entry(line).or_default() -= 1;
    }
    counts.values().map(|count| count.unsigned_abs()).sum()
}

fn short(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
