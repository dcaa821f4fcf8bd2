//! The files that the approval of a provider covers, and the files that it shows as not covered.

use cogtools_test_support::str;

use super::provider_copies::{discover, is_changed, review, scene, trust};
use crate::run;

#[test]
fn what_is_not_covered_is_shown() {
    let project = scene("[sh, ./pro/run, --config=./pro/lib]");
    project
        .file("shared", "")
        .link("pro/link", "../shared")
        .file("pro/more", "");
    review(&project).outputs(str![[r#"
a program in a sandbox can still
  see names of your files and other processes, and change permissions, owners and times (where users have no namespaces, as `cogtools doctor` says; contents, memory and variables are protected)
  signal your other processes, or empty files that it may not write (before Linux 6.12, or 6.2; a warning says so before 6.2)
  send what it may read to anyone, and use services such as Docker or the session bus (with `net: true`, not with a list of hosts; services only where users have no namespaces, or if `read` names their sockets)
  write what you run later, such as a makefile or `.git/hooks` (below the paths under `write`; with `workspace`, below the top of the project)

provider p
  discover  sh ./pro/run '--config=./pro/lib'
  call      sh ./pro/run '--config=./pro/lib'
  program   /usr/bin/sh
  may       read the project; write .; not use the network
  file      ./pro/lib (16 bytes)
            | echo lib >> ran
  file      ./pro/run (34 bytes)
            | . "$(dirname "$0")/lib"
            | echo '[]'
  file      pro/link
  file      pro/more
  unhashed  files outside `pro` (may be loaded from the project)
  unhashed  pro/link (is a link to something outside the hashed files)

"#]]);
}

#[test]
fn code_that_is_not_in_a_file_is_shown() {
    let project = scene("[sh, -c, '. ./pro/run', ./run]");
    project.file("run", "#!./pro/lib\n");
    review(&project).outputs(str![[r#"
a program in a sandbox can still
  see names of your files and other processes, and change permissions, owners and times (where users have no namespaces, as `cogtools doctor` says; contents, memory and variables are protected)
  signal your other processes, or empty files that it may not write (before Linux 6.12, or 6.2; a warning says so before 6.2)
  send what it may read to anyone, and use services such as Docker or the session bus (with `net: true`, not with a list of hosts; services only where users have no namespaces, or if `read` names their sockets)
  write what you run later, such as a makefile or `.git/hooks` (below the paths under `write`; with `workspace`, below the top of the project)

provider p
  discover  sh -c '. ./pro/run' ./run
  call      sh -c '. ./pro/run' ./run
  program   /usr/bin/sh
  may       read the project; write .; not use the network
  file      ./pro/run (34 bytes)
            | . "$(dirname "$0")/lib"
            | echo '[]'
  file      ./run (12 bytes, #!./pro/lib)
            | #!./pro/lib
  file      pro/lib
  unhashed  sh -c '. ./pro/run' ./run (runs code that is not in a file, which may load other files)
  unhashed  ./pro/run (is hashed, and then read where it is)
  unhashed  ./pro/lib (is hashed, and then read where it is)
  unhashed  files outside `pro` (may be loaded from the project)
  unhashed  files beside `run` (may be loaded from the project)

"#]]);
}

/// A folder may lead out of the project, where a copy would need what is around it.
#[test]
fn a_folder_behind_a_link_stays_where_it_is() {
    let project = scene("[sh, ./away/run]");
    project
        .file("../home/away/run", "echo '[]'\n")
        .link("away", "../home/away");
    let text = review(&project).text();
    let line = "  unhashed  ./away/run (is hashed, and then read where it is)\n";
    assert!(text.ends_with(line), "{text}");
    trust(&project).text();
    project.file("../home/away/run", "echo evil >> ran\n");
    is_changed(&project);
}

/// The name of a file cannot hide in the list of those beside a script.
#[test]
fn names_of_files_are_shown_as_they_are() {
    let project = scene("[sh, ./pro/run]");
    project.file("pro/\u{202e}x\u{200b}\n  approved", "");
    let text = review(&project).text();
    let line = "  file      pro/\\u{202e}x\\u{200b}\\n  approved\n";
    assert!(text.contains(line), "{text}");
}

/// Nothing is hashed of a provider that nothing was approved of: a pipe or a large folder
/// in a clone would hold up discovery.
#[test]
#[cfg(unix)]
fn what_is_not_approved_costs_nothing() {
    let project = scene("[sh, ./pro/run]");
    let make = std::process::Command::new("mkfifo")
        .arg(project.path("pro/pipe"))
        .status();
    assert!(make.expect("it starts").success());
    trust(&project).text();
    // The pipe is not part of the copy.
    discover(&project).outputs("[]\n");
    run("cogtools-trust", &project)
        .args(["--revoke", "p"])
        .run()
        .text();
    // A sparse file, which would take minutes to hash.
    let large = std::fs::File::create(project.path("run")).expect("it is created");
    large.set_len(1 << 40).expect("it is sparse");
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [{command: {discover: [sh, ./run], call: [sh, ./run], name: p}}]\n",
    );
    let begin = std::time::Instant::now();
    discover(&project).stderr_contains("is not approved yet");
    run("cogtools-trust", &project)
        .arg("--list")
        .run()
        .outputs(str![[r#"
SOURCE  KIND      STATE         RUNS
.       project   approved
p       provider  not approved  sh ./run, sh ./run

"#]]);
    trust(&project).fails(77, str![[r#"
cogtools-trust: error[DENIED]: the provider `p` cannot be run: `[ROOT]/./run` is too large to be approved: more than 1024 MiB
hint: remove it from the command line

"#]]);
    assert!(begin.elapsed() < std::time::Duration::from_secs(10));
}

/// The program of an MCP server is covered as well.
#[test]
fn a_server_is_not_a_program_of_the_project() {
    let project = scene("[true]");
    for folder in ["bin", "node_modules/.bin"] {
        project.program(format!("{folder}/tool"), "#!/bin/sh\necho evil >> ran\n");
    }
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [{mcp: {command: [tool], name: p, env: [PATH]}}]\n",
    );
    let bin = project.path("bin");
    let path = format!(".:bin:node_modules/.bin:{}:/usr/bin:/bin", bin.display());
    run("cogtools-trust", &project)
        .env("PATH", path)
        .args(["p", "--yes"])
        .run()
        .stderr_contains("the program `tool` is not found");
    assert!(!project.path("ran").exists());
}

/// A folder that is too large is not copied; the script is.
#[test]
fn a_large_folder_is_not_covered() {
    let project = scene("[sh, ./pro/run]");
    for index in 0..4_100 {
        project.file(format!("pro/data/{index}"), "");
    }
    let text = review(&project).text();
    let line = "  unhashed  files beside `pro/run` (may be loaded from the project, and are too many to be hashed)\n";
    assert!(text.ends_with(line), "{text}");
    trust(&project).text();
    project.file("pro/run", "echo evil >> ran\n");
    is_changed(&project);
}

/// The interpreter in a first line may be a file of the project.
#[test]
fn a_relative_interpreter_is_hashed() {
    let project = scene("[./run]");
    project
        .program("run", "#!./interpreter\n")
        .program("interpreter", "#!/bin/sh\necho '[]'\n");
    trust(&project).text();
    project.program("interpreter", "#!/bin/sh\necho evil >> ran\n");
    is_changed(&project);
}

/// Before, a name was found on a PATH with entries of the project.
#[test]
fn a_name_is_not_a_program_of_the_project() {
    let project = scene("[tool]");
    for folder in ["bin", "node_modules/.bin"] {
        project.program(format!("{folder}/tool"), "#!/bin/sh\necho evil >> ran\n");
    }
    for entry in [
        "bin",
        ".",
        "./node_modules/.bin",
        "",
        &project.path("bin").display().to_string(),
        &project.path("node_modules/.bin").display().to_string(),
    ] {
        let path = format!("{entry}:/usr/bin:/bin");
        let with = |program: &str| run(program, &project).env("PATH", &path);
        with("cogtools-trust")
            .args(["p", "--dry-run"])
            .run()
            .outputs(str![[r#"
a program in a sandbox can still
  see names of your files and other processes, and change permissions, owners and times (where users have no namespaces, as `cogtools doctor` says; contents, memory and variables are protected)
  signal your other processes, or empty files that it may not write (before Linux 6.12, or 6.2; a warning says so before 6.2)
  send what it may read to anyone, and use services such as Docker or the session bus (with `net: true`, not with a list of hosts; services only where users have no namespaces, or if `read` names their sockets)
  write what you run later, such as a makefile or `.git/hooks` (below the paths under `write`; with `workspace`, below the top of the project)

provider p
  discover  tool
  call      tool
  program   `tool` is not on PATH now
  may       read the project; write .; not use the network

"#]]);
        with("cogtools-trust")
            .args(["p", "--yes"])
            .run()
            .stderr_contains("the provider `p` cannot be run: program `tool` not found");
        assert!(!project.path("ran").exists(), "{entry}");
    }
}

/// A database changes with each call: what uses it stays approved and finds it where it is, until
/// code is in its place.
#[test]
fn a_database_is_used_where_it_is_until_it_is_code() {
    let project = scene("[sh, ./pro/run, ./pro/app.db]");
    let database = |rows: &str| format!("SQLite format 3\0{rows}");
    project
        .file("pro/run", "echo \"$1\" >> ran\necho '[]'\n")
        .file("pro/app.db", database("one"));
    let text = review(&project).text();
    let line = "  unhashed  pro/app.db (is data, which may change and is used where it is)\n";
    assert!(text.contains(line), "{text}");
    trust(&project).status(0);
    project.file("pro/app.db", database("two"));
    discover(&project).outputs("[]\n");
    let ran = project.read("ran");
    assert!(ran.lines().all(|line| line == "./pro/app.db"), "{ran}");
    project.file("pro/app.db", "echo evil >> ran\n");
    is_changed(&project);
}

/// Code beside the script that it may load, and that is not covered.
#[test]
fn packages_beside_a_script_are_named() {
    for file in ["pro/node_modules/x/index.js", "pro/package.json"] {
        let project = scene("[sh, ./pro/run]");
        project.file(file, "{}");
        let text = review(&project).text();
        let line = "  unhashed  pro/node_modules (may be loaded from the project)\n";
        assert!(text.contains(line), "{text}");
    }
}
