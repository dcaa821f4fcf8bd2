//! Prompts that were sent to a model, kept beside a session.

use cogtools_log::{BlobError, BlobId, Event, LayerSize};
use serde_json::json;

use crate::scene::Scene;

/// A layer of `count` contents, each in a blob of its own.
fn layer(scene: &Scene, count: usize) -> LayerSize {
    let mut log = scene.create();
    let mut part = |number: usize| {
        let content = json!({"role": "user", "parts": [{"text": number.to_string()}]});
        log.write_blob(&content.to_string()).expect("a blob")
    };
    LayerSize {
        name: "buffered".to_owned(),
        tokens: 9,
        hash: "a1".to_owned(),
        cached: false,
        parts: (1..=count).map(&mut part).collect(),
    }
}

#[test]
fn a_layer_is_read_whole_or_in_part() {
    let scene = Scene::new();
    let layer = layer(&scene, 5);
    let blobs = scene.file().blobs();
    let all = "[user]\n1\n[user]\n2\n[user]\n3\n[user]\n4\n[user]\n5\n";
    assert_eq!(blobs.layer_text(&layer).expect("a text"), all);
    assert_eq!(blobs.layer_ends(&layer, 3).expect("a text"), all);
    assert_eq!(
        blobs.layer_ends(&layer, 2).expect("a text"),
        "[user]\n1\n[user]\n2\n[… 1 parts left out …]\n[user]\n4\n[user]\n5\n"
    );
    std::fs::write(blobs.path(&layer.parts[2]), "other").expect("written");
    assert!(matches!(blobs.layer_text(&layer), Err(BlobError::Changed)));
    blobs.layer_ends(&layer, 2).expect("it is not read");
}

#[test]
fn a_request_names_the_blobs_of_its_layers() {
    let scene = Scene::new();
    let layer = layer(&scene, 2);
    let parts: Vec<BlobId> = layer.parts.clone();
    let empty = LayerSize {
        parts: Vec::new(),
        ..layer.clone()
    };
    let request = Event::Request {
        hash: "9f".to_owned(),
        layers: vec![empty.clone(), layer],
        model: "m".to_owned(),
        turn: 1,
    };
    assert_eq!(request.blobs().cloned().collect::<Vec<_>>(), parts);
    // As a session of an earlier version has it.
    let json = serde_json::to_string(&empty).expect("JSON");
    assert_eq!(
        json,
        r#"{"name":"buffered","tokens":9,"hash":"a1","cached":false}"#
    );
    assert_eq!(serde_json::from_str::<LayerSize>(&json).ok(), Some(empty));
}
