//! Examples: documentation, tests and few-shot at once.

use cogtools_core::Level;
use cogtools_program::render_hints;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "invalid-example",
        level: Level::Error,
        summary: "an example that the tool itself would refuse",
        why: "Anthropic checks `input_examples` and refuses the request; models copy the mistake; `cogtools test` cannot run it",
        fix: "make the example what a caller could send",
        fixable: false,
        fails: case!("invalid-example/fails"),
        passes: case!("invalid-example/passes"),
        check: invalid,
    },
    Rule {
        name: "no-examples",
        level: Level::Warn,
        summary: "a tool without examples",
        why: "nothing shows a model a whole call, and `cogtools test` has nothing to run",
        fix: "add `examples` with one map of arguments as a model would send them",
        fixable: false,
        fails: case!("no-examples/fails"),
        passes: case!("no-examples/passes"),
        check: none,
    },
    Rule {
        name: "uncovered-parameter",
        level: Level::Warn,
        summary: "an optional parameter that no example gives, or that every example gives",
        why: "one of the two ways through the template is never tested",
        fix: "add an example that gives it, and one that leaves it out",
        fixable: false,
        fails: case!("uncovered-parameter/fails"),
        passes: case!("uncovered-parameter/passes"),
        check: uncovered,
    },
];

fn invalid(file: &LintFile, findings: &mut Findings<'_>) {
    let diagnostics = file
        .tool
        .iter()
        .flat_map(cogtools_core::Tool::check_examples);
    for diagnostic in diagnostics {
        if let Some(location) = diagnostic.location.clone() {
            let finding = findings.location(location, diagnostic.message.clone());
            if !diagnostic.hints.is_empty() {
                finding.fix(render_hints(&diagnostic.hints).join("; "));
            }
        }
    }
}

fn none(file: &LintFile, findings: &mut Findings<'_>) {
    let bare = file
        .tool
        .as_ref()
        .is_some_and(|tool| tool.examples().next().is_none());
    if bare && let Some(name) = file.entry("name") {
        findings.at(name.span, "no examples");
    }
}

fn uncovered(file: &LintFile, findings: &mut Findings<'_>) {
    let examples: Vec<_> = file
        .tool
        .iter()
        .flat_map(cogtools_core::Tool::examples)
        .collect();
    if examples.is_empty() {
        return;
    }
    for (name, required, site) in file.parameters() {
        let given = examples
            .iter()
            .filter(|example| example.contains_key(name))
            .count();
        let message = match given {
            _ if required => continue,
            0 => format!("no example gives `{name}`"),
            given if given == examples.len() => format!("every example gives `{name}`"),
            _ => continue,
        };
        findings.at(file.locate(&site.pointer), message);
    }
}
