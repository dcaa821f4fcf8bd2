//! Sessions that other processes write, or that another file replaces.

use std::fs::{self, File};
use std::time::Duration;

use cogtools_test_support::Project;
use serde_json::json;

use super::RUN;
use super::answers::FLOW;
use super::server::{Server, between};
use crate::run;

/// The first six lines of a session: its model calls tools.
fn begun() -> String {
    let lines: Vec<&str> = RUN.lines().take(6).collect();
    lines.join("\n") + "\n"
}

fn shown_state(page: &str) -> String {
    between(page, "data-state=\"", "\"").to_owned()
}

#[test]
fn a_turn_runs_while_its_process_has_the_session() {
    let project = Project::new();
    project.file("s.jsonl", begun());
    let server = Server::start(&project, &["--session", "s.jsonl"]);
    let cookie = server.cookie();
    let look = || {
        let page = server.get(&cookie, "/sessions/file.0").body;
        let list = server.get(&cookie, "/sessions").body;
        let state = shown_state(&page);
        assert!(
            list.contains(&format!("<span class=\"mark {state}")),
            "{state}: {list}"
        );
        let badges = ["executing", "interrupted"].map(|badge| {
            let badge = format!("<span class=\"badge {badge}\">");
            page.contains(&badge)
        });
        (state, badges)
    };
    assert_eq!(look(), ("interrupted".to_owned(), [false, true]));
    let writer = File::options()
        .append(true)
        .open(project.path("s.jsonl"))
        .expect("a file");
    writer.lock().expect("a lock");
    assert_eq!(look(), ("running".to_owned(), [true, false]));
    // The page hears of it, and of the end of the process.
    let events = std::thread::scope(|scope| {
        let events = scope.spawn(|| {
            let headers = [("cookie", cookie.as_str())];
            server.events("/sessions/file.0/events?after=5", &headers, 3)
        });
        std::thread::sleep(Duration::from_millis(600));
        drop(writer);
        events.join().expect("events")
    });
    let events: Vec<String> = events
        .into_iter()
        .map(|(name, data)| format!("{name} {data}"))
        .collect();
    assert_eq!(events, ["6 call", "state running", "state interrupted"]);
    project.file("s.jsonl", RUN);
    let page = server.get(&cookie, "/sessions/file.0").body;
    assert_eq!(shown_state(&page), "idle");
}

#[test]
fn another_session_in_the_same_file_is_noticed() {
    for in_place in [false, true] {
        let project = Project::new();
        project.file("s.jsonl", RUN);
        let server = Server::start(&project, &["--session", "s.jsonl"]);
        let cookie = server.cookie();
        let page = server.get(&cookie, "/sessions/file.0").body;
        let content = between(&page, "data-content=\"", "\"").to_owned();
        let path = format!("/sessions/file.0/events?after=13&content={content}");
        let headers = [("cookie", cookie.as_str())];
        let other = RUN.replace("Why does the test fail?", "What is the next thing?");
        assert_eq!(other.len(), RUN.len());
        let events = std::thread::scope(|scope| {
            let events = scope.spawn(|| server.events(&path, &headers, 2));
            std::thread::sleep(Duration::from_millis(600));
            let line = "{\"id\":13,\"parent\":12,\"time\":\"2026-11-22T09:01:00.000Z\",\
                        \"kind\":\"task\",\"parts\":[{\"text\":\"More\"}]}\n";
            let other = other.replace("completed", "cancelled") + line;
            let file = if in_place { "s.jsonl" } else { "other.jsonl" };
            project.file(file, other);
            if !in_place {
                fs::rename(project.path(file), project.path("s.jsonl")).expect("renamed");
            }
            events.join().expect("events")
        });
        let text = |(name, data): &(String, String)| format!("{name} {data}");
        let events: Vec<String> = events.iter().map(text).collect();
        assert_eq!(events, ["state idle", "replaced reload"], "{in_place}");
        // A browser that comes back with what it had learns it, too.
        let events = server.events(&path, &headers, 1);
        assert_eq!(
            events.iter().map(text).collect::<Vec<_>>(),
            ["replaced reload"]
        );
        let page = server.get(&cookie, "/sessions/file.0").body;
        assert!(page.contains("What is the next thing?"), "{page}");
    }
}

