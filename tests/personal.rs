//! The user's own tools in every project, and what a project may choose by itself.

use cogtools_test_support::{Project, Run, assert_text, str};

use crate::run;

/// A tool of that name that says who wrote it.
pub(crate) fn tool(name: &str, author: &str) -> String {
    format!("name: {name}\ndescription: By {author}\nimplementation: {author}\n")
}

/// A project with the tools `both` and `ours`, and a user with `both` and `mine`.
pub(crate) fn scene() -> Project {
    let project = Project::new();
    project
        .file(".cogtoolrc.yaml", "tool_sources: [{local: tools}]\n")
        .file("tools/both.yaml", tool("both", "project"))
        .file("tools/ours.yaml", tool("ours", "project"))
        .file("../home/tools/both.yaml", tool("both", "user"))
        .file("../home/tools/mine.yaml", tool("mine", "user"))
        .file(
            "../home/.gemini/cogtoolrc.yaml",
            "tool_sources: [{local: ~/tools}]\n",
        );
    project
}

fn call(project: &Project, name: &str) -> Run {
    run("cogtools-call", project).arg(name)
}

/// The names and authors of the tools that discovery declares.
pub(crate) fn declared(discovery: Run) -> String {
    let all = discovery.run().json();
    let line = |tool: &serde_json::Value| format!("{}: {}", tool["name"], tool["description"]);
    let lines: Vec<String> = all.as_array().expect("a list").iter().map(line).collect();
    lines.join("\n").replace('"', "")
}

