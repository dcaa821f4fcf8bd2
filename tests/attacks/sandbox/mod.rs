//! Programs in a sandbox: what they try, and what becomes of it.

mod hosts;
mod kernel;
mod modes;
mod strangers;
mod walls;

use cogtools_test_support::{Outcome, Project, Run, str};

use super::processes::all_end;
use crate::run;

/// Makes attempts.
pub(super) const PROBE: &str = include_str!("probe.py");

/// A project with something to protect, and a link that leads to it.
pub(super) fn scene() -> Project {
    let project = Project::new();
    project
        .file("notes", "mine\n")
        .file("../home/.ssh/key", "secret\n")
        .file("tools/probe.py", PROBE)
        .dir("out")
        .link("link-to-key", project.home().join(".ssh/key"))
        .link("out/link", project.home());
    project
}

/// The tool `t`, which makes these attempts in this sandbox.
pub(super) fn probe(project: &Project, sandbox: &str, attempts: &str) -> String {
    let tool = format!(
        "name: t\ndescription: d\nenv: [OUTSIDE]\nsandbox: {sandbox}\nimplementation:\n  exec: [python3, tools/probe.py, \
         {attempts:?}]\n"
    );
    project.file("tools/t.yaml", &tool);
    tool
}

pub(super) fn call(project: &Project) -> Run {
    run("cogtools-call", project)
        .arg("t")
        .env("OUTSIDE", std::process::id().to_string())
}

/// All walls, those without a namespace of processes, and Landlock alone.
const LAYERS: [&str; 3] = ["", "files", "landlock"];

#[track_caller]
fn attempts(sandbox: &str, attempts: &str) -> Outcome {
    behind("", sandbox, attempts)
}

/// The outcome of attempts behind the walls `layers`.
#[track_caller]
fn behind(layers: &str, sandbox: &str, attempts: &str) -> Outcome {
    let project = scene();
    probe(&project, sandbox, attempts);
    let outcome = call(&project).env("COGTOOLS_SANDBOX_LAYERS", layers).run();
    assert!(!project.path("../home/file").exists());
    outcome
}