#[test]
fn an_answer_is_in_no_command_line() {
    let project = Project::new();
    // The pattern does not find itself.
    let look = "name: look\ndescription: Looks\nimplementation:\n  exec: [sh, -c, \
                'grep -l -a \"open ses[a]me\" /proc/[0-9]*/cmdline 2> /dev/null | wc -l']\n";
    let flow = FLOW.replace(
        "      last:",
        "      seen: {needs: [confirm], tool: {name: look}}\n      last:",
    );
    let flow = flow.replace("'{{ what }}: {{ confirm }}'", "'{{ seen }}: {{ confirm }}'");
    project
        .file("tools/look.yaml", look)
        .file("tools/publish.yaml", flow);
    let begin = ["run", "publish", "what=it"];
    let flow = |args: &[&str]| run("cogtools-flow", &project).args(begin).args(args).run();
    let shown = flow(&["--no-session", "--answer", "confirm=open sesame"]).text();
    let count = shown
        .split('\n')
        .next()
        .and_then(|count| count.parse().ok());
    assert!(count.is_some_and(|count: u32| count > 0), "{shown}");
    flow(&["--session", "s.jsonl"]).status(75);
    let server = Server::start(&project, &["--session", "s.jsonl"]);
    let cookie = server.cookie();
    let body = json!({"node": "confirm", "answer": "open sesame"}).to_string();
    let reply = server.post(&cookie, "/sessions/file.0/answer", &body);
    assert_eq!(
        (reply.status, reply.body.as_str()),
        (200, r#"{"failures":[]}"#)
    );
    let page = server.get(&cookie, "/sessions/file.0").body;
    assert!(page.contains(": open sesame<"), "{page}");
}

/// A text on a page that the model said, with the text before it.
fn replies(page: &str) -> Vec<String> {
    let messages = page.split("<div class=\"message model").skip(1);
    let reply = |message: &str| {
        let label = between(message, "<p class=\"who\">", " <time")
            .split("</p>")
            .next();
        let said = between(message, "<div class=\"text markdown\"><p>", "</p></div>");
        format!("{}: {said}", label.unwrap_or_default())
    };
    messages.map(reply).collect()
}

#[test]
fn the_reply_of_a_plan_has_its_results() {
    let project = Project::new();
    project.file(
        "tools/greet.yaml",
        "name: greet\ndescription: Greets\nparameters: {who: string}\nimplementation: 'Hello {{ who }}'\n",
    );
    let plan = json!({
        "restatement": "R", "visible_reply": "It says {{tool.hello}}, {{tool.hello.gone}}.", "thinking_log": [],
        "tool_plan": [{"need_tool": true, "tool": "greet", "reason": "why", "args": {"who": "<b>Ada</b>"}, "save_as": "hello"}],
    });
    run("cogtools-plan", &project)
        .args(["run", "--session", "s.jsonl"])
        .stdin(plan.to_string())
        .run()
        .status(0);
    let log = project.read("s.jsonl");
    let server = Server::start(&project, &["--session", "s.jsonl"]);
    let cookie = server.cookie();
    let page = server.get(&cookie, "/sessions/file.0").body;
    let expected = "It says Hello &lt;b&gt;Ada&lt;/b&gt;, unavailable.";
    assert_eq!(replies(&page), [format!("Model: {expected}")]);
    // Until it has run, it is only planned.
    let is_plan = |line: &&str| !line.contains("\"reply\"") && !line.contains("\"end\"");
    let lines: Vec<&str> = log.lines().filter(is_plan).collect();
    project.file("s.jsonl", lines.join("\n") + "\n");
    let page = server.get(&cookie, "/sessions/file.0").body;
    assert_eq!(
        replies(&page),
        ["Reply as planned: It says {{tool.hello}}, {{tool.hello.gone}}."]
    );
}