#[test]
fn the_users_sources_add_to_those_of_the_project_and_come_first() {
    let project = scene();
    assert_text(
        declared(run("cogtools-discover", &project)),
        str![[r#"
both: By user
mine: By user
ours: By project
"#]],
    );
    call(&project, "both").run().outputs(str!["user"]);
    call(&project, "ours").run().outputs(str!["project"]);
    let list = run("cogtools-list", &project).run().text();
    // The width of the columns depends on the path of the home directory.
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = list.lines().take(4).map(words).collect();
    assert_text(
        lines.join("\n"),
        str![[r#"
NAME SOURCE FILE TOKENS NOTES
both [HOME]/tools [HOME]/tools/both.yaml 32 shadows tools/both.yaml
mine [HOME]/tools [HOME]/tools/mine.yaml 32
ours tools tools/ours.yaml 32
"#]],
    );
    run("cogtools-config", &project)
        .args(["get", "--show-origin", "tool_sources"])
        .run()
        .outputs(str![[r#"
[HOME]/.gemini/cogtoolrc.yaml:1, .cogtoolrc.yaml:1	[{local: "~/tools"}, {local: tools}]

"#]]);
}

#[test]
fn a_project_without_a_list_has_its_default_folder_too() {
    let project = scene();
    project.remove(".cogtoolrc.yaml").dir(".git");
    assert_text(
        declared(run("cogtools-discover", &project)),
        str![[r#"
both: By user
mine: By user
ours: By project
"#]],
    );
}

#[test]
fn the_user_turns_it_off() {
    let project = scene();
    let off = |program: &str| run(program, &project).env("COGTOOLS_INHERIT", "false");
    let expected = "both: By project\nours: By project";
    assert_eq!(declared(off("cogtools-discover")), expected);
    off("cogtools-config").arg("list").run().outputs(str![[r#"
tool_sources=[{local: tools}]
inherit=false
env_priority=project
sandbox=best-effort

"#]]);
    run("cogtools-config", &project)
        .args(["set", "--home", "inherit", "false"])
        .run()
        .outputs("");
    assert_eq!(declared(run("cogtools-discover", &project)), expected);
    let on = run("cogtools-discover", &project).env("COGTOOLS_INHERIT", "true");
    assert_eq!(declared(on).lines().count(), 3);
    // Without a list of the project, the user's is the only one.
    project.file(".cogtoolrc.yaml", "");
    let expected = "both: By user\nmine: By user";
    assert_eq!(declared(run("cogtools-discover", &project)), expected);
}

#[test]
fn a_variable_of_the_user_is_the_whole_list() {
    let project = scene();
    let run = run("cogtools-discover", &project).env("COGTOOLS_TOOL_SOURCES", "[{local: tools}]");
    assert_eq!(declared(run), "both: By project\nours: By project");
}

#[test]
fn what_the_user_names_and_the_project_contains_comes_last_and_once() {
    let project = scene();
    let inside = project.path("tools");
    project
        .file(
            "../home/.gemini/cogtoolrc.yaml",
            format!(
                "tool_sources: [node_modules, {{local: {}}}, {{local: ~/tools}}]\n",
                inside.display()
            ),
        )
        .file("package.json", r#"{"dependencies": {"pk": "1"}}"#)
        .file(
            "node_modules/pk/package.json",
            r#"{"name": "pk", "cogtools": {"tools": ["tools"]}}"#,
        )
        .file("node_modules/pk/tools/mine.yaml", tool("mine", "package"))
        .file("node_modules/pk/tools/ours.yaml", tool("ours", "package"))
        .file(
            "node_modules/pk/tools/theirs.yaml",
            tool("theirs", "package"),
        );
    assert_text(
        declared(run("cogtools-discover", &project)),
        str![[r#"
both: By user
mine: By user
ours: By project
theirs: By package
"#]],
    );
    run("cogtools-discover", &project)
        .arg("--verbose")
        .run()
        .stderr_contains("node_modules/pk/tools/ours.yaml is shadowed by tools/ours.yaml\n");
}

#[test]
fn files_that_are_shared_do_not_contain_the_users_tools() {
    let project = scene();
    run("cogtools-docs", &project)
        .arg("--print")
        .run()
        .outputs(str![[r#"
| Tool | What it is for | Arguments |
|---|---|---|
| `both` | By project |  |
| `ours` | By project |  |

"#]]);
    run("cogtools-lint", &project).run().outputs(str![[r#"
tools/both.yaml:1:1: warning[no-examples]: no examples
   |
 1 | name: both
   | ^^^^
why: a model sees no complete call, and `cogtools test` has nothing to run
fix: add `examples` with one map of arguments as a model would send them

tools/both.yaml:1:1: warning[no-schema]: no `$schema`
   |
 1 | name: both
   | ^^^^
why: editors and other programs cannot tell that it is a tool, nor which version of the format it uses
fix: add `$schema: schema:agladysh-research.org,2025/cogtools:tool` before the first key (`--fix` does it)

tools/ours.yaml:1:1: warning[no-examples]: no examples
   |
 1 | name: ours
   | ^^^^
why: a model sees no complete call, and `cogtools test` has nothing to run
fix: add `examples` with one map of arguments as a model would send them

tools/ours.yaml:1:1: warning[no-schema]: no `$schema`
   |
 1 | name: ours
   | ^^^^
why: editors and other programs cannot tell that it is a tool, nor which version of the format it uses
fix: add `$schema: schema:agladysh-research.org,2025/cogtools:tool` before the first key (`--fix` does it)

2 files: 4 warnings, `--fix` can fix 2

"#]]);
    run("cogtools-test", &project).run().outputs(str![[r#"
none both (no examples)
none ours (no examples)

2 tools, 0 examples: nothing to test; 2 tools have no examples

"#]]);
    run("cogtools-lock", &project).run().outputs(str![[r#"
created cogtools.lock: 2 tools of 1 source

"#]]);
    assert!(!project.read("cogtools.lock").contains("mine"));
    // The lock says nothing about them, so they can be called.
    let locked = call(&project, "mine").arg("--locked");
    locked.run().outputs(str!["user"]);
    let locked = call(&project, "ours").arg("--locked");
    locked.run().outputs(str!["project"]);
}

#[test]
fn a_new_tool_is_one_of_the_project() {
    let project = scene();
    run("cogtools-new", &project).arg("fresh").run().text();
    assert!(project.path("tools/fresh.yaml").is_file());
}
