//! Files of agents: tested from recordings, and their mistakes.

use std::fs;

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
    hint: cogtools test --update greeter asks the model and records the responses

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

#[test]
fn the_agent_of_the_manual_is_tested_twice_from_one_recording() {
    let page = fs::read_to_string(crate::repository().join("docs/how-to/make-an-agent-a-tool.md"));
    let page = page.expect("the page");
    let tool = page.split_once("```yaml file=tools/review.yaml\n");
    let (tool, _) = tool
        .and_then(|(_, rest)| rest.split_once("```"))
        .expect("the tool");
    let project = Project::new();
    run("cogtools-init", &project)
        .arg("--defaults")
        .run()
        .status(0);
    let sources = "tool_sources: [{local: ./tools}, builtin]\n";
    assert!(page.contains(&sources.replace('\n', "\\n")), "{page}");
    project.file(".cogtoolrc.yaml", sources);
    project.file("tools/review.yaml", tool);
    project.file("notes.txt", "Cogs turn.\n");
    let fake = FakeGemini::start([
        Turn::call("read_file", json!({"path": "notes.txt"})),
        Turn::text("Name the cogs, and say who turns them."),
    ]);
    run("cogtools-test", &project)
        .args(["--update", "review"])
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .run()
        .status(0);
    let conversation = fake.finish();
    let result = conversation.main()[1].responses()[0].to_string();
    assert!(result.contains("Cogs turn."), "{result}");
    // The file was read when the recording was made, and is not read again.
    fs::remove_file(project.path("notes.txt")).expect("removed");
    let tape = project.read("tools/review.1.tape");
    for _ in 0..2 {
        run("cogtools-test", &project)
            .arg("review")
            .run()
            .outputs(str![[r#"
ok review (1 example)

1 tool, 1 example: all passed

"#]]);
        assert_eq!(project.read("tools/review.1.tape"), tape);
    }
}

/// The mistake in an agent that has these keys.
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
    mistakes("    sytem: x\n    temperature: 3\n    rules: [1]\n").fails(78, str![[r#"
cogtools-expand: error[INVALID_TOOL]: tools/wrong.yaml:4:3: `system` is missing
   |
 4 |   agent:
   |   ^^^^^
hint: add `system: …`
cogtools-expand: error[INVALID_TOOL]: tools/wrong.yaml:5:5: unknown key `sytem`
   |
 5 |     sytem: x
   |     ^^^^^
hint: did you mean `system`?
cogtools-expand: error[INVALID_TOOL]: tools/wrong.yaml:6:18: `temperature` takes a number from 0 to 2, not 3
   |
 6 |     temperature: 3
   |                  ^
hint: write a number such as `0.2`, without quotes
cogtools-expand: error[INVALID_TOOL]: tools/wrong.yaml:7:13: `rules` takes text or a list of texts, not 1
   |
 7 |     rules: [1]
   |             ^
hint: write text in quotes, or a list such as `['one', 'two']`

"#]]);
}

#[test]
fn mistakes_in_lists_and_maps_are_found() {
    let keys = "    system: x\n    budget: {turn: 1, calls: -1}\n    tools: git\n";
    mistakes(&format!("{keys}    output: {{schema: {{type: strin}}}}\n")).fails(78, str![[r#"
cogtools-expand: error[INVALID_TOOL]: tools/wrong.yaml:6:14: unknown key `turn`
   |
 6 |     budget: {turn: 1, calls: -1}
   |              ^^^^
hint: did you mean `turns`?
cogtools-expand: error[INVALID_TOOL]: tools/wrong.yaml:6:30: `calls` takes a non-negative integer, not -1
   |
 6 |     budget: {turn: 1, calls: -1}
   |                              ^^
hint: write a number such as `1`, without quotes
cogtools-expand: error[INVALID_TOOL]: tools/wrong.yaml:7:12: `tools` takes a list of names, not a string
   |
 7 |     tools: git
   |            ^^^
hint: write a list of strings, as in `[one, two]`
cogtools-expand: error[INVALID_TOOL]: tools/wrong.yaml:8:29: `strin` is not a type
   |
 8 |     output: {schema: {type: strin}}
   |                             ^^^^^
hint: write `string`

"#]]);
}
