//! A rule of the linter, as a value.

use std::path::Path;

use cogtools_core::Level;
use cogtools_core::text::Text;

use crate::finding::Findings;
use crate::lint_file::LintFile;

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name in configurations, reports and the reference; never changed.
    pub name: &'static str,
    /// Its default level.
    pub level: Level,
    /// The mistake, in one line.
    pub summary: &'static str,
    /// The host that is affected, and how.
    pub why: &'static str,
    /// The way to correct it.
    pub fix: &'static str,
    /// Two projects that are its tests and its documentation.
    pub example: Example,
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

/// Returns true if `--fix` fixes the example of the rule.
pub(crate) fn is_fixable(rule: &'static Rule) -> bool {
    rule.example.fails.iter().any(|file| {
        let text = Text::new(file.path, file.text.as_bytes().to_vec());
        text.is_ok_and(|text| {
            let file = LintFile::parse(Path::new(file.path), text);
            let mut found = Vec::new();
            (rule.check)(
                &file,
                &mut Findings::new(rule, Level::Warn, &file.text, &mut found),
            );
            found.iter().any(|finding| !finding.edits.is_empty())
        })
    })
}

/// Two projects that differ in one mistake.
#[derive(Debug)]
pub struct Example {
    /// A project that breaks the rule, and nothing else.
    pub fails: &'static [CaseFile],
    /// The project without the mistake.
    pub passes: &'static [CaseFile],
}

/// The example in a folder under `cases`: the files of its folders `fails` and `passes`,
/// `tools/say.yaml` unless they are listed.
macro_rules! example {
    ($name:literal) => {
        example!($name: ["tools/say.yaml"], ["tools/say.yaml"])
    };
    ($name:literal: [$($fails:literal),+], [$($passes:literal),+]) => {
        crate::rule::Example {
            fails: &[$(crate::rule::CaseFile {
                path: $fails,
                text: include_str!(concat!("../../cases/", $name, "/fails/", $fails)),
            }),+],
            passes: &[$(crate::rule::CaseFile {
                path: $passes,
                text: include_str!(concat!("../../cases/", $name, "/passes/", $passes)),
            }),+],
        }
    };
}

pub(crate) use example;
