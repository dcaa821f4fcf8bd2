//! Links that point out of the repository: nothing is read through them, and nothing of
//! their targets is shown. Before, a caret line printed the user's tokens to the model.

use std::time::Duration;

use cogtools_test_support::Project;

use super::SAY;
use crate::run;

/// The text that must not be printed.
const TOKEN: &str = "npm_0123456789secret";
/// The name of the file that contains it, which says where secrets are.
const TARGET: &str = "npmrc";
/// A HOME with secrets, as files and in a folder, and a project with one tool.
fn scene() -> Project {
    let project = Project::new();
    let secret = format!("//registry.test/:_authToken={TOKEN}\n{TOKEN}: [{TOKEN}\n");
    for file in [
        "npmrc",
        "keys/npmrc.yaml",
        "keys/say.yaml",
        "keys/settings.json",
    ] {
        project.file(format!("../home/{file}"), &secret);
    }
    project.file("tools/say.yaml", SAY);
    project
}

/// Files that programs read.
const FILES: [&str; 8] = [
    "tools/x.yaml",
    "tools/say.1.golden",
    ".cogtoolrc.yaml",
    "package.json",
    ".env",
    "cogtools.lock",
    "GEMINI.md",
    ".mcp.json",
];

/// Every program that reads files of a project, with arguments.
const PROGRAMS: &[&[&str]] = &[
    &["cogtools-discover"],
    &["cogtools-discover", "--strict", "--locked"],
    &["cogtools-call", "say"],
    &["cogtools-call", "x"],
    &["cogtools-call", "none"],
    &["cogtools-yaml", "tools/x.yaml"],
    &["cogtools-yaml", "./tools/../tools/x.yaml"],
    &["cogtools-expand", "tools/x.yaml"],
    &["cogtools-expand", "x"],
    &["cogtools-list", "--json"],
    &["cogtools-lint"],
    &["cogtools-lint", "--fix", "tools", "tools/x.yaml"],
    &["cogtools-test"],
    &["cogtools-test", "--update", "tools/x.yaml", "tools"],
    &["cogtools-docs", "--check", "GEMINI.md"],
    &["cogtools-docs", "--print"],
    &["cogtools-config", "list"],
    &["cogtools-config", "env"],
    &["cogtools-config", "env", "--explain"],
    &["cogtools-init", "--dry-run"],
    &["cogtools-init", "--print"],
    &["cogtools-init", "--host", "claude-code", "--dry-run"],
    &["cogtools-doctor"],
    &["cogtools-lock", "--check"],
    &["cogtools-trust", "list"],
];

/// Runs every program in `project`, and asserts that none prints a secret or where it is.
fn nothing_is_shown(project: &Project, case: &str) {
    no_program_prints(&[TOKEN, TARGET], project, case);
}

/// A folder whose name is the project's own is treated alike.
fn nothing_is_quoted(project: &Project) {
    no_program_prints(&[TOKEN], project, "quoted");
}

fn no_program_prints(secrets: &[&str], project: &Project, case: &str) {
    for command in PROGRAMS {
        let run = run(command[0], project).args(&command[1..]);
        let outcome = run.limit(Duration::from_mins(1)).stdin("{}").run();
        for stream in [&outcome.stdout, &outcome.stderr] {
            let text = String::from_utf8_lossy(stream);
            for secret in secrets {
                assert!(!text.contains(secret), "{case}: {outcome}");
            }
        }
    }
}

#[test]
fn no_program_shows_the_target_of_a_link() {
    for link in FILES {
        for target in ["npmrc", "keys", "none/npmrc"] {
            let project = scene();
            project.link(link, project.home().join(target));
            nothing_is_shown(&project, link);
        }
    }
}

#[test]
fn no_program_shows_a_folder_behind_a_link() {
    for link in ["tools", "tools/keys", ".gemini"] {
        let project = scene();
        if link == "tools" {
            project.remove("tools/say.yaml");
            std::fs::remove_dir(project.path("tools")).expect("an empty folder");
        }
        project
            .link(link, project.home().join("keys"))
            .file(".cogtoolrc.yaml", "");
        nothing_is_shown(&project, link);
    }
}

#[test]
fn no_program_waits_for_a_pipe() {
    for file in FILES.iter().chain(&[".gemini/settings.json"]) {
        let project = scene();
        project.dir(".gemini");
        let made = std::process::Command::new("mkfifo")
            .arg(project.path(file))
            .status();
        assert!(made.is_ok_and(|status| status.success()), "{file}");
        nothing_is_shown(&project, file);
    }
}

/// Asserts the failure of `program`.
#[track_caller]
fn fails(project: &Project, program: &str, args: &[&str], status: u8, stderr: &str) {
    let outcome = run(program, project).args(args).stdin("{}").run();
    outcome.fails(status, stderr.to_owned());
}

