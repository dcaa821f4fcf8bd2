//! The real Nunjucks, installed from npm, as the reference for templates.
//!
//! Our own cases are in `crates/lib/njk/tests/nunjucks`: `cases.jsonl` contains those with
//! equal results, `differences.jsonl` all known differences, with our result and the
//! sentence of `docs/differences.md` that explains it.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::conformance::{cases, workspace};
use crate::install;
use crate::process::collect;

/// The version of Nunjucks that njk follows.
const PACKAGE: &str = "nunjucks@3.2.4";

/// A template and its result.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name: the group and a number.
    pub id: String,
    /// The template.
    pub template: String,
    /// Its context.
    pub context: Value,
    /// True if HTML is escaped.
    pub autoescape: bool,
    /// Other templates that it can load: names and sources.
    pub templates: Vec<(String, String)>,
    /// The result, or `None` if rendering fails.
    pub expected: Option<String>,
}

/// The results of the real Nunjucks.
#[derive(Debug)]
pub struct Nunjucks {
    /// All cases with their results.
    pub cases: Vec<Case>,
    /// All filters, tests and globals, in the form `filter.abs`.
    pub names: Vec<String>,
}

impl Case {
    /// Reads a case. A recorded one includes its result.
    pub fn read(case: &Value) -> Self {
        let text = |key: &str| case[key].as_str().map(str::to_owned);
        let templates = case["templates"].as_object();
        let source = |(name, source): (&String, &Value)| {
            let source = source.as_str().expect("a template is a string");
            (name.clone(), source.to_owned())
        };
        let context = Some(&case["context"]).filter(|context| !context.is_null());
        Self {
            id: text("id").expect("a case has an id"),
            template: text("template").expect("a case has a template"),
            context: context.cloned().unwrap_or_else(|| json!({})),
            autoescape: case["autoescape"] == true,
            templates: templates.into_iter().flatten().map(source).collect(),
            expected: text("expected"),
        }
    }

    /// The difference of `result` from the case, if any.
    pub fn mismatch(&self, result: Result<&str, String>) -> Option<String> {
        let Self { id, template, .. } = self;
        let is = match (result, self.expected.as_deref()) {
            (Ok(text), Some(expected)) if text == expected => return None,
            (Err(_), None) => return None,
            (Ok(text), _) => format!("got {text:?}"),
            (Err(error), _) => format!("got a failure: {error}"),
        };
        let expected = self.expected.as_ref();
        let expected = expected.map_or("a failure".to_owned(), |text| format!("{text:?}"));
        Some(format!("{id}: {template:?}\n  expected {expected}, {is}"))
    }
}

/// Renders our own cases with the real Nunjucks, which is installed below `cache`.
pub fn render(cache: &Path) -> Nunjucks {
    let raw = own();
    let answer = run(cache, &raw);
    let results = answer["results"].as_array().expect("a list of results");
    assert_eq!(results.len(), raw.len(), "each case has a result");
    let cases = raw.iter().zip(results).map(|(case, result)| Case {
        expected: result["text"].as_str().map(str::to_owned),
        ..Case::read(case)
    });
    let kinds = answer["names"].as_object().expect("names by their kind");
    let names = kinds.iter().flat_map(|(kind, names)| {
        let names = names.as_array().into_iter().flatten();
        names.map(move |name| format!("{kind}.{}", name.as_str().unwrap_or_default()))
    });
    Nunjucks {
        cases: cases.collect(),
        names: names.collect(),
    }
}

/// Renders `cases` with the real Nunjucks, in its form of JSON; `None` where it fails.
pub fn texts(cache: &Path, cases: &[Value]) -> Vec<Option<String>> {
    let results = results(cache, cases).into_iter();
    results.map(Result::ok).collect()
}

/// Renders `cases` with the real Nunjucks, or returns the message of its failure.
pub fn results(cache: &Path, cases: &[Value]) -> Vec<Result<String, String>> {
    let answer = run(cache, cases);
    let results = answer["results"].as_array().expect("a list of results");
    assert_eq!(results.len(), cases.len(), "each case has a result");
    let result = |result: &Value| match result["text"].as_str() {
        Some(text) => Ok(text.to_owned()),
        None => Err(result["error"].as_str().unwrap_or_default().to_owned()),
    };
    results.iter().map(result).collect()
}

/// All known differences: each case with our result, and the sentence that explains
/// it. Fails if the real Nunjucks gives the same result.
pub fn differences(cache: &Path) -> Vec<(Case, String)> {
    let raw = read("differences.jsonl");
    let answer = run(cache, &raw);
    let compared = raw.iter().enumerate().map(|(index, case)| {
        let (theirs, case_read) = (&answer["results"][index], Case::read(case));
        let same = theirs["text"].as_str() == case_read.expected.as_deref();
        assert!(!same, "{} is not a difference: {theirs}", case_read.id);
        let reason = case["reason"].as_str().expect("a difference has a reason");
        (case_read, reason.to_owned())
    });
    compared.collect()
}

/// Our own cases, as they are written: without results.
pub fn own() -> Vec<Value> {
    read("cases.jsonl")
}

fn read(file: &str) -> Vec<Value> {
    cases(&workspace().join("crates/lib/njk/tests/nunjucks").join(file))
}

fn run(cache: &Path, cases: &[Value]) -> Value {
    let place = install::npm(cache, &PACKAGE.replace('@', "-"), &[PACKAGE]);
    let mut child = Command::new("node")
        .args(["--eval", include_str!("render.cjs")])
        .current_dir(place)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Node.js runs");
    let output = collect(child.stdout.take());
    let input = child.stdin.take().expect("a pipe");
    serde_json::to_writer(input, cases).expect("Nunjucks takes the cases");
    let status = child.wait().expect("Nunjucks ends");
    assert!(status.success(), "Nunjucks failed: {status}");
    serde_json::from_slice(&output.recv().expect("an answer")).expect("the answer is JSON")
}
