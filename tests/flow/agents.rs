//! Nodes that ask a model.

use super::*;

/// The flow that extracts a capability, and calls the one tool that has it.
const FIND_TIME: &str = "\
    nodes:
      understand:
        agent:
          system: You never read this first.
          rules: 'Say what the user needs: {{ question }}'
          reply:
            capability: {type: string, optional: true, description: provider.operation}
            text: {type: string, optional: true, description: What to say without a tool}
      route:
        when: understand.capability
        tool:
          capability: '{{ understand.capability }}'
          among: [calendar.list_events, web_search.search]
          arguments: {query: '{{ question }}'}
    output: '{{ route or understand.text or understand.error }}'
";

/// An answer, as a model gives it: as a call.
fn answer(arguments: Value) -> Turn {
    Turn::call("answer", arguments)
}

/// A run of the flow `f` of `project` with a model that answers `turns`.
fn ask(project: &Project, turns: impl IntoIterator<Item = Turn>) -> (Outcome, Vec<Value>) {
    let fake = FakeGemini::start(turns);
    let outcome = flow_run(project, &["run", "f", "question=find 30 minutes"])
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .run();
    let requests = fake
        .finish()
        .main()
        .iter()
        .map(|it| it.body.clone())
        .collect();
    (outcome, requests)
}

