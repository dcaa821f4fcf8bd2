//! Questions that are answered on a page, and messages that are sent from it.

use std::time::{Duration, Instant};

use cogtools_test_support::{FakeGemini, Project, Turn};
use serde_json::json;

use super::server::{Server, between, text};
use crate::run;

/// A program that appends its argument to a file.
pub(crate) const NOTE: &str = "\
name: note
description: Notes a text
parameters:
  text: string
implementation:
  exec: [sh, -c, 'printf \"%s\\n\" \"$1\" >> notes.txt; echo noted', sh, '{{ text }}']
";

/// A flow that asks.
pub(crate) const FLOW: &str = "\
name: publish
description: Publishes
parameters: {what: string}
implementation:
  flow:
    nodes:
      confirm: {ask: 'Publish {{ what }}?'}
      last: {text: '{{ what }}: {{ confirm }}'}
";

const DONE: &str = r#"{"failures":[]}"#;

/// The text of a page of the session, without the parts beside the conversation.
fn shown(server: &Server, cookie: &str) -> String {
    let page = server.get(cookie, "/sessions/file.0");
    assert_eq!(page.status, 200);
    let text = text(&page.body);
    let talk = text.split("Turn at line").next().unwrap_or_default();
    talk.replace('\n', " | ")
}

/// The number of the line that asks the question on the page of the session.
fn asking_line(server: &Server, cookie: &str) -> u64 {
    let page = server.get(cookie, "/sessions/file.0").body;
    let (_, question) = page
        .split_once("<div class=\"question\"")
        .expect("a question");
    let line = between(question, "data-line=\"", "\"");
    line.parse().expect("a number")
}

fn no_page_has_the_key(server: &Server, cookie: &str) {
    for path in ["/sessions", "/sessions/file.0", "/tools", "/tools/note"] {
        let page = server.get(cookie, path).body;
        assert!(!page.contains("a-key-for-tests"), "{path}");
    }
}

#[test]
fn a_call_is_allowed_or_denied_on_the_page_and_the_talk_goes_on() {
    for (allow, noted) in [(true, true), (false, false)] {
        let turns = [
            Turn::call("note", json!({"text": "one"})),
            Turn::text("done"),
            Turn::text("The second answer."),
            Turn::text("Of another model."),
        ];
        let (project, fake, server) = waiting(NOTE, &[], turns);
        let cookie = server.cookie();
        let before = shown(&server, &cookie);
        assert!(
            before.contains("Waiting") && before.contains("May this call run? | call-1-1 |"),
            "{before}"
        );
        let post = |action: &str, body: serde_json::Value| {
            let path = format!("/sessions/file.0/{action}");
            let reply = server.post(&cookie, &path, &body.to_string());
            (reply.status, reply.body)
        };
        // Another call is not the one that waits.
        let (status, refused) = post("approve", json!({"call": "another", "allow": true}));
        assert!(status == 200 && refused.contains("USAGE"), "{refused}");
        assert!(!project.path("notes.txt").exists());
        let answered = post("approve", json!({"call": "call-1-1", "allow": allow}));
        assert_eq!(answered, (200, DONE.to_owned()));
        assert_eq!(project.path("notes.txt").exists(), noted);
        let after = shown(&server, &cookie);
        assert!(
            after.contains("done") && !after.contains("May this call run?"),
            "{after}"
        );
        // A message is one even if it looks like an option.
        assert_eq!(
            post("message", json!({"text": "--help"})),
            (200, DONE.to_owned())
        );
        let after = shown(&server, &cookie);
        assert!(
            after.contains("--help") && after.contains("The second answer."),
            "{after}"
        );
        assert_eq!(post("message", json!({"words": 1})).0, 404);
        let other = json!({"text": "Again", "model": " gemini-2.5-pro "});
        assert_eq!(post("message", other), (200, DONE.to_owned()));
        let page = server.get(&cookie, "/sessions/file.0").body;
        assert!(text(&page).contains("gemini-2.5-pro"), "{page}");
        fake.finish();
        no_page_has_the_key(&server, &cookie);
    }
}

