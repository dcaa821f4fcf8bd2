//! The levels of rules in `.cogtoolrc.yaml`.

use cogtools_test_support::{Expected, Project, outcome, str};

use crate::project::run;

const BARE: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: say
description: Say something
parameters:
  text: {type: string, description: What to say}
implementation: \"{{ text }}\"
";

#[track_caller]
fn check(
    configuration: &str,
    status: i32,
    stdout: impl Into<Expected>,
    stderr: impl Into<Expected>,
) {
    let project = Project::new();
    project
        .file(".cogtoolrc.yaml", configuration)
        .file("tools/say.yaml", BARE);
    outcome!(run(&project, &["--format", "json"])).expect(status, stdout, stderr);
}

#[test]
fn the_project_sets_the_level_of_a_rule() {
    check(
        "",
        0,
        str![[r#"
[
{"rule":"no-examples","severity":"warning","file":"tools/say.yaml","line":2,"column":1,"endColumn":5,"message":"no examples","why":"a model sees no complete call, and `cogtools test` has nothing to run","fix":"add `examples` with one map of arguments as a model would send them","fixable":false,"fixed":false}
]

"#]],
        "",
    );
    check(
        "lint:\n",
        0,
        str![[r#"
[
{"rule":"no-examples","severity":"warning","file":"tools/say.yaml","line":2,"column":1,"endColumn":5,"message":"no examples","why":"a model sees no complete call, and `cogtools test` has nothing to run","fix":"add `examples` with one map of arguments as a model would send them","fixable":false,"fixed":false}
]

"#]],
        "",
    );
    check(
        "lint: {rules: {no-examples: warn}}\n",
        0,
        str![[r#"
[
{"rule":"no-examples","severity":"warning","file":"tools/say.yaml","line":2,"column":1,"endColumn":5,"message":"no examples","why":"a model sees no complete call, and `cogtools test` has nothing to run","fix":"add `examples` with one map of arguments as a model would send them","fixable":false,"fixed":false}
]

"#]],
        "",
    );
    check(
        "lint: {rules: {no-examples: error}}\n",
        78,
        str![[r#"
[
{"rule":"no-examples","severity":"error","file":"tools/say.yaml","line":2,"column":1,"endColumn":5,"message":"no examples","why":"a model sees no complete call, and `cogtools test` has nothing to run","fix":"add `examples` with one map of arguments as a model would send them","fixable":false,"fixed":false}
]

"#]],
        "",
    );
    check(
        "lint: {rules: {no-examples: off}}\n",
        0,
        str![[r#"
[]

"#]],
        "",
    );
}

#[test]
fn an_invalid_setting_is_rejected_with_its_location() {
    check(
        "lint: {rules: {no-example: off}}\n",
        78,
        "",
        str![[r#"
cogtools-lint: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:16: there is no rule `no-example`
   |
 1 | lint: {rules: {no-example: off}}
   |                ^^^^^^^^^^
hint: did you mean `no-examples`, `empty-example` or `invalid-example`?

"#]],
    );
    check(
        "lint: {rules: {no-examples: warning}}\n",
        78,
        "",
        str![[r#"
cogtools-lint: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:29: a rule is set to off, note, warn or error, not `warning`
   |
 1 | lint: {rules: {no-examples: warning}}
   |                             ^^^^^^^
hint: did you mean `warn`?

"#]],
    );
    check(
        "lint: {rule: {}}\n",
        78,
        "",
        str![[r#"
cogtools-lint: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:8: unknown key `rule`
   |
 1 | lint: {rule: {}}
   |        ^^^^
hint: did you mean `rules`?

"#]],
    );
    check(
        "lint: [no-examples]\n",
        78,
        "",
        str![[r#"
cogtools-lint: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:7: `lint` takes a map, not a list
   |
 1 | lint: [no-examples]
   |       ^^^^^^^^^^^^^
hint: write `lint: {rules: {no-examples: off}}`

"#]],
    );
}

const PROGRAM: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: say
description: List the files of the current directory.
implementation:
  exec: [ls]
examples: [{}]
";

#[test]
fn advice_never_fails_a_run_unless_its_level_is_raised() {
    let project = Project::new();
    project.file("tools/say.yaml", PROGRAM);
    for args in [&[][..], &["--strict"], &["--deny-warnings"], &["--fix"]] {
        outcome!(run(&project, args)).expect(
            0,
            str![[r#"
tools/say.yaml:4:1: note[no-sandbox]: its program has all rights of its caller
   |
 4 | implementation:
   | ^^^^^^^^^^^^^^
why: its program has all rights of whoever calls the tool: it reads their keys, writes their files and uses the network
fix: add `sandbox: workspace`, or name what the program needs, such as `sandbox: {net: [api.example.com]}`

1 file: 1 note

"#]],
            "",
        );
    }
    assert_eq!(project.read("tools/say.yaml"), PROGRAM);
    let json = run(&project, &["--json", "--strict"]);
    assert_eq!(json.status, 0);
    let found: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&found[0]["severity"], &found[0]["fixable"]),
        (&"note".into(), &false.into())
    );
    let sarif = run(&project, &["--format", "sarif"]);
    let found: serde_json::Value = serde_json::from_str(&sarif.stdout).unwrap();
    assert_eq!(found["runs"][0]["results"][0]["level"], "note");

    project.file(".cogtoolrc.yaml", "lint: {rules: {no-sandbox: error}}\n");
    assert_eq!(run(&project, &[]).status, 78);
    assert_eq!(run(&project, &["--fix"]).status, 0);
    let fixed = project.read("tools/say.yaml");
    assert!(
        fixed.contains("sandbox: workspace\nimplementation:"),
        "{fixed}"
    );
}
