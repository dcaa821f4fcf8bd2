//! All rules over one file.

use cogtools_core::Level;

use crate::finding::{Finding, Findings};
use crate::levels::Levels;
use crate::lint_file::LintFile;
use crate::rules::{INVALID_TOOL, LOADER_RULES, rules};

/// The rules with their levels.
#[derive(Clone, Debug, Default)]
pub struct Linter {
    levels: Levels,
}

impl Linter {
    /// A linter with the given levels.
    pub const fn new(levels: Levels) -> Self {
        Self { levels }
    }

    /// The findings of all rules in `file`, by position.
    pub fn check(&self, file: &LintFile) -> Vec<Finding> {
        let mut findings = Vec::new();
        for rule in rules() {
            let level = self.levels.level_of(rule);
            if level != Level::Off {
                let mut of_rule = Findings::new(rule, level, &file.text, &mut findings);
                (rule.check)(file, &mut of_rule);
                of_rule.finish();
            }
        }
        // A specific rule explains more than the loader's own error.
        let explained: Vec<_> = findings
            .iter()
            .filter(|it| LOADER_RULES.contains(&it.rule.name) && it.level == Level::Error)
            .map(Finding::position)
            .collect();
        findings.retain(|it| it.rule.name != INVALID_TOOL || !explained.contains(&it.position()));
        findings.retain(|it| !file.suppressions().iter().any(|one| one.covers(it, file)));
        findings.sort_by_key(Finding::position);
        findings
    }
}
