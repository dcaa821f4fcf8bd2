//! Regular expressions in examples and on the command line.

use std::borrow::Cow;
use std::ops::Range;

use fancy_regex::{Regex, RegexBuilder};

use crate::failure::{FailureKind, TestFailure};

/// What a result has in place of what differs between calls.
const REDACTED: &str = "[redacted]";

/// The maximum number of steps of an expression that backtracks.
const MAX_STEPS: usize = 1_000_000;

/// Compiles `pattern`, in which `^` and `$` match at lines; the error is a message for people.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern)
        .backtrack_limit(MAX_STEPS)
        .multi_line(true)
        .build()
        .map_err(|error| format!("`{pattern}` is not a valid regular expression: {error}"))
}

/// Compiles the expressions under `key` of an example.
pub(crate) fn compile_all(key: &str, patterns: &[String]) -> Result<Vec<Regex>, Box<TestFailure>> {
    let all = patterns.iter().map(|pattern| {
        compile(pattern).map_err(|message| {
            Box::new(TestFailure::new(
                FailureKind::Broken,
                format!("{key}: {message}"),
            ))
        })
    });
    all.collect()
}

/// `bytes` with each match of `patterns` replaced. What is not UTF-8, and what takes an
/// expression too long, stays as it is.
pub(crate) fn redact<'b>(bytes: &'b [u8], patterns: &[Regex]) -> Cow<'b, [u8]> {
    let Ok(text) = str::from_utf8(bytes) else {
        return Cow::Borrowed(bytes);
    };
    let matches = merged_matches(text, patterns);
    if matches.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let mut redacted = String::with_capacity(text.len());
    let mut end = 0;
    for found in matches {
        redacted.push_str(&text[end..found.start]);
        redacted.push_str(REDACTED);
        end = found.end;
    }
    redacted.push_str(&text[end..]);
    Cow::Owned(redacted.into_bytes())
}

/// Where any of `patterns` matches in `text`, in order. Matches that overlap are one, so that
/// no expression sees what another one has replaced.
fn merged_matches(text: &str, patterns: &[Regex]) -> Vec<Range<usize>> {
    let mut matches: Vec<Range<usize>> = patterns
        .iter()
        .flat_map(|pattern| pattern.find_iter(text).map_while(Result::ok))
        .map(|found| found.start()..found.end())
        .filter(|found| !found.is_empty())
        .collect();
    matches.sort_by_key(|found| found.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for found in matches {
        match merged.last_mut() {
            Some(last) if found.start < last.end => last.end = last.end.max(found.end),
            _ => merged.push(found),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_replaced() {
        let check = |patterns: &[&str], text: &[u8], expected: &[u8]| {
            let patterns: Vec<Regex> = patterns.iter().map(|it| compile(it).unwrap()).collect();
            assert_eq!(redact(text, &patterns), expected, "{patterns:?}");
        };
        check(&[], b"a 1", b"a 1");
        check(&["b"], b"a 1", b"a 1");
        check(&[r"\d+"], b"a 12 b 3", b"a [redacted] b [redacted]");
        check(
            &["(?<=id )[0-9a-f]+", "a"],
            b"id 3f a",
            b"id [redacted] [redacted]",
        );
        check(&["ab", "bc", "d"], b"abcd", b"[redacted][redacted]");
        check(&["", "x*"], b"ax", b"a[redacted]");
        check(&["a"], b"a\xff", b"a\xff");
        check(
            &["(a+)+$(?=b)"],
            b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac",
            b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac",
        );
    }
}
