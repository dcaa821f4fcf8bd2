//! What a template prints, against the schema that the tool declares for it.

use cogtools_core::Level;
use cogtools_core::schema::ViolationKind;
use serde_json::{Map, Value};

use crate::contradiction;
use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rendered_example;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[Rule {
    name: "wrong-result",
    level: Level::Error,
    summary: "a template that, for valid arguments, prints JSON that does not match `output.schema`: a missing member, a text where a number is declared",
    why: "the call fails with such arguments, and its caller can do nothing about it",
    fix: "print what the schema declares, or correct the schema",
    fixable: false,
    fails: case!("wrong-result/fails"),
    passes: case!("wrong-result/passes"),
    check: wrong_result,
}];

/// How many sets of arguments are tried.
const MAX_TRIED: usize = 16;
/// How many characters of the arguments are shown.
const MAX_SHOWN: usize = 60;

fn wrong_result(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(tool) = file.tool.as_ref().filter(|tool| tool.is_template()) else {
        return;
    };
    let Some(declared) = tool.output_schema() else {
        return;
    };
    let (Ok(valid), Ok(expected)) = (tool.schema().validator(), declared.validator()) else {
        return;
    };
    let span = file
        .value("output")
        .and_then(|node| node.get("schema"))
        .map(|node| node.span);
    let Some(span) = span else {
        return;
    };
    // The examples, then what else the schema permits.
    let samples = contradiction::arguments(tool.schema().as_object());
    let tried = tool.examples().chain(samples).take(MAX_TRIED);
    for arguments in tried {
        let value = Value::Object(arguments.clone());
        if !valid.violations(tool.schema(), &value).is_empty() {
            continue;
        }
        let output = rendered_example::render(tool, arguments.clone());
        let result = output.and_then(|text| serde_json::from_str::<Value>(&text).ok());
        let Some(result) = result else { continue };
        if let Some(violation) = expected.violations(declared, &result).first() {
            let what = match &violation.kind {
                ViolationKind::Unknown => "is not declared".to_owned(),
                kind @ (ViolationKind::Missing | ViolationKind::Invalid(_)) => kind.to_string(),
            };
            let place = violation.pointer.trim_start_matches('/').replace('/', ".");
            let subject = if place.is_empty() {
                "the result"
            } else {
                &place
            };
            let shown = shown(&arguments);
            findings.report(
                span,
                format!("for `{shown}` the template prints: `{subject}` {what}"),
            );
            return;
        }
    }
}

fn shown(arguments: &Map<String, Value>) -> String {
    let text = Value::Object(arguments.clone()).to_string();
    if text.chars().count() <= MAX_SHOWN {
        return text;
    }
    text.chars().take(MAX_SHOWN).chain(['…']).collect()
}
