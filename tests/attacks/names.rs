//! Names of sources: an approval is for one source, and a name cannot stand for two.
//!
//! Before, `cogtools trust good` approved a package and a provider of that name.

use cogtools_test_support::{Project, str};

use crate::run;

/// A package in the project `project` with a tool that runs a program.
fn package(project: &Project, name: &str, tool: &str) {
    project
        .file(
            format!("node_modules/{name}/package.json"),
            r#"{"cogtools": {"tools": ["tools"]}}"#,
        )
        .file(
            format!("node_modules/{name}/tools/{tool}.yaml"),
            format!("name: {tool}\ndescription: d\nimplementation: {{exec: [echo, went]}}\n"),
        );
}

/// A project that depends on these packages, and has a provider with the name `provider`.
fn project(packages: &[&str], provider: &str) -> Project {
    let project = Project::new();
    let needs: Vec<String> = packages
        .iter()
        .map(|name| format!("{name:?}: \"1\""))
        .collect();
    project
        .file("package.json", format!("{{\"dependencies\": {{{}}}}}", needs.join(", ")))
        .file(
            ".cogtoolrc.yaml",
            format!("tool_sources: [{{command: {{discover: [sh, ./d], call: [sh, ./d], name: {provider}, sandbox: {{write: [.]}}}}}}, node_modules]\n"),
        )
        .file("d", "echo >> ran; echo '[]'\n");
    for (index, name) in packages.iter().enumerate() {
        package(&project, name, &format!("t{index}"));
    }
    project
}

/// The state of each source after the project.
fn states(project: &Project) -> Vec<(String, String)> {
    let outcome = run("cogtools-trust", project).arg("--format=json").run();
    let list: serde_json::Value = serde_json::from_slice(&outcome.stdout).expect("it is JSON");
    let sources = list["sources"].as_array().expect("a list").iter().skip(1);
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    sources
        .map(|one| (text(&one["kind"]), text(&one["state"])))
        .collect()
}

#[test]
fn a_name_of_two_sources_approves_neither() {
    let project = project(&["good"], "good");
    let trust = |name: &str| run("cogtools-trust", &project).args(["--yes", name]).run();
    trust("good").fails(
        2,
        str![[r#"
cogtools-trust: error[USAGE]: good: the name is ambiguous: `provider:good` or `package:good`
hint: review and approve each by its whole name

"#]],
    );
    assert!(!project.path("ran").exists());
    trust("package:good").status(0);
    assert!(!project.path("ran").exists());
    let expected = [("provider", "not approved"), ("package", "approved")];
    assert_eq!(
        states(&project),
        expected.map(|(kind, state)| (kind.to_owned(), state.to_owned()))
    );
    trust("provider:good").status(0);
    assert!(project.path("ran").exists());
}

#[test]
fn a_package_named_like_another_source_is_not_it() {
    // The name of a package is the name of its folder, and has no colon.
    let project = project(&["provider:good", "project:."], "good");
    let provider = |state: &str| [("provider".to_owned(), state.to_owned())];
    assert_eq!(states(&project), provider("not approved"));
    run("cogtools-trust", &project)
        .args(["--yes", "project:."])
        .run()
        .status(0);
    assert_eq!(states(&project), provider("not approved"));
    run("cogtools-trust", &project)
        .args(["--yes", "provider:good"])
        .run()
        .status(0);
    assert_eq!(states(&project), provider("approved"));
}

#[test]
fn names_that_look_alike_are_told_apart() {
    let project = project(&["g\u{43e}od"], "good");
    run("cogtools-trust", &project)
        .args(["--dry-run", "g\u{43e}od"])
        .run()
        .outputs(str![[r#"
a program in a sandbox can still
  see names of your files and other processes, and change permissions, owners and times (where users have no namespaces, as `cogtools doctor` says; contents, memory and variables are protected)
  signal your other processes, or empty files that it may not write (before Linux 6.12, or 6.2; a warning says so before 6.2)
  send what it may read to anyone, and use services such as Docker or the session bus (with `net: true`, not with a list of hosts; services only where users have no namespaces, or if `read` names their sockets)
  write what you run later, such as a makefile or `.git/hooks` (below the paths under `write`; with `workspace`, below the top of the project)

package gоod (written g\u{43e}od), 1 tool running programs
  tool      t0 (node_modules/gоod/tools/t0.yaml)
  runs      echo went
  program   /usr/bin/echo
  may       read the project; write nothing; not use the network
  file      package.json
  file      tools/t0.yaml

"#]]);
    run("cogtools-trust", &project)
        .args(["--yes", "good"])
        .run()
        .status(0);
    let expected = [("provider", "approved"), ("package", "not approved")];
    assert_eq!(
        states(&project),
        expected.map(|(kind, state)| (kind.to_owned(), state.to_owned()))
    );
}

#[test]
fn a_name_in_a_hint_is_one_word() {
    let project = project(&["a b;rm -r $HOME"], "good");
    run("cogtools-call", &project)
        .arg("t0")
        .run()
        .fails(77, str![[r#"
cogtools-call: error[DENIED]: t0: it runs commands and comes from the package `a b;rm -r $HOME`, which is not approved yet
hint: only the user can approve it, after reviewing what it runs: cogtools trust 'a b;rm -r $HOME'

"#]]);
}

#[test]
fn a_provider_name_has_no_invisible_characters() {
    let project = Project::new();
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources:\n  - command: {discover: [a], call: [a], name: \"te\\u200bam\"}\n",
    );
    run("cogtools-trust", &project).run().fails(
        78,
        r#"cogtools-trust: error[INVALID_CONFIG]: .cogtoolrc.yaml:2:47: `name` takes a string without colons, not `te\u{200b}am`
   |
 2 |   - command: {discover: [a], call: [a], name: "te\u200bam"}
   |                                               ^^^^^^^^^^^^
hint: write `name: other`
"#,
    );
}

#[test]
fn two_packages_of_one_name_are_two_sources() {
    let project = Project::new();
    let folders = ["node_modules/x/tools", "sub/node_modules/x/tools"];
    for (folder, tool) in folders.iter().zip(["t_n", "t_s"]) {
        project.file(
            format!("{folder}/{tool}.yaml"),
            format!("name: {tool}\ndescription: d\nimplementation: {{exec: [echo, went]}}\n"),
        );
    }
    let sources = folders
        .map(|folder| format!("{{local: ./{folder}}}"))
        .join(", ");
    project.file(".cogtoolrc.yaml", format!("tool_sources: [{sources}]\n"));
    let trust = |args: &[&str]| run("cogtools-trust", &project).args(args).run();
    trust(&["--yes", "x"]).fails(
        2,
        str![[r#"
cogtools-trust: error[USAGE]: x: the name is ambiguous: `package:x@node_modules/x` or `package:x@sub/node_modules/x`
hint: review and approve each by its whole name

"#]],
    );
    trust(&["--yes", "package:x@sub/node_modules/x"])
        .status(0)
        .stdout_contains(
            "package x@sub/node_modules/x, 1 tool running programs\n  tool      t_s (",
        );
    let call = |tool: &str| run("cogtools-call", &project).arg(tool).stdin("{}").run();
    call("t_s").outputs("went\n");
    call("t_n").status(77);
    trust(&["--yes", "x@node_modules/x"]).status(0);
    call("t_n").outputs("went\n");
    trust(&[]).outputs(str![[r#"
SOURCE                KIND     STATE     RUNS
.                     project  approved
x@node_modules/x      package  approved  t_n
x@sub/node_modules/x  package  approved  t_s

"#]]);
}
