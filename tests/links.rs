//! The programs that are `cogtools` under another name: by a link, by a stub, and
//! by their name after `cogtools`.

use cogtools_test_support::{Outcome, Project, Run, Status};

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
fn each_is_the_same_by_link_and_stub_and_behind_cogtools() {
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
            let stub = run(name, &project).args(args).run();
            assert_ne!(stub.stdout.is_empty(), stub.stderr.is_empty(), "{stub}");
            let link = start(&project, &format!("bin/{name}"));
            same(&link.args(args).run(), &stub);
            let ending = start(&project, &format!("other/{name}.exe"));
            same(&ending.args(args).run(), &stub);
            let behind = start(&project, "bin/cogtools").arg(word);
            same(&behind.args(args).run(), &stub);
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

/// Anyone can put a file next to a link, into the working directory or on PATH.
#[test]
fn a_stub_finds_cogtools_in_its_own_directory_only() {
    let project = Project::new();
    let evil = "#!/bin/sh\necho evil\n";
    project
        .copy("real/cogtools-list", programs().join("cogtools-list"))
        .dir("other")
        .link("other/cogtools-list", "../real/cogtools-list")
        .program("other/cogtools", evil)
        .program("path/cogtools", evil)
        .program("cogtools", evil);
    let list = |place: &str| start(&project, place).path(project.path("path"));
    for place in ["real/cogtools-list", "other/cogtools-list"] {
        list(place).arg("--version").run().fails(
            74,
            "cogtools-list: error[IO_FAILED]: `[ROOT]/real/cogtools` cannot be started: \
             No such file or directory (os error 2)\n\
             hint: install all programs of cogtools in one folder\n",
        );
    }
    project.program(
        "real/cogtools",
        "#!/bin/sh\nprintf '<%s>' \"$0\" \"$@\"; kill -TERM $$\n",
    );
    for place in ["real/cogtools-list", "other/cogtools-list"] {
        list(place).args(["-C", "x y", "--", ""]).run().expect(
            Status::Signal(15),
            "<[ROOT]/real/cogtools><list><-C><x y><--><>",
            "",
        );
    }
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
