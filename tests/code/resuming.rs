//! Programs that wait, were interrupted, or are replayed.

use super::*;

const PROGRAM: &str = "print(Math.random(), Date.now(), crypto.randomUUID());
const first = tools.mail({to: 'a'});
print(first, Math.random(), Date.now());
return tools.user({id: 1}).mail";

fn resume(project: &Project, words: &[&str]) -> Outcome {
    let words: Vec<&str> = ["resume"].iter().chain(words).copied().collect();
    code(project, &words, "")
}

#[test]
fn a_call_that_needs_a_yes_waits_in_the_session() {
    let project = project();
    let waiting = code(
        &project,
        &["run", "--pause", "--session", "s.jsonl"],
        PROGRAM,
    );
    assert_eq!(waiting.status, Status::Exit(75));
    waiting.stderr_contains("error[APPROVAL_WANTED]: step 1: mail {\"to\":\"a\"}");
    waiting.stderr_contains("`cogtools code resume s.jsonl --approve 1` runs it");
    resume(&project, &["s.jsonl"]).status(75);
    resume(&project, &["s.jsonl", "--approve", "7"]).fails(
        2,
        "cogtools-code: error[USAGE]: 7: the program has made no such call\n",
    );
    assert_eq!(sent(&project), "");
    let done = resume(&project, &["s.jsonl", "--approve", "1"]);
    assert_eq!(done.status, Status::Exit(0), "{done:?}");
    let text = String::from_utf8(done.stdout.clone()).expect("text");
    assert!(
        text.starts_with(&*String::from_utf8_lossy(&waiting.stdout)),
        "{text}"
    );
    assert!(text.ends_with("a@x\n"), "{text}");
    assert_eq!(sent(&project), "a\n");
    // The whole run again: nothing runs, and everything is as it was.
    let again = resume(&project, &["s.jsonl"]);
    assert_eq!(again.stdout, done.stdout);
    assert_eq!(sent(&project), "a\n");
    assert_eq!(
        std::fs::read_to_string(project.path("users")).expect("a file"),
        "1\n"
    );
}

#[test]
fn the_end_of_a_program_is_the_end_of_its_session() {
    let project = project();
    let end = || {
        let shown = run("cogtools-session", &project).args(["show", "s.jsonl", "--json"]);
        let shown: Value = serde_json::from_slice(&shown.run().status(0).stdout).expect("JSON");
        shown["summary"]["end"].clone()
    };
    let session = ["run", "--pause", "--session", "s.jsonl"];
    code(&project, &session, PROGRAM).status(75);
    assert_eq!(end(), json!({"status": "approval_wanted"}));
    resume(&project, &["s.jsonl", "--approve", "1"]).status(0);
    assert_eq!(end(), json!({"status": "completed"}));
    code(&project, &session, "throw new Error('x')").status(1);
    assert_eq!(end(), json!({"status": "failed", "code": "JS_RUNTIME"}));
}

#[test]
fn an_approval_is_for_the_tool_as_it_was() {
    let project = project();
    code(&project, &["run", "--pause"], PROGRAM).status(75);
    let tool = std::fs::read_to_string(project.path("tools/mail.yaml")).expect("a tool");
    project.file(
        "tools/mail.yaml",
        tool.replace("echo sent", "echo sent twice"),
    );
    project.trust(".");
    resume(&project, &["--approve", "1"])
        .status(77)
        .stderr_contains("error[DENIED]: step 1: `mail` has changed since you were asked");
    assert_eq!(sent(&project), "");
    project.file("tools/mail.yaml", tool);
    project.trust(".");
    resume(&project, &["--approve", "1"]).status(0);
    assert_eq!(sent(&project), "a\n");
}

#[test]
fn a_rejected_call_tells_the_program_why() {
    let project = project();
    let program = "try { tools.mail({to: 'a'}) } catch (e) { print(e.code, e.message) }";
    let session = ["run", "--pause", "--session", "s.jsonl"];
    code(&project, &session, program).status(75);
    resume(&project, &["s.jsonl", "--reject", "1"]).status(2);
    resume(&project, &["s.jsonl", "--reject", "1=not today"])
        .outputs("DENIED mail: denied by the user: not today\n");
    let log = project.read("s.jsonl");
    assert!(log.contains("\"reason\":\"not today\""), "{log}");
    assert_eq!(sent(&project), "");
}

/// A project whose tool `crash` kills the program that calls it, the first time.
fn crashing() -> Project {
    let project = project();
    project.file(
        "tools/crash.yaml",
        "name: crash\ndescription: d\nimplementation:\n  exec: [sh, -c, 'echo ran >> runs; \
         [ -e up ] || { touch up; kill -9 $(cat pid); }; echo fine']\n",
    );
    project.trust(".");
    project
}