#[test]
fn the_agent_extracts_a_capability_and_its_tool_runs() {
    let project = project_with(FIND_TIME);
    let answer = || answer(json!({"capability": "calendar.find_free_time"}));
    let (outcome, requests) = ask(&project, [answer()]);
    outcome.outputs("events for find 30 minutes\n");
    assert_text(
        traced(&project, &[]),
        str![[r#"
🧪 Runner: f {"question":"find 30 minutes"}
🤖 Agent: understand succeeded
  🧠 Model: gemini-flash-latest, 129 tokens
  result: {"capability":"calendar.find_free_time"}
🧪 Runner: route succeeded
  🛠️ Tools: calendar.find_free_time = calendar.list_events; candidates: calendar, search; match: calendar
  🔍 Properties: {"query":"find 30 minutes"}
  result: events for find 30 minutes
🧪 Runner: output: events for find 30 minutes

"#]],
    );
    // Rules win over the system, and everything is the same for the same inputs.
    let request = &requests[0];
    let system = request["systemInstruction"]["parts"][0]["text"].as_str();
    assert_text(
        system.unwrap_or_default(),
        str![[r#"
You never read this first.

# Rules

These rules take precedence over everything above.

- Say what the user needs: find 30 minutes
"#]],
    );
    let config = &request["generationConfig"];
    assert_eq!(config["temperature"], 0.2);
    assert_eq!(config["maxOutputTokens"], 2000);
    assert_eq!(config.get("responseJsonSchema"), None);
    // The answer is a call, which the model has to make.
    let mode = json!({"mode": "ANY", "allowedFunctionNames": ["answer"]});
    assert_eq!(request["toolConfig"]["functionCallingConfig"], mode);
    let declarations = &request["tools"][0]["functionDeclarations"];
    let properties = declarations[0]["parametersJsonSchema"]["properties"].as_object();
    let names: Vec<&String> = properties
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["capability", "text"]);
    let (_, again) = ask(&project, [answer()]);
    assert_eq!(again[0], *request);
}

#[test]
fn a_trace_has_models_tokens_and_nested_runs() {
    let project = project_with("    nodes: {whole: {tool: inner}}\n");
    project.file(
        "tools/inner.yaml",
        flow("nodes: {asks: {agent: {rules: '{{ question }}'}}}\n")
            .replace("name: f", "name: inner"),
    );
    ask(&project, [Turn::text("Hello.")]).0.outputs("Hello.\n");
    let trace = flow_run(&project, &["trace", "--json"]).run().json();
    let nodes = trace["nodes"].as_array().expect("nodes");
    let inner = nodes.iter().find(|node| node["node"] == "whole/asks");
    let asked = &inner.expect("the node of the inner flow")["model"];
    assert!(
        asked["model"]
            .as_str()
            .is_some_and(|it| it.contains("gemini")),
        "{trace}"
    );
    let tokens = |key: &str| asked["usage"][key].as_u64().unwrap_or(0);
    assert_eq!(
        tokens("prompt") + tokens("candidates") + tokens("thoughts"),
        tokens("total")
    );
    assert!(tokens("candidates") > 0, "{trace}");
    let text = traced(&project, &[]);
    assert!(text.contains("🤖 Agent: whole/asks succeeded"), "{text}");
    assert!(text.contains(" tokens"), "{text}");
    // Nodes of other flows are not nodes of this run.
    let listed = flow_run(&project, &["list", "--json"]).run().json();
    assert_eq!(
        (&listed[0]["done"], &listed[0]["nodes"]),
        (&json!(1), &json!(1))
    );
    let sessions = run("cogtools-session", &project)
        .args(["list", "--json"])
        .run()
        .json();
    assert_eq!(sessions[0]["task"], "f");
    assert_eq!(sessions[0]["usage"]["total"], asked["usage"]["total"]);
}

#[test]
fn without_a_capability_the_text_stands() {
    let project = project_with(FIND_TIME);
    let (outcome, _) = ask(&project, [answer(json!({"text": "Lima."}))]);
    outcome.outputs("Lima.\n");
}

#[test]
fn a_model_without_calls_answers_in_json() {
    let project = project_with(FIND_TIME);
    let rejected = Turn::error(ApiError::new(400).message("the model does not support tools"));
    let fenced = "It needs the calendar.\n```json\n{\"capability\": 'calendar.list_events',}\n```";
    let (outcome, requests) = ask(&project, [rejected, Turn::text(fenced)]);
    outcome.outputs("events for find 30 minutes\n");
    let [first, second] = &requests[..] else {
        panic!("two requests: {requests:?}");
    };
    assert!(first["tools"].is_array());
    assert_eq!(second.get("tools"), None);
    let schema = &second["generationConfig"]["responseJsonSchema"];
    assert_eq!(
        *schema,
        first["tools"][0]["functionDeclarations"][0]["parametersJsonSchema"]
    );
}

#[test]
fn an_answer_that_ends_within_its_json_has_no_value() {
    let project = project_with(FIND_TIME);
    let rejected = Turn::error(ApiError::new(400).message("the model does not support tools"));
    let cut = || Turn::text("{\"text\": \"Lim");
    let (outcome, _) = ask(&project, [rejected, cut(), cut()]);
    // The flow reads the error; there is nothing else to read.
    outcome.outputs("f: the answer does not match the schema\n");
}

#[test]
fn an_answer_that_does_not_match_is_made_again() {
    let project = project_with(FIND_TIME);
    let turns = [
        answer(json!({"capability": 1})),
        answer(json!({"text": "Lima."})),
    ];
    let (outcome, requests) = ask(&project, turns);
    outcome.outputs("Lima.\n");
    let contents = requests[1]["contents"].as_array().map_or(0, Vec::len);
    // The question, the call, its result, and what is wrong with it.
    assert_eq!(contents, 4);
}

#[test]
fn a_capability_that_no_tool_has_is_an_error_with_the_nearest() {
    let project = project_with(FIND_TIME);
    let (outcome, _) = ask(
        &project,
        [answer(json!({"capability": "calendar.list_event"}))],
    );
    outcome.status(1).stdout_is("").stderr_contains("\
cogtools-flow: error[NODE_FAILED]: route: TOOL_NOT_FOUND: no tool matches the capability `calendar.list_event`
hint: did you mean `calendar.list_events`?
hint: there are `calendar.list_events`, `web_search.search`
hint: 1 node done; `cogtools flow resume ");
}

#[test]
fn an_agent_as_a_router_answers_true_or_false_and_unclear_is_false() {
    let nodes = "\
    nodes:
      is_urgent: {agent: {rules: 'Is this urgent: {{ question }}'}, then: now, else: later}
      now: {text: now}
      later: {text: later}
";
    let project = project_with(nodes);
    for (answer, expected) in [
        ("true", "now\n"),
        (" True. ", "now\n"),
        ("false", "later\n"),
        ("It could be true", "later\n"),
    ] {
        let (outcome, _) = ask(&project, [Turn::text(answer)]);
        outcome.outputs(expected);
    }
}

/// A run with a model that rejects the request.
fn rejected(project: &Project, words: &[&str]) -> Outcome {
    let fake = FakeGemini::start([Turn::error(ApiError::new(400).message("no such model"))]);
    let outcome = flow_run(project, words)
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .run();
    fake.finish();
    outcome
}

#[test]
fn a_model_that_cannot_be_reached_has_no_value() {
    let nodes = "\
    nodes:
      name: {agent: {rules: 'Who?'}}
      greet: {text: 'Dear {{ name }}'}
";
    let project = project_with(nodes);
    // The run ends with the status of the cause.
    let outcome = flow_run(&project, &["run", "f", "--session", "s.jsonl"])
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
        // The program that asks tries again.
        .limit(std::time::Duration::from_mins(1))
        .run();
    outcome.status(69).stdout_is("");
    outcome.stderr_contains("error[UNAVAILABLE]: name: ");
    let trace = traced(&project, &["s.jsonl"]);
    assert!(trace.contains("name failed (UNAVAILABLE)"), "{trace}");
    assert!(trace.contains("greet skipped: needs `name`"), "{trace}");
    // The model is asked again.
    rejected(&project, &["resume", "s.jsonl"])
        .status(1)
        .stdout_is("")
        .stderr_contains("error[MODEL_FAILED]: name: ");
}

#[test]
fn a_model_that_fails_chooses_no_branch() {
    let nodes = "\
    nodes:
      is_urgent: {agent: {rules: 'Is this urgent?'}, then: now, else: later}
      now: {text: now}
      later: {text: later}
";
    rejected(&project_with(nodes), &["run", "f"])
        .status(1)
        .stdout_is("");
}

#[test]
fn agents_that_run_at_the_same_time_spend_one_budget() {
    let nodes = "\
    nodes:
      all: {each: {in: [1, 2, 3, 4, 5, 6], agent: {rules: 'Say {{ item }}'}}}
";
    let project = project_with(nodes);
    // A token that is received costs a tenth of the money: the first answer spends all of it.
    project.file(
        "../home/.gemini/cogtoolrc.yaml",
        "ask: {prices: prices.yaml, budget: {money: 0.01}}\n",
    );
    project.file(
        "../home/.gemini/prices.yaml",
        "date: 2026-11-01\ncurrency: USD\nmodels: {'*': {input: 0, output: 1000}}\n",
    );
    let long = "word ".repeat(200);
    let fake = FakeGemini::start([Turn::text(&long)]);
    let outcome = flow_run(&project, &["run", "f"])
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .run();
    outcome
        .stdout_is("")
        .stderr_contains("the budget of money is spent");
    assert_eq!(fake.finish().main().len(), 1);
}

#[test]
fn an_answer_over_its_limit_is_an_error_and_never_cut() {
    let nodes = "\
    nodes:
      name: {agent: {rules: 'Who?'}}
      greet: {text: 'Dear {{ name }}'}
";
    let fake = FakeGemini::start([Turn::text("x".repeat((8 << 20) + 1))]);
    let outcome = flow_run(&project_with(nodes), &["run", "f"])
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .limit(std::time::Duration::from_mins(1))
        .run();
    outcome.status(1).stdout_is("");
    outcome.stderr_contains("error[TOOL_FAILED]: name: ");
    fake.finish();
}

#[test]
fn a_flow_that_reads_an_error_goes_on() {
    let nodes = "\
    nodes:
      name: {agent: {rules: 'Who?'}}
      greet: {text: 'Dear {{ name }}'}
      sorry: {when: name.error, text: 'Sorry.'}
    output: '{{ sorry or greet }}'
";
    rejected(&project_with(nodes), &["run", "f"]).outputs("Sorry.\n");
}

#[test]
fn a_missing_key_always_fails() {
    let project = project_with(FIND_TIME);
    let outcome = flow_run(&project, &["run", "f"]).run();
    outcome.stdout_is("").stderr_contains("no API key");
    assert_ne!(outcome.status, cogtools_test_support::Status::Exit(0));
    let untrusted = Project::untrusted();
    untrusted.file("tools/f.yaml", flow(FIND_TIME));
    flow_run(&untrusted, &["run", "f"]).run().fails(
        77,
        str![[r#"
cogtools-flow: error[DENIED]: f: it runs a program, and its project is not trusted yet
hint: only the user can trust it, after reviewing its tools: cogtools trust .

"#]],
    );
}
