//! `cogtools NAME`: where it looks, what it runs, and its errors.

use std::collections::BTreeMap;

use cogtools_test_support::{Project, Run, Status, str};

use crate::programs;

/// A project with its own cogtools, so that each test can choose the files next
/// to it.
pub(crate) struct House {
    pub(crate) project: Project,
}

impl House {
    pub(crate) fn new() -> Self {
        let project = Project::new();
        // Its folders belong to the project, which is trusted.
        project.dir("bin").dir("path").file(".cogtoolrc.yaml", "");
        project.copy("bin/cogtools", programs().join("cogtools"));
        Self { project }
    }

    pub(crate) fn program(&self, place: &str, words: &str) -> &Self {
        let script = format!("#!/bin/sh\necho {words} \"$@\"\n");
        self.project.program(place, script);
        self
    }

    pub(crate) fn run(&self) -> Run {
        Run::new(self.project.path("bin/cogtools"))
            .project(&self.project)
            .path(self.project.path("path"))
    }

    /// The output of `cogtools hi` when started in `directory`.
    fn says(&self, directory: &str, words: &str) {
        let cwd = self.project.path(directory);
        self.run()
            .cwd(cwd)
            .args(["hi", "there"])
            .run()
            .outputs(format!("{words} there\n"));
    }
}

#[test]
fn programs_are_found_in_order() {
    let house = House::new();
    house.project.dir("a/b");
    house.program("path/cogtools-hi", "path");
    house.says("a/b", "path");
    house.program("node_modules/.bin/cogtools-hi", "outer");
    house.says("a/b", "outer");
    house.program("a/node_modules/.bin/cogtools-hi", "inner");
    house.says("a/b", "inner");
    house.says(".", "outer");
    house.program("bin/cogtools-hi", "beside");
    house.says("a/b", "beside");
}

#[test]
fn files_that_cannot_run_are_skipped() {
    let house = House::new();
    house
        .project
        .file("node_modules/.bin/cogtools-hi", "not executable");
    house.project.dir("a/node_modules/.bin/cogtools-hi");
    house.program("path/cogtools-hi", "path");
    house.says("a", "path");
}

#[test]
fn nothing_replaces_built_in_programs() {
    let house = House::new();
    let packages = house.project.path("node_modules/.bin");
    for program in &cogtools::PROGRAMS[1..] {
        let name = program.name;
        for place in ["node_modules/.bin", "path", "bin"] {
            house.program(&format!("{place}/{name}"), "evil");
        }
        let word = name.strip_prefix("cogtools-").unwrap_or(name);
        // npm puts packages on PATH too.
        let run = house.run().path(&packages).args([word, "--version"]);
        let version = env!("CARGO_PKG_VERSION");
        run.run().outputs(format!("{name} {version}\n"));
    }
    house.program("node_modules/.bin/cogtools-help", "evil");
    let help = house.run().arg("help").run().text();
    assert!(help.starts_with("One YAML file is one tool"), "{help}");
}

