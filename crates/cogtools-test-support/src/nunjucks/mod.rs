//! The real Nunjucks, installed from npm: what templates must come out as.
//!
//! Our own cases lie in `crates/njk/tests/nunjucks`. `cases.jsonl` has those that
//! come out the same, `differences.jsonl` every known one that does not, with what
//! comes out instead and the sentence of `docs/differences.md` that says why.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::conformance::{cases, workspace};
use crate::install;
use crate::process::collect;

/// The Nunjucks that njk follows.
const PACKAGE: &str = "nunjucks@3.2.4";

/// A template, and what comes of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name: the group and a number.
    pub id: String,
    /// The template.
    pub template: String,
    /// What it is rendered with.
    pub context: Value,
    /// Whether HTML is escaped.
    pub autoescape: bool,
    /// Other templates that it reaches: names and sources.
    pub templates: Vec<(String, String)>,
    /// What it comes out as, or `None` where that is a failure.
    pub expected: Option<String>,
}

/// What the real Nunjucks says.
#[derive(Debug)]
pub struct Nunjucks {
    /// Every case, each with what it comes out as.
    pub cases: Vec<Case>,
    /// The filters, tests and globals there are, as `filter.abs`.
    pub names: Vec<String>,
}

impl Case {
    /// Reads a case. A recorded one says itself what it comes out as.
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

    /// What is wrong with `result`, if anything.
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

/// Renders our own cases by the real Nunjucks, which is installed below `cache`.
pub fn render(cache: &Path) -> Nunjucks {
    let raw = own("cases.jsonl");
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

/// Every known difference: each case with what comes out here, and the sentence
/// that says why. Fails where the real Nunjucks has come to agree.
pub fn differences(cache: &Path) -> Vec<(Case, String)> {
    let raw = own("differences.jsonl");
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

fn own(file: &str) -> Vec<Value> {
    cases(&workspace().join("crates/njk/tests/nunjucks").join(file))
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
