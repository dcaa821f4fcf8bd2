//! When nodes run, and what they see of each other.

use std::sync::Barrier;

use super::*;

#[test]
fn nodes_run_after_what_they_need_and_see_its_results() {
    let nodes = vec![
        Node::new("sum").after("one").after("two"),
        Node::new("two"),
        Node::new("one"),
    ];
    let (lines, execution) = run(nodes, options(), |attempt| match attempt.node() {
        "one" => done(1),
        "two" => {
            // It ran before, but this node does not need it.
            assert_eq!(attempt.result("one"), None);
            done(2)
        }
        _ => {
            let number = |node| attempt.result(node).and_then(|value| value.as_i64());
            done(
                number("one")
                    .zip(number("two"))
                    .map_or(0, |(one, two)| one + two),
            )
        }
    });
    assert_eq!(
        lines,
        [
            "two started 1",
            "two succeeded 2",
            "one started 1",
            "one succeeded 1",
            "sum started 1",
            "sum succeeded 3",
        ]
    );
    assert_eq!(
        execution.states["sum"],
        State::Succeeded(Arc::new(json!(3)))
    );
    assert!(!execution.is_stopped);
}

#[test]
fn independent_nodes_run_at_the_same_time_up_to_a_limit() {
    let nodes = ["a", "b", "c", "d"].map(Node::new).to_vec();
    let together = Arc::new(Barrier::new(2));
    let options = Options {
        max_parallel: 2,
        ..options()
    };
    // Each waits until another one runs as well: one at a time would never end.
    let (lines, execution) = run(nodes, options, move |_| {
        together.wait();
        done(true)
    });
    assert_eq!(execution.states.len(), 4);
    let running = lines.iter().scan(0_usize, |running, line| {
        let is_start = line.contains("started");
        *running = if is_start { *running + 1 } else { *running - 1 };
        Some(*running)
    });
    assert_eq!(running.max(), Some(2));
}

#[test]
fn a_result_of_a_distant_node_can_be_read() {
    let graph = Graph::chain(["a", "b", "c"].map(Node::new).to_vec()).expect("a chain");
    let work = |attempt: &Attempt| match attempt.result("a") {
        Some(value) => done((*value).clone()),
        None => done(json!({"list": [1]})),
    };
    let execution = execute(
        graph,
        Arc::new(Script(work)),
        options(),
        &mut Record::default(),
    );
    assert_eq!(
        execution.states["c"],
        State::Succeeded(Arc::new(json!({"list": [1]})))
    );
}

#[test]
fn results_of_an_earlier_run_are_not_made_again() {
    let nodes = vec![
        Node::new("a"),
        Node::new("b").after("a"),
        Node::new("c").after("b"),
    ];
    let options = Options {
        done: [("a", json!(1)), ("b", json!(2)), ("gone", json!(3))]
            .map(|(node, value)| (node.to_owned(), value))
            .into(),
        ..options()
    };
    let (lines, execution) = run(nodes, options, |attempt| {
        done((*attempt.result("b").expect("a result")).clone())
    });
    assert_eq!(lines, ["c started 1", "c succeeded 2"]);
    assert_eq!(execution.states.len(), 3);
}
