//! The flows in `examples`, as their readers run them: without a network, from what is recorded.

use std::path::{Path, PathBuf};

use cogtools_test_support::is_blessing;

use super::*;

/// The model's answers to the examples, in their order, when they are recorded anew.
const ANSWERS: [(&str, &[&str]); 2] = [
    (
        "find-time",
        &[
            "{\"capability\": \"calendar.find_free_time\"}",
            "{\"capability\": \"web.search\"}",
            "{\"text\": \"I find free time in your calendar, and look things up.\"}",
        ],
    ),
    (
        "review",
        &[
            "Say what it does instead of how good it is.",
            "Say where the lines go.",
        ],
    ),
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../examples")
        .join(name)
}

/// A copy of the example `name`.
fn copy(name: &str) -> Project {
    let project = Project::new();
    project.copy_all(folder(name));
    project
}

#[test]
fn examples_pass_their_tests_offline() {
    for (name, answers) in ANSWERS {
        let project = copy(name);
        let has_failed = || run("cogtools-test", &project).run().status != 0.into();
        if is_blessing() && has_failed() {
            record(name, &project, answers);
        }
        run("cogtools-test", &project).run().succeeds();
        flow_run(&project, &["test"]).run().succeeds();
        let diagram = run("cogtools-docs", &project).args(["--check", "README.md"]);
        diagram.run().outputs("unchanged README.md\n");
        run("cogtools-lint", &project)
            .args(["--deny-warnings"])
            .run()
            .succeeds();
    }
}

/// Records the examples of `name` anew, with these answers.
fn record(name: &str, project: &Project, answers: &[&str]) {
    let is_recorded = |path: &&PathBuf| {
        let extension = path.extension();
        extension.is_some_and(|it| it == "tape" || it == "golden")
    };
    for path in project.files().iter().filter(is_recorded) {
        project.remove(path);
    }
    let turn = |answer: &&str| match serde_json::from_str(answer) {
        Ok(arguments) => Turn::call("answer", arguments),
        Err(_) => Turn::text(*answer),
    };
    let fake = FakeGemini::start(answers.iter().map(turn));
    run("cogtools-test", project)
        .args(["--update"])
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .run()
        .succeeds();
    let _ = fake.finish();
    flow_run(project, &["test", "--update"]).run().succeeds();
    for path in project.files().iter().filter(is_recorded) {
        let target = folder(name).join(path);
        std::fs::copy(project.path(path), target).expect("the example is written");
    }
}

#[test]
fn the_calendar_example_shows_its_panel() {
    let project = copy("find-time");
    flow_run(&project, &["run", "find_time"])
        .args([
            "question=find 30 minutes free on my calendar",
            "--replay",
            "tools/find_time.calendar.tape",
        ])
        .run()
        .outputs("Free: 08:00-09:00, 09:30-10:00, 12:00-13:00, 17:00-18:00\n");
    flow_run(&project, &["trace", "--panel"])
        .run()
        .outputs(str![[r#"
Matched Tool: calendar
Capability: calendar.find_free_time
Parsed Intent: {"capability":"calendar.find_free_time"}
Summary: `calendar` matches `calendar.list_events`

"#]]);
}

#[test]
fn another_way_through_a_flow_is_reported() {
    let project = copy("find-time");
    project.file(".cogtoolrc.yaml", "");
    flow_run(&project, &["test"]).run().expect(
        1,
        str![[r#"
FAILED find_time calendar: `find_time.calendar.trace.golden` differs
  - found succeeded calendar.find_free_time -> calendar
  - free succeeded
  - said skipped
  + found TOOL_NOT_FOUND calendar.find_free_time -> none
  + free skipped
  + said succeeded
FAILED find_time web: `find_time.web.trace.golden` differs
  - found succeeded web.search -> lookup
  - fact succeeded
  - said skipped
  + found TOOL_NOT_FOUND web.search -> none
  + fact skipped
  + said succeeded
ok find_time greeting

"#]],
        str![[r#"
cogtools-flow: error[TEST_FAILED]: 2 traces differ
hint: `cogtools flow test --update` accepts them as they are now

"#]],
    );
    flow_run(&project, &["test", "--update", "find_time"])
        .run()
        .outputs(str![[r#"
wrote find_time.calendar.trace.golden
wrote find_time.web.trace.golden
ok find_time greeting

"#]]);
    flow_run(&project, &["test"]).run().outputs(str![[r#"
ok find_time calendar
ok find_time web
ok find_time greeting

"#]]);
    project.remove("tools/find_time.web.tape");
    flow_run(&project, &["test", "find_time"]).run().status(1);
}

#[test]
fn the_test_program_compares_the_ways_too() {
    let project = project_with(
        "    nodes:\n      found: {tool: {capability: web_search.search, arguments: {query: '{{ question }}'}}}\n",
    );
    let tool = project.read("tools/f.yaml");
    project.file(
        "tools/f.yaml",
        format!("{tool}examples: [{{question: cats}}]\n"),
    );
    let test = |words: &[&str]| run("cogtools-test", &project).args(words).run();
    test(&["--update", "f"]).succeeds();
    // Only who asks for it has a file with the way.
    assert!(!project.path("tools/f.1.trace.golden").exists());
    flow_run(&project, &["test", "--update"]).run().succeeds();
    let way = "found succeeded web_search.search -> search\n";
    assert_eq!(project.read("tools/f.1.trace.golden"), way);
    test(&["f"]).succeeds();
    project.file(
        "tools/f.1.trace.golden",
        "found succeeded web_search.search -> other\n",
    );
    let outcome = test(&["f"]);
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    assert!(text.contains("f.1.trace.golden"), "{text}");
    outcome.status(1);
    test(&["--update", "f"]).succeeds();
    assert_eq!(project.read("tools/f.1.trace.golden"), way);
}

#[test]
fn no_golden_file_outside_the_project_is_shown() {
    let project = copy("find-time");
    project
        .file("../secret", "the key\n")
        .remove("tools/find_time.web.trace.golden");
    project.link("tools/find_time.web.trace.golden", "../../secret");
    let outcome = flow_run(&project, &["test", "find_time"]).run();
    assert_eq!(outcome.status, 74.into(), "{outcome}");
    for text in [&outcome.stdout, &outcome.stderr] {
        assert!(
            !String::from_utf8_lossy(text).contains("the key"),
            "{outcome}"
        );
    }
}
