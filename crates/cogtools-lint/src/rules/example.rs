//! Examples: documentation, tests and few-shot prompts.

use cogtools_core::Level;
use cogtools_program::render_hints;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "invalid-example",
        level: Level::Error,
        summary: "an example that the tool itself rejects",
        why: "Anthropic validates `input_examples` and rejects the request; models copy the mistake; `cogtools test` cannot run it",
        fix: "change the example to arguments that a caller could send",
        fixable: false,
        fails: case!("invalid-example/fails"),
        passes: case!("invalid-example/passes"),
        check: invalid_example,
    },
    Rule {
        name: "no-examples",
        level: Level::Warn,
        summary: "a tool without examples",
        why: "a model sees no complete call, and `cogtools test` has nothing to run",
        fix: "add `examples` with one map of arguments as a model would send them",
        fixable: false,
        fails: case!("no-examples/fails"),
        passes: case!("no-examples/passes"),
        check: no_examples,
    },
    Rule {
        name: "uncovered-parameter",
        level: Level::Warn,
        summary: "an optional parameter that no example sets, or that every example sets",
        why: "one of the two paths through the template is never tested",
        fix: "add an example that sets it, and one that omits it",
        fixable: false,
        fails: case!("uncovered-parameter/fails"),
        passes: case!("uncovered-parameter/passes"),
        check: uncovered_parameter,
    },
];

fn invalid_example(file: &LintFile, findings: &mut Findings<'_>) {
    let diagnostics = file
        .tool
        .iter()
        .flat_map(cogtools_core::Tool::check_examples);
    for diagnostic in diagnostics {
        if let Some(location) = diagnostic.location.clone() {
            let finding = findings.report_at(location, diagnostic.message.clone());
            if !diagnostic.hints.is_empty() {
                finding.fix(render_hints(&diagnostic.hints).join("; "));
            }
        }
    }
}

fn no_examples(file: &LintFile, findings: &mut Findings<'_>) {
    let has_none = file
        .tool
        .as_ref()
        .is_some_and(|tool| tool.examples().next().is_none());
    if has_none && let Some(name) = file.entry("name") {
        findings.report(name.span, "no examples");
    }
}

fn uncovered_parameter(file: &LintFile, findings: &mut Findings<'_>) {
    let examples: Vec<_> = file
        .tool
        .iter()
        .flat_map(cogtools_core::Tool::examples)
        .collect();
    if examples.is_empty() {
        return;
    }
    for (name, required, sub_schema) in file.parameters() {
        let count = examples
            .iter()
            .filter(|example| example.contains_key(name))
            .count();
        let message = match count {
            _ if required => continue,
            0 => format!("no example sets `{name}`"),
            count if count == examples.len() => format!("every example sets `{name}`"),
            _ => continue,
        };
        findings.report(file.locate(&sub_schema.pointer), message);
    }
}
