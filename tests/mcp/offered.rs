//! Everything besides tools that sources offer: lists, routes to the owner, subscriptions, questions
//! to the client, and what an invalid or a late source may not do.

use std::process::Command;
use std::time::{Duration, Instant};

use cogtools_test_support::Project;
use serde_json::{Value, json};

use super::Session;
use super::http::Service;
use super::peer::peer;
use super::source::project;

/// A project, whose user has these servers: their names, and how they are.
pub(super) fn offering(servers: &[(&str, &str)]) -> Project {
    let project = project();
    let server = |(label, how): &(&str, &str)| {
        let script = peer("offering.py");
        let args: Vec<&str> = std::iter::once(*label)
            .chain(how.split_whitespace())
            .collect();
        let wait = if ["slow", "mute"].contains(how) {
            0.5
        } else {
            30.0
        };
        let command: Vec<Value> = [json!("python3"), json!(script)].into_iter().collect();
        let command: Vec<Value> = command
            .into_iter()
            .chain(args.iter().map(|it| json!(it)))
            .collect();
        json!({"mcp": {"command": command, "name": label, "wait": wait}})
    };
    let sources: Vec<Value> = std::iter::once(json!({"local": project.path("tools")}))
        .chain(servers.iter().map(server))
        .collect();
    let config = json!({"tool_sources": sources});
    project.file("../home/.gemini/cogtoolrc.yaml", config.to_string());
    project
}

/// A session of a client with these capabilities.
pub(super) fn open(project: &Project, capabilities: &Value, answers: &[Value]) -> Session {
    Session::with_person(
        project,
        &mut Command::new(super::server()),
        capabilities,
        answers,
    )
}

/// The texts under `key` of a list.
#[track_caller]
fn list(session: &mut Session, method: &str, (list, key): (&str, &str)) -> Vec<String> {
    let result = session.get(method, &json!({})).expect("a list");
    let items = result[list].as_array().expect("a list").iter();
    items
        .map(|item| item[key].as_str().expect("a text").to_owned())
        .collect()
}

/// The text of a resource.
#[track_caller]
fn read(session: &mut Session, uri: &str) -> String {
    let result = session.get("resources/read", &json!({"uri": uri}));
    let result = result.unwrap_or_else(|error| panic!("{uri}: {error}"));
    assert_eq!(result["contents"][0]["uri"], uri);
    result["contents"][0]["text"]
        .as_str()
        .expect("a text")
        .to_owned()
}

/// The text of a prompt.
#[track_caller]
fn prompt(session: &mut Session, name: &str) -> String {
    let params = json!({"name": name, "arguments": {"city": "Rome"}});
    let result = session.get("prompts/get", &params);
    let result = result.unwrap_or_else(|error| panic!("{name}: {error}"));
    result["messages"][0]["content"]["text"]
        .as_str()
        .expect("a text")
        .to_owned()
}

