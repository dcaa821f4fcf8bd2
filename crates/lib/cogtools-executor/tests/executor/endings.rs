//! Failures, conditions, cancellation, and logs that cannot be written.

use super::*;

/// Three nodes in a row, and one beside them.
fn nodes() -> Vec<Node> {
    vec![
        Node::new("a"),
        Node::new("b").after("a"),
        Node::new("c").after("b"),
        Node::new("other"),
    ]
}

#[test]
fn a_failure_ends_the_run_and_the_rest_is_skipped() {
    let (lines, execution) = run(nodes(), options(), |attempt| match attempt.node() {
        "b" => Err(failure("broken")),
        node => done(node),
    });
    assert_eq!(
        lines,
        [
            "a started 1",
            "a succeeded \"a\"",
            "b started 1",
            "b failed: broken",
            "c skipped: Stopped(\"b\")",
            "other skipped: Stopped(\"b\")",
        ]
    );
    assert_eq!(execution.states.len(), 4);
}

#[test]
fn only_dependents_are_skipped_if_the_others_go_on() {
    let options = Options {
        on_failure: OnFailure::SkipDependents,
        interrupt: Cancel::default(),
        ..options()
    };
    let mut nodes = nodes();
    nodes.push(after_any(after_any(Node::new("report"), "c"), "other"));
    let (lines, _) = run(nodes, options, |attempt| match attempt.node() {
        "a" => Err(failure("broken")),
        "report" => {
            let has = |node| attempt.result(node).is_some();
            done(json!([has("c"), has("other")]))
        }
        node => done(node),
    });
    assert_eq!(
        lines,
        [
            "a started 1",
            "a failed: broken",
            "b skipped: Needs(\"a\")",
            "c skipped: Needs(\"b\")",
            "other started 1",
            "other succeeded \"other\"",
            "report started 1",
            "report succeeded [false,true]",
        ]
    );
}

#[test]
fn a_node_whose_condition_does_not_hold_is_skipped_with_those_that_need_it() {
    let (lines, _) = run(nodes(), options(), |attempt| match attempt.node() {
        "a" => Ok(Completion::Skip),
        node => done(node),
    });
    assert_eq!(
        lines,
        [
            "a started 1",
            "a skipped: Condition",
            "b skipped: Needs(\"a\")",
            "c skipped: Needs(\"b\")",
            "other started 1",
            "other succeeded \"other\"",
        ]
    );
}

#[test]
fn a_failure_is_not_taken_for_an_absence() {
    let nodes = || {
        vec![
            Node::new("a"),
            Node::new("b").after("a"),
            after_skipped(Node::new("tests_a"), "a"),
            after_skipped(Node::new("tests_b"), "b"),
            after_any(Node::new("any"), "b"),
        ]
    };
    let ran = |first: fn() -> Result<Completion, Failure>| {
        let options = Options {
            on_failure: OnFailure::SkipDependents,
            ..options()
        };
        let (_, execution) = run(nodes(), options, move |attempt| match attempt.node() {
            "a" => first(),
            _ => done(true),
        });
        let states = execution.states.into_iter();
        let ran = states.filter(|(_, state)| matches!(state, State::Succeeded(_)));
        ran.map(|(node, _)| node).collect::<Vec<_>>()
    };
    assert_eq!(ran(|| Ok(Completion::Skip)), ["any", "tests_a", "tests_b"]);
    assert_eq!(ran(|| Err(failure("broken"))), ["any"]);
    assert_eq!(ran(|| Err(blocking("a question"))), [""; 0]);
}

#[test]
fn a_cancelled_run_records_what_ran_and_starts_nothing_further() {
    let options = options();
    let cancel = options.cancel.clone();
    let (lines, execution) = run(nodes(), options, move |attempt| {
        cancel.cancel();
        while !attempt.cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(1));
        }
        done("kept")
    });
    assert_eq!(
        lines,
        [
            "a started 1",
            "b skipped: Cancelled",
            "c skipped: Cancelled",
            "other skipped: Cancelled",
            "a succeeded \"kept\"",
        ]
    );
    assert_eq!(
        execution.states["a"],
        State::Succeeded(Arc::new(json!("kept")))
    );
}

#[test]
fn nothing_starts_that_cannot_be_recorded() {
    for capacity in 0..4 {
        let ran = Shared::default();
        let list = ran.clone();
        let work = move |attempt: &Attempt| {
            list.add(attempt.node());
            done(attempt.node())
        };
        let graph = Graph::chain(["a", "b"].map(Node::new).to_vec()).expect("a chain");
        let mut record = Record {
            capacity: Some(capacity),
            ..Record::default()
        };
        let execution = execute(graph, Arc::new(Script(work)), options(), &mut record);
        assert!(execution.is_stopped);
        let started = record.lines.iter().filter(|line| line.contains("started"));
        assert_eq!(ran.get().len(), started.count(), "{capacity}");
    }
}

#[test]
fn work_that_panics_fails_alone() {
    let options = Options {
        on_failure: OnFailure::SkipDependents,
        interrupt: Cancel::default(),
        ..options()
    };
    let (lines, _) = run(nodes(), options, |attempt| {
        assert!(attempt.node() != "a", "a bug");
        done(1)
    });
    assert_eq!(
        lines[1],
        "a failed: unexpected failure while the node was running"
    );
    assert_eq!(lines.last().map(String::as_str), Some("other succeeded 1"));
}
