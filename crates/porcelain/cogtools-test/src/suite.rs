//! Results of tests: suites, examples and failures, and the regular expressions in examples.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cogtools_core::tool::Coverage;
use cogtools_core::{Candidate, Diagnostic, Location};
use fancy_regex::{Regex, RegexBuilder};

use crate::golden::Golden;

/// A tool and its examples.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suite {
    /// The name of the tool, which is the stem of its file.
    pub(crate) name: String,
    /// Its file, as shown.
    pub(crate) file: PathBuf,
    /// True if the file exists; otherwise there are only golden files.
    pub(crate) exists: bool,
    /// Its examples.
    pub(crate) cases: Vec<Case>,
    /// Branches and properties that its examples reach, with `--coverage`.
    pub(crate) coverage: Option<Coverage>,
    /// The failures of the tool as a whole.
    pub(crate) failures: Vec<TestFailure>,
    /// The golden files that were removed, as shown.
    pub(crate) removed: Vec<PathBuf>,
}

/// One example.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// Its name.
    pub(crate) name: Option<String>,
    /// Its location in the file.
    pub(crate) location: Option<Location>,
    /// Its golden file, as shown, if its whole result is compared.
    pub(crate) golden: Option<PathBuf>,
    /// Its failures.
    pub(crate) failures: Vec<TestFailure>,
    /// True if its golden file was written.
    pub(crate) written: bool,
    /// The way that it took through its flow.
    pub(crate) way: String,
    /// The branches that it took in the code of nodes of its flow: the node and the number of each.
    pub(crate) taken: BTreeSet<(String, usize)>,
    /// Duration of the test.
    pub(crate) time: Duration,
}

impl Case {
    /// Its name, or else its number.
    pub(crate) fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.number.to_string())
    }
}

impl Suite {
    /// An empty suite of the tool in `file`.
    pub(crate) fn new(file: &Candidate) -> Self {
        Self {
            name: Path::new(&file.name).display().to_string(),
            file: file.display_path.clone(),
            exists: true,
            ..Self::default()
        }
    }

    /// The failures of the tool and of its examples.
    pub(crate) fn all_failures(&self) -> impl Iterator<Item = &TestFailure> {
        let cases = self.cases.iter().flat_map(|case| &case.failures);
        self.failures.iter().chain(cases)
    }

    /// Returns true if there are no failures.
    pub(crate) fn passed(&self) -> bool {
        self.all_failures().next().is_none()
    }

    /// Returns true if the tool exists and has no examples.
    pub(crate) fn has_no_examples(&self) -> bool {
        self.exists && self.cases.is_empty() && self.failures.is_empty()
    }

    /// The golden files that were written, as shown.
    pub(crate) fn written(&self) -> impl Iterator<Item = &PathBuf> {
        self.cases
            .iter()
            .filter(|case| case.written)
            .filter_map(|case| case.golden.as_ref())
    }
}

/// Kinds of failures, by the remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum FailureKind {
    /// The tool file is invalid.
    Broken,
    /// The example does not match the parameters.
    Schema,
    /// The template does not render.
    Template,
    /// The program of the implementation cannot be started.
    Implementation,
    /// The tool returned no result: it failed, is not approved, or timed out.
    Tool,
    /// The result, or the failure, is not what the example expects.
    Assertion,
    /// The result differs from the golden file, or that cannot be used.
    Golden,
    /// The golden file does not exist.
    Missing,
    /// The golden file has no example.
    Stale,
    /// The recorded responses are no answers to the requests that the tool makes.
    Recording,
    /// The invocations disagree.
    Invocation,
}

impl FailureKind {
    /// The name in reports.
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns true if `--update` fixes it.
    pub(crate) const fn is_golden_related(self) -> bool {
        matches!(self, Self::Golden | Self::Missing | Self::Stale)
    }
}

/// A golden file to write or to remove, if the user accepts it.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) golden: Golden,
    /// The new content; `None` to remove it.
    pub(crate) result: Option<Vec<u8>>,
}

/// A test failure.
#[derive(Clone, Debug)]
pub(crate) struct TestFailure {
    /// The kind, by the remedy.
    pub(crate) kind: FailureKind,
    /// The message, on one line.
    pub(crate) message: String,
    /// The diagnostics of the tool.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// A diff, or the output of a program: lines that end with a line feed, already escaped.
    pub(crate) detail: String,
    /// Next steps.
    pub(crate) hints: Vec<String>,
    /// The change that `--review` offers.
    pub(crate) pending: Option<Box<Pending>>,
}

impl TestFailure {
    /// A failure without details.
    pub(crate) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            diagnostics: Vec::new(),
            detail: String::new(),
            hints: Vec::new(),
            pending: None,
        }
    }

    /// Sets the diagnostics.
    pub(crate) fn diagnostics(mut self, diagnostics: Vec<Diagnostic>) -> Self {
        self.diagnostics = diagnostics;
        self
    }

    /// Sets the detail.
    pub(crate) fn detail(mut self, detail: String) -> Self {
        self.detail = detail;
        self
    }

    /// Sets the change that `--review` offers.
    pub(crate) fn pending(mut self, pending: Pending) -> Self {
        self.pending = Some(Box::new(pending));
        self
    }

    /// Adds a hint.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

/// The replacement of text that differs between calls.
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
    let failure = |message| {
        let message = format!("{key}: {message}");
        Box::new(TestFailure::new(FailureKind::Broken, message))
    };
    let all = patterns.iter().map(|it| compile(it).map_err(failure));
    all.collect()
}

/// `bytes` with each match of `patterns` replaced. Bytes that are not UTF-8, and text that takes
/// an expression too long, stay unchanged.
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

/// Ranges where any of `patterns` matches in `text`, in order. Matches that overlap are one, so that
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
