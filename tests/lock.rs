//! `cogtools.lock`: what is pinned, and how drift is reported.

use cogtools_test_support::{Outcome, Project, assert_text, str};

use crate::{project_with, run};

const CITY: &str = "\
name: city
description: d
parameters:
  name: {type: string, description: n}
  days: {type: integer, description: d, optional: true}
implementation: x
";
const HINT: &str = "hint: review what has changed; to accept it, run cogtools lock\n";

fn lock(project: &Project, args: &[&str]) -> Outcome {
    run("cogtools-lock", project).args(args).run()
}

fn locked(project: &Project) -> Outcome {
    run("cogtools-discover", project).arg("--locked").run()
}

/// After this change of the project, both programs fail with these lines.
#[track_caller]
fn drifts(change: impl for<'p> FnOnce(&'p Project) -> &'p Project, lines: &[&str]) {
    let project = project_with("city", CITY);
    project.file(
        "tools/set/say.yaml",
        "name: say\ndescription: d\nimplementation: x\n",
    );
    lock(&project, &[]).outputs(str![[r#"
created cogtools.lock: 2 tools of 1 source

"#]]);
    locked(&project).json();
    let before = project.read("cogtools.lock");
    change(&project);
    for (program, arg) in [
        ("cogtools-discover", "--locked"),
        ("cogtools-lock", "--check"),
    ] {
        let diagnostics = lines.iter().map(|line| format!("{program}: error{line}\n"));
        let diagnostics: String = diagnostics.collect();
        let outcome = run(program, &project).arg(arg).run();
        // A host gets an empty list rather than none.
        if program == "cogtools-discover" {
            outcome.expect(0, "[]\n", diagnostics + HINT);
        } else {
            outcome.fails(78, diagnostics + HINT);
        }
    }
    assert_eq!(project.read("cogtools.lock"), before);
    lock(&project, &[]).text();
    lock(&project, &["--check"]).outputs(str![[r#"
unchanged cogtools.lock

"#]]);
    locked(&project).json();
}

#[test]
fn each_tool_is_one_line() {
    let project = project_with("city", CITY);
    lock(&project, &[]).outputs(str![[r#"
created cogtools.lock: 1 tool of 1 source

"#]]);
    lock(&project, &[]).outputs(str![[r#"
unchanged cogtools.lock: 1 tool of 1 source

"#]]);
    assert_text(
        project.read("cogtools.lock"),
        str![[r#"
{
  "version": 2,
  "sources": {
    "tools": {
      "city": {"sha256":"c2255aad058a457d260f310e19206b6f9c1b177e60f26dd888958a9756239a19","runs":"3a2738782cd19a668819ec847ae854e8a68fc275370fe8fb817e5c1e5d3874c8","parts":{"/days":"2558217c","/name":"cf7296dc","annotations":"9318536c","description":"3fa5834d","implementation":"0d5d0bb5","parameters":"a2c79926"}}
    }
  }
}

"#]],
    );
    // From anywhere in the project it is the same.
    project.dir("deep").file(".cogtoolrc.yaml", "");
    let below = run("cogtools-lock", &project)
        .args(["-C", "deep", "--check"])
        .run();
    below.outputs(str![[r#"
unchanged [ROOT]/cogtools.lock

"#]]);
    let empty = Project::new();
    lock(&empty, &[]).outputs(str![[r#"
created cogtools.lock: 0 tools of 0 sources

"#]]);
    assert_text(
        empty.read("cogtools.lock"),
        str![[r#"
{
  "version": 2,
  "sources": {}
}

"#]],
    );
    locked(&empty).outputs(str![[r#"
[]

"#]]);
}

#[test]
fn every_drift_is_named() {
    drifts(
        |project| {
            project.file(
                "tools/new.yaml",
                "name: new\ndescription: d\nimplementation: x\n",
            )
        },
        &["[LOCKED]: new: `tools` declares it, but `cogtools.lock` does not pin it"],
    );
    drifts(
        |project| project.remove("tools/city.yaml"),
        &["[LOCKED]: city: `cogtools.lock` pins it, but `tools` no longer declares it"],
    );
    for (from, to, what) in [
        (
            "description: d\n",
            "description: e\n",
            "the description has changed",
        ),
        (
            "description: n",
            "description: m",
            "the parameter `name` has changed",
        ),
        (
            "  name:",
            "  town:",
            "the parameter `name` was removed, the parameter `town` was added",
        ),
        (", optional: true", "", "the parameter `days` has changed"),
        (
            "parameters:\n",
            "parameters:\n  more: {type: string, description: m}\n",
            "the parameter `more` was added",
        ),
    ] {
        assert!(CITY.contains(from), "{from}");
        drifts(
            |project| project.file("tools/city.yaml", CITY.replace(from, to)),
            &[&format!(
                "[LOCKED]: city: the tool from `tools` differs from the one pinned in \
                 `cogtools.lock`: {what}"
            )],
        );
    }
}

/// A file that the program would write anew is not current.
#[test]
fn the_hashes_of_parts_are_compared_too() {
    let project = project_with("city", CITY);
    lock(&project, &[]).status(0);
    let text = project.read("cogtools.lock");
    let at = text.find("\"parts\":{").expect("parts") + "\"parts\":{".len();
    let end = at + text[at..].find('}').expect("an end");
    let edited = format!("{}{}", &text[..at], &text[end..]);
    project.file("cogtools.lock", &edited);
    lock(&project, &["--check"]).fails(
        78,
        str![[r#"
cogtools-lock: error[LOCKED]: cogtools.lock: the hashes of the parts are not those of the tools
hint: cogtools lock corrects them

"#]],
    );
    assert_eq!(project.read("cogtools.lock"), edited);
    lock(&project, &[]).status(0);
    assert_eq!(project.read("cogtools.lock"), text);
}

#[test]
fn a_source_that_is_gone() {
    drifts(
        |project| project.file(".cogtoolrc.yaml", "tool_sources: []\n"),
        &["[LOCKED]: tools: `cogtools.lock` pins this source, but it no longer declares anything"],
    );
    let project = project_with("city", CITY);
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [{local: tools}, {command: {discover: ./d, call: ./c, name: other}}]\n",
    );
    let denied = |program: &str, end: &str| {
        format!(
            "{program}[DENIED]: the provider `other` is not approved yet\n\
             hint: review what it runs, then approve it: cogtools trust other\n{end}"
        )
    };
    // It does not keep the other source from being pinned.
    lock(&project, &[]).expect(
        0,
        str![[r#"
created cogtools.lock: 1 tool of 1 source

"#]],
        denied("cogtools-lock: warning", ""),
    );
    project.program(
        "d",
        "#!/bin/sh\necho '[{\"name\": \"say\", \"description\": \"d\"}]'\n",
    );
    run("cogtools-trust", &project)
        .args(["--yes", "other"])
        .run()
        .text();
    lock(&project, &[]).outputs(str![[r#"
say: `other` declares it, but `cogtools.lock` does not pin it
  | d
updated cogtools.lock: 2 tools of 2 sources

"#]]);
    run("cogtools-trust", &project)
        .args(["--revoke", "other"])
        .run()
        .text();
    // It keeps its pins.
    lock(&project, &[]).expect(
        0,
        str![[r#"
unchanged cogtools.lock: 2 tools of 2 sources

"#]],
        denied("cogtools-lock: warning", ""),
    );
    locked(&project).expect(0, "[]\n", denied("cogtools-discover: error", HINT));
}

#[test]
fn filtered_and_shadowed_tools_are_pinned_too() {
    let project = project_with("city", CITY);
    project
        .file("more/city.yaml", CITY)
        .file("more/broken.yaml", "name: [\n")
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{local: tools}, {local: more}]\nfilter: {exclude: [city]}\n",
        );
    let outcome = lock(&project, &[]);
    outcome.expect(
        0,
        str![[r#"
created cogtools.lock: 2 tools of 2 sources

"#]],
        str![[r#"
cogtools-lock: warning[INVALID_TOOL]: more/broken.yaml:1:7: the list is not closed
   |
 1 | name: [
   |       ^
hint: write `]` where the list ends

"#]],
    );
    let outcome = run("cogtools-discover", &project)
        .args(["--locked", "--tools", "city"])
        .run();
    outcome.expect(
        0,
        str![[r#"
[]

"#]],
        "",
    );
}

#[cfg(unix)]
#[test]
fn a_read_only_lock_file_is_not_replaced() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = project_with("city", CITY);
    lock(&project, &[]).status(0);
    let permissions = std::fs::Permissions::from_mode(0o444);
    let before = project.read("cogtools.lock");
    std::fs::set_permissions(project.path("cogtools.lock"), permissions).expect("permissions");
    lock(&project, &[]).status(0);
    project.file(
        "tools/city.yaml",
        CITY.replace("description: d\n", "description: e\n"),
    );
    lock(&project, &[]).fails(
        74,
        str![[r#"
cogtools-lock: error[IO_FAILED]: `cogtools.lock` cannot be written: it is read-only
hint: make it writable, then run this again

"#]],
    );
    assert_eq!(project.read("cogtools.lock"), before);
}

#[test]
fn an_invalid_lock_file() {
    let project = project_with("city", CITY);
    locked(&project).expect(
        0,
        "[]\n",
        str![[r#"
cogtools-discover: error[INVALID_CONFIG]: `cogtools.lock` does not exist
hint: cogtools lock writes it; commit it with the project

"#]],
    );
    let hint = "hint: restore it, as one side of a merge: git checkout --ours cogtools.lock; or remove \
                it to accept everything; then run cogtools lock\n";
    for (content, what) in [
        ("<<<<<<< ours\n", "expected value at line 1 column 1"),
        ("{\"version\": 3, \"sources\": {}}", "unsupported version 3"),
        (
            "{\"version\": 2}",
            "missing field `sources` at line 1 column 14",
        ),
    ] {
        project.file("cogtools.lock", content);
        locked(&project).expect(
            0,
            "[]\n",
            format!(
                "cogtools-discover: error[INVALID_CONFIG]: `cogtools.lock` is not a valid lock file: \
                 {what}\n{hint}"
            ),
        );
        // What is pinned then would be accepted unseen.
        let failed = lock(&project, &[]);
        failed.fails(
            78,
            format!(
                "cogtools-lock: error[INVALID_CONFIG]: `cogtools.lock` is not a valid lock file: \
                 {what}\n{hint}"
            ),
        );
        assert_eq!(project.read("cogtools.lock"), content);
    }
    project.remove("cogtools.lock");
    lock(&project, &[]).outputs(str![[r#"
created cogtools.lock: 1 tool of 1 source

"#]]);
}

/// Declarations that stand in for a source which fails are not pinned.
#[test]
fn a_source_that_fails_keeps_its_pins_and_gets_no_new_ones() {
    let project = Project::new();
    let fails = "[ -e fails ] && exit 1; echo '[{\"name\": \"a\", \"description\": \"d\"}]'\n";
    project.file("d", fails).file(
        ".cogtoolrc.yaml",
        "tool_sources: [{command: {discover: [sh, ./d], call: [sh, ./d], name: s}}]\n",
    );
    let trust = run("cogtools-trust", &project).args(["s", "--yes"]);
    trust.run().status(0);
    project.file("fails", "");
    let failed = lock(&project, &[]);
    failed
        .status(1)
        .stderr_contains("failed to declare its tools");
    assert!(!project.path("cogtools.lock").exists());
    project.remove("fails");
    lock(&project, &[]).status(0);
    let pinned = project.read("cogtools.lock");
    assert!(pinned.contains("\"a\""), "{pinned}");
    project.file("fails", "");
    lock(&project, &[])
        .status(0)
        .stderr_contains("failed to declare its tools");
    assert_eq!(project.read("cogtools.lock"), pinned);
}

/// A lock asks for the descriptions of others anew, and shows those that are new.
#[test]
fn new_descriptions_of_others_are_shown() {
    let project = Project::new();
    project
        .file("d", "cat declared\n")
        .file("declared", "[{\"name\": \"a\", \"description\": \"d\"}]\n")
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{command: {discover: [sh, ./d], call: [sh, ./d], name: s}}]\n",
        );
    let trust = run("cogtools-trust", &project).args(["s", "--yes"]);
    trust.run().status(0);
    lock(&project, &[]).outputs(str![[r#"
created cogtools.lock: 1 tool of 1 source

"#]]);
    project.file(
        "declared",
        "[{\"name\": \"a\", \"description\": \"first\\u001b[2J\\nsecond\"}, {\"name\": \"b\", \"description\": \"new\"}]\n",
    );
    lock(&project, &[]).stdout_is(str![[r#"
a: the tool from `s` differs from the one pinned in `cogtools.lock`: the content of its source has changed, the description has changed
  | first[2J
  | second
b: `s` declares it, but `cogtools.lock` does not pin it
  | new
updated cogtools.lock: 2 tools of 1 source

"#]]);
}

/// Before, the first write of a server was drift, and its tools were denied.
#[test]
fn the_data_of_a_provider_is_not_pinned() {
    let project = Project::new();
    let line = "[sh, p/run, data/notes.json]";
    project
        .file(
            ".cogtoolrc.yaml",
            format!("tool_sources: [{{command: {{discover: {line}, call: {line}, name: p, sandbox: {{write: [data]}}}}}}]\n"),
        )
        .file("p/run", "echo '[{\"name\": \"say\", \"description\": \"d\"}]'\n")
        .file("data/notes.json", "{}");
    let trust = run("cogtools-trust", &project).args(["p", "--yes"]).run();
    trust.succeeds();
    lock(&project, &[]).text();
    project.file("data/notes.json", "{\"a\": 1}");
    lock(&project, &["--check"]).outputs(str![[r#"
unchanged cogtools.lock

"#]]);
    let call = run("cogtools-call", &project).args(["--locked", "say"]);
    call.run().succeeds();
    let other = "echo; echo '[{\"name\": \"say\", \"description\": \"d\"}]'\n";
    project.file("p/run", other);
    let trust = run("cogtools-trust", &project).args(["p", "--yes"]).run();
    trust.succeeds();
    lock(&project, &["--check"]).status(78);
}
