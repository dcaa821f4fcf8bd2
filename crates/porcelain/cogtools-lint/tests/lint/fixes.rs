//! `--fix`, byte for byte.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use cogtools_test_support::{Project, outcome, str};

use crate::project::run;

/// Asserts that `--fix` turns `before` into `after` and reports `fixed_rules`, and
/// that a second run changes nothing.
fn check(before: &str, after: &str, fixed_rules: &[&str]) {
    let project = Project::new();
    project
        .dir(".gemini")
        .file("tools/say.yaml", before)
        .mode("tools/say.yaml", 0o755);
    let ended = run(&project, &["--fix", "--format", "json"]);
    assert_eq!(ended.stderr, "");
    assert_eq!(project.read("tools/say.yaml"), after);
    let found: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let fixed: Vec<_> = found
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["fixed"] == true)
        .map(|it| it["rule"].as_str().unwrap())
        .collect();
    assert_eq!(fixed, fixed_rules);
    let bits = fs::metadata(project.path("tools/say.yaml"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(bits & 0o777, 0o755, "permissions are preserved");
    assert_eq!(project.files().len(), 1, "no temporary file is left");

    run(&project, &["--fix"]);
    assert_eq!(
        project.read("tools/say.yaml"),
        after,
        "a second run changes nothing"
    );
}

const REST: &str = "description: Say it # aloud
examples:
  - text: Hello
    times: 2
implementation: | # njk
  {{ text }},  {{ times }}
  # kept:  \n";

#[test]
fn only_what_is_wrong_changes() {
    let body = |schema: &str, times: &str, more: &str| {
        format!(
            "#! /usr/bin/env cogtools-yaml\n# a comment, kept{more}\n\n{schema}name:   say\n\
             parameters:\n  text:   {{ type: 'string', description: \"What to say\" }}\n  \
             times:\n    type: {times}   # how often\n    description: How often\n{REST}"
        )
    };
    let schema = "$schema: schema:agladysh-research.org,2025/cogtools:tool\n";
    check(
        &body("", "int", ""),
        &body(schema, "integer", ""),
        &["no-schema", "type-spelling"],
    );
    check(
        &body(schema, "\"int\"", " \t"),
        &body(schema, "\"integer\"", ""),
        &["trailing-space", "type-spelling"],
    );
    check(
        &body(schema, "integer", "\u{200b}\u{200b} \u{feff}"),
        &body(schema, "integer", ""),
        &["hidden-character", "hidden-character", "trailing-space"],
    );
    check(
        &body("", "integer", "").replace('\n', "\r\n"),
        &body(schema, "integer", ""),
        &["carriage-return", "no-schema"],
    );
    check(
        &format!("{}\n\n", body(schema, "integer", "")),
        &format!("{}\n\n", body(schema, "integer", "")),
        &[],
    );
}

#[test]
fn a_byte_order_mark_stays_and_a_newline_is_added() {
    let before = "\u{feff}name: say\ndescription: Say it\nimplementation: Hello";
    let after = "\u{feff}$schema: schema:agladysh-research.org,2025/cogtools:tool\n\
                 name: say\ndescription: Say it\nimplementation: Hello\n";
    check(before, after, &["no-schema", "trailing-space"]);
}

#[test]
fn edits_never_change_the_meaning() {
    let schema = "$schema: schema:agladysh-research.org,2025/cogtools:tool\n";
    // A right-to-left override: a person must look at what it hid.
    let text = format!("{schema}name: say\ndescription: Say \u{202e}it\nimplementation: Hello\n");
    check(&text, &text, &[]);
    // Two blanks are a line break in Markdown, and part of the text.
    let text = format!("{schema}name: say\ndescription: |\n  Say  \n  it\nimplementation: Hello\n");
    check(&text, &text, &[]);
    // Inside braces, `$schema` cannot be inserted as a line before.
    let text = "{name: say, description: Say it, implementation: Hello}\n";
    check(text, text, &[]);
    // A misspelt key is reported, but not corrected.
    let text = format!("{schema}name: say\ndescripton: Say it\nimplementation: Hello\n");
    check(&text, &text, &[]);
}

#[test]
fn a_fix_makes_no_two_things_equal() {
    let schema = "$schema: schema:agladysh-research.org,2025/cogtools:tool\n";
    let tool = |parameters: &str| {
        format!(
            "{schema}name: say\ndescription: Say it\nparameters:\n{parameters}\
             examples: [{{}}]\nimplementation: Hello\n"
        )
    };
    // Without the hidden character, there are two parameters of that name.
    let text = tool("  text: string\n  \"te\u{200b}xt\": string\n");
    check(&text, &text, &[]);
    // And here the enum has a value twice; what is hidden elsewhere goes.
    let before = tool("  # a\u{200b}b\n  text: {enum: [a, \"a\u{200b}\"]}\n");
    let after = tool("  # ab\n  text: {enum: [a, \"a\u{200b}\"]}\n");
    check(&before, &after, &["hidden-character"]);
}

#[test]
fn a_folded_list_becomes_a_literal_one() {
    let schema = "$schema: schema:agladysh-research.org,2025/cogtools:tool\n";
    let tool = |style: &str| {
        format!(
            "{schema}name: say\ndescription: Say it\nimplementation: {style}\n  Said:\n  - hello\n"
        )
    };
    check(&tool(">"), &tool("|"), &["folded-template"]);
}

#[test]
fn a_file_that_is_not_a_tool_is_left_alone() {
    let project = Project::new();
    let text = "services: {web: {image: nginx}}\n";
    project.dir(".gemini").file("compose.yaml", text);
    run(&project, &["--fix", "compose.yaml"]);
    assert_eq!(project.read("compose.yaml"), text);
}

#[test]
fn a_file_with_two_names_is_fixed_once() {
    let project = Project::new();
    project
        .dir(".gemini")
        .file(
            "tools/say.yaml",
            "name: say\ndescription: Say it\nimplementation: Hello\n",
        )
        .link("tools/tell.yaml", "say.yaml");
    let ended = run(
        &project,
        &[
            "--fix",
            "tools",
            "tools/say.yaml",
            "tools/say.yaml",
            "--format",
            "json",
        ],
    );
    assert_eq!(
        (ended.status, ended.stderr.as_str()),
        (78, ""),
        "`tell.yaml` does not have the name `say`"
    );
    let schema = "$schema: schema:agladysh-research.org,2025/cogtools:tool\n";
    let text = format!("{schema}name: say\ndescription: Say it\nimplementation: Hello\n");
    assert_eq!(project.read("tools/say.yaml"), text);
}

#[test]
fn a_link_stays_a_link() {
    let project = Project::new();
    project
        .dir(".gemini")
        .dir("tools")
        .file(
            "say.yaml",
            "name: say\ndescription: Say it\nexamples: [{}]\nimplementation: Hello\n",
        )
        .link("tools/say.yaml", "../say.yaml");
    outcome!(run(&project, &["--fix"])).expect(
        0,
        str![[r#"
tools/say.yaml:1:1: fixed[no-schema]: no `$schema`

1 file: 1 fixed, nothing to report

"#]],
        "",
    );
    assert!(
        fs::symlink_metadata(project.path("tools/say.yaml"))
            .unwrap()
            .is_symlink()
    );
    assert!(project.read("say.yaml").starts_with("$schema: "));
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let text = "name: say\ndescription: Say it\nexamples: [{}]\nimplementation: Hello\n";
    let project = Project::new();
    project
        .dir(".gemini")
        .file("tools/say.yaml", text)
        .mode("tools/say.yaml", 0o444);
    let ended = run(&project, &["--fix"]);
    assert_eq!(ended.status, 74, "{}", ended.stderr);
    let expected = "error[IO_FAILED]: `tools/say.yaml` cannot be written: it is read-only\n\
                    hint: make it writable, then run this again\n";
    assert!(ended.stderr.contains(expected), "{}", ended.stderr);
    assert_eq!(project.read("tools/say.yaml"), text);
}
