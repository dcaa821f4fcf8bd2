//! Remedies of findings: a command that fixes it, or advice where no program can know
//! what is right.

use cogtools_core::{Diagnostic, Hint};
use cogtools_program::{fixing_command, render_hint};

/// The remedy of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// A command line; after it, the finding is gone.
    Command(String),
    /// The change to make.
    Advice(String),
}

impl Remedy {
    /// The name of the kind, as a label and as a key of JSON.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Command(_) => "fix",
            Self::Advice(_) => "hint",
        }
    }

    /// The command line or the advice.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Command(text) | Self::Advice(text) => text,
        }
    }

    /// The remedy that the first hint of `diagnostic` names.
    pub(crate) fn of(diagnostic: &Diagnostic) -> Option<Self> {
        diagnostic.hints.first().map(Self::from)
    }
}

impl From<&Hint> for Remedy {
    fn from(hint: &Hint) -> Self {
        match fixing_command(hint) {
            Some(line) => Self::Command(line),
            None => Self::Advice(render_hint(hint).into_owned()),
        }
    }
}
