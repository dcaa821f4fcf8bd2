//! `install.sh` with archives that `cargo xtask archive` has made.

use std::fs;
use std::path::{Path, PathBuf};

use cogtools_test_support::{Project, Run};

use super::archives::{VERSION, archives, closing_report, install, target};
use super::server::{Manner, serve};
use super::{directory_of, xtask};
use crate::{binary, repository};

/// Asserts that everything is below `prefix` of `project`, and nothing else.
#[track_caller]
fn assert_installed(project: &Project, prefix: &str) {
    let files: Vec<PathBuf> = project.files();
    let below = |folder: &str| {
        let folder = Path::new(prefix).join(folder);
        let found = files.iter().filter(move |file| file.starts_with(&folder));
        found.count()
    };
    let programs = cogtools::PROGRAMS.len();
    let pages = fs::read_dir(repository().join("man")).map_or(0, Iterator::count);
    // And the one that only the others start.
    assert_eq!(below("bin"), programs + 1);
    assert_eq!(below("share/man"), pages);
    // Completions of each program for bash, fish and zsh.
    assert_eq!(below("share"), pages + 3 * programs);
    assert_eq!(below(""), programs + 1 + pages + 3 * programs);
    for program in cogtools::PROGRAMS.iter() {
        let name = program.name;
        let link = fs::read_link(project.path(prefix).join("bin").join(name));
        let target = binary(name).map(PathBuf::from);
        assert_eq!(link.ok(), target, "{name}");
    }
    let program = project.path(prefix).join("bin/cogtools");
    Run::new(program)
        .run()
        .outputs(format!("cogtools {VERSION}\n"));
}

/// Asserts that nothing was installed: the project has no files.
#[track_caller]
fn assert_empty(project: &Project) {
    assert_eq!(project.files(), Vec::<PathBuf>::new());
}

#[test]
fn it_installs_from_a_server_and_from_a_directory() {
    let (dir, _) = archives();
    let served = serve(dir, Manner::Whole);
    for (from, prefix) in [
        (served.as_str(), "local"),
        (&dir.display().to_string(), "with a space/local"),
    ] {
        let project = Project::new();
        for _ in 0..2 {
            // The second time replaces the files of the first.
            let run = install(&project, from).args(["--prefix", prefix]).run();
            run.outputs(closing_report(&format!("[ROOT]/{prefix}")));
            assert_installed(&project, prefix);
        }
        let bin = project.path(prefix).join("bin");
        let run = install(&project, from).args(["--prefix", prefix]).path(bin);
        let report = closing_report(&format!("[ROOT]/{prefix}"));
        let lines: Vec<&str> = report.lines().collect();
        run.run()
            .outputs(format!("{}\n{}\n{}\n", lines[0], lines[1], lines[4]));
    }
}

#[test]
fn it_installs_below_home_with_wget_alone() {
    let (dir, _) = archives();
    let project = Project::new();
    let tools = [
        "cat",
        "chmod",
        "cut",
        "dirname",
        "find",
        "gzip",
        "mkdir",
        "mktemp",
        "mv",
        "rm",
        "sh",
        "sha256sum",
        "sort",
        "tar",
        "uname",
        "wget",
    ];
    project.dir("tools");
    for tool in tools {
        project.link(format!("tools/{tool}"), directory_of(tool).join(tool));
    }
    let run = install(&project, &serve(dir, Manner::Whole));
    let run = run.env("PATH", project.path("tools")).run();
    run.outputs(closing_report("[HOME]/.local"));
    let program = project.home().join(".local/bin/cogtools");
    Run::new(program)
        .run()
        .outputs(format!("cogtools {VERSION}\n"));

    project.remove("tools/wget");
    let run = install(&project, "http://127.0.0.1:1");
    let run = run.env("PATH", project.path("tools")).run();
    run.fails(
        1,
        format!(
            "install.sh: error: neither curl nor wget is installed\n\
             hint: fetch [FROM]/cogtools-{VERSION}-{}.tar.gz.sha256 by hand and name its \
             directory with --from\n",
            target()
        ),
    );
}

#[test]
fn it_installs_nothing_from_an_incomplete_download() {
    let (dir, name) = archives();
    let wrong = Project::new();
    let bytes = fs::read(dir.join(name)).unwrap_or_else(|error| panic!("{error}"));
    wrong.file(name, [bytes, b"more".to_vec()].concat()).file(
        format!("{name}.sha256"),
        fs::read(dir.join(format!("{name}.sha256"))).unwrap(),
    );
    let project = Project::new();
    let checksum = format!(
        "install.sh: error: {name} does not match its checksum\n\
         hint: it was truncated or changed on the way; nothing is installed; try again\n"
    );
    install(&project, &wrong.root().display().to_string())
        .run()
        .fails(1, &checksum);
    install(&project, &serve(&wrong.root(), Manner::Whole))
        .run()
        .fails(1, &checksum);
    assert_empty(&project);

    let cut = install(&project, &serve(dir, Manner::Cut)).run();
    let stderr = String::from_utf8_lossy(&cut.stderr).into_owned();
    let (why, message) = stderr.split_once('\n').unwrap_or_default();
    assert!(why.starts_with("curl: (18) "), "{cut}");
    assert_eq!(message, not_fetched(name, target()));
    cut.fails(1, &stderr);
    assert_eq!(left_in_home(&project), Vec::<PathBuf>::new());
}

