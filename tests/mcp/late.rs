//! Servers that are late or silent: a list does not wait for them, and loses only their tools.

use std::process::Command;
use std::time::{Duration, Instant};

use cogtools_test_support::{Outcome, Project, Run};
use serde_json::{Value, json};

use super::Session;
use super::peer::peer;
use super::source::{NONE, project, with};

/// A list takes less than two seconds; a machine with other tests has twice as long.
const SOON: Duration = Duration::from_secs(4);

fn slow(name: &str, how: &str, cache: f64) -> Value {
    json!({"mcp": {
        "command": "python3", "args": [peer("slow.py"), name, how], "name": name, "cache": cache,
    }})
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

/// No process with this command line is left.
fn none_left(line: &str) {
    let left = Command::new("pgrep").args(["-f", line]).output();
    let left = left.expect("pgrep is there").stdout;
    assert_eq!(String::from_utf8_lossy(&left), "", "{line}");
}

#[test]
fn silent_servers_are_left_out_and_not_asked_again_for_a_minute() {
    let project = project();
    let sources = [
        slow("starts", "start", 60.0),
        slow("lists", "list", 60.0),
        slow("good", "0", 60.0),
    ];
    let late = |name: &str| {
        format!(
            "cogtools-discover: warning[TIMEOUT]: the provider `{name}` is left out for now: it has not \
             declared its tools within 1.5s\nhint: `cogtools-discover --refresh` waits for it; a \
             longer `wait` of the source makes every list wait\n"
        )
    };
    let again = "hint: it is asked again a minute after it failed, or at once by \
                 `cogtools-discover --refresh`\n";
    let both = |more: &str| format!("{}{more}{}{more}", late("starts"), late("lists"));
    soon(discover(&project, &sources)).expect(0, declared(&["good"]), both(""));
    for _ in 0..2 {
        soon(discover(&project, &sources)).expect(0, declared(&["good"]), both(again));
    }
    let count = |name| starts(&project, name);
    assert_eq!([count("starts"), count("lists"), count("good")], [1, 1, 1]);
    none_left("slow.py starts start");
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
    std::thread::sleep(Duration::from_millis(200));
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
    assert_eq!(modes, [(true, 0o600)]);
}

#[test]
fn a_server_announces_the_tools_of_a_source_that_was_late() {
    let project = project();
    let sources = json!({"tool_sources": [
        {"local": project.path("tools")}, slow("late", "4", 60.0), slow("never", "start", 60.0),
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
    none_left("slow.py never start");
}