/// The answer of a tool as JSON.
#[track_caller]
pub(super) fn called(session: &mut Session, name: &str) -> Value {
    let id = session.call(name, &json!({}));
    let (text, is_error) = session.text(id);
    assert!(!is_error, "{text}");
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

/// The requests that a server has got for a method.
pub(super) fn asked(project: &Project, label: &str, method: &str) -> Vec<String> {
    let log = project.read(format!("../home/{label}.log"));
    let lines = log.lines().filter(|line| line.starts_with(method));
    lines.map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn resources_reach_their_owner() {
    let project = offering(&[("a", ""), ("b", "")]);
    let mut session = open(&project, &json!({}), &[]);
    assert_eq!(
        list(&mut session, "resources/list", ("resources", "uri")),
        [
            "mem://shared",
            "ui://app",
            "mem://a/0",
            "cogtools://sources/b/mem://shared",
            "cogtools://sources/b/ui://app",
            "mem://b/0",
        ]
    );
    let templates = ("resourceTemplates", "uriTemplate");
    assert_eq!(
        list(&mut session, "resources/templates/list", templates),
        ["mem://a/item/{id}", "mem://b/item/{id}"]
    );
    for (uri, text) in [
        ("mem://shared", "a: mem://shared"),
        ("cogtools://sources/b/mem://shared", "b: mem://shared"),
        ("mem://b/0", "b: mem://b/0"),
        ("mem://b/item/7", "b: mem://b/item/7"),
        ("cogtools://sources/a/mem://b/0", "a: mem://b/0"),
    ] {
        assert_eq!(read(&mut session, uri), text);
    }
    // Texts hide nothing.
    let resources = session.get("resources/list", &json!({})).expect("a list");
    assert_eq!(resources["resources"][0]["name"], "mem://shared");
    assert_eq!(resources["resources"][0]["description"], "of a");
}

#[test]
fn errors_of_owners_and_unknown_resources_have_the_code_of_the_protocol() {
    let project = offering(&[("a", "")]);
    let mut session = open(&project, &json!({}), &[]);
    list(&mut session, "resources/list", ("resources", "uri"));
    for (uri, message) in [
        ("mem://unknown", "a has no such resource"),
        (
            "cogtools://tool/c",
            "there is no such resource; those of tools begin with `cogtools://tools/`",
        ),
        (
            "cogtools://sources/c/mem://shared",
            "there is no such resource; those of tools begin with `cogtools://tools/`",
        ),
        ("cogtools://sources/a/mem://none", "a has no such resource"),
    ] {
        let error = session.get("resources/read", &json!({"uri": uri}));
        let error = error.expect_err("there is none");
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!(-32002), &json!(message))
        );
    }
    let error = session.get("prompts/get", &json!({"name": "nothing"}));
    assert_eq!(error.expect_err("there is none")["code"], -32602);
}

#[test]
fn an_unlisted_resource_is_read_from_the_source_that_has_it() {
    let project = offering(&[("a", ""), ("b", "")]);
    let mut session = open(&project, &json!({}), &[]);
    assert_eq!(read(&mut session, "mem://b/secret"), "b: mem://b/secret");
    let log = asked(&project, "a", "resources/read");
    assert_eq!(log, ["resources/read mem://b/secret"]);
    for uri in ["mem://none", "none:1", "none"] {
        let error = session.get("resources/read", &json!({"uri": uri}));
        let error = error.expect_err("no one has it");
        assert_eq!(error["message"], "a has no such resource");
        assert_eq!(error["code"], -32002);
    }
    // Updates are those of one source.
    let watched = session.get("resources/subscribe", &json!({"uri": "mem://b/secret"}));
    assert_eq!(watched.expect_err("which one is not known")["code"], -32002);
}

#[test]
fn a_link_in_a_result_can_be_read() {
    let project = offering(&[("a", ""), ("b", "")]);
    let mut session = open(&project, &json!({}), &[]);
    let id = session.call("b_link", &json!({}));
    assert_eq!(
        session.answer(id)["result"]["content"][0]["uri"],
        "mem://hidden"
    );
    assert_eq!(read(&mut session, "mem://hidden"), "b: mem://hidden");
    // Another source does not take it over.
    let id = session.call("a_link", &json!({}));
    let uri = "cogtools://sources/a/mem://hidden";
    assert_eq!(session.answer(id)["result"]["content"][0]["uri"], uri);
    assert_eq!(read(&mut session, uri), "a: mem://hidden");
    assert_eq!(read(&mut session, "mem://hidden"), "b: mem://hidden");
}

#[test]
fn apps_are_those_of_the_tool() {
    let project = offering(&[("a", ""), ("b", "")]);
    let mut session = open(&project, &json!({}), &[]);
    list(&mut session, "resources/list", ("resources", "uri"));
    let tools = session.get("tools/list", &json!({})).expect("a list");
    for (name, uri, text) in [
        ("a_app", "ui://app", "a: ui://app"),
        ("b_app", "cogtools://sources/b/ui://app", "b: ui://app"),
    ] {
        let mut all = tools["tools"].as_array().expect("a list").iter();
        let tool = all.find(|tool| tool["name"] == name).expect("the tool");
        assert_eq!(tool["_meta"]["ui"]["resourceUri"], uri);
        assert_eq!(read(&mut session, uri), text);
    }
}

