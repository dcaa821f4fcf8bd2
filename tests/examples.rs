//! `cogtools test` as a process, and the processes that it starts.

use cogtools_test_support::{Project, Run, str};

use crate::{run, whole};

pub(crate) const SAY: &str = "\
#! /usr/bin/env cogtools-yaml
name: say
description: Say hello
parameters: {who: string}
examples:
  - who: Ada
implementation: |
  hello {{ who }}
";

pub(crate) const PASSED: &str = "\
ok say (1 example)

1 tool, 1 example: all passed
";

pub(crate) fn project() -> Project {
    let project = Project::new();
    project
        .dir(".git")
        .program("tools/say.yaml", SAY)
        .file("tools/say.1.golden", "hello Ada\n");
    project
}

#[test]
fn the_porcelain_finds_it() {
    run("cogtools", &project())
        .arg("test")
        .run()
        .outputs(PASSED);
}

#[test]
fn programs_are_started() {
    let project = project();
    for asked in [&["--spawn"][..], &["--spawn", "tools/say.yaml"]] {
        run("cogtools-test", &project)
            .args(asked)
            .run()
            .outputs(PASSED);
    }
    project.dir("below");
    let below = run("cogtools-test", &project).cwd(project.path("below"));
    below.arg("--spawn").run().outputs(PASSED);
}

#[test]
fn the_output_of_spawned_programs_counts() {
    let project = project();
    project
        .copy("bin/cogtools-test", whole("cogtools-test"))
        .program(
            "bin/cogtools-call",
            "#!/bin/sh\ncat > /dev/null\necho \"hi $*\"\n",
        )
        .program(
            "bin/cogtools-yaml",
            "#!/bin/sh\ncat > /dev/null\nprintf 'no\\tidea\\n' >&2\nexit 3\n",
        );
    let stdout = str![[r#"
FAILED say (1 example)
  tools/say.yaml:6:5: example 1: invocation: called by `cogtools-call say`, the result differs from that called as JSON
    --- as JSON
    +++ by `cogtools-call say`
    @@ -1 +1 @@
    -hello Ada
    +hi say
    hint: a tool whose result differs between calls cannot be tested with a golden file
  tools/say.yaml:6:5: example 1: invocation: called by `cogtools-call say --yaml`, the result differs from that called as JSON
    --- as JSON
    +++ by `cogtools-call say --yaml`
    @@ -1 +1 @@
    -hello Ada
    +hi say --yaml
    hint: a tool whose result differs between calls cannot be tested with a golden file
  tools/say.yaml:6:5: example 1: invocation: called by `tools/say.yaml`, the file itself, it fails; called as JSON, it does not
    it exited with exit status: 3
    no\tidea

1 tool, 1 example: 3 failures

"#]];
    let stderr = str![[r#"
cogtools-test: error[TEST_FAILED]: 3 failures
hint: the report on standard output shows what to fix

"#]];
    Run::new(project.path("bin/cogtools-test"))
        .project(&project)
        .arg("--spawn")
        .run()
        .expect(1, stdout, stderr);
}

#[test]
fn missing_programs() {
    let project = project();
    project.copy("bin/cogtools-test", whole("cogtools-test"));
    Run::new(project.path("bin/cogtools-test"))
        .project(&project)
        .arg("--spawn")
        .run()
        .fails(
            74,
            str![[r#"
cogtools-test: error[IO_FAILED]: `[ROOT]/bin/cogtools-call` does not exist
hint: install all programs of cogtools in one folder

"#]],
        );
}
