//! `cogtools test` with real processes: the programs it starts, and `--watch`.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use cogtools_testing::{Project, Run};

use crate::{programs, run};

const SAY: &str = "\
#! /usr/bin/env cogtools-yaml
name: say
description: Say hello
parameters: {who: string}
examples:
  - who: Ada
implementation: |
  hello {{ who }}
";

const PASSED: &str = "\
ok say (1 example)

1 tool, 1 example: all passed
";

fn project() -> Project {
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
fn what_started_programs_say_counts() {
    let project = project();
    project
        .copy("bin/cogtools-test", programs().join("cogtools-test"))
        .program(
            "bin/cogtools-call",
            "#!/bin/sh\ncat > /dev/null\necho \"hi $*\"\n",
        )
        .program(
            "bin/cogtools-yaml",
            "#!/bin/sh\ncat > /dev/null\nprintf 'no\\tidea\\n' >&2\nexit 3\n",
        );
    let stdout = "\
FAILED say (1 example)
  tools/say.yaml:6:5: example 1: way: called by `cogtools-call say`, the result is another than called as JSON
    --- as JSON
    +++ by `cogtools-call say`
    @@ -1 +1 @@
    -hello Ada
    +hi say
    hint: a tool that says something else each time cannot be tested with a golden file
  tools/say.yaml:6:5: example 1: way: called by `cogtools-call say --yaml`, the result is another than called as JSON
    --- as JSON
    +++ by `cogtools-call say --yaml`
    @@ -1 +1 @@
    -hello Ada
    +hi say --yaml
    hint: a tool that says something else each time cannot be tested with a golden file
  tools/say.yaml:6:5: example 1: way: called by `tools/say.yaml`, the file itself, it fails; called as JSON, it does not
    it ended with exit status: 3
    no\\tidea

1 tool, 1 example: 3 failures
";
    let stderr = "\
cogtools-test: error[TEST_FAILED]: 3 failures
hint: the report on standard output says what is at fault
";
    Run::new(project.path("bin/cogtools-test"))
        .project(&project)
        .arg("--spawn")
        .run()
        .expect(1, stdout, stderr);
}

#[test]
fn programs_that_are_not_there() {
    let project = project();
    project.copy("bin/cogtools-test", programs().join("cogtools-test"));
    Run::new(project.path("bin/cogtools-test"))
        .project(&project)
        .arg("--spawn")
        .run()
        .fails(
            74,
            "cogtools-test: error[IO_FAILED]: `[ROOT]/bin/cogtools-call` does not exist\n\
             hint: install all programs of cogtools in one folder\n",
        );
}

/// A run of `cogtools test --watch`, line by line.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(project: &Project, args: &[&str]) -> Self {
        let mut child = Command::new(programs().join("cogtools-test"))
            .arg("--watch")
            .args(args)
            .current_dir(project.root())
            .env_clear()
            .env("HOME", project.home())
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let stdout = child.stdout.take().expect("its output is ours");
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// Asserts what is printed up to the line that says that it waits.
    #[track_caller]
    fn says(&self, expected: &str) {
        let mut found = String::new();
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(20));
            let line = line.unwrap_or_else(|error| panic!("{error} after:\n{found}"));
            if line == "waiting for a change; Ctrl-C ends" {
                break;
            }
            found.push_str(&line);
            found.push('\n');
        }
        assert_eq!(found.trim_start_matches('\n'), format!("{expected}\n"));
    }

    /// Presses Ctrl-C.
    fn end(mut self) {
        use std::os::unix::process::ExitStatusExt as _;
        let script = format!("kill -s INT {}", self.child.id());
        let sent = Command::new("/bin/sh").args(["-c", &script]).status();
        assert!(sent.expect("a shell").success());
        let status = self.child.wait().expect("it ends");
        assert_eq!(status.signal(), Some(2));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn watch_runs_what_has_changed() {
    let project = project();
    project
        .file(
            "tools/two.yaml",
            "name: two\ndescription: d\nexamples: [{}]\nimplementation: '{% include \"part.njk\" %}'\n",
        )
        .file("tools/part.njk", "two\n")
        .file("tools/two.1.golden", "two\n");
    let watch = Watch::start(&project, &[]);
    let both = "ok say (1 example)\nok two (1 example)\n\n2 tools, 2 examples: all passed\n";
    watch.says(both);

    project.file("tools/say.1.golden", "hello Eve\n");
    watch.says(
        "\
== changed: tools/say.1.golden ==
FAILED say (1 example)
  tools/say.yaml:6:5: example 1: golden: the result is not what `tools/say.1.golden` holds
    --- tools/say.1.golden
    +++ the result
    @@ -1 +1 @@
    -hello Eve
    +hello Ada
    hint: if the result is right: cogtools test --update say

1 tool, 1 example: 1 failure
",
    );
    project.file("tools/say.yaml", SAY.replace("Ada", "Eve"));
    watch.says(&format!("== changed: tools/say.yaml ==\n{PASSED}"));

    // What a template includes may be everybody's.
    project.file("tools/part.njk", "two\n\n");
    watch.says(
        "\
== changed: tools/part.njk ==
ok say (1 example)
FAILED two (1 example)
  tools/two.yaml:3:12: example 1: golden: the result is not what `tools/two.1.golden` holds
    --- tools/two.1.golden
    +++ the result
    @@ -1 +1,2 @@
     two
    +
    hint: if the result is right: cogtools test --update two

2 tools, 2 examples: 1 failure
",
    );
    project.remove("tools/two.yaml");
    watch.says(
        "\
== changed: tools/two.yaml ==
ok say (1 example)
FAILED two (no tool)
  tools/two.yaml: stale: `tools/two.1.golden` has no example
    hint: `cogtools test --update` removes it

1 tool, 1 example: 1 failure
",
    );
    project
        .program("more/say.yaml", SAY.replace("hello", "good day"))
        .file("more/say.1.golden", "good day Ada\n")
        .file(".cogtoolrc.yaml", "tool_sources: [{local: more}]\n");
    watch.says(&format!("== changed: .cogtoolrc.yaml ==\n{PASSED}"));
    project.file("more/say.1.golden", "good day\n");
    let lines = watch.lines.recv_timeout(Duration::from_secs(20));
    assert_eq!(lines.as_deref(), Ok(""));
    watch.end();
}

#[test]
fn watch_outlives_mistakes() {
    let project = project();
    let watch = Watch::start(&project, &["say"]);
    watch.says(PASSED);
    project.file("tools/say.yaml", "name: say\n");
    watch.says(
        "\
== changed: tools/say.yaml ==
FAILED say (no examples)
  tools/say.yaml: broken: the file is not a valid tool
    tools/say.yaml:1:1: `description` is missing
       |
     1 | name: say
       | ^
    hint: add `description: …`
    tools/say.yaml:1:1: `implementation` is missing
       |
     1 | name: say
       | ^
    hint: add `implementation: …`

1 tool, 0 examples: 1 failure
",
    );
    // Until it is mended a configuration says nothing.
    project.file(".cogtoolrc.yaml", "tool_sources: 7\n");
    watch.says("== changed: .cogtoolrc.yaml ==\n");
    project.file("tools/say.yaml", SAY);
    watch.says("== changed: tools/say.yaml ==\n");
    project.file(".cogtoolrc.yaml", "");
    watch.says(&format!("== changed: .cogtoolrc.yaml ==\n{PASSED}"));
    watch.end();
}
