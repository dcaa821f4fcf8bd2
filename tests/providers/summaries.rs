//! Warnings about many tools of a source, which are one for people.

use cogtools_test_support::str;
use serde_json::{Value, json};

use super::{Scene, declaring};
use crate::run;

/// Declarations that are left out: two without a name, a name twice, schemas that are none, and
/// parameters that the Gemini API rejects, one tool with two of them.
const LEFT_OUT: &str = r#"[
  {"description": "d"}, 7,
  {"name": "twice", "description": "d"}, {"name": "twice", "description": "d"},
  {"name": "none_1", "description": "d", "inputSchema": []},
  {"name": "none_2", "description": "d", "inputSchema": 5},
  {"name": "none_3", "description": "d", "inputSchema": "object"},
  {"name": "none_4", "description": "d", "inputSchema": true},
  {"name": "text_1", "description": "d", "inputSchema": {"type": "string"}},
  {"name": "match_1", "description": "d", "inputSchema": {"type": "object",
    "required": ["If-Match", "If-None-Match"],
    "properties": {"If-Match": {"type": "string"}, "If-None-Match": {"type": "string"}}}},
  {"name": "match_2", "description": "d", "inputSchema": {"type": "object",
    "required": ["If-Match"], "properties": {"If-Match": {"type": "string"}}}}
]"#;

fn scene() -> Scene {
    Scene::new(&declaring(LEFT_OUT), "")
}

/// The lines of a program with `--error-format json`.
fn lines(stderr: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(stderr).into_owned();
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .collect()
}

