//! Which session is meant, and which there are.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use cogtools_test_support::{Project, str};

use crate::{project, session, store, stored};

/// Sets how long ago a session was written to.
fn set_age(path: &std::path::Path, hours: u64) {
    let time = SystemTime::now() - Duration::from_secs(hours * 3_600 + 60);
    File::open(path)
        .expect("a file")
        .set_modified(time)
        .expect("set");
}

fn three() -> Project {
    let project = project();
    for (name, hours) in [("abc", 1), ("abd", 50), ("xyz", 0)] {
        set_age(&stored(&project, name), hours);
    }
    project
}

#[test]
fn sessions_are_listed_newest_first() {
    let project = project();
    session(&project, &["list"]).outputs("this project has no sessions\n");
    session(&project, &["list", "--json"]).outputs("[]\n");
    let project = three();
    session(&project, &["list"]).outputs(str![[r#"
SESSION    AGE  MODEL                TURNS  TOKENS  END        TASK
xyz      1 min  gemini-flash-latest      2    1780  completed  Why does the test fail?
abc        1 h  gemini-flash-latest      2    1780  completed  Why does the test fail?
abd        2 d  gemini-flash-latest      2    1780  completed  Why does the test fail?

"#]]);
    let listed = session(&project, &["list", "--json"]).json();

    let names: Vec<&str> = listed
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|item| item["session"].as_str())
        .collect();
    assert_eq!(names, ["xyz", "abc", "abd"]);
    let keys: Vec<&String> = listed[0].as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        [
            "session", "file", "began", "modified", "model", "turns", "calls", "usage", "task",
            "end"
        ]
    );
    assert_eq!(listed[0]["usage"]["total"], 1780);
}

#[test]
fn turns_that_were_taken_back_are_paid_for() {
    let project = project();
    let path = stored(&project, "abc");
    let retried = [
        r#""parent":null,"time":"2026-11-22T09:00:03.000Z","kind":"undone","task":1"#,
        r#""parent":13,"time":"2026-11-22T09:00:04.000Z","kind":"task","parts":[{"text":"Again"}]"#,
        r#""parent":14,"time":"2026-11-22T09:00:05.000Z","kind":"usage","prompt":20,"total":20"#,
    ];
    let lines = (13..).zip(retried);
    let lines = lines.map(|(id, line)| format!("{{\"id\":{id},{line}}}\n"));
    let text = fs::read_to_string(&path).expect("a session");
    fs::write(&path, text + &lines.collect::<String>()).expect("written");
    let listed = session(&project, &["list", "--json"]).json();
    assert_eq!(listed[0]["task"], "Again");
    assert_eq!(listed[0]["usage"]["total"], 1800);
}

#[test]
fn a_session_that_cannot_be_read_is_a_warning() {
    let project = three();
    fs::write(store(&project).folder().join("abd.jsonl"), "garbage\n").expect("written");
    let listed = session(&project, &["list"]);
    listed
        .status(0)
        .stderr_contains("cogtools-session: warning[INVALID_SESSION]: `");
    listed.stderr_contains("abd.jsonl` is not a session: the line is not JSON");
    assert_eq!(String::from_utf8_lossy(&listed.stdout).lines().count(), 3);
}

#[test]
fn a_session_is_named_by_its_beginning_or_its_path() {
    let project = three();
    for (args, name) in [
        (&["tree", "abc"][..], "abc"),
        (&["tree", "x"], "xyz"),
        (&["tree"], "xyz"),
        (&["tree", "./run.jsonl"], "7f3a9c21be"),
    ] {
        let tree = session(&project, args);
        assert_eq!(
            tree.text().lines().next(),
            Some(format!("session {name}").as_str())
        );
    }
    session(&project, &["tree", "ab"]).fails(
        127,
        str![[r#"
cogtools-session: error[SESSION_NOT_FOUND]: 2 sessions of this project begin with `ab`
hint: name one of `abc`, `abd`

"#]],
    );
    session(&project, &["tree", "nothing"]).fails(
        127,
        str![[r#"
cogtools-session: error[SESSION_NOT_FOUND]: no session of this project begins with `nothing`
hint: `cogtools session list` shows the sessions of this project

"#]],
    );
    session(&project, &["tree", "nothing.jsonl"]).fails(127, str![[r#"
cogtools-session: error[SESSION_NOT_FOUND]: `nothing.jsonl` cannot be read: No such file or directory (os error 2)
hint: `cogtools session list` shows the sessions of this project

"#]]);
    session(&Project::new(), &["tree"]).fails(
        127,
        str![[r#"
cogtools-session: error[SESSION_NOT_FOUND]: this project has no sessions
hint: name the file of a session; `cogtools ask`, flows, plans and code write them

"#]],
    );
}

#[test]
fn old_sessions_are_pruned() {
    let project = three();
    session(&project, &["prune"]).fails(2, str![[r#"
cogtools-session: error[USAGE]: the following required arguments were not provided: <--older-than <AGE>|--keep <N>>
hint: usage: cogtools-session prune [OPTIONS] <--older-than <AGE>|--keep <N>>
hint: --help explains every option

"#]]);
    session(&project, &["prune", "--older-than=2d", "--dry-run"]).outputs(str![[r#"
would remove abd
1 session would be removed

"#]]);
    session(&project, &["prune", "--older-than=1w"]).outputs(str![[r#"
no session is old enough

"#]]);
    session(&project, &["prune", "--keep=2"]).outputs(str![[r#"
removed abd

"#]]);
    // Both conditions must hold.
    session(&project, &["prune", "--older-than=1h", "--keep=2"]).outputs(str![[r#"
no session is old enough

"#]]);
    session(&project, &["prune", "--older-than=3m"]).fails(2, str![[r#"
cogtools-session: error[USAGE]: invalid value '3m' for '--older-than <AGE>': not an age such as 12h, 30d or 8w
hint: usage: cogtools-session [OPTIONS] [COMMAND]
hint: --help explains every option

"#]]);
    let left = store(&project).list().expect("a list");
    assert_eq!(left.len(), 2);
}

#[test]
fn a_session_in_use_is_not_pruned() {
    let project = three();
    let file = store(&project).file(&"abd".parse().expect("a name"));
    let log = cogtools_log::Log::open(&file, cogtools_log::Options::default()).expect("a log");
    let pruned = session(&project, &["prune", "--keep=1"]);
    pruned.status(0).stdout_is("removed abc\n");
    pruned.stderr_contains("cogtools-session: warning[SESSION_IN_USE]: `");
    drop(log);
    session(&project, &["prune", "--keep=1"]).outputs("removed abd\n");
}
