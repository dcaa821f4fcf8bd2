//! Tools that stand in each other's way.

use cogtools_core::Level;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "shadowed-tool",
        level: Level::Warn,
        summary: "a tool that an earlier source hides with one of the same name",
        why: "no host sees it, and a change to it changes nothing",
        fix: "remove or rename one of the two, or change the order of `tool_sources`",
        fixable: false,
        fails: case!("shadowed-tool/fails": ".cogtoolrc.yaml", "own/say.yaml", "shared/say.yaml"),
        passes: case!("shadowed-tool/passes": ".cogtoolrc.yaml", "own/say.yaml", "shared/tell.yaml"),
        check: shadowed,
    },
    Rule {
        name: "duplicate-name",
        level: Level::Warn,
        summary: "two tools whose names differ in letter case or `-` and `_` alone, or not at all",
        why: "a model mistakes one for the other; file systems that ignore case keep only one; Gemini CLI lets the later of two equal names win",
        fix: "give one of the two a name that differs in a word",
        fixable: false,
        fails: case!("duplicate-name/fails": "tools/say-it.yaml", "tools/say_it.yaml"),
        passes: case!("duplicate-name/passes": "tools/say_it.yaml", "tools/tell_it.yaml"),
        check: duplicate,
    },
];

fn shadowed(file: &LintFile, findings: &mut Findings<'_>) {
    if let Some(winner) = &file.shadowed_by {
        findings.file(format!("shadowed by `{}`", winner.display()));
    }
}

fn duplicate(file: &LintFile, findings: &mut Findings<'_>) {
    let node = file.value("name");
    if let Some((node, duplicate_name)) = node.zip(file.duplicate_name.as_ref()) {
        let message = format!("nearly or quite the name of `{}`", duplicate_name.display());
        findings.at(node.span, message);
    }
}
