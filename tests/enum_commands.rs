//! Enums whose values a command lists: `enum: {from: {exec: […]}}`.

use cogtools_test_support::{Outcome, Project, assert_text, str};

use crate::run;

const GO: &str = "\
name: go
description: Go there
parameters:
  branch: {enum: {from: {exec: [./list.sh, --all]}}, description: A branch}
implementation: 'at {{ branch }}'
";
const LIST: &str = "#!/bin/sh\necho ran >> ran\ncat branches\n";

/// A project with the tool, whose command prints these values.
fn going(project: Project, values: &str) -> Project {
    project
        .file("tools/go.yaml", GO)
        .file("branches", values)
        .program("tools/list.sh", LIST);
    project
}

fn discovered(project: &Project) -> Outcome {
    run("cogtools-discover", project).run()
}

/// The values that are declared.
fn declared(project: &Project) -> serde_json::Value {
    discovered(project).json()[0]["parameters"]["properties"]["branch"]["enum"].clone()
}

fn call(project: &Project, branch: &str) -> Outcome {
    let run = run("cogtools-call", project).arg("go");
    run.stdin(serde_json::json!({ "branch": branch })).run()
}

/// The number of times that the command has run.
fn runs(project: &Project) -> usize {
    let ran = project.path("ran");
    if ran.exists() {
        project.read("ran").lines().count()
    } else {
        0
    }
}

#[test]
fn a_model_sees_what_the_command_lists() {
    let project = going(Project::new(), "main\n\n dev \nmain\n");
    assert_eq!(declared(&project), serde_json::json!(["main", "dev"]));
    call(&project, "dev").outputs("at dev");
    call(&project, "old").fails(
        65,
        str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: go: /branch: expected one of "main", "dev", got "old"
hint: send branch (one of "main", "dev"): A branch

"#]],
    );
    // One run serves for minutes.
    project.file("branches", "new\n");
    assert_eq!(declared(&project), serde_json::json!(["main", "dev"]));
    assert_eq!(runs(&project), 1);
    let refreshed = run("cogtools-discover", &project).arg("--refresh").run();
    let found = refreshed.json()[0]["parameters"]["properties"]["branch"]["enum"].clone();
    assert_eq!(found, serde_json::json!(["new"]));
}