#[test]
fn tools_have_pages_for_clients_that_read_them() {
    let project = project();
    for number in 0..201 {
        let tool = format!("name: t{number}\ndescription: d\nimplementation: fine\n");
        project.file(format!("tools/t{number}.yaml"), tool);
    }
    let mut session = open(&project, &json!({}), &[]);
    let first = session.get("tools/list", &json!({})).expect("a page");
    assert_eq!(first["tools"].as_array().map(Vec::len), Some(200));
    let cursor = json!({"cursor": first["nextCursor"]});
    // Both pages are of one list.
    project.remove("tools/t99.yaml");
    let second = session.get("tools/list", &cursor).expect("a page");
    assert_eq!(second["tools"].as_array().map(Vec::len), Some(2));
    project.file(
        "tools/t99.yaml",
        "name: t99\ndescription: d\nimplementation: fine\n",
    );
    let gemini = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "gemini-cli-mcp-client", "version": "0.61.0"},
    });
    session.get("initialize", &gemini).expect("initialized");
    let all = session.get("tools/list", &json!({})).expect("a page");
    assert_eq!(all["tools"].as_array().map(Vec::len), Some(202));
    assert_eq!(all["nextCursor"], Value::Null);
}

#[test]
fn prompts_are_named_like_tools() {
    let project = offering(&[("a", ""), ("b", "")]);
    let own = "name: ask\ndescription: d\nexamples: [{}]\nimplementation: mine\n";
    project.file("tools/ask.yaml", own);
    let mut session = open(&project, &json!({}), &[]);
    assert_eq!(
        list(&mut session, "prompts/list", ("prompts", "name")),
        ["a_ask", "a_more", "b_ask", "b_more"]
    );
    assert_eq!(prompt(&mut session, "a_ask"), "a: ask {'city': 'Rome'}");
    assert_eq!(prompt(&mut session, "b_more"), "b: b.more {'city': 'Rome'}");
    let mine = session
        .get("prompts/get", &json!({"name": "ask"}))
        .expect("a prompt");
    assert_eq!(mine["messages"][0]["content"]["text"], "mine");
}

/// Before: `prompts/get` called any tool.
#[test]
fn a_tool_that_may_have_effects_is_no_prompt() {
    let project = offering(&[]);
    let tool =
        "name: touch\ndescription: d\nexamples: [{}]\nimplementation:\n  exec: [touch, made]\n";
    project.file("tools/touch.yaml", tool).trust(".");
    for args in [&[][..], &["--code"]] {
        let mut session = Session::with_person(
            &project,
            Command::new(super::server()).args(args),
            &json!({}),
            &[],
        );
        let error = session.get("prompts/get", &json!({"name": "touch"}));
        let error = error.expect_err("it is none");
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!(-32602), &json!("touch: there is no such prompt"))
        );
    }
    assert!(!project.path("made").exists());
}

#[test]
fn completions_come_from_the_owner() {
    let project = offering(&[("a", ""), ("b", "")]);
    let mut session = open(&project, &json!({}), &[]);
    for (reference, value) in [
        (json!({"type": "ref/prompt", "name": "b_ask"}), "b: ask"),
        (
            json!({"type": "ref/resource", "uri": "mem://b/item/{id}"}),
            "b: mem://b/item/{id}",
        ),
    ] {
        let params = json!({"ref": reference, "argument": {"name": "city", "value": "R"}});
        let completed = session.get("completion/complete", &params).expect("values");
        assert_eq!(completed["completion"]["values"], json!([value]));
    }
}

#[test]
fn instructions_of_sources_have_a_budget() {
    let project = offering(&[("a", ""), ("b", "many"), ("c", "")]);
    // The first session learns them: nothing delays `initialize`.
    let mut session = open(&project, &json!({}), &[]);
    list(&mut session, "prompts/list", ("prompts", "name"));
    drop(session);
    let mut session = open(&project, &json!({}), &[]);
    let again = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
    });
    let result = session.get("initialize", &again);
    let result = result.expect("initialized");
    let text = result["instructions"].as_str().expect("instructions");
    assert!(text.starts_with("# a\n\na knows best.\n\n# b\n\nb knows best.\nMore of it.\n"));
    assert!(text.ends_with("More of it.\n[…]"), "{text}");
    assert!(text.len() <= 4 << 10 && text.len() > 4000, "{}", text.len());
}

