//! Findings of the linter in flows: planted defects, and twins without them.

use super::*;

/// The findings in the flow `f` with these keys, as `LINE RULE: MESSAGE`.
fn findings(project: &Project, nodes: &str) -> Vec<String> {
    project.file("tools/f.yaml", flow(nodes));
    let outcome = run("cogtools-lint", project)
        .args(["--format=json", "tools/f.yaml"])
        .run();
    let report: Vec<Value> = serde_json::from_slice(&outcome.stdout).expect("findings as JSON");
    let findings = report.iter();
    let of_style = [
        "no-schema",
        "no-examples",
        "missing-description",
        "required-with-default",
    ];
    let ours = findings.filter(|it| {
        let rule = it["rule"].as_str().unwrap_or_default();
        !of_style.contains(&rule)
            && rule != "missing-description"
            && rule != "required-with-default"
    });
    let line = |it: &Value| {
        let text = |key: &str| it[key].as_str().unwrap_or_default().to_owned();
        format!("{} {}: {}", it["line"], text("rule"), text("message"))
    };
    ours.map(line).collect()
}

/// A project with the tool `rows`, whose result has a schema.
fn typed() -> Project {
    let project = project();
    project.file(
        "tools/rows.yaml",
        "\
name: rows
description: Reads rows
parameters:
  count: {type: integer, minimum: 1}
  order: {type: string, enum: [up, down], default: up}
output:
  type: json
  schema:
    type: object
    required: [rows, total]
    properties:
      total: {type: integer}
      state: {type: string, enum: [all, some]}
      rows:
        type: array
        items: {type: object, required: [name], properties: {name: {type: string}}}
implementation: '{\"rows\": [], \"total\": {{ count }}, \"state\": \"{{ order }}\"}'
",
    );
    project
}

#[test]
fn types_go_along_edges() {
    let project = typed();
    let of = |use_: &str| {
        findings(
            &project,
            &format!(
                "\
    nodes:
      q: {{text: '{{{{ question }}}}'}}
      data: {{tool: {{name: rows, arguments: {{count: 3}}}}}}
      names: {{each: {{in: '{{{{ data.rows }}}}', as: row, text: '{{{{ row }}}} {{{{ q }}}}'}}}}
      last: {{text: '{use_} {{{{ names }}}}'}}
"
            ),
        )
    };
    for (bad, expected) in [
        ("{{ data.totla }}", "unknown-member"),
        ("{{ data.rows[0].nmae }}", "unknown-member"),
        ("{{ data }}", "printed-object"),
        (
            "{% for row in data.rows %}{{ row }}{% endfor %}",
            "printed-object",
        ),
        ("{% for x in data.total %}{{ x }}{% endfor %}", "wrong-loop"),
        (
            "{% if data.state == \"none\" %}x{% endif %}",
            "impossible-comparison",
        ),
    ] {
        let found = of(bad);
        assert_eq!(found.len(), 1, "{bad}: {found:?}");
        assert!(found[0].contains(expected), "{bad}: {found:?}");
    }
    for good in [
        "{{ data.total }}",
        "{{ data.rows | length }}",
        "{{ data | dump }}",
        "{% for row in data.rows %}{{ row.name }}{% endfor %}",
        "{% if data.state == \"some\" %}x{% endif %}",
    ] {
        assert_eq!(of(good), [""; 0], "{good}");
    }
}

