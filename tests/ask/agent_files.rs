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

#[test]
fn mistakes_in_the_file_are_found() {
    let project = Project::new();
    project.file(
        "tools/wrong.yaml",
        "\
name: wrong
description: d
implementation:
  agent:
    sytem: x
    temperature: 3
    rules: [1]
    budget: {turn: 1, calls: -1}
    tools: git
    output: {schema: {type: strin}}
",
    );
    run("cogtools-lint", &project)
        .run()
        .expect(78, str![[r#"
tools/wrong.yaml:1:1: warning[no-schema]: no `$schema`
   |
 1 | name: wrong
   | ^^^^
why: editors and other programs cannot tell that it is a tool, nor which version of the format it uses
fix: add `$schema: schema:agladysh-research.org,2025/cogtools:tool` before the first key (`--fix` does it)

tools/wrong.yaml:4:3: error[invalid-tool]: `system` is missing
   |
 4 |   agent:
   |   ^^^^^
why: discovery skips the file, so no host ever sees the tool
fix: add `system: …`

tools/wrong.yaml:5:5: error[invalid-tool]: unknown key `sytem`
   |
 5 |     sytem: x
   |     ^^^^^
why: discovery skips the file, so no host ever sees the tool
fix: did you mean `system`?

tools/wrong.yaml:6:18: error[invalid-tool]: `temperature` takes a number from 0 to 2, not 3
   |
 6 |     temperature: 3
   |                  ^
why: discovery skips the file, so no host ever sees the tool
fix: write a number such as `0.2`, without quotes

tools/wrong.yaml:7:13: error[invalid-tool]: `rules` takes text or a list of texts, not 1
   |
 7 |     rules: [1]
   |             ^
why: discovery skips the file, so no host ever sees the tool
fix: write text in quotes, or a list such as `['one', 'two']`

tools/wrong.yaml:8:14: error[invalid-tool]: unknown key `turn`
   |
 8 |     budget: {turn: 1, calls: -1}
   |              ^^^^
why: discovery skips the file, so no host ever sees the tool
fix: did you mean `turns`?

tools/wrong.yaml:8:30: error[invalid-tool]: `calls` takes a non-negative integer, not -1
   |
 8 |     budget: {turn: 1, calls: -1}
   |                              ^^
why: discovery skips the file, so no host ever sees the tool
fix: write a number such as `1`, without quotes

tools/wrong.yaml:9:12: error[invalid-tool]: `tools` takes a list of names, not a string
   |
 9 |     tools: git
   |            ^^^
why: discovery skips the file, so no host ever sees the tool
fix: write a list of strings, as in `[one, two]`

tools/wrong.yaml:10:29: error[invalid-tool]: `strin` is not a type
    |
 10 |     output: {schema: {type: strin}}
    |                             ^^^^^
why: discovery skips the file, so no host ever sees the tool
fix: write `string`

1 file: 8 errors, 1 warning, `--fix` can fix 1

"#]], str![]);
}
