//! Examples: documentation, tests and few-shot prompts.

use cogtools_core::Level;
use cogtools_core::yaml::Node;
use cogtools_program::render_hints;
use fancy_regex::Regex;

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
    Rule {
        name: "example-pattern",
        level: Level::Error,
        summary: "an expression under `matches` or `redact` of an example that is not valid",
        why: "`cogtools test` cannot run the example",
        fix: "correct the regular expression; a character that means itself needs a backslash before it",
        fixable: false,
        fails: case!("example-pattern/fails"),
        passes: case!("example-pattern/passes"),
        check: example_pattern,
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

/// Compiles the expressions as `cogtools test` does.
fn example_pattern(file: &LintFile, findings: &mut Findings<'_>) {
    let tests = file.tool.iter().flat_map(cogtools_core::Tool::tests);
    let nodes = file.value("examples").and_then(Node::items);
    for (test, node) in tests.zip(nodes.into_iter().flatten()) {
        for (key, patterns) in [("matches", test.matches()), ("redact", test.redact())] {
            // Without expectations, the key is an argument.
            let Some(value) = node.get(key).filter(|_| !patterns.is_empty()) else {
                continue;
            };
            let items = value.items().unwrap_or(std::slice::from_ref(value));
            for (pattern, item) in patterns.iter().zip(items) {
                if let Err(error) = Regex::new(pattern) {
                    let message = format!("`{pattern}` is not a valid regular expression: {error}");
                    findings.report(item.span, message);
                }
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
