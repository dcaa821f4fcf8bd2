//! Requests, kept beside the log.

use std::collections::BTreeSet;

use cogtools_agent::{CallResult, FileReference, Situation};
use cogtools_log::{BlobId, EndStatus, Event, LayerSize};
use serde_json::{Value, json};

use crate::scene::{PURE, Scene};
use crate::script::{Step, call_part, calls, text};

/// The layers of each request.
fn requests(scene: &Scene) -> Vec<Vec<LayerSize>> {
    let requests = scene.events().into_iter().filter_map(|event| match event {
        Event::Request { layers, .. } => Some(layers),
        _ => None,
    });
    requests.collect()
}

/// The contents that the parts of a layer have; of the first layer, without the declarations.
fn contents(scene: &Scene, layer: &LayerSize) -> Vec<Value> {
    let blobs = scene.file().blobs();
    let parts = layer.parts.iter().flat_map(|part| {
        let bytes = blobs.read(part).expect("a blob");
        match serde_json::from_slice(&bytes).expect("JSON") {
            Value::Array(items) => items,
            item => vec![item],
        }
    });
    parts.filter(|part| part.get("name").is_none()).collect()
}

#[test]
fn every_request_is_kept_as_it_was_sent() {
    let call = |x: usize| calls(&[call_part(&x.to_string(), "echo", &json!({ "x": x }))]);
    let mut scene = Scene::new((0..100).map(call).chain([text("done")]));
    scene.budget.turns = None;
    assert_eq!(scene.run("go").status, EndStatus::Completed);
    let requests = requests(&scene);
    let sent = scene.model.contents();
    assert_eq!((requests.len(), sent.len()), (101, 101));
    for (layers, sent) in requests.iter().zip(&sent) {
        let names: Vec<&str> = layers.iter().map(|layer| layer.name.as_str()).collect();
        assert_eq!(names, ["static", "dynamic", "buffered", "trigger"]);
        let all: Vec<Value> = layers
            .iter()
            .flat_map(|layer| contents(&scene, layer))
            .collect();
        assert_eq!(json!(all), *sent);
    }
    // A long layer has few parts, and what does not change is there once.
    let last = &requests[100];
    assert_eq!(last[2].parts.len(), 3 + (200 - 3 * 64));
    let parts = requests.iter().flatten().flat_map(|layer| &layer.parts);
    let parts: BTreeSet<&BlobId> = parts.collect();
    let folder = scene.file().blobs().folder().to_path_buf();
    let files = std::fs::read_dir(folder).expect("a folder").count();
    assert_eq!(parts.len(), files);
    // A call and its result for each request, and the result once more when it is too old.
    assert!(files < 3 * 101, "{files}");
}

/// The length of what two texts have in common at their beginning.
fn common(one: &str, other: &str) -> usize {
    let pairs = one.bytes().zip(other.bytes());
    pairs.take_while(|(a, b)| a == b).count()
}

/// Compares each request with the one before it; returns the bytes that they have in common, and
/// all bytes.
fn shared(sent: &[Value]) -> (usize, usize) {
    let texts: Vec<String> = sent.iter().map(Value::to_string).collect();
    let pairs = texts.windows(2);
    pairs.fold((0, 0), |(same, all), pair| {
        (same + common(&pair[0], &pair[1]), all + pair[1].len())
    })
}

