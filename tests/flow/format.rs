//! Flows that are wrong, and how flows are shown.

use super::*;

/// The diagnostics of a flow with these keys.
fn problems(keys: &str) -> String {
    let project = project_with(keys);
    let outcome = flow_run(&project, &["show", "f"]).run();
    outcome.status(78);
    String::from_utf8(outcome.stderr).expect("it is text")
}

#[test]
fn what_is_wrong_with_nodes_is_reported_at_its_place() {
    let text = problems(
        "\
    nodes:
      Bad-Name: {text: a}
      question: {text: a}
      two: {text: a, ask: b}
      none: {needs: [one]}
      lost: {needs: [tow], text: '{{ quesion }} {{ two.x }}'}
      choice: {router: [{when: question, to: nowhere}]}
      both: {tool: {arguments: {}}}
      pair: {text: a, then: two, else: two}
    outputs: x
",
    );
    assert_text(
        text,
        str![[r#"
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:7:7: `Bad-Name` is not a name of a node
   |
 7 |       Bad-Name: {text: a}
   |       ^^^^^^^^
hint: use small letters, digits and underscores, as in `find_time`
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:9:7: a node needs exactly one of `agent`, `tool`, `router`, `text`, `js`, `each`, `ask`
   |
 9 |       two: {text: a, ask: b}
   |       ^^^
hint: write one, such as `text: "{{ question }}"`
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:10:7: a node needs exactly one of `agent`, `tool`, `router`, `text`, `js`, `each`, `ask`
    |
 10 |       none: {needs: [one]}
    |       ^^^^
hint: write one, such as `text: "{{ question }}"`
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:13:14: a tool node needs either `name` or `capability`
    |
 13 |       both: {tool: {arguments: {}}}
    |              ^^^^
hint: write `tool: NAME`, or `tool: {capability: …}`
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:14:7: `then` and `else` belong to an agent, both of them
    |
 14 |       pair: {text: a, then: two, else: two}
    |       ^^^^
hint: write `{agent: {…}, then: NODE, else: NODE}`
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:15:5: unknown key `outputs`
    |
 15 |     outputs: x
    |     ^^^^^^^
hint: did you mean `output`?

"#]],
    );
}

#[test]
fn a_kind_beside_each_belongs_in_it() {
    let node = "    nodes:\n      a: {each: {in: '{{ question }}', as: it}, tool: {name: t}}\n";
    assert_text(
        problems(node),
        str![[r#"
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:7:49: `tool` belongs in `each`, not beside it
   |
 7 |       a: {each: {in: '{{ question }}', as: it}, tool: {name: t}}
   |                                                 ^^^^
hint: write `each: {in: …, as: item, tool: …}`

"#]],
    );
}

#[test]
fn unknown_variables_and_cycles_are_reported() {
    let text = problems(
        "\
    nodes:
      one: {text: '{{ thre }} {{ two }}'}
      two: {text: '{{ three }}'}
      three: {needs: [one], text: '{{ quesion }}'}
    output: '{{ fourth }}'
",
    );
    assert_text(
        text,
        str![[r#"
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:7:7: nodes need each other: one -> two -> three -> one
   |
 7 |       one: {text: '{{ thre }} {{ two }}'}
   |       ^^^
hint: to repeat a node until something holds, write `retry: {until: …}`
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:7:23: `thre` is neither a parameter nor a node
   |
 7 |       one: {text: '{{ thre }} {{ two }}'}
   |                       ^^^^
hint: did you mean `three`?
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:9:39: `quesion` is neither a parameter nor a node
   |
 9 |       three: {needs: [one], text: '{{ quesion }}'}
   |                                       ^^^^^^^
hint: did you mean `question`?
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:10:17: `fourth` is neither a parameter nor a node
    |
 10 |     output: '{{ fourth }}'
    |                 ^^^^^^

"#]],
    );
}

#[test]
fn the_graph_is_drawn_in_four_forms() {
    let project = project_with(
        "\
    nodes:
      understand: {agent: {rules: 'Say what is needed: {{ question }}', reply: {capability: string}}}
      route:
        when: understand.capability
        tool: {capability: '{{ understand.capability }}', among: [calendar.list_events]}
      good: {needs: [route?], router: [{when: route, to: summary}, {to: plain}]}
      summary: {text: '{{ route }}'}
      plain: {ask: 'And {{ understand.capability }}?'}
",
    );
    flow_run(&project, &["show", "f"]).run().outputs(str![[r#"
understand: agent
├── route: tool calendar.list_events
│   ├╌╌ good: router -> summary, plain
│   │   ├── summary: text
│   │   └── plain: ask
│   └── summary
└── plain

"#]]);
    flow_run(&project, &["show", "f", "--mermaid"])
        .run()
        .outputs(str![[r#"
flowchart TD
    understand(["understand: agent"])
    route["route: tool"]
    good{"good: router"}
    summary["summary: text"]
    plain[/"plain: ask"/]
    understand --> route
    route -.-> good
    route --> summary
    good --> summary
    understand --> plain
    good --> plain

"#]]);
    let json = flow_run(&project, &["show", "f", "--json"]).run().text();
    let graph: Value = serde_json::from_str(&json).expect("it is JSON");
    let good = &graph["nodes"][2];
    assert_eq!(good["id"], "good");
    assert_eq!(
        good["needs"],
        json!([{"node": "route", "optional": true, "may_fail": true}])
    );
    assert_eq!(good["to"], json!(["summary", "plain"]));
    flow_run(&project, &["show", "search"]).run().fails(
        2,
        str![[r#"
cogtools-flow: error[USAGE]: search: this tool is not a flow
hint: `cogtools run search` calls it

"#]],
    );
}

#[test]
fn limits_and_defaults_are_checked_when_a_flow_is_loaded() {
    for (nodes, fault) in [
        (
            "{a: {text: x, retry: {times: 1, delay: 1e300}}}",
            "`delay` is at most 3600",
        ),
        (
            "{a: {text: x, retry: {times: 1, backoff: 1e300}}}",
            "`backoff` is at most 100",
        ),
        (
            "{a: {ask: {text: Sure?, reply: {sure: {type: boolean}}, default: {sure: maybe}}}}",
            "`default` is no answer that `reply` allows: sure: expected boolean",
        ),
        (
            "{a: {ask: {text: Sure?, reply: {sure: {type: boolean}}, default: true}}}",
            "`default` is no answer that `reply` allows: expected object",
        ),
    ] {
        let outcome = output_of(&format!("    nodes: {nodes}\n"));
        outcome.stderr_contains(fault);
        outcome.status(78).stdout_is("");
    }
    output_of("    nodes: {a: {ask: {text: S?, reply: {sure: {type: boolean}}, default: {sure: true}}}, b: {text: '{{ a.sure }}'}}\n")
        .outputs("true\n");
}
