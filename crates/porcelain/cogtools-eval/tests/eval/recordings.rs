//! Recordings: replayed without a model, stale when what they depend on has changed.

use std::path::Path;

use cogtools_eval::PROGRAM;
use cogtools_program::Terminals;
use cogtools_test_support::Project;
use serde_json::json;

use super::{CONVERT, MODEL, eval, project, report, requests, scripted};

const CASES: &str = "\
trials: 2
cases:
  - {name: right, task: right, expect: {calls: [{tool: convert}]}}
";

#[test]
fn a_recording_is_judged_without_a_model() {
    let project = project(CASES);
    assert_eq!(scripted(&project, &["--record"]).status, 0);
    assert_eq!(requests(&project), 4);
    let tape = project.read("tools/convert.evals/tapes.jsonl");
    assert_eq!(tape.lines().count(), 2);
    assert!(
        tape.contains("It is 3.1 miles."),
        "deltas are merged: {tape}"
    );
    let run = report(&eval(&project, &["--replay", "--format", "json"]), 0);
    assert_eq!(run["cases"][0]["passed"], 2);
    assert_eq!(run["cases"][0]["model"], "command");
    assert_eq!(requests(&project), 4);
    // Expectations are judged anew, and comments change nothing.
    let cases = CASES.replace("{tool: convert}", "{tool: convert, args: {unit: km}}");
    project
        .file("tools/convert.evals.yaml", format!("# a comment\n{cases}"))
        .file("tools/convert.yaml", format!("# a comment\n{CONVERT}"));
    let run = report(&eval(&project, &["--replay", "--format", "json"]), 1);
    assert_eq!(
        run["cases"][0]["results"][0]["failures"][0]["expect"],
        "/calls/0/args/unit"
    );
}

#[test]
fn another_description_makes_a_recording_stale() {
    let project = project(CASES);
    assert_eq!(scripted(&project, &["--record"]).status, 0);
    project.file(
        "tools/convert.yaml",
        CONVERT.replace("Converts lengths", "Converts a length"),
    );
    let run = eval(&project, &["--replay"]);
    assert_eq!(run.status, 1);
    let message = "recorded with another description of convert: record again, or --accept";
    assert!(run.stderr.contains("STALE_RECORDING"), "{}", run.stderr);
    assert!(run.stderr.contains(message), "{}", run.stderr);
    assert_eq!(eval(&project, &["--accept"]).status, 0);
    assert_eq!(eval(&project, &["--replay"]).status, 0);
    // Nothing is missing or stale.
    assert_eq!(scripted(&project, &["--record"]).status, 0);
    assert_eq!(requests(&project), 4);
    project.file(
        "tools/convert.evals.yaml",
        CASES.replace("task: right", "task: right now"),
    );
    assert_eq!(eval(&project, &["--replay"]).status, 1);
    assert_eq!(scripted(&project, &["--record"]).status, 0);
    assert_eq!(requests(&project), 8);
    assert_eq!(eval(&project, &["--replay"]).status, 0);
}

#[test]
fn a_recording_is_a_regular_file() {
    let project = project(CASES);
    project.dir("tools/convert.evals");
    let tape = project.path("tools/convert.evals/tapes.jsonl");
    let fifo = std::process::Command::new("mkfifo").arg(tape).status();
    assert!(fifo.expect("mkfifo").success());
    let run = eval(&project, &["--replay"]);
    assert_eq!(run.status, 65, "{run:?}");
    assert!(run.stderr.contains("is not a regular file"), "{run:?}");
}

#[test]
fn what_another_run_has_recorded_meanwhile_is_kept() {
    let project = project(CASES);
    // The model of the first trial records the second case, as another run would.
    let other = "{name: other, task: nothing, expect: {never: [x]}}";
    let both = format!("{CASES}  - {other}\n");
    project.file("tools/convert.evals.yaml", &both);
    assert_eq!(scripted(&project, &["--record", "-t", "/other"]).status, 0);
    let tape = project.read("tools/convert.evals/tapes.jsonl");
    std::fs::remove_dir_all(project.path("tools/convert.evals")).expect("a folder");
    project
        .file("tape", tape)
        .dir("tools/convert.evals")
        .program(
            "model.sh",
            MODEL.replace("cat)\n", "cat)\ncp tape tools/convert.evals/tapes.jsonl\n"),
        );
    assert_eq!(scripted(&project, &["--record", "-t", "/right"]).status, 0);
    let tape = project.read("tools/convert.evals/tapes.jsonl");
    assert_eq!(tape.lines().count(), 4, "{tape}");
}

