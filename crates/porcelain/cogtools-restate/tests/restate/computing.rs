//! Nodes that only compute: many take one step of the journal, and end as on one machine.

use std::fmt::Write as _;

use super::*;

/// The time for 100 nodes, beside the time for one.
const HUNDRED: Duration = Duration::from_secs(1);

/// A chain of 33 groups: a text, code that reads it, and a router; then a text for the first choice.
fn chain() -> String {
    let mut flow = "    nodes:\n      js0: {js: 'return 0'}\n".to_owned();
    for number in 1..=33 {
        let before = number - 1;
        let _ = write!(
            flow,
            "      text{number}: {{text: '{{{{ js{before} }}}}+'}}\n\
             \x20     js{number}: {{needs: [js{before}], js: 'return args.js{before} + 1'}}\n\
             \x20     way{number}: {{router: [{{when: js{number} == 33, to: last}}, {{to: never}}]}}\n"
        );
    }
    flow + "      last: {text: '{{ js33 }} after {{ text33 }}'}\n\
            \x20     never: {text: 'no'}\n    output: '{{ last }}'\n"
}

#[test]
fn a_hundred_nodes_take_a_second() {
    let one = Scene::new(
        &[],
        "    nodes: {only: {text: a}}\n    output: '{{ only }}'\n",
    );
    let many = Scene::new(&[], &chain());
    let time = |scene: &Scene, output: &str| {
        let _worker = Worker::register(&scene.project, &scene.server);
        // The first run finds the programs on the disk.
        scene.run_flow("first", &[]).outputs(output);
        let begin = Instant::now();
        scene.run_flow("second", &[]).outputs(output);
        begin.elapsed()
    };
    let (one, many) = (time(&one, "\"a\"\n"), time(&many, "\"33 after 32+\"\n"));
    assert!(many < one + HUNDRED, "100 nodes take {many:?}, one {one:?}");
}

const MIXED: &str = "    nodes:
      first: {text: 'a{{ text }}'}
      broken: {js: 'throw new Error(\"no\")'}
      rescued: {text: 'rescued: {{ broken.error }}'}
      tool: {tool: {name: act, arguments: {text: '{{ first }}'}}}
      after: {needs: [tool], js: 'return args.tool + \"!\"'}
      way: {router: [{when: after == 'nothing', to: left}, {to: right}]}
      left: {text: left}
      right: {text: 'right of {{ after }}'}
    output: '{{ right }}, {{ rescued }}'
";

#[test]
fn they_end_as_on_one_machine() {
    let scene = Scene::new(&[("act", true)], MIXED);
    scene.go("act");
    let _worker = Worker::register(&scene.project, &scene.server);
    let output = scene.run_flow("r", &[]).json();
    let here = Run::new(programs().join("cogtools")).args(["flow", "run", "f"]);
    let here = here
        .env("WORKER", "here")
        .project(&scene.project)
        .run()
        .text();
    assert_eq!(output, here.trim_end());
    assert_eq!(scene.lines("begin act").len(), 2);
}

#[test]
fn a_failure_is_that_of_its_node() {
    let scene = Scene::new(
        &[],
        "    nodes:\n      a: {text: a}\n      b: {needs: [a], js: 'return args.a.nothing.at'}\n    output: '{{ b }}'\n",
    );
    let _worker = Worker::register(&scene.project, &scene.server);
    scene.run_flow("r", &[]).fails(1, str![[r#"
cogtools-restate: error[NODE_FAILED]: b: TOOL_FAILED: f: TypeError: cannot read property 'at' of undefined

"#]]);
}
