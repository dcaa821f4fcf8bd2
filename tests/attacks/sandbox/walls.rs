//! All walls, as root and as a user.

use std::os::unix::net::UnixListener;
use std::process::Command;

use cogtools_test_support::{Project, Run, str};

use crate::groups::{start, wait_for, with};
use crate::programs;

use super::super::limits::unprivileged;
use super::{LAYERS, call, probe, scene};

/// Landlock alone.
const LANDLOCK: &str = "landlock";
/// All namespaces but the one of processes, as in a container that hides a part of `/proc`.
const FILES: &str = "files";

/// A project with secrets, and with what is run later.
fn project() -> Project {
    let project = scene();
    project
        .file(".env", "KEY=1\n")
        .file("app/.npmrc", "token\n")
        .file(".git/config", "url = https://me:word@host/r\n")
        .dir(".git/hooks")
        .file("Makefile", "all:\n");
    project
}

/// A call of the tool, by root or by a user.
fn run(project: &Project, is_root: bool) -> Run {
    if is_root {
        return call(project);
    }
    let run = unprivileged(project).env("OUTSIDE", "1");
    run.env("PATH", "/usr/bin:/bin")
}

/// Makes the attempts behind the wall `layers`, as root and as a user, with one outcome.
#[track_caller]
fn attempts(sandbox: &str, attempts: &str, layers: &str, expected: &str) {
    for is_root in [true, false] {
        let project = project();
        probe(&project, sandbox, attempts);
        let run = run(&project, is_root).env("COGTOOLS_SANDBOX_LAYERS", layers);
        run.run().outputs(expected);
        assert_eq!(project.read(".env"), "KEY=1\n");
        assert_eq!(project.read("Makefile"), "all:\n");
    }
}

#[test]
fn secrets_are_not_part_of_the_project_unless_they_are_named() {
    for layers in ["", FILES, LANDLOCK] {
        attempts(
            "{}",
            "read secrets,read project",
            layers,
            "read secrets: denied\nread project: done\n",
        );
        attempts(
            "{read: [.env]}",
            "read secrets",
            layers,
            "read secrets: done\n",
        );
        attempts(
            "{write: [.]}",
            "read secrets",
            layers,
            "read secrets: denied\n",
        );
    }
}

#[test]
fn a_workspace_is_written_but_not_what_runs_later() {
    let all = "read secrets,write project,write out,write new,write hook,move hook,write makefile,\
               write home,tcp";
    let expected = |new: &str| {
        format!(
            "read secrets: denied\nwrite project: done\nwrite out: done\nwrite new: {new}\n\
             write hook: denied\nmove hook: denied\nwrite makefile: denied\nwrite home: denied\n\
             tcp: denied\n"
        )
    };
    attempts("workspace", all, "", &expected("done"));
    attempts("workspace", all, LANDLOCK, &expected("denied"));
}

/// A project with tools in two folders, whose tool `t` runs `script`.
fn with_script(script: &str) -> Project {
    let project = Project::new();
    let tool = format!(
        "name: t\ndescription: d\nsandbox: workspace\nimplementation:\n  script: |\n    #!/bin/sh\n    \
         {script}\n"
    );
    project
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{local: lib/tools}, {local: team}]\n",
        )
        .file("lib/tools/t.yaml", tool)
        .dir("team");
    project
}

/// Before: only the folder of the tool itself was kept, and the one around it could be moved away.
#[test]
fn a_workspace_gets_no_tools_in_any_of_their_folders() {
    for script in [
        "echo >> team/evil.yaml",
        "mv lib other",
        "mv lib/tools lib/other",
    ] {
        let project = with_script(script);
        call(&project).run().status(1);
        assert!(project.path("lib/tools/t.yaml").exists(), "{script}");
        assert!(!project.path("team/evil.yaml").exists(), "{script}");
    }
}

