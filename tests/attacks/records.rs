//! The record of approvals: it is believed only if its user alone can have written it.
//! Before, any file there was.

use std::fs::File;
use std::os::unix::fs::lchown;
use std::time::Duration;

use cogtools_test_support::{Project, str};
use serde_json::{Map, Value, json};

use crate::run;

/// The record, below the project.
const RECORD: &str = Project::TRUST;
/// Its folder.
const FOLDER: &str = "../home/.local/state/cogtools";

/// A trusted project with a program tool.
fn trusted() -> Project {
    let project = Project::new();
    project
        .file(
            "tools/say.yaml",
            "name: say\ndescription: d\nimplementation: {exec: [echo, said]}\n",
        )
        .file(".cogtoolrc.yaml", "");
    project
}

fn say(project: &Project) -> cogtools_test_support::Outcome {
    run("cogtools-call", project).arg("say").stdin("{}").run()
}

#[test]
fn a_record_that_others_can_change_is_not_believed() {
    let project = trusted();
    say(&project).outputs("said\n");
    for (path, loose, tight) in [(RECORD, 0o620, 0o600), (FOLDER, 0o777, 0o700)] {
        project.mode(path, loose);
        say(&project)
            .status(78)
            .stderr_contains("is not believed: other users can change");
        project.mode(path, tight);
        say(&project).outputs("said\n");
    }
}

#[test]
fn a_record_that_is_a_link_is_not_believed() {
    let project = trusted();
    std::fs::rename(project.path(RECORD), project.path("record.json")).expect("moved");
    project.link(RECORD, project.path("record.json"));
    say(&project)
        .status(78)
        .stderr_contains("is not believed: it is a link");
}

#[test]
fn a_record_of_another_user_is_not_believed() {
    let project = trusted();
    if lchown(project.path(RECORD), Some(54_321), None).is_err() {
        // Said, because nothing is tested.
        eprintln!("skipped: only root can give files away");
        return;
    }
    say(&project)
        .status(78)
        .stderr_contains("belongs to another user");
}

#[test]
fn a_lock_that_is_held_is_waited_for_with_a_word_and_an_end() {
    let project = trusted();
    let lock = File::create(project.path("../home/.local/state/cogtools/trust.lock"));
    let lock = lock.expect("a file");
    lock.lock().expect("locked");
    let outcome = run("cogtools-trust", &project)
        .arg("--prune")
        .limit(Duration::from_mins(1))
        .run();
    outcome
        .status(74)
        .stderr_contains("waiting for another cogtools")
        .stderr_contains("is locked by another cogtools");
}

/// Hosts load a project's `.env` into the environment, and its HOME could contain a
/// record in which the project has approved itself.
#[test]
fn home_of_an_env_file_is_not_home() {
    let project = trusted();
    project.file(".env", format!("HOME={}\n", project.home().display()));
    // The record is there, and not believed.
    say(&project).fails(
        77,
        str![[r#"
cogtools-call: error[DENIED]: say: it runs a program, and its project is not trusted yet
hint: only the user can trust it, after reviewing its tools: cogtools trust .

"#]],
    );
    project.file(".env", "OTHER_HOME=x\n# HOME\n");
    say(&project).outputs("said\n");
}

/// A record of `megabytes` MiB, for sources that are gone.
fn fill(project: &Project, megabytes: usize) {
    let mut record: Value = serde_json::from_str(&project.read(RECORD)).expect("JSON");
    let hash = "0".repeat(64);
    let tools = (0..megabytes << 13).map(|index| (format!("{index:050}"), json!(hash)));
    let tools: Map<String, Value> = tools.collect();
    record["allowed"]["command:gone:/nowhere"] = tools.into();
    let text = serde_json::to_string_pretty(&record).expect("JSON");
    project.file(RECORD, text + "\n").mode(RECORD, 0o600);
}

#[test]
fn a_large_record_costs_no_approval_and_grows_no_further() {
    let project = trusted();
    project
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{local: tools}, {command: {discover: [sh, ./d], call: [sh, ./d], name: p}}]\n",
        )
        .file("d", "echo '[{\"name\": \"t\", \"description\": \"d\"}]'\n");
    let trust = |args: &[&str]| run("cogtools-trust", &project).args(args).run();
    fill(&project, 2);
    say(&project).outputs("said\n");
    trust(&["--yes", "p"]).status(0);
    trust(&["--revoke", "p"]).status(0);
    fill(&project, 6);
    say(&project).outputs("said\n");
    trust(&["--yes", "p"]).status(74).stderr_is(str![[r#"
cogtools-trust: error[IO_FAILED]: provider:p: `[HOME]/.local/state/cogtools/trust.json` would become larger than 4 MiB
hint: make room: `cogtools trust --revoke SOURCE` ends the approval of a source, and `cogtools trust --prune` forgets those that are gone

"#]]);
    trust(&["--revoke", "."]).status(0);
    trust(&["--prune"]).outputs("forgot 49152\n");
    trust(&["--yes", "."]).status(0);
    trust(&["--yes", "p"]).status(0);
    say(&project).outputs("said\n");
    project.file(RECORD, " ".repeat((64 << 20) + 1));
    say(&project)
        .status(74)
        .stderr_contains("is larger than 64 MiB\nhint: remove `");
}