#[test]
fn status_and_signals_pass_through() {
    let house = House::new();
    house
        .project
        .program("path/cogtools-end", "#!/bin/sh\nexit $1\n");
    house
        .project
        .program("path/cogtools-die", "#!/bin/sh\nkill -TERM $$\n");
    house
        .project
        .program("path/cogtools-say", "#!/bin/sh\ncat; echo no >&2; exit 9\n");
    for status in [0, 1, 2, 78, 127, 255] {
        house
            .run()
            .args(["end".to_owned(), status.to_string()])
            .run()
            .expect(status, "", "");
    }
    house
        .run()
        .arg("die")
        .run()
        .expect(Status::Signal(15), "", "");
    house.run().arg("say").stdin("in").run().expect(
        9,
        str!["in"],
        str![[r#"
no

"#]],
    );
}

#[test]
fn arguments_are_passed_unchanged() {
    let house = House::new();
    house
        .project
        .program("path/cogtools-args", "#!/bin/sh\nprintf '<%s>' \"$@\"\n");
    house
        .run()
        .args(["args", "-C", "x", "--help", "--", "a b", "*", ""])
        .run()
        .outputs(str!["<-C><x><--help><--><a b><*><>"]);
    house
        .project
        .program("path/cogtools-where", "#!/bin/sh\npwd\n")
        .dir("deep");
    house
        .run()
        .args(["-C", "deep", "where"])
        .run()
        .outputs(str![[r#"
[ROOT]/deep

"#]]);
    house.run().args(["-C", "none", "where"]).run().fails(
        2,
        str![[r#"
cogtools: error[USAGE]: -C: `none` is not a directory
hint: name a directory that exists

"#]],
    );
}

#[test]
fn unknown_program_gets_the_nearest() {
    let house = House::new();
    house
        .program("path/cogtools-hello", "hello")
        .program("path/cogtools-help-me", "help");
    let unknown = |name: &str, hints: &str| {
        house.run().arg(name).run().fails(
            1,
            format!(
                "cogtools: error[UNKNOWN_PROGRAM]: there is no program `{name}`\n{hints}\
                 hint: cogtools help --all lists every program\n"
            ),
        );
    };
    unknown("helo", "hint: did you mean `hello`?\n");
    unknown("zzz", "");
    unknown("../path/cogtools-hello", "hint: did you mean `hello`?\n");
    unknown("", "");
}

#[test]
fn help_takes_names() {
    let house = House::new();
    for args in [["help", "--what"].as_slice(), &["help", "a", "--all"]] {
        house.run().args(args).run().fails(
            2,
            str![[r#"
cogtools: error[USAGE]: help takes names, or --all
hint: usage: cogtools help [--all | PROGRAM [COMMAND]...]

"#]],
        );
    }
}

#[test]
fn help_of_a_command_is_found_in_each_way() {
    let house = House::new();
    let expected = house.run().args(["flow", "trace", "--help"]).run().text();
    assert!(
        expected.contains("Usage: cogtools-flow trace"),
        "{expected}"
    );
    for args in [["help", "flow", "trace"], ["flow", "help", "trace"]] {
        house.run().args(args).run().outputs(expected.as_str());
    }
    let expected = house.run().args(["flow", "--help"]).run().text();
    house.run().args(["flow", "help"]).run().outputs(expected);
}

#[test]
fn help_lists_what_is_there() {
    let house = House::new();
    house
        .program("path/cogtools-hello", "hello")
        .program("bin/cogtools-lint", "lint")
        .program("node_modules/.bin/cogtools-call", "evil")
        .program("node_modules/.bin/cogtools-more", "more");
    let own = cogtools::PROGRAMS[1..].iter().filter_map(|program| {
        let name = program.name.strip_prefix("cogtools-")?;
        let about = program.command().get_about()?.to_string();
        let file = match name {
            "lint" => "cogtools-lint",
            _ => "cogtools",
        };
        Some((name, format!("[ROOT]/bin/{file}  {about}")))
    });
    let mut expected: BTreeMap<&str, String> = own.collect();
    expected.insert("hello", "[ROOT]/path/cogtools-hello".to_owned());
    expected.insert("more", "[ROOT]/node_modules/.bin/cogtools-more".to_owned());
    let lines = expected
        .iter()
        .map(|(name, rest)| format!("{name:<12} {rest}\n"));
    let all = house.run().args(["help", "--all"]);
    all.env("PATH", house.project.path("path"))
        .run()
        .outputs(lines.collect::<String>());
    house.run().arg("--exec-path").run().outputs("[ROOT]/bin\n");
}

#[test]
fn help_without_a_manual_is_the_program_s_own() {
    let house = House::new();
    house.program("path/cogtools-hello", "hello");
    let run = |args: &[&str]| {
        house
            .run()
            .args(args)
            .env("PATH", house.project.path("path"))
            .run()
    };
    run(&["help", "hello"]).outputs(str![[r#"
hello --help

"#]]);
    let own = run(&["help"]).text();
    run(&["help", "cogtools"]).outputs(&own);
    run(&["--help"]).outputs(&own);
    run(&["help", "help"]).outputs(&own);
    run(&["help", "version"]).outputs(&own);
    let call = house.run().args(["call", "--help"]).run().text();
    run(&["help", "call"]).outputs(&call);
    run(&["help", "errors"]).fails(
        74,
        str![[r#"
cogtools: error[IO_FAILED]: the manual page cogtools-errors(7) is not installed
hint: `cargo xtask install` installs the manual pages

"#]],
    );
}

#[test]
fn help_with_a_manual_becomes_man() {
    let house = House::new();
    house.project.program(
        "../home/bin/man",
        "#!/bin/sh\ntest \"$1\" = -w || echo man \"$@\"\n",
    );
    let path = house.project.home().join("bin");
    let man = || house.run().env("PATH", &path);
    man().args(["help", "call"]).run().outputs(str![[r#"
man 1 cogtools-call

"#]]);
    man().args(["help", "tool"]).run().outputs(str![[r#"
man 5 cogtools-tool

"#]]);
    man().args(["help", "cogtools"]).run().outputs(str![[r#"
man 1 cogtools

"#]]);
    house
        .project
        .file("share/man/man1/cogtools-call.1", ".TH x\n");
    man().args(["help", "call"]).run().outputs(str![[r#"
man [ROOT]/share/man/man1/cogtools-call.1

"#]]);
}

#[test]
fn a_file_that_is_not_a_program_is_named() {
    let house = House::new();
    house
        .project
        .program("path/cogtools-bad", "#!/nowhere/at/all\n");
    house.run().arg("bad").run().fails(
        74,
        str![[r#"
cogtools: error[IO_FAILED]: `[ROOT]/path/cogtools-bad` cannot be started: No such file or directory (os error 2)
hint: check that the file is an executable program

"#]],
    );
}
