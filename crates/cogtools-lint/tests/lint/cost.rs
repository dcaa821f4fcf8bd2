//! What large and hostile files cost: time linear in their size, and a report that can be read.

use std::time::{Duration, Instant};

use cogtools_core::file::ReadScope;
use cogtools_lint::{Levels, LintFile, Linter};
use cogtools_test_support::Project;

use crate::project::run;

/// An unoptimised build on a busy machine; what is quadratic takes minutes.
const MAX_TIME: Duration = Duration::from_secs(10);

/// The rule and the message of the findings in a tool with this description.
fn check(description: &str, rule: &str) -> Vec<String> {
    let project = Project::new();
    let text = format!("name: say\ndescription: {description}\nimplementation: Hello\n");
    project.file("say.yaml", text);
    let path = project.path("say.yaml");
    let file = LintFile::read(&path, "say.yaml".as_ref(), &ReadScope::User).unwrap();
    let start = Instant::now();
    let found = Linter::new(Levels::default()).check(&file);
    assert!(start.elapsed() < MAX_TIME, "{:?}", start.elapsed());
    let of_rule = found.into_iter().filter(|it| it.rule.name == rule);
    of_rule.map(|it| it.message).collect()
}

#[test]
fn ten_thousand_hidden_characters_on_a_line() {
    let found = check(&"a\u{200b}".repeat(10_000), "hidden-character");
    assert_eq!(found.len(), 8);
    let expected = "U+200B, a zero width space, is visible to models only; 9992 more like this";
    assert_eq!(found.last().map(String::as_str), Some(expected));
}

#[test]
fn ten_thousand_secrets_on_a_line() {
    let found = check(
        &"ghp_abcdefghijklmnopqrstuvwxyz0123456789 ".repeat(10_000),
        "secret",
    );
    assert_eq!(found.len(), 8);
    let expected = "this looks like a GitHub token; 9992 more like this";
    assert_eq!(found.last().map(String::as_str), Some(expected));
}

#[test]
fn a_file_has_a_limited_number_of_findings_of_a_rule() {
    let line = "  xoxb-1234567890-abcdefghij\n";
    let found = check(&format!("|\n{}", line.repeat(2_000)), "secret");
    assert_eq!(found.len(), 100);
    let expected = "this looks like a Slack token; 1900 more like this";
    assert_eq!(found.last().map(String::as_str), Some(expected));
}

#[test]
fn all_hidden_characters_of_a_line_are_removed() {
    let project = Project::new();
    let text = |description: &str| {
        format!(
            "$schema: schema:agladysh-research.org,2025/cogtools:tool\nname: say\n\
             description: {description}\nexamples: [{{}}]\nimplementation: Hello\n"
        )
    };
    let hidden = text(&"a\u{200b}".repeat(1_000));
    project.dir(".gemini").file("tools/say.yaml", hidden);
    let ended = run(&project, &["--fix", "--format", "json"]);
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    assert_eq!(project.read("tools/say.yaml"), text(&"a".repeat(1_000)));
}
