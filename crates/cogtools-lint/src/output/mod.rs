//! The forms in which findings are printed.

mod human;
mod json;
mod sarif;

pub(crate) use human::human;
pub(crate) use json::json;
pub(crate) use sarif::sarif;

use cogtools_core::Level;

use crate::finding::Finding;

/// What a run has to say.
pub(crate) struct Report<'r> {
    /// What was found.
    pub(crate) findings: &'r [Finding],
    /// How many files were looked at.
    pub(crate) files: usize,
}

/// How it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Human,
    Json,
    Sarif,
}

impl Format {
    pub(crate) fn parse(name: &str) -> Self {
        match name {
            "json" => Self::Json,
            "sarif" => Self::Sarif,
            _ => Self::Human,
        }
    }
}

/// The severity of a finding, in the words of the other programs.
const fn severity(finding: &Finding) -> &'static str {
    match finding.level {
        Level::Error => "error",
        Level::Warn | Level::Off => "warning",
    }
}
