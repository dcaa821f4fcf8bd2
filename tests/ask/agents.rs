//! Tools that are agents: called by hosts, by other agents, and tested from recordings.

use super::*;

/// An agent that greets with the tool `greet`.
pub(super) const GREETER: &str = "\
name: greeter
description: Greets a person in a language
parameters:
  person: string
  language:
    type: string
    default: French
examples:
  - person: Ada
implementation:
  agent:
    system: You greet people.
    behaviour: Call `greet` first, then translate.
    rules:
      - Answer in {{ language }}.
      - One sentence.
    prompt: Greet {{ person }}.
    tools: [gre*, absent]
    model: gemini-flash-latest
    temperature: 0.2
    max_tokens: 200
    stop: [END]
    budget: {turns: 3}
";

/// A project with the agent.
pub(super) fn project_with_agent() -> Project {
    let project = project();
    project.file("tools/greeter.yaml", GREETER);
    project
}

/// `cogtools-call` in `project`, with the API at `fake`.
fn call(project: &Project, fake: &FakeGemini, tool: &str, arguments: &Value) -> Outcome {
    run("cogtools-call", project)
        .arg(tool)
        .stdin(arguments.to_string())
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .run()
}

#[test]
fn a_run_that_a_tool_started_is_listed_on_request_only() {
    let project = project_with_agent();
    let fake = FakeGemini::start([Turn::text("Bonjour Ada !")]);
    call(&project, &fake, "greeter", &json!({"person": "Ada"})).outputs("Bonjour Ada !");
    fake.finish();
    let sessions = |args: &[&str]| {
        let outcome = run("cogtools-session", &project)
            .args(["list", "--json"])
            .args(args)
            .run();
        let listed: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
        listed.as_array().map_or(0, Vec::len)
    };
    assert_eq!((sessions(&[]), sessions(&["--all"])), (0, 1));
    run("cogtools-ask", &project)
        .args(["-q", "--continue", "and now?"])
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .run()
        .fails(
            127,
            str![[r#"
cogtools-ask: error[SESSION_NOT_FOUND]: this project has no session yet
hint: leave out --continue to begin one

"#]],
        );
}

#[test]
fn a_name_of_a_tool_that_is_missing_is_reported_once() {
    let project = project_with_agent();
    let fake = FakeGemini::start([
        Turn::call("greeter", json!({"person": "Ada"})),
        Turn::text("Bonjour Ada !"),
        Turn::text("It says: Bonjour Ada !"),
    ]);
    let outcome = ask(&project, &fake)
        .args(["--allow=*", "Greet Ada in French"])
        .run();
    outcome.status(0);
    let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
    let message = "greeter: `absent` in `tools` of the agent matches no tool";
    assert_eq!(stderr.matches(message).count(), 1, "{stderr}");
    assert!(!stderr.contains("`gre*`"), "{stderr}");
    fake.finish();
}

#[test]
fn an_object_in_a_prompt_is_an_error_and_asks_no_model() {
    let project = project();
    project.file(
        "tools/about.yaml",
        "name: about\ndescription: Describes a person\nparameters:\n  person: {type: object}\n\
         implementation:\n  agent:\n    system: Be brief.\n    prompt: About {{ person }}.\n",
    );
    let fake = FakeGemini::start([]);
    let arguments = json!({"person": {"name": "Ada"}});
    let outcome = call(&project, &fake, "about", &arguments);
    outcome.stdout_is("").stderr_contains("an object prints as");
    assert!(fake.finish().main().is_empty());
}

#[test]
fn a_host_calls_an_agent_like_any_tool() {
    let project = project_with_agent();
    let fake = FakeGemini::start([
        Turn::call("greet", json!({"person": "Ada"})),
        Turn::text("Bonjour Ada !"),
    ]);
    call(&project, &fake, "greeter", &json!({"person": "Ada"})).outputs("Bonjour Ada !");
    let conversation = fake.finish();
    let first = conversation.main()[0];
    assert_text(
        first.body["systemInstruction"]["parts"][0]["text"]
            .as_str()
            .unwrap_or_default(),
        str![[r#"
You greet people.

Call `greet` first, then translate.

# Rules

These rules take precedence over everything above.

- Answer in French.
- One sentence.
"#]],
    );
    assert_eq!(
        first.body["contents"],
        json!([{"role": "user", "parts": [{"text": "Greet Ada."}]}])
    );
    let names: Vec<&Value> = first.declarations().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["greet", "greeter"]);
    let config = &first.body["generationConfig"];
    assert_eq!(
        (
            &config["temperature"],
            &config["maxOutputTokens"],
            &config["stopSequences"]
        ),
        (&json!(0.2), &json!(200), &json!(["END"]))
    );
}

#[test]
fn an_agent_needs_the_trust_that_programs_need() {
    let project = Project::untrusted();
    project.file("tools/greeter.yaml", GREETER);
    let fake = FakeGemini::start([]);
    call(&project, &fake, "greeter", &json!({"person": "Ada"}))
        .status(77)
        .stdout_is("");
    fake.finish();
}

#[test]
fn an_agent_that_cannot_finish_says_why() {
    let project = project_with_agent();
    let again = || Turn::call("greet", json!({"person": "Ada"}));
    let fake = FakeGemini::start([again(), again(), again()]);
    call(&project, &fake, "greeter", &json!({"person": "Ada"})).fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: greeter: the budget of turns is spent

"#]],
    );
    fake.finish();
}

#[test]
fn an_answer_that_does_not_match_the_schema_goes_back_once() {
    let project = project();
    project.file(
        "tools/judge.yaml",
        "\
name: judge
description: Judges a text
parameters: {text: string}
output: {type: json, schema: {type: object, properties: {good: {type: boolean}}, required: [good]}}
implementation: {agent: {system: You judge texts.}}
",
    );
    let fake = FakeGemini::start([Turn::text("{\"good\": 1}"), Turn::text("{\"good\": true}")]);
    call(&project, &fake, "judge", &json!({"text": "Fine."})).outputs("{\"good\": true}");
    let conversation = fake.finish();
    let first = conversation.main()[0];
    assert_eq!(
        first.body["contents"][0]["parts"][0]["text"],
        json!("{\"text\":\"Fine.\"}")
    );
    assert_eq!(
        first.body["generationConfig"]["responseJsonSchema"]["required"],
        json!(["good"])
    );
}

#[test]
fn an_agent_calls_an_agent_within_its_budget_and_in_its_log() {
    let project = project_with_agent();
    let fake = FakeGemini::start([
        Turn::call("greeter", json!({"person": "Ada"})),
        Turn::call("greet", json!({"person": "Ada"})),
        Turn::text("Bonjour Ada !"),
        Turn::text("Ada was greeted."),
    ]);
    let args = [
        "--allow",
        "greeter",
        "--session",
        "s.jsonl",
        "--json",
        "Greet Ada",
    ];
    let outcome = ask(&project, &fake).args(args).arg("-q").run();
    let summary = outcome.json();
    fake.finish();
    assert_eq!(
        (
            &summary["text"],
            &summary["turns"],
            &summary["calls"][0]["tool"]
        ),
        (&json!("Ada was greeted."), &json!(4), &json!("greeter"))
    );
    let tree = run("cogtools-session", &project).args(["tree", "s.jsonl"]);
    let tree = tree.redact(session_id(&project, "s.jsonl"), "ID").run();
    // How long a call takes differs.
    let without_time = |line: &str| line.split(", ").next().unwrap_or_default().to_owned();
    let lines: Vec<String> = tree.text().lines().map(without_time).collect();
    assert_text(
        lines.join("\n"),
        str![[r#"
session ID
 1  task        Greet Ada
 2  request     turn 1
 3  response    greeter
 4  usage       141 tokens
 5  call        greeter person=Ada
   6  agent       greeter
   7  task        Greet Ada.
   8  request     turn 1
   9  response    greet
  10  usage       165 tokens
  11  call        greet person=Ada
  12  result      succeeded
  13  request     turn 2
  14  response    Bonjour Ada !
  15  usage       186 tokens
  16  end         completed
  17  result      succeeded
  18  request     turn 2
  19  response    Ada was greeted.
  20  usage       163 tokens
  21  end         completed  (last)
"#]],
    );
    check_nested(&project);
}

/// Checks how the session is shown that an agent has run in, and how it goes on.
fn check_nested(project: &Project) {
    let shown = run("cogtools-session", project)
        .args(["show", "s.jsonl"])
        .run()
        .text();
    assert!(
        shown.contains("\n    agent: 2 turns, 1 call, 351 tokens\n"),
        "{shown}"
    );
    // What the agent has used is a part of the whole.
    assert!(shown.ends_with(" 655 tokens\n"), "{shown}");
    // What follows in the session knows the answer of the agent only.
    let fake = FakeGemini::start([Turn::text("Yes.")]);
    quietly(
        project,
        &fake,
        &["--session", "s.jsonl", "--continue", "Is that all?"],
    )
    .outputs("Yes.\n");
    let conversation = fake.finish();
    let contents = conversation.main()[0].body["contents"]
        .as_array()
        .map_or(0, Vec::len);
    assert_eq!(contents, 6);
}

fn session_id(project: &Project, file: &str) -> String {
    let header = project.read(file);
    let header: Value = serde_json::from_str(header.lines().next().unwrap_or("")).expect("JSON");
    header["session"]
        .as_str()
        .expect("an identifier")
        .to_owned()
}

#[test]
fn the_budget_is_that_of_the_caller_too() {
    let project = project_with_agent();
    let fake = FakeGemini::start([
        Turn::call("greeter", json!({"person": "Ada"})),
        Turn::call("greet", json!({"person": "Ada"})),
    ]);
    let session = ["--session", "s.jsonl"];
    let args = ["--allow", "greeter", "--budget", "turns=2", "Greet Ada"];
    let args: Vec<&str> = session.into_iter().chain(args).collect();
    quietly(&project, &fake, &args).fails(
        4,
        str![[r#"
cogtools-ask: error[BUDGET_SPENT]: the budget of turns is spent
hint: cogtools ask --session s.jsonl --continue --budget turns=NUMBER goes on

"#]],
    );
    fake.finish();
}

#[test]
fn agents_do_not_call_each_other_without_end() {
    let project = Project::new();
    project.file(
        "tools/mirror.yaml",
        "\
name: mirror
description: Asks itself
implementation: {agent: {system: Ask yourself., tools: [mirror]}}
",
    );
    let again = || Turn::call("mirror", json!({}));
    let ends = ["4", "3", "2", "1"].map(Turn::text);
    let turns = std::iter::repeat_with(again)
        .take(5)
        .chain(ends)
        .chain([Turn::text("done")]);
    let fake = FakeGemini::start(turns);
    quietly(&project, &fake, &["--allow", "mirror", "Go"]).outputs("done\n");
    let conversation = fake.finish();
    let deepest = conversation.main()[5];
    assert_eq!(
        deepest.responses(),
        [&json!({
            "id": "call-5-1",
            "name": "mirror",
            "response": {
                "error": "mirror: 4 agents and flows already run within each other\nhint: let no \
                          tool call itself, directly or through others",
                "code": "TOOL_FAILED",
            },
        })]
    );
}

#[test]
fn a_call_of_an_agent_needs_its_approval() {
    let project = noting();
    project.file(
        "tools/scribe.yaml",
        "\
name: scribe
description: Notes things
implementation: {agent: {system: You note things., tools: [note]}}
",
    );
    let fake = FakeGemini::start([
        Turn::call("scribe", json!({})),
        note("one"),
        Turn::text("It was not noted."),
        Turn::text("Not noted."),
    ]);
    quietly(&project, &fake, &["--allow", "scribe", "Go"]).outputs("Not noted.\n");
    let conversation = fake.finish();
    assert_eq!(notes(&project), "");
    assert_eq!(
        conversation.main()[2].responses(),
        [&json!({
            "id": "call-2-1",
            "name": "note",
            "response": {
                "error": "denied: this call needs an approval, and there is no one to ask: the user can allow it in `ask.allow`",
            },
        })]
    );
}

/// Only the calls of the session itself can wait: a run that pauses ends, and never with success.
#[test]
fn a_call_of_an_agent_cannot_wait() {
    let project = noting();
    project.file(
        "tools/scribe.yaml",
        "name: scribe\ndescription: d\nimplementation: {agent: {system: s, tools: [note]}}\n",
    );
    let scribe = || Turn::call("scribe", json!({}));
    let fake = FakeGemini::start([scribe(), note("one"), Turn::text("It waits.")]);
    let args = ["--session", "s.jsonl", "--pause", "--allow", "scribe", "Go"];
    quietly(&project, &fake, &args).fails(
        75,
        str![[r#"
cogtools-ask: error[APPROVAL_WANTED]: scribe: a call needs an approval, and an agent that is a tool cannot wait for one
  | note {"text":"one"}
hint: `--allow note` lets such calls run

"#]],
    );
    assert_eq!(notes(&project), "");
    let args = ["--session", "s.jsonl", "--continue", "--allow", "note"];
    quietly(&project, &fake, &args).outputs("It waits.\n");
    fake.finish();
}
