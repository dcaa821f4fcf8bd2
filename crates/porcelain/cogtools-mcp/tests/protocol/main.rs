//! The protocol, stateful and stateless: the whole response to each line.

mod documents;
mod exchange;

use cogtools_test_support::{Expected, Project, assert_text, str};
use serde_json::{Value, json};

use exchange::{check, check_both, initialize, project, request, serve, text};

#[test]
fn lists_have_every_field() {
    check_both(
        "tools/list",
        &json!({}),
        &json!({"tools": [{
            "name": "greet",
            "title": "Greet",
            "description": "Greets a person",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "person": {"type": "string", "description": "Who is greeted"},
                    "times": {"type": "integer", "default": 1},
                },
                "required": ["person"],
                "additionalProperties": false,
                "examples": [{"person": "Grace"}],
            },
            "annotations": {"readOnlyHint": true},
        }]}),
    );
    check_both(
        "prompts/list",
        &json!({}),
        &json!({"prompts": [{
            "name": "greet",
            "title": "Greet",
            "description": "Greets a person",
            "arguments": [
                {"name": "person", "description": "Who is greeted, for example: Grace", "required": true},
                {"name": "times", "required": false},
            ],
        }]}),
    );
}

/// A host shows each tool once, unless the configuration asks for more.
#[test]
fn menus_are_empty_unless_they_are_configured() {
    for (menus, prompts, resources) in [("[]", 0, 0), ("[prompts]", 1, 0), ("[resources]", 0, 1)] {
        let project = project();
        let config = format!("hosts: {{mcp: {{menus: {menus}}}}}\n");
        project.file(".cogtoolrc.yaml", config);
        let lists = ["prompts/list", "resources/list"];
        let lines = lists.map(|method| request(method, method, json!({})).to_string());
        let input = format!("{}\n{}\n", initialize(), lines.join("\n"));
        let (_, stdout, _) = serve(&project, input, &[]);
        let count = |method: &str, key: &str| {
            let mut lines = stdout.lines().map(serde_json::from_str::<Value>);
            let found = lines.find_map(|line| line.ok().filter(|line| line["id"] == method));
            found.expect("an answer")["result"][key]
                .as_array()
                .map(Vec::len)
        };
        let found = (
            count("prompts/list", "prompts"),
            count("resources/list", "resources"),
        );
        assert_eq!(found, (Some(prompts), Some(resources)), "{menus}: {stdout}");
    }
}

#[test]
fn calls_succeed_or_explain_the_error() {
    let call = |arguments: Value, expected: Value| {
        check_both(
            "tools/call",
            &json!({"name": "greet", "arguments": arguments}),
            &expected,
        );
    };
    call(json!({"person": "Ada"}), text("Good day, Ada! ", false));
    call(
        json!({"person": "Ada", "wait_for_previous": true}),
        text("Good day, Ada! ", false),
    );
    call(
        json!({"person": "Ada", "times": "2"}),
        text(
            "cogtools-mcp: error[SCHEMA_VIOLATION]: greet: /times: expected integer, got \
             string \"2\"\nhint: send times (integer)\n",
            true,
        ),
    );
    check_both(
        "tools/call",
        &json!({"name": "great", "arguments": {}}),
        &json!({"code": -32602, "message":
            "great: no such tool; did you mean `greet`?"}),
    );
    check_both(
        "tools/call",
        &json!({"name": "greet", "arguments": "Ada"}),
        &json!({"code": -32602, "message":
            "`tools/call` takes `name`, a string, and `arguments`, an object"}),
    );
    check_both(
        "no/method",
        &json!({}),
        &json!({"code": -32601, "message": "unknown method `no/method`"}),
    );
    check_both(
        "tools/list",
        &json!({"cursor": "2"}),
        &json!({"code": -32602, "message": "invalid cursor"}),
    );
}

#[test]
fn a_call_through_another_tool_has_the_called_tools_timeout() {
    let project = project();
    project.file(
        "tools/slow.yaml",
        "name: slow\ndescription: d\nparameters: {items: 'integer[]'}\ntimeout: 0.001\n\
         implementation: \"{% for a in items %}{{ a }}{% endfor %}\"\n",
    );
    let items: Vec<u32> = (0..200_000).collect();
    let slow = json!({"name": "slow", "arguments": {"items": items}});
    for params in [
        slow.clone(),
        json!({"name": "call_tool", "arguments": slow}),
    ] {
        let input = format!("{}\n{}", initialize(), request("it", "tools/call", params));
        let (status, stdout, stderr) = serve(&project, input, &[]);
        assert_eq!((status, stderr.as_str()), (0, ""));
        let response = stdout
            .lines()
            .find(|line| line.contains("\"it\""))
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let timed_out = text(
            "cogtools-mcp: error[TIMEOUT]: slow: the tool timed out after 0.001 s\n\
             hint: send less, or give the tool more time with `timeout`\n",
            true,
        );
        let expected = json!({"jsonrpc": "2.0", "id": "it", "result": timed_out});
        assert!(response == Some(expected), "{stdout:.1000}");
    }
}

