//! Sources under `cogtools mcp`: each is one session, which stays open between calls.

use std::time::{Duration, Instant};

use cogtools_test_support::{FakeGemini, Outcome, Project, Turn};
use serde_json::{Value, json};

use super::Session;
use super::peer::peer;
use super::session::{gone, signal};
use super::source::project;
use crate::groups::wait_for;
use crate::run;

/// The time limit for an entry of the log.
const PATIENCE: Duration = Duration::from_secs(20);

/// A project with the living server among the user's sources.
pub(super) fn living(settings: &Value) -> Project {
    let project = project();
    let mut server = json!({"command": "python3", "args": [peer("living.py"), "0"], "wait": 30});
    let more = settings.as_object().expect("an object").clone();
    server.as_object_mut().expect("an object").extend(more);
    let sources = json!({"tool_sources": [{"local": project.path("tools")}, {"mcp": server}]});
    project.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    project
}

fn log(project: &Project) -> String {
    let log = project.home().join("log");
    std::fs::read_to_string(log).unwrap_or_default()
}

/// Waits until the log is as `expected`.
#[track_caller]
pub(super) fn wait_for_log(project: &Project, expected: &str) {
    let end = Instant::now() + PATIENCE;
    while log(project) != expected && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(log(project), expected);
}

/// Calls a tool without arguments, which succeeds.
#[track_caller]
fn call(session: &mut Session, name: &str) -> String {
    let id = session.call(name, &json!({}));
    let (text, is_error) = session.text(id);
    assert!(!is_error, "{text}");
    text
}

/// Calls the counter: what it has counted, and in which process.
#[track_caller]
pub(super) fn count(session: &mut Session) -> (String, u32) {
    let text = call(session, "count");
    let (count, process) = text.split_once(" in ").expect("a count and a process");
    (count.to_owned(), process.parse().expect("a number"))
}

/// The names of the tools that the server lists.
pub(super) fn names(session: &mut Session) -> Vec<String> {
    let id = session.ask("tools/list", &json!({}));
    let answer = session.answer(id);
    let tools = answer["result"]["tools"].as_array().cloned();
    let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
    tools.expect("tools").iter().map(name).collect()
}

#[test]
fn a_counter_counts_and_ends_with_the_server() {
    let project = living(&json!({}));
    let mut session = Session::open(&project);
    assert_eq!(names(&mut session), ["count", "dies", "more", "wait", "ok"]);
    let (first, process) = count(&mut session);
    let (second, same) = count(&mut session);
    assert_eq!([first, second], ["count 1", "count 2"]);
    assert_eq!(process, same);
    // The list was asked in the same session.
    assert_eq!(log(&project), "starts\n");
    session.hang_up();
    assert_eq!(session.end(), 0);
    gone(process);
    assert_eq!(log(&project), "starts\nends\n");
}

/// Fails unless the run, in which the counter was called twice, has started its server once. `counted`
/// reads the two results.
#[track_caller]
fn has_kept_session(project: &Project, outcome: &Outcome, counted: impl Fn(&str) -> [String; 2]) {
    assert_eq!(outcome.stderr, b"", "{outcome:?}");
    let [first, second] = counted(&outcome.text());
    let (first, second) = (first.split_once(" in "), second.split_once(" in "));
    let [(first, process), (second, same)] = [first, second].map(|it| it.expect("a process"));
    assert_eq!([first, second], ["count 1", "count 2"]);
    assert_eq!(process, same);
    wait_for_log(project, "starts\nends\n");
}

/// The two strings in a list.
fn two(list: &str) -> [String; 2] {
    serde_json::from_str(list).expect("two strings")
}

#[test]
fn a_program_of_calls_keeps_the_session() {
    let project = living(&json!({}));
    let code = run("cogtools-code", &project).args(["run", "--allow", "*"]);
    let code = code.stdin("return [tools.count({}), tools.count({})];");
    has_kept_session(&project, &code.run(), two);
}

#[test]
fn a_flow_keeps_the_session() {
    let project = living(&json!({}));
    let flow = "name: f\ndescription: d\nimplementation:\n  flow:\n    nodes:\n      \
                a: {tool: count}\n      b: {needs: [a], tool: count}\n    \
                output: ['{{ a }}', '{{ b }}']\n";
    project.file("tools/f.yaml", flow);
    let flow = run("cogtools-flow", &project).args(["run", "f"]);
    has_kept_session(&project, &flow.run(), two);
}

