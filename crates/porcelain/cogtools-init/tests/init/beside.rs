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
    let root = project.path("").display().to_string();
    let root = root.trim_end_matches('/');
    assert_text(run.stderr.replace(root, "[ROOT]"), stderr);
    let lines = run.stdout.split("\n\n").next().unwrap_or_default();
    assert_text(lines, summary);
}

#[test]
fn the_key_of_package_json_stays_in_effect() {
    let manifest = r#"{"cogtools": {"tool_sources": [{"local": "./lib/tools"}]}}"#;
    for text in [manifest.to_owned(), format!("\u{feff}{manifest}")] {
        let project = Project::new();
        project.write("package.json", &text);
        check(
            &project,
            &[],
            str![[r#"
unchanged package.json
created lib/tools/hello.yaml
created lib/tools/hello.1.golden
created lib/tools/hello.2.golden
created .gemini/settings.json
"#]],
            "",
        );
        assert_eq!(project.read("package.json"), text);
        assert!(!project.path(".cogtoolrc.yaml").exists());
    }
    // A key that says nothing about sources leaves them to the file.
    let project = Project::new();
    project.write("package.json", r#"{"cogtools": {"tools": ["tools"]}}"#);
    check(
        &project,
        &[],
        str![[r#"
created .cogtoolrc.yaml
created tools/hello.yaml
created tools/hello.1.golden
created tools/hello.2.golden
created .gemini/settings.json
"#]],
        "",
    );
}

#[test]
fn so_does_the_file_in_the_folder_of_gemini_cli() {
    let project = Project::new();
    project.write(
        ".gemini/cogtoolrc.yaml",
        "tool_sources: [{local: ../mine}]\n",
    );
    check(
        &project,
        &[],
        str![[r#"
unchanged .gemini/cogtoolrc.yaml
created mine/hello.yaml
created mine/hello.1.golden
created mine/hello.2.golden
created .gemini/settings.json
"#]],
        "",
    );
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
        check(
            &project,
            &[],
            str![[r#"
unchanged .cogtoolrc.yaml
created my-tools/hello.yaml
created my-tools/hello.1.golden
created my-tools/hello.2.golden
created .gemini/settings.json
"#]],
            "",
        );
        assert_eq!(project.read(".cogtoolrc.yaml"), text);
    }
    let project = Project::new();
    project.write(".cogtoolrc.yaml", "tool_sources: [{local: ./my-tools}]\n");
    project.write("my-tools/mine.yaml", "");
    check(
        &project,
        &[],
        str![[r#"
unchanged .cogtoolrc.yaml
unchanged my-tools
created .gemini/settings.json
"#]],
        "",
    );
    // No source is a folder of this project.
    for sources in ["[node_modules]", "[]", "[{local: ../shared}]"] {
        let project = Project::new();
        project.write(".cogtoolrc.yaml", format!("tool_sources: {sources}\n"));
        check(
            &project,
            &[],
            str![[r#"
unchanged .cogtoolrc.yaml
created .gemini/settings.json
"#]],
            "",
        );
    }
}

#[test]
fn a_folder_of_another_trade_is_left_alone() {
    let project = Project::new();
    project.write("tools/ci.yaml", "on: push\njobs: {}\n");
    project.write("tools/release/notes.yml", "- a\n- b\n");
    check(
        &project,
        &[],
        str![[r#"
created .cogtoolrc.yaml
created ai-tools/hello.yaml
created ai-tools/hello.1.golden
created ai-tools/hello.2.golden
created .gemini/settings.json
"#]],
        str![[r#"
cogtools-init: warning[INVALID_CONFIG]: `tools` has YAML files that are not tools, so the tools are in `ai-tools`
hint: to use another folder, change `tool_sources` in .cogtoolrc.yaml

"#]],
    );
    assert_eq!(
        project.read(".cogtoolrc.yaml"),
        include_str!("../../starter/cogtoolrc.yaml").replace("./tools", "./ai-tools")
    );
    assert!(project.path("ai-tools/hello.yaml").exists());
    assert!(!project.path("tools/hello.yaml").exists());
    check(
        &project,
        &[],
        str![[r#"
unchanged .cogtoolrc.yaml
unchanged ai-tools/hello.yaml
unchanged .gemini/settings.json
"#]],
        "",
    );
    // One tool among the others is enough: the folder has tools.
    let project = Project::new();
    project.write("tools/ci.yaml", "on: push\n");
    project.write("tools/mine.yaml", "description: d\n");
    check(
        &project,
        &[],
        str![[r#"
created .cogtoolrc.yaml
unchanged tools
created .gemini/settings.json
"#]],
        "",
    );
}

#[test]
fn a_directory_in_a_project_with_tools() {
    let project = Project::new();
    project.write(".cogtoolrc.yaml", "");
    project.write("tools/one.yaml", "");
    project.write("tools/set/two.yaml", "");
    project.write("deep/down/x", "");
    check(
        &project,
        &["-C", "deep/down"],
        str![[r#"
created .cogtoolrc.yaml
created tools/hello.yaml
created tools/hello.1.golden
created tools/hello.2.golden
created .gemini/settings.json
"#]],
        str![[r#"
cogtools-init: warning[INVALID_CONFIG]: the 2 tools of the project in `[ROOT]` will not be found from here
hint: this directory becomes a project of its own; to keep one project, run cogtools init there
hint: to have both, add its folders to `tool_sources`, such as `- local: ../tools`

"#]],
    );
    // Now it is a project of its own.
    check(
        &project,
        &["-C", "deep/down"],
        str![[r#"
unchanged .cogtoolrc.yaml
unchanged tools/hello.yaml
unchanged .gemini/settings.json
"#]],
        "",
    );
    // Without tools, nothing is hidden.
    let project = Project::new();
    project.write(".git/HEAD", "");
    project.write("deep/x", "");
    check(
        &project,
        &["-C", "deep"],
        str![[r#"
created .cogtoolrc.yaml
created tools/hello.yaml
created tools/hello.1.golden
created tools/hello.2.golden
created .gemini/settings.json
"#]],
        "",
    );
}

#[test]
fn a_broken_configuration_is_reported_and_nothing_is_written() {
    for (file, text, stderr) in [
        (
            ".cogtoolrc.yaml",
            "tool_sources: ./tools\n",
            str![[r#"
cogtools-init: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:15: `tool_sources` takes a list of sources, not `./tools`
   |
 1 | tool_sources: ./tools
   |               ^^^^^^^
hint: write `tool_sources: [{local: ./tools}]`
hint: no file was written

"#]],
        ),
        (
            ".cogtoolrc.yaml",
            "a: [\n",
            str![[r#"
cogtools-init: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:4: the list is not closed
   |
 1 | a: [
   |    ^
hint: write `]` where the list ends
hint: no file was written

"#]],
        ),
        (
            ".gemini/cogtoolrc.yaml",
            "locals: []\n",
            str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/cogtoolrc.yaml:1:1: unknown key `locals`
   |
 1 | locals: []
   | ^^^^^^
hint: see cogtoolrc(5) for all keys
hint: no file was written

"#]],
        ),
        (
            "package.json",
            "{\"cogtools\": {\"x\": 1}}",
            str![[r#"
cogtools-init: error[INVALID_CONFIG]: package.json:1:15: unknown key `x`
   |
 1 | {"cogtools": {"x": 1}}
   |               ^^^
hint: see cogtoolrc(5) for all keys
hint: no file was written

"#]],
        ),
        (
            "package.json",
            "{\"cogtools\": ",
            str![[r#"
cogtools-init: error[INVALID_CONFIG]: `package.json` is not JSON: EOF while parsing a value at line 1 column 13
hint: fix the syntax error; npm cannot read it either
hint: no file was written

"#]],
        ),
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
    project.write("node_modules/pk/tools/pk.yaml", "");
    project.write("node_modules/other/package.json", r#"{"name": "other"}"#);
    let advice = |project: &Project| {
        let run = project.run(&[]);
        let at = run.stdout.find("- use the tools");
        at.map(|at| run.stdout[at..].to_owned())
    };
    assert_text(
        advice(&project).unwrap_or_default(),
        str![[r#"
- use the tools of the packages pk:
    cogtools config set tool_sources '[{local: ./tools}, node_modules]'

"#]],
    );
    let project = Project::new();
    project.write(".cogtoolrc.yaml", "tool_sources: [node_modules]\n");
    assert_eq!(advice(&project), None);
}

#[test]
fn a_table_is_offered_for_documents_without_one() {
    let project = Project::new();
    project.write("GEMINI.md", "# Context\n");
    project.write(
        "AGENTS.md",
        "<!-- cogtools:begin -->\n<!-- cogtools:end -->\n",
    );
    project.write("CLAUDE.md", "# Context\n");
    let run = project.run(&[]);
    let at = run.stdout.find("- show people").unwrap_or(run.stdout.len());
    assert_text(
        &run.stdout[at..],
        str![[r#"
- show people and models the tools in a table, and renew it whenever they change
  (cogtools init --docs --docs-refresh git-hook does both):
    cogtools docs GEMINI.md CLAUDE.md

"#]],
    );
}
