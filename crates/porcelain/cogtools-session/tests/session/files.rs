//! Copies, damage and locks.

use cogtools_log::{Log, Options, Session, SessionFile};
use cogtools_test_support::{Project, str};

use crate::{RUN, project, session, store, stored};

#[test]
fn a_fork_is_a_new_session_that_begins_alike() {
    let project = project();
    session(
        &project,
        &["fork", "run.jsonl", "--from=4", "--to=new.jsonl"],
    )
    .outputs("new.jsonl\n");
    let copy = project.read("new.jsonl");
    let lines = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&copy), lines(RUN)[..4]);
    let file = SessionFile::named(&project.root(), &project.root(), "new.jsonl".as_ref());
    let header = Session::read(&file).expect("a session").header;
    assert_ne!(header.session.as_str(), "7f3a9c21be");
    let fork = header.fork.expect("a fork");
    assert_eq!((fork.session.as_str(), fork.from.get()), ("7f3a9c21be", 4));
    // The original is as it was, and a file is not overwritten.
    assert_eq!(project.read("run.jsonl"), RUN);
    session(&project, &["fork", "run.jsonl", "--to=new.jsonl"]).fails(
        74,
        str![[r#"
cogtools-session: error[IO_FAILED]: `new.jsonl` exists already
hint: name another file; `--continue` or `resume` goes on with this one

"#]],
    );
}

#[test]
fn a_fork_has_a_name() {
    let outcome = session(&project(), &["fork", "run.jsonl", "--to="]);
    outcome.stderr_contains("--to");
    outcome.status(2).stdout_is("");
}

#[test]
fn a_fork_without_a_file_is_in_the_store() {
    let project = project();
    stored(&project, "abc");
    let name = session(&project, &["fork", "abc"]).text();
    let file = store(&project).file(&name.trim_end().parse().expect("a name"));
    assert_eq!(Session::read(&file).expect("a session").entries.len(), 12);
    session(&project, &["verify", name.trim_end()]).succeeds();
}

#[test]
fn a_fork_takes_its_blobs_along() {
    let (project, blob) = with_blob();
    session(&project, &["fork", "run.jsonl", "--to=new.jsonl"]).outputs("new.jsonl\n");
    assert_eq!(project.read(format!("new.blobs/{blob}")), "long");
    session(&project, &["verify", "new.jsonl"]).outputs("ok new.jsonl: 14 entries, 1 blob\n");
}

/// A session with a blob, and its name.
fn with_blob() -> (Project, String) {
    let project = project();
    let file = SessionFile::named(&project.root(), &project.root(), "run.jsonl".as_ref());
    let (mut log, _) = Log::open(&file, Options::default()).expect("a log");
    let blob = log.write_blob("long").expect("a blob").to_string();
    drop(log);
    let entries = format!(
        "{}{}",
        r#"{"id":13,"parent":12,"time":"2026-11-22T09:10:00Z","kind":"call","call":"c","tool":"t","arguments":{},"approval":{"decision":"allowed","why":"pure"}}
"#,
        r#"{"id":14,"parent":13,"time":"2026-11-22T09:10:00Z","kind":"result","call":"c","status":"succeeded","content":{"output":"l"},"blob":"BLOB","ms":1}
"#.replace("BLOB", &blob)
    );
    project.file("run.jsonl", format!("{RUN}{entries}"));
    (project, blob)
}

#[test]
fn damage_is_found() {
    let project = project();
    session(&project, &["verify", "run.jsonl"]).outputs("ok run.jsonl: 12 entries, 0 blobs\n");
    let damaged = RUN
        .replace(r#""parent":4,"#, r#""parent":9,"#)
        .replace(
            r#""kind":"end","status":"completed""#,
            r#""kind":"end","status":"happy""#,
        )
        .replacen(r#"{"id":9"#, r#"{{"id":9"#, 1);
    project.file("run.jsonl", damaged);
    session(&project, &["verify", "run.jsonl"]).fails(1, str![[r#"
cogtools-session: error[SESSION_DAMAGED]: `run.jsonl`, line 6: `parent` is 9, but no earlier line has that `id`
cogtools-session: error[SESSION_DAMAGED]: `run.jsonl`, line 10: the line is not JSON: unexpected text at column 2
cogtools-session: error[SESSION_DAMAGED]: `run.jsonl`, line 11: `parent` is 9, but no earlier line has that `id`
cogtools-session: error[SESSION_DAMAGED]: `run.jsonl`, line 13: not a valid `end`: unknown variant `happy`, expected one of `completed`, `refused`, `budget`, `loop`, `unavailable`, `approval_wanted`, `cancelled`, `failed`

"#]]);
    session(&project, &["show", "run.jsonl"]).fails(65, str![[r#"
cogtools-session: error[INVALID_SESSION]: `run.jsonl`, line 6: `parent` is 9, but no earlier line has that `id`
hint: `cogtools session verify` lists everything that is wrong with it
hint: remove the line, or restore the file from a copy

"#]]);
}

/// It was not cut off: a reader would take it for the end of a process.
#[test]
fn a_line_that_is_nested_too_deeply_is_damage() {
    let project = Project::new();
    let line = format!(
        "{{\"id\":99,\"deep\":{}{}}}\n",
        "[".repeat(170),
        "]".repeat(170)
    );
    project.file("run.jsonl", format!("{RUN}{line}"));
    let number = RUN.lines().count() + 1;
    let expected = format!(
        "cogtools-session: error[SESSION_DAMAGED]: `run.jsonl`, line {number}: the line is nested \
         in more than 160 levels\n"
    );
    session(&project, &["verify", "run.jsonl"]).fails(1, expected);
}

#[test]
fn damaged_blobs_are_found() {
    let (project, blob) = with_blob();
    session(&project, &["verify", "run.jsonl"]).outputs("ok run.jsonl: 14 entries, 1 blob\n");
    project.file(format!("run.blobs/{blob}"), "other");
    session(&project, &["verify", "run.jsonl"]).fails(1, str![[r#"
cogtools-session: error[SESSION_DAMAGED]: `run.jsonl`, line 15: the blob `fc66f021c67d064c1490a12b5a4d4d2f5167ca692a16ca12f1f3a4cda29a6fa9` cannot be read: its content has changed

"#]]);
    project.remove(format!("run.blobs/{blob}"));
    session(&project, &["verify", "run.jsonl"]).fails(1, str![[r#"
cogtools-session: error[SESSION_DAMAGED]: `run.jsonl`, line 15: the blob `fc66f021c67d064c1490a12b5a4d4d2f5167ca692a16ca12f1f3a4cda29a6fa9` cannot be read: No such file or directory (os error 2)

"#]]);
}

#[test]
fn a_line_that_was_cut_off_is_a_warning() {
    let cut = RUN.len() - 10;
    let project = project();
    project.file("run.jsonl", &RUN[..cut]);
    session(&project, &["verify", "run.jsonl"])
        .outputs("ok run.jsonl: 11 entries, 0 blobs, 1 line cut off\n");
    let tree = session(&project, &["tree", "run.jsonl"]);
    tree.status(0).stderr_is(str![[r#"
cogtools-session: warning[INVALID_SESSION]: the last line of `run.jsonl` was cut off, and is left out
hint: the process that wrote it was ended; the session can be resumed

"#]]);
}

#[test]
fn a_file_that_is_not_a_session_is_refused() {
    let project = Project::new();
    project
        .file("notes.md", "# Notes\n")
        .file("newer.jsonl", "{\"kind\":\"session\",\"format\":2}\n");
    session(&project, &["show", "notes.md"]).fails(65, str![[r#"
cogtools-session: error[INVALID_SESSION]: `notes.md` is not a session: the line is not JSON: unexpected text at column 1
hint: name a file that a run or `cogtools session fork` has written

"#]]);
    session(&project, &["show", "newer.jsonl"]).fails(65, str![[r#"
cogtools-session: error[INVALID_SESSION]: `newer.jsonl` was written by a newer cogtools (format 2; this one reads 1)
hint: update cogtools

"#]]);
    session(&project, &["verify", "newer.jsonl"]).fails(65, str![[r#"
cogtools-session: error[INVALID_SESSION]: `newer.jsonl` was written by a newer cogtools (format 2; this one reads 1)
hint: update cogtools

"#]]);
}
