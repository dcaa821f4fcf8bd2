//! No process outlives the call that started it.

use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_test_support::{Project, str};

use crate::{programs, project_with, run};

/// A tool that ignores SIGTERM, has a child and a grandchild, and prints the ids of
/// all three processes.
const STUBBORN: &str = "\
name: t
description: d
timeout: 60
implementation:
  script: |
    #!/bin/bash
    trap '' TERM INT HUP
    echo $$ >> pids
    bash -c 'trap \"\" TERM; echo $$ >> pids; (echo $BASHPID >> pids; sleep 300); sleep 300' &
    sleep 300
    sleep 300
";

/// The processes that the tool has printed, once there are three.
fn pids(project: &Project) -> Vec<String> {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let text = std::fs::read_to_string(project.path("pids")).unwrap_or_default();
        let pids: Vec<String> = text.lines().map(str::to_owned).collect();
        if pids.len() == 3 {
            return pids;
        }
        assert!(Instant::now() < end, "the tool did not start: {pids:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Returns true if a process is running, and is not a zombie that another process must reap.
pub(super) fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

/// The command lines with `word` in them, by process.
pub(super) fn with(word: &str) -> Vec<(u32, String)> {
    let processes = std::fs::read_dir("/proc").expect("processes").flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let line = |id: u32| std::fs::read_to_string(format!("/proc/{id}/cmdline")).ok();
    let lines = numbers.filter_map(|id| Some((id, line(id)?)));
    lines.filter(|(_, line)| line.contains(word)).collect()
}

/// Waits until there are processes with `word`, or none.
#[track_caller]
pub(super) fn wait_for(word: &str, some: bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while with(word).is_empty() == some {
        assert!(Instant::now() < end, "{:?}", with(word));
        thread::sleep(Duration::from_millis(10));
    }
}

#[track_caller]
fn all_end(pids: &[String]) {
    let end = Instant::now() + Duration::from_secs(5);
    while pids.iter().any(|pid| lives(pid)) {
        assert!(Instant::now() < end, "left behind: {pids:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

fn wait(child: &mut Child) -> std::process::ExitStatus {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return status;
        }
        assert!(Instant::now() < end, "it does not end");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Starts `program`, with `$CALL` for `cogtools-call`, and sends it no arguments of a tool.
pub(super) fn start(project: &Project, program: &str, args: &[&str]) -> Child {
    let mut child = Command::new(program)
        .args(args)
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
    drop(stdin);
    child
}

pub(crate) fn signal(name: &str, pid: u32) {
    let status = Command::new("/bin/sh")
        .args(["-c", &format!("kill -{name} {pid}")])
        .status();
    assert!(status.expect("a shell runs").success());
}

#[test]
fn on_timeout() {
    let project = project_with("t", &STUBBORN.replace("timeout: 60", "timeout: 1"));
    let outcome = run("cogtools-call", &project).arg("t").run();
    outcome.fails(
        124,
        str![[r#"
cogtools-call: error[TIMEOUT]: t: the tool timed out after 1 s
hint: send less, or give the tool more time with `timeout`

"#]],
    );
    let pids = pids(&project);
    assert!(!pids.iter().any(|pid| lives(pid)), "{pids:?}");
}

#[test]
fn on_a_signal_to_the_call() {
    for (name, status) in [("TERM", 143), ("INT", 130), ("HUP", 129), ("QUIT", 131)] {
        let project = project_with("t", STUBBORN);
        let call = programs().join("cogtools-call");
        let mut child = start(&project, &call.to_string_lossy(), &["t"]);
        let pids = pids(&project);
        signal(name, child.id());
        let ended = wait(&mut child);
        assert_eq!(ended.code(), Some(status), "{name}");
        assert!(!pids.iter().any(|pid| lives(pid)), "{name}: {pids:?}");
        let said = child.wait_with_output().expect("its pipes are read");
        assert_eq!(
            (said.stdout, said.stderr),
            (Vec::new(), Vec::new()),
            "{name}"
        );
    }
}

#[test]
fn on_a_signal_to_discovery() {
    for (program, args) in [("cogtools-discover", &[][..]), ("cogtools-call", &["x"])] {
        let project = Project::new();
        let (_, script) = STUBBORN.split_once("script: |\n").unwrap_or_default();
        // It does not start in the project.
        let first = format!("#!/bin/bash\ncd '{}'\n", project.root().display());
        let script = script.replace("    ", "").replace("#!/bin/bash\n", &first);
        project.program("../home/p", script).file(
            "../home/.gemini/cogtoolrc.yaml",
            format!(
                "tool_sources: [{{command: {{discover: [{0}], call: [{0}], timeout: 60}}}}]\n",
                project.home().join("p").display()
            ),
        );
        let mut child = start(&project, &programs().join(program).to_string_lossy(), args);
        let pids = pids(&project);
        signal("TERM", child.id());
        assert_eq!(wait(&mut child).code(), Some(143), "{program}");
        assert!(!pids.iter().any(|pid| lives(pid)), "{program}: {pids:?}");
    }
}

#[test]
fn on_a_signal_to_the_doctor() {
    let project = Project::new();
    let (_, script) = STUBBORN.split_once("script: |\n").unwrap_or_default();
    let command = project.home().join("p").display().to_string();
    let trusted = format!("{{\"{}\": \"TRUST_FOLDER\"}}", project.root().display());
    project
        .program("../home/p", script.replace("    ", ""))
        .file("../home/.gemini/trustedFolders.json", trusted)
        .file(
            ".gemini/settings.json",
            format!("{{\"toolDiscoveryCommand\": \"{command}\", \"tools\": {{\"discoveryCommand\": \"{command}\"}}}}"),
        );
    let doctor = programs().join("cogtools-doctor");
    let mut child = start(&project, &doctor.to_string_lossy(), &[]);
    let pids = pids(&project);
    signal("TERM", child.id());
    assert_eq!(wait(&mut child).code(), Some(143));
    assert!(!pids.iter().any(|pid| lives(pid)), "{pids:?}");
    let said = child.wait_with_output().expect("its pipes are read");
    assert_eq!((said.stdout, said.stderr), (Vec::new(), Vec::new()));
}

#[test]
fn when_the_host_dies() {
    let project = project_with("t", STUBBORN);
    let line = "\"$CALL\" t & echo $! > call; wait";
    let mut host = start(&project, "/bin/bash", &["-c", line]);
    let mut pids = pids(&project);
    pids.push(project.read("call").trim().to_owned());
    assert!(pids.iter().all(|pid| lives(pid)), "{pids:?}");
    signal("KILL", host.id());
    assert_eq!(wait(&mut host).signal(), Some(9));
    all_end(&pids);
}

#[test]
fn nohup_is_respected() {
    let tool = "\
name: t
description: d
implementation: {exec: [sh, -c, 'echo a >> pids; echo b >> pids; echo c >> pids; sleep 1; echo done > done']}
";
    let project = project_with("t", tool);
    let line = "trap '' HUP; \"$CALL\" t & wait";
    let mut host = start(&project, "/bin/bash", &["-c", line]);
    pids(&project);
    signal("KILL", host.id());
    wait(&mut host);
    let end = Instant::now() + Duration::from_secs(10);
    while !project.path("done").exists() {
        assert!(Instant::now() < end, "it did not go on");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn background_children_with_open_pipes() {
    let tool = "\
name: t
description: d
implementation:
  script: |
    #!/bin/bash
    trap '' TERM
    for i in 1 2; do sleep 300 & echo $! >> pids; done
    echo $$ >> pids
    echo done
";
    let project = project_with("t", tool);
    run("cogtools-call", &project)
        .arg("t")
        .run()
        .outputs(str![[r#"
done

"#]]);
    all_end(&pids(&project));
}

#[test]
fn a_flood_is_ended() {
    let project = project_with(
        "t",
        "name: t\ndescription: d\nimplementation: {exec: [yes]}\n",
    );
    // The model reads the end of the output, here as many lines as fit.
    let end = "  | y
"
    .repeat(4095);
    let stderr = format!(
        "cogtools-call: error[TOOL_FAILED]: t: the program printed more than 256 MiB and was terminated
  | [1040386 bytes before this are left out]
{end}hint: ask the tool for less
"
    );
    run("cogtools-call", &project)
        .arg("t")
        .run()
        .fails(1, stderr);
}