#[test]
fn a_tool_file_is_not_read_through_a_link() {
    for target in ["npmrc", "none", "keys", "keys/say.yaml"] {
        let project = scene();
        project.link("tools/x.yaml", format!("../../home/{target}"));
        let message = "error[INVALID_TOOL]: `tools/x.yaml` is a link that points outside the \
                       project\nhint: replace the link with a copy of the file\n";
        for (program, arg) in [
            ("cogtools-call", "x"),
            ("cogtools-yaml", "tools/x.yaml"),
            ("cogtools-expand", "tools/x.yaml"),
            ("cogtools-expand", "x"),
        ] {
            fails(
                &project,
                program,
                &[arg],
                78,
                &format!("{program}: {message}"),
            );
        }
    }
}

#[test]
fn links_of_links_and_loops_are_errors() {
    let project = scene();
    project
        .dir("deep/er")
        .link("deep/er/out", "../../../home")
        .link("deep/one", "er/out")
        .link("tools/x.yaml", "../deep/one/npmrc")
        .link("tools/y.yaml", "y.yaml")
        .link("tools/z.yaml", "/proc/self/environ");
    let outside = |name: &str| {
        format!(
            "cogtools-call: error[INVALID_TOOL]: `tools/{name}.yaml` is a link that points \
             outside the project\nhint: replace the link with a copy of the file\n"
        )
    };
    fails(&project, "cogtools-call", &["x"], 78, &outside("x"));
    fails(&project, "cogtools-call", &["z"], 78, &outside("z"));
    fails(
        &project,
        "cogtools-call",
        &["y"],
        74,
        "cogtools-call: error[IO_FAILED]: `tools/y.yaml` cannot be read: Too many levels of \
         symbolic links (os error 40)\nhint: check that the file is readable\n",
    );
}

#[test]
fn links_inside_the_project_are_followed() {
    let project = Project::new();
    project
        .file(
            "shared/say.yaml",
            SAY.replace(
                "implementation: said",
                "implementation: |-\n  {% include 'p.njk' %}",
            ),
        )
        .file("rc.yaml", "tool_sources: [{local: linked}]\n")
        .link(".cogtoolrc.yaml", "rc.yaml")
        .dir("tools")
        .link("tools/say.yaml", project.path("shared/say.yaml"))
        .link("tools/p.njk", "q.njk")
        .file("tools/q.njk", "included")
        .link("linked", "./shared/../tools");
    run("cogtools-call", &project)
        .arg("say")
        .stdin("{}")
        .run()
        .outputs("included");
}

/// A folder outside the project that the project names is a source like any other, but
/// its files are the user's.
#[test]
fn a_message_quotes_nothing_of_a_folder_outside_the_project() {
    let project = scene();
    project.file(".cogtoolrc.yaml", "tool_sources: [{local: ../home/keys}]\n");
    nothing_is_quoted(&project);
    fails(
        &project,
        "cogtools-call",
        &["say"],
        78,
        "cogtools-call: error[INVALID_TOOL]: ../home/keys/say.yaml:1:1: not a valid tool; what \
         is wrong is not shown, because the file is outside the project\nhint: lint it in the \
         project that it belongs to\n",
    );
}

#[test]
fn the_users_own_files_may_be_links() {
    let project = scene();
    project
        .remove("tools/say.yaml")
        .file("../dotfiles/rc.yaml", "tool_sources: [{local: mine}]\n")
        .file("../dotfiles/say.yaml", SAY)
        .dir("../home/.gemini/mine")
        .link("../home/.gemini/cogtoolrc.yaml", "../../dotfiles/rc.yaml")
        .link(
            "../home/.gemini/mine/say.yaml",
            "../../../dotfiles/say.yaml",
        );
    run("cogtools-call", &project)
        .arg("say")
        .stdin("{}")
        .run()
        .outputs("said");
    project
        .dir("../bin")
        .link("../bin/say.yaml", "../dotfiles/say.yaml");
    run("cogtools-yaml", &project)
        .arg("../bin/say.yaml")
        .stdin("{}")
        .run()
        .outputs("said");
}

/// The working directory does not make a link in another project the user's.
#[test]
fn a_named_file_stays_in_its_own_project() {
    let project = scene();
    project
        .file("../clone/.git/HEAD", "")
        .dir("../clone/tools")
        .link("../clone/tools/x.yaml", "../../home/npmrc")
        .file("../clone/tools/bad.yaml", "name: [\n");
    fails(
        &project,
        "cogtools-yaml",
        &["../clone/tools/x.yaml"],
        78,
        "cogtools-yaml: error[INVALID_TOOL]: `../clone/tools/x.yaml` is a link that points \
         outside the project\nhint: replace the link with a copy of the file\n",
    );
    let outside = run("cogtools-lint", &project).arg("../clone/tools");
    outside.run().stdout_contains("name: [");
}
