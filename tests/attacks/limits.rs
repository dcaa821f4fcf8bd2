//! Programs that use all there is, or read what is not theirs.

use std::process::Command;
use std::time::Duration;

use cogtools_test_support::{Project, Run, str};

use super::processes::{all_end, call, project};
use crate::{CONFINE, programs, run};

/// The bounds that a program sees.
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
pub(super) fn unprivileged(project: &Project) -> Run {
    for name in ["cogtools-call", CONFINE] {
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
        .limit(Duration::from_mins(1))
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
        .outputs(str![[r#"
environ of itself
maps of itself
fd of itself
cwd of itself

"#]]);
}

/// Before: ten kilobytes of `(` ended the linter, and there was no report on the other files.
#[test]
fn deep_code_does_not_end_the_linter() {
    let project = Project::new();
    project.file(
        "tools/other.yaml",
        "name: other\ndescription: d\nimplementation: {js: \"return missing\"}\n",
    );
    for (at, part) in [
        "(", "[", "{", "!", "a=>", "`${", "typeof ", "a?b:", "new ", "if(a)",
    ]
    .into_iter()
    .enumerate()
    {
        let code = part.repeat(5_000);
        let tool =
            format!("name: t{at}\ndescription: d\nimplementation:\n  js: |\n    return {code}\n");
        project.file(format!("tools/t{at}.yaml"), tool);
    }
    let linted = run("cogtools-lint", &project)
        .args(["--format", "json", "tools"])
        .run();
    let rules = String::from_utf8_lossy(&linted.stdout).into_owned();
    assert_eq!(
        rules.matches("nests too deeply to be checked").count(),
        10,
        "{rules}"
    );
    assert!(rules.contains("js-undeclared-name"), "{rules}");
}
