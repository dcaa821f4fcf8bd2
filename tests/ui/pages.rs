//! Pages, on which hostile content is only text.

use cogtools_test_support::{Project, assert_text, str};
use serde_json::{Value, json};

use super::server::{Server, between, text};
use super::started;

#[test]
fn a_session_as_a_page_without_scripts() {
    let (_project, server) = started();
    let cookie = server.cookie();
    let list = server.get(&cookie, "/sessions");
    assert_eq!(list.status, 200);
    assert!(
        list.body
            .contains(&format!("href=\"{}/sessions/file.0\"", server.base())),
        "{}",
        list.body
    );
    let page = server.get(&cookie, "/sessions/file.0");
    assert_eq!(page.status, 200);
    assert_text(
        text(&page.body),
        str![[r#"
Why does the test fail? | Session | 7f3a9c21be | Began | 2026-11-22 09:00:00.000 UTC
Project | shop | Model | gemini-flash-latest | File | run.jsonl | You | 2026-11-22 09:00:00.010 UTC
Why does the test fail? | run_tests failed | read_file denied | 400 ms | run_tests · step 1 of 2 · failed
exit status 1 not ok 3 - price: expected 4.2, got 42 | read_file · step 2 of 2 · denied
the user did not approve it | Model | The price is parsed without its decimal point.
Conversation | Executed | 2.4 s | 1780 tokens, 42 % cached | Timeline | A turn runs:
Stop | Next message | Model | Send | Timeline | Turn at line 2 | Request 1 | 850 tokens
1.2 s | +10 ms | To | gemini-flash-latest | Its layers were not recorded. | run_tests
Failed | 400 ms | +1.2 s | exit status 1 · TOOL_FAILED | Step 1, | call-1 | · approval: allowed: a rule run_*
Arguments as sent | { 1 } | filter | : | &quot;price&quot; | Result | exit status 1 not ok 3 - price: expected 4.2, got 42
read_file | Denied | 0 ms | +1.2 s | Step 2, | call-2 | · approval: denied: there is no terminal
Arguments as sent | { 1 } | path | : | &quot;price.js&quot; | Result | the user did not approve it
Request 2 | 930 tokens, 80 % cached | 800 ms | +1.6 s | To | gemini-flash-latest
Its layers were not recorded. | Executed | completed | +2.4 s

"#]],
    );
}

/// A text that tries to be more than text.
const EVIL: &str =
    "<script>alert(1)</script><img src=x onerror=alert(2)>\"'>\u{202e}\u{1b}[31m\u{0}";

/// The lines of a session in which every text is that.
fn hostile_lines() -> Vec<Value> {
    let evil = EVIL;
    let header = json!({"kind": "session", "format": 1, "session": "evil", "project": evil,
        "time": "2026-11-22T09:00:00.000Z", "program": evil, "model": evil});
    let mut lines = vec![header];
    let mut add = |kind: &str, mut fields: Value| {
        let id = lines.len();
        fields["id"] = id.into();
        fields["parent"] = (id > 1).then_some(id - 1).into();
        fields["time"] = "2026-11-22T09:00:00.000Z".into();
        fields["kind"] = kind.into();
        lines.push(fields);
    };
    add("task", json!({"parts": [{"text": evil}]}));
    add(
        "plan",
        json!({"intent": evil, "plan": {"restatement": evil, "visible_reply": evil,
        "thinking_log": [evil], "tool_plan": [{"save_as": evil, "tool": evil, "reason": evil}]}}),
    );
    add(
        "request",
        json!({"hash": evil, "model": evil, "turn": 1,
        "layers": [{"name": evil, "tokens": 1, "hash": evil, "cached": true}]}),
    );
    let parts = json!([{"text": evil, "thought": true}, {"text": format!("[a](javascript:alert(3)) {evil}")}]);
    add(
        "response",
        json!({"content": {"role": "model", "parts": parts}}),
    );
    let rule = json!({"decision": "denied", "why": evil, "rule": evil});
    add(
        "call",
        json!({"call": evil, "tool": evil, "arguments": {evil: evil}, "approval": rule}),
    );
    add(
        "result",
        json!({"call": evil, "status": "failed", "code": evil, "content": {"error": evil}, "ms": u64::MAX}),
    );
    add(
        "step",
        json!({"step": evil, "state": "failed", "code": evil, "message": evil, "logs": [evil]}),
    );
    add(
        "flow",
        json!({"tool": evil, "digest": "", "arguments": {evil: evil}}),
    );
    add(
        "node",
        json!({"node": evil, "state": "waiting", "question": evil}),
    );
    add(
        "error",
        json!({"code": evil, "message": evil, "hints": [evil]}),
    );
    add("paused", json!({"calls": [evil]}));
    add(evil, json!({}));
    lines
}

#[test]
fn hostile_content_is_text() {
    let project = Project::new();
    let lines = hostile_lines();
    let text = lines.iter().map(|line| format!("{line}\n"));
    project.file("evil.jsonl", text.collect::<String>());
    let server = Server::start(&project, &["--session", "evil.jsonl"]);
    let cookie = server.cookie();
    for path in ["/sessions", "/sessions/file.0", "/sessions/file.0?turn=2"] {
        let page = server.get(&cookie, path);
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        let page = page.body.to_lowercase();
        assert!(page.contains("&lt;script&gt;alert(1)"), "{path}: {page}");
        for markup in [
            "<script>",
            "<img",
            "<a href=\"javascript",
            "\u{202e}",
            "\u{1b}",
            "\u{0}",
        ] {
            assert!(!page.contains(markup), "{path}: {markup}: {page}");
        }
    }
    // As it is in the file, and never anything but text.
    let line = server.get(&cookie, "/sessions/file.0/lines/2");
    assert_eq!(
        line.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    assert_eq!(line.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(line.body, lines[1].to_string());
}

#[test]
fn names_of_sessions_lead_nowhere_else() {
    let (project, server) = started();
    project.file("secret.jsonl", super::RUN);
    let cookie = server.cookie();
    for path in [
        "/sessions/file.1",
        "/sessions/file.x",
        "/sessions/secret.jsonl",
        "/sessions/..%2f..%2fsecret",
        "/sessions/%2e%2e",
        "/sessions/0000",
        "/sessions/file.0/lines/1",
        "/sessions/file.0/lines/99",
        "/sessions/file.0/lines/18446744073709551615",
        "/sessions/file.0/blobs/..%2f..%2frun.jsonl",
        "/assets/..%2fCargo.toml",
        "/assets/nothing.js",
    ] {
        assert_eq!(server.get(&cookie, path).status, 404, "{path}");
    }
}

/// Rare entries of a session, each with its form on the page.
#[test]
fn branches_unsupported_steps_and_damage_are_named() {
    let project = Project::new();
    let header = super::RUN.lines().next().expect("a header");
    let plan = json!({"restatement": "Two things", "visible_reply": "", "thinking_log": [],
        "tool_plan": [{"save_as": "a", "tool": "gone"}, {"save_as": "b", "tool": "x"}]});
    let events = [
        json!({"parent": null, "kind": "plan", "intent": "clock", "plan": plan}),
        json!({"parent": 1, "kind": "step", "step": "a", "state": "failed", "code": "TOOL_NOT_FOUND",
            "message": "no tool of that name", "ms": 1500}),
        json!({"parent": 2, "kind": "step", "step": "b", "state": "skipped"}),
        json!({"parent": 3, "kind": "compaction", "up_to": 1, "summary": "S"}),
        json!({"parent": 4, "kind": "agent", "tool": "helper"}),
        json!({"parent": 1, "kind": "undone", "task": 1}),
        json!({"parent": null, "kind": "later", "new": true}),
        json!({"parent": 7, "kind": "end", "status": "budget", "limit": "turns"}),
    ];
    let lines = events.into_iter().zip(1..).map(|(mut event, id)| {
        event["id"] = id.into();
        event["time"] = "2026-11-22T09:00:00.000Z".into();
        event.to_string()
    });
    let mut lines: Vec<String> = std::iter::once(header.to_owned()).chain(lines).collect();
    lines.insert(4, "{\"id\":4,\"par".to_owned());
    project.file("rare.jsonl", lines.join("\n") + "\n");
    let server = Server::start(&project, &["--session", "rare.jsonl"]);
    let cookie = server.cookie();
    let page = text(&server.get(&cookie, "/sessions/file.0").body);
    let page = page.replace("2026-11-22 09:00:00.000 UTC", "TIME");
    assert_text(
        page,
        str![[r#"
Two things | Session | 7f3a9c21be | Began | TIME | Project
shop | Model | gemini-flash-latest | File | rare.jsonl | You | TIME
Two things | gone unsupported | 1.5 s | gone · step 1 of 2 · unsupported | no tool of that name · TOOL_NOT_FOUND
Line | this line was cut off | Clock | Failed | 1.5 s | Timeline | A turn runs:
Stop | Next message | Model | Send | Timeline | Turn at line 2 | gone | Unsupported
1.5 s | +0 ms | no tool of that name · TOOL_NOT_FOUND | Step 1, | a | x | Skipped
Step 2, | b | everything up to 1 is a summary | +0 ms | the agent helper begins
+0 ms | another branch, which follows entry 1 | +0 ms | the user took the task 1 back
+0 ms | another branch, from the beginning | +0 ms | later is not known to this version
+0 ms | Failed | budget | +0 ms

"#]],
    );
    let list = text(&server.get(&cookie, "/sessions").body);
    assert!(list.contains("Two things\nbudget | "), "{list}");
}

/// A session with these events, each after the one before it.
fn session(events: &[Value]) -> String {
    let header = super::RUN.lines().next().expect("a header");
    let lines = events.iter().zip(1..).map(|(event, id)| {
        let mut event = event.clone();
        event["id"] = id.into();
        event["parent"] = (id > 1).then_some(id - 1).into();
        event["time"] = "2026-11-22T09:00:00.000Z".into();
        event.to_string()
    });
    let lines: Vec<String> = std::iter::once(header.to_owned()).chain(lines).collect();
    lines.join("\n") + "\n"
}

fn task(text: &str) -> Value {
    json!({"kind": "task", "parts": [{"text": text}]})
}

fn call(name: &str, decision: &str) -> Value {
    json!({"kind": "call", "call": name, "tool": "pay", "arguments": {"sum": 1},
        "approval": {"decision": decision, "why": "default"}})
}

fn end(status: &str) -> Value {
    json!({"kind": "end", "status": status})
}

/// The page of a session with these events, as HTML.
fn page_of(events: &[Value], path: &str) -> String {
    let project = Project::new();
    project.file("s.jsonl", session(events));
    let server = Server::start(&project, &["--session", "s.jsonl"]);
    let cookie = server.cookie();
    server.get(&cookie, &format!("/sessions/file.0{path}")).body
}

#[test]
fn what_did_not_run_is_red_and_named_and_no_call() {
    let result = |call: &str, status: &str| json!({"kind": "result", "call": call, "status": status, "content": {"error": "no"}, "ms": 1});
    let page = page_of(
        &[
            task("Pay"),
            call("1", "denied"),
            result("1", "denied"),
            call("2", "granted"),
            result("2", "cancelled"),
            call("3", "granted"),
            json!({"kind": "request", "hash": "1", "layers": [], "model": "m", "turn": 1}),
            end("completed"),
        ],
        "",
    );
    for (state, word) in [
        ("denied", "denied"),
        ("cancelled", "cancelled"),
        ("not_run", "never ran"),
    ] {
        assert!(
            page.contains(&format!("<span class=\"badge {state}\">")),
            "{state}: {page}"
        );
        assert!(
            page.contains(&format!("of 3 · {word}</p>")),
            "{state}: {page}"
        );
    }
    assert_eq!(
        page.matches("<div class=\"message error\"").count(),
        3,
        "{page}"
    );
    assert!(page.contains("pay · step 1 of 3 · denied"), "{page}");
    // The line of the calls says it without being opened, and counts none as done.
    let line = between(&page, "<summary data-key=\"summary\">", "</summary>");
    let words = ["denied", "cancelled", "never ran"];
    let marks = words.map(|word| format!(" <span class=\"mark failed\">pay {word}</span>"));
    let line = line.split(" <span class=\"time\">").next();
    assert_eq!(line, Some(marks.concat().as_str()), "{page}");
    // A turn that has ended executes nothing.
    assert!(!page.contains("badge executing"), "{page}");
}

#[test]
fn a_question_is_there_once_and_goes_with_its_result() {
    let paused = || json!({"kind": "paused", "calls": ["1"]});
    let asked = [
        task("Pay"),
        call("1", "asked"),
        paused(),
        end("approval_wanted"),
        call("1", "asked"),
        paused(),
    ];
    let page = page_of(&asked, "");
    assert_eq!(page.matches("May this call run?").count(), 1, "{page}");
    let result = json!({"kind": "result", "call": "1", "status": "succeeded",
        "content": {"output": "paid"}, "ms": 1});
    let mut answered = asked.to_vec();
    answered.push(result);
    let page = page_of(&answered, "");
    assert!(!page.contains("May this call run?"), "{page}");
    assert!(
        page.contains("<span class=\"mark executed\">pay</span>"),
        "{page}"
    );
    // The next turn leaves nothing behind to press.
    let mut left = asked.to_vec();
    left.push(task("Never mind"));
    let page = page_of(&left, "");
    assert!(!page.contains("May this call run?"), "{page}");
}

#[test]
fn an_agent_that_a_call_runs_is_in_the_turn_of_the_call() {
    let page = page_of(
        &[
            task("Look"),
            call("1", "allowed"),
            json!({"kind": "agent", "tool": "pay"}),
            task("Inner"),
            end("completed"),
        ],
        "",
    );
    assert_eq!(page.matches("<article").count(), 1, "{page}");
    assert!(page.contains("task of the agent: Inner"), "{page}");
}

#[test]
fn what_a_model_says_is_markdown_without_scripts() {
    let text = "1. one\n\n   ```json\n   {\"a\": 1}\n   ```\n2. two\n\n[x](https://a.example/)";
    let said = json!({"kind": "response", "content": {"role": "model", "parts": [{"text": text}]}});
    let page = page_of(&[task("Say"), said, end("completed")], "");
    assert!(
        page.contains("<ol start=\"1\"><li><p>one</p><div class=\"json\">"),
        "{page}"
    );
    assert!(
        page.contains("<div class=\"message model answer\""),
        "{page}"
    );
    assert!(
        page.contains("popovertarget=\"link-3-1\">x</button>"),
        "{page}"
    );
}

#[test]
fn a_turn_that_is_not_there_is_an_error() {
    let project = Project::new();
    project.file("s.jsonl", super::RUN);
    let server = Server::start(&project, &["--session", "s.jsonl"]);
    let cookie = server.cookie();
    for (path, status) in [("?turn=2", 200), ("?turn=3", 404), ("?turn=99", 404)] {
        let page = server.get(&cookie, &format!("/sessions/file.0{path}"));
        assert_eq!(page.status, status, "{path}");
    }
}

#[test]
fn the_list_begins_with_what_waits() {
    let project = Project::new();
    project
        .file("a.jsonl", session(&[task("Done"), end("completed")]))
        .file("b.jsonl", session(&[task("Waits"), end("approval_wanted")]));
    let server = Server::start(&project, &["--session", "a.jsonl", "--session", "b.jsonl"]);
    let cookie = server.cookie();
    let page = server.get(&cookie, "/sessions").body;
    assert!(page.contains("<title>(1) Sessions"), "{page}");
    assert!(page.find(">Waits<") < page.find(">Done<"), "{page}");
}

#[test]
fn the_page_of_a_broken_tool_shows_the_place_and_what_the_linter_finds() {
    let text = "name: broken\ndescription: broken\nimplementatio: x\n";
    let project = crate::project_with("broken", text);
    let server = Server::start(&project, &[]);
    let cookie = server.cookie();
    let page = server.get(&cookie, "/tools/broken");
    assert_eq!(page.status, 422);
    assert!(
        page.body.contains("<h1>broken cannot be used</h1>"),
        "{}",
        page.body
    );
    assert!(
        page.body.contains("<mark>implementatio</mark>: x"),
        "{}",
        page.body
    );
    let finding = between(&page.body, "<li>tools/broken.yaml:2:14: ", "</li>");
    let placeholder = r#" <span class="code">placeholder</span>"#;
    assert!(finding.ends_with(placeholder), "{}", page.body);
    // What the loader says is said once.
    let key = "unknown key `implementatio`";
    assert_eq!(page.body.matches(key).count(), 1, "{}", page.body);
}
