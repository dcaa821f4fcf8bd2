//! Nunjucks' own cases, recorded from its test-suite: every one must come out
//! the same, but for the misses that are listed here with their reason.

use std::path::PathBuf;

use njk::Engine;
use serde_json::Value as Json;

/// Cases that come out otherwise, and why.
const MISSES: [(&str, &str); 0] = [];

/// The recorded cases lie beside the workspace, not in it.
fn suite() -> PathBuf {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    workspace.join("../shared/conformance/njk/suite.jsonl")
}

/// What is wrong with a case, if anything.
fn fault(case: &Json) -> Option<String> {
    let template = case["template"].as_str().expect("a template");
    let autoescape = case["autoescape"].as_bool().unwrap_or_default();
    let engine = Engine::builder().autoescape(autoescape).build();
    let result = engine
        .compile("case", template)
        .and_then(|template| template.render(&case["context"]));
    match (result, case["expected"].as_str()) {
        (Ok(text), Some(expected)) => {
            let same = text == expected || text.strip_suffix('\n') == Some(expected);
            (!same).then(|| format!("expected {expected:?}, got {text:?}"))
        }
        (Ok(text), None) => Some(format!("expected an error, got {text:?}")),
        (Err(error), Some(expected)) => Some(format!("expected {expected:?}, got error: {error}")),
        (Err(_), None) => None,
    }
}

#[test]
fn every_case_comes_out_as_nunjucks_has_it() {
    let path = suite();
    let cases = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{} must be there: {error}", path.display()));
    let mut faults = Vec::new();
    let mut count = 0;
    for line in cases.lines().filter(|line| !line.trim().is_empty()) {
        let case: Json = serde_json::from_str(line).expect("a case is one line of JSON");
        let id = case["id"].as_str().expect("an id");
        let miss = MISSES.iter().any(|(known, _)| *known == id);
        count += 1;
        match fault(&case) {
            Some(fault) if !miss => faults.push(format!("{id}: {fault}\n  {}", case["template"])),
            None if miss => faults.push(format!("{id}: passes now, take it off the list")),
            _ => {}
        }
    }
    assert!(count >= 571, "the suite has shrunk to {count} cases");
    assert!(
        faults.is_empty(),
        "{} of {count} cases:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
