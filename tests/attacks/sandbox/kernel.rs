//! Other processes and the kernel's own stores: a program in a sandbox reaches neither.

use std::fs;

use cogtools_test_support::str;

use super::super::limits::unprivileged;
use super::{LAYERS, attempts, behind, call, probe, scene};

#[test]
fn nothing_in_the_kernel_is_shared_with_other_processes() {
    let all = "add key,session keys,shared memory,queue,semaphore,posix queue";
    for (sandbox, layers) in [("{}", ""), ("{net: true}", ""), ("{net: true}", "landlock")] {
        behind(layers, sandbox, all).outputs(str![[r#"
add key: denied
session keys: denied
shared memory: denied
queue: denied
semaphore: denied
posix queue: denied

"#]]);
    }
}

#[test]
fn other_processes_keep_their_limits_and_priorities() {
    let all = "limit other,processors of other,schedule other,priority of other,own priority,\
               own limit";
    for layers in LAYERS {
        behind(layers, "{}", all).outputs(str![[r#"
limit other: denied
processors of other: denied
schedule other: denied
priority of other: denied
own priority: done
own limit: done

"#]]);
    }
}

/// Before: a program stopped the process that ends it.
#[test]
fn a_program_does_not_stop_its_supervisor() {
    let all = "stop supervisor,stop its group,stop all,hide files";
    for layers in LAYERS {
        behind(layers, "{}", all).outputs(str![[r#"
stop supervisor: denied
stop its group: denied
stop all: denied
hide files: denied

"#]]);
    }
}

/// Before: only private memory of one process counted.
#[test]
fn memory_is_limited_whatever_it_is() {
    for (how, and) in USES_OF_MEMORY {
        let project = scene();
        let script = format!("import mmap, os, time\n{how}\n{and}\nprint('survived')\n");
        project.file("tools/use.py", script).file(
            "tools/t.yaml",
            "name: t\ndescription: d\nsandbox: {memory: 64 MiB}\nimplementation:\n  exec: [python3, tools/use.py]\n",
        );
        for is_user in [false, true] {
            let run = if is_user {
                unprivileged(&project).env("PATH", "/usr/bin:/bin")
            } else {
                call(&project)
            };
            run.run().fails(1, str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the program was terminated: it needed more memory, processes or CPU time than it may have
hint: it may use more if your own configuration sets `limits.memory`, `limits.processes` or `limits.cpu`; see cogtoolrc(5)

"#]]);
        }
    }
}

/// Memory, and a use of it.
const USES_OF_MEMORY: [(&str, &str); 3] = [
    (
        "m = mmap.mmap(-1, 600 << 20)",
        "for at in range(0, 600 << 20, 4096): m[at] = 1",
    ),
    (
        "f = os.memfd_create('f')",
        "for _ in range(600): os.write(f, b'x' * (1 << 20))",
    ),
    // Each of the eight processes alone has less than the limit.
    (
        "children = [os.fork() for _ in range(3)]\nb = bytearray(20 << 20)",
        "for at in range(0, len(b), 4096): b[at] = 1\ntime.sleep(5)",
    ),
];

#[test]
fn no_file_runs_as_another_user() {
    let all = "set user id,set group id,fchmod,fchmodat2,make with user id,make a node with user id,\
               make a folder with group id,make";
    attempts("{}", all).outputs(str![[r#"
set user id: denied
set group id: denied
fchmod: denied
fchmodat2: denied
make with user id: denied
make a node with user id: denied
make a folder with group id: denied
make: done

"#]]);
}

#[test]
fn the_temporary_folder_is_private_and_goes_whatever_its_mode_is() {
    let project = scene();
    let tool = probe(&project, "{}", "");
    let script = "stat -c %a \"$TMPDIR\"; mkdir -p \"$TMPDIR/a/b\"; touch \"$TMPDIR/a/b/c\"; \
                  chmod 0 \"$TMPDIR/a/b\" \"$TMPDIR/a\" \"$TMPDIR\"";
    let (head, _) = tool
        .split_once("implementation")
        .expect("an implementation");
    let tool = format!("{head}implementation: {{exec: [sh, -c, {script:?}]}}\n");
    project.file("tools/t.yaml", tool).dir("tmp");
    let folder = project.path("tmp");
    let called = call(&project).env("TMPDIR", folder.display().to_string());
    called.run().outputs("700\n");
    let left = fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(left, 0);
}
