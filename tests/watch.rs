//! `cogtools test --watch`: started, disturbed, and ended with Ctrl-C.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use cogtools_test_support::Project;

use crate::examples::{PASSED, SAY, project};
use crate::programs;

/// A run of `cogtools test --watch`, read line by line.
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

    /// Asserts the output up to the line that reports that it waits.
    #[track_caller]
    fn says(&self, expected: &str) {
        let mut found = String::new();
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(20));
            let line = line.unwrap_or_else(|error| panic!("{error} after:\n{found}"));
            if line == "waiting for a change; press Ctrl-C to stop" {
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

/// A project with a second tool, which includes a template.
fn two() -> Project {
    let project = project();
    let two =
        "name: two\ndescription: d\nexamples: [{}]\nimplementation: '{% include \"part.njk\" %}'\n";
    project
        .file("tools/two.yaml", two)
        .file("tools/part.njk", "two\n")
        .file("tools/two.1.golden", "two\n");
    project
}

/// The report when both tools pass.
const BOTH: &str = "\
ok say (1 example)
ok two (1 example)

2 tools, 2 examples: all passed
";

#[test]
fn reruns_what_has_changed() {
    let project = two();
    let watch = Watch::start(&project, &[]);
    watch.says(BOTH);
    project.file("tools/say.1.golden", "hello Eve\n");
    watch.says(
        "\
== changed: tools/say.1.golden ==
FAILED say (1 example)
  tools/say.yaml:6:5: example 1: golden: the result differs from `tools/say.1.golden`
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
    watch.end();
}

#[test]
fn reruns_all_tests_that_a_change_may_affect() {
    let project = two();
    let watch = Watch::start(&project, &[]);
    watch.says(BOTH);
    project.file("tools/part.njk", "2\n");
    watch.says(
        "\
== changed: tools/part.njk ==
ok say (1 example)
FAILED two (1 example)
  tools/two.yaml:3:12: example 1: golden: the result differs from `tools/two.1.golden`
    --- tools/two.1.golden
    +++ the result
    @@ -1 +1 @@
    -two
    +2
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
    watch.end();
}

#[test]
fn outlives_mistakes() {
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
    // An invalid configuration is ignored until it is fixed.
    project.file(".cogtoolrc.yaml", "tool_sources: 7\n");
    watch.says("== changed: .cogtoolrc.yaml ==\n");
    project.file("tools/say.yaml", SAY);
    watch.says("== changed: tools/say.yaml ==\n");
    project.file(".cogtoolrc.yaml", "");
    watch.says(&format!("== changed: .cogtoolrc.yaml ==\n{PASSED}"));
    watch.end();
}
