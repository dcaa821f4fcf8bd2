//! A project that installs cogtools from npm.

use std::fs;
use std::path::{Path, PathBuf};

use cogtools_test_support::install::platform;
use cogtools_test_support::{Project, Run};

use super::packages::{Packages, npm, pack, write};
use super::{directory_of, place};
use crate::{CONFINE, OWN, programs};

pub(super) const TOOL: &str = "name: hello
description: Greets somebody
parameters:
  person:
    type: string
    description: Who is greeted
examples:
  - person: Ada
implementation: Hello, {{ person }}!
";

/// The output of the program `name` under test in `project`.
fn ours(name: &str, project: &Project, args: &[&str]) -> String {
    Run::new(programs().join(name))
        .project(project)
        .args(args)
        .run()
        .text()
}

/// The target of a link of `project` to a program, below `node_modules`.
fn target(project: &Project, name: &str) -> PathBuf {
    let modules = project.path("node_modules");
    let link = modules.join(".bin").join(name);
    let target = fs::canonicalize(&link).unwrap_or_else(|error| panic!("{name}: {error}"));
    let below = target.strip_prefix(&modules).map(Path::to_path_buf);
    below.unwrap_or_else(|_| panic!("{name} leads to {}", target.display()))
}

#[test]
fn a_project_runs_the_programs_that_it_has_installed() {
    let project = Packages::get().installed(&[]);
    let npx = |args: &[&str]| npm("npx", &project).args(args).run();
    npx(&["cogtools", "--version"]).outputs(ours("cogtools", &project, &["--version"]));
    npx(&["cogtools", "list"]).outputs(ours("cogtools-list", &project, &[]));
    npx(&["cogtools-discover"]).outputs(ours("cogtools-discover", &project, &[]));
    let call = npm("npx", &project).args(["cogtools", "call", "hello"]);
    call.stdin("{\"person\": \"Ada\"}")
        .run()
        .outputs("Hello, Ada!");

    let own = Path::new("@cogtools").join(platform()).join("bin");
    let exec_path = format!("[ROOT]/node_modules/{}\n", own.display());
    npx(&["cogtools", "--exec-path"]).outputs(exec_path);
    for name in ["cogtools", "cogtools-call", "cogtools-discover"] {
        assert_eq!(target(&project, name), own.join(name));
        let pages = project.path("node_modules/cogtools/share/man/man1");
        assert!(pages.join(format!("{name}.1")).is_file(), "{name}");
    }
    let platform = project.path("node_modules").join(&own);
    let entries = fs::read_dir(platform).unwrap_or_else(|error| panic!("{error}"));
    let mut names: Vec<_> = entries
        .flatten()
        .map(|entry| entry.file_name().display().to_string())
        .collect();
    names.sort_unstable();
    let mut own_names: Vec<&str> = OWN.into_iter().chain([CONFINE]).collect();
    own_names.sort_unstable();
    assert_eq!(names, own_names);
    // The others are links to cogtools, and run the program of their name.
    for program in cogtools::PROGRAMS.iter() {
        if !OWN.contains(&program.name) {
            assert_eq!(target(&project, program.name), own.join("cogtools"));
            let link = project.path("node_modules/.bin").join(program.name);
            let version = Run::new(link).project(&project).arg("--version").run();
            version.outputs(ours(program.name, &project, &["--version"]));
        }
    }
}

#[test]
fn programs_of_other_packages_are_found_and_replace_none() {
    for flags in [&[][..], &["--ignore-scripts"]] {
        let project = Packages::get().installed(flags);
        let npx = |args: &[&str]| npm("npx", &project).args(args).run();
        npx(&["cogtools", "hello", "a b", "--c"]).outputs("hello a b --c\n");
        // Their package has a cogtools-list as well.
        npx(&["cogtools", "list"]).outputs(ours("cogtools-list", &project, &[]));
        let all = npx(&["cogtools", "help", "--all"]).text();
        let external: Vec<&str> = all.lines().filter(|line| line.contains(".bin/")).collect();
        let hello = "hello        [ROOT]/node_modules/.bin/cogtools-hello";
        assert_eq!(external, [hello], "{all}");
    }
}

/// Below another directory of the project, as a program there finds it.
#[test]
fn programs_of_other_packages_are_found_from_below() {
    let project = Packages::get().installed(&["--ignore-scripts"]);
    project.dir("a/b");
    let found = Run::new(programs().join("cogtools"))
        .project(&project)
        .cwd(project.path("a/b"))
        .path(directory_of("node"))
        .args(["hello", "from", "below"]);
    found.run().outputs("hello from below\n");
}

#[test]
fn the_same_programs_give_the_same_packages() {
    let packages = Packages::get();
    let again = pack(
        &write("again").join("cogtools"),
        &place().join("packed-again"),
    );
    let bytes = |path: &Path| fs::read(path).unwrap_or_else(|error| panic!("{error}"));
    assert!(
        bytes(&again) == bytes(&packages.launchers),
        "{} is another file than {}",
        again.display(),
        packages.launchers.display()
    );
}

/// Every program has a launcher, and the packages of programs are named in the
/// same version.
#[test]
fn the_package_names_every_program_and_platform() {
    Packages::get();
    let manifest = place().join("npm").join("cogtools").join("package.json");
    let text = fs::read(manifest).unwrap_or_else(|error| panic!("{error}"));
    let manifest: serde_json::Value = serde_json::from_slice(&text).expect("it is JSON");
    let keys = |key: &str| -> Vec<String> {
        let entries = manifest[key].as_object();
        let entries = entries.unwrap_or_else(|| panic!("no {key} in {manifest:#}"));
        entries.keys().cloned().collect()
    };
    let programs = cogtools::PROGRAMS.iter();
    let mut names: Vec<&str> = programs.map(|program| program.name).collect();
    names.sort_unstable();
    assert_eq!(keys("bin"), names);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(manifest["version"], version);
    for name in keys("optionalDependencies") {
        assert_eq!(manifest["optionalDependencies"][&name], version, "{name}");
    }
    let platforms = [
        "darwin-arm64",
        "linux-arm64",
        "darwin-x64",
        "win32-x64",
        "linux-x64",
    ];
    assert_eq!(
        keys("optionalDependencies"),
        platforms.map(|name| format!("@cogtools/{name}"))
    );
}
