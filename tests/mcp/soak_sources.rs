//! Ten sources under one server, which are called, cancelled, change their tools, die, come back
//! and end when they are idle: nothing grows, and no answer is lost. `cargo xtask soak --sources
//! SECONDS` runs it for longer.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use cogtools_test_support::{Project, install};
use serde_json::{Value, json};

use super::peer::peer;
use super::soak::{self, Size};
use super::{Session, cache, living};

/// The duration among the other tests, in seconds.
const SECONDS: u64 = 12;
/// The additional memory, in KiB, that the server may use at the end than after a quarter.
const GROWTH: u64 = 4 << 10;
/// After how many rounds there is a pause in which idle sources end.
const ROUNDS_UNTIL_IDLE: u32 = 40;
/// Longer than the idle time of half of the sources.
const IDLE: Duration = Duration::from_millis(1_500);

/// A server that the calls of a round are for.
enum Source {
    /// One of ours, by its name.
    Busy(String),
    /// A real one: a tool, its arguments, and the answer.
    Real(&'static str, Value, &'static str),
}

/// The sources, and the project of a user who has them. Where the real servers are installed, they
/// are three of the ten. One source cannot be started, and one never answers.
fn scene() -> (Vec<Source>, Project) {
    let project = super::project();
    project.file("../home/hello.txt", "Good day");
    let real = real(&project);
    let (mut sources, mut servers): (Vec<Source>, Vec<Value>) = real.into_iter().unzip();
    for number in sources.len()..8 {
        let name = format!("s{number}");
        // Every second one ends soon.
        let idle = if number % 2 == 0 { 1 } else { 900 };
        servers.push(json!({"mcp": {
            "command": ["python3", peer("busy.py"), name], "name": name,
            "prefix": format!("{name}_"), "idle": idle, "timeout": 15,
        }}));
        sources.push(Source::Busy(name));
    }
    let silent = [
        "python3".into(),
        peer("slow.py"),
        "silent".into(),
        "start".into(),
    ];
    servers.push(json!({"mcp": {"command": silent, "name": "silent", "timeout": 2}}));
    servers.push(json!({"mcp": {"command": ["false"], "name": "dead"}}));
    let all = std::iter::once(json!({"local": project.path("tools")})).chain(servers);
    let all = json!({"tool_sources": all.collect::<Vec<_>>()});
    project.file("../home/.gemini/cogtoolrc.yaml", all.to_string());
    (sources, project)
}

fn real(project: &Project) -> Vec<(Source, Value)> {
    let programs = cache().join("mcp-servers-15-1/node_modules/.bin");
    if !programs.exists() {
        return Vec::new();
    }
    let node = install::node(&cache()).join("node");
    let home = project.home();
    let file = home.join("hello.txt");
    let server = |name: &str, args: &[&str]| {
        let program = programs.join(format!("mcp-server-{name}"));
        let memory = format!("MEMORY_FILE_PATH={}", home.join("memory").display());
        let command = ["env", &memory].map(Value::from).into_iter();
        let command = command.chain([json!(node), json!(program)]);
        let command: Vec<Value> = command
            .chain(args.iter().copied().map(Value::from))
            .collect();
        json!({"mcp": {
            "command": command, "name": name, "prefix": format!("{name}_"), "wait": 30,
        }})
    };
    let root = home.display().to_string();
    let read = Source::Real(
        "filesystem_read_text_file",
        json!({"path": file}),
        "Good day",
    );
    let echo = Source::Real("everything_echo", json!({"message": "hi"}), "Echo: hi");
    let empty = "{\n  \"entities\": [],\n  \"relations\": []\n}";
    let graph = Source::Real("memory_read_graph", json!({}), empty);
    vec![
        (read, server("filesystem", &[&root])),
        (echo, server("everything", &[])),
        (graph, server("memory", &[])),
    ]
}

