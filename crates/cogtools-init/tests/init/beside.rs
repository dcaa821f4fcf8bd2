//! Directories that have tools, or a configuration, before `init`: nothing is hidden without
//! a message, and the example is where it will be found.

use cogtools_test_support::{Expected, assert_text, outcome, str};

use crate::project::Project;

/// The lines about files, of a successful run with this standard error.
#[track_caller]
fn check(
    project: &Project,
    args: &[&str],
    summary: impl Into<Expected>,
    stderr: impl Into<Expected>,
) {
    let run = project.run(args);
    assert_eq!(run.status, 0);
    assert_text(run.stderr, stderr);
    let lines = run.stdout.split("\n\n").next().unwrap_or_default();
    assert_text(lines, summary);
}

#[test]
fn the_key_of_package_json_stays_in_effect() {
    let manifest = r#"{"cogtools": {"tool_sources": [{"local": "./lib/tools"}]}}"#;
    for text in [manifest.to_owned(), format!("\u{feff}{manifest}")] {
        let project = Project::new();
        project.write("package.json", &text);
        check(&project, &[], str![""], "");
        assert_eq!(project.read("package.json"), text);
        assert!(!project.path(".cogtoolrc.yaml").exists());
    }
    // A key that says nothing about sources leaves them to the file.
    let project = Project::new();
    project.write("package.json", r#"{"cogtools": {"tools": ["tools"]}}"#);
    check(&project, &[], str![""], "");
}

#[test]
fn so_does_the_file_in_the_folder_of_gemini_cli() {
    let project = Project::new();
    project.write(
        ".gemini/cogtoolrc.yaml",
        "tool_sources: [{local: ../mine}]\n",
    );
    check(&project, &[], str![""], "");
    assert!(project.path("mine/hello.yaml").exists());
}

#[test]
fn the_example_is_in_the_folder_that_the_configuration_names() {
    for text in [
        "tool_sources: [{local: ./my-tools}]\n",
        "\u{feff}tool_sources: [{local: ./my-tools}]\n",
        "tool_sources:\n  - node_modules\n  - local: ./x/../my-tools\n",
    ] {
        let project = Project::new();
        project.write(".cogtoolrc.yaml", text);
        check(&project, &[], str![""], "");
        assert_eq!(project.read(".cogtoolrc.yaml"), text);
    }
    let project = Project::new();
    project.write(".cogtoolrc.yaml", "tool_sources: [{local: ./my-tools}]\n");
    project.write("my-tools/mine.yaml", "");
    check(&project, &[], str![""], "");
    // No source is a folder of this project.
    for sources in ["[node_modules]", "[]", "[{local: ../shared}]"] {
        let project = Project::new();
        project.write(".cogtoolrc.yaml", format!("tool_sources: {sources}\n"));
        check(&project, &[], str![""], "");
    }
}

#[test]
fn a_folder_of_another_trade_is_left_alone() {
    let project = Project::new();
    project.write("tools/ci.yaml", "on: push\njobs: {}\n");
    project.write("tools/release/notes.yml", "- a\n- b\n");
    check(&project, &[], str![""], str![""]);
    assert_eq!(
        project.read(".cogtoolrc.yaml"),
        include_str!("../../starter/cogtoolrc.yaml").replace("./tools", "./ai-tools")
    );
    assert!(project.path("ai-tools/hello.yaml").exists());
    assert!(!project.path("tools/hello.yaml").exists());
    check(&project, &[], str![""], "");
    // One tool among the others is enough: the folder has tools.
    let project = Project::new();
    project.write("tools/ci.yaml", "on: push\n");
    project.write("tools/mine.yaml", "description: d\n");
    check(&project, &[], str![""], "");
}

#[test]
fn a_directory_in_a_project_with_tools() {
    let project = Project::new();
    project.write(".cogtoolrc.yaml", "");
    project.write("tools/one.yaml", "");
    project.write("tools/set/two.yaml", "");
    project.write("deep/down/x", "");
    check(&project, &["-C", "deep/down"], str![""], str![""]);
    // Now it is a project of its own.
    check(&project, &["-C", "deep/down"], str![""], "");
    // Without tools, nothing is hidden.
    let project = Project::new();
    project.write(".git/HEAD", "");
    project.write("deep/x", "");
    check(&project, &["-C", "deep"], str![""], "");
}

#[test]
fn a_broken_configuration_is_reported_and_nothing_is_written() {
    for (file, text, stderr) in [
        (".cogtoolrc.yaml", "tool_sources: ./tools\n", str![""]),
        (".cogtoolrc.yaml", "a: [\n", str![""]),
        (".gemini/cogtoolrc.yaml", "locals: []\n", str![""]),
        ("package.json", "{\"cogtools\": {\"x\": 1}}", str![""]),
        ("package.json", "{\"cogtools\": ", str![""]),
    ] {
        let project = Project::new();
        project.write(file, text);
        let before = project.files();
        outcome!(project.run(&[])).fails(78, stderr);
        assert_eq!(project.files(), before);
    }
}

#[test]
fn packages_with_tools_are_offered() {
    let project = Project::new();
    project.write(
        "package.json",
        r#"{"dependencies": {"pk": "1", "other": "1"}}"#,
    );
    project.write(
        "node_modules/pk/package.json",
        r#"{"name": "pk", "cogtools": {"tools": ["tools"]}}"#,
    );
    project.write("node_modules/other/package.json", r#"{"name": "other"}"#);
    let advice = |project: &Project| {
        let run = project.run(&[]);
        let at = run.stdout.find("- use the tools");
        at.map(|at| run.stdout[at..].to_owned())
    };
    assert_text(advice(&project).unwrap_or_default(), str![""]);
    let project = Project::new();
    project.write(".cogtoolrc.yaml", "tool_sources: [node_modules]\n");
    assert_eq!(advice(&project), None);
}
