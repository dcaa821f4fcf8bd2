//! Programs that outlive their call, read what is not theirs, or use all there is.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_test_support::{Project, Run, Stdin, str};

use crate::{programs, project_with, run};

/// Writes the ID of its process and stays; it has no pipe, and ignores what it can.
const DAEMON: &str = "#!/bin/sh
trap '' TERM INT HUP
exec < /dev/null > /dev/null 2>&1
echo $$ >> pids
sleep 300
";

/// A project whose tool `t` runs this shell script, with `./daemon` beside it.
fn project(script: &str) -> Project {
    let script = script.replace('\n', "\n    ");
    let tool = format!(
        "name: t\ndescription: d\ntimeout: 20\nimplementation:\n  script: |\n    #!/bin/bash\n    {script}\n"
    );
    let project = project_with("t", &tool);
    project.program("daemon", DAEMON);
    project
}

fn call(project: &Project) -> Run {
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
fn all_end(pids: &[String]) {
    let lives = |pid: &String| {
        let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    };
    let end = Instant::now() + Duration::from_secs(1);
    while pids.iter().any(lives) {
        assert!(Instant::now() < end, "left behind: {pids:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Starts `shell`, where `$CALL` is `cogtools-call`.
fn start(project: &Project, shell: &str) -> Child {
    let mut child = Command::new("/bin/bash")
        .args(["-c", shell])
        .current_dir(project.root())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", project.home())
        .env("CALL", programs().join("cogtools-call"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(b"{}").expect("it reads");
    child
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
        // Nobody waits for what has closed its outputs.
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

/// Before: the program and all that it started went on.
#[test]
fn nothing_outlives_a_call_that_is_killed() {
    let project =
        project("trap '' TERM\n(setsid ./daemon &)\n./daemon &\necho $$ >> pids\nsleep 300");
    let mut host = start(&project, "\"$CALL\" t & echo $! > call; wait");
    let pids = pids(&project, 3);
    let killed = Command::new("/bin/kill")
        .args(["-KILL", project.read("call").trim()])
        .status();
    assert!(killed.expect("kill runs").success());
    host.wait().expect("it ends");
    all_end(&pids);
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
    let said = call(&project).stdin(Stdin::Terminal).arg("--help").run();
    said.succeeds();
    let line = format!(
        "script -qec '{} t < /dev/null' /dev/null < /dev/null",
        programs().join("cogtools-call").display()
    );
    let host = start(&project, &line);
    let output = host.wait_with_output().expect("its pipes are read");
    let text = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    assert_eq!(text, "No such device or address\n?\n");
}

/// What a program sees of its bounds.
#[test]
fn limits_and_privileges_of_a_program() {
    let project = project(
        "grep -E '^(NoNewPrivs|SigBlk):' /proc/self/status
grep -E 'core|data|open files|file size' /proc/self/limits | sed 's/  */ /g'",
    );
    call(&project).run().outputs(str![[r#"
SigBlk:	0000000000000000
NoNewPrivs:	1
Max file size 4294967296 4294967296 bytes 
Max data size 4294967296 4294967296 bytes 
Max core file size 0 0 bytes 
Max open files 16384 16384 files 

"#]]);
}

/// Before: a project could have everything.
#[test]
fn the_strictest_limits_apply() {
    let project = project("grep -E '(data|Max file) size' /proc/self/limits | sed 's/  */ /g'");
    let expected = str![[r#"
Max file size 2097152 2097152 bytes 
Max data size 67108864 67108864 bytes 

"#]];
    project
        .file(
            ".cogtoolrc.yaml",
            "limits: {memory: 8 TiB, file_size: 2 MiB, files: 100000000}\n",
        )
        .file(
            "../home/.gemini/cogtoolrc.yaml",
            "limits: {memory: 64 MiB, file_size: 8 GiB}\n",
        );
    call(&project).run().outputs(expected);
    project.remove("../home/.gemini/cogtoolrc.yaml");
    call(&project).run().outputs(str![[r#"
Max file size 2097152 2097152 bytes 
Max data size 4294967296 4294967296 bytes 

"#]]);
}

/// Before: it took all memory.
#[test]
fn memory_is_limited() {
    let project = project("exec dd if=/dev/zero of=/dev/null bs=200M count=1");
    project.file(".cogtoolrc.yaml", "limits: {memory: 64 MiB}\n");
    call(&project).run().fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the program exited with status 1
  | dd: memory exhausted by input buffer of size 209715200 bytes (200 MiB)

"#]],
    );
}

/// Before: it filled the disk.
#[test]
fn the_size_of_files_is_limited() {
    let project = project("exec yes > large");
    project.file(".cogtoolrc.yaml", "limits: {file_size: 2 MiB}\n");
    call(&project).run().fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the program was terminated by signal 25 (SIGXFSZ)
hint: it may use more if your own configuration sets `limits.file_size`; see cogtoolrc(5)

"#]],
    );
    let size = std::fs::metadata(project.path("large"))
        .expect("a file")
        .len();
    assert_eq!(size, 2 << 20);
}

/// A run of `cogtools-call` as another user, to whom limits of processes apply.
fn unprivileged(project: &Project) -> Run {
    for name in ["cogtools-call", "cogtools-confine"] {
        project.copy(format!("../bin/{name}"), programs().join(name));
    }
    let chown = || {
        let mut chown = Command::new("/bin/chown");
        let status = chown
            .args(["-R", "65534:65534"])
            .arg(project.path(".."))
            .status();
        status.expect("chown runs").success()
    };
    let is_root = chown();
    // The record names the owner, and belongs to the user.
    project.trust(".");
    chown();
    let run = Run::new("/usr/bin/setpriv").project(project);
    let run = if is_root {
        run.args(["--reuid=65534", "--regid=65534", "--clear-groups"])
    } else {
        run
    };
    run.arg(project.path("../bin/cogtools-call")).arg("t")
}

/// Before: it took all processes of the user.
#[test]
fn processes_are_limited() {
    let project = project(
        "for i in $(seq 400); do sleep 300 & echo $! >> pids; done 2> errors
grep -qm1 'Resource temporarily unavailable' errors; echo $?",
    );
    project.file(".cogtoolrc.yaml", "limits: {processes: 32}\n");
    unprivileged(&project)
        .limit(Duration::from_secs(60))
        .run()
        .status(1);
    let started: Vec<String> = project.read("pids").lines().map(str::to_owned).collect();
    assert!(started.len() < 400, "{}", started.len());
    all_end(&started);
}

/// Before: a program read the variables of the call, with the user's keys, from `/proc`.
#[test]
fn variables_of_our_processes_are_unreadable() {
    let project = project(
        "read -r _ _ _ call _ < /proc/$PPID/stat
for process in $$ $PPID $call; do
for file in environ maps fd cwd; do
ls /proc/$process/$file/ > /dev/null 2>&1 || head -c 1 /proc/$process/$file > /dev/null 2>&1
[ $? = 0 ] && echo \"$file of $process\" | sed s/$$/itself/
done
done
true",
    );
    unprivileged(&project)
        .env("GEMINI_API_KEY", "secret")
        .run()
        .outputs(str![[r#""#]]);
}
