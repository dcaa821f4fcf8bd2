//! The sessions of a project in the user's state.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use cogtools_log::{Log, SessionId, Store};

use crate::scene::{Scene, header, options};

fn id(name: &str) -> SessionId {
    name.parse().expect("a name")
}

/// A store with these sessions, the first of which is the newest.
fn store(scene: &Scene, names: &[&str]) -> Store {
    let root = scene.folder.path().join("my shop");
    fs::create_dir_all(&root).expect("a project");
    let store = Store::new(&scene.folder.path().join("state"), &root);
    store.new_file().expect("a folder");
    for (index, name) in (0_u64..).zip(names) {
        drop(Log::create(&store.file(&id(name)), &header(), options()).expect("a log"));
        let age = Duration::from_secs(60 * index);
        let file = File::open(store.file(&id(name)).path()).expect("a file");
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 30) - age)
            .expect("set");
    }
    store
}

#[test]
fn a_project_has_a_private_folder_of_its_own() {
    let scene = Scene::new();
    let store = store(&scene, &["abc"]);
    let name = store
        .folder()
        .file_name()
        .expect("a name")
        .to_string_lossy();
    assert!(name.starts_with("my_shop-") && name.len() == 16, "{name}");
    let mode = |path| fs::metadata(path).expect("metadata").permissions().mode() & 0o777;
    assert_eq!(mode(store.folder().to_path_buf()), 0o700);
    assert_eq!(mode(store.file(&id("abc")).path()), 0o600);
    let other = Store::new(&scene.folder.path().join("state"), scene.folder.path());
    assert_ne!(other.folder(), store.folder());
}

#[cfg(target_os = "linux")]
#[test]
fn paths_that_are_no_text_are_told_apart() {
    use std::os::unix::ffi::OsStrExt as _;
    let scene = Scene::new();
    let [one, other] = [b"a\xfe", b"a\xff"].map(|name| {
        let root = scene.folder.path().join(std::ffi::OsStr::from_bytes(name));
        Store::new(scene.folder.path(), &root)
            .folder()
            .to_path_buf()
    });
    assert_ne!(one, other);
}

#[test]
fn the_session_written_to_last_comes_first() {
    let scene = Scene::new();
    let store = store(&scene, &["b", "a", "c"]);
    fs::write(store.folder().join("notes.txt"), "").expect("written");
    fs::write(store.folder().join("Not a name.jsonl"), "").expect("written");
    fs::create_dir(store.folder().join("d.jsonl")).expect("a folder");
    let list = store.list().expect("a list");
    let names: Vec<&str> = list.iter().map(|stored| stored.id.as_str()).collect();
    assert_eq!(names, ["b", "a", "c"]);
    assert_eq!(
        store.newest(None).expect("a list").map(|stored| stored.id),
        Some(id("b"))
    );
    // The process that wanted to begin it could not, for example on a full disk.
    fs::write(store.folder().join("e.jsonl"), "").expect("written");
    assert_eq!(
        store.newest(None).expect("a list").map(|stored| stored.id),
        Some(id("b"))
    );
    let empty = Store::new(scene.folder.path(), scene.folder.path());
    assert_eq!(
        (
            empty.list().expect("a list"),
            empty.newest(None).expect("a list")
        ),
        (vec![], None)
    );
}

#[test]
fn a_session_is_found_by_the_beginning_of_its_name() {
    let scene = Scene::new();
    let store = store(&scene, &["abc", "abd", "ab", "x-1"]);
    let find = |prefix| {
        let found = store.locate(Some(prefix));
        found.map_err(|error| (error.summary(), error.hints))
    };
    for (prefix, name) in [("abc", "abc"), ("ab", "ab"), ("x", "x-1")] {
        assert_eq!(find(prefix), Ok(store.file(&id(name))));
    }
    for (prefix, message, hint) in [
        (
            "y",
            "no session of this project begins with `y`",
            "`cogtools session list` shows the sessions of this project",
        ),
        (
            "a",
            "3 sessions of this project begin with `a`",
            "name one of `abc`, `abd`, `ab`",
        ),
    ] {
        assert_eq!(find(prefix), Err((message.to_owned(), vec![hint.into()])));
    }
}

#[test]
fn a_session_is_removed_with_its_blobs_unless_it_is_in_use() {
    let scene = Scene::new();
    let store = store(&scene, &["abc"]);
    let file = store.file(&id("abc"));
    let (mut log, _) = Log::open(&file, options()).expect("a log");
    log.write_blob("long").expect("a blob");
    let refused = store.remove(&id("abc")).expect_err("in use").to_string();
    assert!(
        refused.ends_with("is in use by another process"),
        "{refused}"
    );
    drop(log);
    store.remove(&id("abc")).expect("removed");
    assert_eq!(fs::read_dir(store.folder()).expect("a folder").count(), 0);
}
