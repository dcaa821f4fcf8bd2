//! Nodes whose code calls tools: `js: …` with `tools: […]`.

use super::*;

const NOTE: &str = "\
name: note
description: Notes a text
parameters: {text: string}
implementation: {exec: [sh, -c, 'printf %s \"$0\" | tee -a notes', '{{ text }}']}
";
/// The configuration of the user, who lets code note texts.
const RULES: (&str, &str) = ("../home/.gemini/cogtoolrc.yaml", "ask: {allow: [note]}\n");

/// Two notes, and a search between them.
const NODES: &str = "\
    nodes:
      act:
        js: |
          const first = tools.note({text: 'a'});
          const found = tools.search({query: args.question});
          return {first, found, last: tools.note({text: 'b'})};
        tools: [note, search]
      last: {text: '{{ act.first }}{{ act.last }}: {{ act.found }}'}
";
const RESULT: &str = "ab: results for what\n";

fn noting(nodes: &str) -> Project {
    let project = project_with(nodes);
    project.file("tools/note.yaml", NOTE).file(RULES.0, RULES.1);
    project
}

fn notes(project: &Project) -> String {
    std::fs::read_to_string(project.path("notes")).unwrap_or_default()
}

#[test]
fn code_of_a_node_calls_the_tools_that_it_lists() {
    let project = noting(NODES);
    flow_run(&project, &["run", "f"]).run().outputs(RESULT);
    assert_eq!(notes(&project), "ab");
    // Without a rule of the user, a call that may change something is denied.
    project.remove(RULES.0);
    flow_run(&project, &["run", "f", "--session", "s.jsonl"])
        .run()
        .fails(1, str![[r#"
cogtools-flow: error[NODE_FAILED]: act: TOOL_FAILED: tools/f.yaml:9:31: ToolError: note: denied: this call needs an approval, and there is no one to ask: the user can allow it in `ask.allow`
hint: 0 nodes done; `cogtools flow resume s.jsonl` goes on here

"#]]);
    assert_eq!(notes(&project), "ab");
}

#[test]
fn code_of_items_calls_tools() {
    let nodes = "\
    nodes:
      list:
        each:
          in: [a, b, c]
          js: |
            const name = 'calendar';
            print('for', args.item);
            return [tools.search({query: args.item}), parallel([() => tools[name]({query: 'x'})], {errors: 'keep'})[0].code]
          tools: [s*]
    output: '{{ list | dump }}'
";
    output_of(nodes).outputs(
        "[[\"results for a\",\"TOOL_NOT_FOUND\"],[\"results for b\",\"TOOL_NOT_FOUND\"],\
         [\"results for c\",\"TOOL_NOT_FOUND\"]]\n",
    );
}

#[test]
fn a_mistake_names_the_line_of_the_flow() {
    let nodes = NODES.replace("args.question}", "args.question, limit: 3}");
    let project = noting(&nodes);
    flow_run(&project, &["run", "f", "--session", "s.jsonl"])
        .run()
        .fails(1, str![[r#"
cogtools-flow: error[NODE_FAILED]: act: INVALID_TOOL: tools/f.yaml:10:38: /limit: not a parameter of this tool
hint: the parameters are `query`
hint: 0 nodes done; `cogtools flow resume s.jsonl` goes on here

"#]]);
    assert_eq!(notes(&project), "");
}

#[test]
fn an_example_answers_for_the_tools_of_code() {
    let project = noting(NODES);
    let examples = "examples:\n  - {arguments: {}, with: {note: x}, contains: 'xx: results'}\n";
    let text = project.read("tools/f.yaml") + examples;
    project.file("tools/f.yaml", text);
    run("cogtools-test", &project).arg("f").run().status(0);
    assert_eq!(notes(&project), "");
}

#[test]
fn another_engine_learns_that_code_with_tools_is_not_pure() {
    let project = noting(NODES);
    let of_flow = || {
        let shown = flow_run(&project, &["show", "f", "--json"]).run();
        let shown: Value = serde_json::from_slice(&shown.stdout).expect("JSON");
        json!([shown["nodes"][0]["pure"], shown["nodes"][0]["repeatable"]])
    };
    assert_eq!(of_flow(), json!([false, false]));
    let text = project.read("tools/note.yaml") + "annotations: {idempotent: true}\n";
    project.file("tools/note.yaml", text);
    assert_eq!(of_flow(), json!([false, true]));
}

/// After any line, a run goes on with the results that the session has. A call with an effect whose
/// end is not known is asked about, as its node.
#[test]
fn a_flow_with_code_goes_on_after_any_line_of_its_session() {
    let project = noting(NODES);
    let run = ["run", "f", "--session", "s.jsonl"];
    flow_run(&project, &run).run().outputs(RESULT);
    let log = project.read("s.jsonl");
    let lines: Vec<&str> = log.lines().collect();
    let of = |kind: &str| {
        let kind = format!("\"kind\":\"{kind}\"");
        lines.iter().filter(|line| line.contains(&kind)).count()
    };
    assert_eq!(
        (of("program"), of("call"), of("result")),
        (1, 3, 3),
        "{log}"
    );
    let mut asked = 0;
    for count in 2..=lines.len() {
        let kept = &lines[..count];
        // What has happened before the run was killed.
        let begun = kept
            .iter()
            .filter(|it| it.contains("\"tool\":\"note\"") && it.contains("\"kind\":\"call\""));
        let begun = begun.count();
        project.file("notes", &"ab"[..begun]);
        let cut = format!("cut{count}.jsonl");
        project.file(&cut, kept.join("\n") + "\n");
        let last = kept.last().expect("a line");
        let is_open = last.contains("\"tool\":\"note\"") && last.contains("\"kind\":\"call\"");
        let resumed = flow_run(&project, &["resume", &cut]).run();
        if !is_open {
            resumed.outputs(RESULT);
            assert_eq!(notes(&project), "ab", "{last}");
            continue;
        }
        asked += 1;
        resumed.status(1).stderr_contains(
            "act: the run ended while this node was running; it may have had an effect",
        );
        assert_eq!(notes(&project), "ab"[..begun], "{last}");
        let repeat = ["resume", &cut, "--repeat", "act"];
        flow_run(&project, &repeat).run().outputs(RESULT);
        let expected = if begun == 1 { "aab" } else { "abb" };
        assert_eq!(notes(&project), expected, "{last}");
    }
    assert_eq!(asked, 2);
}

#[test]
fn code_that_failed_after_an_effect_does_not_begin_anew_unasked() {
    let nodes = "\
    nodes:
      act:
        js: \"tools.note({text: 'a'}); return tools.broken({})\"
        tools: [note, broken]
";
    let project = noting(nodes);
    project.file(RULES.0, "ask: {allow: [note, broken]}\n");
    let run = ["run", "f", "--session", "s.jsonl"];
    flow_run(&project, &run).run().status(1);
    project.file("there", "!");
    flow_run(&project, &["resume", "s.jsonl"])
        .run()
        .fails(1, str![[r#"
cogtools-flow: error[NODE_FAILED]: act: this node has failed after a call that may have had an effect
hint: find out whether it had
hint: `cogtools flow resume s.jsonl --repeat act` runs it again
hint: `cogtools flow resume s.jsonl --result act=JSON` goes on with a result

"#]]);
    assert_eq!(notes(&project), "a");
    flow_run(&project, &["resume", "s.jsonl", "--repeat", "act"])
        .run()
        .outputs("!\n");
    assert_eq!(notes(&project), "aa");
}

#[test]
fn the_errors_of_a_list_that_has_ended_are_results() {
    let nodes = "\
    nodes:
      list:
        each:
          in: [a, b]
          js: \"tools.note({text: args.item}); return tools.broken({})\"
          tools: [note, broken]
          errors: keep
          max: 1
      act: {needs: [list], tool: broken}
";
    let project = noting(nodes);
    project.file(RULES.0, "ask: {allow: [note, broken]}\n");
    let run = ["run", "f", "--session", "s.jsonl"];
    flow_run(&project, &run).run().status(1);
    project.file("there", "!");
    flow_run(&project, &["resume", "s.jsonl"])
        .run()
        .outputs("!\n");
    assert_eq!(notes(&project), "ab");
}

/// Arguments and results may be about people: lines mask them, and the run goes on with the whole.
#[test]
fn personal_data_is_masked_in_lines_of_code() {
    let nodes = NODES.replace("text: 'a'", "text: 'ann@example.com '");
    let project = noting(&nodes);
    let run = ["run", "f", "--session", "s.jsonl"];
    let result = "ann@example.com b: results for what\n";
    flow_run(&project, &run).run().outputs(result);
    let log = project.read("s.jsonl");
    let of_calls = log
        .lines()
        .filter(|line| !line.contains("\"kind\":\"program\""));
    for line in of_calls {
        assert!(!line.contains("ann@example.com"), "{line}");
    }
    let end = log
        .lines()
        .position(|line| line.contains("\"program_end\""));
    let cut: Vec<&str> = log.lines().take(end.expect("an end")).collect();
    project.file("s.jsonl", cut.join("\n") + "\n");
    flow_run(&project, &["resume", "s.jsonl"])
        .run()
        .outputs(result);
}

/// Each agent that a program calls has a recording of its own.
#[test]
fn agents_of_one_program_are_replayed() {
    let nodes = "\
    nodes:
      act:
        js: \"return ['a', 'b'].map(text => tools.asked({text}))\"
        tools: [asked]
    output: '{{ act | join(\"+\") }}'
";
    let project = project_with(nodes);
    let asked = "name: asked\ndescription: Asks\nparameters: {text: string}\n\
        implementation: {agent: {system: You answer., prompt: '{{ text }}'}}\n";
    project.file("tools/asked.yaml", asked);
    project.file(RULES.0, "ask: {allow: [asked]}\n");
    let fake = FakeGemini::start(["one", "two"].map(Turn::text));
    let recorded = flow_run(&project, &["run", "f", "--record", "f.tape"])
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .run();
    recorded.outputs("one+two\n");
    fake.finish();
    let replayed = flow_run(&project, &["run", "f", "--replay", "f.tape"]).run();
    replayed.outputs("one+two\n");
}

#[test]
fn a_program_without_agents_gets_no_recording() {
    let nodes = "\
    nodes:
      lint:
        tool: {name: lint_tool, arguments: {path: tools/said.yaml}}
    output: '{{ lint }}'
";
    let project = project_with(nodes);
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [builtin, {local: ./tools}]\n",
    );
    let said = "name: said\ndescription: Says it\nparameters: {}\nimplementation: said\n";
    project.file("tools/said.yaml", said);
    project.file(RULES.0, "ask: {allow: [lint_tool]}\n");
    let plain = flow_run(&project, &["run", "f"]).run().text();
    flow_run(&project, &["run", "f", "--record", "f.tape"])
        .run()
        .outputs(plain);
}