#[test]
fn calls_are_compared_with_parameters() {
    let project = typed();
    let of = |tool: &str| {
        findings(
            &project,
            &format!(
                "    nodes:\n      data: {{tool: {tool}}}\n      last: {{text: '{{{{ question }}}} {{{{ data | dump }}}}'}}\n"
            ),
        )
    };
    let cases = [
        "{name: rows, arguments: {count: 0}}",
        "{name: rows, arguments: {count: 'many'}}",
        "{name: rows, arguments: {count: 'some {{ question }}'}}",
        "{name: rows, arguments: {count: ['{{ question }}']}}",
        "{name: rows, arguments: {count: 1, order: sideways}}",
        "{name: rows, arguments: {cuont: 1, order: up}}",
        "rows",
        "rowz",
        "{capability: calendar.list_event, arguments: {query: x}}",
        "{capability: web.search, among: [calendar.list_events], arguments: {query: x}}",
        "{capability: '{{ question }}', among: [calendar.list_events, web.serach], arguments: {query: x}}",
    ];
    let found: Vec<String> = cases.iter().flat_map(|case| of(case)).collect();
    assert_text(
        found.join("\n") + "\n",
        str![[r#"
7 flow-arguments: must be at least 1, got 0, for `count` of `rows`
7 flow-arguments: expected integer, got string "many", for `count` of `rows`
7 flow-arguments: this is a text, but `count` of `rows` takes integer
7 flow-arguments: this is a list, but `count` of `rows` takes integer
7 flow-arguments: expected one of "up", "down", got "sideways", for `order` of `rows`
7 flow-arguments: `rows` needs `count`, which this call does not pass
7 flow-arguments: `rows` has no parameter `cuont`
7 flow-arguments: `rows` needs `count`, which this call does not pass
7 flow-target: there is no tool `rowz`
7 flow-target: no tool has the capability `calendar.list_event`
7 flow-target: `web.search` is not among the capabilities of the node
7 flow-target: no tool has the capability `web.serach`

"#]],
    );
    for good in [
        "{name: rows, arguments: {count: 2, order: down}}",
        "{name: rows, arguments: {count: '{{ question | length }}'}}",
        "{name: rows, arguments: '{{ {count: 1} }}'}",
        "{name: rows, preset: {total: 1}, arguments: {count: 1}}",
        "{name: '{{ question }}', arguments: {anything: 1}}",
        "{capability: web.search, arguments: {query: x}}",
        "{capability: '{{ question }}', among: [calendar.find_free_time, web.search], arguments: {query: x}}",
    ] {
        assert_eq!(of(good), [""; 0], "{good}");
    }
}

/// Flows with one defect each.
const BAD: [&str; 6] = [
    // Two nodes of which a router chooses one, at a distance.
    "\
    nodes:
      choice: {router: [{when: question, to: one}, {to: two}]}
      one: {text: 1}
      two: {text: 2}
      after: {text: '{{ one }}!'}
      both: {text: '{{ after }} {{ two }}'}
      more: {text: '{{ both }}'}
",
    // A choice behind one without a condition.
    "\
    nodes:
      choice: {router: [{to: one}, {when: question, to: two}]}
      one: {text: 1}
      two: {text: 2}
",
    "\
    nodes:
      choice: {router: [{when: question, to: one}]}
      one: {text: 1}
",
    // A condition that never holds.
    "\
    nodes:
      choice: {router: [{when: question, to: one}, {to: two}]}
      one: {text: 1}
      two: {text: 2}
      more: {when: choice == \"three\", text: '{{ question }}'}
",
    "\
    nodes:
      one: {text: 1}
      two: {text: '{{ question }}'}
    output: '{{ two }}'
",
    "\
    nodes:
      one: {text: 1, timeout: 61}
      two: {each: {in: ['{{ question }}'], agent: {rules: x}}}
",
];

/// Correct flows.
const GOOD: [&str; 4] = [
    "\
    nodes:
      choice: {router: [{when: question, to: one}, {to: two}]}
      one: {text: 1}
      two: {text: 2}
      both: {needs: [one?, two?], text: '{{ one or two }}'}
",
    // Another router may choose it as well.
    "\
    nodes:
      choice: {router: [{when: question, to: one}, {to: two}]}
      again: {router: [{when: question, to: two}, {to: three}]}
      one: {text: 1}
      two: {text: 2}
      three: {text: 3}
      both: {needs: [one, two], text: '{{ one }} {{ two }}'}
",
    "\
    nodes:
      one: {agent: {rules: '{{ question }}'}, then: two, else: three}
      two: {text: 2}
      three: {text: 3}
    output: '{{ two or three }}'
",
    "\
    nodes:
      one: {js: return args.question}
      two: {needs: [one], each: {in: [1], max: 1, agent: {rules: '{{ one }} {{ item }}', budget: {tokens: 9}}}}
    output: '{{ two }}'
",
];

#[test]
fn nodes_that_cannot_run_are_reported() {
    let project = project();
    let of = |nodes: &str| findings(&project, nodes);
    let found: Vec<String> = BAD.iter().flat_map(|nodes| of(nodes)).collect();
    assert_text(
        found.join("\n") + "\n",
        str![[r#"
11 unreachable-node: `both` never runs: it needs `one` and `two`, and `choice` chooses one of them
7 unreachable-node: `two` is never chosen: a choice before it has no condition
7 missing-fallback: `choice` chooses nothing if none of its conditions holds
10 unreachable-branch: `choice == "three"` never holds
7 unused-result: nothing uses the result of `one`
7 flow-limits: 61 s are longer than a call of the flow may take: 60 s
8 flow-limits: a model is asked for each item, without a budget

"#]],
    );
    for good in GOOD {
        assert_eq!(of(good), [""; 0], "{good}");
    }
}

#[test]
fn code_of_nodes_is_read() {
    let project = project();
    let nodes = "\
    nodes:
      one: {text: '{{ question }}'}
      two: {text: 2}
      bad: {js: 'return args.question +'}
      sum: {needs: [one], js: 'return args.one + args.two + args.three'}
      say: {needs: [one], js: 'console.log(args.one)'}
      all: {needs: [one], each: {in: [1], as: it, js: 'return args.it + args.index + args.one + it'}}
    output: '{{ two }} {{ bad }} {{ sum }} {{ say }} {{ all }}'
";
    assert_text(
        findings(&project, nodes).join("\n") + "\n",
        str![[r#"
9 js-error: unexpected token
10 js-undeclared-name: `sum` does not need `two`
10 js-undeclared-name: no parameter or node is named `three`
11 js-no-return: the code returns no value
12 js-undeclared-name: `it` is not declared

"#]],
    );
}

#[test]
fn kinds_of_results_are_compared_with_parameters() {
    let project = typed();
    project.file(
        "tools/say.yaml",
        "name: say\ndescription: Says\nparameters: {what: string}\nimplementation: '{{ what }}'\n",
    );
    let of = |node: &str| {
        let nodes = format!(
            "    nodes:\n      data: {{tool: {{name: rows, arguments: {{count: 3}}}}}}\n      said: {{text: 'It is {{{{ question }}}}'}}\n      next: {node}\n    output: '{{{{ next | dump }}}} {{{{ data.total }}}} {{{{ said }}}}'\n"
        );
        findings(&project, &nodes)
    };
    let bad = [
        "{tool: {name: rows, arguments: {count: '{{ said }}'}}}",
        "{tool: {name: say, arguments: {what: '{{ data }}'}}}",
        "{tool: {name: say, arguments: {what: '{{ data.total }}'}}}",
        "{each: {in: '{{ data.total }}', text: x}}",
        "{each: {in: '{{ said }}', text: x}}",
        "{each: {in: 'a, b', text: x}}",
        "{each: {in: {a: 1}, text: x}}",
    ];
    let found: Vec<String> = bad.iter().flat_map(|node| of(node)).collect();
    assert_text(
        found.join("\n") + "\n",
        str![[r#"
9 flow-arguments: this is a text, but `count` of `rows` takes integer
9 flow-arguments: this is a map, but `what` of `say` takes string
9 flow-arguments: this is a number, but `what` of `say` takes string
9 flow-arguments: `in` is a number, not a list
9 flow-arguments: `in` is a text, not a list
9 flow-arguments: `in` is a text, not a list
9 flow-arguments: `in` is a map, not a list

"#]],
    );
    for good in [
        "{tool: {name: rows, arguments: {count: '{{ data.total }}'}}}",
        "{tool: {name: say, arguments: {what: '{{ data | dump }}'}}}",
        "{tool: {name: say, arguments: {what: '{{ said }}'}}}",
        "{each: {in: '{{ data.rows }}', tool: {name: say, arguments: {what: '{{ item.name }}'}}}}",
        "{each: {in: [1, '{{ said }}'], text: x}}",
    ] {
        assert_eq!(of(good), [""; 0], "{good}");
    }
}

#[test]
fn a_flow_that_calls_itself_is_reported() {
    let project = project();
    project.file(
        "tools/other.yaml",
        flow("nodes: {back: {tool: f}}\n").replace("name: f", "name: other"),
    );
    let of = |node: &str| {
        findings(
            &project,
            &format!("    nodes: {{a: {node}}}\n    output: '{{{{ a }}}} {{{{ question }}}}'\n"),
        )
    };
    assert_eq!(
        [
            of("{tool: f}"),
            of("{tool: other}"),
            of("{each: {in: [1], tool: f}}")
        ]
        .concat(),
        [
            "6 flow-target: the flow calls itself",
            "6 flow-target: the flow calls itself through `other`",
            "6 flow-target: the flow calls itself",
        ]
    );
}

#[test]
fn branches_in_an_agent_are_said_to_belong_beside_it() {
    let project = project_with(
        "    nodes: {a: {agent: {rules: x, then: b, else: c}}, b: {text: 1}, c: {text: 2}}\n",
    );
    let outcome = flow_run(&project, &["run", "f"]).run();
    outcome.stderr_contains("`then` and `else` belong to an agent, both of them");
    outcome.stderr_contains("write `{agent: {…}, then: NODE, else: NODE}`");
    outcome.status(78);
}

#[test]
fn tools_of_programs_are_not_known() {
    let project = project();
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [{local: ./tools}, {command: {discover: 'false', call: 'false'}}]\n",
    );
    let nodes = "    nodes: {a: {tool: {name: theirs, arguments: {query: '{{ question }}'}}}}\n";
    assert_eq!(findings(&project, nodes), [""; 0]);
}
