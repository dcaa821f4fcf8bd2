//! Files of agents: tested from recordings, and their mistakes.

use super::agents::{GREETER, project_with_agent};
use super::*;

#[test]
fn examples_are_tested_from_recordings() {
    let project = project_with_agent();
    run("cogtools-test", &project).arg("greeter").run().expect(
        1,
        str![[r#"
FAILED greeter (1 example)
  tools/greeter.yaml:9:5: example 1: missing: `tools/greeter.1.tape` does not exist
    hint: cogtools test --update greeter asks the model and records its responses

1 tool, 1 example: 1 failure

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 1 failure
hint: the report on standard output shows what to fix
hint: cogtools test --update accepts the current results as golden files

"#]],
    );
    let fake = FakeGemini::start([
        Turn::call("greet", json!({"person": "Ada"})),
        Turn::text("Bonjour Ada !"),
    ]);
    run("cogtools-test", &project)
        .args(["--update", "greeter"])
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .run()
        .status(0);
    fake.finish();
    assert_eq!(project.read("tools/greeter.1.golden"), "Bonjour Ada !");
    // Without a key and without a network.
    run("cogtools-test", &project)
        .arg("greeter")
        .run()
        .outputs(str![[r#"
ok greeter (1 example)

1 tool, 1 example: all passed

"#]]);
    project.file(
        "tools/greeter.yaml",
        GREETER.replace("One sentence", "Two sentences"),
    );
    run("cogtools-test", &project)
        .arg("greeter")
        .run()
        .status(1)
        .stdout_contains("Two sentences");
}

/// What is wrong with an agent that has these keys.
fn mistakes(keys: &str) -> Outcome {
    let project = Project::new();
    project.file(
        "tools/wrong.yaml",
        format!("name: wrong\ndescription: d\nimplementation:\n  agent:\n{keys}"),
    );
    run("cogtools-expand", &project).arg("wrong").run()
}

#[test]
fn mistakes_in_texts_and_numbers_are_found() {
    mistakes("    sytem: x\n    temperature: 3\n    rules: [1]\n").fails(78, str![]);
}

#[test]
fn mistakes_in_lists_and_maps_are_found() {
    let keys = "    system: x\n    budget: {turn: 1, calls: -1}\n    tools: git\n";
    mistakes(&format!("{keys}    output: {{schema: {{type: strin}}}}\n")).fails(78, str![]);
}