#[test]
fn a_session_is_begun_and_branches_on_the_page() {
    let project = Project::new();
    let turns = ["One.", "Two.", "Another two."].map(Turn::text);
    let fake = FakeGemini::start(turns);
    let url = fake.url();
    let vars = [
        ("GEMINI_API_KEY", "a-key-for-tests"),
        ("GOOGLE_GEMINI_BASE_URL", url.as_str()),
    ];
    let server = Server::start_with(&project, &[], &vars);
    let cookie = server.cookie();
    let post = |path: &str, body: serde_json::Value| {
        let reply = server.post(&cookie, path, &body.to_string());
        let answer: serde_json::Value = serde_json::from_str(&reply.body).unwrap_or_default();
        (reply.status, answer)
    };
    let (status, begun) = post(
        "/sessions",
        json!({"text": "Begin", "model": "gemini-2.5-pro"}),
    );
    let name = begun["session"].as_str().expect("a session").to_owned();
    assert_eq!((status, &begun["failures"]), (200, &json!([])));
    let path = format!("/sessions/{name}");
    let start = Instant::now();
    let page = loop {
        let page = server.get(&cookie, &path).body;
        if page.contains("data-state=\"idle\"") {
            break page;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{page}");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(
        page.contains("One.") && page.contains(&format!("<dd class=\"code\">{name}</dd>")),
        "{page}"
    );
    let turn = page.split("<article").nth(1).expect("a turn");
    let last = between(turn, "data-last=\"", "\"");
    let last: u64 = last.parse().expect("an entry");
    let message = format!("{path}/message");
    assert_eq!(
        post(&message, json!({"text": "On"})).1,
        json!({"failures": []})
    );
    let other = json!({"text": "On, otherwise", "from": last});
    assert_eq!(post(&message, other).1, json!({"failures": []}));
    let page = server.get(&cookie, &path).body;
    assert!(
        page.contains("Another two.") && page.contains("<ul class=\"tree\">"),
        "{page}"
    );
    // An entry that is not there is no place to go on from, and no other text is one.
    let (_, refused) = post(&message, json!({"text": "On", "from": 999}));
    assert_ne!(refused["failures"], json!([]));
    assert_eq!(
        post(&message, json!({"text": "On", "from": "--help"})).0,
        404
    );
    assert_eq!(post("/sessions", json!({"words": 1})).0, 404);
    let conversation = fake.finish();
    let sent = format!("{:?}", conversation.main()[2]);
    assert!(sent.contains("One.") && !sent.contains("Two."), "{sent}");
    no_page_has_the_key(&server, &cookie);
}

#[test]
fn a_call_becomes_an_example_with_its_golden_file() {
    let tool = "name: note\ndescription: Notes\nparameters: {text: string}\n\
        # Kept.\nimplementation: 'noted {{ text }}'\n";
    let project = Project::new();
    project.file("tools/note.yaml", tool);
    let fake = FakeGemini::start([
        Turn::call("note", json!({"text": "one"})),
        Turn::text("done"),
    ]);
    run("cogtools-ask", &project)
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .args(["-q", "--session", "s.jsonl", "Go"])
        .run()
        .status(0);
    fake.finish();
    let server = Server::start(&project, &["--session", "s.jsonl"]);
    let cookie = server.cookie();
    let page = server.get(&cookie, "/sessions/file.0").body;
    let call = between(&page, "<div class=\"example\" data-call=\"", "\"").to_owned();
    let post = |call: &str| {
        let body = json!({"call": call, "golden": true}).to_string();
        server.post(&cookie, "/sessions/file.0/example", &body).body
    };
    assert_eq!(post(&call), DONE);
    let file = project.read("tools/note.yaml");
    assert_eq!(file, format!("{tool}examples: [{{text: one}}]\n"));
    assert_eq!(project.read("tools/note.1.golden"), "noted one");
    run("cogtools-test", &project).arg("note").run().status(0);
    assert!(post(&call).contains("an example has these arguments already"));
    assert!(post("--help").contains("has no call --help"));
    assert_eq!(project.read("tools/note.yaml"), file);
}

#[test]
fn a_node_that_asks_is_answered_on_the_page() {
    let project = Project::new();
    project.file("tools/publish.yaml", FLOW);
    run("cogtools-flow", &project)
        .args(["run", "publish", "what=it", "--session", "s.jsonl"])
        .run()
        .status(75);
    let server = Server::start(&project, &["--session", "s.jsonl"]);
    let cookie = server.cookie();
    let before = shown(&server, &cookie);
    assert!(
        before.contains("Waiting") && before.contains("A question | confirm | Publish it?"),
        "{before}"
    );
    // Nothing runs that could be stopped.
    let reply = server.post(&cookie, "/sessions/file.0/stop", "{}");
    assert_eq!((reply.status, reply.body.as_str()), (200, DONE));
    let body = r#"{"node":"confirm","answer":"yes, = and \"all\""}"#;
    let reply = server.post(&cookie, "/sessions/file.0/answer", body);
    assert_eq!((reply.status, reply.body.as_str()), (200, DONE));
    let after = shown(&server, &cookie);
    assert!(after.contains("it: yes, = and &quot;all&quot;"), "{after}");
    assert!(!after.contains("A question"), "{after}");
}

#[test]
fn a_run_that_fails_says_why() {
    let project = Project::new();
    project.file("s.jsonl", super::RUN);
    let server = Server::start(&project, &["--session", "s.jsonl"]);
    let cookie = server.cookie();
    let reply = server.post(&cookie, "/sessions/file.0/message", r#"{"text":"Go on"}"#);
    assert_eq!(reply.status, 200);
    let failures: serde_json::Value = serde_json::from_str(&reply.body).expect("JSON");
    let first = &failures["failures"][0];
    assert_eq!(first["severity"], "error", "{failures}");
    assert_ne!(first["hints"], json!([]), "{failures}");
}

/// A project with a session, begun with `options`, that waits for the first turn of `turns`: a call of
/// `note`, or a program.
fn waiting<const N: usize>(
    tool: &str,
    options: &[&str],
    turns: [Turn; N],
) -> (Project, FakeGemini, Server) {
    let project = Project::new();
    project.file("tools/note.yaml", tool);
    let fake = FakeGemini::start(turns);
    let url = fake.url();
    let vars = [
        ("GEMINI_API_KEY", "a-key-for-tests"),
        ("GOOGLE_GEMINI_BASE_URL", url.as_str()),
    ];
    let ask = run("cogtools-ask", &project).args(["-q", "--session", "s.jsonl", "--pause"]);
    let ask = vars
        .iter()
        .fold(ask, |ask, (name, value)| ask.env(name, value));
    ask.args(options).arg("Go").run().status(75);
    let server = Server::start_with(&project, &["--session", "s.jsonl"], &vars);
    (project, fake, server)
}

#[test]
fn a_tool_that_is_always_allowed_is_not_asked_about_again() {
    let call = |text: &str| Turn::call("note", json!({"text": text}));
    let turns = [call("one"), call("two"), Turn::text("done")];
    let (project, fake, server) = waiting(NOTE, &[], turns);
    let cookie = server.cookie();
    let body = json!({"call": "call-1-1", "allow": true, "always": "note"}).to_string();
    let reply = server.post(&cookie, "/sessions/file.0/approve", &body);
    assert_eq!((reply.status, reply.body.as_str()), (200, DONE));
    assert_eq!(project.read("notes.txt"), "one\ntwo\n");
    fake.finish();
}

#[test]
fn a_turn_that_a_page_has_begun_is_stopped_there() {
    let slow = NOTE.replace("echo noted", "sleep 100");
    let turns = [Turn::call("note", json!({"text": "one"}))];
    let (project, fake, server) = waiting(&slow, &[], turns);
    let cookie = server.cookie();
    let stop = || server.post(&cookie, "/sessions/file.0/stop", "{}").body;
    // Nothing runs.
    assert_eq!(stop(), DONE);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let body = json!({"call": "call-1-1", "allow": true}).to_string();
        let (server, cookie) = (&server, &cookie);
        let call = scope.spawn(move || server.post(cookie, "/sessions/file.0/approve", &body));
        while !project.path("notes.txt").exists() && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(20));
        }
        // A second one is refused, and leaves the first one alone.
        let body = json!({"text": "Go on"}).to_string();
        let refused = server.post(cookie, "/sessions/file.0/message", &body).body;
        assert!(refused.contains("SESSION_IN_USE"), "{refused}");
        assert_eq!(stop(), DONE);
        let reply = call.join().expect("an answer");
        assert_eq!((reply.status, reply.body.as_str()), (200, DONE));
    });
    assert!(start.elapsed() < Duration::from_secs(30), "{start:?}");
    let page = server.get(&cookie, "/sessions/file.0").body;
    assert!(!page.contains("badge executing"), "{page}");
    fake.finish();
}

