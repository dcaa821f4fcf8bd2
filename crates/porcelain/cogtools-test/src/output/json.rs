//! The report for programs: one JSON object.

use cogtools_core::Diagnostic;
use cogtools_program::render_hints;
use serde_json::{Value, json};

use super::{Totals, coverage};
use crate::failure::TestFailure;
use crate::suite::{Case, Suite};

/// The report.
pub(super) fn text(suites: &[Suite]) -> String {
    let totals = Totals::new(suites);
    let mut report = json!({
        "tools": suites.iter().map(suite).collect::<Vec<_>>(),
        "summary": {
            "tools": totals.tools,
            "examples": totals.examples,
            "failures": totals.failures,
            "without_examples": totals.without_examples,
            "written": totals.written,
            "removed": totals.removed,
        },
    });
    if let Some(covered) = coverage::Covered::of(suites) {
        report["summary"]["coverage"] = covered.json();
    }
    format!("{report:#}\n")
}

fn suite(suite: &Suite) -> Value {
    let status = match () {
        () if !suite.passed() => "failed",
        () if suite.has_no_examples() => "empty",
        () => "passed",
    };
    let removed = suite.removed.iter().map(|file| file.display().to_string());
    let mut value = json!({
        "name": suite.name,
        "file": suite.file.display().to_string(),
        "status": status,
        "examples": suite.cases.iter().map(case).collect::<Vec<_>>(),
        "failures": suite.failures.iter().map(failure).collect::<Vec<_>>(),
        "removed": removed.collect::<Vec<_>>(),
    });
    if let Some(coverage) = &suite.coverage {
        value["coverage"] = coverage::json(coverage);
    }
    value
}

fn case(case: &Case) -> Value {
    let mut value = json!({"number": case.number});
    if let Some(name) = &case.name {
        value["name"] = name.clone().into();
    }
    if let Some(location) = &case.location {
        value["file"] = location.file.display().to_string().into();
        value["line"] = location.line.into();
        value["column"] = location.column.into();
    }
    if let Some(golden) = &case.golden {
        value["golden"] = golden.display().to_string().into();
    }
    value["status"] = if case.failures.is_empty() {
        "passed"
    } else {
        "failed"
    }
    .into();
    value["written"] = case.written.into();
    value["failures"] = case.failures.iter().map(failure).collect();
    value
}

fn failure(failure: &TestFailure) -> Value {
    json!({
        "at": failure.kind.as_str(),
        "message": failure.message,
        "detail": failure.detail,
        "faults": failure.diagnostics.iter().map(diagnostic).collect::<Vec<_>>(),
        "hints": failure.hints,
    })
}

fn diagnostic(diagnostic: &Diagnostic) -> Value {
    let mut value = json!({"code": diagnostic.code.name()});
    if let Some(location) = &diagnostic.location {
        value["file"] = location.file.display().to_string().into();
        value["line"] = location.line.into();
        value["column"] = location.column.into();
    }
    if let Some(pointer) = &diagnostic.pointer {
        value["pointer"] = pointer.clone().into();
    }
    value["message"] = diagnostic.message.clone().into();
    if !diagnostic.details.is_empty() {
        value["details"] = diagnostic.details.clone().into();
    }
    value["hints"] = render_hints(&diagnostic.hints).into();
    value
}
