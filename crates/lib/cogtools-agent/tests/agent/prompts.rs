//! What was sent, kept beside the log.

use std::collections::BTreeSet;

use cogtools_log::{BlobId, EndStatus, Event, LayerSize};
use serde_json::{Value, json};

use crate::scene::Scene;
use crate::script::{call_part, calls, text};

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
