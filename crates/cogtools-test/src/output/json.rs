//! The report for programs: one JSON object.

use cogtools_core::Fault;
use serde_json::{Value, json};

use super::Sum;
use crate::flaw::Flaw;
use crate::suite::{Case, Suite};

/// The report.
pub(super) fn text(suites: &[Suite]) -> String {
    let sum = Sum::of(suites);
    let report = json!({
        "tools": suites.iter().map(suite).collect::<Vec<_>>(),
        "summary": {
            "tools": sum.tools,
            "examples": sum.examples,
            "failures": sum.failures,
            "without_examples": sum.bare,
            "written": sum.written,
            "removed": sum.removed,
        },
    });
    format!("{report:#}\n")
}

fn suite(suite: &Suite) -> Value {
    let status = match () {
        () if !suite.passed() => "failed",
        () if suite.is_bare() => "empty",
        () => "passed",
    };
    let removed = suite.removed.iter().map(|file| file.display().to_string());
    json!({
        "name": suite.name,
        "file": suite.file.display().to_string(),
        "status": status,
        "examples": suite.cases.iter().map(case).collect::<Vec<_>>(),
        "failures": suite.flaws.iter().map(flaw).collect::<Vec<_>>(),
        "removed": removed.collect::<Vec<_>>(),
    })
}

fn case(case: &Case) -> Value {
    let mut value = json!({"number": case.number});
    if let Some(place) = &case.place {
        value["file"] = place.file.display().to_string().into();
        value["line"] = place.line.into();
        value["column"] = place.column.into();
    }
    value["golden"] = case.golden.display().to_string().into();
    value["status"] = if case.flaws.is_empty() {
        "passed"
    } else {
        "failed"
    }
    .into();
    value["written"] = case.written.into();
    value["failures"] = case.flaws.iter().map(flaw).collect();
    value
}

fn flaw(flaw: &Flaw) -> Value {
    json!({
        "at": flaw.blame.as_str(),
        "message": flaw.message,
        "detail": flaw.detail,
        "faults": flaw.faults.iter().map(fault).collect::<Vec<_>>(),
        "hints": flaw.hints,
    })
}

fn fault(fault: &Fault) -> Value {
    let mut value = json!({"code": fault.code.name()});
    if let Some(place) = &fault.place {
        value["file"] = place.file.display().to_string().into();
        value["line"] = place.line.into();
        value["column"] = place.column.into();
    }
    if let Some(pointer) = &fault.pointer {
        value["pointer"] = pointer.clone().into();
    }
    value["message"] = fault.message.clone().into();
    value["hints"] = fault.hints.clone().into();
    value
}
