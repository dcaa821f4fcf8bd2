//! Nodes that run again until their result is good enough, and nodes that need not run again.

use super::*;

/// A tool that counts its calls, and says how many there were.
const COUNT: &str = "\
name: count
description: Counts its calls
parameters: {item: {type: string, default: x}}
annotations: {read_only: true}
output: {type: json}
implementation: {exec: [sh, -c, 'echo \"$0\" >> calls; grep -cx \"$0\" calls', '{{ item }}']}
";

fn counting(nodes: &str) -> Project {
    let project = project_with(nodes);
    project.file("tools/count.yaml", COUNT);
    project
}

/// The arguments of the tool's calls, in the order of the words.
fn calls(project: &Project) -> Vec<String> {
    let calls = project.read("calls");
    let mut calls: Vec<String> = calls.lines().map(str::to_owned).collect();
    calls.sort();
    calls
}

#[test]
fn a_node_runs_again_until_its_result_is_good_enough() {
    let project = counting(
        "\
    nodes:
      enough: {text: 2}
      tries: {tool: count, retry: {until: [tries is number, tries > enough], times: 5}}
",
    );
    let run = || flow_run(&project, &["run", "f"]).run();
    run().outputs("3\n");
    assert_eq!(calls(&project), ["x", "x", "x"]);
    // A result that is good enough at once.
    run().outputs("4\n");
}

