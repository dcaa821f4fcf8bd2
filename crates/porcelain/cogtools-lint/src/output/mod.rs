//! The output formats of findings.

mod human;
mod json;
mod sarif;

pub(crate) use human::human;
pub(crate) use json::json;
pub(crate) use sarif::sarif;

use std::path::Path;

use cogtools_core::Level;

use crate::finding::Finding;

/// The result of a run.
pub(crate) struct Report<'r> {
    /// The findings.
    pub(crate) findings: &'r [Finding],
    /// How many files were checked.
    pub(crate) files: usize,
    /// The root of the project.
    pub(crate) root: &'r Path,
    /// The folder that paths in findings are relative to.
    pub(crate) folder: &'r Path,
}

/// An output format.
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

/// The severity of a finding, by its name in other programs.
const fn severity(finding: &Finding) -> &'static str {
    match finding.level {
        Level::Error => "error",
        Level::Warn | Level::Off => "warning",
    }
}
