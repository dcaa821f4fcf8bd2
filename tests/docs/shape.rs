//! Kinds of documents, and the parts that each must have.

use super::{documents, named};

/// The sections of a decision.
const DECISION: [&str; 3] = ["## Context", "## Decision", "## Alternatives"];

/// The largest number of decisions: more are merged by subject.
const DECISIONS: usize = 25;

#[test]
fn architecture_fits_on_a_few_pages() {
    let page = named("docs/architecture.md");
    let lines = page.text.lines().count();
    assert!(lines <= 200, "docs/architecture.md has {lines} lines");
    let invariants = page
        .prose
        .iter()
        .filter(|(_, line)| line.starts_with("**Invariant:** "));
    assert!(invariants.count() >= 5, "an architecture has invariants");
}

#[test]
fn decisions_have_their_sections() {
    let documents = documents();
    let decisions: Vec<_> = documents
        .iter()
        .filter(|document| document.name.starts_with("docs/decisions/"))
        .collect();
    for decision in &decisions {
        let headings = decision.prose.iter().map(|(_, line)| line.as_str());
        let sections: Vec<&str> = headings.filter(|line| line.starts_with("## ")).collect();
        assert_eq!(sections, DECISION, "{}", decision.name);
    }
    assert!(
        (1..=DECISIONS).contains(&decisions.len()),
        "{}",
        decisions.len()
    );
}

#[test]
fn every_document_is_in_the_index() {
    let index = named("docs/README.md");
    for document in documents().iter().filter(|document| document.is_ours()) {
        if let Some(name) = document
            .name
            .strip_prefix("docs/")
            .filter(|name| *name != "README.md")
        {
            let link = format!("]({name})");
            assert!(
                index.text.contains(&link),
                "docs/README.md does not name {name}"
            );
        }
    }
}

/// The page on installing says so as long as the changelog does.
#[test]
fn what_is_not_released_is_named() {
    let changelog = named("CHANGELOG.md").text;
    let unreleased: Vec<&str> = changelog
        .lines()
        .filter_map(|line| line.strip_prefix("## ["))
        .filter_map(|line| line.strip_suffix("] - unreleased"))
        .collect();
    let install = named("docs/how-to/install.md").text;
    let named: Vec<&str> = install
        .lines()
        .filter_map(|line| line.strip_prefix("Version "))
        .filter_map(|line| line.split_once(" is not released yet"))
        .map(|(version, _)| version)
        .collect();
    assert_eq!(named, unreleased);
}
