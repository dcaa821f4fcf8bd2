//! Every case comes out as the real Nunjucks has it: ours, which it renders now,
//! and those recorded from its own tests. What is known to differ is listed.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use cogtools_test_support::conformance;
use cogtools_test_support::nunjucks::{self, Case};
use njk::Engine;
use serde_json::Value;

/// Where Nunjucks is installed.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("hosts")
}

fn render(case: &Case) -> Result<String, njk::Error> {
    let templates: HashMap<String, String> = case.templates.iter().cloned().collect();
    let engine = Engine::builder()
        .autoescape(case.autoescape)
        .loader(templates)
        .build();
    let template = engine.compile("case", &case.template)?;
    template.render(&case.context)
}

fn mismatch(case: &Case) -> Option<String> {
    let result = render(case);
    case.mismatch(result.as_deref().map_err(ToString::to_string))
}

#[track_caller]
fn check<'c>(cases: impl IntoIterator<Item = &'c Case>) {
    let mismatches: Vec<String> = cases.into_iter().filter_map(mismatch).collect();
    assert!(
        mismatches.is_empty(),
        "{} cases:\n{}",
        mismatches.len(),
        mismatches.join("\n")
    );
}

#[test]
fn our_cases_come_out_as_nunjucks_has_them() {
    check(&nunjucks::render(&cache()).cases);
}

/// With escaping, which Nunjucks does by default.
#[test]
fn all_cases_come_out_as_nunjucks_has_them_with_autoescape() {
    let mut cases = nunjucks::own();
    let recorded = conformance::recorded("njk/suite.jsonl", "njk with autoescape");
    cases.extend(recorded.into_iter().flatten());
    for case in &mut cases {
        case["autoescape"] = true.into();
    }
    let texts = nunjucks::texts(&cache(), &cases);
    let escaped = |(case, expected): (&Value, Option<String>)| Case {
        expected,
        ..Case::read(case)
    };
    let cases: Vec<Case> = cases.iter().zip(texts).map(escaped).collect();
    check(&cases);
}

#[test]
fn every_filter_test_and_global_has_cases() {
    let nunjucks = nunjucks::render(&cache());
    let missing: Vec<&String> = nunjucks
        .names
        .iter()
        .filter(|name| {
            let group = format!("{name}/");
            !nunjucks
                .cases
                .iter()
                .any(|case| case.id.starts_with(&group))
        })
        .collect();
    assert!(nunjucks.names.len() > 50, "{:?}", nunjucks.names);
    assert!(missing.is_empty(), "no case for {missing:?}");
}

#[test]
fn known_differences_are_those_that_are_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/differences.md");
    let text = fs::read_to_string(path).expect("the page of differences");
    let page = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let differences = nunjucks::differences(&cache());
    for (case, reason) in &differences {
        assert!(
            page.contains(reason),
            "{}: docs/differences.md does not say: {reason}",
            case.id
        );
    }
    check(differences.iter().map(|(case, _)| case));
}

#[test]
fn recorded_cases_come_out_as_nunjucks_has_them() {
    let Some(recorded) = conformance::recorded("njk/suite.jsonl", "njk") else {
        return;
    };
    assert_eq!(recorded.len(), 571, "the suite has changed");
    let mismatches: Vec<String> = recorded
        .iter()
        .filter_map(|case| {
            let case = Case::read(case);
            let result = render(&case).map_err(|error| error.to_string());
            // The suite was recorded without the newline at the end.
            let expected = case.expected.as_deref();
            let text = result.as_deref().map(|text| match text.strip_suffix('\n') {
                Some(rest) if expected == Some(rest) => rest,
                _ => text,
            });
            case.mismatch(text.map_err(String::clone))
        })
        .collect();
    assert!(mismatches.is_empty(), "{}", mismatches.join("\n"));
}
