//! `cogtools.lock`: what runs is what was pinned, in every program.

use cogtools_test_support::{Outcome, Project, str};

use crate::packages::depend_on_pk;
use crate::run;

const SAY: &str = "\
name: say
description: d
annotations: {read_only: true}
implementation:
  njk_file: say.njk
";
const RUN: &str = "\
name: go
description: d
implementation: {exec: [./go.sh]}
";

/// A project with a template, a program and a package, all of them pinned.
fn scene() -> Project {
    let project = Project::new();
    depend_on_pk(&project)
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{local: tools}, node_modules]\nlocked: true\n",
        )
        .file("tools/say.yaml", SAY)
        .file("tools/say.njk", "{% include 'part.njk' %}")
        .file("tools/part.njk", "said")
        .file("tools/go.yaml", RUN)
        .program("tools/go.sh", "#!/bin/sh\necho went\n")
        .file(
            "node_modules/pk/tools/pk_say.yaml",
            "name: pk_say\ndescription: d\nimplementation: said\n",
        );
    run("cogtools-trust", &project)
        .args([".", "--yes"])
        .run()
        .text();
    run("cogtools-lock", &project).run().text();
    project
}

fn call(project: &Project, tool: &str) -> Outcome {
    run("cogtools-call", project).arg(tool).run()
}

fn denied(program: &str, tool: &str, what: &str) -> String {
    format!(
        "{program}: error[DENIED]: {tool}: it differs from the tool pinned in `cogtools.lock`: \
         {what}\nhint: review what has changed; to accept it, run cogtools lock\n"
    )
}

/// Before, the lock held for discovery alone, and pinned declarations alone.
#[test]
fn a_call_runs_what_was_pinned() {
    let implementation = "the implementation has changed";
    let annotations = "the annotations have changed";
    let content = "the content of its source has changed";
    for (tool, file, text, what) in [
        ("say", "tools/say.njk", "evil", implementation),
        ("say", "tools/part.njk", "evil", implementation),
        (
            "say",
            "tools/say.yaml",
            &*SAY.replace("true", "false"),
            annotations,
        ),
        (
            "say",
            "tools/say.yaml",
            &*SAY.replace(": d", ": e"),
            "the description has changed",
        ),
        (
            "say",
            "tools/say.yaml",
            &*format!("{SAY}timeout: 9\n"),
            implementation,
        ),
        (
            "go",
            "tools/go.sh",
            "#!/bin/sh\necho evil\n",
            implementation,
        ),
        (
            "go",
            "tools/go.yaml",
            &*RUN.replace("./go.sh", "ls"),
            implementation,
        ),
        ("pk_say", "node_modules/pk/new.js", "", content),
    ] {
        let project = scene();
        for name in ["say", "go", "pk_say"] {
            call(&project, name).text();
        }
        project.file(file, text);
        call(&project, tool).fails(77, denied("cogtools-call", tool, what));
        // The others still run, and the lock can be renewed.
        for name in ["say", "go", "pk_say"]
            .into_iter()
            .filter(|name| *name != tool)
        {
            call(&project, name).text();
        }
        run("cogtools-lock", &project)
            .arg("--check")
            .run()
            .status(78);
        run("cogtools-lock", &project).run().text();
        call(&project, tool).text();
    }
}

/// A template whose partial is computed pins its whole folder.
#[test]
fn computed_partials_are_pinned_too() {
    let project = scene();
    project.file("tools/say.njk", "{% include 'pa' ~ 'rt.njk' %}");
    run("cogtools-lock", &project).run().text();
    call(&project, "say").outputs("said");
    project.file("tools/part.njk", "evil");
    call(&project, "say").fails(
        77,
        denied("cogtools-call", "say", "the implementation has changed"),
    );
}

