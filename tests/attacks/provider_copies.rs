//! Private copies of what providers run: what was hashed is what runs, with the files
//! beside it.

use std::path::Path;

use cogtools_test_support::{Outcome, Project, Run, str};

use crate::run;

/// A project with a provider in the folder `pro`: `line` is both of its command lines.
pub(super) fn scene(line: &str) -> Project {
    let project = Project::new();
    project
        .file(
            ".cogtoolrc.yaml",
            format!("tool_sources: [{{command: {{discover: {line}, call: {line}, name: p, sandbox: {{write: [.]}}}}}}]\n"),
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

pub(super) fn trust(project: &Project) -> Outcome {
    let trust = run("cogtools-trust", project).args(["p", "--yes"]);
    with_path(project, trust).run()
}

pub(super) fn review(project: &Project) -> Outcome {
    let review = run("cogtools-trust", project).args(["p", "--dry-run"]);
    with_path(project, review).run()
}

pub(super) fn discover(project: &Project) -> Outcome {
    with_path(project, run("cogtools-discover", project)).run()
}

/// Discovery runs nothing: the provider has changed.
#[track_caller]
pub(super) fn is_changed(project: &Project) {
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

/// A link is covered with the file that it leads to.
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

/// The script of an MCP server is covered as well.
#[test]
fn a_server_that_is_replaced_after_it_was_hashed() {
    let project = scene("[true]");
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [{mcp: {command: [swap, ./pro/run], name: p, sandbox: {write: [.]}}}]\n",
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

/// A program's working files do not change an approval.
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

/// The name of a tool is not a path, even if a covered file has it.
#[test]
fn a_tool_with_the_name_of_a_file_is_called_by_its_name() {
    let project = scene("[sh, ./say]");
    project.file(
        "say",
        "test -z \"$1\" && echo '[{\"name\": \"say\", \"description\": \"d\"}]' || echo \"got $1\"\n",
    );
    trust(&project).text();
    run("cogtools-call", &project)
        .arg("say")
        .run()
        .outputs("got say\n");
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
