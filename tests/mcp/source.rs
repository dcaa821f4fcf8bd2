//! MCP servers as a source of tools: ours, the official ones, and
//! faulty ones.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use cogtools_test_support::{Outcome, Project, Run, str};
use serde_json::{Value, json};

use super::Session;
use crate::{repository, run};

const OK: &str = "name: ok\ndescription: d\nimplementation: fine\n";
pub(super) const NONE: &str = "\"parametersJsonSchema\":{\"type\":\"object\",\"properties\":{}}}";

/// A project with one tool.
pub(super) fn project() -> Project {
    let project = Project::new();
    project.file("tools/ok.yaml", OK);
    project
}

fn script() -> PathBuf {
    repository().join("tests/mcp/peers/server.py")
}

/// The scripted server, with short timeouts. Lists wait for it to the end.
pub(super) fn server(how: &str) -> Value {
    json!({"mcp": {
        "command": "python3", "args": [script(), how], "name": "s", "timeout": 5, "wait": 30,
    }})
}

pub(super) fn with(program: &str, project: &Project, sources: &[Value]) -> Run {
    let all: Vec<Value> = std::iter::once(json!({"local": "./tools"}))
        .chain(sources.iter().cloned())
        .collect();
    run(program, project)
        .env("COGTOOLS_TOOL_SOURCES", json!(all).to_string())
        .limit(Duration::from_mins(1))
}

pub(super) fn discover(project: &Project, how: &str) -> Outcome {
    with("cogtools-discover", project, &[server(how)]).run()
}

/// The names of the declared tools.
fn names(tools: &Value) -> Vec<&Value> {
    let tools = tools.as_array().into_iter().flatten();
    tools.map(|tool| &tool["name"]).collect()
}

fn call(project: &Project, how: &str) -> Outcome {
    let run = with("cogtools-call", project, &[server(how)]);
    run.arg("t").stdin("{\"wait_for_previous\": true}").run()
}

/// Discovery reports the server's error, and declares the other tool.
#[track_caller]
fn affects_only_itself(how: &str, diagnostic: &str) {
    let declared = format!("[\n{{\"name\":\"ok\",\"description\":\"d\",{NONE}\n]\n");
    let stderr = format!("cogtools-discover: warning{diagnostic}");
    discover(&project(), how).expect(0, declared, stderr);
}

#[test]
fn tools_of_stateful_and_stateless_servers_are_declared_and_called() {
    for how in ["older", "modern", "noise"] {
        let project = project();
        discover(&project, how).outputs(format!(
            "[\n{{\"name\":\"ok\",\"description\":\"d\",{NONE},\n\
             {{\"name\":\"t\",\"description\":\"d\",\"parametersJsonSchema\":{{\"type\":\"object\"}}}}\n]\n"
        ));
        call(&project, how).outputs(str![[r#"[{}, ["HOME", "PATH", "_COGTOOLS_WITHIN"]]"#]]);
    }
}

#[test]
fn pages_are_read_to_the_last() {
    let tools = discover(&project(), "pages").json();
    assert_eq!(names(&tools), ["ok", "first", "t"]);
}

#[test]
fn declarations_are_cached_until_refresh() {
    let project = project();
    for starts in ["x", "x"] {
        discover(&project, "older").json();
        assert_eq!(project.read("starts"), starts);
    }
    with("cogtools-discover", &project, &[server("older")])
        .arg("--refresh")
        .run()
        .json();
    assert_eq!(project.read("starts"), "xx");
}

#[test]
fn a_missing_tool_is_forgotten() {
    let project = project();
    discover(&project, "changing").json();
    project.file("changed", "");
    call(&project, "changing").fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: t: the MCP server `s` no longer has the tool `t`
hint: cogtools-discover lists its current tools

"#]],
    );
    discover(&project, "changing").outputs(format!(
        "[\n{{\"name\":\"ok\",\"description\":\"d\",{NONE}\n]\n"
    ));
}

#[test]
fn faulty_servers_affect_only_their_own_tools() {
    let table = [
        (
            "garbage",
            "[TOOL_FAILED]: the MCP server `s` writes non-MCP output to stdout: garbage\nhint: servers must write only messages to stdout; report this to its author\n",
        ),
        (
            "large",
            "[TOOL_FAILED]: the MCP server `s` sent a message larger than 16 MiB\nhint: the result exceeds what hosts accept; request less\n",
        ),
        (
            "endless",
            "[TOOL_FAILED]: the MCP server `s` declares more than 10 MiB, or 1,000 pages, of tools\nhint: the result exceeds what hosts accept; request less\n",
        ),
        (
            "nothing",
            "[TOOL_FAILED]: the MCP server `s` sent an unexpected response to `tools/list`: {\"tuls\":[]}\n",
        ),
        (
            "silent",
            "[TIMEOUT]: the MCP server `s` did not answer `initialize` within 5s\nhint: give it more time with `timeout` of the source\n",
        ),
    ];
    for (how, diagnostic) in table {
        affects_only_itself(how, diagnostic);
    }
}

#[test]
fn a_failed_call_is_reported_under_the_tools_name() {
    call(&project(), "fails").fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the tool reported an error
  | try again

"#]],
    );
    call(&project(), "bare").fails(
        1,
        "cogtools-call: error[TOOL_FAILED]: t: the MCP server `s` sent an unexpected response to \
         `tools/call`: {\"content\":\"just text\"}\n",
    );
    call(&project(), "dies").fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the MCP server `s` exited with status 3 before it answered `tools/call`
  | no more

"#]],
    );
}

