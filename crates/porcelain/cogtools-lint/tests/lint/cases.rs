//! Every rule against its own examples, and against the documentation.

use std::fs;
use std::path::{Path, PathBuf};

use cogtools_core::Level;
use cogtools_lint::{CaseFile, Rule, reference, rules};
use cogtools_test_support::{Expected, Project, assert_text};

use crate::project::{run, run_after};
use crate::sessions::rejected;

/// The rules that the files of an example break. All rules are on except for those
/// that are off or advice by default, unless it is `rule`.
fn broken_rules(rule: &Rule, kind: &str, files: &[CaseFile]) -> Vec<String> {
    let project = Project::new();
    project.dir(".gemini");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("cases")
        .join(rule.name)
        .join(kind);
    for file in files {
        project.file(file.path, file.text);
        let permissions = fs::metadata(folder.join(file.path)).unwrap().permissions();
        fs::set_permissions(project.path(file.path), permissions).unwrap();
    }
    if rule.level == Level::Off {
        let text = format!("lint: {{rules: {{{}: warn}}}}\n", rule.name);
        project.file(".cogtoolrc.yaml", text);
    }
    let ended = if rule.name == "models-err" {
        run_after(
            &project,
            &[rejected("unit")],
            &["--format", "json", "--sessions"],
        )
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
        let found = broken_rules(rule, "fails", rule.example.fails);
        assert!(
            found.iter().any(|name| name == rule.name),
            "{}: found {found:?}",
            rule.name
        );
        let unexpected =
            |name: &String| name != rule.name && !related_rules(rule.name).contains(&name.as_str());
        assert!(
            !found.iter().any(unexpected),
            "{}: found {found:?}",
            rule.name
        );
        assert_eq!(
            broken_rules(rule, "passes", rule.example.passes),
            Vec::<String>::new(),
            "{}",
            rule.name
        );
    }
}

#[test]
fn every_example_belongs_to_a_rule() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut expected = Vec::new();
    for rule in rules() {
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