/// Before: a tool made a configuration with a tool of its own, which then ran without a sandbox.
#[test]
fn a_project_with_something_made_that_runs_later_is_not_trusted() {
    let project = with_script("echo made > made; mkdir .husky; echo done");
    call(&project).run().fails(
        77,
        str![[r#"
cogtools-call: error[DENIED]: t: it has made `.husky`, which is run later; its sandbox does not permit that
hint: the project is no longer trusted; review it: cogtools trust .

"#]],
    );
    assert_eq!(project.read("made"), "made\n");
    call(&project)
        .run()
        .status(77)
        .stderr_contains("its project is not trusted yet");
    project.trust(".");
    call(&project).run().outputs("done\n");
}

#[test]
fn modes_and_times_of_files_stay_where_there_are_namespaces() {
    let all = "change mode,change times";
    attempts("{}", all, "", "change mode: denied\nchange times: denied\n");
    attempts(
        "{}",
        all,
        LANDLOCK,
        "change mode: done\nchange times: done\n",
    );
}

/// Before: names, sizes and times of all files were visible.
#[test]
fn files_of_others_are_not_there_where_there_are_namespaces() {
    let all = "see key,see home,see project";
    let shown = "see project: done\n";
    for layers in ["", FILES] {
        let expected = format!("see key: denied\nsee home: denied\n{shown}");
        attempts("{}", all, layers, &expected);
    }
    let expected = format!("see key: done\nsee home: done\n{shown}");
    attempts("{}", all, LANDLOCK, &expected);
}

/// Before: command lines of all processes were visible.
#[test]
fn processes_of_others_are_not_there_where_there_is_a_namespace_of_processes() {
    for (layers, outcome) in [("", "denied"), (FILES, "done"), (LANDLOCK, "done")] {
        let expected = format!("see processes: {outcome}\n");
        attempts("{}", "see processes", layers, &expected);
    }
}

/// The process that started this one.
fn parent(id: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split(' ').nth(1)?.parse().ok()
}

#[test]
fn everything_ends_with_the_call_or_with_what_watches_over_it() {
    for layers in LAYERS {
        let project = project();
        // An option of a time is like a name.
        let time = format!("30{}.{}", layers.len(), std::process::id());
        let script =
            format!("(setsid -f sleep {time}) > out/x 2>&1; touch out/started; sleep {time}");
        let tool = format!(
            "name: t\ndescription: d\nsandbox: {{write: [out]}}\nimplementation:\n  exec: [sh, -c, {script:?}]\n"
        );
        project.file("tools/t.yaml", tool);
        project.trust(".");
        let layers = format!("COGTOOLS_SANDBOX_LAYERS={layers}");
        for is_call in [true, false] {
            let call = programs().join("cogtools-call").display().to_string();
            let mut call = start(&project, "/usr/bin/env", &[&layers, &call, "t"]);
            wait_for(&format!("sleep\0{time}"), true);
            if is_call {
                call.kill().expect("it runs");
            } else {
                let watching = with("cogtools-confine");
                let of_call = watching
                    .iter()
                    .find(|(id, line)| line.contains(&time) && parent(*id) == Some(call.id()));
                let id = of_call.expect("one watches").0.to_string();
                let kill = Command::new("/bin/kill").args(["-9", &id]).status();
                assert!(kill.expect("it starts").success());
            }
            wait_for(&time, false);
            call.wait().expect("it has ended");
        }
    }
}

/// A service such as Docker runs programs without a sandbox.
#[test]
fn a_service_is_reached_if_its_socket_is_named() {
    for (sandbox, layers, outcome) in [
        ("{net: true}", "", "denied"),
        ("{net: true}", FILES, "denied"),
        ("{net: true, read: [~/service]}", "", "done"),
        ("{net: true}", LANDLOCK, "done"),
    ] {
        for is_root in [true, false] {
            let project = project();
            let socket = UnixListener::bind(project.home().join("service"));
            let _socket = socket.expect("a socket");
            probe(&project, sandbox, "service");
            let run = run(&project, is_root).env("COGTOOLS_SANDBOX_LAYERS", layers);
            run.run().outputs(format!("service: {outcome}\n"));
        }
    }
}

#[test]
fn a_sandbox_is_a_map_or_a_word() {
    let project = scene();
    probe(&project, "workshop", "tcp");
    call(&project).run().fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:4:10: `sandbox` takes a map or `workspace`, not a string
   |
 4 | sandbox: workshop
   |          ^^^^^^^^
hint: write `sandbox: workspace`, or `sandbox: {write: [out], net: true}`

"#]],
    );
}
