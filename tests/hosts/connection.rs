//! Differences between the two connections of Gemini CLI: our commands and our MCP
//! server, which `cogtools init` prefers for the newest version.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use cogtools_test_support::{Conversation, Run, Turn, Version, assert_text, str};
use serde_json::{Value, json};

use super::host::Host;

const COMMANDS: &str =
    r#"{"tools": {"discoveryCommand": "cogtools-discover", "callCommand": "cogtools-call"}}"#;
const SERVER: &str = r#"{"mcpServers": {"cogtools": {"command": "cogtools", "args": ["mcp"]}}}"#;

const GREET: &str = "\
name: greet
description: Greet a person
parameters:
  person: {type: string, minLength: 2, description: Who is greeted}
  tone: {type: string, enum: [warm, formal], description: How}
  times: {type: integer, minimum: 1, maximum: 3, description: How often}
implementation: Hello, {{ person }}!
";

/// The time in which the server and the host follow a change of a file.
const SETTLED: Duration = Duration::from_secs(2);

fn host(settings: &str) -> Host {
    let host = Host::bare(Version::NEWEST);
    host.project
        .file(".gemini/settings.json", settings)
        .file("tools/greet.yaml", GREET);
    host
}

fn arguments() -> Value {
    json!({"person": "Ada", "tone": "warm", "times": 1})
}

/// Our tools in each request, by name, with the first word of each description.
fn declared(conversation: &Conversation, prefix: &str) -> Vec<Vec<String>> {
    let ours = |declaration: &&&Value| {
        let name = declaration["name"].as_str().unwrap_or_default();
        name.strip_prefix(prefix)
            .is_some_and(|name| ["greet", "late"].contains(&name))
    };
    let shown = |declaration: &&Value| {
        let description = declaration["description"].as_str().unwrap_or_default();
        let word = description.split(' ').next().unwrap_or_default();
        format!(
            "{} {word}",
            declaration["name"].as_str().unwrap_or_default()
        )
    };
    conversation
        .main()
        .iter()
        .map(|request| {
            let declarations = request.declarations();
            declarations.iter().filter(ours).map(shown).collect()
        })
        .collect()
}

/// Changes the tool and adds another one while the host runs: our tools in the first and
/// in the last request.
fn change(settings: &str, prefix: &str) -> [Vec<String>; 2] {
    let host = host(settings);
    let tools = host.project.path("tools");
    let call = || Turn::call(format!("{prefix}greet"), arguments());
    let wait = || call().meanwhile(|| sleep(SETTLED));
    let conversation = host.play([
        call().meanwhile(move || {
            let changed = GREET.replace("Greet", "Welcome");
            fs::write(tools.join("greet.yaml"), &changed).expect("the tool can be written");
            let late = changed.replace("greet", "late");
            fs::write(tools.join("late.yaml"), late).expect("a tool can be added");
        }),
        wait(),
        wait(),
    ]);
    let declared = declared(&conversation, prefix);
    let last = declared.last().cloned().unwrap_or_default();
    [declared[0].clone(), last]
}

#[test]
fn commands_need_a_restart_after_a_change() {
    let found = change(COMMANDS, "discovered_tool_");
    assert_eq!(
        found,
        [
            ["discovered_tool_greet Greet"],
            ["discovered_tool_greet Greet"]
        ]
    );
}

#[test]
fn the_server_is_followed_at_once() {
    let found = change(SERVER, "mcp_cogtools_");
    let after = ["mcp_cogtools_greet Welcome", "mcp_cogtools_late Welcome"];
    assert_eq!(found, [&["mcp_cogtools_greet Greet"][..], &after]);
}

/// A call with four mistakes, and one whose only mistake the host looks for over MCP alone.
fn repair(settings: &str, prefix: &str) -> String {
    let host = host(settings);
    let call = |arguments| Turn::call(format!("{prefix}greet"), arguments);
    let mut unknown = arguments();
    unknown["mood"] = json!("x");
    let conversation = host.play([
        call(json!({"person": "A", "times": 9, "mood": "x"})),
        call(json!({"person": "Ada", "tone": "loud", "times": 1})),
        call(unknown),
    ]);
    let steps = conversation.main();
    let responses = steps.iter().skip(1).map(|request| {
        let response = &request.responses()[0]["response"];
        format!("{response}\n")
    });
    responses.collect()
}

#[test]
fn the_host_validates_first_and_names_one_mistake() {
    assert_text(
        repair(COMMANDS, "discovered_tool_"),
        str![[r#"
{"error":"params must have required property 'tone'"}
{"error":"params/tone must be equal to one of the allowed values"}
{"error":"Stdout: (empty)\nStderr: cogtools-call: error[SCHEMA_VIOLATION]: greet: /mood: not a parameter of this tool\nhint: the parameters are `person`, `tone`, `times`\n\nError: (none)\nExit Code: 65\nSignal: (none)"}

"#]],
    );
    assert_text(
        repair(SERVER, "mcp_cogtools_"),
        str![[r#"
{"error":"params must have required property 'tone'"}
{"error":"params/tone must be equal to one of the allowed values"}
{"error":"params must NOT have additional properties"}

"#]],
    );
}

/// The characters of our tool's declaration, which every request contains.
fn size(settings: &str, prefix: &str) -> usize {
    let conversation = host(settings).play([Turn::call(format!("{prefix}greet"), arguments())]);
    let request = conversation.main()[0].clone();
    request
        .declaration(&format!("{prefix}greet"))
        .to_string()
        .len()
}

#[test]
fn only_discovered_tools_have_the_hosts_foreword() {
    let server = size(SERVER, "mcp_cogtools_");
    let commands = size(COMMANDS, "discovered_tool_");
    assert!(
        (700..800).contains(&(commands - server)),
        "{commands} and {server}"
    );
}

#[test]
fn a_new_project_is_served_without_a_terminal() {
    let host = Host::bare(Version::NEWEST);
    let outcome = Run::new(crate::programs().join("cogtools"))
        .args(["init", "--defaults"])
        .project(&host.project)
        .path(crate::programs())
        .path(host.gemini.bin())
        .run();
    outcome.succeeds();
    host.project.file(
        "../home/.gemini/policies/cogtools.toml",
        "[[rule]]\ntoolName = \"mcp_cogtools_*\"\ndecision = \"allow\"\npriority = 100\n",
    );
    let call = Turn::call("mcp_cogtools_hello", json!({"person": "Ada"}));
    let conversation = host.play_with(&[], [call]);
    let response = conversation.main()[1].responses()[0]["response"].to_string();
    assert_text(
        response,
        str![[r#"{"output":"<untrusted_context>\nHello, Ada!\n\n</untrusted_context>"}"#]],
    );
}

/// The rejected tool would end the session: the API refuses the request.
#[test]
fn a_tool_that_the_api_rejects_does_not_reach_it() {
    for (settings, prefix) in [(COMMANDS, "discovered_tool_"), (SERVER, "mcp_cogtools_")] {
        let host = host(settings);
        let late = GREET.replace("greet", "late").replace("person:", "who?:");
        let late = late.replace("{{ person }}", "you");
        host.project.file("tools/late.yaml", late);
        let conversation = host.play([Turn::call(format!("{prefix}greet"), arguments())]);
        let expected = format!("{prefix}greet Greet");
        assert_eq!(declared(&conversation, prefix)[0], [expected]);
    }
}
