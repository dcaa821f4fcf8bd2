//! Files of sessions that are damaged, in use, of others, or full.

use std::fs::File;
use std::thread;

use super::*;

#[test]
fn a_session_that_ends_anywhere_goes_on() {
    let project = noting();
    let script = || [note("one"), note("two").saying("Next."), Turn::text("done")];
    let lines = {
        let fake = FakeGemini::start(script());
        let args = ["--allow", "note", "--session", "s.jsonl", "Go"];
        quietly(&project, &fake, &args).outputs("Next.\ndone\n");
        fake.finish();
        project.read("s.jsonl")
    };
    let count = lines.lines().count();
    // One fake for all, because only the one that has signed a call accepts it again.
    let whole: Vec<usize> = (2..=count).collect();
    for chunk in whole.chunks(8) {
        check_prefixes(chunk);
    }
}

#[test]
fn a_session_lies_beside_the_project() {
    let project = project();
    let fake = FakeGemini::start([Turn::text("1"), Turn::text("2")]);
    for answer in ["1\n", "2\n"] {
        quietly(&project, &fake, &["--session", "../s.jsonl", "Go"]).outputs(answer);
    }
    fake.finish();
    assert!(project.path("../s.jsonl").is_file());
}

/// Cuts a session after these numbers of lines, and goes on.
fn check_prefixes(counts: &[usize]) {
    let project = noting();
    let script = || [note("one"), note("two").saying("Next."), Turn::text("done")];
    let is_response = |line: &&str| line.contains(r#""kind":"response""#);
    // The kinds of lines are the same in each run.
    let plan = {
        let fake = FakeGemini::start(script());
        let args = ["--allow", "note", "--session", "p.jsonl", "Go"];
        quietly(&project, &fake, &args).succeeds();
        fake.finish();
        project.read("p.jsonl")
    };
    let answered = |count: usize| plan.lines().take(count).filter(is_response).count();
    let rest = counts
        .iter()
        .flat_map(|count| script().into_iter().skip(answered(*count)));
    let fake = FakeGemini::start(script().into_iter().chain(rest));
    let args = ["--allow", "note", "--session", "s.jsonl", "Go"];
    quietly(&project, &fake, &args).succeeds();
    let log = project.read("s.jsonl");
    for count in counts {
        let kept: Vec<&str> = log.lines().take(*count).collect();
        let next = log.lines().nth(*count).unwrap_or_default();
        // The line that was being written is cut off as well.
        let torn: String = next.chars().take(next.len() / 3).collect();
        project
            .file("s.jsonl", format!("{}\n{torn}", kept.join("\n")))
            .file("notes.txt", "");
        let args = ["--allow", "note", "--session", "s.jsonl", "--continue"];
        let outcome = quietly(&project, &fake, &args);
        outcome.status(0);
        assert!(
            outcome.text().ends_with("done\n"),
            "{count} lines: {outcome:?}"
        );
        let is_begun = |text: &str| {
            kept.iter().any(|line| {
                line.contains(r#""kind":"call""#) && line.contains(&format!(r#""text":"{text}""#))
            })
        };
        let left = ["one", "two"].into_iter().filter(|text| !is_begun(text));
        let expected: String = left.flat_map(|text| [text, "\n"]).collect();
        assert_eq!(notes(&project), expected, "{count} lines");
    }
    fake.finish();
}

#[test]
fn a_session_that_is_in_use_is_not_written_to() {
    let project = project();
    let fake = FakeGemini::start([Turn::text("done")]);
    let args = ["--session", "s.jsonl", "Go"];
    quietly(&project, &fake, &args).succeeds();
    let before = project.read("s.jsonl");
    let held = File::open(project.path("s.jsonl")).expect("a file");
    held.lock().expect("a lock");
    quietly(&project, &fake, &args)
        .status(74)
        .stderr_contains("error[SESSION_IN_USE]");
    drop(held);
    assert_eq!(project.read("s.jsonl"), before);
    fake.finish();
}

#[test]
fn a_session_of_a_newer_version_is_not_written_to() {
    let project = project();
    let fake = FakeGemini::start([Turn::text("done")]);
    let args = ["--session", "s.jsonl", "Go"];
    quietly(&project, &fake, &args).succeeds();
    let newer = project
        .read("s.jsonl")
        .replacen("\"format\":1", "\"format\":99", 1);
    project.file("s.jsonl", &newer);
    quietly(&project, &fake, &args)
        .status(65)
        .stderr_contains("was written by a newer cogtools");
    assert_eq!(project.read("s.jsonl"), newer);
    for other in ["", "{}\n", "not JSON\n", "{\"kind\":\"task\"}\n"] {
        project.file("other.jsonl", other);
        if !other.is_empty() {
            quietly(&project, &fake, &["--session", "other.jsonl", "Go"]).status(65);
            assert_eq!(project.read("other.jsonl"), other);
        }
    }
    fake.finish();
}

#[test]
fn a_full_disk_ends_the_run_and_the_session_can_be_continued() {
    let project = project();
    let long = "words ".repeat(4_000);
    let fake = FakeGemini::start([Turn::text(long), Turn::text("done")]);
    let limited = Run::new("/bin/sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$@\"", "sh"])
        .arg(programs().join("cogtools-ask"))
        .project(&project)
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url());
    let outcome = limited.args(["-q", "--session", "s.jsonl", "Go"]).run();
    outcome
        .status(74)
        .stderr_contains("`s.jsonl` cannot be written");
    quietly(&project, &fake, &["--session", "s.jsonl", "--continue"]).outputs("done\n");
    fake.finish();
}