/// Every program that calls or shows tools is held to the lock.
#[test]
fn every_program_is_locked() {
    let project = scene();
    project.file("tools/part.njk", "evil");
    let what = "the implementation has changed";
    run("cogtools-yaml", &project)
        .arg("tools/say.yaml")
        .run()
        .fails(77, denied("cogtools-yaml", "say", what));
    run("cogtools-list", &project).run().outputs(str![[r#"
NAME    TOOLSET  SOURCE  FILE                               TOKENS  NOTES
go               tools   tools/go.yaml                          31
say              tools   tools/say.yaml                          -  invalid: it differs from the tool pinned in `cogtools.lock`: the implementation has changed
pk_say  pk       pk      node_modules/pk/tools/pk_say.yaml      33

2 tools, about 64 tokens with every request; 1 invalid

"#]]);
    let requests = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"say","arguments":{}}}"#,
    ];
    let outcome = run("cogtools-mcp", &project)
        .stdin(requests.map(|line| format!("{line}\n")).concat())
        .run();
    let text = String::from_utf8(outcome.stdout.clone()).expect("it is text");
    let result = |id: u8| -> serde_json::Value {
        let mut answers = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        answers
            .find(|answer: &serde_json::Value| answer["id"] == id)
            .expect("an answer")["result"]
            .clone()
    };
    let tools = result(2)["tools"].as_array().cloned().unwrap_or_default();
    let names: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(names, ["go", "pk_say"]);
    assert_eq!(result(3)["isError"], true);
    let error = result(3)["content"][0]["text"].to_string();
    assert!(
        error.contains("error[DENIED]: say: it differs from the tool pinned"),
        "{error}"
    );
    run("cogtools-discover", &project).run().expect(
        0,
        str![[r#"
[]

"#]],
        str![[r#"
cogtools-discover: error[LOCKED]: say: the tool from `tools` differs from the one pinned in `cogtools.lock`: the implementation has changed
hint: review what has changed; to accept it, run cogtools lock

"#]],
    );
    // A file that no source has is not pinned.
    project.file(
        "other/say.yaml",
        SAY.replace("njk_file: say.njk", "{exec: [ls]}"),
    );
    run("cogtools-yaml", &project)
        .arg("other/say.yaml")
        .run()
        .fails(
            77,
            str![[r#"
cogtools-yaml: error[DENIED]: say: it is in no source, and `cogtools.lock` does not pin it
hint: review what has changed; to accept it, run cogtools lock

"#]],
        );
}

/// The option holds without the key, and the project cannot unset the user's key.
#[test]
fn the_option_and_the_key() {
    let project = scene();
    project.file("tools/part.njk", "evil").file(
        ".cogtoolrc.yaml",
        "tool_sources: [{local: tools}, node_modules]\nlocked: false\n",
    );
    let what = denied("cogtools-call", "say", "the implementation has changed");
    call(&project, "say").outputs("evil");
    run("cogtools-call", &project)
        .args(["--locked", "say"])
        .run()
        .fails(77, &*what);
    run("cogtools-yaml", &project)
        .args(["--locked", "tools/say.yaml"])
        .run()
        .fails(
            77,
            str![[r#"
cogtools-yaml: error[DENIED]: say: it differs from the tool pinned in `cogtools.lock`: the implementation has changed
hint: review what has changed; to accept it, run cogtools lock

"#]],
        );
    project.file("../home/.gemini/cogtoolrc.yaml", "locked: true\n");
    call(&project, "say").fails(77, &*what);
    project.remove("cogtools.lock");
    call(&project, "say").fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_CONFIG]: `cogtools.lock` does not exist
hint: cogtools lock writes it; commit it with the project

"#]],
    );
}

/// Before, a file of the first version passed for a lock of what runs.
#[test]
fn an_earlier_file_explains_itself() {
    let project = scene();
    project.file("cogtools.lock", "{\"version\": 1, \"sources\": {}}");
    call(&project, "say").fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_CONFIG]: `cogtools.lock` was written by an earlier cogtools, which did not pin what the tools run
hint: restore it, as one side of a merge: git checkout --ours cogtools.lock; or remove it to accept everything; then run cogtools lock

"#]],
    );
    run("cogtools-lock", &project).run().status(78);
    project.remove("cogtools.lock");
    run("cogtools-lock", &project).run().text();
    call(&project, "say").outputs("said");
}

/// Before, an MCP server could change a tool after it was listed, and the cached
/// declaration was believed.
#[test]
fn a_changed_tool_of_a_server_is_not_called() {
    let project = Project::new();
    let server = "#!/bin/sh\n\
        while read -r line; do\n\
        id=$(printf '%s' \"$line\" | sed -n 's/.*\"id\":\\([0-9]*\\).*/\\1/p')\n\
        case $line in\n\
        *'\"initialize\"'*) printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}\\n' \"$id\";;\n\
        *'\"tools/list\"'*) printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":[%s]}}\\n' \"$id\" \"$(cat tool.json)\";;\n\
        *'\"tools/call\"'*) echo >> called; printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"said\"}]}}\\n' \"$id\";;\n\
        esac\n\
        done\n";
    let tool = |description: &str, hint: bool| {
        format!(
            "{{\"name\":\"say\",\"description\":\"{description}\",\"inputSchema\":{{\"type\":\"object\"}},\
             \"annotations\":{{\"readOnlyHint\":{hint}}}}}"
        )
    };
    project
        .program("server.sh", server)
        .file("tool.json", tool("d", true))
        .file(
            ".cogtoolrc.yaml",
            "tool_sources:\n  - mcp: {command: sh, args: [./server.sh], name: s, cache: 3600, sandbox: {write: [.]}}\n",
        );
    run("cogtools-trust", &project)
        .args(["s", "--yes"])
        .run()
        .text();
    call(&project, "say").outputs("said");
    for changed in [tool("e", true), tool("d", false)] {
        project.remove("called").file("tool.json", &changed);
        call(&project, "say").fails(
            77,
            str![[r#"
cogtools-call: error[DENIED]: say: the MCP server `s` now declares the tool `say` differently, so it was not called
hint: read its new declaration before the next call: cogtools-discover

"#]],
        );
        assert!(!project.path("called").exists(), "{changed}");
        // The cache is gone: the new declaration is known, and not approved.
        call(&project, "say").fails(
            77,
            str![[r#"
cogtools-call: error[DENIED]: say: it runs commands and comes from the provider `s`, which has changed since it was approved
hint: only the user can approve it, after reviewing what it runs: cogtools trust s

"#]],
        );
        project.file("tool.json", tool("d", true));
        run("cogtools-discover", &project)
            .arg("--refresh")
            .run()
            .json();
        call(&project, "say").outputs("said");
    }
}

/// A script names files as a command line does.
#[test]
fn the_files_that_a_script_names_are_pinned() {
    for implementation in [
        "{script: \"#!/bin/sh\\nsh lib/run.sh\\n\"}",
        "{script: \"#!/bin/sh\\nif true; then echo $(sh \\\"lib/run.sh\\\"); fi\\n\"}",
        "{exec: [sh], stdin: 'sh lib/run.sh'}",
        "{exec: [sh, lib/run.sh]}",
    ] {
        let project = Project::new();
        let tool = format!("name: go\ndescription: d\nimplementation: {implementation}\n");
        project
            .file(".cogtoolrc.yaml", "locked: true\n")
            .file("tools/go.yaml", tool)
            .file("lib/run.sh", "echo one\n");
        run("cogtools-lock", &project).run().status(0);
        call(&project, "go").outputs("one\n");
        project.file("lib/run.sh", "echo two\n");
        let what = "the implementation has changed";
        call(&project, "go").fails(77, denied("cogtools-call", "go", what));
    }
}
