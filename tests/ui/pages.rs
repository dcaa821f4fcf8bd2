//! Pages, on which hostile content is only text.

use cogtools_test_support::{Project, assert_text, str};
use serde_json::{Value, json};

use super::server::{Server, text};
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
Session | 7f3a9c21be | Began | 2026-11-22 09:00:00.000 UTC | Project | shop | Model
gemini-flash-latest | File | run.jsonl | You | 2026-11-22 09:00:00.010 UTC | Why does the test fail?
Conversation | Executed | run_tests ×1 | read_file ×1 | 400 ms | 1780 tokens, 42 % cached
2026-11-22 09:00:00.010 UTC | Step 2/2 · Result | the user did not approve it
Step 1/2 · Result | exit status 1 not ok 3 - price: expected 4.2, got 42 | Model
2026-11-22 09:00:02.430 UTC | The price is parsed without its decimal point. | Next message
Model | Send | Turn at line | 2 | Next steps | 3.1 | Failed | 400 ms | run_tests
TOOL_FAILED | 3.2 | Skipped | 0 ms | read_file | denied | Thinking log | 2026-11-22 09:00:00.020 UTC
request 1 to gemini-flash-latest | 2026-11-22 09:00:01.222 UTC | Step 1/2 3.1 (run_tests) start
2026-11-22 09:00:01.223 UTC | Step 2/2 3.2 (read_file) start | 2026-11-22 09:00:01.224 UTC
Skipped | Step 2/2 3.2 (read_file) skipped (0 ms) denied | 2026-11-22 09:00:01.622 UTC
Failed | Step 1/2 3.1 (run_tests) error (400 ms) TOOL_FAILED | 2026-11-22 09:00:01.630 UTC
request 2 to gemini-flash-latest | 2026-11-22 09:00:02.432 UTC | Executed | completed
Tool details | 3.1 | · | run_tests | Failed | 400 ms | Approval: allowed: a rule run_*
TOOL_FAILED | Arguments as sent | { &quot;filter&quot;: &quot;price&quot; } | Result
exit status 1 not ok 3 - price: expected 4.2, got 42 | 3.2 | · | read_file | Skipped
0 ms | Approval: denied: there is no terminal | denied | Arguments as sent | { &quot;path&quot;: &quot;price.js&quot; }
Result | the user did not approve it | Prompt | Request 1 | gemini-flash-latest
Its layers were not recorded. | Request 2 | gemini-flash-latest | Its layers were not recorded.

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
        json!({"call": evil, "status": "failed", "code": evil, "content": {"error": evil}, "ms": 1}),
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
Session | 7f3a9c21be | Began | TIME | Project | shop | Model
gemini-flash-latest | File | rare.jsonl | You | TIME | Two things
Clock | Failed | no tools | 1.5 s | TIME | Step 1/2 · Error
TOOL_NOT_FOUND: no tool of that name | Line | this line was cut off | Next message
Model | Send | Turn at line | 2 | Next steps | a | Unsupported | 1.5 s | gone | TOOL_NOT_FOUND: no tool of that name
b | Skipped | x | Thinking log | TIME | Unsupported | Step 1/2 a (gone) error (1.5 s) TOOL_NOT_FOUND: no tool of that name
TIME | Skipped | Step 2/2 b (x) skipped | TIME
everything up to 1 is a summary | TIME | the agent helper begins
TIME | another branch, which follows entry 1 | TIME
the user took the task 1 back | TIME | another branch, from the beginning
TIME | later is not known to this version | TIME
Failed | budget | Tool details | a | · | gone | Unsupported | 1.5 s | TOOL_NOT_FOUND: no tool of that name

"#]],
    );
    let list = text(&server.get(&cookie, "/sessions").body);
    assert!(
        list.contains("Two things") && list.contains("End | budget"),
        "{list}"
    );
}
