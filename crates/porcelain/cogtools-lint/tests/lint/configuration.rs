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
cogtools-lint: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:29: a rule is set to off, warn or error, not `warning`
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
