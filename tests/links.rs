//! The programs that are `cogtools` under another name: by a link, and by their name after
//! `cogtools`.

use cogtools_test_support::{Outcome, Project, Run};

use crate::{OWN, programs, run, whole};

/// The programs without a binary of their own.
fn linked() -> impl Iterator<Item = &'static str> {
    let names = cogtools::PROGRAMS.into_iter().map(|program| program.name);
    names.filter(|name| !OWN.contains(name))
}

/// A project with a `cogtools` in `bin`.
fn house() -> Project {
    let project = Project::new();
    project.copy("bin/cogtools", whole("cogtools"));
    project
}

/// A run of the program at `place` in `project`.
fn start(project: &Project, place: &str) -> Run {
    Run::new(project.path(place)).project(project)
}

#[track_caller]
fn same(left: &Outcome, right: &Outcome) {
    left.expect(right.status, &right.stdout, &right.stderr);
}

#[test]
fn each_is_the_same_by_link_and_behind_cogtools() {
    let project = house();
    project.dir("other");
    for name in linked() {
        project
            .link(format!("bin/{name}"), "cogtools")
            .link(format!("other/{name}.exe"), "../bin/cogtools");
        let word = name.strip_prefix("cogtools-").unwrap_or(name);
        for flag in ["--help", "--version", "--nonsense", "--error-format=json"] {
            // Without options some of them take long.
            let args = [flag, "--nonsense"];
            let args = &args[..if flag == "--error-format=json" { 2 } else { 1 }];
            let own = run(name, &project).args(args).run();
            assert_ne!(own.stdout.is_empty(), own.stderr.is_empty(), "{own}");
            let link = start(&project, &format!("bin/{name}"));
            same(&link.args(args).run(), &own);
            let ending = start(&project, &format!("other/{name}.exe"));
            same(&ending.args(args).run(), &own);
            let behind = start(&project, "bin/cogtools").arg(word);
            same(&behind.args(args).run(), &own);
        }
    }
}

#[test]
fn a_link_of_another_name_is_cogtools() {
    let project = house();
    let expected = start(&project, "bin/cogtools").arg("--help").run();
    for name in [
        "cogtools-",
        "cogtools-none",
        "lint",
        "cogtools.1",
        "-",
        "cogtools-lint-2",
    ] {
        project.link(format!("bin/{name}"), "cogtools");
        let link = start(&project, &format!("bin/{name}"));
        same(&link.arg("--help").run(), &expected);
    }
    project.copy("hard/cogtools-list", whole("cogtools"));
    let hard = start(&project, "hard/cogtools-list").arg("--version");
    hard.run()
        .outputs(format!("cogtools-list {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_programs_of_hosts_are_one_binary() {
    let project = Project::new();
    project.copy("bin/cogtools-call", whole("cogtools-call"));
    for name in ["cogtools-discover", "cogtools-yaml"] {
        project.link(format!("bin/{name}"), "cogtools-call");
        let version = start(&project, &format!("bin/{name}")).arg("--version");
        let expected = format!("{name} {}\n", env!("CARGO_PKG_VERSION"));
        version.run().outputs(expected.as_str());
        run("cogtools", &project)
            .args([&name["cogtools-".len()..], "--version"])
            .run()
            .outputs(expected);
    }
    project.link("bin/other", "cogtools-call");
    let other = start(&project, "bin/other").arg("--version").run();
    other.outputs(format!("cogtools-call {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn built_in_programs_are_reached_through_it() {
    let project = Project::new();
    project.file(
        "tools/hi.yaml",
        "name: hi\ndescription: d\nimplementation: hello\n",
    );
    run("cogtools", &project)
        .args(["call", "hi"])
        .run()
        .outputs("hello");
    run("cogtools", &project)
        .args(["yaml", "tools/hi.yaml"])
        .run()
        .outputs("hello");
    project.dir("deep");
    project.file(
        "deep/tools/hi.yaml",
        "name: hi\ndescription: d\nimplementation: {exec: [pwd]}\n",
    );
    project.trust("deep");
    run("cogtools", &project)
        .args(["-C", "deep", "call", "hi"])
        .run()
        .outputs("[ROOT]/deep\n");
    run("cogtools", &project)
        .args(["-C", "deep", "list", "-C", "none"])
        .run()
        .fails(
            2,
            "cogtools-list: error[USAGE]: -C: `none` is not a directory\n\
             hint: name a directory that exists\n",
        );
    run("cogtools", &project)
        .args(["--exec-path"])
        .run()
        .outputs(format!("{}\n", programs().display()));
}