#[test]
fn ten_sources_for_long() {
    let seconds = std::env::var("COGTOOLS_SOAK_SOURCES").ok();
    let seconds = seconds.and_then(|text| text.parse().ok());
    let length = Duration::from_secs(seconds.unwrap_or(SECONDS));
    let (sources, project) = scene();
    let mut session = Session::open(&project);
    let tools = wait_for_all(&mut session, &sources);
    let begin = Instant::now();
    let (mut early, mut round, mut calls, mut changes) = (None, 0_u32, 0, 0);
    while begin.elapsed() < length {
        round += 1;
        calls += play(&mut session, &sources, round);
        changes += session.notified().len();
        if round.is_multiple_of(4) {
            assert_eq!(
                stable(&mut session),
                tools,
                "a tool is lost in round {round}"
            );
        }
        if round.is_multiple_of(ROUNDS_UNTIL_IDLE) {
            std::thread::sleep(IDLE);
        }
        if early.is_none() && begin.elapsed() > length / 4 {
            early = Some(measure(&mut session, &sources));
        }
    }
    let early = early.expect("a quarter has passed");
    let late = measure(&mut session, &sources);
    println!(
        "{calls} calls and {changes} notifications in {round} rounds, {} s; after a quarter \
         {early:?}, at the end {late:?}",
        length.as_secs()
    );
    assert!(
        !late.0.exceeds(&early.0, GROWTH) && late.1 <= early.1,
        "{early:?} became {late:?}"
    );
    assert_eq!(session.unclaimed(), Vec::<u64>::new());
    session.hang_up();
    assert_eq!(session.end(), 0);
    assert_eq!(
        soak::left(&session, None),
        "",
        "processes that were left behind"
    );
}

/// The tools once every source that can has declared its own.
fn wait_for_all(session: &mut Session, sources: &[Source]) -> BTreeSet<String> {
    let end = Instant::now() + Duration::from_mins(1);
    loop {
        let names = stable(session);
        let is_there = |source: &Source| match source {
            Source::Busy(name) => names.contains(&format!("{name}_count")),
            Source::Real(tool, ..) => names.contains(*tool),
        };
        if sources.iter().all(is_there) {
            return names;
        }
        assert!(Instant::now() < end, "{names:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// The names of all tools but those that come and go.
fn stable(session: &mut Session) -> BTreeSet<String> {
    let names = living::names(session).into_iter();
    names.filter(|name| !name.ends_with("_extra")).collect()
}

/// One round, with all requests in flight together; returns their number.
fn play(session: &mut Session, sources: &[Source], round: u32) -> usize {
    let mut expected = Vec::new();
    let mut cancelled = Vec::new();
    for (number, source) in (0_u32..).zip(sources) {
        let name = match source {
            Source::Real(tool, arguments, answer) => {
                expected.push((session.call(tool, arguments), Some((*answer).to_owned())));
                continue;
            }
            Source::Busy(name) => name,
        };
        // Each is at another point of the same sequence.
        let tool = match (round + number) % 24 {
            7 => "dies",
            11 | 19 => "swap",
            _ => "count",
        };
        let id = session.call(&format!("{name}_{tool}"), &json!({}));
        let answer = (tool != "dies").then(|| format!("{name} {tool}"));
        if tool != "dies" && (round + number).is_multiple_of(3) {
            cancelled.push(session.call(&format!("{name}_wait"), &json!({})));
        }
        expected.push((id, answer));
    }
    let calls = expected.len() + cancelled.len();
    for (id, answer) in expected {
        let (text, is_error) = session.text(id);
        match answer {
            Some(answer) => assert_eq!((text, is_error), (answer, false)),
            None => assert!(is_error && text.contains("exited with status 3"), "{text}"),
        }
    }
    for id in cancelled {
        session.tell("notifications/cancelled", &json!({"requestId": id}));
    }
    calls
}

/// The memory of the server, and the number of processes below it, while every source is open
/// that does not end soon.
fn measure(session: &mut Session, sources: &[Source]) -> (Size, usize) {
    // A round in which none dies.
    let quiet = (0..24).find(|round| (0..8).all(|number| (round + number) % 24 != 7));
    play(session, sources, quiet.unwrap_or_default());
    std::thread::sleep(IDLE);
    (Size::of(session), soak::descendants(session))
}