/// A program of a model that notes two texts, of which one is computed.
const PROGRAM: &str = "tools.note({text: 'one'}); return tools.note({text: ['t', 'wo'].join('')})";

#[test]
fn a_program_is_shown_whole_and_has_four_answers() {
    let open = || {
        let turns = [
            Turn::call("run_code", json!({ "code": PROGRAM })),
            Turn::text("done"),
        ];
        let (project, fake, server) = waiting(NOTE, &["--code"], turns);
        let cookie = server.cookie();
        (project, fake, server, cookie)
    };
    let post = |server: &Server, cookie: &str, body: serde_json::Value| {
        let reply = server.post(cookie, "/sessions/file.0/approve", &body.to_string());
        assert_eq!((reply.status, reply.body.as_str()), (200, DONE), "{body}");
    };
    let notes =
        |project: &Project| std::fs::read_to_string(project.path("notes.txt")).unwrap_or_default();

    // Run it: the computed call is asked about when it comes, and its calls are under it.
    let (project, fake, server, cookie) = open();
    let before = shown(&server, &cookie);
    let before = before.replace("&quot;", "\"").replace("&#39;", "'");
    for part in [
        "May this program run? | call-1-1 | tools.note({text: 'one'});",
        "line 1: note {\"text\":\"one\"} | line 1: note computed arguments",
    ] {
        assert!(before.contains(part), "{part} in {before}");
    }
    post(
        &server,
        &cookie,
        json!({"call": "call-1-1", "allow": true, "each": true}),
    );
    assert_eq!(notes(&project), "");
    let waiting = shown(&server, &cookie);
    assert!(waiting.contains("May this call run? | p1.1 |"), "{waiting}");
    post(&server, &cookie, json!({"call": "p1.1", "allow": false}));
    assert_eq!(notes(&project), "");
    fake.finish();

    // Edit it: the question is about the edited program.
    let (project, fake, server, cookie) = open();
    let edited = "return tools.note({text: 'other'})";
    let line = asking_line(&server, &cookie);
    post(
        &server,
        &cookie,
        json!({"call": "call-1-1", "allow": false, "code": edited}),
    );
    let again = shown(&server, &cookie);
    assert!(
        again.contains("other") && !again.contains("join"),
        "{again}"
    );
    // A page that still shows the first program cannot agree to the second.
    let run = |line: u64| json!({"call": "call-1-1", "line": line, "allow": true});
    let reply = server.post(&cookie, "/sessions/file.0/approve", &run(line).to_string());
    let said = "the session asks another question than this page shows";
    assert!(reply.body.contains(said), "{}", reply.body);
    assert_eq!(notes(&project), "");
    post(&server, &cookie, run(asking_line(&server, &cookie)));
    assert_eq!(notes(&project), "other\n");
    fake.finish();

    // No, because.
    let (project, fake, server, cookie) = open();
    let no = json!({"call": "call-1-1", "allow": false, "reason": "not today"});
    post(&server, &cookie, no);
    assert_eq!(notes(&project), "");
    let conversation = fake.finish();
    let response = &conversation.main()[1].responses()[0]["response"];
    assert_eq!(*response, json!({"error": "denied by the user: not today"}));
}
