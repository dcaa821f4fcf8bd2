//! The files that a project and a user configure in, beside `.cogtoolrc.yaml`.

use cogtools_test_support::{assert_text, str};

use crate::personal::{declared, scene, tool};
use crate::{layers, run};

#[test]
fn the_projects_dotenv_chooses_among_the_tools() {
    let project = scene();
    project
        .file("tools/git/commit.yaml", tool("commit", "project"))
        .file(".env", "COGTOOLS_TOOLSETS=git\n")
        .dir("src");
    assert_eq!(
        declared(run("cogtools-discover", &project)),
        "commit: By project"
    );
    assert_eq!(
        declared(run("cogtools-discover", &project).cwd(project.path("src"))),
        "commit: By project"
    );
    let config = |args: &[&str]| run("cogtools-config", &project).args(args).run();
    config(&["get", "--show-origin", "filter.toolsets"]).outputs(str![[r#"
.env:1	[git]

"#]]);
    config(&["env", "--explain"]).outputs(str![[r#"
COGTOOLS_TOOLSETS	.env:1; chooses among the tools

"#]]);
    config(&["env", "--format", "json"]).outputs(str![[r#"
{
  "variables": [],
  "unused": [],
  "ignored": []
}

"#]]);
    // The user's own choice is not widened.
    let both = run("cogtools-discover", &project).env("COGTOOLS_TOOLS", "ours,commit");
    assert_eq!(declared(both), "commit: By project");
    let other = run("cogtools-discover", &project).env("COGTOOLS_EXCLUDE", "commit");
    assert_eq!(declared(other), "");
}

#[test]
fn the_folder_of_gemini_cli_has_a_layer_of_the_project() {
    let project = scene();
    project
        .file(
            ".gemini/cogtoolrc.yaml",
            "tool_sources: [{local: ../more}]\nfilter: {exclude: [mine]}\n",
        )
        .file("more/extra.yaml", tool("extra", "project"));
    let config = || {
        run("cogtools-config", &project)
            .args(["list", "--show-origin"])
            .run()
    };
    config().outputs(str![[r#"
[HOME]/.gemini/cogtoolrc.yaml:1, .cogtoolrc.yaml:1	tool_sources=[{local: "~/tools"}, {local: tools}]
built-in	env_priority=project
.gemini/cogtoolrc.yaml:2	filter.exclude=[mine]
built-in	sandbox=best-effort

"#]]);
    project.file(".cogtoolrc.yaml", "");
    config().outputs(str![[r#"
[HOME]/.gemini/cogtoolrc.yaml:1, .gemini/cogtoolrc.yaml:1	tool_sources=[{local: "~/tools"}, {local: ../more}]
built-in	env_priority=project
.gemini/cogtoolrc.yaml:2	filter.exclude=[mine]
built-in	sandbox=best-effort

"#]]);
    assert_text(
        declared(run("cogtools-discover", &project)),
        str![[r#"
both: By user
extra: By project
"#]],
    );
}

#[test]
fn in_the_home_directory_that_file_is_the_users_only() {
    let project = scene();
    let home = project.home();
    run("cogtools-config", &project)
        .args(["list", "--show-origin"])
        .cwd(&home)
        .run()
        .outputs(str![[r#"
[HOME]/.gemini/cogtoolrc.yaml:1, built-in	tool_sources=[{local: "~/tools"}, {local: ./tools}]
built-in	env_priority=project
built-in	sandbox=best-effort

"#]]);
}

#[test]
fn set_writes_the_file_of_the_user_and_no_other() {
    let project = layers::project();
    project.file("../machine/cogtoolrc.yaml", "env_priority: process\n");
    let config = |args: &[&str]| {
        layers::layered("cogtools-config", &project)
            .args(args)
            .run()
    };
    config(&["set", "--home", "env_priority", "project"]).outputs("");
    config(&["get", "--show-origin", "env_priority"]).outputs(str![[r#"
[HOME]/.gemini/cogtoolrc.yaml:1	project

"#]]);
    config(&["unset", "--home", "env_priority"]).outputs("");
    config(&["get", "--show-origin", "env_priority"]).outputs(str![[r#"
[MACHINE]/cogtoolrc.yaml:1	process

"#]]);
    assert_eq!(project.read("../home/.gemini/cogtoolrc.yaml"), "");
    assert_text(
        project.read("../machine/cogtoolrc.yaml"),
        str![[r#"
env_priority: process

"#]],
    );
    assert_eq!(project.files(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn the_doctor_reports_an_old_table_of_tools() {
    let project = scene();
    project.file(
        "GEMINI.md",
        "<!-- cogtools:begin -->\n<!-- cogtools:end -->\n",
    );
    let doctor = || run("cogtools-doctor", &project).run();
    doctor().stdout_contains("the table of tools is out of date: GEMINI.md");
    run("cogtools-docs", &project).run().text();
    doctor().stdout_contains("the table of tools is current: GEMINI.md");
}

#[test]
fn the_doctor_offers_packages_with_tools() {
    let project = scene();
    project
        .file("package.json", r#"{"dependencies": {"pk": "1"}}"#)
        .file(
            "node_modules/pk/package.json",
            r#"{"name": "pk", "cogtools": {"tools": ["tools"]}}"#,
        )
        .file("node_modules/pk/tools/pk.yaml", tool("pk", "package"));
    let doctor = || run("cogtools-doctor", &project).run();
    doctor().stdout_contains("installed packages have tools that are not used: `pk`");
    let fix = "[{local: ./tools}, node_modules]";
    doctor().stdout_contains(&format!("cogtools config set tool_sources '{fix}'"));
    run("cogtools-config", &project)
        .args(["set", "tool_sources", fix])
        .run()
        .outputs("");
    let found = declared(run("cogtools-discover", &project));
    assert!(found.ends_with("pk: By package"), "{found}");
}