#[test]
fn no_process_of_a_server_is_left_behind() {
    call(&project(), "silent-call").fails(
        124,
        str![[r#"
cogtools-call: error[TIMEOUT]: t: the MCP server `s` did not answer `tools/call` within 5s
hint: give it more time with `timeout` of the source

"#]],
    );
    let left = Command::new("pgrep").args(["-f", "sleep 54321"]).output();
    assert_eq!(left.expect("pgrep is there").stdout, b"");
}

#[test]
fn yaml_tools_packages_providers_and_servers_together() {
    let project = project();
    project
        .file("package.json", "{\"dependencies\": {\"pk\": \"*\"}}")
        .file(
            "node_modules/pk/package.json",
            "{\"cogtools\": {\"tools\": [\".\"]}}",
        )
        .file("node_modules/pk/packed.yaml", OK.replace("ok", "packed"))
        .program(
            "../home/p",
            "#!/bin/sh\necho '[{\"name\": \"provided\", \"description\": \"d\"}]'\n",
        )
        .file(
            "served/.cogtoolrc.yaml",
            "tool_sources: [{local: ./tools}]\n",
        )
        .file("served/tools/greet.yaml", super::GREET);
    let program = project.home().join("p");
    let provider = json!({"command": {"discover": [program], "call": ["cat"]}});
    let served = project.path("served");
    let ours = json!({"mcp": {
        "command": super::server(), "args": [format!("--project={}", served.display())],
        "prefix": "ours_",
    }});
    let sources = [json!("node_modules"), provider, ours, server("older")];
    let with = |program| with(program, &project, &sources).env("npm_config_prefix", &served);
    let tools = with("cogtools-discover").run().json();
    assert_eq!(
        names(&tools),
        ["ok", "packed", "provided", "ours_greet", "t"]
    );
    let greet = with("cogtools-call").arg("ours_greet");
    greet
        .stdin("{\"person\": \"Ada\"}")
        .run()
        .outputs(str!["Good day, Ada!"]);
}

#[test]
fn a_project_that_serves_itself_is_listed_once() {
    let project = project();
    let sources = json!([
        {"local": project.path("tools")},
        {"mcp": {"command": super::server(), "name": "again", "prefix": "again_"}},
    ]);
    project.file(
        "../home/.gemini/cogtoolrc.yaml",
        json!({"tool_sources": sources}).to_string(),
    );
    // What the project contains comes after what is the user's.
    run("cogtools-discover", &project).run().outputs(format!(
        "[\n{{\"name\":\"again_ok\",\"description\":\"d\",\
         \"parametersJsonSchema\":{{\"type\":\"object\",\"additionalProperties\":false}}}},\n\
         {{\"name\":\"ok\",\"description\":\"d\",{NONE}\n]\n"
    ));
}

#[test]
fn every_kind_of_content_becomes_text_or_stays_unchanged() {
    let project = project();
    let script = repository().join("tests/mcp/peers/kinds.py");
    let source = json!({"mcp": {"command": ["python3", script]}});
    let name = "test_multiple_content_types";
    let call = with("cogtools-call", &project, std::slice::from_ref(&source));
    call.arg(name).run().outputs(str![[r#"
Some text.

[image: image/png, 4 bytes, omitted: results are text only]

In a file.

link: test://link
"#]]);
    project.file(
        "../home/.gemini/cogtoolrc.yaml",
        json!({"tool_sources": [source]}).to_string(),
    );
    let mut session = Session::open(&project);
    let id = session.call(name, &json!({}));
    let answer = session.answer(id);
    assert_eq!(
        answer["result"],
        json!({
            "content": [
                {"type": "text", "text": "Some text."},
                {"type": "image", "data": "AAECAw==", "mimeType": "image/png"},
                {"type": "resource", "resource": {
                    "uri": "test://file", "mimeType": "text/plain", "text": "In a file.",
                }},
                {"type": "resource_link", "name": "link", "uri": "test://link"},
            ],
            "structuredContent": {"parts": 4},
            "isError": false,
        })
    );
}

#[test]
fn a_server_named_by_a_project_requires_approval() {
    let project = project();
    let sources = json!({"tool_sources": [server("older")]});
    project.file(".cogtoolrc.yaml", sources.to_string());
    run("cogtools-discover", &project).run().expect(
        0,
        str![[r#"
[]

"#]],
        str![[r#"
cogtools-discover: warning[DENIED]: the provider `s` is not approved yet
hint: review what it runs, then approve it: cogtools trust s

"#]],
    );
    assert!(!project.path("starts").exists());
    let script = script();
    let table = crate::attacks::limitations();
    let size = script.metadata().expect("it is there").len();
    // Its content is not shown: it is not in the project.
    run("cogtools-trust", &project)
        .args(["--dry-run", "s"])
        .run()
        .outputs(format!(
            "{table}\nprovider s\n  starts    python3 {0} older\n  program   /usr/bin/python3\n  may       \
             read the project; write nothing; use the network\n  file      {0} ({size} bytes)\n",
            script.display(),
        ));
    let url = json!({"mcp": {
        "url": "https://example.org/mcp", "name": "u",
        "headers": {"Authorization": "Bearer ${TOKEN}"}, "env": ["TOKEN"],
    }});
    let sources = json!({"tool_sources": [url]});
    project.file(".cogtoolrc.yaml", sources.to_string());
    run("cogtools-trust", &project)
        .args(["--dry-run", "u"])
        .run()
        .outputs(str![[r#"
provider u
  asks      https://example.org/mcp
  sends     Authorization
  sees      TOKEN
  may       do all that you may: it has no sandbox

"#]]);
}
