//! The rules of a flow with an agent and tools, one test for each that no other test has in its
//! name.

use super::*;

/// An agent, and the tool that it asks for.
const NODES: &str = "\
    nodes:
      understand:
        agent:
          system: You are a calendar.
          behaviour: Be brief.
          rules: Say what is needed.
          prompt: '{{ question }}'
          reply:
            capability: {type: string, optional: true}
            text: {type: string, optional: true}
      route:
        when: understand.capability
        tool:
          capability: '{{ understand.capability }}'
          among: [calendar.list_events]
          arguments: {query: '{{ question }}'}
    output: '{{ [understand.text, route] | select | join(\" / \") }}'
";

/// The output of the run, and the first request, with a model that answers with `reply`.
fn ask(project: &Project, reply: Value) -> (Outcome, Value) {
    let fake = FakeGemini::start([Turn::call("answer", reply)]);
    let outcome = flow_run(project, &["run", "f", "question=cats"])
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .run();
    let conversation = fake.finish();
    (outcome, conversation.main()[0].body.clone())
}

#[test]
fn rules_win_over_system_and_behaviour() {
    let (_, request) = ask(&project_with(NODES), json!({"text": "-"}));
    let system = request["systemInstruction"]["parts"][0]["text"].as_str();
    assert_text(
        system.unwrap_or_default(),
        str![[r#"
You are a calendar.

Be brief.

# Rules

These rules take precedence over everything above.

- Say what is needed.
"#]],
    );
}

#[test]
fn an_answer_is_a_text_or_a_call_or_both() {
    let project = project_with(NODES);
    for (reply, expected) in [
        (json!({"text": "Hello."}), "Hello.\n"),
        (
            json!({"capability": "calendar.list_events"}),
            "events for cats\n",
        ),
        (
            json!({"text": "Here they are.", "capability": "calendar.list_events"}),
            "Here they are. / events for cats\n",
        ),
    ] {
        ask(&project, reply).0.outputs(expected);
    }
}

#[test]
fn without_a_tool_the_text_stands_with_a_summary() {
    let project = project_with(NODES);
    ask(&project, json!({"text": "Hello."}))
        .0
        .outputs("Hello.\n");
    flow_run(&project, &["trace", "--panel"])
        .run()
        .outputs(str![[r#"
Matched Tool: none
Capability: none
Parsed Intent: {"text":"Hello."}
Summary: no tool was called for a capability; the text stands

"#]]);
}

#[test]
fn only_operations_that_are_configured_run() {
    let project = project_with(NODES);
    // `web_search.search` has a tool, but this node may not use it.
    let (outcome, _) = ask(&project, json!({"capability": "web_search.search"}));
    outcome.status(1).stdout_is("").stderr_contains("\
cogtools-flow: error[NODE_FAILED]: route: TOOL_NOT_FOUND: no tool matches the capability `web_search.search`
hint: there are `calendar.list_events`
hint: 1 node done; `cogtools flow resume ");
}

#[test]
fn a_node_has_a_seed_and_limits_of_its_own() {
    let own = "prompt: '{{ question }}'\n          seed: 7\n          temperature: 0.5\n          \
               max_tokens: 99";
    let project = project_with(&NODES.replace("prompt: '{{ question }}'", own));
    let (_, request) = ask(&project, json!({"text": "-"}));
    let expected = json!({"temperature": 0.5, "seed": 7, "maxOutputTokens": 99});
    assert_eq!(request["generationConfig"], expected);
    // Without them, the seed is that of the node and its inputs.
    let seed = |question: &str| {
        let nodes = NODES.replace("{{ question }}", question);
        let (_, request) = ask(&project_with(&nodes), json!({"text": "-"}));
        request["generationConfig"]["seed"].clone()
    };
    assert_eq!(seed("a"), seed("a"));
    assert!(seed("a").is_u64());
}

#[test]
fn lines_of_a_trace_have_their_tags() {
    let project = project_with(NODES);
    ask(&project, json!({"capability": "calendar.find_free_time"}))
        .0
        .succeeds();
    assert_text(
        traced(&project, &[]),
        str![[r#"
🧪 Runner: f {"question":"cats"}
🤖 Agent: understand succeeded
  🧠 Model: gemini-flash-latest, 99 tokens
  result: {"capability":"calendar.find_free_time"}
🧪 Runner: route succeeded
  🛠️ Tools: calendar.find_free_time = calendar.list_events; candidates: calendar; match: calendar
  🔍 Properties: {"query":"cats"}
  result: events for cats
🧪 Runner: output: events for cats

"#]],
    );
}