#[test]
fn lists_have_pages() {
    let project = offering(&[("a", "many")]);
    let mut session = open(&project, &json!({}), &[]);
    let first = session.get("resources/list", &json!({})).expect("a page");
    assert_eq!(first["resources"].as_array().map(Vec::len), Some(200));
    let cursor = json!({"cursor": first["nextCursor"]});
    let second = session.get("resources/list", &cursor).expect("a page");
    assert_eq!(second["resources"].as_array().map(Vec::len), Some(102));
    assert_eq!(second["nextCursor"], Value::Null);
    for method in [
        "resources/list",
        "resources/templates/list",
        "prompts/list",
        "tools/list",
    ] {
        let error = session.get(method, &json!({"cursor": "other"}));
        assert_eq!(
            error.expect_err("no cursor of ours")["code"],
            -32602,
            "{method}"
        );
    }
}

#[test]
fn models_and_folders_of_the_client_are_asked_if_it_has_some() {
    let project = offering(&[("a", "")]);
    let mut session = open(&project, &json!({}), &[]);
    assert_eq!(called(&mut session, "a_know"), json!({}));
    for name in ["a_sample", "a_roots"] {
        assert_eq!(called(&mut session, name), json!({"error": -32601}));
    }
    drop(session);
    let content = json!({"type": "text", "text": "Well."});
    let answer = json!({"role": "assistant", "model": "m", "content": content});
    let apps = json!({"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}});
    let able = json!({"sampling": {}, "roots": {}, "extensions": apps});
    let mut session = open(&project, &able, std::slice::from_ref(&answer));
    session.roots = vec!["file:///home/ada".to_owned()];
    assert_eq!(called(&mut session, "a_know"), able);
    assert_eq!(called(&mut session, "a_sample"), answer);
    assert_eq!(session.asked, ["Well?"]);
    let roots = json!({"roots": [{"uri": "file:///home/ada"}]});
    assert_eq!(called(&mut session, "a_roots"), roots);
}

#[test]
fn a_late_source_is_announced() {
    let project = offering(&[("a", "slow")]);
    let begin = Instant::now();
    let mut session = open(&project, &json!({}), &[]);
    assert!(
        begin.elapsed() < Duration::from_secs(2),
        "initialize has waited"
    );
    let prompts = ("prompts", "name");
    assert_eq!(
        list(&mut session, "prompts/list", prompts),
        Vec::<String>::new()
    );
    let mut methods = [
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
    ];
    methods.sort_unstable();
    for method in methods {
        session.notification(method);
    }
    assert_eq!(
        list(&mut session, "prompts/list", prompts),
        ["ask", "a_more"]
    );
}

#[test]
fn a_request_waits_for_a_late_source_unless_cogtools_answers_it() {
    let project = offering(&[("a", "slow")]);
    let begin = Instant::now();
    let mut session = open(&project, &json!({}), &[]);
    read(&mut session, "cogtools://tools/ok");
    assert!(
        begin.elapsed() < Duration::from_secs(2),
        "a document has waited"
    );
    assert_eq!(read(&mut session, "mem://shared"), "a: mem://shared");
    drop(session);
    let _ = std::fs::remove_dir_all(project.home().join(".cache"));
    let mut session = open(&project, &json!({}), &[]);
    assert_eq!(prompt(&mut session, "ask"), "a: ask {'city': 'Rome'}");
}

#[test]
fn what_is_cached_starts_nothing() {
    let project = offering(&[("a", "")]);
    let starts = || asked(&project, "a", "initialize").len();
    let mut session = open(&project, &json!({}), &[]);
    session.get("tools/list", &json!({})).expect("a list");
    assert_eq!(asked(&project, "a", "prompts/list"), Vec::<String>::new());
    let prompts = list(&mut session, "prompts/list", ("prompts", "name"));
    assert_eq!(starts(), 1);
    drop(session);
    let mut session = open(&project, &json!({}), &[]);
    let again = list(&mut session, "prompts/list", ("prompts", "name"));
    assert_eq!(again, prompts);
    list(&mut session, "resources/list", ("resources", "uri"));
    assert_eq!(starts(), 1);
    // It is started by the first request that only it can answer.
    read(&mut session, "mem://shared");
    assert_eq!(starts(), 2);
}

#[test]
fn a_source_that_is_silent_about_its_prompts_keeps_its_tools() {
    let project = offering(&[("a", "mute"), ("b", "")]);
    let mut session = open(&project, &json!({}), &[]);
    let begin = Instant::now();
    let prompts = list(&mut session, "prompts/list", ("prompts", "name"));
    assert!(
        begin.elapsed() < Duration::from_secs(4),
        "the list has waited"
    );
    assert_eq!(prompts, ["ask", "b_more"]);
    assert_eq!(called(&mut session, "a_touch"), "touched");
}

#[test]
fn an_answer_that_is_no_list_takes_no_other_list_away() {
    let project = offering(&[("a", "odd")]);
    let mut session = open(&project, &json!({}), &[]);
    let templates = ("resourceTemplates", "uriTemplate");
    assert_eq!(
        list(&mut session, "resources/templates/list", templates),
        [""; 0]
    );
    assert_eq!(
        list(&mut session, "prompts/list", ("prompts", "name")),
        ["ask", "a_more"]
    );
    assert_eq!(read(&mut session, "mem://shared"), "a: mem://shared");
}

#[test]
fn a_source_that_is_not_approved_offers_nothing() {
    let project = project();
    let server = json!({"mcp": {"command": ["python3", peer("offering.py"), "a"], "name": "a"}});
    project.file(
        ".cogtoolrc.yaml",
        json!({"tool_sources": [server]}).to_string(),
    );
    let mut session = open(&project, &json!({}), &[]);
    for (method, key) in [
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ] {
        assert_eq!(
            session.get(method, &json!({})).expect("a list")[key],
            json!([])
        );
    }
    let error = session.get(
        "resources/read",
        &json!({"uri": "cogtools://sources/a/mem://shared"}),
    );
    assert_eq!(error.expect_err("it does not run")["code"], -32002);
    assert!(!project.path("../home/a.log").exists());
}

/// The headers of a stateless request.
fn headers<'h>(method: &'h str, name: &'h str) -> Vec<(&'h str, &'h str)> {
    let mut headers = vec![
        ("content-type", "application/json"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", method),
    ];
    if !name.is_empty() {
        headers.push(("mcp-name", name));
    }
    headers
}

#[test]
fn stateless_clients_over_http_get_the_same() {
    let project = offering(&[("a", ""), ("b", "")]);
    let service = Service::start(&project, &[("PATH", "/usr/bin:/bin")]);
    let get = |method: &str, name: &str, mut params: Value| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let (_, answer) = service.post("/mcp", &headers(method, name), &body.to_string());
        let answer: Value = serde_json::from_str(&answer).unwrap_or(Value::String(answer));
        answer
    };
    let listed = get("resources/list", "", json!({}));
    assert_eq!(
        listed["result"]["resources"][5]["uri"], "mem://b/0",
        "{listed}"
    );
    let uri = "mem://b/item/7";
    let read = get("resources/read", uri, json!({"uri": uri}));
    assert_eq!(
        read["result"]["contents"][0]["text"], "b: mem://b/item/7",
        "{read}"
    );
    let got = get("prompts/get", "a_more", json!({"name": "a_more"}));
    let text = &got["result"]["messages"][0]["content"]["text"];
    assert_eq!(text, "a: a.more {}", "{got}");
    // The newer revision has another code.
    let none = get("resources/read", "mem://no", json!({"uri": "mem://no"}));
    assert_eq!(none["error"]["code"], -32602, "{none}");
}
