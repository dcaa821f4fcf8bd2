//! All rules over one file.

use cogtools_core::Level;

use crate::finding::{Finding, Findings};
use crate::levels::Levels;
use crate::lint_file::LintFile;
use crate::rules::{INVALID_TOOL, REFUSALS, rules};

/// The rules with their weights.
#[derive(Clone, Debug, Default)]
pub struct Linter {
    levels: Levels,
}

impl Linter {
    /// A linter in which the rules weigh what `levels` says.
    pub const fn new(levels: Levels) -> Self {
        Self { levels }
    }

    /// What the rules find in `file`, in the order of the file.
    pub fn check(&self, file: &LintFile) -> Vec<Finding> {
        let mut found = Vec::new();
        for rule in rules() {
            let level = self.levels.level_of(rule);
            if level != Level::Off {
                (rule.check)(
                    file,
                    &mut Findings::new(rule, level, &file.text, &mut found),
                );
            }
        }
        // A rule of its own says more than the refusal it stands for.
        let explained: Vec<_> = found
            .iter()
            .filter(|it| REFUSALS.contains(&it.rule.name) && it.level == Level::Error)
            .map(Finding::order)
            .collect();
        found.retain(|it| it.rule.name != INVALID_TOOL || !explained.contains(&it.order()));
        found.sort_by_key(Finding::order);
        found
    }
}