#[test]
fn nothing_runs_without_approval() {
    let project = going(Project::untrusted(), "main\n");
    let why = "go: the values of an enum are not known: it runs a program, and its project is not \
               trusted yet\nhint: only the user can trust it, after reviewing its tools: cogtools \
               trust .\n";
    discovered(&project).expect(
        0,
        "[]\n",
        format!("cogtools-discover: warning[DENIED]: {why}"),
    );
    call(&project, "main").fails(77, format!("cogtools-call: error[DENIED]: {why}"));
    run("cogtools-yaml", &project)
        .arg("tools/go.yaml")
        .stdin("{\"branch\": \"main\"}")
        .run()
        .fails(77, format!("cogtools-yaml: error[DENIED]: {why}"));
    run("cogtools-lint", &project).run().status(0);
    assert_eq!(runs(&project), 0);
    run("cogtools-trust", &project)
        .args(["--dry-run", "."])
        .run()
        .outputs(str![[r#"
project . ([ROOT]), 1 tool running programs
  tool      go (tools/go.yaml)
  lists     ./list.sh --all
  file      tools/./list.sh (39 bytes, #!/bin/sh)
            | #!/bin/sh
            | echo ran >> ran
            | cat branches
  may       do all that you may: it has no sandbox

"#]]);
    run("cogtools-trust", &project)
        .args(["--yes", "."])
        .run()
        .status(0);
    assert_eq!(declared(&project), serde_json::json!(["main"]));
    // What is cached is not used once the approval has ended.
    run("cogtools-trust", &project)
        .args(["--revoke", "."])
        .run()
        .status(0);
    discovered(&project).expect(
        0,
        "[]\n",
        format!("cogtools-discover: warning[DENIED]: {why}"),
    );
}

#[test]
fn the_lock_pins_the_values() {
    let project = going(Project::new(), "main\ndev\n");
    let lock = || run("cogtools-lock", &project);
    lock().run().outputs(str![[r#"
created cogtools.lock: 1 tool of 1 source

"#]]);
    assert_text(
        project.read("cogtools.lock"),
        str![[r#"
{
  "version": 2,
  "sources": {
    "tools": {
      "go": {"sha256":"6d5bfbab3f3b2b1128c52888392ac99a4ac0762cb7d0b0cd7c1b6dcac03396df","runs":"d2c1fc57b4b7b9753114fbfe90fda04b97cf1ee26cc4df322e75a92ca6ba0bd0","parts":{"/branch":"629c43e5","annotations":"9318536c","description":"59e80d08","implementation":"25570329","parameters":"a2c79926"},"values":{"./list.sh --all":["main","dev"]}}
    }
  }
}

"#]],
    );
    project.file("branches", "main\nnext\n");
    let locked = || {
        run("cogtools-discover", &project)
            .arg("--locked")
            .run()
            .json()
    };
    let values =
        |found: serde_json::Value| found[0]["parameters"]["properties"]["branch"]["enum"].clone();
    // The pinned values are declared and accepted, whatever the command lists now.
    assert_eq!(values(locked()), serde_json::json!(["main", "dev"]));
    assert_eq!(declared(&project), serde_json::json!(["main", "dev"]));
    call(&project, "dev").outputs("at dev");
    call(&project, "next").status(65);
    assert_eq!(runs(&project), 1);
    lock().arg("--check").run().fails(
        78,
        str![[r#"
cogtools-lock: error[LOCKED]: go: the tool from `tools` differs from the one pinned in `cogtools.lock`: the parameter `branch` has changed
hint: review what has changed; to accept it, run cogtools lock

"#]],
    );
    lock().run().outputs(str![[r#"
go: the tool from `tools` differs from the one pinned in `cogtools.lock`: the parameter `branch` has changed
values of go: +next -dev
updated cogtools.lock: 1 tool of 1 source

"#]]);
    assert_eq!(values(locked()), serde_json::json!(["main", "next"]));
    // Without approval, the pinned values still count, and nothing runs.
    run("cogtools-trust", &project)
        .args(["--revoke", "."])
        .run()
        .status(0);
    let before = runs(&project);
    assert_eq!(declared(&project), serde_json::json!(["main", "next"]));
    call(&project, "next").outputs("at next");
    assert_eq!(runs(&project), before);
    // What cannot be listed again is not lost, also beside another tool that is new.
    project.file(
        "tools/other.yaml",
        "name: other\ndescription: d\nimplementation: x\n",
    );
    let pin = |lock: &str| {
        let line = lock.lines().find(|line| line.contains("\"go\""));
        line.unwrap_or_default().trim_end_matches(',').to_owned()
    };
    let pinned = pin(&project.read("cogtools.lock"));
    lock().run().expect(0, str![[r#"
other: `tools` declares it, but `cogtools.lock` does not pin it
updated cogtools.lock: 2 tools of 1 source

"#]], str![[r#"
cogtools-lock: warning[DENIED]: go: the values of an enum are not known: it runs a program, and its project is not trusted yet
hint: only the user can trust it, after reviewing its tools: cogtools trust .

"#]]);
    assert_eq!(pin(&project.read("cogtools.lock")), pinned);
    assert!(pinned.contains("next"), "{pinned}");
    lock().arg("--check").run().expect(78, "", str![[r#"
cogtools-lock: warning[DENIED]: go: the values of an enum are not known: it runs a program, and its project is not trusted yet
hint: only the user can trust it, after reviewing its tools: cogtools trust .
cogtools-lock: error[LOCKED]: go: `cogtools.lock` pins it, but values of its enums are not known
hint: review what has changed; to accept it, run cogtools lock

"#]]);
    assert_eq!(runs(&project), before);
    std::fs::remove_file(project.path("tools/other.yaml")).expect("removed");
    // Another command is another tool.
    project.file("tools/go.yaml", GO.replace("--all", "--some"));
    run("cogtools-call", &project)
        .args(["--locked", "go"])
        .stdin("{\"branch\": \"main\"}")
        .run()
        .fails(77, str![[r#"
cogtools-call: error[DENIED]: go: the values of an enum are not known: `cogtools.lock` does not pin them
hint: cogtools lock lists and pins them

"#]]);
}

#[test]
fn a_failure_is_an_error_of_the_tool() {
    let project = going(Project::new(), "\n");
    project.file(
        "tools/other.yaml",
        "name: other\ndescription: d\nimplementation: x\n",
    );
    discovered(&project).expect(
        0,
        str![[r#"
[
{"name":"other","description":"d","parametersJsonSchema":{"type":"object","properties":{}}}
]

"#]],
        str![[r#"
cogtools-discover: warning[TOOL_FAILED]: go: the values of an enum are not known: it lists no values
hint: `./list.sh --all` prints one value on each line

"#]],
    );
    project.program(
        "tools/list.sh",
        "#!/bin/sh\necho main\necho broken >&2\nexit 3\n",
    );
    call(&project, "main").fails(1, str![[r#"
cogtools-call: error[TOOL_FAILED]: go: the values of an enum are not known: the program exited with status 3
  | broken

"#]]);
}

#[test]
fn the_command_has_no_arguments() {
    for (from, message) in [
        (
            "{exec: [echo, '{{ branch }}']}",
            "is the same for every call",
        ),
        (
            "{exec: [echo, {when: branch, args: [x]}]}",
            "is the same for every call",
        ),
        ("{js: 'return 1'}", "is the value of `exec`"),
        ("{exec: []}", "is not valid"),
        ("{exec: [x], shell: true}", "is not valid"),
    ] {
        let project = Project::new();
        project.file(
            "tools/go.yaml",
            GO.replace("{exec: [./list.sh, --all]}", from),
        );
        let outcome = run("cogtools-lint", &project).run();
        let text = String::from_utf8_lossy(&outcome.status(78).stdout).into_owned();
        assert!(text.contains(message), "{from}: {text}");
    }
}