#[test]
fn only_blobs_are_removed() {
    let project = project(CASES);
    let folder = "tools/convert.evals/blobs";
    let old = format!("{folder}/{}", "0a".repeat(32));
    project
        .file(&old, "old")
        .file(format!("{folder}/README"), "mine")
        .file("mine/notes", "mine")
        .file(format!("mine/{}", "0a".repeat(32)), "mine");
    assert_eq!(scripted(&project, &["--record"]).status, 0);
    assert!(!project.path(&old).exists());
    assert_eq!(project.read(format!("{folder}/README")), "mine");
    std::fs::remove_dir_all(project.path(folder)).expect("a folder");
    project.link(folder, "../../mine");
    let run = scripted(&project, &["--record"]);
    assert_eq!(run.status, 74, "{run:?}");
    assert!(
        run.stderr.contains("convert.evals/blobs` is a link"),
        "{run:?}"
    );
    assert_eq!(
        std::fs::read_dir(project.path("mine"))
            .expect("a folder")
            .count(),
        2
    );
}

#[test]
fn ten_thousand_recorded_trials_are_judged_in_a_minute() {
    let project = project(CASES);
    assert_eq!(scripted(&project, &["--record"]).status, 0);
    let tape = project.read("tools/convert.evals/tapes.jsonl");
    let first = tape.lines().next().expect("a line");
    let mut line: serde_json::Value = serde_json::from_str(first).expect("JSON");
    let mut lines = String::new();
    for trial in 1..=10_000 {
        line["trial"] = trial.into();
        lines.push_str(&line.to_string());
        lines.push('\n');
    }
    project.file("tools/convert.evals/tapes.jsonl", lines);
    let begin = std::time::Instant::now();
    let run = report(
        &eval(
            &project,
            &["--replay", "--trials", "10000", "--format", "json"],
        ),
        0,
    );
    assert_eq!(run["summary"]["passed"], 10_000);
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
}

#[test]
fn a_budget_holds_for_both_sides_of_a_comparison() {
    let project = project(CASES);
    let ablate = ["--ablate", "description", "--trials", "3"];
    let run = scripted(&project, &[&ablate[..], &["--budget", "trials=4"]].concat());
    assert_eq!(run.status, 4, "{run:?}");
    let message = "2 trials did not begin: the budget is spent";
    assert!(run.stderr.contains(message), "{run:?}");
    assert_eq!(requests(&project), 8);
    assert_eq!(scripted(&project, &ablate).status, 0);
    assert_eq!(requests(&project), 12);
}

#[test]
fn a_report_that_cannot_be_kept_is_a_warning() {
    let project = project(CASES);
    assert_eq!(scripted(&project, &[]).status, 0);
    let state = project.path("../home/.local/state/cogtools/sessions");
    let folder = std::fs::read_dir(state).expect("sessions").flatten().next();
    let folder = folder.expect("a project").path().join("evals");
    std::fs::remove_dir_all(&folder).expect("reports");
    std::fs::write(&folder, "no folder").expect("a file");
    let run = scripted(&project, &[]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.stderr
            .contains("the report is not kept for the web view"),
        "{run:?}"
    );
}

#[test]
fn a_report_is_compared_with() {
    let project = project(CASES);
    let old = scripted(&project, &["--format", "json"]).stdout;
    project.file("old.json", old);
    let run = report(
        &scripted(&project, &["--format", "json", "--compare", "old.json"]),
        0,
    );
    assert_eq!(
        run["compare"],
        json!([{"case": "right", "file": "tools/convert.evals.yaml", "model": "command", "b": 0, "c": 0, "p": 1.0, "p_holm": 1.0,
                "verdict": "not_shown", "trials_needed": null}])
    );
    assert_eq!(run["overall"]["verdict"], "not_shown");
    // Where nothing is compared, nothing is shown.
    project.file(
        "tools/convert.evals.yaml",
        CASES.replace("name: right", "name: other"),
    );
    let renamed = scripted(&project, &["--compare", "old.json"]);
    assert_eq!(renamed.status, 1, "{renamed:?}");
    let message = "no trial can be compared with old.json";
    assert!(renamed.stderr.contains(message), "{renamed:?}");
}

#[test]
fn errors_of_the_other_side_are_shown() {
    let project = project(CASES);
    project.program(
        "model.sh",
        MODEL.replace("in\n", "in\n  *Lengths*) echo no >&2; exit 3 ;;\n"),
    );
    project.file("../other/.cogtoolrc.yaml", "").file(
        "../other/tools/convert.yaml",
        CONVERT.replace("lengths", "Lengths"),
    );
    let run = scripted(&project, &["--compare", "../other"]);
    assert_eq!(run.status, 69, "{run:?}");
    assert!(
        run.stdout.contains("trials of ../other with errors: 2"),
        "{run:?}"
    );
    let message = "hint: this is the side of ../other in the comparison";
    assert!(run.stderr.contains(message), "{run:?}");
}

