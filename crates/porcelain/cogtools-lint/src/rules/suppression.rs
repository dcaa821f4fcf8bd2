//! Comments that allow what no rule finds.

use cogtools_core::Level;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};
use crate::rules::rules;

pub(super) static RULES: &[Rule] = &[Rule {
    name: "useless-suppression",
    level: Level::Warn,
    summary: "a comment `# lint: allow RULE` that names a rule that does not exist or cannot be switched off",
    why: "the comment has no effect, and looks as if it had",
    fix: "correct the name, or remove the comment",
    example: example!("useless-suppression"),
    check: useless_suppression,
}];

fn useless_suppression(file: &LintFile, findings: &mut Findings<'_>) {
    for one in file.suppressions() {
        if let Some(fault) = one.fault() {
            findings
                .report(one.span, fault)
                .meant_among(&one.rule, rules().map(|rule| rule.name));
        }
    }
}