/// A model that reads a page for each of 20 tasks. The answer to the task `too_long` says that the
/// request had more tokens than the conversation may have.
fn reader(too_long: Option<usize>) -> Scene {
    let words = "words of an answer ".repeat(40);
    let replies = (0..20).flat_map(|turn| {
        let call = calls(&[call_part(&turn.to_string(), "read", &json!({"x": turn}))]);
        let mut answer = text(&format!("{turn} {words}"));
        if let Some(Step::Chunk(chunk)) = answer.first_mut()
            && too_long == Some(turn)
        {
            chunk["usageMetadata"]["promptTokenCount"] = 400_000.into();
        }
        [call, answer]
    });
    let mut scene = Scene::new(replies).tool("read", PURE, |arguments, _| {
        let text = "words and words ".repeat(200);
        CallResult::Output(format!("{} {text}", arguments["x"]).into())
    });
    scene.situation.file_references = vec![FileReference {
        path: "a.txt".to_owned(),
        content: Some("a".repeat(30_000)),
    }];
    for turn in 0..20 {
        let end = scene.run(&format!("task {turn}"));
        assert_eq!(end.status, EndStatus::Completed, "{turn}");
    }
    scene
}

#[test]
fn results_stay_as_they_were_sent() {
    let scene = reader(None);
    let sent = scene.model.contents();
    assert_eq!(sent.len(), 40);
    for pair in sent.windows(2) {
        let earlier = pair[0].as_array().expect("contents");
        assert_eq!(
            pair[1].as_array().expect("contents")[..earlier.len()],
            earlier[..]
        );
    }
    let (same, all) = shared(&sent);
    assert!(same * 100 >= all * 95, "{same} of {all}");
}

#[test]
fn results_expire_in_one_batch_when_the_conversation_is_too_long() {
    let scene = reader(Some(15));
    let sent = scene.model.contents();
    // No summary was asked for.
    assert_eq!(sent.len(), 40);
    let batches = scene.events().into_iter().filter_map(|event| match event {
        Event::Expired { results } => Some(results.len()),
        _ => None,
    });
    assert_eq!(batches.collect::<Vec<_>>(), [14]);
    let (same, all) = shared(&sent);
    assert!(same * 100 >= all * 95, "{same} of {all}");
    let last = scene.last_contents().to_string();
    assert_eq!(last.matches("(expired: call the tool again").count(), 14);
}

#[test]
fn a_conversation_only_grows_while_the_world_changes() {
    let words = "a long answer about many things that were asked for ".repeat(20);
    let mut scene = Scene::new((0..20).map(|turn| text(&format!("{turn} {words}"))));
    let file = |path: &str, text: String| FileReference {
        path: path.to_owned(),
        content: Some(text),
    };
    for turn in 0..20 {
        scene.situation = Situation {
            current_datetime: Some(format!("2026-01-01T10:{turn:02}:00Z")),
            file_references: vec![
                file("a.txt", format!("{}{}", turn / 5, "a".repeat(200))),
                file("b.txt", "b".repeat(20_000)),
            ],
            artifacts: Vec::new(),
            todos: vec![json!({"content": "one", "status": turn.to_string()})],
        };
        assert_eq!(
            scene.run(&format!("task {turn}")).status,
            EndStatus::Completed
        );
    }
    let sent = scene.model.contents();
    for contents in sent.windows(2) {
        let earlier = contents[0].as_array().expect("contents");
        assert_eq!(
            contents[1].as_array().expect("contents")[..earlier.len()],
            earlier[..]
        );
    }
    let (same, all) = shared(&sent);
    assert!(same * 100 >= all * 95, "{same} of {all}");
    let last = scene.last_contents();
    let parts = last.as_array().and_then(|contents| contents.last());
    let parts = &parts.expect("a trigger")["parts"];
    assert_eq!(parts[0]["text"], "task 19");
    let changes = parts[1]["text"].as_str().expect("a text");
    assert!(changes.contains("10:19:00Z") && changes.contains("a.txt"));
    assert!(!changes.contains("b.txt") && changes.len() < 1_000);
}

#[test]
fn a_world_that_is_as_it_was_is_not_said_again() {
    let mut scene = Scene::new([text("one"), text("two")]);
    scene.situation.todos = vec![json!({"content": "one"})];
    scene.run("go");
    scene.run("go on");
    let last = scene.last_contents();
    assert_eq!(last[3]["parts"], json!([{"text": "go on"}]));
}
