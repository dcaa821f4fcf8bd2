//! Actions of nodes, and their order.

use super::*;

#[test]
fn a_text_that_is_one_expression_keeps_the_type_of_its_value() {
    output_of(
        "\
    nodes:
      a: {text: {list: [1, '{{ 1 + 1 }}', 'is {{ 1 + 1 }}'], none: '{{ a_b }}', q: '{{ question }}'}}
      a_b: {text: '{{ {x: [true]} }}'}
    output: ['{{ a }}', '{{ a_b.x }}']
",
    )
    .outputs(str![[r#"
[{"list":[1,2,"is 2"],"none":{"x":[true]},"q":"what"},[true]]

"#]]);
}

#[test]
fn the_last_meaningful_result_is_the_output() {
    output_of(
        "\
    nodes:
      first: {text: kept}
      second: {text: '{{ first if false }}'}
      third: {text: []}
      choice: {router: [{to: fourth}]}
      fourth: {when: first == 'other', text: never}
",
    )
    .outputs("kept\n");
}

#[test]
fn a_node_without_a_result_skips_those_that_need_it() {
    let nodes = "\
    nodes:
      first: {when: question == 'run', text: '1'}
      second: {text: 'after {{ first }}'}
      third: {needs: [second?], text: 'in any case'}
      fourth: {text: '{% if first %}{{ first }}{% else %}without{% endif %}'}
    output: ['{{ second }}', '{{ third }}', '{{ fourth }}']
";
    output_of(nodes).outputs("[null,\"in any case\",\"without\"]\n");
    flow_run(&project_with(nodes), &["run", "f", "question=run"])
        .run()
        .outputs("[\"after 1\",\"in any case\",\"1\"]\n");
}

#[test]
fn a_router_runs_only_what_it_chooses() {
    let nodes = "\
    nodes:
      choice:
        router:
          - {when: question == 'a', to: one}
          - {when: question == 'b', to: two}
          - {to: three}
      one: {text: 1}
      two: {text: 2}
      three: {text: 3}
    output: ['{{ choice }}', '{{ one }}', '{{ two }}', '{{ three }}']
";
    let project = project_with(nodes);
    for (question, expected) in [
        ("a", "[\"one\",1,null,null]\n"),
        ("b", "[\"two\",null,2,null]\n"),
        ("c", "[\"three\",null,null,3]\n"),
    ] {
        flow_run(&project, &["run", "f", &format!("question={question}")])
            .run()
            .outputs(expected);
    }
}

#[test]
fn the_one_tool_with_the_capability_runs_and_only_that() {
    let nodes = "\
    nodes:
      route:
        tool:
          capability: '{{ question }}'
          among: [calendar.list_events, web.search]
          arguments: {query: cats}
";
    let project = project_with(nodes);
    for (capability, expected) in [
        ("calendar.list_events", "events for cats\n"),
        ("calendar.find_free_time", "events for cats\n"),
        ("web.search", "results for cats\n"),
    ] {
        flow_run(&project, &["run", "f", &format!("question={capability}")])
            .run()
            .outputs(expected);
    }
    // One that exists, but that the node may not use.
    project.file(
        "tools/other.yaml",
        "name: other\ndescription: d\ncapabilities: [calendar.drop]\nimplementation: dropped\n",
    );
    flow_run(
        &project,
        &["run", "f", "question=calendar.drop", "--no-session"],
    )
    .run()
    .fails(1, str![[r#"
cogtools-flow: error[NODE_FAILED]: route: TOOL_NOT_FOUND: no tool matches the capability `calendar.drop`
hint: there are `calendar.list_events`, `web_search.search`

"#]]);
    // Two of them.
    let search = project
        .read("tools/search.yaml")
        .replace("name: search", "name: search2");
    project.file("tools/search2.yaml", search);
    flow_run(
        &project,
        &["run", "f", "question=web.search", "--no-session"],
    )
    .run()
    .fails(1, str![[r#"
cogtools-flow: error[NODE_FAILED]: route: AMBIGUOUS_CAPABILITY: several tools have the capability `web_search.search`: `search`, `search2`
hint: exclude all but one with `filter`, or give them different capabilities

"#]]);
}

#[test]
fn javascript_gets_what_the_node_needs() {
    output_of(
        "\
    nodes:
      list: {text: [3, 4]}
      sum: {needs: [list], js: 'return {sum: args.list.reduce((a, b) => a + b), q: args.question}'}
",
    )
    .outputs("{\"sum\":7,\"q\":\"what\"}\n");
}

#[test]
fn each_item_is_worked_on_and_results_keep_their_order() {
    let nodes = "\
    nodes:
      results:
        each: {in: '{{ range(0, 20) }}', as: n, max: 3, tool: {name: search, arguments: {query: '{{ n }}!'}}}
      last: {text: '{{ results | length }}: {{ results | last }}'}
";
    output_of(nodes).outputs("20: results for 19!\n");
}

#[test]
fn a_failed_node_is_run_again_as_often_as_it_says() {
    let project = project_with(
        "\
    nodes:
      route: {tool: broken, retry: {times: 2, delay: 0.01, backoff: 2}}
      after: {text: 'got {{ route }}'}
      beside: {text: beside}
",
    );
    flow_run(&project, &["run", "f", "--session", "s.jsonl"])
        .run()
        .fails(
            1,
            str![[r#"
cogtools-flow: error[NODE_FAILED]: route: TOOL_FAILED: broken: the program exited with status 3
  | cat: there: No such file or directory
  | gone
hint: 1 node done; `cogtools flow resume s.jsonl` goes on here

"#]],
        );
    let attempts = project
        .read("s.jsonl")
        .matches("\"state\":\"started\"")
        .count();
    // Three of `route` and one of `beside`.
    assert_eq!(attempts, 4, "{}", project.read("s.jsonl"));
    assert_text(
        traced(&project, &["s.jsonl"]),
        str![[r#"
🧪 Runner: f {"question":"what"}
🧪 Runner: route failed (TOOL_FAILED): broken: the program exited with status 3, 3 attempts
  🔍 Properties: {}
🧪 Runner: beside succeeded
  result: beside
🧪 Runner: after skipped: needs `route`

"#]],
    );
}

#[test]
fn a_failure_that_nothing_needs_for_good_is_no_failure_of_the_flow() {
    output_of(
        "\
    nodes:
      route: {tool: broken}
      answer: {needs: [route?], text: \"{{ 'none' if not route else route }}\"}
",
    )
    .outputs("none\n");
}

#[test]
fn a_node_that_failed_has_not_found_nothing() {
    let deploy = "
      report: {text: '{{ scan.problems }}'}
      deploy: {when: not scan.problems, text: deployed}
      again: {when: not report, text: deployed}
";
    let flow = |scan: &str, more: &str| format!("    nodes:\n      scan: {scan}{deploy}{more}");
    let project = project_with(&flow("{tool: broken}", ""));
    let outcome = flow_run(&project, &["run", "f", "--session", "s.jsonl"]).run();
    outcome.stderr_contains("error[NODE_FAILED]: scan: TOOL_FAILED: broken: ");
    outcome.status(1).stdout_is("");
    let trace = traced(&project, &["s.jsonl"]);
    for line in [
        "deploy skipped: needs `scan`",
        "again skipped: needs `report`",
    ] {
        assert!(trace.contains(line), "{trace}");
    }
    // Absence is another matter.
    output_of(&flow("{when: 'false', tool: broken}", "")).outputs("deployed\n");
    // So is an error that the flow reads, unless it is a fault of the flow itself.
    let known = "      alarm: {when: scan.error, text: '{{ scan.error }}'}\n";
    output_of(&flow("{tool: broken}", known)).outputs("broken: the program exited with status 3\n");
    let outcome = output_of(&flow("{tool: gone}", known));
    outcome.stderr_contains("error[NODE_FAILED]: scan: TOOL_NOT_FOUND: gone: ");
    outcome.status(1).stdout_is("");
}

#[test]
fn a_flow_is_a_tool_like_any_other() {
    let project = project_with("    nodes: {answer: {text: 'Answer to {{ question }}'}}\n");
    let call = |input: &str| run("cogtools-call", &project).arg("f").stdin(input).run();
    call(r#"{"question": "it"}"#).outputs("Answer to it");
    call("{}").outputs("Answer to what");
    run("cogtools-call", &project)
        .arg("f")
        .stdin(r#"{"question": 1}"#)
        .run()
        .status(65);
    let declared = run("cogtools-discover", &project).run().text();
    assert!(declared.contains("\"name\":\"f\""), "{declared}");
    // A flow within a flow.
    project.file(
        "tools/g.yaml",
        flow("    nodes: {inner: {tool: {name: 'f', arguments: {question: x}}}}\n")
            .replace("name: f", "name: g"),
    );
    flow_run(&project, &["run", "g"])
        .run()
        .outputs("Answer to x\n");
}

#[test]
fn one_node_runs_alone() {
    let project = project_with(
        "\
    nodes:
      first: {text: never}
      route:
        tool: {capability: calendar.find_free_time, arguments: {query: '{{ first }}'}}
",
    );
    project.file("inputs.json", r#"{"question": "q", "first": "given"}"#);
    let script = "\"$0\" node f route --inputs inputs.json 3> events; cat events";
    let outcome = Run::new("/bin/sh")
        .args(["-c", script])
        .arg(programs().join("cogtools-flow"))
        .project(&project)
        .run();
    let text = outcome.text();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| without_ms(serde_json::from_str(line).expect(line)))
        .collect();
    assert_eq!(
        lines,
        [
            json!("events for given"),
            json!({"kind": "node", "node": "route", "state": "started"}),
            json!({
                "kind": "node", "node": "route", "state": "succeeded",
                "inputs": {"query": "given"},
                "route": {
                    "capability": "calendar.find_free_time", "operation": "calendar.list_events",
                    "candidates": ["calendar", "search"], "tool": "calendar",
                    "summary": "`calendar` matches `calendar.list_events`",
                },
                "output": "events for given",
            }),
        ]
    );
    flow_run(
        &project,
        &["node", "f", "nothing", "--inputs", "inputs.json"],
    )
    .run()
    .fails(
        2,
        str![[r#"
cogtools-flow: error[USAGE]: nothing: the flow has no such node
hint: `cogtools flow show` lists its nodes

"#]],
    );
}

#[test]
fn the_output_has_the_form_that_the_tool_declares() {
    let project = project();
    let nodes = "    nodes: {a: {js: 'return {n: args.question}'}}\n";
    let schema = "output: {type: json, schema: {type: object, properties: {n: {type: integer}}}}\n";
    project.file("tools/f.yaml", flow(nodes) + schema);
    let outcome = flow_run(&project, &["run", "f"]).run();
    outcome.stderr_contains("error[TOOL_FAILED]: the result does not match the schema in `output`");
    outcome.status(1).stdout_is("");
    let output = |results: &str| {
        let run = flow_run(&project, &["output", "f", "--inputs", "-"]);
        run.stdin(results).run()
    };
    output(r#"{"a": {"n": "1"}}"#).status(1).stdout_is("");
    output(r#"{"a": {"n": 1}}"#).outputs("{\"n\":1}\n");
}

#[test]
fn a_tool_that_differs_from_the_lock_may_be_the_one_that_is_wanted() {
    let project = project_with("    nodes: {a: {tool: {capability: calendar.list_events}}}\n");
    run("cogtools-lock", &project).run().status(0);
    let changed = TOOLS[0].1.replace("events for", "no events for");
    project.file(TOOLS[0].0, changed);
    let outcome = flow_run(&project, &["run", "f", "--locked"]).run();
    outcome
        .stderr_contains("a: DENIED: calendar: it differs from the tool pinned in `cogtools.lock`");
    outcome.status(1).stdout_is("");
}

#[test]
fn a_long_result_is_passed_whole_or_not_at_all() {
    let long = |bytes: usize| {
        let project = project_with(
            "    nodes:\n      big: {tool: big}\n      size: {text: '{{ big | length }}'}\n    output: '{{ size }}'\n",
        );
        project.file(
            "tools/big.yaml",
            format!("name: big\ndescription: Prints much\nimplementation: {{exec: [sh, -c, 'head -c {bytes} /dev/zero | tr \"\\0\" x']}}\n"),
        );
        flow_run(&project, &["run", "f", "--session", "s.jsonl"]).run()
    };
    long(500_000).outputs("500000\n");
    let outcome = long(64 << 20);
    outcome.stderr_contains("bytes would be left out");
    outcome.stderr_contains("hint: ask the tool for less");
    outcome.status(1).stdout_is("");
}

#[test]
fn options_hold_for_the_tools_of_a_tool() {
    let project = Project::new();
    let flow = |name: &str, node: &str| {
        let nodes = format!("implementation: {{flow: {{nodes: {{a: {{tool: {node}}}}}}}}}\n");
        let text = format!("name: {name}\ndescription: d\n{nodes}");
        project.file(format!("tools/{name}.yaml"), text);
    };
    flow("f", "say");
    flow("g", "f");
    project
        .file(
            "tools/say.yaml",
            "name: say\ndescription: d\nenv: [FOO]\nannotations: {read_only: true}\n\
             implementation: {exec: [sh, -c, 'echo $FOO']}\n",
        )
        .file(
            "tools/js.yaml",
            "name: js\ndescription: d\nimplementation:\n  tools: [say]\n  js: return tools.say({})\n",
        )
        .file(".env", "FOO=file\n");
    let called = |name: &str, option: &str| {
        let mut run = run("cogtools-call", &project)
            .arg(name)
            .env("FOO", "process");
        if !option.is_empty() {
            run = run.arg(option);
        }
        run.run()
    };
    run("cogtools-lock", &project).run().status(0);
    for name in ["f", "g", "js"] {
        called(name, "").stdout_contains("file");
        called(name, "--system-env").stdout_contains("process");
        called(name, "--locked").stdout_contains("file");
        for option in ["--exclude=say", "--tools=f,g,js", "--toolset=none"] {
            let outcome = called(name, option);
            outcome.stdout_is("");
            assert_ne!(outcome.status.to_string(), "exit 0", "{name} {option}");
        }
    }
    let say = project.read("tools/say.yaml").replace("echo", "echo x");
    project.file("tools/say.yaml", say);
    project.trust(".");
    for name in ["f", "g", "js"] {
        called(name, "").stdout_contains("x file");
        let outcome = called(name, "--locked");
        outcome.stdout_is("").stderr_contains("cogtools.lock");
    }
    let path = project.path("tools/f.yaml").display().to_string();
    let outcome = run("cogtools-yaml", &project)
        .args([&path, "--locked"])
        .run();
    outcome.stdout_is("").stderr_contains("cogtools.lock");
}
