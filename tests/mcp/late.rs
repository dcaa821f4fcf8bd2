//! Servers that are late or silent: a list does not wait for them, and loses only their tools.

use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use cogtools_test_support::{Outcome, Project, Run};
use serde_json::{Value, json};

use super::Session;
use super::peer::peer;
use super::source::{NONE, project, with};

/// A list takes less than two seconds; a machine with other tests has twice as long.
const SOON: Duration = Duration::from_secs(4);

/// A server that a list waits for no longer than those that have declared something before.
fn slow(name: &str, how: &str, cache: f64) -> Value {
    let mut source = unknown(name, how);
    source["mcp"]["cache"] = cache.into();
    source["mcp"]["wait"] = 1.5.into();
    source
}

/// A server that was never heard of.
fn unknown(name: &str, how: &str) -> Value {
    json!({"mcp": {"command": "python3", "args": [peer("slow.py"), name, how], "name": name}})
}

fn discover(project: &Project, sources: &[Value]) -> Run {
    with("cogtools-discover", project, sources)
}

/// The output with these tools besides the project's own.
fn declared(names: &[&str]) -> String {
    let tool = |name: &&str| {
        format!(
            ",\n{{\"name\":\"{name}\",\"description\":\"d\",\"parametersJsonSchema\":{{\"type\":\"object\"}}}}"
        )
    };
    let tools: String = names.iter().map(tool).collect();
    format!("[\n{{\"name\":\"ok\",\"description\":\"d\",{NONE}{tools}\n]\n")
}

fn starts(project: &Project, name: &str) -> usize {
    project.read(format!("../home/started-{name}")).len()
}

fn soon(run: Run) -> Outcome {
    let begin = Instant::now();
    let outcome = run.run();
    let taken = begin.elapsed();
    assert!(taken < SOON, "the list took {taken:?}");
    outcome
}

/// Returns true if a process has this command line.
fn is_running(line: &str) -> bool {
    let left = Command::new("pgrep").args(["-f", line]).output();
    !left.expect("pgrep is there").stdout.is_empty()
}

/// No process with this command line is left.
fn none_left(line: &str) {
    assert!(!is_running(line), "{line}");
}

/// The process in the background gives up the server with this command line, and ends it.
fn given_up(line: &str) {
    wait_while(|| is_running(line));
    none_left(line);
}

/// Waits while `goes_on` returns true, at most for half a minute.
fn wait_while(goes_on: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while goes_on() && Instant::now() < end {
        sleep(Duration::from_millis(100));
    }
}

#[test]
fn silent_servers_are_left_out_and_not_asked_again_for_a_minute() {
    let project = project();
    let mut sources = [
        slow("starts", "start", 60.0),
        slow("lists", "list", 60.0),
        slow("good", "0", 60.0),
    ];
    // The time after which the process in the background gives up.
    sources[0]["mcp"]["timeout"] = json!(6);
    sources[1]["mcp"]["timeout"] = json!(6);
    let late = |name: &str| {
        format!(
            "cogtools-discover: warning[TIMEOUT]: the provider `{name}` is left out for now: it has not \
             declared its tools within 1.5s\nhint: a later list has them as soon as it has declared \
             them; `cogtools-discover --refresh` waits for it\n"
        )
    };
    let both = format!("{}{}", late("starts"), late("lists"));
    for _ in 0..3 {
        soon(discover(&project, &sources)).expect(0, declared(&["good"]), &both);
    }
    let count = |name| starts(&project, name);
    assert_eq!([count("starts"), count("lists"), count("good")], [1, 1, 1]);
    given_up("slow.py starts start");
    let again = soon(discover(&project, &sources));
    again.stderr_contains("the MCP server `starts` did not answer `initialize` within 6s");
    again.stderr_contains("it is asked again a minute after it failed");
    assert_eq!(count("starts"), 1);
}

