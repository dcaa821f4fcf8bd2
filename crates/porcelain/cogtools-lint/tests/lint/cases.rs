//! Every rule against its own examples, and against the documentation.

use std::fs;
use std::path::{Path, PathBuf};

use cogtools_core::Level;
use cogtools_lint::{Rule, reference, rules};
use cogtools_test_support::{Expected, Project, assert_text};

use crate::project::{run, run_after};
use crate::sessions::rejected;

/// The folder with the examples of all rules.
fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

/// The rules that the files of an example break. All rules are on except for those
/// that are off or advice by default, unless it is `rule`.
fn broken_rules(rule: &Rule, kind: &str) -> Vec<String> {
    let project = Project::new();
    project.dir(".gemini");
    let folder = cases().join(rule.name).join(kind);
    for file in files(&folder) {
        let name = file.strip_prefix(&folder).unwrap();
        project.file(name, fs::read(&file).unwrap());
        let permissions = fs::metadata(&file).unwrap().permissions();
        fs::set_permissions(project.path(name), permissions).unwrap();
    }
    if rule.level == Level::Off {
        let text = format!("lint: {{rules: {{{}: warn}}}}\n", rule.name);
        project.file(".cogtoolrc.yaml", text);
    }
    let ended = if rule.name == "models-err" {
        let session = if kind == "seen" {
            rejected("style_id").replace("convert", "style_chart")
        } else {
            rejected("unit")
        };
        run_after(&project, &[session], &["--format", "json", "--sessions"])
    } else {
        run(&project, &["--format", "json"])
    };
    assert_eq!(ended.stderr, "", "{}", rule.name);
    let findings: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    findings
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["severity"] != "note" || it["rule"] == rule.name)
        .map(|it| it["rule"].as_str().unwrap().to_owned())
        .collect()
}

/// Other rules that report the same mistake, because it affects two hosts.
fn related_rules(rule: &str) -> &'static [&'static str] {
    match rule {
        "lone-exclusive-bound" => &["gemini-keyword"],
        _ => &[],
    }
}

#[test]
fn every_rule_has_a_failing_and_a_passing_example() {
    for rule in rules() {
        breaks_only(rule, "fails");
        let found = broken_rules(rule, "passes");
        assert_eq!(found, Vec::<String>::new(), "{}", rule.name);
    }
}

fn breaks_only(rule: &Rule, kind: &str) {
    let found = broken_rules(rule, kind);
    let is_own = |name: &String| name == rule.name;
    assert!(
        found.iter().any(is_own),
        "{} in {kind}: {found:?}",
        rule.name
    );
    let is_related = |name: &String| related_rules(rule.name).contains(&name.as_str());
    assert!(
        found.iter().all(|name| is_own(name) || is_related(name)),
        "{} in {kind}: {found:?}",
        rule.name
    );
}

/// The mistake of each rule as an author made it, in the place that the page names.
#[test]
fn every_rule_finds_the_mistake_that_was_seen() {
    for rule in rules() {
        let seen = rule.example.seen;
        assert!(seen.contains("](https://"), "{}: {seen}", rule.name);
        breaks_only(rule, "seen");
    }
}

#[test]
fn every_example_belongs_to_a_rule() {
    let cases = cases();
    let mut expected = Vec::new();
    for rule in rules() {
        expected.push(cases.join(rule.name).join("seen.md"));
        expected.extend(files(&cases.join(rule.name).join("seen")));
        for (kind, files) in [
            ("fails", rule.example.fails),
            ("passes", rule.example.passes),
        ] {
            let folder = cases.join(rule.name).join(kind);
            expected.extend(files.iter().map(|file| folder.join(file.path)));
        }
    }
    expected.sort();
    assert_eq!(files(&cases), expected);
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn rules_have_consistent_texts() {
    let mut names = Vec::new();
    for rule in rules() {
        let name = rule.name;
        assert!(
            name.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
            "{name}"
        );
        for text in [rule.summary, rule.why, rule.fix] {
            assert!(!text.ends_with('.') && !text.is_empty(), "{name}: {text}");
        }
        assert!(!names.contains(&name), "{name} twice");
        names.push(name);
    }
}

#[test]
fn the_reference_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/reference/lint-rules.md");
    assert_text(reference(), Expected::file(path));
}
