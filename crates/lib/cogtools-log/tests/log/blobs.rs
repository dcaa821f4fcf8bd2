//! Values that are too large for a line.

use cogtools_log::{Blobs, SessionFile};

use crate::scene::Scene;

#[test]
fn a_blob_is_written_once_and_checked() {
    let scene = Scene::new();
    let log_file = scene.file();
    let mut log = scene.create();
    let id = log.write_blob("long").expect("a blob");
    assert_eq!(log.write_blob("long").expect("a blob"), id);
    let blobs: Blobs = log_file.blobs();
    assert_eq!(blobs.folder(), scene.folder.path().join("run.blobs"));
    assert_eq!(blobs.read(&id).expect("a blob"), b"long");
    std::fs::write(blobs.path(&id), "other").expect("written");
    let changed = blobs.read(&id).map_err(|error| error.to_string());
    assert_eq!(changed, Err("its content has changed".to_owned()));
    // Written again, it is whole again.
    log.write_blob("long").expect("a blob");
    assert_eq!(blobs.read(&id).expect("a blob"), b"long");
}

#[test]
fn blobs_have_the_name_of_their_session() {
    let scene = Scene::new();
    for (name, blobs) in [
        ("a.jsonl", "a.blobs"),
        ("a.json", "a.json.blobs"),
        ("a", "a.blobs"),
    ] {
        let root = scene.folder.path();
        let file = SessionFile::named(root, root, name.as_ref());
        assert_eq!(file.blobs().folder(), root.join(blobs), "{name}");
    }
}
