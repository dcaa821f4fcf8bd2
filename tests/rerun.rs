//! `cogtools session rerun`: the tasks of a session, given to another model.

use cogtools_test_support::{FakeGemini, Outcome, Project, Turn, str};
use serde_json::json;

use crate::run;

const GREET: &str = "\
name: greet
description: Greets a person by name
parameters:
  person: {type: string, description: Who is greeted}
  mark: {type: string, description: The end, default: '!'}
examples:
  - person: Ada
implementation: Hello {{ person }}{{ mark }}
";

/// Name of a model other than the one of the first run.
const MODEL: &str = "gemini-2.5-flash";

fn with_fake(program: &str, project: &Project, fake: &FakeGemini, args: &[&str]) -> Outcome {
    run(program, project)
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .args(args)
        .run()
}

#[test]
fn another_model_gets_the_recorded_results() {
    let project = Project::new();
    project.file("tools/greet.yaml", GREET);
    let greet = |person: &str| Turn::call("greet", json!({ "person": person }));
    let fake = FakeGemini::start([
        greet("Ada"),
        Turn::text("She is greeted."),
        Turn::text("Bye."),
    ]);
    let first = ["-q", "--session", "a.jsonl", "Greet Ada"];
    with_fake("cogtools-ask", &project, &fake, &first).outputs("She is greeted.\n");
    let second = ["-q", "--session", "a.jsonl", "--continue", "Now go"];
    with_fake("cogtools-ask", &project, &fake, &second).outputs("Bye.\n");
    fake.finish();

    // The tool would answer in another way now.
    let changed = GREET.replace("Hello", "Good day,");
    project.file("tools/greet.yaml", changed).trust("");
    let rerun = |turns: Vec<Turn>, args: &[&str]| {
        let fake = FakeGemini::start(turns);
        let args = [&["rerun", "a.jsonl", "--model", MODEL], args].concat();
        let name = with_fake("cogtools-session", &project, &fake, &args).text();
        fake.finish();
        name.trim().to_owned()
    };
    let diff = |name: &str| {
        let args = ["diff", "a.jsonl", name, "--json"];
        run("cogtools-session", &project).args(args).run().json()
    };
    let same = rerun(
        vec![
            // The default is the same call.
            Turn::call("greet", json!({"person": "Ada", "mark": "!"})),
            Turn::text("She is greeted."),
            Turn::text("Bye."),
        ],
        &[],
    );
    let found = diff(&same);
    assert_eq!(found["b"]["arguments"]["mark"], "!", "{found}");
    let show = run("cogtools-session", &project)
        .args(["show", &same])
        .run();
    show.stdout_contains("Hello Ada!").stdout_contains(MODEL);

    // The same call has one result; what was not called has none.
    let other = rerun(
        vec![
            greet("Ada"),
            greet("Ada"),
            greet("Bob"),
            Turn::text("?"),
            Turn::text("!"),
        ],
        &["--tools", "recorded"],
    );
    let found = diff(&other);
    assert_eq!(
        found["b"],
        json!({"call": "greet", "arguments": {"person": "Ada"}})
    );
    let show = run("cogtools-session", &project)
        .args(["show", &other])
        .run();
    assert_eq!(show.text().matches("no recorded result").count(), 2);

    let live = rerun(
        vec![greet("Ada"), Turn::text("?"), Turn::text("!")],
        &["--tools", "live"],
    );
    let found = diff(&live);
    assert_eq!(found["b"]["result"], json!({"output": "Good day, Ada!"}));
}

#[test]
fn a_source_that_cannot_be_listed_is_reported() {
    let project = Project::new();
    project.file("tools/greet.yaml", GREET);
    let fake = FakeGemini::start([Turn::text("Hi."), Turn::text("Hi.")]);
    let first = ["-q", "--session", "a.jsonl", "Hi"];
    with_fake("cogtools-ask", &project, &fake, &first).outputs("Hi.\n");
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [{local: ./tools}, {command: {discover: [./p], call: [./p], name: p}}]\n",
    );
    let again = ["rerun", "a.jsonl", "--model", MODEL];
    let run = with_fake("cogtools-session", &project, &fake, &again);
    run.status(0).stderr_is(str![[r#"
cogtools-session: warning[DENIED]: the provider `p` is not approved yet
hint: review what it runs, then approve it: cogtools trust p

"#]]);
    fake.finish();
}

#[test]
fn a_model_that_fails_leaves_its_session() {
    let project = Project::new();
    project.file("tools/greet.yaml", GREET);
    let fake = FakeGemini::start([Turn::text("Hi.")]);
    with_fake(
        "cogtools-ask",
        &project,
        &fake,
        &["-q", "--session", "a.jsonl", "Hi"],
    )
    .outputs("Hi.\n");
    // The API has no such model.
    let args = ["rerun", "a.jsonl", "--model", "no-such-model"];
    let run = with_fake("cogtools-session", &project, &fake, &args);
    run.status(1)
        .stderr_contains("error[MODEL_FAILED]: no-such-model");
    assert!(run.stdout.len() > 8, "{run:?}");
    fake.finish();
}

#[test]
fn an_answer_that_is_cut_off_has_a_status_of_its_own() {
    let project = Project::new();
    let fake = FakeGemini::start([Turn::text("Whole."), Turn::text("Cut").finish("MAX_TOKENS")]);
    let first = ["-q", "--session", "a.jsonl", "Go"];
    with_fake("cogtools-ask", &project, &fake, &first).outputs("Whole.\n");
    let args = ["rerun", "a.jsonl", "--model", MODEL];
    let outcome = with_fake("cogtools-session", &project, &fake, &args);
    outcome.status(6).stderr_contains("error[ANSWER_CUT]");
    fake.finish();
}
