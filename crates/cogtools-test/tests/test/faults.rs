//! What a failure says is at fault.

use cogtools_test_support::Project;

use crate::{UPDATE, failed, project, run};

/// Asserts what is said of the tool `name` with the text `tool`.
#[track_caller]
fn check(name: &str, tool: &str, report: &str) {
    let project = Project::new();
    project.file(format!("tools/{name}.yaml"), tool);
    check_in(&project, report, "1 failure", "");
}

#[track_caller]
fn check_in(project: &Project, report: &str, failures: &str, hints: &str) {
    let (line, _) = report.split_once('\n').expect("a report has lines");
    let tail = if line.contains("no examples") {
        "0 examples"
    } else {
        "1 example"
    };
    let expected = format!("{report}\n1 tool, {tail}: {failures}\n");
    assert_eq!(run(project, &[]), failed(&expected, failures, hints));
}

#[test]
fn golden() {
    let project = project();
    project.file("tools/say.1.golden", "hello  Ada\t\r\n");
    let report = "\
FAILED say (2 examples)
  tools/say.yaml:7:5: example 1: golden: the result is not what `tools/say.1.golden` holds
    --- tools/say.1.golden
    +++ the result
    @@ -1 +1 @@
    -hello  Ada\\t\\r
    +hello Ada
    hint: if the result is right: cogtools test --update say

1 tool, 2 examples: 1 failure
";
    assert_eq!(run(&project, &[]), failed(report, "1 failure", UPDATE));
}

#[test]
fn golden_that_cannot_be_read() {
    let project = Project::new();
    project
        .file(
            "tools/x.yaml",
            "name: x\ndescription: d\nexamples: [{}]\nimplementation: x\n",
        )
        .dir("tools/x.1.golden");
    let report = "\
FAILED x (1 example)
  tools/x.yaml:3:12: example 1: golden: `tools/x.1.golden` cannot be used
    `tools/x.1.golden` is not a regular file
    hint: put a regular file there, or a link to one
";
    check_in(&project, report, "1 failure", UPDATE);
}

#[test]
fn missing() {
    let project = project();
    project.remove("tools/say.2.golden");
    let report = "\
FAILED say (2 examples)
  tools/say.yaml:8:5: example 2: missing: `tools/say.2.golden` does not exist
    hint: cogtools test --update say

1 tool, 2 examples: 1 failure
";
    assert_eq!(run(&project, &[]), failed(report, "1 failure", UPDATE));
}

#[test]
fn stale() {
    let project = project();
    project
        .file("tools/say.10.golden", "")
        .file("tools/gone.1.golden", "")
        .file("tools/say.02.golden", "no golden file of ours");
    let report = "\
FAILED say (2 examples)
  tools/say.yaml: stale: `tools/say.10.golden` has no example
    hint: `cogtools test --update say` removes it
FAILED gone (no tool)
  tools/gone.yaml: stale: `tools/gone.1.golden` has no example
    hint: `cogtools test --update` removes it

1 tool, 2 examples: 2 failures
";
    assert_eq!(run(&project, &[]), failed(report, "2 failures", UPDATE));
}

#[test]
fn schema() {
    check(
        "say",
        "name: say\ndescription: d\nparameters: {who: string}\nexamples:\n  - {whom: Ada}\nimplementation: x\n",
        "\
FAILED say (1 example)
  tools/say.yaml:5:5: example 1: schema: the example does not fit the parameters
    tools/say.yaml:5:6: /whom: this example does not fit: not a parameter of this tool
       |
     5 |   - {whom: Ada}
       |      ^^^^
    hint: did you mean `who`?
    tools/say.yaml:5:5: /who: this example does not fit: required but missing
       |
     5 |   - {whom: Ada}
       |     ^^^^^^^^^^^
    hint: send who (string)
",
    );
}

#[test]
fn template() {
    check(
        "say",
        "name: say\ndescription: d\nexamples: [{}]\nimplementation: |\n  a\n  {{ b | c }}\n",
        "\
FAILED say (1 example)
  tools/say.yaml:3:12: example 1: template: the template does not render
    tools/say.yaml:6:10: unknown filter `c`
       |
     6 |   {{ b | c }}
       |          ^
",
    );
}

#[test]
fn tool_that_is_not_run() {
    let project = Project::new();
    project.file(
        "tools/slow.yaml",
        "name: slow\ndescription: d\ntimeout: 0.00001\nexamples: [{}]\n\
         implementation: '{% for i in range(9999) %}{{ i }}{% endfor %}'\n",
    );
    let report = "\
FAILED slow (1 example)
  tools/slow.yaml:4:12: example 1: tool: the tool gives no result
    slow: the tool did not end within 0.00001 s
    hint: send less, or give the tool more time with `timeout`
";
    check_in(&project, report, "1 failure", "");
}

#[test]
fn broken() {
    let project = project();
    project.file(
        "tools/bad.yaml",
        "name: bad\ndescription: d\nimplementation: x\ntitel: T\n",
    );
    let report = "\
FAILED bad (no examples)
  tools/bad.yaml: broken: the file is not a valid tool
    tools/bad.yaml:4:1: unknown key `titel`
       |
     4 | titel: T
       | ^^^^^
    hint: did you mean `title`?
ok say (2 examples)

2 tools, 2 examples: 1 failure
";
    assert_eq!(run(&project, &[]), failed(report, "1 failure", ""));
}

#[test]
fn way_that_the_first_line_names() {
    let tool = "name: x\ndescription: d\nimplementation: x\n";
    check(
        "x",
        &format!("#!/bin/sh\n{tool}"),
        "\
FAILED x (no examples)
  tools/x.yaml: invocation: its first line does not name `cogtools-yaml`
    hint: begin the file with `#! /usr/bin/env cogtools-yaml`
",
    );
    check(
        "x",
        &format!("#! /usr/bin/env cogtools-yaml\n{tool}"),
        "\
FAILED x (no examples)
  tools/x.yaml: invocation: it begins with `#!` but is not executable
    hint: chmod +x tools/x.yaml
",
    );
    let project = Project::new();
    project.program(
        "tools/x.yaml",
        format!("#! /usr/bin/env cogtools-yaml\n{tool}"),
    );
    assert_eq!(run(&project, &[]).status, 0);
}
