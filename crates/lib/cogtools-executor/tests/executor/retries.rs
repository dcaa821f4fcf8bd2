//! Nodes that fail and are run again.

use cogtools_executor::Retry;

use super::*;

fn retrying(times: u32) -> Node {
    Node {
        retry: Retry {
            times,
            delay: 0.001,
            backoff: 2.0,
        },
        ..Node::new("a")
    }
}

#[test]
fn a_node_is_run_again_until_it_succeeds() {
    let (lines, execution) = run(vec![retrying(3)], options(), |attempt| {
        if attempt.number < 3 {
            Err(failure("not yet"))
        } else {
            done(attempt.number)
        }
    });
    assert_eq!(
        lines,
        [
            "a started 1",
            "a again in 1ms",
            "a started 2",
            "a again in 2ms",
            "a started 3",
            "a succeeded 3",
        ]
    );
    assert_eq!(execution.states["a"], State::Succeeded(Arc::new(json!(3))));
}

#[test]
fn after_the_last_attempt_it_has_failed() {
    let (lines, execution) = run(vec![retrying(1)], options(), |_| Err(failure("no")));
    assert_eq!(
        lines,
        [
            "a started 1",
            "a again in 1ms",
            "a started 2",
            "a failed: no"
        ]
    );
    assert_eq!(execution.states["a"], State::Failed(failure("no")));
}

#[test]
fn a_final_failure_is_not_tried_again() {
    let (lines, _) = run(vec![retrying(5)], options(), |_| {
        Err(Failure::is_final(Diagnostic::new(Code::Denied, "denied")))
    });
    assert_eq!(lines, ["a started 1", "a failed: denied"]);
}

#[test]
fn an_attempt_that_takes_too_long_is_told_to_end_and_tried_again() {
    let node = Node {
        timeout: Some(Duration::from_millis(30)),
        ..retrying(1)
    };
    let (lines, _) = run(vec![node], options(), |attempt| {
        if attempt.number == 2 {
            return done("in time");
        }
        while !attempt.cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(1));
        }
        done("too late")
    });
    assert_eq!(
        lines,
        [
            "a started 1",
            "a again in 1ms",
            "a started 2",
            "a succeeded \"in time\"",
        ]
    );
    let node = Node {
        timeout: Some(Duration::from_millis(30)),
        ..Node::new("a")
    };
    let (lines, _) = run(vec![node], options(), |attempt| {
        while !attempt.cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(failure("cancelled"))
    });
    assert_eq!(
        lines,
        ["a started 1", "a failed: the node took longer than 0.03 s"]
    );
}

#[test]
fn work_with_the_same_limit_does_not_change_the_message() {
    let limit = Duration::from_millis(20);
    for _ in 0..20 {
        let node = Node {
            timeout: Some(limit),
            ..Node::new("a")
        };
        let (lines, _) = run(vec![node], options(), move |_| {
            std::thread::sleep(limit);
            Err(Failure::new(Diagnostic::new(Code::Timeout, "own words")))
        });
        assert_eq!(lines[1], "a failed: the node took longer than 0.02 s");
    }
}
