//! What is wrong with an example or a tool, and what is at fault.

use cogtools_core::Diagnostic;

/// What is at fault when a test fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// The file is not a tool.
    Broken,
    /// The example does not fit the parameters.
    Schema,
    /// The template does not render.
    Template,
    /// The tool ran and failed, or did not end.
    Tool,
    /// The result is not what the golden file holds, or that cannot be used.
    Golden,
    /// There is no golden file.
    Missing,
    /// There is a golden file, but no example.
    Stale,
    /// The invocations do not agree.
    Invocation,
}

impl FailureKind {
    /// The name, as reports carry it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Schema => "schema",
            Self::Template => "template",
            Self::Tool => "tool",
            Self::Golden => "golden",
            Self::Missing => "missing",
            Self::Stale => "stale",
            Self::Invocation => "invocation",
        }
    }

    /// Whether `--update` mends it.
    pub(crate) const fn is_golden_related(self) -> bool {
        matches!(self, Self::Golden | Self::Missing | Self::Stale)
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub(crate) struct TestFailure {
    /// What is at fault.
    pub(crate) kind: FailureKind,
    /// What is wrong, on one line.
    pub(crate) message: String,
    /// What the tool's own faults are.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Lines to look at: a difference, or what a program said; each ends with a
    /// line feed, and can be shown as it stands.
    pub(crate) detail: String,
    /// What to do next.
    pub(crate) hints: Vec<String>,
}

impl TestFailure {
    /// A failure of which no more is known.
    pub(crate) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            diagnostics: Vec::new(),
            detail: String::new(),
            hints: Vec::new(),
        }
    }

    /// The same with the faults behind it.
    pub(crate) fn diagnostics(mut self, diagnostics: Vec<Diagnostic>) -> Self {
        self.diagnostics = diagnostics;
        self
    }

    /// The same with lines to look at.
    pub(crate) fn detail(mut self, detail: String) -> Self {
        self.detail = detail;
        self
    }

    /// The same with what to do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}
