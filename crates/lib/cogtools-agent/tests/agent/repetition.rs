//! A model that repeats itself.

use cogtools_log::EndStatus;
use serde_json::json;

use crate::scene::Scene;
use crate::script::{Reply, call, text};

/// The call at `step` of a cycle of `length`.
fn step(step: usize, length: usize) -> Reply {
    call(&format!("id-{step}"), "echo", &json!({"x": step % length}))
}

#[test]
fn a_cycle_is_named_once_and_then_ends_the_run() {
    for length in 1..=5 {
        let replies = (0..10 * length).map(|index| step(index, length));
        let mut scene = Scene::new(replies);
        let end = scene.run("go");
        assert_eq!(
            (end.status, scene.model.left()),
            (EndStatus::Loop, 0),
            "{length}"
        );
        assert_eq!(scene.watcher.repetitions, 1, "{length}");
        // A message after the fifth time, and none after the others.
        let notes = scene.last_contents().to_string();
        let notes = notes
            .matches("Note from cogtools: you have made the same calls")
            .count();
        assert_eq!(notes, 1, "{length}");
    }
}

#[test]
fn longer_cycles_and_progress_are_no_repetition() {
    let six = (0..40).map(|index| step(index, 6)).chain([text("done")]);
    let progress = (0..40)
        .map(|index| step(index, 1_000))
        .chain([text("done")]);
    for mut scene in [Scene::new(six), Scene::new(progress)] {
        assert_eq!(scene.run("go").status, EndStatus::Completed);
        assert_eq!(scene.watcher.repetitions, 0);
    }
}

#[test]
fn other_results_are_progress() {
    use cogtools_agent::CallResult;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let count = AtomicUsize::new(0);
    let replies = (0..30)
        .map(|index| call(&format!("id-{index}"), "count", &json!({})))
        .chain([text("done")]);
    let mut scene = Scene::new(replies).tool("count", crate::scene::PURE, move |_, _| {
        CallResult::Output(count.fetch_add(1, Ordering::SeqCst).into())
    });
    assert_eq!(scene.run("go").status, EndStatus::Completed);
    assert_eq!(scene.watcher.repetitions, 0);
}
