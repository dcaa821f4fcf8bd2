//! Tools that conflict with each other.

use cogtools_core::Level;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "shadowed-tool",
        level: Level::Warn,
        summary: "a tool with the same name as one in an earlier source",
        why: "no host sees it, and changes to it have no effect",
        fix: "remove or rename one of the two, or change the order of `tool_sources`",
        fixable: false,
        fails: case!("shadowed-tool/fails": ".cogtoolrc.yaml", "own/say.yaml", "shared/say.yaml"),
        passes: case!("shadowed-tool/passes": ".cogtoolrc.yaml", "own/say.yaml", "shared/tell.yaml"),
        check: shadowed_tool,
    },
    Rule {
        name: "duplicate-name",
        level: Level::Warn,
        summary: "two tools whose names differ only in letter case or in `-` and `_`, or not at all",
        why: "models confuse them; file systems that ignore case store only one; Gemini CLI uses the later of two equal names",
        fix: "rename one of the two so that the names differ in a word",
        fixable: false,
        fails: case!("duplicate-name/fails": "tools/say-it.yaml", "tools/say_it.yaml"),
        passes: case!("duplicate-name/passes": "tools/say_it.yaml", "tools/tell_it.yaml"),
        check: duplicate_name,
    },
];

fn shadowed_tool(file: &LintFile, findings: &mut Findings<'_>) {
    if let Some(winner) = &file.shadowed_by {
        findings.report_file(format!("shadowed by `{}`", winner.display()));
    }
}

fn duplicate_name(file: &LintFile, findings: &mut Findings<'_>) {
    let node = file.value("name");
    if let Some((node, duplicate_name)) = node.zip(file.duplicate_name.as_ref()) {
        let message = format!(
            "the same or nearly the same name as in `{}`",
            duplicate_name.display()
        );
        findings.report(node.span, message);
    }
}