#[test]
fn many_warnings_are_one_for_each_source_and_reason() {
    scene().discover().stderr_is(str![[r#"
cogtools-discover: warning[INVALID_TOOL]: other: left out 2 declarations without a name: 1, 2
cogtools-discover: warning[INVALID_TOOL]: the provider `other` declares `twice` more than once
hint: its other tools are not affected; report this to its author
cogtools-discover: warning[INVALID_TOOL]: other: 2 tools not declared for gemini: the Gemini API rejects names of their parameters: match_1, match_2
cogtools-discover: warning[INVALID_TOOL]: other: left out 4 tools whose parameters are not an object: none_1, none_2, none_3 and 1 more
hint: its other tools are not affected; report this to its author
hint: use letters from a to z, digits and `_`, at most 64, and no digit first
hint: --verbose shows all of it
cogtools-discover: warning[INVALID_TOOL]: the provider `other` has an invalid declaration: `inputSchema` of `text_1` does not describe an object
hint: its other tools are not affected; report this to its author

"#]]);
}

#[test]
fn each_warning_is_shown_on_request() {
    let scene = scene();
    let run = || scene.run("cogtools-discover");
    let json = run().args(["--error-format", "json"]).run();
    let lines = lines(&json.stderr);
    let messages: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["message"].as_str())
        .collect();
    let all = [
        "the provider `other` has an invalid declaration: declaration 1 has no name",
        "the provider `other` has an invalid declaration: declaration 2 has no name",
        "the provider `other` declares `twice` more than once",
        "not declared for gemini: the Gemini API rejects the parameter name \"If-Match\"",
        "not declared for gemini: the Gemini API rejects the parameter name \"If-None-Match\"",
        "not declared for gemini: the Gemini API rejects the parameter name \"If-Match\"",
        "the provider `other` has an invalid declaration: `inputSchema` of `none_1` is not an object",
        "the provider `other` has an invalid declaration: `inputSchema` of `none_2` is not an object",
        "the provider `other` has an invalid declaration: `inputSchema` of `none_3` is not an object",
        "the provider `other` has an invalid declaration: `inputSchema` of `none_4` is not an object",
        "the provider `other` has an invalid declaration: `inputSchema` of `text_1` does not describe an object",
    ];
    assert_eq!(messages, all);
    // With --verbose, the same for people.
    let verbose = run().arg("--verbose").run();
    let verbose = String::from_utf8_lossy(&verbose.stderr).into_owned();
    let shown = verbose.lines().filter(|line| line.contains("warning["));
    let shown: Vec<&str> = shown.collect();
    assert_eq!(shown.len(), all.len(), "{verbose}");
    for (line, message) in shown.iter().zip(all) {
        assert!(line.ends_with(message), "{line}");
    }
}

#[test]
fn a_list_shows_invalid_tools_in_its_table_alone() {
    let list = scene().run("cogtools-list").run();
    list.stderr_is(str![[r#"
cogtools-list: warning[INVALID_TOOL]: other: left out 2 declarations without a name: 1, 2
hint: its other tools are not affected; report this to its author
hint: cogtools-discover --verbose shows all of it
cogtools-list: warning[INVALID_TOOL]: the provider `other` declares `twice` more than once
hint: its other tools are not affected; report this to its author

"#]]);
}

#[test]
fn a_server_names_the_command_that_shows_each() {
    let request = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}}}"#;
    let request = format!("{}\n", request.replace('\n', ""));
    let server = scene().run("cogtools-mcp").stdin(request).run();
    server.stderr_is(str![[r#"
cogtools-mcp: warning[INVALID_TOOL]: other: left out 2 declarations without a name: 1, 2
cogtools-mcp: warning[INVALID_TOOL]: the provider `other` declares `twice` more than once
hint: its other tools are not affected; report this to its author
cogtools-mcp: warning[INVALID_TOOL]: other: 2 tools not declared for mcp: the Gemini API, which the client may use, rejects names of their parameters: match_1, match_2
cogtools-mcp: warning[INVALID_TOOL]: other: left out 4 tools whose parameters are not an object: none_1, none_2, none_3 and 1 more
hint: its other tools are not affected; report this to its author
hint: use letters from a to z, digits and `_`, at most 64, and no digit first
hint: if the client uses another API, name it: cogtools mcp --api anthropic
hint: cogtools-discover --format mcp --verbose shows all of it
cogtools-mcp: warning[INVALID_TOOL]: the provider `other` has an invalid declaration: `inputSchema` of `text_1` does not describe an object
hint: its other tools are not affected; report this to its author

"#]]);
}

/// Two sources with the same tools, which leave no other names, as the doctor sees them.
#[test]
fn the_doctor_has_one_finding_for_many_tools() {
    let names = ["a", "b", "c", "d", "two_a", "two_b", "two_c", "two_d"];
    let tools = names.map(|name| json!({"name": name}));
    let scene = Scene::new(&declaring(&json!(tools).to_string()), "");
    let home = scene.project.home();
    let source = |name: &str| {
        let program = home.join("p");
        let program = program.display();
        format!("{{command: {{discover: [{program}], call: [{program}, call], name: {name}}}}}")
    };
    let sources = format!("[{}, {}]", source("one"), source("two"));
    let doctor = |format: &str| {
        let run = run("cogtools-doctor", &scene.project).args(["--format", format]);
        let outcome = run.env("COGTOOLS_TOOL_SOURCES", &sources).run();
        String::from_utf8_lossy(&outcome.stdout).into_owned()
    };
    let report = doctor("human");
    let found: Vec<&str> = report
        .lines()
        .filter(|line| line.contains("shadowed"))
        .collect();
    assert_eq!(
        found,
        [
            "  warning  two: 4 tools shadowed by tools of the same name elsewhere: a, b, c and 1 more"
        ]
    );
    assert!(report.contains("hint: `cogtools doctor --format json` shows each of them"));
    let json: Value = serde_json::from_str(&doctor("json")).expect("it is JSON");
    let findings = json["findings"].as_array().expect("a list");
    let messages = findings.iter().filter_map(|it| it["message"].as_str());
    let shadowed: Vec<&str> = messages.filter(|it| it.contains("shadowed")).collect();
    assert_eq!(
        shadowed,
        ["a", "b", "c", "d"]
            .map(|name| format!("two: {name} is shadowed by one: {name}, which has the same name"))
    );
}

#[test]
fn the_output_of_a_failed_program_is_its_main_line() {
    let trace = "cat >&2 <<'END'
Traceback (most recent call last):
  File \"/srv/p.py\", line 3, in <module>
    main()
  File \"/srv/p.py\", line 2, in main
    import nothing
ModuleNotFoundError: No module named 'nothing'
END
exit 1";
    let scene = Scene::new(trace, "");
    scene.discover().stderr_is(str![[r#"
cogtools-discover: warning[TOOL_FAILED]: the provider `other` failed to declare its tools: it exited with status 1
  | ModuleNotFoundError: No module named 'nothing'
hint: --verbose shows all of it

"#]]);
    let all = scene.run("cogtools-discover").arg("--verbose").run();
    all.stderr_contains("line 2, in main");
}
