//! A rule of the linter, as a value.

use cogtools_core::Level;

use crate::finding::Findings;
use crate::lint_file::LintFile;

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name in configurations, reports and the reference; never changed.
    pub name: &'static str,
    /// Its default level.
    pub level: Level,
    /// What it finds, in one line.
    pub summary: &'static str,
    /// Which host is affected, and how.
    pub why: &'static str,
    /// What to do about it.
    pub fix: &'static str,
    /// Whether `--fix` fixes what it finds, at least in simple cases.
    pub fixable: bool,
    /// A project that breaks it, and nothing else.
    pub fails: &'static [CaseFile],
    /// The same project without findings.
    pub passes: &'static [CaseFile],
    /// Checks one file.
    pub(crate) check: fn(&LintFile, &mut Findings<'_>),
}

/// A file of an example project.
#[derive(Debug)]
pub struct CaseFile {
    /// Its path in the project.
    pub path: &'static str,
    /// Its content.
    pub text: &'static str,
}

/// The files of an example: by its folder under `cases`, and their paths in it.
macro_rules! case {
    ($folder:literal) => {
        case!($folder: "tools/say.yaml")
    };
    ($folder:literal: $($path:literal),+) => {
        &[$(crate::rule::CaseFile {
            path: $path,
            text: include_str!(concat!("../../cases/", $folder, "/", $path)),
        }),+]
    };
}

pub(crate) use case;
