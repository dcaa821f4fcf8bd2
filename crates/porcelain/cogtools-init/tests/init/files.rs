//! Paths of unexpected types, and how files are written.

use cogtools_test_support::{Expected, assert_text, outcome, str};
use std::fs;

use crate::project::Project;

/// Checks that a run in `project` fails with `stderr` and writes nothing.
#[track_caller]
fn check(project: &Project, status: u8, stderr: impl Into<Expected>) {
    let before = project.files();
    outcome!(project.run(&[])).fails(status, stderr);
    assert_eq!(project.files(), before);
}

#[test]
fn a_path_of_the_wrong_type() {
    let project = Project::new();
    project.write("tools", "");
    check(
        &project,
        78,
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: tools: is not a folder
hint: fix it or move it away, then run this again
hint: no file was written

"#]],
    );

    let project = Project::new();
    project.write(".cogtoolrc.yaml/x", "");
    check(
        &project,
        78,
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .cogtoolrc.yaml: is not a file
hint: fix it or move it away, then run this again
hint: no file was written

"#]],
    );

    let project = Project::new();
    project.write(".gemini/settings.json/x", "");
    check(
        &project,
        78,
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json: is not a file
hint: move it away, then run this again
hint: no file was written

"#]],
    );
}

#[test]
fn all_problems_are_reported_together() {
    let project = Project::with_settings("[]");
    project.write("tools", "");
    let stderr = str![[r#"
cogtools-init: error[INVALID_CONFIG]: tools: is not a folder
hint: fix it or move it away, then run this again
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:1: must be an object, but is an array
hint: make it an object or remove it, then run this again
hint: no file was written

"#]];
    outcome!(project.run(&[])).fails(78, stderr);
}

#[test]
fn a_settings_file_of_more_than_16_mib() {
    let project = Project::with_settings(vec![b' '; (16 << 20) + 1]);
    check(
        &project,
        78,
        str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json: is larger than 16 MiB
hint: move it away, then run this again
hint: no file was written

"#]],
    );
}

#[test]
fn a_folder_that_has_tools_gets_no_example() {
    for tool in ["tools/mine.yaml", "tools/mine.yml", "tools/set/mine.yaml"] {
        let project = Project::new();
        project.write(tool, "");
        let stdout = project.run(&[]).stdout;
        let (summary, steps) = stdout.split_once("\n\n").unwrap();
        assert_text(
            summary,
            str![[r#"
created .cogtoolrc.yaml
unchanged tools
created .gemini/settings.json
"#]],
        );
        assert_text(
            steps,
            str![[r#"
next steps:
- print the tools as Gemini CLI will see them (cogtools-discover and cogtools-call
  must be on PATH, or Gemini CLI cannot start here):
    cogtools-discover
- start gemini in this directory, and trust the folder when it asks
- in headless mode (gemini -p), trust the folder with the environment variable
  GEMINI_CLI_TRUST_WORKSPACE=true (--skip-trust leaves the settings unread), and
  allow each tool by name in a user-level policy file, such as
  ~/.gemini/policies/cogtools.toml, or Gemini CLI denies its calls:
    [[rule]]
    toolName = ["discovered_tool_NAME"]
    decision = "allow"
    priority = 100
  or, for a single run: gemini --allowed-tools discovered_tool_NAME -p '...'

"#]],
        );
        assert!(!project.path("tools/hello.yaml").exists());
    }
    let project = Project::new();
    project.write("tools/build.sh", "");
    project.write("tools/a/b/deep.yaml", "");
    project.run(&[]);
    assert!(project.path("tools/hello.yaml").exists());
}

#[test]
fn existing_files_are_preserved() {
    let project = Project::with_settings("{}");
    project.write(".cogtoolrc.yaml", "tool_sources: [{local: tools}]\n");
    project.write("tools/hello.yaml", "mine");
    let stdout = project.run(&[]).stdout;
    let summary = stdout.split("\n\n").next();
    let expected =
        "unchanged .cogtoolrc.yaml\nunchanged tools/hello.yaml\nupdated .gemini/settings.json";
    assert_eq!(summary, Some(expected));
    assert_text(
        project.read(".cogtoolrc.yaml"),
        str![[r#"
tool_sources: [{local: tools}]

"#]],
    );
    assert_eq!(project.read("tools/hello.yaml"), "mine");
}

#[test]
fn a_missing_directory() {
    let project = Project::new();
    let stderr = str![[r#"
cogtools-init: error[USAGE]: -C: `nowhere` is not a directory
hint: name a directory that exists

"#]];
    outcome!(project.run(&["-C", "nowhere"])).fails(2, stderr);
    fs::remove_dir(project.path("")).unwrap();
    let stderr = str![[r#"
cogtools-init: error[IO_FAILED]: the working directory no longer exists
hint: change to a directory that exists, or name one with -C

"#]];
    outcome!(project.run(&[])).fails(74, stderr);
}

#[test]
fn another_directory() {
    let project = Project::new();
    fs::create_dir(project.path("sub")).unwrap();
    let expected = Project::new().run(&[]);
    assert_eq!(project.run(&["-C", "sub"]), expected);
    assert!(project.path("sub/.cogtoolrc.yaml").exists());
    assert!(!project.path(".cogtoolrc.yaml").exists());
}

#[cfg(unix)]
mod unix {
    use super::{Project, check, fs, outcome, str};
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::process::Command;

    fn mode(project: &Project, file: &str) -> u32 {
        let metadata = fs::metadata(project.path(file)).unwrap();
        metadata.permissions().mode() & 0o777
    }

    fn set_mode(project: &Project, file: &str, mode: u32) {
        fs::set_permissions(project.path(file), fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn modes() {
        let project = Project::with_settings("{}");
        set_mode(&project, ".gemini/settings.json", 0o640);
        project.run(&[]);
        assert_eq!(mode(&project, ".gemini/settings.json"), 0o640);
        assert_eq!(mode(&project, "tools/hello.yaml") & 0o700, 0o700);
        assert_eq!(mode(&project, ".cogtoolrc.yaml") & 0o700, 0o600);
    }

    #[test]
    fn a_link_is_written_through() {
        let project = Project::new();
        project.write("dotfiles/gemini.json", "{}");
        fs::create_dir(project.path(".gemini")).unwrap();
        let link = project.path(".gemini/settings.json");
        symlink("../dotfiles/gemini.json", &link).unwrap();
        project.run(&[]);
        assert!(link.is_symlink());
        let direct = Project::with_settings("{}");
        direct.run(&[]);
        let expected = direct.read(".gemini/settings.json");
        assert_eq!(project.read("dotfiles/gemini.json"), expected);
        let files = [
            ".cogtoolrc.yaml",
            ".gemini/",
            ".gemini/settings.json",
            "dotfiles/",
            "dotfiles/gemini.json",
            "tools/",
            "tools/hello.1.golden",
            "tools/hello.2.golden",
            "tools/hello.yaml",
        ];
        assert_eq!(project.files(), files);
    }

    #[test]
    fn dangling_links() {
        let project = Project::new();
        fs::create_dir(project.path(".gemini")).unwrap();
        symlink("nowhere", project.path(".gemini/settings.json")).unwrap();
        check(
            &project,
            74,
            str![[r#"
cogtools-init: error[IO_FAILED]: .gemini/settings.json: is a symbolic link to a file that does not exist
hint: create the file it points to, or remove the link, then run this again
hint: no file was written

"#]],
        );
        for (name, stderr) in [
            (
                "tools",
                str![[r#"
cogtools-init: error[IO_FAILED]: tools: cannot be read: No such file or directory (os error 2)
hint: fix it or move it away, then run this again
hint: no file was written

"#]],
            ),
            (
                ".cogtoolrc.yaml",
                str![[r#"
cogtools-init: error[IO_FAILED]: .cogtoolrc.yaml: cannot be read: No such file or directory (os error 2)
hint: fix it or move it away, then run this again
hint: no file was written

"#]],
            ),
        ] {
            let project = Project::new();
            symlink("nowhere", project.path(name)).unwrap();
            check(&project, 74, stderr);
        }
    }

    #[test]
    fn a_link_to_itself() {
        let project = Project::new();
        fs::create_dir(project.path(".gemini")).unwrap();
        symlink("settings.json", project.path(".gemini/settings.json")).unwrap();
        let stderr = project.run(&[]).stderr;
        let start = "cogtools-init: error[IO_FAILED]: .gemini/settings.json: cannot be read: ";
        assert_eq!(stderr.get(..start.len()), Some(start));
    }

    #[test]
    fn a_named_pipe_is_refused_without_blocking() {
        let project = Project::new();
        fs::create_dir(project.path(".gemini")).unwrap();
        let path = project.path(".gemini/settings.json");
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        check(
            &project,
            78,
            str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json: is not a file
hint: move it away, then run this again
hint: no file was written

"#]],
        );
    }

    #[test]
    fn a_read_only_file() {
        let project = Project::with_settings("{}");
        set_mode(&project, ".gemini/settings.json", 0o444);
        check(
            &project,
            74,
            str![[r#"
cogtools-init: error[IO_FAILED]: .gemini/settings.json: cannot be written: it is read-only
hint: make it writable, then run this again
hint: no file was written

"#]],
        );
        // If nothing has to be written, a read-only file is not an error.
        set_mode(&project, ".gemini/settings.json", 0o644);
        project.run(&[]);
        set_mode(&project, ".gemini/settings.json", 0o444);
        let stdout = str![[r#"
unchanged .cogtoolrc.yaml
unchanged tools/hello.yaml
unchanged .gemini/settings.json

nothing to do: everything is set up already

"#]];
        outcome!(project.run(&[])).expect(0, stdout, "");
    }

    #[test]
    fn a_failed_run_leaves_no_files() {
        let project = Project::new();
        symlink("nowhere", project.path(".gemini")).unwrap();
        let stderr = str![[r#"
cogtools-init: error[IO_FAILED]: .gemini/settings.json: cannot be written: the link `.gemini` points to `nowhere`, which does not exist
hint: create the target of `.gemini`, or remove the link, then run this again
hint: no file was written

"#]];
        outcome!(project.run(&[])).fails(74, stderr);
        assert_eq!(project.files(), [".gemini"]);
    }
}