#[test]
fn an_agent_keeps_the_session() {
    let project = living(&json!({}));
    let count = || Turn::call("count", json!({}));
    let fake = FakeGemini::start([count(), count(), Turn::text("done")]);
    let agent = run("cogtools-ask", &project)
        .args(["-q", "--allow", "*", "count twice"])
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url());
    let outcome = agent.run();
    let asked = fake.finish();
    let result = |index: usize| {
        let response = asked.main()[index].responses()[0]["response"]["output"].clone();
        response.as_str().expect("a text").to_owned()
    };
    has_kept_session(&project, &outcome, |_| [1, 2].map(result));
}

#[test]
fn each_trial_has_a_session_of_its_own() {
    let project = living(&json!({}));
    let cases = "trials: 2\ncases:\n  - name: twice\n    task: count twice\n    \
                 expect: {calls: [{tool: count}, {tool: count}]}\n";
    project.file("evals/twice.yaml", cases);
    let count = || Turn::call("count", json!({}));
    let trial = || [count(), count(), Turn::text("done")];
    let fake = FakeGemini::start(trial().into_iter().chain(trial()));
    let eval = run("cogtools-eval", &project)
        .args(["--allow", "*", "--jobs", "1"])
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url());
    eval.run().status(0);
    let asked = fake.finish();
    let counted = [1, 2, 4, 5].map(|index: usize| {
        let response = &asked.main()[index].responses()[0]["response"]["output"];
        let (count, _) = response.as_str()?.split_once(" in ")?;
        Some(count.to_owned())
    });
    let expected = ["count 1", "count 2", "count 1", "count 2"];
    assert_eq!(counted, expected.map(|count| Some(count.to_owned())));
}

#[test]
fn a_signal_ends_the_session_too() {
    let project = living(&json!({}));
    let mut session = Session::open(&project);
    let (_, process) = count(&mut session);
    session.signal("TERM");
    assert_eq!(session.end(), 143);
    gone(process);
    assert_eq!(log(&project), "starts\nends\n");
}

#[test]
fn a_server_without_warning_leaves_no_session_behind() {
    let project = living(&json!({}));
    let mut session = Session::open(&project);
    let (_, process) = count(&mut session);
    session.signal("KILL");
    session.end();
    gone(process);
}

#[test]
fn a_killed_server_is_started_again_by_the_next_call() {
    let project = living(&json!({}));
    let mut session = Session::open(&project);
    let (_, process) = count(&mut session);
    assert!(signal(process, "KILL"));
    gone(process);
    let (counted, other) = count(&mut session);
    assert_eq!(counted, "count 1");
    assert_ne!(process, other);
}

#[test]
fn a_server_that_dies_in_a_call_fails_it_and_is_started_again() {
    let project = living(&json!({}));
    let mut session = Session::open(&project);
    count(&mut session);
    for _ in 0..2 {
        let id = session.call("dies", &json!({}));
        assert_eq!(
            session.text(id),
            (
                "cogtools-mcp: error[TOOL_FAILED]: dies: the MCP server `living` exited with \
                 status 3 before it answered `tools/call`\n"
                    .to_owned(),
                true
            )
        );
        assert_eq!(count(&mut session).0, "count 1");
    }
    assert_eq!(log(&project), "starts\ndies\nstarts\ndies\nstarts\n");
}

