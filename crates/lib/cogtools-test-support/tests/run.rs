//! The program runner, with very small programs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use cogtools_test_support::{Project, Run, Status, Stdin, Stdout, difference};

fn shell(script: &str) -> Run {
    Run::new("/bin/sh").args(["-c", script])
}

fn failure(run: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("this must fail");
    *panic
        .downcast::<String>()
        .expect("a failure comes with a message")
}

#[test]
fn environment_contains_only_the_given_variables() {
    let project = Project::new();
    Run::new("/usr/bin/env")
        .project(&project)
        .path("/first")
        .env("A", "b")
        .run()
        .outputs("A=b\nHOME=[HOME]\nPATH=/first:/usr/bin:/bin\n");
    shell("pwd").project(&project).run().outputs("[ROOT]\n");
}

#[test]
fn stdin_is_as_configured() {
    let project = Project::new();
    project.file("input", b"from a file\xff");
    let cat = || Run::new("/bin/cat");
    cat().run().outputs("");
    cat().stdin("text").run().outputs("text");
    cat()
        .stdin(Stdin::File(project.path("input")))
        .run()
        .outputs(b"from a file\xff");
    shell("test -e /proc/self/fd/0 || echo none")
        .stdin(Stdin::Closed)
        .run()
        .outputs(if cfg!(target_os = "linux") {
            "none\n"
        } else {
            ""
        });
    let message = failure(|| {
        let limit = Duration::from_millis(200);
        let _ = cat().stdin(Stdin::Open).limit(limit).run();
    });
    assert_eq!(message, "`cat` did not end within 200ms");
}

#[test]
fn stdin_can_be_a_terminal() {
    let script = "test -t 0 && echo 'it'\\''s one'; echo \"$0\" >&2; exit 7";
    shell(script)
        .arg("a 'word'")
        .stdin(Stdin::Terminal)
        .run()
        .expect(7, "it's one\n", "a 'word'\n");
    let message = failure(|| {
        let cat = Run::new("/bin/cat").stdin(Stdin::Terminal);
        let _ = cat.limit(Duration::from_millis(200)).run();
    });
    assert_eq!(message, "`cat` did not end within 200ms");
}

#[test]
fn stdout_can_fail() {
    shell("echo lost 2>/dev/null || exit 9")
        .stdout(Stdout::Full)
        .run()
        .fails(9, "");
    shell("echo lost")
        .stdout(Stdout::Gone)
        .run()
        .expect(Status::Signal(13), "", "");
}

#[test]
fn unread_input_is_detected() {
    let input = vec![b'x'; 1_000_000];
    let outcome = shell("exit 3").stdin(input.clone()).run();
    outcome.fails(3, "");
    assert!(!outcome.read_all_input);
    shell("cat >/dev/null").stdin(input).run().reads_all_input();
}

#[test]
fn limit_also_ends_children() {
    let message = failure(|| {
        let limit = Duration::from_millis(200);
        let _ = shell("sleep 1000 & exit 0").limit(limit).run();
    });
    assert_eq!(
        message,
        "`sh -c sleep 1000 & exit 0` did not end within 200ms"
    );
}

#[test]
fn failure_shows_all_differences() {
    let message = failure(|| {
        shell("echo one; printf 'two \\377'; echo oops >&2; kill -TERM $$")
            .run()
            .outputs("one\ntwo");
    });
    assert_eq!(
        message,
        "`sh -c echo one; printf 'two \\377'; echo oops >&2; kill -TERM $$`\n\
         status: expected exit 0, got signal 15\n\
         stdout (- expected, + found):\n one\n-two  (no line end)\n+two \\xff  (no line end)\n\
         stderr (- expected, + found):\n+oops\n"
    );
    shell("kill -TERM $$")
        .run()
        .expect(Status::Signal(15), "", "");
}

#[test]
fn difference_omits_equal_lines() {
    let lines = |range: std::ops::Range<u32>| -> String {
        range.fold(String::new(), |text, number| text + &format!("{number}\n"))
    };
    assert_eq!(difference(lines(0..9), lines(0..9)), None);
    assert_eq!(
        difference(lines(0..100), lines(0..50) + "new\t\n" + &lines(51..100)).as_deref(),
        Some("  ...\n 47\n 48\n 49\n-50\n+new\\t\n 51\n 52\n 53\n  ...\n")
    );
    assert_eq!(
        difference("a\nb\nc\n", "b\nx\nc\n").as_deref(),
        Some("-a\n b\n+x\n c\n")
    );
}

#[test]
fn project_is_removed_even_if_unreadable() {
    let project = Project::new();
    project
        .file("tools/a.yaml", "name: a\n")
        .program("bin/hello", "#!/bin/sh\necho hello\n")
        .dir("empty")
        .link("loop", ".")
        .mode("tools", 0o000);
    Run::new(project.path("bin/hello")).run().outputs("hello\n");
    let root = project.root();
    project.mode("tools", 0o700);
    assert_eq!(
        project.files(),
        ["bin/hello", "loop", "tools/a.yaml"].map(std::path::PathBuf::from)
    );
    project.mode("tools", 0o000);
    drop(project);
    assert!(!root.exists());
}