#[test]
fn a_tool_of_the_project_without_a_sandbox_is_not_confined() {
    let project = scene();
    let tool = probe(&project, "{}", "read key,write project,tcp,udp");
    project.file("tools/t.yaml", tool.replace("sandbox: {}\n", ""));
    call(&project).run().outputs(str![[r#"
read key: done
write project: done
tcp: done
udp: done

"#]]);
}

#[test]
fn nothing_but_what_a_sandbox_names_can_be_read() {
    let all = "read key,list home,read project,read through link,read by child,\
               read environment,read map,raise limit";
    attempts("{}", all).outputs(str![[r#"
read key: denied
list home: denied
read project: done
read through link: denied
read by child: denied
read environment: denied
read map: denied
raise limit: not allowed to raise maximum limit

"#]]);
    attempts("{read: []}", "read key,read project").outputs(str![[r#"
read key: denied
read project: denied

"#]]);
    attempts("{read: [~/.ssh]}", "read key,list home,read project").outputs(str![[r#"
read key: done
list home: denied
read project: denied

"#]]);
}

#[test]
fn nothing_but_what_a_sandbox_names_can_be_written() {
    let all = "write project,write out,write home,write through link,truncate,remove,rename,link,\
               write by child,write temporary,write /tmp";
    attempts("{}", all).outputs(str![[r#"
write project: denied
write out: denied
write home: denied
write through link: denied
truncate: denied
remove: denied
rename: denied
link: denied
write by child: denied
write temporary: done
write /tmp: denied

"#]]);
    attempts("{write: [out]}", all).outputs(str![[r#"
write project: denied
write out: done
write home: denied
write through link: denied
truncate: denied
remove: denied
rename: [Errno 18] Invalid cross-device link: 'notes' -> 'out/notes'
link: [Errno 18] Invalid cross-device link: 'notes' -> 'out/hard'
write by child: denied
write temporary: done
write /tmp: denied

"#]]);
}

#[test]
fn there_are_no_sockets_without_the_network() {
    let all = "tcp,udp,unix socket,datagram pair,pair,netlink,packet";
    attempts("{}", all).outputs(str![[r#"
tcp: denied
udp: denied
unix socket: denied
datagram pair: denied
pair: done
netlink: denied
packet: denied

"#]]);
    attempts("{net: true}", "tcp,udp,unix socket,read key").outputs(str![[r#"
tcp: done
udp: done
unix socket: done
read key: denied

"#]]);
}

#[test]
fn other_processes_get_no_signals() {
    attempts("{}", "signal").outputs(str![[r#"
signal: denied

"#]]);
}

#[test]
fn memory_is_what_the_sandbox_says() {
    attempts("{memory: 256 MiB}", "memory").outputs(str![[r#"
memory: denied

"#]]);
    attempts("{}", "memory").outputs(str![[r#"
memory: done

"#]]);
}

#[test]
fn a_folder_that_a_tool_may_write_is_made_in_the_project_only() {
    let project = scene();
    probe(&project, "{write: [new/deep]}", "write project");
    call(&project).run().outputs(str![[r#"
write project: denied

"#]]);
    assert!(project.path("new/deep").is_dir());
    for sandbox in [
        "{write: [out/link/new]}",
        "{write: [out/link/new.json]}",
        "{read: [link-to-key]}",
    ] {
        probe(&project, sandbox, "read key");
        let outcome = call(&project).run();
        outcome
            .status(78)
            .stderr_contains("is a link that leaves the project");
        assert!(!project.path("../home/new").exists());
        assert!(!project.path("../home/new.json").exists());
    }
}

#[test]
fn a_file_that_a_tool_may_write_is_made_by_its_name() {
    let project = scene();
    for (path, is_file) in [
        ("notes.json", true),
        ("deep/app.db", true),
        ("v1.2", false),
        ("notes.txt/", false),
        (".hidden", false),
    ] {
        project.file(
            "tools/t.yaml",
            format!(
                "name: t\ndescription: d\nsandbox: {{write: [{path}]}}\nimplementation:\n  \
                 script: |\n    #!/bin/sh\n    echo kept >> {path}\n"
            ),
        );
        for layers in LAYERS {
            let written = call(&project).env("COGTOOLS_SANDBOX_LAYERS", layers).run();
            assert_eq!(written.status == 0.into(), is_file, "{path} {layers}");
        }
        if is_file {
            assert_eq!(project.read(path), "kept\n".repeat(LAYERS.len()));
        }
        assert_eq!(project.path(path).is_dir(), !is_file, "{path}");
    }
}

#[test]
fn a_temporary_folder_is_removed_after_the_call() {
    let project = scene();
    project.dir("../tmp").file(
        "tools/t.yaml",
        "name: t\ndescription: d\nsandbox: {}\nimplementation:\n  script: |\n    #!/bin/sh\n    \
         mkdir \"$TMPDIR/deep\" && echo x > \"$TMPDIR/deep/file\" && chmod 0 \"$TMPDIR/deep/file\"\n    \
         ls \"$TMPDIR/deep\"\n",
    );
    let tmp = project.path("../tmp");
    call(&project).env("TMPDIR", &tmp).run().outputs(str![[r#"
file

"#]]);
    let left = std::fs::read_dir(tmp).expect("a folder").count();
    assert_eq!(left, 0);
}

/// A fork bomb ends, and with it all that it has started. Before: it had as many processes more as
/// others of the user had fewer.
#[test]
fn processes_are_what_the_sandbox_says() {
    let project = scene();
    project.file(
        "tools/t.yaml",
        "name: t\ndescription: d\nsandbox: {write: [.], processes: 20}\nimplementation:\n  script: |\n    \
         #!/bin/bash\n    for i in $(seq 400); do sleep 300 & echo $! >> pids; done 2> errors\n    \
         sleep 300\n",
    );
    for layers in LAYERS {
        project.file("pids", "");
        let call = super::limits::unprivileged(&project).env("COGTOOLS_SANDBOX_LAYERS", layers);
        let call = call.limit(std::time::Duration::from_mins(1)).run();
        call.fails(
            1,
            str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the program was terminated: it needed more memory, processes or CPU time than it may have
hint: it may use more if your own configuration sets `limits.memory`, `limits.processes` or `limits.cpu`; see cogtoolrc(5)

"#]],
        );
        let started: Vec<String> = project.read("pids").lines().map(str::to_owned).collect();
        assert!(started.len() < 400, "{}", started.len());
        // Others have their own numbers.
        if layers == "landlock" {
            all_end(&started);
        }
    }
}

/// CPU time counts for all processes together, also for those that have ended.
#[test]
fn cpu_time_is_limited() {
    let spin = "python3 -c 'import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass'";
    let spins = [
        "while :; do :; done",
        &format!("while :; do {spin}; done").replace('\n', "\n    "),
    ];
    for (spin, layers) in spins.iter().zip(LAYERS) {
        let project = scene();
        let tool = format!(
            "name: t\ndescription: d\nsandbox: {{cpu: 1}}\nimplementation:\n  script: |\n    \
             #!/bin/bash\n    {spin}\n"
        );
        project.file("tools/t.yaml", &tool);
        let begin = std::time::Instant::now();
        let call = call(&project).env("COGTOOLS_SANDBOX_LAYERS", layers).run();
        call.fails(
            1,
            str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the program was terminated: it needed more memory, processes or CPU time than it may have
hint: it may use more if your own configuration sets `limits.memory`, `limits.processes` or `limits.cpu`; see cogtoolrc(5)

"#]],
        );
        assert!(begin.elapsed().as_secs() >= 1, "{:?}", begin.elapsed());
    }
}
