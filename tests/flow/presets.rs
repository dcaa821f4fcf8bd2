//! Tools that answer without being called: as their nodes say, or as an example says.

use super::*;
use crate::http::Server;

#[test]
fn a_preset_answers_without_a_call() {
    output_of(
        "\
    nodes:
      route: {tool: {name: broken, preset: {events: [1]}}}
      summary: {text: '{{ route.events | length }} events'}
",
    )
    .outputs("1 events\n");
}

#[test]
fn an_example_says_what_tools_answer() {
    let project = project_with(
        "\
    nodes:
      list: {tool: {capability: calendar.find_free_time, arguments: {query: '{{ question }}'}}}
      act: {tool: {name: broken, preset: preset}}
      last: {text: '{{ list.events | length }} events, {{ act }}'}
examples:
  - name: none
    arguments: {question: a}
    with: {calendar.list_events: {events: []}, broken: mended}
  - name: two
    arguments: {question: b}
    with: {calendar.list_events: {events: [1, 2]}}
  - name: else
    arguments: {question: c}
    contains: events
",
    );
    let tests = || run("cogtools-test", &project).args(["f"]);
    tests().args(["--update"]).run().succeeds();
    assert_eq!(project.read("tools/f.none.golden"), "0 events, mended");
    assert_eq!(project.read("tools/f.two.golden"), "2 events, preset");
    flow_run(&project, &["test", "--update", "f"])
        .run()
        .succeeds();
    flow_run(&project, &["test", "f"]).run().succeeds();
    // A tool that calls none has nothing to answer for.
    project.file(
        "tools/calendar.yaml",
        "name: calendar\ndescription: Says x\nparameters: {query: string}\nimplementation: x\n\
         examples: [{arguments: {query: a}, with: {b: c}}]\n",
    );
    run("cogtools-test", &project)
        .args(["calendar"])
        .run()
        .expect(
            1,
            str![[r#"
FAILED calendar (1 example)
  tools/calendar.yaml:5:12: example 1: assertion: `with` says what the tools that a flow or code calls answer, or what a program finds, and this tool calls none
    hint: remove `with`

1 tool, 1 example: 1 failure

"#]],
            str![[r#"
cogtools-test: error[TEST_FAILED]: 1 failure
hint: the report on standard output shows what to fix

"#]],
        );
}

#[test]
fn the_choices_of_a_flow_are_covered() {
    let project = Project::new();
    project.file(
        "tools/way.yaml",
        "name: way\ndescription: d\nparameters: {n: integer}\nexamples: [{n: 1}]\n\
         implementation:\n  flow:\n    nodes:\n      pick: {router: [{when: n > 5, to: many}, {to: few}]}\n\
         \x20     many: {text: many}\n      few: {text: few}\n      odd: {when: n == 2, text: odd}\n",
    );
    let test = |arg: &str| run("cogtools-test", &project).arg(arg).run();
    test("--update").succeeds();
    test("--coverage").outputs(str![[r#"
ok way (1 example)
  tools/way.yaml:8: no example takes `pick -> many`
  tools/way.yaml:11: no example takes `when of odd`

1 tool, 1 example: all passed
branches taken: 1 of 3; optional properties set: 0 of 0; values of enums used: 0 of 0

"#]]);
}

#[test]
fn the_code_of_nodes_is_covered() {
    let project = Project::new();
    let tool = |name: &str, result: &str| {
        let text = format!("name: {name}\ndescription: d\nimplementation: {result}\n");
        project.file(format!("tools/{name}.yaml"), text);
    };
    tool("now", "noon");
    tool("later", "night");
    project.file(
        "tools/way.yaml",
        "\
name: way
description: d
parameters: {n: integer}
examples:
  - {arguments: {n: 1}, with: {now: morning}}
implementation:
  flow:
    nodes:
      small:
        js: return args.n > 5 && 'many';
      asked:
        js: |
          const time = await tools.now({});
          return time === 'noon' ? 'lunch' : time;
        tools: [now]
      unanswered:
        js: if (args.n) return await tools.later({});
        tools: [later]
      items:
        each: {in: '{{ [1, 2] }}', as: item, js: \"return args.item > 1 || 'one';\"}
      inner:
        tool: {name: inner, arguments: {}}
    output: '{{ small }} {{ asked }} {{ items | join }}'
",
    );
    project.file(
        "tools/inner.yaml",
        "name: inner\ndescription: d\nimplementation:\n  flow:\n    nodes:\n      \
         small: {js: \"return 'inner'\"}\n",
    );
    let test = |arg: &str| run("cogtools-test", &project).args([arg, "way"]).run();
    test("--update").succeeds();
    test("--coverage").outputs(str![[r#"
ok way (1 example)
  tools/way.yaml:10: no example takes `right of args.n > 5 &&`
  tools/way.yaml:14: no example takes `time === 'noon' ?`
  tools/way.yaml:17: no example takes `if args.n`
  tools/way.yaml:17: no example takes `else of if args.n`

1 tool, 1 example: all passed
branches taken: 2 of 6; optional properties set: 0 of 0; values of enums used: 0 of 0

"#]]);
}

/// A project with a tool `get` that makes a request, and with tools that call it.
fn requesting(server: &Server) -> Project {
    let project = Project::new();
    let port = server.port;
    project.file("../home/.gemini/cogtoolrc.yaml", "ask: {allow: [get]}\n");
    let tool = |name: &str, rest: &str| {
        let head = format!("name: {name}\ndescription: d\n");
        project.file(format!("tools/{name}.yaml"), format!("{head}{rest}\n"));
    };
    tool(
        "get",
        &format!(
            "implementation: {{http: {{url: 'http://127.0.0.1:{port}/', hosts: ['127.0.0.1:{port}']}}}}"
        ),
    );
    let flow =
        |nodes: &str| format!("examples: [{{}}]\nimplementation: {{flow: {{nodes: {nodes}}}}}");
    tool("one", &flow("{a: {tool: get}}"));
    tool(
        "two",
        &flow("{a: {tool: plain}, b: {tool: one, needs: [a]}}"),
    );
    tool("plain", &flow("{a: {text: x}}"));
    tool(
        "kept",
        &flow("{a: {tool: get}, b: {text: '{{ a.error or a }}'}}"),
    );
    tool(
        "code",
        "examples: [{}]\nimplementation:\n  tools: [get]\n  js: |\n    try { return tools.get({}) } \
         catch (e) { return 'caught' }",
    );
    project
}

#[test]
fn tests_of_tools_that_call_others_make_no_requests() {
    let server = Server::always("200 OK", "", "answer");
    let project = requesting(&server);
    let test = |words: &[&str]| run("cogtools-test", &project).args(words).run();
    for name in ["one", "two", "kept", "code"] {
        for option in ["--update", "--spawn"] {
            let missing = test(&[option, name]);
            missing.stdout_contains(&format!(
                "example 1: missing: `tools/{name}.1.tape` does not exist"
            ));
            missing.stdout_contains("there is no recorded response, and a test makes no requests");
            let hint = format!("cogtools test --record {name} makes the requests and records");
            missing.stdout_contains(&hint);
            missing.status(1);
        }
        assert!(!project.path(format!("tools/{name}.1.golden")).exists());
    }
    let traced = flow_run(&project, &["test", "--update", "one"]).run();
    traced.stderr_contains("there is no recorded response");
    traced.stderr_contains("hint: `cogtools test --record` makes the requests and records");
    traced.status(1);
    assert!(server.requests().is_empty());
    test(&["--record"]).status(0);
    assert_eq!(server.requests().len(), 4);
    assert_eq!(project.read("tools/two.1.golden"), "answer");
    test(&["--spawn"]).status(0);
    flow_run(&project, &["test", "--update", "two"])
        .run()
        .status(0);
    assert_eq!(server.requests().len(), 4);
    // A request that has no recording is no result of the flow.
    let get = project
        .read("tools/get.yaml")
        .replace("/', hosts", "/x', hosts");
    project.file("tools/get.yaml", get);
    for name in ["one", "two", "kept", "code"] {
        let stale = test(&[name]);
        stale.stdout_contains(&format!("`tools/{name}.1.tape` does not fit the requests"));
        stale.status(1);
    }
    assert_eq!(server.requests().len(), 4);
}
