//! Templates through the installed program: each case as a tool that
//! `cogtools-call` runs, compared with what the real Nunjucks gives; and generated ones.

mod generated;
mod generator;
mod grammar;
mod random;

use std::thread;

use cogtools_test_support::nunjucks::{self, Case};
use cogtools_test_support::{Project, Run, Status, conformance};
use serde_json::json;

/// The failure of the case, if it fails.
fn diagnostic(case: &Case) -> Option<String> {
    let project = Project::new();
    let tool = json!({
        "name": "case",
        "description": "One case",
        "parameters_schema": {"type": "object", "additionalProperties": true},
        // A file may be empty, a template in the tool file may not be.
        "implementation": {"njk_file": "case.njk"},
    });
    project
        .file("tools/case.yaml", tool.to_string())
        .file("tools/case.njk", &case.template);
    for (name, source) in &case.templates {
        project.file(format!("tools/{name}"), source);
    }
    let outcome = Run::new(crate::programs().join("cogtools-call"))
        .arg("case")
        .project(&project)
        .stdin(&case.context)
        .run();
    let text = String::from_utf8_lossy(&outcome.stdout);
    let result = match outcome.status {
        Status::Exit(0) if outcome.stderr.is_empty() => {
            // The program adds a newline to a text that ends without one.
            let ended = text.strip_suffix('\n');
            let ended = ended.filter(|text| case.expected.as_deref() == Some(*text));
            Ok(ended.unwrap_or(&text))
        }
        Status::Exit(70 | 78) => Err(format!("{outcome:?}")),
        _ => return Some(format!("{}: {outcome:?}", case.id)),
    };
    case.mismatch(result)
}

#[track_caller]
fn check(cases: &[Case]) {
    let (first, second) = cases.split_at(cases.len() / 2);
    let diagnostics =
        |cases: &[Case]| -> Vec<String> { cases.iter().filter_map(diagnostic).collect() };
    let diagnostics: Vec<String> = thread::scope(|scope| {
        let second = scope.spawn(|| diagnostics(second));
        let mut all = diagnostics(first);
        all.extend(second.join().expect("the second half was tried"));
        all
    });
    let (wrong, all) = (diagnostics.len(), cases.len());
    assert!(
        diagnostics.is_empty(),
        "{wrong} of {all}:\n{}",
        diagnostics.join("\n")
    );
}

#[test]
fn our_cases_match_nunjucks() {
    let mut cases = nunjucks::render(&crate::clients::cache()).cases;
    // Tools print text, so nothing is escaped.
    cases.retain(|case| !case.autoescape);
    check(&cases);
}

#[test]
fn recorded_cases_match_nunjucks() {
    let Some(recorded) = conformance::recorded("njk/suite.jsonl", "cogtools-call") else {
        return;
    };
    let cases: Vec<Case> = recorded.iter().map(Case::read).collect();
    assert_eq!(cases.len(), 571, "the suite has changed");
    check(&cases);
}
