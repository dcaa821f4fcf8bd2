//! A test failure and its kind.

use cogtools_core::Diagnostic;

use crate::golden::Golden;

/// What to fix when a test fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The invocations disagree.
    Invocation,
}

impl FailureKind {
    /// The name in reports.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Schema => "schema",
            Self::Template => "template",
            Self::Implementation => "implementation",
            Self::Tool => "tool",
            Self::Assertion => "assertion",
            Self::Golden => "golden",
            Self::Missing => "missing",
            Self::Stale => "stale",
            Self::Invocation => "invocation",
        }
    }

    /// Whether `--update` fixes it.
    pub(crate) const fn is_golden_related(self) -> bool {
        matches!(self, Self::Golden | Self::Missing | Self::Stale)
    }
}

/// A golden file to write or to remove, if the user accepts it.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) golden: Golden,
    /// What to write; `None` to remove it.
    pub(crate) result: Option<Vec<u8>>,
}

/// A test failure.
#[derive(Clone, Debug)]
pub(crate) struct TestFailure {
    /// What to fix.
    pub(crate) kind: FailureKind,
    /// What is wrong, on one line.
    pub(crate) message: String,
    /// The diagnostics of the tool.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// A diff, or the output of a program: lines that end with a line feed, already escaped.
    pub(crate) detail: String,
    /// What to do next.
    pub(crate) hints: Vec<String>,
    /// What `--review` offers.
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

    /// Sets what `--review` offers.
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