/// Git runs what the configuration of a repository says: the filters of its files.
#[test]
fn an_older_revision_is_taken_only_of_a_trusted_project() {
    let untrusted = Project::untrusted();
    untrusted
        .file("tools/convert.yaml", CONVERT)
        .program("model.sh", MODEL)
        .file("tools/convert.evals.yaml", CASES)
        .file(".cogtoolrc.yaml", "")
        .file(".gitattributes", "* filter=x\n");
    let git = |args: &[&str]| {
        let name = ["-c", "user.name=a", "-c", "user.email=a@b.example"];
        let mut command = std::process::Command::new("git");
        command.args(name).args(args).current_dir(untrusted.root());
        assert!(command.status().expect("git").success());
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "old"]);
    let smudge = format!("echo >> {}; cat", untrusted.path("ran").display());
    git(&["config", "filter.x.smudge", &smudge]);
    let compare = ["--format", "json", "--compare", "HEAD"];
    let refused = scripted(&untrusted, &compare);
    assert_eq!(refused.status, 77, "{refused:?}");
    assert!(refused.stderr.contains("is not trusted"), "{refused:?}");
    assert!(!untrusted.path("ran").exists());
    untrusted.trust(".");
    let run = report(&scripted(&untrusted, &compare), 0);
    assert_eq!(run["compare"][0]["case"], "right");
    assert_eq!(requests(&untrusted), 4);
    // A version that is declared alike has trials of its own, and keeps them.
    untrusted.file("tools/convert.yaml", CONVERT.replace("3.1", "3.2"));
    for _ in 0..2 {
        report(&scripted(&untrusted, &compare), 0);
        assert_eq!(requests(&untrusted), 12);
    }
}

/// The programs of another folder run under its own approvals.
#[test]
fn a_folder_is_compared_as_the_project_that_it_is() {
    let project = project(CASES);
    let convert = |program: &str| {
        let implementation = format!("implementation: {{exec: [sh, -c, '{program}']}}\n");
        CONVERT[..CONVERT.find("implementation").expect("a key")].to_owned() + &implementation
    };
    project
        .file("tools/convert.yaml", convert("echo new >> new"))
        .file("../other/.cogtoolrc.yaml", "")
        .file("../other/tools/convert.yaml", convert("echo old >> old"));
    let compare = |folder| {
        let args = ["--json", "--allow", "convert", "--compare", folder];
        report(&scripted(&project, &args), 0)
    };
    let run = compare("../other");
    assert_eq!(run["compare"][0]["case"], "right");
    assert!(project.path("new").exists());
    assert!(!project.path("old").exists() && !project.path("../other/old").exists());
}

#[test]
fn a_project_is_not_compared_with_itself() {
    let project = project(CASES);
    project
        .file(".cogtoolrc.yaml", "")
        .dir("old")
        .dir("../other");
    for folder in [".", "old", "../project", "old/../../project/old"] {
        let run = scripted(&project, &["--compare", folder]);
        assert_eq!(run.status, 2, "{folder}: {run:?}");
        assert!(run.stderr.contains("compared with itself"), "{run:?}");
    }
    let missing = scripted(&project, &["--compare", "../missing"]);
    assert_eq!(missing.status, 2, "{missing:?}");
    // A folder that nothing marks is a project of its own, not the one that contains the command.
    let run = report(&scripted(&project, &["--json", "--compare", "../other"]), 0);
    assert_eq!(run["overall"]["c"], 2, "{run}");
}

#[test]
fn every_tool_of_this_repository_has_a_case_and_a_recording() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    for (folder, tools) in [
        (".", "tools"),
        ("examples/everyday", "tools"),
        ("examples/find-time", "tools"),
        ("examples/review", "tools"),
    ] {
        let folder = root.join(folder);
        let names = std::fs::read_dir(folder.join(tools)).expect("tools");
        let names = names.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names
            .filter_map(|name| Some(name.strip_suffix(".yaml")?.to_owned()))
            .filter(|name| !name.contains('.'))
            .collect();
        names.sort_unstable();
        let args = ["--replay", "--format", "json"];
        let run = PROGRAM.run_captured(&folder, Terminals::default(), &args);
        let json = report(&run, 0);
        let cases = json["cases"].as_array().expect("cases");
        let mut tools: Vec<&str> = cases
            .iter()
            .filter_map(|case| case["tool"].as_str())
            .collect();
        tools.sort_unstable();
        tools.dedup();
        assert_eq!(tools, names);
        assert!(cases.iter().all(|case| case["trials"] != 0), "{json}");
    }
}
