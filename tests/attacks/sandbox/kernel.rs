//! Other processes and the kernel's own stores: a program in a sandbox reaches neither.

use std::fs;

use cogtools_test_support::str;

use super::{attempts, call, probe, scene};

#[test]
fn nothing_in_the_kernel_is_shared_with_other_processes() {
    let all = "add key,session keys,shared memory,queue,semaphore";
    for sandbox in ["{}", "{net: true}"] {
        attempts(sandbox, all).outputs(str![[r#"
add key: denied
session keys: denied
shared memory: denied
queue: denied
semaphore: denied

"#]]);
    }
}

#[test]
fn other_processes_keep_their_limits_and_priorities() {
    let all = "limit other,processors of other,schedule other,priority of other,own priority,\
               own limit";
    attempts("{}", all).outputs(str![[r#"
limit other: denied
processors of other: denied
schedule other: denied
priority of other: denied
own priority: done
own limit: done

"#]]);
}

#[test]
fn no_file_runs_as_another_user() {
    let all = "set user id,set group id,make with user id,make a node with user id,make";
    attempts("{}", all).outputs(str![[r#"
set user id: denied
set group id: denied
make with user id: denied
make a node with user id: denied
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
