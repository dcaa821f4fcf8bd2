//! `cogtools-yaml`: the tool file in its argument, and tool files as programs.

use cogtools_test_support::{Project, Run, Stdin, str};

use crate::{programs, run};

const GREET: &str = "\
#! /usr/bin/env cogtools-yaml
name: greet
description: Greet
parameters: {who: string}
implementation: |
  hello {{ who }}
";

fn greet() -> Project {
    let project = Project::new();
    project.program("greet.yaml", GREET);
    project
}

/// The tool file itself, run as a shell would run it.
fn executed(project: &Project) -> Run {
    Run::new(project.path("greet.yaml"))
        .project(project)
        .path(programs())
}

#[test]
fn tool_file_is_a_program() {
    let project = greet();
    executed(&project)
        .stdin("{\"who\": \"you\"}")
        .run()
        .outputs(str![[r#"
hello you

"#]]);
    executed(&project)
        .arg("--yaml")
        .stdin("who: you\n")
        .run()
        .outputs(str![[r#"
hello you

"#]]);
    executed(&project)
        .args(["--yaml", "--verbose"])
        .stdin("who: you\n")
        .run()
        .expect(
            0,
            str![[r#"
hello you

"#]],
            str![[r#"
cogtools-yaml: greet: [ROOT]/greet.yaml

"#]],
        );
}

#[test]
fn tool_file_in_a_pipeline() {
    let project = greet();
    project.file("args.json", "{\"who\": \"all\"}");
    Run::new("/bin/sh")
        .project(&project)
        .path(programs())
        .args(["-c", "./greet.yaml < args.json | tr a-z A-Z"])
        .run()
        .outputs(str![[r#"
HELLO ALL

"#]]);
}

#[test]
fn a_file_is_named_as_in_the_argument() {
    let project = greet();
    project.file("tools/odd.yaml", GREET);
    run("cogtools-yaml", &project)
        .arg("./greet.yaml")
        .stdin("{\"who\": 1}")
        .run()
        .fails(
            65,
            str![[r#"
cogtools-yaml: error[SCHEMA_VIOLATION]: greet: /who: expected string, got number 1
hint: send who (string)

"#]],
        );
    run("cogtools-yaml", &project)
        .arg("tools/odd.yaml")
        .run()
        .fails(
            78,
            str![[r#"
cogtools-yaml: error[INVALID_TOOL]: tools/odd.yaml:2:7: the tool is named `greet`, but its file is `odd.yaml`
   |
 2 | name: greet
   |       ^^^^^
hint: rename the file to `greet.yaml`, or the tool

"#]],
        );
    run("cogtools-yaml", &project)
        .args(["-C", "tools", "../greet.yaml"])
        .stdin("{\"who\": \"you\"}")
        .run()
        .outputs(str![[r#"
hello you

"#]]);
}

#[test]
fn missing_file_still_takes_its_input() {
    let project = Project::new();
    run("cogtools-yaml", &project)
        .arg("nowhere.yaml")
        .stdin(Stdin::Bytes(vec![b' '; 1_000_000]))
        .run()
        .fails(
            74,
            str![[r#"
cogtools-yaml: error[IO_FAILED]: `nowhere.yaml` does not exist
hint: check the path; the file may have been removed meanwhile

"#]],
        )
        .reads_all_input();
}

#[test]
fn terminal_gets_the_line_to_type() {
    let project = greet();
    project.dir("a b");
    project.file(
        "a b/greet.yaml",
        GREET.replace("who: string", "\"it's\": string"),
    );
    run("cogtools-yaml", &project)
        .arg("a b/greet.yaml")
        .stdin(Stdin::Terminal)
        .run()
        .fails(
            2,
            str![[r#"
cogtools-yaml: error[USAGE]: greet: the arguments are read from standard input, which is a terminal here
hint: echo "{\"it's\":\"…\"}" | cogtools-yaml 'a b/greet.yaml'
hint: cogtools-yaml 'a b/greet.yaml' < arguments.json

"#]],
        );
}
