//! Private copies of what providers run: what was hashed is what runs, with the files
//! beside it.

use std::path::Path;

use cogtools_test_support::{Outcome, Project, Run, str};

use crate::run;

/// A project with a provider in the folder `pro`: `line` is both of its command lines.
fn scene(line: &str) -> Project {
    let project = Project::new();
    project
        .file(
            ".cogtoolrc.yaml",
            format!("tool_sources: [{{command: {{discover: {line}, call: {line}, name: p}}}}]\n"),
        )
        .file("pro/run", ". \"$(dirname \"$0\")/lib\"\necho '[]'\n")
        .file("pro/lib", "echo lib >> ran\n");
    project
}

/// A program of the user that replaces `file` before it runs a script, as another process
/// could after the file was hashed.
fn swapping(project: &Project, file: &str) {
    let script =
        format!("#!/bin/sh\nrm -f {file}\necho 'echo evil >> ran' > {file}\nexec sh \"$@\"\n");
    project.program("../home/bin/swap", script);
}

fn with_path(project: &Project, run: Run) -> Run {
    let bin = project.home().join("bin");
    run.env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
}

fn trust(project: &Project) -> Outcome {
    let trust = run("cogtools-trust", project).args(["p", "--yes"]);
    with_path(project, trust).run()
}

fn review(project: &Project) -> Outcome {
    let review = run("cogtools-trust", project).args(["p", "--dry-run"]);
    with_path(project, review).run()
}

fn discover(project: &Project) -> Outcome {
    with_path(project, run("cogtools-discover", project)).run()
}

