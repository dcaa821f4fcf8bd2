//! `cogtools-call` accepts the same values as published validators.
//! Our own cases are in `tests/validators`; those recorded from the JSON Schema Test
//! Suite run in addition, if they are present.

pub(crate) mod shipped;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use cogtools_test_support::{conformance, install};
use serde_json::{Value, json};

use crate::clients::cache;
use crate::repository;
use crate::schema::{accepted, call};

/// Ajv for draft 4, which OpenAPI 3.0 builds on.
const AJV: [&str; 3] = ["ajv@8.20.0", "ajv-draft-04@1.0.0", "ajv-formats@3.0.1"];
/// A validator for OpenAPI 3.0 itself.
const OPENAPI: &str = "openapi-schema-validator==0.9.0";

/// Where the two validators disagree: the case, the value, our decision,
/// and why.
const DECIDED: [(&str, &str, bool, &str); 2] = [
    ("type.integer/1", "2.0", true, "JSON has one kind of number"),
    ("multiple-of/3", "14.0", true, "JSON has one kind of number"),
];

/// Values with keys that the schema does not declare: validators accept them, but a key
/// that a model made up is as wrong in a nested object as among the arguments. Schemas
/// that allow other keys say so with `additionalProperties`.
const UNDECLARED: [(&str, &str); 6] = [
    (
        "jsts-additionalProperties-4-0",
        r#"{"foo":1,"bar":2,"quux":true}"#,
    ),
    ("jsts-not-3-1", r#"{"bar":1,"baz":2}"#),
    ("jsts-properties-0-3", r#"{"quux":[]}"#),
    ("items-objects/1", r#"[{"n":1,"m":2}]"#),
    ("properties/1", r#"{"c":null}"#),
    ("names/1", r#"{"toString":"x"}"#),
];

/// One value validated against one schema of parameters.
struct Case {
    id: String,
    schema: Value,
    arguments: Value,
    valid: bool,
}

impl Case {
    /// Returns true if it is valid for `cogtools-call`.
    fn is_valid(&self) -> bool {
        let value = self.arguments["value"].to_string();
        let undeclared = UNDECLARED
            .iter()
            .any(|known| (self.id.trim_matches('"'), &*value) == *known);
        assert!(self.valid || !undeclared, "{} is not valid anyway", self.id);
        self.valid && !undeclared
    }

    /// The failure of `cogtools-call`, if its answer is wrong.
    fn diagnostic(&self) -> Option<String> {
        let outcome = call(&self.schema, &self.arguments);
        let valid = self.is_valid();
        let Self {
            id,
            schema,
            arguments,
            ..
        } = self;
        let wrong = accepted(&outcome) != Ok(valid);
        wrong.then(|| format!("{id}: {schema} and {arguments} must be {valid}\n{outcome}"))
    }
}

/// Our schemas, each for one of two parameters, with the arguments
/// to validate.
fn ours() -> Vec<Value> {
    let file = repository().join("tests/validators/cases.jsonl");
    let cases = conformance::cases(&file).into_iter().map(|case| {
        let instances = case["instances"].as_array().expect("a list of values");
        let arguments = instances.iter().map(|value| json!({"value": value}));
        let other = json!({"type": "string", "maxLength": 8});
        let properties = json!({"value": case["schema"], "other": other});
        json!({
            "id": case["id"],
            "schema": {"type": "object", "properties": properties},
            "instances": arguments.collect::<Vec<_>>(),
        })
    });
    cases.collect()
}

/// The verdicts of a validator on each value of each case.
fn verdicts(validator: &mut Command, cases: &[Value]) -> Vec<Vec<bool>> {
    let mut child = validator
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the validator runs");
    let input = child.stdin.take().expect("a pipe");
    // It reads all input before it answers.
    serde_json::to_writer(input, cases).expect("the validator takes the cases");
    let output = child.wait_with_output().expect("the validator ends");
    assert!(output.status.success(), "{}", output.status);
    serde_json::from_slice(&output.stdout).expect("the validator answers in JSON")
}

fn ajv(cases: &[Value]) -> Vec<Vec<bool>> {
    let place = install::npm(&cache(), "ajv-1", &AJV);
    let mut node = Command::new("node");
    node.args(["--eval", include_str!("ajv.cjs")]);
    verdicts(node.current_dir(place), cases)
}

fn openapi(cases: &[Value]) -> Vec<Vec<bool>> {
    let python = install::python(&cache(), &OPENAPI.replace("==", "-"), &[OPENAPI]);
    let mut python = Command::new(python);
    python.args(["-c", include_str!("openapi.py")]);
    verdicts(python.current_dir(Path::new("/")), cases)
}

/// Every value with the verdict of the validators, or our decision.
fn judged(cases: &[Value]) -> Vec<Case> {
    let (ajv, openapi) = (ajv(cases), openapi(cases));
    let mut judged = Vec::new();
    let mut disputed = Vec::new();
    for ((case, ajv), openapi) in cases.iter().zip(ajv).zip(openapi) {
        let instances = case["instances"].as_array().expect("a list of values");
        assert_eq!([ajv.len(), openapi.len()], [instances.len(); 2], "{case}");
        for ((arguments, ajv), openapi) in instances.iter().zip(ajv).zip(openapi) {
            let (id, value) = (case["id"].to_string(), arguments["value"].to_string());
            let id = id.trim_matches('"');
            let decided = DECIDED
                .iter()
                .find(|known| (known.0, known.1) == (id, &value));
            if ajv != openapi {
                disputed.push((id.to_owned(), value));
            }
            judged.push(Case {
                id: id.to_owned(),
                schema: case["schema"].clone(),
                arguments: arguments.clone(),
                valid: decided.map_or(ajv, |decided| decided.2),
            });
        }
    }
    let decided = DECIDED.map(|(id, value, ..)| (id.to_owned(), value.to_owned()));
    assert_eq!(disputed, decided, "what the validators disagree on");
    judged
}

#[track_caller]
fn check(cases: &[Case]) {
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(diagnostic) = case.diagnostic() {
                let mut wrong = wrong.lock().unwrap_or_else(PoisonError::into_inner);
                wrong.push(diagnostic);
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let wrong = wrong.into_inner().unwrap_or_else(PoisonError::into_inner);
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count} wrong\n{}", wrong.join("\n"));
}

#[test]
fn our_cases_match_the_validators() {
    let cases = judged(&ours());
    let valid = cases.iter().filter(|case| case.valid).count();
    assert!(
        valid > 100 && cases.len() - valid > 100,
        "{valid} are valid"
    );
    check(&cases);
}

#[test]
fn recorded_cases_of_the_json_schema_test_suite() {
    let Some(recorded) = conformance::recorded("schema/jsts-draft4.jsonl", "cogtools-call") else {
        return;
    };
    assert_eq!(recorded.len(), 584, "the suite has changed");
    let cases = recorded.into_iter().map(|case| Case {
        id: case["id"].to_string(),
        valid: case["valid"] == true,
        schema: case["schema"].clone(),
        arguments: case["instance"].clone(),
    });
    check(&cases.collect::<Vec<_>>());
}