#[test]
fn a_server_that_fails_again_and_again_is_not_started_each_time() {
    let project = living(&json!({}));
    let mut session = Session::open(&project);
    let (_, process) = count(&mut session);
    project.file("../home/broken", "");
    assert!(signal(process, "KILL"));
    gone(process);
    let begin = Instant::now();
    let mut calls = 0;
    while begin.elapsed() < Duration::from_millis(900) || calls < 5 {
        let id = session.call("count", &json!({}));
        assert_eq!(
            session.text(id).0,
            "cogtools-mcp: error[TOOL_FAILED]: count: the MCP server `living` exited with status 1 \
             before it answered `initialize`\n  | broken\n"
        );
        calls += 1;
    }
    let starts = log(&project).matches("starts").count();
    assert!(
        (3..=5).contains(&starts),
        "{calls} calls started it {starts} times"
    );
    std::fs::remove_file(project.home().join("broken")).expect("it is there");
    let end = Instant::now() + PATIENCE;
    loop {
        let id = session.call("count", &json!({}));
        let (text, is_error) = session.text(id);
        if !is_error {
            assert!(text.starts_with("count 1 in "), "{text}");
            return;
        }
        assert!(Instant::now() < end, "{text}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_session_ends_after_its_idle_time() {
    let project = living(&json!({"idle": 0.5}));
    let mut session = Session::open(&project);
    count(&mut session);
    wait_for_log(&project, "starts\nends\n");
    assert_eq!(count(&mut session).0, "count 1");
}

#[test]
fn a_cancellation_reaches_the_server_and_the_session_goes_on() {
    let project = living(&json!({}));
    let mut session = Session::open(&project);
    let (_, process) = count(&mut session);
    let id = session.call("wait", &json!({"forever": true}));
    std::thread::sleep(Duration::from_millis(300));
    session.tell("notifications/cancelled", &json!({"requestId": id}));
    wait_for_log(&project, "starts\ncancelled\n");
    assert_eq!(count(&mut session), ("count 2".to_owned(), process));
}

#[test]
fn a_call_that_takes_too_long_is_cancelled_and_the_session_goes_on() {
    let project = living(&json!({"timeout": 2}));
    let mut session = Session::open(&project);
    let (_, process) = count(&mut session);
    let id = session.call("wait", &json!({"forever": true}));
    assert_eq!(
        session.text(id),
        (
            "cogtools-mcp: error[TIMEOUT]: wait: the MCP server `living` did not answer \
             `tools/call` within 2s\nhint: give it more time with `timeout` of the source\n"
                .to_owned(),
            true
        )
    );
    wait_for_log(&project, "starts\ncancelled\n");
    assert_eq!(count(&mut session), ("count 2".to_owned(), process));
}

#[test]
fn progress_reaches_the_client_that_asks_for_it() {
    let project = living(&json!({}));
    let mut session = Session::open(&project);
    let params = json!({"name": "wait", "arguments": {}, "_meta": {"progressToken": "mine"}});
    let id = session.ask("tools/call", &params);
    assert_eq!(session.text(id), ("waited".to_owned(), false));
    let update = |step: u32| {
        json!({
            "jsonrpc": "2.0",
            "method": "notifications/progress",
            "params": {"progressToken": "mine", "progress": f64::from(step), "total": 3.0,
                "message": format!("step {step}")},
        })
    };
    assert_eq!(session.notified(), [update(1), update(2), update(3)]);
    assert_eq!(call(&mut session, "wait"), "waited");
    assert_eq!(
        session.notified(),
        Vec::<Value>::new(),
        "no one asked for it"
    );
}

#[test]
fn a_change_of_its_tools_reaches_the_client() {
    let project = living(&json!({}));
    let mut session = Session::open(&project);
    assert_eq!(names(&mut session).len(), 5);
    call(&mut session, "more");
    session.wait_for_change();
    assert_eq!(names(&mut session).len(), 6);
    // The new tool is called in the session that declares it.
    assert!(call(&mut session, "new").starts_with("new 2 in "));
    assert_eq!(log(&project), "starts\n");
}

#[test]
fn an_approval_that_is_revoked_ends_the_session() {
    let project = living(&json!({}));
    project.remove("../home/.gemini/cogtoolrc.yaml");
    let server = json!({
        "command": "python3", "args": [peer("living.py"), "0"], "name": "s", "wait": 30,
        "sandbox": {"write": ["~"]},
    });
    let sources = json!({"tool_sources": [{"mcp": server}]});
    project.file(".cogtoolrc.yaml", sources.to_string());
    let trust = |args: &[&str]| {
        let run = run("cogtools-trust", &project).args(args).run();
        run.succeeds();
    };
    trust(&["--yes", "s"]);
    let mut session = Session::open(&project);
    count(&mut session);
    // It has another number there, but its command line is known.
    let home = format!("--write={}", project.home().display());
    wait_for(&home, true);
    trust(&["--revoke", "s"]);
    let id = session.call("count", &json!({}));
    let answer = session.answer(id);
    assert_ne!(answer["result"]["isError"], false, "{answer}");
    wait_for(&home, false);
}
