//! Links that point out of the repository: nothing is written through them.

use std::fs;
use std::path::Path;

use cogtools_test_support::{Outcome, Project};

use super::SAY;
use crate::run;

/// The content that a golden file would overwrite.
const BASHRC: &str = "alias ll='ls -l'\n";

/// A project with a HOME that has a file and two folders.
fn scene() -> Project {
    let project = Project::new();
    project
        .file(".cogtoolrc.yaml", "")
        .file("../home/.bashrc", BASHRC)
        .file("../home/own/say.yaml", SAY)
        .file("../home/own/gone.7.golden", "theirs")
        .dir("../home/empty");
    project
}

/// A project with its own tools.
fn with_tools() -> Project {
    let project = scene();
    project.file("tools/say.yaml", SAY);
    project
}

/// Everything below `folder`: names, and the content of files.
fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.display().to_string();
        if path.is_dir() {
            found.push((name, Vec::new()));
            found.extend(tree(&path));
        } else {
            found.push((name, fs::read(&path).expect("a file")));
        }
    }
    found.sort();
    found
}

/// Runs a program in `project`, and asserts that HOME is unchanged, apart from what the tests
/// record about themselves.
#[track_caller]
fn harmless(project: &Project, program: &str, args: &[&str]) -> Outcome {
    let own = project.home().join(".local/state/cogtools/test");
    let before = tree(&project.home());
    let outcome = run(program, project).args(args).run();
    let mut after = tree(&project.home());
    after.retain(|(name, _)| !Path::new(name).starts_with(&own));
    assert_eq!(after, before, "`{}`", outcome.command);
    outcome
}

/// The error for the link `link` to `target`.
fn leaves(link: &str, target: &str) -> String {
    format!("the link `{link}` points outside the project, to `{target}`")
}

/// The hint for it.
fn replace(link: &str) -> String {
    format!("hint: replace `{link}` with a regular file or folder, then run this again\n")
}

/// The targets that a link in the root can have: existing, absolute, dangling.
fn targets(project: &Project) -> [(String, String); 3] {
    let absolute = project.home().join(".bashrc").display().to_string();
    [
        ("../home/.bashrc".to_owned(), "../home/.bashrc".to_owned()),
        (absolute, "[HOME]/.bashrc".to_owned()),
        ("../home/none".to_owned(), "../home/none".to_owned()),
    ]
}

/// The error for `file`, which is a link or behind the link `above`, and is not even read.
fn unread(file: &str, above: Option<&str>) -> String {
    match above {
        None => format!(
            "`{file}` is a link that points outside the project\n\
             hint: replace the link with a copy of the file\n"
        ),
        Some(link) => format!(
            "`{file}` is behind the link `{link}`, which points outside the project\n\
             hint: replace the link with a copy of the folder\n"
        ),
    }
}

/// The report on the tool whose golden file is not read because of the link `above`.
fn unread_golden(above: Option<&str>) -> String {
    let error = unread("tools/say.1.golden", above).replace("hint", "    hint");
    format!(
        "\
FAILED say (1 example)
  tools/say.yaml:6:5: example 1: golden: `tools/say.1.golden` cannot be used
    {error}
1 tool, 1 example: 1 failure
"
    )
}

/// Asserts the report of `cogtools test --update`.
#[track_caller]
fn update(project: &Project, status: u8, stdout: &str, errors: &str, failures: &str) {
    let stderr = format!(
        "\
{errors}cogtools-test: error[TEST_FAILED]: {failures}
hint: the report on standard output shows what to fix
hint: cogtools test --update accepts the current results as golden files
"
    );
    harmless(project, "cogtools-test", &["--update"]).expect(status, stdout, stderr);
}

#[test]
fn a_golden_file_is_not_written_through_a_link() {
    for at in 0..3 {
        let project = with_tools();
        let (target, _) = targets(&project)[at].clone();
        project.link(
            "tools/say.1.golden",
            target.replace("../home", "../../home"),
        );
        update(&project, 1, &unread_golden(None), "", "1 failure");
    }
}

#[test]
fn golden_files_stay_in_a_folder_that_is_a_link() {
    let project = scene();
    project.link("tools", "../home/own");
    let (error, replace) = (leaves("tools", "../home/own"), replace("tools"));
    let stdout = format!(
        "\
FAILED gone (no tool)
  tools/gone.yaml: stale: `tools/gone.7.golden` has no example
    `tools/gone.7.golden` cannot be removed: {error}
    {replace}
0 tools, 0 examples: 1 failure
"
    );
    let folder = "\
cogtools-test: error[INVALID_CONFIG]: the folder `tools` is a link that points outside the project
hint: replace the link with a copy, or name the folder itself in `tool_sources`
";
    update(&project, 78, &stdout, folder, "1 failure");
}

#[test]
fn a_link_that_a_tool_swaps_in_is_not_followed() {
    let project = scene();
    let tool = SAY.replace(
        "said",
        "{exec: [sh, -c, 'mv tools away; ln -s ../home/empty tools; echo evil']}",
    );
    project.file("tools/say.yaml", tool);
    update(&project, 1, &unread_golden(Some("tools")), "", "1 failure");
}