#[test]
fn prompt_arguments_are_parsed_by_the_tools_schema() {
    let prompt = |text: &str| json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]});
    check_both(
        "prompts/get",
        &json!({"name": "greet", "arguments": {"person": "7", "times": "2"}}),
        &prompt("Good day, 7! Good day, 7! "),
    );
}

#[test]
fn lines_that_are_not_requests_are_rejected_or_ignored() {
    let error = |code: i32, message: &str| json!({"code": code, "message": message});
    for (line, expected) in [
        ("", vec![]),
        ("  ", vec![]),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/unheard_of"}"#,
            vec![],
        ),
        (r#"{"jsonrpc":"2.0","id":5,"result":{}}"#, vec![]),
        (
            "{",
            vec![
                json!({"jsonrpc": "2.0", "error": error(-32700, "not JSON: EOF while parsing an object at line 1 column 1")}),
            ],
        ),
        (
            "[]",
            vec![
                json!({"jsonrpc": "2.0", "error": error(-32600, "send one JSON-RPC object per line")}),
            ],
        ),
        (
            r#"{"id":"it","method":"ping"}"#,
            vec![
                json!({"jsonrpc": "2.0", "id": "it", "error": error(-32600, "not a JSON-RPC 2.0 request")}),
            ],
        ),
        (
            r#"{"jsonrpc":"2.0","id":"it","method":"tools/call","params":{"name":"greet","arguments":{"person":"a","person":"b"}}}"#,
            vec![json!({"jsonrpc": "2.0", "id": "it", "result": text(
                "cogtools-mcp: error[INVALID_ARGUMENTS_SYNTAX]: greet: not valid JSON: duplicate key `person`\n\
                 hint: send `arguments` as one JSON object with each key once, such as {\"name\": \"value\"}\n",
                true,
            )})],
        ),
    ] {
        check(&initialize(), line, &expected);
    }
}

