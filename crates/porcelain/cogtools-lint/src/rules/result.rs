//! Results of a template that is rendered with arguments which its parameters permit, against the
//! output that the tool declares.

use cogtools_core::Level;
use cogtools_core::schema::ViolationKind;
use cogtools_core::tool::Output;
use cogtools_program::terminal::truncate;
use serde_json::{Map, Value};

use crate::contradiction;
use crate::finding::Findings;
use crate::lint_file::{LintFile, Rendering};
use crate::linter::{Rule, example};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "not-json",
        level: Level::Error,
        summary: "a template whose output is declared as JSON and cannot be, or breaks with a quote in an argument",
        why: "the call fails, at the latest with such an argument",
        fix: "print values with `| dump`, and nothing but JSON",
        example: example!("not-json"),
        check: not_json,
    },
    Rule {
        name: "wrong-result",
        level: Level::Error,
        summary: "a template that, for valid arguments, prints JSON that does not match `output.schema`: a missing member, a text where a number is declared",
        why: "the call fails with such arguments, and its caller can do nothing about it",
        fix: "print what the schema declares, or correct the schema",
        example: example!("wrong-result"),
        check: wrong_result,
    },
];

/// The number of sets of arguments that are tried.
const MAX_TRIED: usize = 64;
/// The number of characters of the arguments that are shown.
const MAX_SHOWN: usize = 60;

/// Renders the template of a tool that declares JSON with its examples and with made-up
/// arguments that are valid.
fn outputs(file: &LintFile) -> Vec<(Map<String, Value>, String)> {
    let tool = file.tool.as_ref();
    let tool = tool.filter(|tool| tool.is_template() && matches!(tool.output, Output::Json(_)));
    let prepared = tool.and_then(|tool| {
        let valid = tool.schema.validator().ok()?;
        Some((tool, valid, Rendering::of(tool)?))
    });
    let Some((tool, valid, rendering)) = prepared else {
        return Vec::new();
    };
    let samples = contradiction::arguments(tool.schema.as_object());
    let tried = tool.examples().chain(samples).take(MAX_TRIED);
    let is_valid = |arguments: &Map<String, Value>| {
        let value = Value::Object(arguments.clone());
        valid.violations(&tool.schema, &value).is_empty()
    };
    tried
        .filter(is_valid)
        .filter_map(|arguments| Some((arguments.clone(), rendering.render(arguments)?)))
        .collect()
}

fn not_json(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(entry) = file.entry("implementation") else {
        return;
    };
    for (arguments, output) in outputs(file) {
        if let Err(error) = serde_json::from_str::<Value>(&output) {
            let shown = shown(&arguments);
            let message = format!("for `{shown}` the template prints what is not JSON: {error}");
            findings.report(entry.span, message);
            return;
        }
    }
}

fn wrong_result(file: &LintFile, findings: &mut Findings<'_>) {
    let declared = file.tool.as_ref().and_then(|tool| tool.output_schema());
    let span = file.value("output").and_then(|node| node.get("schema"));
    let (Some(declared), Some(node)) = (declared, span) else {
        return;
    };
    let Ok(expected) = declared.validator() else {
        return;
    };
    for (arguments, output) in outputs(file) {
        let Ok(result) = serde_json::from_str::<Value>(&output) else {
            continue;
        };
        if let Some(violation) = expected.violations(declared, &result).first() {
            let what = match &violation.kind {
                ViolationKind::Unknown => "is not declared".to_owned(),
                kind @ (ViolationKind::Missing | ViolationKind::Invalid(_)) => kind.to_string(),
            };
            let place = violation.pointer.trim_start_matches('/').replace('/', ".");
            let subject = match place.as_str() {
                "" => "the result",
                place => place,
            };
            let shown = shown(&arguments);
            let message = format!("for `{shown}` the template prints: `{subject}` {what}");
            findings.report(node.span, message);
            return;
        }
    }
}

fn shown(arguments: &Map<String, Value>) -> String {
    let text = Value::Object(arguments.clone()).to_string();
    truncate(&text, MAX_SHOWN).into_owned()
}