#[test]
fn a_call_that_was_interrupted_is_asked_about() {
    let project = crashing();
    let program =
        "print(tools.user({id: 2}).mail); print(tools.crash({})); return tools.tax({amount: 100})";
    let killed = run_with_pid(&project, &["run", "--allow", "crash"], program);
    assert_eq!(killed.status, Status::Signal(9));
    resume(&project, &[]).fails(
        75,
        str![[r#"
cogtools-code: error[CODE_INTERRUPTED]: step 2: crash {}: the program ended while this call was running; it may have had an effect
hint: find out whether it had
hint: `--repeat 2` runs it again
hint: `--result 2=JSON` goes on with a result

"#]],
    );
    resume(&project, &["--result", "2=\"given\""]).outputs("b@x\ngiven\n119\n");
    let again = crashing();
    let killed = run_with_pid(&again, &["run", "--allow", "crash"], program);
    assert_eq!(killed.status, Status::Signal(9));
    let repeat = ["--repeat", "2", "--allow", "crash"];
    resume(&again, &repeat).outputs("b@x\nfine\n119\n");
    let users = std::fs::read_to_string(again.path("users")).expect("a file");
    assert_eq!(users, "2\n");
}

#[test]
fn a_yes_to_a_repetition_is_an_approval() {
    let project = crashing();
    let program = "return tools.crash({})";
    let killed = run_with_pid(&project, &["run", "--allow", "crash"], program);
    assert_eq!(killed.status, Status::Signal(9));
    resume(&project, &["--repeat", "1"]).outputs("fine\n");
}

#[test]
fn a_program_with_a_secret_is_not_resumed_with_its_mask() {
    let project = project();
    let with_secret = |words: &[&str], code: &str| {
        let run = run("cogtools-code", &project).env("DB_PASSWORD", "postgres");
        run.args(words).stdin(code).run()
    };
    for (args, code) in [
        ("{}", "return tools.mail({to: 'postgres'})"),
        ("{\"to\": \"postgres\"}", "return tools.mail(args)"),
    ] {
        let words = ["run", "--pause", "--args", args];
        with_secret(&words, code).status(75);
        with_secret(&["resume", "--approve", "1"], "").fails(
            65,
            str![[r#"
cogtools-code: error[INVALID_SESSION]: p1: the session masks a secret in the code, or in `args`, and nothing runs with the mask
hint: run the program anew

"#]],
        );
    }
    assert_eq!(sent(&project), "");
}

#[test]
fn a_program_that_takes_another_way_is_an_error() {
    let project = project();
    code(
        &project,
        &["run", "--session", "s.jsonl"],
        "tools.tax({amount: 1}); return tools.tax({amount: 2})",
    )
    .outputs("2.38\n");
    // Someone has changed a line of the session.
    let text = std::fs::read_to_string(project.path("s.jsonl")).expect("a session");
    project.file(
        "s.jsonl",
        text.replace(r#""arguments":{"amount":2}"#, r#""arguments":{"amount":3}"#),
    );
    resume(&project, &["s.jsonl"]).fails(
        65,
        str![[r#"
cogtools-code: error[CODE_DIVERGED]: the program took another way: the session has step 2 as tax({"amount":3}), and now it is tax({"amount":2})
hint: run the program anew: its code, its tools or what it reads have changed

"#]],
    );
}

/// Kills programs at any moment: no call with an effect is repeated, and no result is lost.
pub(crate) fn kill_at_random(runs: u64) {
    let project = project();
    project.file(
        "tools/add.yaml",
        "name: add\ndescription: d\nparameters: {n: integer}\n\
         implementation: {exec: [sh, -c, 'echo \"$0\" >> added; echo \"$0\"', '{{ n }}']}\n",
    );
    project.trust(".");
    let program = "let sum = 0; for (let n = 1; n <= 12; n++) sum += Number(tools.add({n})); \
                   return sum + parallel([1, 2, 3].map((n) => () => tools.tax({amount: n}))).length";
    for seed in 0..runs {
        let session = format!("s{seed}.jsonl");
        let _ = std::fs::remove_file(project.path("added"));
        let delay = format!("0.{:03}", (seed * 37) % 90);
        let mut end = Run::new("/bin/sh")
            .args([
                "-c",
                "\"$@\" & child=$!; sleep \"$0\"; kill -9 $child 2>/dev/null; wait $child",
            ])
            .arg(&delay)
            .arg(crate::programs().join("cogtools-code"))
            .args(["run", "--allow", "add", "--session", &session, "program.js"])
            .project(project.file("program.js", program))
            .run();
        let mut repeated = Vec::new();
        for _ in 0..30 {
            if end.status == Status::Exit(0) {
                break;
            }
            if !exists(&project.path(&session)) {
                end = code(
                    &project,
                    &["run", "--allow", "add", "--session", &session],
                    program,
                );
                continue;
            }
            end = resume(&project, &[&session, "--allow", "add"]);
            let stderr = String::from_utf8_lossy(&end.stderr).into_owned();
            if stderr.contains("the session has no program") || stderr.contains("INVALID_SESSION") {
                let _ = std::fs::remove_file(project.path(&session));
            } else if let Some((_, rest)) = stderr.split_once("error[CODE_INTERRUPTED]: step ") {
                // The only call that may run twice is one that a user has repeated.
                let step = rest.split(':').next().expect("a step").to_owned();
                end = resume(&project, &[&session, "--allow", "add", "--repeat", &step]);
                repeated.push(step);
            }
        }
        end.outputs("81\n");
        let added = std::fs::read_to_string(project.path("added")).expect("a file");
        let mut counts = [0; 13];
        added
            .lines()
            .for_each(|line| counts[line.parse::<usize>().expect("a number")] += 1);
        for (n, count) in counts.iter().enumerate().skip(1) {
            let most = 1 + repeated
                .iter()
                .filter(|step| **step == n.to_string())
                .count();
            assert!(
                (1..=most).contains(count),
                "{seed}: {n}: {count} of {most}\n{added}"
            );
        }
    }
}

#[test]
fn a_program_that_is_killed_goes_on() {
    kill_at_random(12);
}
