//! Programs that outlive their call, or reach what its host has open.

use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_test_support::{Project, Run, assert_text, str};

use crate::{groups, programs, project_with, run};

/// Writes the ID of its process and stays; it has no pipe, and ignores what it can.
const DAEMON: &str = "#!/bin/sh
trap '' TERM INT HUP
exec < /dev/null > /dev/null 2>&1
echo $$ >> pids
sleep 300
";

/// A project whose tool `t` runs this shell script, with `./daemon` beside it.
pub(super) fn project(script: &str) -> Project {
    let script = script.replace('\n', "\n    ");
    let tool = format!(
        "name: t\ndescription: d\ntimeout: 20\nimplementation:\n  script: |\n    #!/bin/bash\n    {script}\n"
    );
    let project = project_with("t", &tool);
    project.program("daemon", DAEMON);
    project
}

pub(super) fn call(project: &Project) -> Run {
    run("cogtools-call", project).arg("t")
}

/// The processes in the file `pids`, once there are `count`.
fn pids(project: &Project, count: usize) -> Vec<String> {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let text = std::fs::read_to_string(project.path("pids")).unwrap_or_default();
        let pids: Vec<String> = text.lines().map(str::to_owned).collect();
        if pids.len() == count {
            return pids;
        }
        assert!(Instant::now() < end, "it did not start: {pids:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Asserts that the processes have ended, or do within a second.
#[track_caller]
pub(super) fn all_end(pids: &[String]) {
    let end = Instant::now() + Duration::from_secs(1);
    while pids.iter().any(|pid| groups::lives(pid)) {
        assert!(Instant::now() < end, "left behind: {pids:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Starts `shell`, where `$CALL` is `cogtools-call`.
fn start(project: &Project, shell: &str) -> Child {
    groups::start(project, "/bin/bash", &["-c", shell])
}

/// Kills the call that `host` has started, whose process is in the file `call`.
fn kill_call(project: &Project, host: &mut Child) {
    let killed = Command::new("/bin/kill")
        .args(["-KILL", project.read("call").trim()])
        .status();
    assert!(killed.expect("kill runs").success());
    host.wait().expect("it ends");
}

/// Before: what left the process group went on for ever.
#[test]
fn daemons_do_not_outlive_the_call() {
    for (start, count) in [
        ("setsid ./daemon &", 1),
        ("(setsid ./daemon &)", 1),
        ("(setsid sh -c '(setsid ./daemon &)' &)", 1),
        ("nohup ./daemon & disown", 1),
        ("set -m; ./daemon & ./daemon & disown -a", 2),
        ("setsid -f env -i ./daemon; setsid -f sh -c ./daemon", 2),
        (
            "for i in 1 2 3; do (setsid sh -c './daemon & ./daemon & wait' &); done",
            6,
        ),
    ] {
        let wait = format!("until [ \"$(wc -l < pids)\" = {count} ]; do sleep 0.01; done");
        let project = project(&format!("{start}\ntouch pids\n{wait}\necho done"));
        let begin = Instant::now();
        call(&project).run().outputs(str![[r#"
done

"#]]);
        // A daemon that has closed its outputs does not delay the call.
        assert!(begin.elapsed() < Duration::from_millis(2500), "{start}");
        all_end(&pids(&project, count));
    }
}

/// Before: they went on if they had left the group.
#[test]
fn daemons_end_after_a_timeout() {
    let project = project("(setsid ./daemon &)\nsetsid -f ./daemon\nsleep 300");
    let tool = project
        .read("tools/t.yaml")
        .replace("timeout: 20", "timeout: 1");
    project.file("tools/t.yaml", tool);
    call(&project).run().fails(
        124,
        str![[r#"
cogtools-call: error[TIMEOUT]: t: the tool timed out after 1 s
hint: send less, or give the tool more time with `timeout`

"#]],
    );
    all_end(&pids(&project, 2));
}

/// Programs of providers and MCP servers kept such a file open before.
#[test]
fn daemons_of_sources_do_not_outlive_them() {
    let server = crate::repository().join("tests/mcp/peers/server.py");
    for (then, source) in [
        (
            "echo '[]'",
            "{command: {discover: MINE, call: MINE, name: mine}}",
        ),
        (
            "exec python3 SERVER older",
            "{mcp: {command: MINE, name: mine}}",
        ),
    ] {
        let project = project("true");
        let mine = project.home().join("mine").display().to_string();
        let then = then.replace("SERVER", &server.display().to_string());
        let root = project.root().display().to_string();
        project.program(
            "../home/mine",
            format!(
                "#!/bin/bash\ncd '{root}'\n(setsid ./daemon &)\nsetsid -f ./daemon\n\
                 until [ \"$(wc -l < pids)\" = 2 ]; do sleep 0.01; done 2> /dev/null\n{then}\n"
            ),
        );
        let sources = format!("[{}]", source.replace("MINE", &mine));
        run("cogtools-discover", &project)
            .env("COGTOOLS_TOOL_SOURCES", sources)
            .run()
            .status(0)
            .stderr_is("");
        all_end(&pids(&project, 2));
    }
}

/// Before: the program and all that it started went on.
#[test]
fn nothing_outlives_a_call_that_is_killed() {
    let project =
        project("trap '' TERM\n(setsid ./daemon &)\n./daemon &\necho $$ >> pids\nsleep 300");
    let mut host = start(&project, "\"$CALL\" t & echo $! > call; wait");
    let pids = pids(&project, 3);
    kill_call(&project, &mut host);
    all_end(&pids);
}

/// Before: the flow went on with its next nodes.
#[test]
fn a_flow_ends_with_the_call_that_is_killed() {
    let project = project("./daemon &\necho $$ >> pids\nsleep 2");
    project.file(
        "tools/flows.yaml",
        "name: flows\ndescription: d\nimplementation:\n  flow:\n    nodes:\n      \
         one: {tool: t}\n      two: {needs: [one], tool: t}\n",
    );
    let mut host = start(&project, "\"$CALL\" flows & echo $! > call; wait");
    let pids = pids(&project, 2);
    kill_call(&project, &mut host);
    all_end(&pids);
    thread::sleep(Duration::from_secs(3));
    assert_eq!(project.read("pids").lines().count(), 2);
}

/// Before: the tool ran, and was reported as one that could not be started.
#[test]
fn a_host_may_ignore_the_end_of_its_children() {
    let project = project("echo $$ >> pids\necho done");
    let host = start(&project, "trap '' CHLD; exec \"$CALL\" t");
    let output = host.wait_with_output().expect("its pipes are read");
    let texts = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    assert_eq!(texts, ["done\n", ""]);
    project.file(
        "requests",
        concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"#,
            r#""2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
            "\n",
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}"#,
            "\n",
        ),
    );
    let serve = "trap '' CHLD; (cat requests; sleep 3) | \"${CALL%/*}/cogtools-mcp\"";
    let output = start(&project, serve).wait_with_output();
    let output = output.expect("its pipes are read");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains(r#""text":"done"#), "{text}");
}

/// A program can signal its parent, as all processes of the user.
#[test]
fn nothing_outlives_a_parent_that_is_killed_or_stopped() {
    let daemons = "(setsid ./daemon &)\n./daemon &\necho $$ >> pids\n\
                   until [ \"$(wc -l < pids)\" = 3 ]; do sleep 0.01; done\n";
    for (attack, error) in [
        ("kill -KILL $PPID", "was terminated by signal 9 (SIGKILL)"),
        (
            "exec > /dev/null 2>&1; kill -KILL $PPID",
            "was terminated by signal 9 (SIGKILL)",
        ),
        ("kill -QUIT $PPID", "was terminated by signal 9 (SIGKILL)"),
        ("kill -ABRT $PPID", "was terminated by signal 6 (SIGABRT)"),
        (
            "kill -USR1 $PPID; kill -KILL $$",
            "was terminated by signal 9 (SIGKILL)",
        ),
        ("kill -KILL 0", "was terminated by signal 9 (SIGKILL)"),
    ] {
        let project = project(&format!("{daemons}{attack}\nsleep 300"));
        let stderr = format!("cogtools-call: error[TOOL_FAILED]: t: the program {error}\n");
        call(&project).run().fails(1, stderr);
        all_end(&pids(&project, 3));
    }
    let project = project(&format!("{daemons}kill -STOP $PPID\nsleep 300"));
    let tool = project
        .read("tools/t.yaml")
        .replace("timeout: 20", "timeout: 1");
    project.file("tools/t.yaml", tool);
    call(&project).run().status(124);
    all_end(&pids(&project, 3));
}

/// Before: a file that the host had open was open in the program.
#[test]
fn descriptors_are_not_inherited() {
    let project = project("ls /proc/$$/fd | tr '\\n' ' '; cat <&7 || cat <&3");
    project.file("../home/secret", "secret");
    let host = start(
        &project,
        "exec 3< ../home/secret 7< ../home/secret 200< .; \"$CALL\" t",
    );
    let output = host.wait_with_output().expect("its pipes are read");
    // 255 is bash's own: the script.
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("7: Bad file descriptor"), "{stderr}");
    assert!(stderr.contains("3: Bad file descriptor"), "{stderr}");
    assert!(!stderr.contains("secret"), "{stderr}");
}

/// Before: `/dev/tty` was the user's terminal, to write to and to type into.
#[test]
fn there_is_no_terminal() {
    let project = project("(: > /dev/tty) 2>&1 | sed 's/.*tty: //'; ps -o tty= -p $$");
    let line = format!(
        "script -qec '{} t < /dev/null' /dev/null < /dev/null",
        programs().join("cogtools-call").display()
    );
    let host = start(&project, &line);
    let output = host.wait_with_output().expect("its pipes are read");
    let text = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    assert_eq!(text, "No such device or address\n?\n");
}

/// Before: where the session began outside the container, as with `docker exec`, it has no number
/// there, and a program that was terminated ended the call with an internal error.
#[test]
fn in_a_container_nothing_outlives_the_call() {
    let project = project("(setsid ./daemon &)\nsetsid -f ./daemon\nsleep 300");
    let tool = project
        .read("tools/t.yaml")
        .replace("timeout: 20", "timeout: 1");
    project.file("tools/t.yaml", tool);
    let container = "unshare --user --map-current-user --pid --fork --kill-child --mount-proc";
    let probe = start(&project, &format!("{container} true")).wait();
    if !probe.expect("it ends").success() {
        eprintln!("skipped: this user cannot make a container");
        return;
    }
    let inside = "\"$CALL\" t; echo status $?
for pid in $(cat pids); do test -e /proc/$pid && echo left behind; done
wc -l < pids";
    let host = start(&project, &format!("{container} bash -c '{inside}'"));
    let output = host.wait_with_output().expect("its pipes are read");
    assert_text(
        output.stderr,
        str![[r#"
cogtools-call: error[TIMEOUT]: t: the tool timed out after 1 s
hint: send less, or give the tool more time with `timeout`

"#]],
    );
    assert_text(output.stdout, "status 124\n2\n");
}