fn not_fetched(file: &str, target: &str) -> String {
    format!(
        "install.sh: error: {file} cannot be fetched from [FROM]\n\
         hint: check that this version has an archive for {target}; --version and --target name \
         others\n"
    )
}

/// Every file and directory in the default prefix.
pub(crate) fn left_in_home(project: &Project) -> Vec<PathBuf> {
    let local = project.home().join(".local");
    let entries = fs::read_dir(local).into_iter().flatten().flatten();
    // The record of approvals is not the installer's.
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| !path.ends_with("state")).collect()
}

#[test]
fn missing_requirements_are_named() {
    let (dir, _) = archives();
    let project = Project::new();
    let file = format!("cogtools-{VERSION}-sparc-sun-solaris.tar.gz.sha256");
    let message = not_fetched(&file, "sparc-sun-solaris");
    let target = ["--target", "sparc-sun-solaris"];
    let local = install(&project, &dir.display().to_string()).args(target);
    local.run().fails(1, &message);
    let served = install(&project, &serve(dir, Manner::Whole)).args(target);
    let why = "curl: (22) The requested URL returned error: 404\n";
    served.run().fails(1, format!("{why}{message}"));

    project.program(
        "fake/uname",
        "#!/bin/sh\n[ $1 = -s ] && echo Plan9 || echo x86_64\n",
    );
    let other = install(&project, "/nowhere").path(project.path("fake"));
    other.run().fails(
        1,
        "install.sh: error: there are no programs for Plan9 on x86_64\n\
         hint: Windows: npm install cogtools, or unpack the archive for Windows\n\
         hint: elsewhere: cargo install --path crates/cogtools, in a clone of the source\n",
    );
    let plain = install(&project, "http://example.org/a").run();
    plain.fails(
        1,
        "install.sh: error: `[FROM]` is not supported\n\
         hint: name a URL that begins with https:// and a host\n",
    );
    assert_eq!(left_in_home(&project), Vec::<PathBuf>::new());
}

#[test]
fn obstacles_are_found_before_the_first_file_is_installed() {
    let (dir, _) = archives();
    let project = Project::new();
    project.dir("local/bin/cogtools-yaml");
    let run = install(&project, &dir.display().to_string()).args(["--prefix", "local"]);
    run.run().fails(
        1,
        "install.sh: error: [ROOT]/local/bin/cogtools-yaml is a directory\nhint: move it away\n",
    );
    assert_empty(&project);
}

#[test]
fn impossible_options_are_reported() {
    let project = Project::new();
    let script = repository().join("install.sh");
    let run = |args: &[&str]| {
        Run::new("/bin/sh")
            .arg(&script)
            .args(args)
            .project(&project)
    };
    let usage = run(&["--help"]).run().text();
    assert!(
        usage.starts_with("usage: install.sh [--from URL|DIR] "),
        "{usage}"
    );
    for (args, wrong) in [
        (
            &[][..],
            "the location of the archives is missing: --from URL|DIR",
        ),
        (&["--prefix"], "--prefix needs a value"),
        (&["--from", ""], "--from needs a value"),
        (&["now"], "unexpected argument 'now'"),
    ] {
        run(args)
            .run()
            .fails(2, format!("install.sh: error: {wrong}\n{usage}"));
    }
}

#[test]
fn every_shell_can_run_it() {
    let script = repository().join("install.sh");
    let shellcheck = directory_of("shellcheck").join("shellcheck");
    Run::new(shellcheck).arg(&script).run().outputs("");
    let text = fs::read_to_string(&script).unwrap_or_else(|error| panic!("{error}"));
    assert!(
        text.contains(&format!("\nversion='{VERSION}'\n")),
        "another version"
    );
}

/// The script in a release needs no options.
#[test]
fn a_release_contains_it_with_its_address() {
    let (dir, _) = archives();
    let from = serve(dir, Manner::Whole);
    let project = Project::new();
    let out = project.root();
    let written = xtask([
        "installer",
        "--from",
        &from,
        "--out",
        &out.display().to_string(),
    ]);
    written.outputs(format!("{}\n", out.join("install.sh").display()));
    let run = Run::new("/bin/sh").arg("install.sh").project(&project);
    run.run().outputs(closing_report("[HOME]/.local"));
}
