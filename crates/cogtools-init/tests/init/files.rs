//! Everything else that a path can be, and what is written how.

use std::fs;

use crate::project::{Project, done, failed};
use crate::refusals::refused;

/// What a run in `project` must say; `name` is what it is about.
fn check(project: &Project, status: u8, name: &str, message: &str, hint: &str) {
    let code = if status == 78 {
        "INVALID_CONFIG"
    } else {
        "IO_FAILED"
    };
    let stderr = format!("cogtools-init: error[{code}]: {name}: {message}\nhint: {hint}\n");
    let before = project.files();
    assert_eq!(project.run(&[]), refused(status, &stderr));
    assert_eq!(project.files(), before);
}

#[test]
fn something_else_has_the_name() {
    let away = "mend it or move it away, then run this again";
    let project = Project::new();
    project.write("tools", "");
    check(&project, 78, "tools", "is not a folder", away);

    let project = Project::new();
    project.write(".cogtoolrc.yaml/x", "");
    check(&project, 78, ".cogtoolrc.yaml", "is not a file", away);

    let project = Project::new();
    project.write(".gemini/settings.json/x", "");
    let away = "move it away, then run this again";
    check(&project, 78, ".gemini/settings.json", "is not a file", away);
}

#[test]
fn everything_in_the_way_is_told_at_once() {
    let project = Project::with_settings("[]");
    project.write("tools", "");
    let stderr = "\
cogtools-init: error[INVALID_CONFIG]: tools: is not a folder
hint: mend it or move it away, then run this again
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json:1:1: must be an object, but is an array
   |
 1 | []
   | ^^
hint: make it an object or take it out, then run this again
";
    assert_eq!(project.run(&[]), refused(78, stderr));
}

#[test]
fn a_settings_file_of_16_mib_and_more() {
    let project = Project::with_settings(vec![b' '; (16 << 20) + 1]);
    let hint = "move it away, then run this again";
    check(
        &project,
        78,
        ".gemini/settings.json",
        "is larger than 16 MiB",
        hint,
    );
}

#[test]
fn a_folder_that_has_tools_gets_no_example() {
    for tool in ["tools/mine.yaml", "tools/mine.yml", "tools/set/mine.yaml"] {
        let project = Project::new();
        project.write(tool, "");
        let stdout = project.run(&[]).stdout;
        let (summary, steps) = stdout.split_once("\n\n").unwrap();
        assert_eq!(
            summary,
            "created .cogtoolrc.yaml\nunchanged tools\ncreated .gemini/settings.json"
        );
        assert!(steps.contains("toolName = [\"discovered_tool_NAME\"]"));
        assert!(!project.path("tools/hello.yaml").exists());
    }
    let project = Project::new();
    project.write("tools/build.sh", "");
    project.write("tools/a/b/deep.yaml", "");
    project.run(&[]);
    assert!(project.path("tools/hello.yaml").exists());
}

#[test]
fn what_is_there_stays() {
    let project = Project::with_settings("{}");
    project.write(".cogtoolrc.yaml", "tool_sources: []\n");
    project.write("tools/hello.yaml", "mine");
    let stdout = project.run(&[]).stdout;
    let summary = stdout.split("\n\n").next();
    let expected =
        "unchanged .cogtoolrc.yaml\nunchanged tools/hello.yaml\nupdated .gemini/settings.json";
    assert_eq!(summary, Some(expected));
    assert_eq!(project.read(".cogtoolrc.yaml"), "tool_sources: []\n");
    assert_eq!(project.read("tools/hello.yaml"), "mine");
}

#[test]
fn no_directory() {
    let project = Project::new();
    let stderr = "\
cogtools-init: error[USAGE]: -C: `nowhere` is not a directory
hint: name a directory that exists
";
    assert_eq!(project.run(&["-C", "nowhere"]), failed(2, stderr));
    fs::remove_dir(project.path("")).unwrap();
    let stderr = "\
cogtools-init: error[IO_FAILED]: the working directory does not exist any more
hint: change to a directory that exists, or name one with -C
";
    assert_eq!(project.run(&[]), failed(74, stderr));
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
    use super::{Project, check, done, fs, refused};
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
            "tools/hello.yaml",
        ];
        assert_eq!(project.files(), files);
    }

    #[test]
    fn links_to_nothing() {
        let project = Project::new();
        fs::create_dir(project.path(".gemini")).unwrap();
        symlink("nowhere", project.path(".gemini/settings.json")).unwrap();
        check(
            &project,
            74,
            ".gemini/settings.json",
            "is a symbolic link to a file that does not exist",
            "create the file it points to, or take the link out, then run this again",
        );
        let hint = "mend it or move it away, then run this again";
        for name in ["tools", ".cogtoolrc.yaml"] {
            let project = Project::new();
            symlink("nowhere", project.path(name)).unwrap();
            let message = "cannot be read: No such file or directory (os error 2)";
            check(&project, 74, name, message, hint);
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
    fn a_pipe_is_not_waited_for() {
        let project = Project::new();
        fs::create_dir(project.path(".gemini")).unwrap();
        let path = project.path(".gemini/settings.json");
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        let hint = "move it away, then run this again";
        check(&project, 78, ".gemini/settings.json", "is not a file", hint);
    }

    #[test]
    fn a_read_only_file() {
        let project = Project::with_settings("{}");
        set_mode(&project, ".gemini/settings.json", 0o444);
        check(
            &project,
            74,
            ".gemini/settings.json",
            "may not be written: it is read-only",
            "make it writable, then run this again",
        );
        // Where nothing is to be written, nothing is to be said.
        set_mode(&project, ".gemini/settings.json", 0o644);
        project.run(&[]);
        set_mode(&project, ".gemini/settings.json", 0o444);
        let stdout = "unchanged .cogtoolrc.yaml\nunchanged tools/hello.yaml\nunchanged .gemini/settings.json\n\nnothing to do: all of it is in place\n";
        assert_eq!(project.run(&[]), done(stdout));
    }

    #[test]
    fn nothing_is_left_of_a_run_that_cannot_write() {
        let project = Project::new();
        symlink("nowhere", project.path(".gemini")).unwrap();
        let stderr = "\
cogtools-init: error[IO_FAILED]: .gemini/settings.json: cannot be written: the link `.gemini` leads to `nowhere`, which does not exist
hint: create what `.gemini` leads to, or remove the link, then run this again
";
        assert_eq!(project.run(&[]), refused(74, stderr));
        assert_eq!(project.files(), [".gemini"]);
    }
}