#[test]
fn a_result_that_is_never_good_enough_fails_the_node() {
    let project = counting(
        "\
    nodes:
      tries: {tool: count, retry: {until: tries > 9}}
      last: {text: '{{ tries }}'}
",
    );
    flow_run(&project, &["run", "f", "--no-session"])
        .run()
        .fails(
            1,
            str![[r#"
cogtools-flow: error[NODE_FAILED]: tries: its result does not meet `tries > 9`

"#]],
        );
    // Unless the flow says so, it runs three times more.
    assert_eq!(calls(&project).len(), 4);
    // An engine that runs nodes itself decides how often.
    project.file("inputs.json", "{\"question\": \"what\"}");
    flow_run(&project, &["node", "f", "tries", "--inputs", "inputs.json"])
        .run()
        .fails(
            1,
            str![[r#"
cogtools-flow: error[NODE_FAILED]: its result does not meet `tries > 9`

"#]],
        );
}

#[test]
fn items_run_again_one_by_one() {
    let project = counting(
        "\
    nodes:
      all:
        each: {in: [a, b, c], tool: {name: count, arguments: {item: '{{ item }}'}}}
        retry: {until: item == 'a' or all > 1}
",
    );
    flow_run(&project, &["run", "f", "--session", "s.jsonl"])
        .run()
        .outputs("[1,2,2]\n");
    assert_eq!(calls(&project), ["a", "b", "b", "c", "c"]);
}

#[test]
fn an_item_that_takes_too_long_ends_alone() {
    let project = project_with(
        "\
    nodes:
      all:
        each: {in: [0, 30], tool: {name: sleeper, arguments: {seconds: '{{ item }}'}}}
        timeout: 1
",
    );
    project.file(
        "tools/sleeper.yaml",
        "name: sleeper\ndescription: Sleeps\nparameters: {seconds: {type: number}}\n\
         implementation: {exec: [sleep, '{{ seconds }}']}\n",
    );
    flow_run(&project, &["run", "f", "--session", "s.jsonl"])
        .run()
        .fails(
            1,
            str![[r#"
cogtools-flow: error[NODE_FAILED]: all: TIMEOUT: sleeper: the tool timed out after 1 s
hint: send less, or give the tool more time with `timeout`
hint: 0 nodes done; `cogtools flow resume s.jsonl` goes on here

"#]],
        );
}

#[test]
fn a_model_is_asked_again_with_another_seed() {
    let project = project_with(
        "\
    nodes:
      answer: {agent: {rules: '{{ question }}'}, retry: {until: \"answer != 'no'\"}}
",
    );
    let fake = FakeGemini::start([Turn::text("no"), Turn::text("yes")]);
    flow_run(&project, &["run", "f"])
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .run()
        .outputs("yes\n");
    let requests = fake.finish();
    let seeds: Vec<Value> = requests
        .main()
        .iter()
        .map(|request| request.body["generationConfig"]["seed"].clone())
        .collect();
    assert_eq!(seeds.len(), 2);
    assert_ne!(seeds[0], seeds[1]);
}

const CACHED: &str = "\
    nodes:
      slow: {cache: true, tool: {name: count, arguments: {item: '{{ question }}'}}}
      last: {text: '{{ question }}: {{ slow }}'}
";

#[test]
fn an_unchanged_call_comes_from_the_log() {
    let project = counting(CACHED);
    let of = |question: &str| {
        let question = format!("question={question}");
        flow_run(&project, &["run", "f", &question]).run()
    };
    of("a").outputs("a: 1\n");
    of("b").outputs("b: 1\n");
    of("a").outputs("a: 1\n");
    of("a").outputs("a: 1\n");
    assert_eq!(calls(&project), ["a", "b"]);
    assert_text(
        traced(&project, &[]),
        str![[r#"
🧪 Runner: f {"question":"a"}
🧪 Runner: slow succeeded, from an earlier run
  🔍 Properties: {"item":"a"}
  result: 1
🧪 Runner: last succeeded
  result: a: 1
🧪 Runner: output: a: 1

"#]],
    );
    // What runs has changed.
    project.file("tools/count.yaml", COUNT.replace("grep -cx", "grep -c"));
    of("a").outputs("a: 2\n");
    of("a").outputs("a: 2\n");
    assert_eq!(calls(&project), ["a", "a", "b"]);
}

#[test]
fn only_tools_that_may_run_twice_are_cached() {
    let project = counting(CACHED);
    project.file(
        "tools/count.yaml",
        COUNT.replace("read_only: true", "read_only: false"),
    );
    for expected in ["what: 1\n", "what: 2\n"] {
        flow_run(&project, &["run", "f"]).run().outputs(expected);
    }
}

#[test]
fn checks_are_conditions() {
    let project = project_with(
        "\
    nodes:
      a: {text: 1, cache: maybe, retry: {until: [], times: 1}}
      b: {text: 1, retry: {until: '{{ b }}'}}
      c: {text: 1, retry: {until: [c > q, '']}}
",
    );
    flow_run(&project, &["run", "f"]).run().fails(78, str![[r#"
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:7:27: `cache` takes true or false, not a string
   |
 7 |       a: {text: 1, cache: maybe, retry: {until: [], times: 1}}
   |                           ^^^^^
hint: write `true` or `false`, without quotes
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:7:42: `until` is empty
   |
 7 |       a: {text: 1, cache: maybe, retry: {until: [], times: 1}}
   |                                          ^^^^^
hint: write something under `until`
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:8:35: `{{ b }}` is a template, but `until` takes an expression
   |
 8 |       b: {text: 1, retry: {until: '{{ b }}'}}
   |                                   ^^^^^^^^^
hint: write it without braces, as in `until: path`
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:9:40: `q` is neither a parameter nor a node
   |
 9 |       c: {text: 1, retry: {until: [c > q, '']}}
   |                                        ^
cogtools-flow: error[INVALID_TOOL]: tools/f.yaml:9:43: `until` is empty
   |
 9 |       c: {text: 1, retry: {until: [c > q, '']}}
   |                                           ^^
hint: write something under `until`

"#]]);
}

#[test]
fn an_item_that_fails_is_an_error_if_the_node_keeps_them() {
    let nodes = "\
    nodes:
      list: {each: {in: ['there', 'gone'], errors: keep, tool: {name: read, arguments: {file: '{{ item }}'}}}}
      after: {text: '{{ list[0] }} {{ list[1].error }}'}
";
    let project = project_with(nodes);
    project.file("there", "found");
    project.file(
        "tools/read.yaml",
        "name: read\ndescription: d\nparameters: {file: string}\nimplementation: {exec: [cat, '{{ file }}']}\n",
    );
    flow_run(&project, &["run", "f"])
        .run()
        .outputs("found read: the program exited with status 1\n");
    project.file("tools/f.yaml", flow(&nodes.replace("errors: keep, ", "")));
    flow_run(&project, &["run", "f"])
        .run()
        .status(1)
        .stdout_is("");
}

#[test]
fn items_know_their_numbers() {
    output_of("    nodes: {list: {each: {in: [a, b], text: '{{ index }}{{ item }}'}}}\n")
        .outputs("[\"0a\",\"1b\"]\n");
    // A node keeps its name.
    output_of("    nodes: {index: {text: x}, list: {each: {in: [a, b], text: '{{ index }}{{ item }}'}}}\n")
        .outputs("[\"xa\",\"xb\"]\n");
}

#[test]
fn many_items_take_linear_time() {
    let nodes = "\
    nodes:
      all: {js: 'return Array.from({length: 10000}, (_, i) => i)'}
      list: {each: {in: '{{ all }}', text: '{{ item }}'}}
      count: {text: '{{ list | length }}'}
";
    let began = std::time::Instant::now();
    output_of(nodes).outputs("10000\n");
    // A build without optimisation takes 16 s if the list is copied for each item.
    assert!(began.elapsed().as_secs() < 8, "{:?}", began.elapsed());
}

#[test]
fn a_node_that_is_skipped_says_why() {
    let nodes = "\
    nodes:
      never: {when: 'question == \"no\"', text: never}
      after: {text: '{{ never }}'}
      choose: {router: [{to: one}]}
      one: {text: one}
      two: {text: two, needs: [choose]}
      other: {router: [{when: 'question == \"no\"', to: three}, {to: one}]}
      three: {text: three}
    output: '{{ one }}'
";
    let project = project_with(nodes);
    flow_run(&project, &["run", "f"]).run().outputs("one\n");
    let trace = traced(&project, &[]);
    for line in [
        "never skipped: its condition is false",
        "after skipped: needs `never`",
        "three skipped: not chosen",
        "🧪 Runner: output: one",
    ] {
        assert!(trace.contains(line), "{trace}");
    }
    let json = flow_run(&project, &["trace", "--json"]).run().json();
    assert_eq!(
        (&json["state"], &json["output"]),
        (&json!("completed"), &json!("one"))
    );
    let listed = flow_run(&project, &["list", "--json"]).run().json();
    assert_eq!(
        (&listed[0]["flow"], &listed[0]["state"]),
        (&json!("f"), &json!("completed"))
    );
}