/// Discovery runs nothing: the provider has changed.
#[track_caller]
fn is_changed(project: &Project) {
    let _ = std::fs::remove_file(project.path("ran"));
    discover(project).expect(
        0,
        str![[r#"
[]

"#]],
        str![[r#"
cogtools-discover: warning[DENIED]: the provider `p` has changed since it was approved
hint: review what it runs, then approve it: cogtools trust p

"#]],
    );
    assert!(!project.path("ran").exists());
}

/// Before, the script that had been hashed was opened again by its interpreter, and what
/// replaced it in between ran unapproved.
#[test]
fn a_script_that_is_replaced_after_it_was_hashed() {
    for (line, file) in [
        ("[swap, ./pro/run]", "pro/run"),
        ("[swap, pro/run]", "pro/run"),
        ("[swap, pro/../pro/run]", "pro/run"),
        ("[env, swap, ./pro/run]", "pro/run"),
        ("[swap, ./pro/run]", "pro/lib"),
    ] {
        let project = scene(line);
        swapping(&project, file);
        trust(&project).text();
        assert_eq!(project.read("ran"), "lib\n", "{line} {file}");
        is_changed(&project);
    }
}

/// The same for a link, and for the file that it leads to.
#[test]
fn a_link_that_is_replaced_after_it_was_hashed() {
    for file in ["pro/run", "link"] {
        let project = scene("[swap, ./link]");
        project
            .link("link", "pro/run")
            .file("pro/run", "echo good >> ran\necho '[]'\n");
        swapping(&project, file);
        trust(&project).text();
        assert_eq!(project.read("ran"), "good\n", "{file}");
        is_changed(&project);
    }
}

/// The same for the script of an MCP server.
#[test]
fn a_server_that_is_replaced_after_it_was_hashed() {
    let project = scene("[true]");
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [{mcp: {command: [swap, ./pro/run], name: p}}]\n",
    );
    swapping(&project, "pro/run");
    // It speaks no MCP.
    trust(&project).stderr_contains("its command is now approved, but none of its tools is");
    assert_eq!(project.read("ran"), "lib\n");
    is_changed(&project);
}

/// Before, only the files were hashed that the command line named.
#[test]
fn a_file_beside_the_script_that_changes() {
    let changes: [(&str, &str); 4] = [
        ("pro/lib", "echo evil >> ran\n"),
        ("pro/new.py", ""),
        ("pro/sub/deep", "changed"),
        ("pro/link", ""),
    ];
    for (file, content) in changes {
        let project = scene("[sh, ./pro/run]");
        project
            .file("pro/sub/deep", "")
            .file("shared", "")
            .link("pro/link", "../shared");
        trust(&project).text();
        let _ = std::fs::remove_file(project.path(file));
        project.file(file, content);
        is_changed(&project);
    }
    let project = scene("[sh, ./pro/run]");
    trust(&project).text();
    project.remove("pro/lib");
    is_changed(&project);
}

/// What a program needs to work is not what changes an approval.
#[test]
fn other_files_do_not_ask_again() {
    let project = scene("[sh, ./pro/run]");
    trust(&project).text();
    project
        .file("pro/__pycache__/lib.pyc", "")
        .file("pro/node_modules/x/index.js", "")
        .file("README.md", "changed");
    discover(&project).outputs(str![[r#"
[]

"#]]);
}

/// A script finds what its relative paths name, also what was added later; it works in the
/// project.
#[test]
fn the_copy_has_the_layout_of_the_project() {
    let project = scene("[sh, ./a/pro/run]");
    project
        .file(
            "a/pro/run",
            "cd \"$(dirname \"$0\")\" && cat ../shared/x ../../root ../../late node_modules/n/x >> \"$OLDPWD/ran\"\necho '[]'\n",
        )
        .file("a/pro/package.json", "{}")
        .file("a/shared/x", "shared\n")
        .file("root", "root\n")
        .file("late", "");
    trust(&project).status(0);
    project
        .remove("ran")
        .remove("late")
        .file("later", "")
        .file("a/pro/node_modules/n/x", "installed\n");
    discover(&project).status(0);
    assert_eq!(project.read("ran"), "shared\nroot\ninstalled\n");
    project.remove("ran").file("late", "late\n");
    discover(&project).status(0);
    assert_eq!(project.read("ran"), "shared\nroot\nlate\ninstalled\n");
}

#[test]
fn what_is_not_covered_is_shown() {
    let project = scene("[sh, ./pro/run, --config=./pro/lib]");
    project
        .file("shared", "")
        .link("pro/link", "../shared")
        .file("pro/more", "");
    review(&project).outputs(str![[r#"
provider p
  discover  sh ./pro/run '--config=./pro/lib'
  call      sh ./pro/run '--config=./pro/lib'
  program   /usr/bin/sh
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

    let project = scene("[sh, -c, '. ./pro/run', ./run]");
    project.file("run", "#!./pro/lib\n");
    review(&project).outputs(str![[r#"
provider p
  discover  sh -c '. ./pro/run' ./run
  call      sh -c '. ./pro/run' ./run
  program   /usr/bin/sh
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
        .outputs(str![]);
    trust(&project).fails(77, str![]);
    assert!(begin.elapsed() < std::time::Duration::from_secs(10));
}

/// The same for the program of an MCP server.
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
provider p
  discover  tool
  call      tool
  program   `tool` is not on PATH now

"#]]);
        with("cogtools-trust")
            .args(["p", "--yes"])
            .run()
            .stderr_contains("the provider `p` cannot be run: program `tool` not found");
        assert!(!project.path("ran").exists(), "{entry}");
    }
}

/// The copies are removed with the approval, and belong to the user alone.
#[test]
#[cfg(unix)]
fn the_copy_is_private_and_removed() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = scene("[sh, ./pro/run]");
    project.file("pro/run", "echo \"$0\" >> ran\necho '[]'\n");
    trust(&project).text();
    let store = project.home().join(".local/state/cogtools/providers");
    let ran = project.read("ran");
    assert!(Path::new(ran.trim()).starts_with(&store), "{ran}");
    let mode = store.metadata().expect("it exists").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let copies = || std::fs::read_dir(&store).expect("it exists").count();
    assert_eq!(copies(), 1);
    // A new approval replaces the copy.
    project.file("pro/lib", "new");
    trust(&project).text();
    let versions = std::fs::read_dir(&store)
        .expect("it exists")
        .flat_map(|entry| std::fs::read_dir(entry.expect("an entry").path()).expect("a folder"))
        .filter(|entry| entry.as_ref().expect("an entry").path().is_dir());
    assert_eq!(versions.count(), 1);
    run("cogtools-trust", &project)
        .args(["--revoke", "p"])
        .run()
        .text();
    assert_eq!(copies(), 0);
    // Without a place for the copy nothing runs.
    trust(&project).text();
    std::fs::set_permissions(&store, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    project.remove("ran");
    discover(&project).expect(
        0,
        str![[r#"
[]

"#]],
        str![[r#"
cogtools-discover: warning[DENIED]: the provider `p` cannot be run: `[HOME]/.local/state/cogtools/providers`, for private copies, is not a folder of its user alone
hint: remove `[HOME]/.local/state/cogtools/providers`

"#]],
    );
    assert!(!project.path("ran").exists());
}

/// A provider that the user has configured outside the project is not copied.
#[test]
fn the_users_own_provider_runs_where_it_is() {
    let project = Project::new();
    project.dir(".git").program(
        "../home/p",
        "#!/bin/sh\necho \"$0\" >> \"${0%/*}/ran\"\necho '[]'\n",
    );
    let program = project.home().join("p");
    let program = program.display();
    project.file(
        "../home/.gemini/cogtoolrc.yaml",
        format!("tool_sources: [{{command: {{discover: [{program}], call: [{program}], name: mine}}}}]\n"),
    );
    discover(&project).outputs("[]\n");
    assert_eq!(project.read("../home/ran"), format!("{program}\n"));
}