#[test]
fn the_lock_file_is_not_written_through_a_link() {
    for at in 0..3 {
        let project = with_tools();
        let (target, shown) = targets(&project)[at].clone();
        project.link("cogtools.lock", &target);
        let (error, replace) = (leaves("cogtools.lock", &shown), replace("cogtools.lock"));
        let stderr = format!(
            "cogtools-lock: error[IO_FAILED]: `cogtools.lock` cannot be written: {error}\n{replace}"
        );
        let is_read = project.path("cogtools.lock").exists();
        let (status, stderr) = if is_read {
            let error = unread("cogtools.lock", None);
            (78, format!("cogtools-lock: error[INVALID_CONFIG]: {error}"))
        } else {
            (74, stderr)
        };
        harmless(&project, "cogtools-lock", &[]).fails(status, stderr);
    }
}

#[test]
fn the_configuration_is_not_written_through_a_link() {
    let project = scene();
    project
        .remove(".cogtoolrc.yaml")
        .file("../home/other.yaml", "# mine\n")
        .link(".cogtoolrc.yaml", "../home/other.yaml");
    let error = unread(".cogtoolrc.yaml", None);
    let stderr = format!("cogtools-config: error[INVALID_CONFIG]: {error}");
    let args = ["set", "filter.tools", "[say]"];
    harmless(&project, "cogtools-config", &args).fails(78, stderr);
}

#[test]
fn a_document_is_not_written_through_a_link() {
    for (file, link, target) in [
        ("GEMINI.md", "GEMINI.md", "../home/.bashrc"),
        ("docs/notes.md", "docs", "../home/empty"),
    ] {
        let project = with_tools();
        project.link(link, target);
        let error = unread(file, (file != link).then_some(link));
        let stderr = format!("cogtools-docs: error[INVALID_CONFIG]: {error}");
        harmless(&project, "cogtools-docs", &[file]).fails(78, stderr);
    }
}

#[test]
fn a_new_tool_stays_in_the_project() {
    for (link, target, file) in [
        ("tools", "../home/empty", "tools/mine.yaml"),
        (".cogtools", "../home/empty", ".cogtools/schema/tool.json"),
    ] {
        let project = scene();
        project.link(link, target);
        let (error, replace) = (leaves(link, target), replace(link));
        let stderr = format!(
            "cogtools-new: error[IO_FAILED]: `{file}` cannot be written: {error}\n{replace}"
        );
        harmless(&project, "cogtools-new", &["mine"]).fails(74, stderr);
        let files = [Path::new(".cogtoolrc.yaml"), Path::new(link)];
        let mut expected = files.map(Path::to_path_buf);
        expected.sort();
        assert_eq!(project.files(), expected);
    }
}

#[test]
fn nothing_is_initialised_through_a_link() {
    for (host, file, link, target) in [
        ("gemini", "tools/hello.yaml", "tools", "../home/empty"),
        (
            "gemini",
            ".gemini/settings.json",
            ".gemini",
            "../home/empty",
        ),
        (
            "gemini",
            ".gemini/settings.json",
            ".gemini/settings.json",
            "../../home/set.json",
        ),
        ("claude-code", ".mcp.json", ".mcp.json", "../home/set.json"),
        ("cursor", ".cursor/mcp.json", ".cursor", "../home/empty"),
        (
            "gemini-extension",
            "gemini-extension.json",
            "gemini-extension.json",
            "../home/set.json",
        ),
    ] {
        let project = scene();
        project.file("../home/set.json", "{}\n").dir(".gemini");
        if link == ".gemini" {
            fs::remove_dir(project.path(".gemini")).expect("an empty folder");
        }
        project.link(link, target);
        let (status, error) = if link == "tools" {
            let (error, replace) = (leaves(link, target), replace(link));
            let error = format!("[IO_FAILED]: {file}: cannot be written: {error}\n{replace}");
            (74, error)
        } else {
            let error = unread(file, (file != link).then_some(link));
            (78, format!("[INVALID_CONFIG]: {error}"))
        };
        let stderr = format!("cogtools-init: error{error}hint: no file was written\n");
        harmless(&project, "cogtools-init", &["--host", host]).fails(status, stderr);
    }
}

#[test]
fn a_fixed_tool_stays_in_the_project() {
    let project = scene();
    project
        .file("../home/say.yaml", SAY)
        .dir("tools")
        .link("tools/say.yaml", "../../home/say.yaml");
    let stdout = "\
tools/say.yaml:1:1: error[invalid-tool]: `tools/say.yaml` is a link that points outside the project
   |
 1 |\x20
   | ^
why: discovery skips the file, so no host ever sees the tool
fix: replace the link with a copy of the file

1 file: 1 error
";
    harmless(&project, "cogtools-lint", &["--fix"]).expect(78, stdout, "");
}
