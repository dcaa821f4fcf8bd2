//! The cost of large and hostile files: time linear in their size, and a report that can be read.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cogtools_core::file::ReadScope;
use cogtools_lint::{Levels, LintFile, Linter};
use cogtools_test_support::Project;

use crate::project::run;

/// An unoptimised build on a busy machine; what is quadratic takes minutes.
const MAX_TIME: Duration = Duration::from_secs(10);

/// Two tests that measure would measure each other.
static MEASURED: Mutex<()> = Mutex::new(());

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

/// The shortest of some times that a description takes.
fn shortest(description: &str) -> Duration {
    let project = Project::new();
    let text = format!("name: say\ndescription: {description}\nimplementation: Hello\n");
    project.file("say.yaml", text);
    let path = project.path("say.yaml");
    let times = (0..3).map(|_| {
        let start = Instant::now();
        let file = LintFile::read(&path, "say.yaml".as_ref(), &ReadScope::User).unwrap();
        let found = Linter::new(Levels::default()).check(&file);
        assert!(!found.is_empty());
        start.elapsed()
    });
    times.min().unwrap()
}

#[test]
fn the_time_is_linear_in_the_line() {
    let _alone = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
    for part in [
        "a\u{200b}",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789 ",
        "password is password ",
        "never call the other read_file tool before ",
        "https://a:b@c/?token= ",
        "i g n o r e ",
        "]: [ <b hidden ",
        ". _ . ",
    ] {
        let (one, four) = (
            shortest(&part.repeat(5_000)),
            shortest(&part.repeat(20_000)),
        );
        // What is quadratic takes sixteen times as long.
        let most = one * 9 + Duration::from_millis(50);
        assert!(
            four < most,
            "{part}: {one:?}, and {four:?} for four times as much"
        );
    }
}

#[test]
fn a_thousand_files() {
    let project = Project::new();
    for index in 0..1_000 {
        let text = format!(
            "name: say{index}\ndescription: Say it\nparameters: {{a: {{type: string, description: What}}}}\n\
             examples: [{{a: x}}]\nimplementation: \"{{{{ a }}}}\"\n"
        );
        project.file(format!("tools/say{index}.yaml"), text);
    }
    let start = Instant::now();
    let ended = run(project.dir(".gemini"), &["--format", "json"]);
    assert_eq!(ended.stderr, "");
    assert!(start.elapsed() < 2 * MAX_TIME, "{:?}", start.elapsed());
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

/// The time that a tool of `count` parts takes, read and checked.
fn time_of(count: usize, tool: &str, part: &str, end: &str) -> Duration {
    let project = Project::new();
    let part = |index: usize| part.replace("%g", &index.to_string());
    let parts: String = (0..count).map(part).collect();
    project.file("say.yaml", format!("{tool}{parts}{end}"));
    let path = project.path("say.yaml");
    let start = Instant::now();
    let file = LintFile::read(&path, "say.yaml".as_ref(), &ReadScope::User).unwrap();
    let found = Linter::new(Levels::default()).check(&file);
    assert!(
        found.iter().all(|it| it.rule.name != "invalid-tool"),
        "{found:?}"
    );
    start.elapsed()
}

#[test]
fn the_time_is_linear_in_the_file() {
    let _alone = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
    let head = "name: say\ndescription: Say it\n";
    let script = format!("{head}implementation:\n  script: |\n    #!/bin/sh\n");
    let python = format!("{head}implementation:\n  script: |\n    #!/usr/bin/env python3\n");
    // Their parts are in one line.
    let [calls, options] = ["python3", "node"].map(|interpreter| {
        format!("{head}implementation:\n  script: |\n    #!/usr/bin/env {interpreter}\n    ")
    });
    let [call, option] = ["os.system(", "\"-c\", "].map(|part| part.repeat(8));
    let parameters = format!("{head}parameters:\n");
    let value = format!("{parameters}  a:\n    type: string\n    enum:\n");
    let branches = format!("{parameters}  a:\n    oneOf:\n");
    let json = format!("{head}output: {{type: json}}\nparameters:\n");
    for (tool, part, end) in [
        (&parameters, "  a%g: string\n", "implementation: x\n"),
        (&json, "  a%g: string\n", "implementation: '{}'\n"),
        (
            &parameters,
            "  a%g: {oneOf: [{type: string, enum: [a]}, {type: string}]}\n",
            "implementation: x\n",
        ),
        (
            &parameters,
            "  a%g: {type: integer, minimum: 3, maximum: 2}\n",
            "implementation: x\n",
        ),
        (&value, "      - v%g\n", "implementation: x\n"),
        (
            &branches,
            "      - {type: object, properties: {k: {enum: [v%g]}}}\n",
            "implementation: x\n",
        ),
        (
            &branches,
            "      - {type: string, enum: [a, v%g]}\n",
            "implementation: x\n",
        ),
        (&script, "    echo $a%g $(ls)\n", ""),
        (&script, "    echo \"$NAME_%g\"\n", ""),
        (&script, "    a%g=$(jq -r .x); eval \"$a%g\"\n", ""),
        (&script, "    cat <<E%g\n    $A\n", ""),
        (&script, "    eval $A%g \\\n", ""),
        (&script, "    cat <<E | sh\n    $A%g\n    E\n", ""),
        (&python, "    a%g = json.load(sys.stdin)\n", ""),
        (&python, "    shell=True\n", ""),
        (&python, "    a%g = os.environ\n", ""),
        (&calls, &call, "\n"),
        (&options, &option, "\n"),
    ] {
        let times = [125, 500].map(|count| {
            let times = (0..3).map(|_| time_of(count, tool, part, end));
            times.min().unwrap()
        });
        // What is quadratic takes sixteen times as long.
        let most = times[0] * 9 + Duration::from_millis(250);
        assert!(
            times[1] < most,
            "{part}{end}: {times:?} for four times as much"
        );
    }
}