/// Tools that are declared after a list was printed are in the next one, whatever asks for it.
#[test]
fn a_late_server_is_asked_to_the_end_in_the_background() {
    let project = project();
    let sources = [slow("t", "3", 60.0)];
    soon(discover(&project, &sources)).stdout_is(declared(&[]));
    until_declared(&project);
    soon(discover(&project, &sources)).outputs(declared(&["t"]));
    assert_eq!(starts(&project, "t"), 1);
    // Another project, another PATH, another name and another client.
    project.dir("../other/.git").dir("../bin");
    let tools = project.read("tools/ok.yaml");
    project.file("../other/tools/ok.yaml", tools);
    let mut renamed = sources.clone();
    renamed[0]["mcp"]["name"] = "other".into();
    renamed[0]["mcp"]["timeout"] = 7.into();
    let other = discover(&project, &renamed);
    let other = other.cwd(project.path("../other"));
    other
        .path(project.path("../bin"))
        .run()
        .outputs(declared(&["t"]));
    let file = json!({"tool_sources": [{"local": "./tools"}, renamed[0]]});
    project.file("../home/.gemini/cogtoolrc.yaml", file.to_string());
    let mut session = Session::open(&project);
    let id = session.ask("tools/list", &json!({}));
    let listed = session.answer(id)["result"]["tools"].to_string();
    assert!(listed.contains(r#""name":"t""#), "{listed}");
    assert_eq!(starts(&project, "t"), 1);
    session.hang_up();
    assert_eq!(session.end(), 0);
}

/// A server that sees the files of one project may declare what no other one should see.
#[test]
fn a_server_in_a_project_declares_nothing_to_another() {
    let project = project();
    // It declares the name of a file in the folder where it starts.
    let script = "import json, os, sys\n\
        for line in sys.stdin:\n    \
            request = json.loads(line)\n    \
            result = {'protocolVersion': '2025-06-18', 'capabilities': {'tools': {}},\n        \
                'serverInfo': {'name': 's', 'version': '1'},\n        \
                'tools': [{'name': open('na' + 'me').read(), 'inputSchema': {'type': 'object'}}]}\n    \
            if request['method'] == 'initialize':\n        \
                del result['tools']\n    \
            if 'id' in request:\n        \
                answer = {'jsonrpc': '2.0', 'id': request['id'], 'result': result}\n        \
                print(json.dumps(answer), flush=True)\n";
    let server = json!({"command": "python3", "args": ["-c", script], "wait": 30});
    let file = json!({"mcpServers": {"t": server}}).to_string();
    for name in ["one", "other"] {
        let folder = project.path("..").join(name);
        project.dir(folder.join(".git"));
        project.file(folder.join(".cogtoolrc.yaml"), file.as_str());
        project.file(folder.join("name"), name);
        let trust = crate::run("cogtools-trust", &project).args(["t", "--yes"]);
        trust.cwd(&folder).run().status(0);
        let listed = crate::run("cogtools-discover", &project).cwd(&folder).run();
        assert_eq!(listed.json()[0]["name"], name);
    }
}

#[test]
fn what_a_server_declared_last_holds_while_it_fails() {
    let project = project();
    let mut sources = [slow("t", "0", 0.1)];
    discover(&project, &sources)
        .arg("--refresh")
        .run()
        .outputs(declared(&["t"]));
    sleep(Duration::from_millis(200));
    // It answers nothing any more.
    sources[0]["mcp"]["timeout"] = 1.into();
    sources[0]["mcp"]["wait"] = 30.into();
    project.file("../home/how-t", "start");
    let failed = discover(&project, &sources).run();
    failed.stderr_contains("the MCP server `t` did not answer `initialize` within 1s");
    failed.stdout_is(declared(&["t"]));
    // A list that the user wants to be new says what there is.
    discover(&project, &sources)
        .arg("--refresh")
        .run()
        .stdout_is(declared(&[]));
}

#[test]
fn a_call_waits_for_a_late_server() {
    let project = project();
    let mut silent = slow("silent", "start", 60.0);
    silent["mcp"]["timeout"] = json!(8);
    let file = json!({"tool_sources": [slow("late", "3", 60.0), silent]});
    project.file("../home/.gemini/cogtoolrc.yaml", file.to_string());
    let mut session = Session::open(&project);
    let id = session.call("late", &json!({}));
    assert_eq!(session.text(id), ("late".to_owned(), false));
    session.hang_up();
    assert_eq!(session.end(), 0);
}

/// Waits until something was declared in the background.
fn until_declared(project: &Project) {
    let folder = project.home().join(".cache/cogtools/declarations");
    let is_declared = |file: std::io::Result<std::fs::DirEntry>| {
        file.is_ok_and(|file| file.path().extension().is_some_and(|it| it == "json"))
    };
    let end = Instant::now() + Duration::from_secs(30);
    while !std::fs::read_dir(&folder).is_ok_and(|mut files| files.any(is_declared)) {
        assert!(
            Instant::now() < end,
            "nothing was declared in the background"
        );
        sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_server_that_dies_slowly_is_not_started_again_for_a_minute() {
    let project = project();
    let command = "echo >> ~/started-dies; sleep 0.7; echo broken >&2; exit 3";
    let source = json!({"mcp": {"command": ["sh", "-c", command], "name": "dies", "wait": 30}});
    let sources = [source, slow("good", "0", 60.0)];
    let died = "cogtools-discover: warning[TOOL_FAILED]: the MCP server `dies` exited with status 3 \
                before it answered `initialize`\n  | broken\n";
    let again = "hint: it is asked again a minute after it failed, or at once by \
                 `cogtools-discover --refresh`\n";
    for hint in ["", again, again] {
        soon(discover(&project, &sources)).expect(0, declared(&["good"]), format!("{died}{hint}"));
    }
    assert_eq!(starts(&project, "dies"), 1);
}

#[test]
fn refresh_waits_and_clears_the_failure() {
    let project = project();
    let sources = [slow("t", "2.5", 60.0)];
    soon(discover(&project, &sources)).stdout_is(declared(&[]));
    let refresh = discover(&project, &sources).arg("--refresh");
    refresh.run().outputs(declared(&["t"]));
    soon(discover(&project, &sources)).outputs(declared(&["t"]));
    assert_eq!(starts(&project, "t"), 2);
}

#[test]
fn a_late_server_is_represented_by_what_it_declared_before() {
    let project = project();
    let sources = [slow("t", "0", 0.1)];
    discover(&project, &sources)
        .arg("--refresh")
        .run()
        .outputs(declared(&["t"]));
    project.file("../home/how-t", "start");
    sleep(Duration::from_millis(200));
    for _ in 0..2 {
        soon(discover(&project, &sources)).outputs(declared(&["t"]));
    }
    assert_eq!(starts(&project, "t"), 2, "it is asked once");
}

/// A call that finds its tool gone makes the declarations too old, and then the server is late.
#[test]
fn declarations_that_are_out_of_date_represent_a_late_server() {
    let project = project();
    let sources = [slow("t", "0", 60.0)];
    discover(&project, &sources).run().outputs(declared(&["t"]));
    project.file("../home/how-t", "other");
    let call = with("cogtools-call", &project, &sources).arg("t");
    call.run().status(127);
    project.file("../home/how-t", "start");
    soon(discover(&project, &sources)).outputs(declared(&["t"]));
}

/// A server may declare other tools to a client with roots, and make the lists of all too old.
#[test]
fn what_a_client_with_roots_gets_represents_no_late_server_for_others() {
    let project = project();
    let sources = [slow("t", "roots", 60.0)];
    configure(&project, &sources);
    discover(&project, &sources).run().outputs(declared(&["t"]));
    let mut server = Command::new(super::server());
    let mut session = Session::with_person(&project, &mut server, &json!({"roots": {}}), &[]);
    let end = Instant::now() + Duration::from_secs(30);
    while names(&mut session, "tools/list", "tools") != ["rooted", "t"] {
        assert!(
            Instant::now() < end,
            "it was not asked for a client with roots"
        );
        session.wait_for_change();
    }
    project.file("../home/how-t", "start");
    soon(discover(&project, &sources)).outputs(declared(&["t"]));
}

#[cfg(unix)]
#[test]
fn what_is_remembered_is_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let project = project();
    soon(discover(&project, &[slow("t", "start", 60.0)])).stdout_is(declared(&[]));
    let folder = project.home().join(".cache/cogtools/declarations");
    let files = std::fs::read_dir(folder).expect("something is cached");
    let modes: Vec<(bool, u32)> = files
        .map(|file| {
            let file = file.expect("a file");
            let mode = file.metadata().expect("it is there").permissions().mode();
            (
                file.path().extension().is_some_and(|end| end == "failed"),
                mode & 0o777,
            )
        })
        .collect();
    assert!(modes.iter().any(|(is_failure, _)| *is_failure), "{modes:?}");
    assert!(modes.iter().all(|(_, mode)| *mode == 0o600), "{modes:?}");
}

#[test]
fn a_server_announces_the_tools_of_a_source_that_was_late() {
    let project = project();
    let mut never = slow("never", "start", 60.0);
    never["mcp"]["timeout"] = json!(8);
    let sources = json!({"tool_sources": [
        {"local": project.path("tools")}, slow("late", "4", 60.0), never,
    ]});
    project.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    let mut session = Session::open(&project);
    let mut list = || {
        let begin = Instant::now();
        let id = session.ask("tools/list", &json!({}));
        let answer = session.answer(id);
        assert!(
            begin.elapsed() < SOON,
            "the list took {:?}",
            begin.elapsed()
        );
        let tools = answer["result"]["tools"]
            .as_array()
            .cloned()
            .expect("tools");
        let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
        tools.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(list(), ["ok"]);
    assert_eq!(list(), ["ok"]);
    session.wait_for_change();
    let id = session.ask("tools/list", &json!({}));
    let answer = session.answer(id);
    assert_eq!(answer["result"]["tools"][0]["name"], "late", "{answer}");
    let id = session.call("late", &json!({}));
    assert_eq!(session.text(id), ("late".to_owned(), false));
    assert_eq!(starts(&project, "never"), 1);
    session.hang_up();
    assert_eq!(session.end(), 0);
    // The process in the background starts it again.
    wait_while(|| starts(&project, "never") < 2);
    given_up("slow.py never start");
}

/// The host waits for the command, and reads no second list.
#[test]
fn the_first_list_waits_for_a_server_that_was_never_heard_of() {
    let project = project();
    let sources = [unknown("t", "2.5")];
    discover(&project, &sources).run().outputs(declared(&["t"]));
    assert_eq!(starts(&project, "t"), 1);
}

/// Makes these the sources of the user.
fn configure(project: &Project, sources: &[Value]) {
    let file = json!({"tool_sources": sources}).to_string();
    project.file("../home/.gemini/cogtoolrc.yaml", file);
}

fn names(session: &mut Session, method: &str, key: &str) -> Vec<String> {
    let listed = session.get(method, &json!({})).expect("a list");
    let all = listed[key].as_array().expect("a list").iter();
    let all = all.map(|it| it["name"].as_str().expect("a name").to_owned());
    all.filter(|name| name != "ok").collect()
}

#[test]
fn only_hosts_that_wait_get_a_first_list_late() {
    for (host, expected) in [
        ("gemini-cli-mcp-client", &["t"][..]),
        ("opencode", &["t"]),
        ("codex-mcp-client", &["t"]),
        ("claude-code", &[]),
        ("test", &[]),
    ] {
        let project = project();
        configure(&project, &[unknown("t", "2.5")]);
        let mut session = Session::of_host(&project, host);
        assert_eq!(
            names(&mut session, "tools/list", "tools"),
            expected,
            "{host}"
        );
        session.hang_up();
        assert_eq!(session.end(), 0);
    }
}

/// Claude Code shows no tool before it has all lists, and waits two seconds for them.
#[test]
fn claude_code_gets_its_lists_in_time_and_hears_of_the_rest() {
    for (delay, first) in [("0", &["p"][..]), ("2.5", &[])] {
        let project = project();
        configure(&project, &[unknown("t", delay)]);
        let begin = Instant::now();
        let mut session = Session::of_host(&project, "claude-code");
        assert_eq!(names(&mut session, "prompts/list", "prompts"), first);
        assert!(
            begin.elapsed() < Duration::from_millis(1900),
            "the list has waited"
        );
        if first.is_empty() {
            session.wait_for_notification("notifications/prompts/list_changed");
            assert_eq!(names(&mut session, "prompts/list", "prompts"), ["p"]);
        }
        session.hang_up();
        assert_eq!(session.end(), 0);
    }
}

/// Else no list would ever have it, if each session is shorter.
#[test]
fn a_session_that_ends_leaves_a_process_that_asks_to_the_end() {
    let project = project();
    configure(&project, &[slow("t", "3", 60.0)]);
    let mut session = Session::open(&project);
    assert_eq!(names(&mut session, "tools/list", "tools"), [""; 0]);
    session.hang_up();
    assert_eq!(session.end(), 0);
    until_declared(&project);
    let mut session = Session::open(&project);
    assert_eq!(names(&mut session, "tools/list", "tools"), ["t"]);
    session.hang_up();
    assert_eq!(session.end(), 0);
}
