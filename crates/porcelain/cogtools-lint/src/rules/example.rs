//! Examples: documentation, tests and few-shot prompts.

use std::collections::HashMap;

use cogtools_core::text::Span;
use cogtools_core::tool::OptionalProperty;
use cogtools_core::yaml::Node;
use cogtools_core::{Level, Tool};
use fancy_regex::Regex;
use serde_json::Value;

use crate::finding::Findings;
use crate::lint_file::{LintFile, Rendering};
use crate::linter::{Rule, example};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "invalid-example",
        level: Level::Error,
        summary: "an example that the tool itself rejects",
        why: "Anthropic validates `input_examples` and rejects the request; models copy the mistake; `cogtools test` cannot run it",
        fix: "change the example to arguments that a caller could send",
        example: example!("invalid-example"),
        check: invalid_example,
    },
    Rule {
        name: "no-examples",
        level: Level::Warn,
        summary: "a tool without examples",
        why: "a model sees no complete call, and `cogtools test` has nothing to run",
        fix: "add `examples` with one map of arguments as a model would send them",
        example: example!("no-examples"),
        check: no_examples,
    },
    Rule {
        name: "uncovered-parameter",
        level: Level::Warn,
        summary: "an optional parameter that no example sets, or that every example sets; an optional property that no example sets",
        why: "one of the two paths through the template is never tested",
        fix: "add an example that sets it, and one that omits it",
        example: example!("uncovered-parameter"),
        check: uncovered_parameter,
    },
    Rule {
        name: "repeated-example",
        level: Level::Warn,
        summary: "an example with the same arguments as an earlier one",
        why: "it tests nothing more, and costs tokens wherever examples are sent",
        fix: "remove it, or change what it was meant to show",
        example: example!("repeated-example"),
        check: repeated_example,
    },
    Rule {
        name: "empty-example",
        level: Level::Warn,
        summary: "an example for which the template prints nothing",
        why: "a model that calls the tool so reads an empty answer, and the test of the example shows nothing",
        fix: "print something in that case, such as what is missing, or change the example",
        example: example!("empty-example"),
        check: empty_example,
    },
    Rule {
        name: "example-pattern",
        level: Level::Error,
        summary: "an expression under `matches` or `redact` of an example that is not valid",
        why: "`cogtools test` cannot run the example",
        fix: "correct the regular expression; a character that means itself needs a backslash before it",
        example: example!("example-pattern"),
        check: example_pattern,
    },
];

fn invalid_example(file: &LintFile, findings: &mut Findings<'_>) {
    let diagnostics = file.tool.iter().flat_map(Tool::check_examples);
    for diagnostic in diagnostics.filter(|it| it.location.is_some()) {
        findings.report_diagnostic(&diagnostic, Span::new(0, 1));
    }
}

/// Compiles the expressions as `cogtools test` does.
fn example_pattern(file: &LintFile, findings: &mut Findings<'_>) {
    let tests = file.tool.iter().flat_map(Tool::tests);
    let nodes = file.value("examples").and_then(Node::items);
    for (test, node) in tests.zip(nodes.into_iter().flatten()) {
        for (key, patterns) in [("matches", &test.matches), ("redact", &test.redact)] {
            // Without expectations, the key is an argument.
            let Some(value) = node.get(key).filter(|_| !patterns.is_empty()) else {
                continue;
            };
            let items = value.one_or_more();
            for (pattern, item) in patterns.iter().zip(items) {
                if let Err(error) = Regex::new(pattern) {
                    let message = format!("`{pattern}` is not a valid regular expression: {error}");
                    findings.report(item.span, message);
                }
            }
        }
    }
}

/// The nodes of the examples, in the order of the file.
pub(super) fn nodes(file: &LintFile) -> impl Iterator<Item = &Node> {
    let nodes = file.value("examples").and_then(Node::items);
    nodes.into_iter().flatten()
}

fn repeated_example(file: &LintFile, findings: &mut Findings<'_>) {
    let tests = file.tool.iter().flat_map(Tool::tests);
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (index, (test, node)) in tests.zip(nodes(file)).enumerate() {
        let mut arguments = Value::Object(test.arguments());
        arguments.sort_all_objects();
        let key = arguments.to_string();
        match seen.get(&key) {
            Some(earlier) => {
                let message = format!("the same arguments as in example {}", earlier + 1);
                findings.report(node.span, message);
            }
            None => drop(seen.insert(key, index)),
        }
    }
}

fn empty_example(file: &LintFile, findings: &mut Findings<'_>) {
    let tool = file.tool.as_ref();
    let Some((tool, rendering)) = tool.and_then(|it| Some((it, Rendering::of(it)?))) else {
        return;
    };
    for (test, node) in tool.tests().iter().zip(nodes(file)) {
        if test.fails.is_some() {
            continue;
        }
        let output = rendering.render(test.arguments());
        if output.is_some_and(|output| output.trim().is_empty()) {
            findings.report(node.span, "the template prints nothing for this example");
        }
    }
}

fn no_examples(file: &LintFile, findings: &mut Findings<'_>) {
    let examples = file.tool.as_ref().map(|tool| tool.examples().count());
    if let (Some(0), Some(name)) = (examples, file.entry("name")) {
        findings.report(name.span, "no examples");
    }
}

fn uncovered_parameter(file: &LintFile, findings: &mut Findings<'_>) {
    let examples: Vec<_> = file.tool.iter().flat_map(Tool::examples).collect();
    if examples.is_empty() {
        return;
    }
    let properties = file.tool.iter();
    let properties = properties.flat_map(|tool| tool.covered_properties(&examples));
    let unset: Vec<OptionalProperty> = properties.filter(|it| !it.is_set).collect();
    for property in &unset {
        let is_below = |outer: &OptionalProperty| {
            let rest = property.path.strip_prefix(outer.path.as_str());
            rest.is_some_and(|rest| rest.starts_with('.'))
        };
        if !unset.iter().any(is_below) {
            let message = format!("no example sets `{}`", property.path);
            findings.report(file.locate(&property.pointer), message);
        }
    }
    for (name, required, sub_schema) in file.parameters() {
        if !required && examples.iter().all(|example| example.contains_key(name)) {
            let message = format!("every example sets `{name}`");
            findings.report(file.locate(&sub_schema.pointer), message);
        }
    }
}