#[test]
fn messages_before_the_first_request_do_not_end_the_server() {
    let early = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let input = format!("{early}\n\n{{\n{}\n", initialize());
    let (status, stdout, stderr) = serve(&project(), input, &[]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    let last = stdout.lines().last().expect("it answers");
    let last: Value = serde_json::from_str(last).expect("a line is JSON");
    assert_eq!(last["result"]["serverInfo"]["name"], "cogtools");
    assert_eq!(
        serve(&project(), String::new(), &[]),
        (0, String::new(), String::new())
    );
}

#[test]
fn invalid_tools_are_left_out_and_reported_once() {
    let project = project();
    project.file("tools/broken.yaml", "name: other\n");
    let list = request("it", "tools/list", json!({}));
    let again = request("again", "tools/list", json!({}));
    let input = format!("{}\n{list}\n{again}\n", initialize());
    let (status, stdout, stderr) = serve(&project, input, &["--tools", "gr*,broken"]);
    assert_eq!(status, 0);
    let tools = stdout.matches(r#""name":"greet","title""#).count();
    assert_eq!(tools, 2, "{stdout}");
    let mut warnings: Vec<&str> = stderr
        .lines()
        .filter(|line| line.contains("warning["))
        .collect();
    let all = warnings.len();
    warnings.sort_unstable();
    warnings.dedup();
    assert!(
        all > 0 && warnings.len() == all,
        "each is reported once: {stderr}"
    );
    let (_, stdout, _) = serve(
        &project,
        format!("{}\n{list}\n", initialize()),
        &["--exclude", "gr*"],
    );
    assert_eq!(stdout.matches(r#""name":"greet""#).count(), 0, "{stdout}");
}

/// One rejected tool would make an API refuse the whole request.
#[test]
fn tools_that_the_clients_api_rejects_are_left_out() {
    let project = Project::new();
    let tool = |name: &str, parameter: &str| {
        let text = format!(
            "name: {name}\ndescription: d\nparameters: {{{parameter}: string}}\nimplementation: x\n"
        );
        project.file(format!("tools/{name}.yaml"), text);
    };
    tool("a", "who?");
    tool("b", "max-size");
    tool("c", "fine");
    let list = request("it", "tools/list", json!({}));
    let check = |args: &[&str], expected: &[&str], stderr: Expected| {
        let (status, stdout, found) = serve(&project, format!("{}\n{list}\n", initialize()), args);
        let answer = stdout.lines().last().unwrap_or_default();
        let answer: Value = serde_json::from_str(answer).expect("a line is JSON");
        let tools = answer["result"]["tools"].as_array();
        let names: Vec<&Value> = tools.into_iter().flatten().map(|it| &it["name"]).collect();
        assert_eq!(names, expected, "{args:?}");
        assert_text(&found, stderr);
        assert_eq!(status, 0);
    };
    check(&[], &["c"], str![[r#"
cogtools-mcp: warning[INVALID_TOOL]: tools/a.yaml:3:14: not declared for mcp: the Gemini API, which the client may use, rejects the parameter name "who?"
   |
 3 | parameters: {who?: string}
   |              ^^^^
hint: use letters from a to z, digits and `_`, at most 64, and no digit first
hint: if the client uses another API, name it: cogtools mcp --api anthropic
cogtools-mcp: warning[INVALID_TOOL]: tools/b.yaml:3:14: not declared for mcp: the Gemini API, which the client may use, rejects the parameter name "max-size"
   |
 3 | parameters: {max-size: string}
   |              ^^^^^^^^
hint: use letters from a to z, digits and `_`, at most 64, and no digit first
hint: if the client uses another API, name it: cogtools mcp --api anthropic

"#]].into());
    check(&["--api", "anthropic"], &["b", "c"], str![[r#"
cogtools-mcp: warning[INVALID_TOOL]: tools/a.yaml:3:14: not declared for mcp: Anthropic's API rejects the parameter name "who?"
   |
 3 | parameters: {who?: string}
   |              ^^^^
hint: use letters from a to z, digits, `_`, `.` and `-`, at most 64

"#]].into());
    check(&["--api", "openai"], &["a", "b", "c"], "".into());
    // The API of some clients is always the same.
    for (client, expected) in [
        ("claude-code", &["b", "c"][..]),
        ("claude-ai", &["b", "c"]),
        ("codex-mcp-client", &["a", "b", "c"]),
        ("gemini-cli-mcp-client", &["c"]),
        ("another", &["c"]),
    ] {
        let mut hello = initialize();
        hello["params"]["clientInfo"]["name"] = client.into();
        let (_, stdout, _) = serve(&project, format!("{hello}\n{list}\n"), &[]);
        let named = ["a", "b", "c"].map(|name| (name, format!(r#""name":"{name}""#)));
        let listed = named.iter().filter(|(_, text)| stdout.contains(text));
        let names: Vec<&str> = listed.map(|(name, _)| *name).collect();
        assert_eq!(names, expected, "{client}: {stdout}");
    }
}

#[test]
fn invalid_options_and_configuration_are_reported_at_the_start() {
    let project = project();
    let check = |args: &[&str], status: u8, expected: &str| {
        let (found, stdout, stderr) = serve(&project, String::new(), args);
        assert_eq!(
            (found, stdout.as_str(), stderr.as_str()),
            (status, "", expected),
            "{args:?}"
        );
    };
    check(
        &["--project", "nowhere"],
        2,
        "cogtools-mcp: error[USAGE]: --project: `nowhere` is not a directory\n\
         hint: pass the directory of a project\n",
    );
    for (address, reason) in [
        ("0.0.0.0:1", "not a loopback address"),
        (
            "8765",
            "expected an address and a port, such as 127.0.0.1:8765",
        ),
    ] {
        check(
            &["--http", address],
            2,
            &format!(
                "cogtools-mcp: error[USAGE]: invalid value '{address}' for '--http <ADDRESS>': {reason}\n\
                 hint: usage: cogtools-mcp [OPTIONS]\nhint: --help explains every option\n"
            ),
        );
    }
    project.file(".cogtoolrc.yaml", "tool_sources: 1\n");
    let (status, stdout, stderr) = serve(&project, String::new(), &[]);
    // It serves what the other layers have.
    assert_eq!((status, stdout.as_str()), (0, ""));
    assert!(
        stderr.starts_with("cogtools-mcp: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:"),
        "{stderr}"
    );
}
