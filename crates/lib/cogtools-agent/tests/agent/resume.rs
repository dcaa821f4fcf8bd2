//! A session that goes on after its process was killed.

use std::fs;

use cogtools_log::EndStatus;
use serde_json::{Value, json};

use crate::scene::Scene;
use crate::script::{Reply, call_part, calls, text};

fn replies() -> [Reply; 3] {
    [
        calls(&[call_part("a", "act", &json!({"x": 1}))]),
        calls(&[
            call_part("b", "act", &json!({"x": 2})),
            call_part("c", "echo", &json!({"x": 3})),
        ]),
        text("done"),
    ]
}

fn scene(replies: impl IntoIterator<Item = Reply>) -> Scene {
    let mut scene = Scene::new(replies);
    scene.settings.permissions.allow = vec!["act".to_owned()];
    scene
}

/// The lines of a kind, as the arguments or the identifiers of their calls.
fn calls_of(lines: &[&str], kind: &str) -> Vec<String> {
    lines
        .iter()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|line| line["kind"] == kind)
        .filter_map(|line| line["call"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn a_log_that_ends_anywhere_goes_on_without_running_a_call_twice() {
    let mut whole = scene(replies());
    assert_eq!(whole.run("go").status, EndStatus::Completed);
    let contents = whole.last_contents();
    let log = whole.project.read("session.jsonl");
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines.len() > 15, "{log}");
    // From the line with the task on.
    for count in 2..=lines.len() {
        for torn in [false, true] {
            let kept = &lines[..count];
            let responses = kept
                .iter()
                .filter(|line| line.contains(r#""kind":"response""#));
            let mut scene = scene(replies().into_iter().skip(responses.count()));
            let mut text = format!("{}\n", kept.join("\n"));
            if let Some(next) = lines.get(count).filter(|_| torn) {
                text.push_str(&next[..next.len() / 2]);
            }
            fs::write(scene.project.path("session.jsonl"), text).expect("written");
            let end = scene.resume();
            let shown = format!("{count} lines, torn: {torn}");
            assert_eq!(
                (end.status, end.text.as_str()),
                (EndStatus::Completed, "done"),
                "{shown}"
            );
            assert_eq!(scene.model.left(), 0, "{shown}");
            check_calls(&scene, kept, &shown);
            check_contents(&scene, &contents, &shown);
        }
    }
}

/// A program that had begun does not run again, and nothing that has a result does.
fn check_calls(scene: &Scene, kept: &[&str], shown: &str) {
    let (begun, ended) = (calls_of(kept, "call"), calls_of(kept, "result"));
    let expected = [("a", 1), ("b", 2), ("c", 3)]
        .into_iter()
        .filter(|(id, _)| {
            let is_in = |list: &[String]| list.iter().any(|known| known == id);
            !is_in(&ended) && (*id == "c" || !is_in(&begun))
        });
    let expected: Vec<Value> = expected.map(|(_, x)| json!({"x": x})).collect();
    assert_eq!(scene.ran(), expected, "{shown}");
}

/// The conversation is the same, apart from calls without a recorded end.
fn check_contents(scene: &Scene, whole: &Value, shown: &str) {
    let contents = scene.last_contents();
    let Some(contents) = contents.as_array() else {
        return;
    };
    for (content, expected) in contents.iter().zip(whole.as_array().into_iter().flatten()) {
        if !content.to_string().contains("interrupted: the run ended") {
            assert_eq!(content, expected, "{shown}");
        }
    }
}

#[test]
fn an_answer_that_was_written_is_shown_and_not_asked_for_again() {
    let mut scene = scene([text("done")]);
    scene.run("go");
    scene.watcher.text.clear();
    let end = scene.resume();
    assert_eq!(
        (end.status, end.text.as_str()),
        (EndStatus::Completed, "done")
    );
    assert_eq!(scene.watcher.text, "done");
    assert_eq!(scene.model.contents().len(), 1);
}

#[test]
fn a_clock_that_is_set_back_changes_nothing() {
    let mut scene = scene([text("one"), text("two")]);
    scene.run("go");
    let log = scene
        .project
        .read("session.jsonl")
        .replace("\"time\":\"20", "\"time\":\"29");
    fs::write(scene.project.path("session.jsonl"), log).expect("written");
    let end = scene.run("again");
    assert_eq!(
        (end.status, end.text.as_str()),
        (EndStatus::Completed, "two")
    );
    assert_eq!(scene.last_contents().as_array().map_or(0, Vec::len), 3);
}

#[test]
fn a_new_task_tells_of_a_call_that_had_begun() {
    let mut scene = scene(replies());
    scene.run("go");
    let log = scene.project.read("session.jsonl");
    let lines: Vec<&str> = log.lines().collect();
    let begun = lines
        .iter()
        .position(|line| line.contains(r#""kind":"call""#));
    let kept = lines[..=begun.expect("a call")].join("\n");
    let mut scene = self::scene([text("done")]);
    fs::write(scene.project.path("session.jsonl"), kept + "\n").expect("written");
    scene.run("again");
    let contents = scene.last_contents().to_string();
    assert!(
        contents.contains("interrupted: the run ended"),
        "{contents}"
    );
    assert!(!contents.contains("not run"), "{contents}");
}
