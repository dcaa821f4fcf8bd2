//! The report of each kind of failure.

use cogtools_test_support::{Expected, Project, outcome, str};

use crate::{project, run};

/// Checks the report of the tool `name` with the text `tool`.
#[track_caller]
fn check(name: &str, tool: &str, report: impl Into<Expected>, stderr: impl Into<Expected>) {
    let project = Project::new();
    project.file(format!("tools/{name}.yaml"), tool);
    check_in(&project, report, stderr);
}

#[track_caller]
fn check_in(project: &Project, report: impl Into<Expected>, stderr: impl Into<Expected>) {
    outcome!(run(project, &[])).expect(1, report, stderr);
}

#[test]
fn a_different_golden_file_is_a_failure() {
    let project = project();
    project.file("tools/say.1.golden", "hello  Ada\t\r\n");

    check_in(
        &project,
        str![[r#"
FAILED say (2 examples)
  tools/say.yaml:7:5: example 1: golden: the result differs from `tools/say.1.golden`
    --- tools/say.1.golden
    +++ the result
    @@ -1 +1 @@
    -hello  Ada\t\r
    +hello Ada
    hint: if the result is right: cogtools test --update say

1 tool, 2 examples: 1 failure

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 1 failure
hint: the report on standard output shows what to fix
hint: cogtools test --update accepts the current results as golden files

"#]],
    );
}

#[test]
fn a_golden_file_that_cannot_be_read_is_a_failure() {
    let project = Project::new();
    project
        .file(
            "tools/x.yaml",
            "name: x\ndescription: d\nexamples: [{}]\nimplementation: x\n",
        )
        .dir("tools/x.1.golden");

    check_in(
        &project,
        str![[r#"
FAILED x (1 example)
  tools/x.yaml:3:12: example 1: golden: `tools/x.1.golden` cannot be used
    `tools/x.1.golden` is not a regular file
    hint: put a regular file there, or a link to one

1 tool, 1 example: 1 failure

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 1 failure
hint: the report on standard output shows what to fix
hint: cogtools test --update accepts the current results as golden files

"#]],
    );
}

#[test]
fn a_missing_golden_file_is_a_failure() {
    let project = project();
    project.remove("tools/say.2.golden");

    check_in(
        &project,
        str![[r#"
FAILED say (2 examples)
  tools/say.yaml:8:5: example 2: missing: `tools/say.2.golden` does not exist
    hint: cogtools test --update say

1 tool, 2 examples: 1 failure

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 1 failure
hint: the report on standard output shows what to fix
hint: cogtools test --update accepts the current results as golden files

"#]],
    );
}

#[test]
fn a_golden_file_without_an_example_is_stale() {
    let project = project();
    project
        .file("tools/say.10.golden", "")
        .file("tools/gone.1.golden", "")
        .file("tools/say.02.golden", "not a golden file");

    check_in(
        &project,
        str![[r#"
FAILED say (2 examples)
  tools/say.yaml: stale: `tools/say.10.golden` has no example
    hint: `cogtools test --update say` removes it
FAILED gone (no tool)
  tools/gone.yaml: stale: `tools/gone.1.golden` has no example
    hint: `cogtools test --update` removes it

1 tool, 2 examples: 2 failures

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 2 failures
hint: the report on standard output shows what to fix
hint: cogtools test --update accepts the current results as golden files

"#]],
    );
}

#[test]
fn an_example_must_match_the_parameters() {
    check(
        "say",
        "name: say\ndescription: d\nparameters: {who: string}\nexamples:\n  - {whom: Ada}\nimplementation: x\n",
        str![[r#"
FAILED say (1 example)
  tools/say.yaml:5:5: example 1: schema: the example does not match the parameters
    tools/say.yaml:5:6: /whom: invalid example: not a parameter of this tool
       |
     5 |   - {whom: Ada}
       |      ^^^^
    hint: did you mean `who`?
    tools/say.yaml:5:5: /who: invalid example: required but missing
       |
     5 |   - {whom: Ada}
       |     ^^^^^^^^^^^
    hint: send who (string)

1 tool, 1 example: 1 failure

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 1 failure
hint: the report on standard output shows what to fix

"#]],
    );
}

#[test]
fn a_template_must_render() {
    check(
        "say",
        "name: say\ndescription: d\nexamples: [{}]\nimplementation: |\n  a\n  {{ b | c }}\n",
        str![[r#"
FAILED say (1 example)
  tools/say.yaml:3:12: example 1: template: the template does not render
    tools/say.yaml:6:10: unknown filter `c`
       |
     6 |   {{ b | c }}
       |          ^

1 tool, 1 example: 1 failure

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 1 failure
hint: the report on standard output shows what to fix

"#]],
    );
}

#[test]
fn a_tool_that_times_out_is_a_failure() {
    let project = Project::new();
    project.file(
        "tools/slow.yaml",
        "name: slow\ndescription: d\ntimeout: 0.00001\nexamples: [{}]\n\
         implementation: '{% for i in range(9999) %}{{ i }}{% endfor %}'\n",
    );

    check_in(
        &project,
        str![[r#"
FAILED slow (1 example)
  tools/slow.yaml:4:12: example 1: tool: the tool returned no result
    slow: the tool timed out after 0.00001 s
    hint: send less, or give the tool more time with `timeout`

1 tool, 1 example: 1 failure

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 1 failure
hint: the report on standard output shows what to fix

"#]],
    );
}

#[test]
fn an_invalid_tool_file_is_a_failure() {
    let project = project();
    project.file(
        "tools/bad.yaml",
        "name: bad\ndescription: d\nimplementation: x\ntitel: T\n",
    );

    check_in(
        &project,
        str![[r#"
FAILED bad (no examples)
  tools/bad.yaml: broken: the file is not a valid tool
    tools/bad.yaml:4:1: unknown key `titel`
       |
     4 | titel: T
       | ^^^^^
    hint: did you mean `title`?
ok say (2 examples)

2 tools, 2 examples: 1 failure

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 1 failure
hint: the report on standard output shows what to fix

"#]],
    );
}

#[test]
fn a_file_with_a_first_line_must_be_executable_by_it() {
    let tool = "name: x\ndescription: d\nimplementation: x\n";
    check(
        "x",
        &format!("#!/bin/sh\n{tool}"),
        str![[r#"
FAILED x (no examples)
  tools/x.yaml: invocation: its first line does not name `cogtools-yaml`
    hint: begin the file with `#! /usr/bin/env cogtools-yaml`

1 tool, 0 examples: 1 failure

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 1 failure
hint: the report on standard output shows what to fix

"#]],
    );
    check(
        "x",
        &format!("#! /usr/bin/env cogtools-yaml\n{tool}"),
        str![[r#"
FAILED x (no examples)
  tools/x.yaml: invocation: it begins with `#!` but is not executable
    hint: chmod +x tools/x.yaml

1 tool, 0 examples: 1 failure

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 1 failure
hint: the report on standard output shows what to fix

"#]],
    );
    let project = Project::new();
    project.program(
        "tools/x.yaml",
        format!("#! /usr/bin/env cogtools-yaml\n{tool}"),
    );
    assert_eq!(run(&project, &[]).status, 0);
}
