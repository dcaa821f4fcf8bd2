//! Tools from everywhere in one project: its own, a toolset, an npm package, another
//! program, a script.

use std::process::Command;

use cogtools_test_support::{Run, Version, assert_text, str};
use serde_json::json;

use super::host::{Host, assert_responses, output};

const TEXT: &str = "parameters: {text: {type: string, description: Any text}}\n";

/// A provider that knows nothing about cogtools.
const FOREIGN: &str = r#"#!/bin/sh
case "$1" in
list) echo '[{"name": "count", "description": "Count characters", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}]' ;;
run) printf '%s: ' "$2"; wc -c | tr -d ' ' ;;
esac
"#;

fn tool(name: &str, implementation: &str) -> String {
    format!("name: {name}\ndescription: Say it\n{TEXT}implementation: {implementation}\n")
}

/// A host in a project with all of them; nothing is approved.
fn everything() -> Host {
    let host = Host::new(Version::NEWEST);
    host.project
        .file("tools/own.yaml", tool("own", "'own: {{ text }}'"))
        .file(
            "tools/team/grouped.yaml",
            tool("grouped", "'grouped: {{ text }}'"),
        )
        .file(
            "tools/scripted.yaml",
            tool(
                "scripted",
                "\n  script: |\n    #!/bin/sh\n    echo \"scripted: $(cat)\"",
            ),
        )
        .program("bin/foreign", FOREIGN)
        .file(
            ".cogtoolrc.yaml",
            "\
tool_sources:
  - local: ./tools
  - node_modules
  - command:
      discover: ./bin/foreign list
      call: ./bin/foreign run
      prefix: foreign_
",
        )
        .file("package.json", "{\"private\": true}\n")
        .file(
            "../packed/package.json",
            r#"{"name": "@team/tools", "version": "1.0.0", "cogtools": {"tools": ["tools"]}}"#,
        )
        .file(
            "../packed/tools/packed.yaml",
            tool("packed", "{exec: [printf, 'packed: %s', '{{ text }}']}"),
        );
    npm(&host, "packed", &["pack"]);
    npm(
        &host,
        "project",
        &["install", "../packed/team-tools-1.0.0.tgz"],
    );
    host
}

/// The real npm, which needs no network for a file.
#[track_caller]
fn npm(host: &Host, folder: &str, args: &[&str]) {
    let done = Command::new("npm")
        .args(args)
        .args(["--offline", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(host.project.path("..").join(folder))
        .env("HOME", host.project.home())
        .output()
        .expect("npm runs; this test needs it");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "npm {args:?}: {said}");
}

fn trust(host: &Host, source: &str) {
    Run::new(crate::programs().join("cogtools"))
        .args(["trust", "--yes", source])
        .project(&host.project)
        .run()
        .text();
}

#[test]
fn one_discovery_and_a_call_of_each() {
    let host = everything();
    trust(&host, "@team/tools");
    trust(&host, "foreign");
    let arguments = || json!({"text": "hello"});
    let names = ["own", "grouped", "scripted", "packed", "foreign_count"];
    let conversation = host.play(names.map(|name| host.call(name, arguments())));
    assert_responses(
        &conversation,
        &[
            &[output("own: hello")],
            &[output("grouped: hello")],
            &[output("scripted: {\"text\":\"hello\"}\n")],
            &[output("packed: hello")],
            &[output("count: 17\n")],
        ],
    );
    for request in conversation.main() {
        for name in names {
            let declared = request.declaration(&host.version.declared(name));
            let text = &declared[host.version.schema]["properties"]["text"];
            assert_eq!(text["type"], "string", "{declared:#}");
        }
    }
}

/// The CLI reads the project's `.env` into the environment of everything that
/// it starts: none of it is the user's approval.
#[test]
fn a_repository_cannot_approve_itself() {
    let host = everything();
    trust(&host, "@team/tools");
    let record = host
        .project
        .read("../home/.local/state/cogtools/trust.json");
    host.project
        .remove("../home/.local/state/cogtools/trust.json")
        .file("state/cogtools/trust.json", record)
        .file(
            ".env",
            format!(
                "XDG_STATE_HOME={0}/state\nCOGTOOLS_TOOL_SOURCES=\"[{{local: ./tools}}, node_modules, {{command: {{discover: [touch, {0}/ran], call: [touch]}}}}]\"\n",
                host.project.root().display()
            ),
        );
    let conversation = host.play([host.call("packed", json!({"text": "hello"}))]);
    let requests = conversation.main();
    let last = requests.last().expect("the tool was called");
    let response = last.responses()[0]["response"].clone();
    assert_text(
        format!("{response:#}"),
        str![[r#"
{
  "error": "Stdout: (empty)\nStderr: cogtools-call: error[DENIED]: packed: it runs commands and comes from the package `@team/tools`, which is not approved yet\nhint: only the user can approve it, after reviewing what it runs: cogtools trust @team/tools\n\nError: (none)\nExit Code: 77\nSignal: (none)"
}
"#]],
    );
    assert!(!host.project.path("ran").exists());
}
