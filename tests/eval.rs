//! `cogtools eval` as a process: killed, and continued.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cogtools_test_support::Project;

use crate::{programs, run};

const TOOL: &str = "name: say\ndescription: d\nimplementation: x\n";
const CASES: &str = "\
trials: 100
cases:
  - {name: one, task: one, expect: {answer: {contains: yes}}}
  - {name: two, task: two, expect: {never: ['*']}}
";
/// A model that takes its time, and counts its requests.
const MODEL: &str =
    "#!/bin/sh\ncat > /dev/null\necho request >> requests\nsleep 0.02\nprintf yes\n";

#[test]
fn two_hundred_trials_survive_a_kill() {
    let project = Project::new();
    project
        .file("tools/say.yaml", TOOL)
        .file("tools/say.evals.yaml", CASES)
        .program("model.sh", MODEL);
    let args = ["--model-command", "./model.sh", "--format", "json"];
    let mut killed = Command::new(programs().join("cogtools-eval"))
        .args(args)
        .current_dir(project.root())
        .env_clear()
        .env("HOME", project.home())
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let requests = || {
        let log = project.path("requests");
        let text = std::fs::read_to_string(log).unwrap_or_default();
        text.lines().count()
    };
    let begin = Instant::now();
    while requests() < 40 && begin.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(10));
    }
    killed.kill().expect("it runs");
    killed.wait().expect("it ends");
    assert!((40..200).contains(&requests()), "{}", requests());
    let report = run("cogtools-eval", &project)
        .args(args)
        .limit(Duration::from_mins(2))
        .run()
        .json();
    assert_eq!(report["summary"]["passed"], 200);
    // Only the trials that ran when it was killed run again.
    assert!((200..=204).contains(&requests()), "{}", requests());
}
