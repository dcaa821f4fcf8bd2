//! Nunjucks' own recorded cases, each as a tool that `cogtools-call` runs.

use std::path::Path;
use std::thread;

use cogtools_test_support::{Project, Run, Status};
use serde_json::{Value, json};

/// How many cases must come out as Nunjucks has them.
const ENOUGH: usize = 565;

fn suite() -> Vec<Value> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/njk/suite.jsonl");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{} must be there: {error}", path.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a case is one line of JSON"))
        .collect()
}

/// What is wrong with the case, if anything.
fn fault(case: &Value) -> Option<String> {
    let project = Project::new();
    let tool = json!({
        "name": "case",
        "description": "One recorded case",
        "parameters_schema": {"type": "object", "additionalProperties": true},
        // A file may be empty, a template in the tool file may not.
        "implementation": {"njk_file": "case.njk"},
    });
    project.file("tools/case.yaml", tool.to_string()).file(
        "tools/case.njk",
        case["template"].as_str().expect("a template"),
    );
    let outcome = Run::new(crate::programs().join("cogtools-call"))
        .arg("case")
        .project(&project)
        .stdin(&case["context"])
        .run();
    let text = String::from_utf8_lossy(&outcome.stdout);
    match (outcome.status, case["expected"].as_str()) {
        (Status::Exit(0), Some(expected)) => {
            let same = text == expected || text.strip_suffix('\n') == Some(expected);
            let quiet = outcome.stderr.is_empty();
            (!same || !quiet).then(|| format!("expected {expected:?}, got {outcome:?}"))
        }
        (Status::Exit(70 | 78), None) => None,
        (_, expected) => Some(format!("expected {expected:?}, got {outcome:?}")),
    }
}

#[test]
fn recorded_cases_come_out_as_nunjucks_has_them() {
    let cases = suite();
    let (first, second) = cases.split_at(cases.len() / 2);
    let faults = |cases: &[Value]| -> Vec<String> {
        let faults = cases
            .iter()
            .filter_map(|case| Some((case["id"].to_string(), fault(case)?)));
        faults.map(|(id, fault)| format!("{id}: {fault}")).collect()
    };
    let faults: Vec<String> = thread::scope(|scope| {
        let second = scope.spawn(|| faults(second));
        let mut all = faults(first);
        all.extend(second.join().expect("the second half was tried"));
        all
    });
    let right = cases.len() - faults.len();
    assert!(
        right >= ENOUGH,
        "{right} of {} are right:\n{}",
        cases.len(),
        faults.join("\n")
    );
    assert_eq!(cases.len(), 571, "the suite has changed");
}