#[test]
fn two_sessions_at_once_do_not_meet() {
    let project = project();
    let turns = || {
        [
            Turn::call("greet", json!({"person": "Ada"})),
            Turn::text("done"),
        ]
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let fake = FakeGemini::start(turns());
                quietly(&project, &fake, &["Go"]).outputs("done\n");
                fake.finish();
            });
        }
    });
}

#[test]
fn there_is_nothing_to_continue_in_an_empty_project() {
    let project = project();
    let fake = FakeGemini::start([]);
    quietly(&project, &fake, &["--continue"]).status(127);
    quietly(&project, &fake, &["--session", "s.jsonl", "--continue"]).status(2);
    fake.finish();
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_that_cannot_be_written_ends_the_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = project();
    let fake = FakeGemini::start([Turn::text("done")]);
    let args = ["--session", "s.jsonl", "Go"];
    quietly(&project, &fake, &args).succeeds();
    let read_only = std::fs::Permissions::from_mode(0o444);
    std::fs::set_permissions(project.path("s.jsonl"), read_only).expect("set");
    let outcome = crate::unprivileged("cogtools-ask", &project)
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .arg("-q")
        .args(args)
        .run();
    outcome.status(74).stdout_is("");
    outcome.stderr_contains("`s.jsonl` cannot be written: Permission denied");
    outcome.stderr_contains("hint: make the file and its folder writable");
    assert_eq!(fake.requests().len(), 1, "nothing is sent");
    fake.finish();
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_of_another_user_is_not_continued() {
    let project = project();
    let fake = FakeGemini::start([Turn::text("done")]);
    let args = ["--session", "s.jsonl", "Go"];
    quietly(&project, &fake, &args).succeeds();
    if !crate::attacks::owners::can_give(&project) {
        return;
    }
    crate::attacks::owners::give(&project, "s.jsonl");
    let before = project.read("s.jsonl");
    quietly(&project, &fake, &args).fails(
        77,
        str![[r#"
cogtools-ask: error[DENIED]: `[ROOT]/s.jsonl` belongs to user 54321, not to you; it is not continued
hint: if you trust that user, add `safe_directories: [[ROOT]]` to ~/.gemini/cogtoolrc.yaml

"#]],
    );
    assert_eq!(project.read("s.jsonl"), before);
    fake.finish();
}

#[test]
fn a_session_that_is_not_there_does_not_go_on() {
    let project = project();
    let fake = FakeGemini::start([]);
    let check = |name: &str, options: &[&str]| {
        let outcome = quietly(&project, &fake, &[&["--session", name], options].concat());
        outcome.status(127).stderr_contains("SESSION_NOT_FOUND");
        assert!(!project.path(name).exists(), "{name} {options:?}");
    };
    for name in ["none.jsonl", "none", "../none.jsonl"] {
        check(name, &["--from", "7", "And?"]);
        check(name, &["--approve", "call-1"]);
    }
    // Only a file may be new.
    check("none", &["--continue", "And?"]);
    fake.finish();
}

#[test]
fn a_session_goes_on_by_its_name() {
    let project = project();
    let fake = FakeGemini::start([Turn::text("1"), Turn::text("2"), Turn::text("3")]);
    let first = ask(&project, &fake)
        .args(["-q", "--json", "One"])
        .run()
        .json();
    let id = first["session"].as_str().expect("a name");
    let args = ["--session", id, "--continue", "Two"];
    quietly(&project, &fake, &args).outputs("2\n");
    assert!(!project.path(id).exists());
    // A file does not stand for it.
    project.file(&id[..4], "");
    let shown = run("cogtools-session", &project).args(["show", &id[..4]]);
    shown.run().status(0);
    // A file whose name could be one of a session is named by its path.
    let plain = ask(&project, &fake).args(["-q", "--json", "--session", "mine", "Three"]);
    assert_eq!(plain.run().json()["session"], "./mine");
    let shown = run("cogtools-session", &project)
        .args(["show", "mine"])
        .run();
    shown.status(0);
    let conversation = fake.finish();
    let contents = |index: usize| {
        conversation.main()[index].body["contents"]
            .as_array()
            .map(Vec::len)
    };
    assert_eq!([0, 1, 2].map(contents), [Some(2), Some(4), Some(2)]);
}

#[test]
fn the_newest_session_is_one_of_the_program() {
    let project = noting();
    let fake = FakeGemini::start([Turn::text("Hello Zoe."), Turn::text("Zoe.")]);
    quietly(&project, &fake, &["I am Zoe"]).outputs("Hello Zoe.\n");
    let code = |args: &[&str]| run("cogtools-code", &project).args(args);
    let program = "return tools.note({text: 'x'})";
    code(&["run", "--pause"]).stdin(program).run().status(75);
    quietly(&project, &fake, &["--continue", "Who am I?"]).outputs("Zoe.\n");
    // And the other way round.
    code(&["resume", "--approve", "1"]).run().outputs("noted\n");
    let conversation = fake.finish();
    let contents = conversation.main()[1].body["contents"]
        .as_array()
        .map(Vec::len);
    assert_eq!(contents, Some(4));
}

#[test]
fn an_answer_that_is_given_again_is_named() {
    let project = project();
    let fake = FakeGemini::start([Turn::text("first")]);
    quietly(&project, &fake, &["Go"]).outputs("first\n");
    quietly(&project, &fake, &["--continue"]).outputs("first\n");
    ask(&project, &fake)
        .arg("--continue")
        .run()
        .status(0)
        .stdout_is("first\n")
        .stderr_contains("there is no task: this is the last answer");
    fake.finish();
}
