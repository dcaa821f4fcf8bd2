//! A session file in a project that others have written.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use cogtools_log::{Log, SessionFile};

use crate::scene::{Scene, header, options, task};

/// A project, with a folder of others next to it.
fn project(scene: &Scene) -> std::path::PathBuf {
    let root = scene.folder.path().join("project");
    fs::create_dir(&root).expect("a project");
    fs::create_dir(scene.folder.path().join("outside")).expect("a folder");
    fs::write(scene.folder.path().join("outside/victim"), "").expect("a victim");
    root
}

#[test]
fn links_out_of_the_project_are_not_written_through() {
    let scene = Scene::new();
    let root = project(&scene);
    symlink("../outside/victim", root.join("file.jsonl")).expect("a link");
    symlink("../outside", root.join("folder")).expect("a link");
    symlink("../outside/new", root.join("dangling.jsonl")).expect("a link");
    for (name, message) in [
        (
            "file.jsonl",
            "`file.jsonl` cannot be written: the link `file.jsonl` points outside the project, to `../outside/victim`",
        ),
        (
            "folder/new.jsonl",
            "`folder/new.jsonl` cannot be written: the link `folder` points outside the project, to `../outside`",
        ),
        (
            "dangling.jsonl",
            "`dangling.jsonl` cannot be written: the link `dangling.jsonl` points outside the project, to `../outside/new`",
        ),
    ] {
        let file = SessionFile::named(&root, &root, Path::new(name));
        let error = Log::create(&file, &header(), options()).expect_err("refused");
        assert_eq!(error.to_string(), message);
    }
    let outside = fs::read_dir(scene.folder.path().join("outside")).expect("a folder");
    assert_eq!(outside.count(), 1);
    let victim = fs::read_to_string(scene.folder.path().join("outside/victim"));
    assert_eq!(victim.ok().as_deref(), Some(""));
}

#[test]
fn blobs_are_not_written_through_links() {
    let scene = Scene::new();
    let root = project(&scene);
    symlink("../outside", root.join("run.blobs")).expect("a link");
    let file = SessionFile::named(&root, &root, Path::new("run.jsonl"));
    let mut log = Log::create(&file, &header(), options()).expect("a log");
    let error = log.write_blob("x").expect_err("refused").to_string();
    assert!(
        error.ends_with("the link `run.blobs` points outside its folder, to `../outside`"),
        "{error}"
    );
    let outside = fs::read_dir(scene.folder.path().join("outside")).expect("a folder");
    assert_eq!(outside.count(), 1);
}

#[test]
fn sessions_are_not_read_through_links() {
    let scene = Scene::new();
    let root = project(&scene);
    symlink("../outside/victim", root.join("file.jsonl")).expect("a link");
    let file = SessionFile::named(&root, &root, Path::new("file.jsonl"));
    let error = cogtools_log::Session::read(&file).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "`file.jsonl` cannot be read: a link points outside the project"
    );
    let error = Log::open(&file, options()).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "`file.jsonl` cannot be read: a link points outside the project"
    );
}

#[test]
fn only_regular_files_are_sessions() {
    let scene = Scene::new();
    let root = project(&scene);
    fs::create_dir(root.join("folder.jsonl")).expect("a folder");
    let file = SessionFile::named(&root, &root, Path::new("folder.jsonl"));
    let error = Log::open(&file, options()).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "`folder.jsonl` cannot be read: not a regular file"
    );
    let error = Log::create(&file, &header(), options()).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "`folder.jsonl` cannot be written: Is a directory (os error 21)"
    );
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let scene = Scene::new();
    let mut log = scene.create();
    log.append(None, task("first")).expect("appended");
    drop(log);
    if fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0) {
        // Nothing is read-only for root; a missing folder cannot be written either.
        let root = scene.folder.path().join("gone");
        let file = SessionFile::named(&root, &root, Path::new("run.jsonl"));
        let error = Log::create(&file, &header(), options()).expect_err("refused");
        assert_eq!(
            error.to_string(),
            "`run.jsonl` cannot be written: No such file or directory (os error 2)"
        );
        return;
    }
    fs::set_permissions(scene.path(), fs::Permissions::from_mode(0o400)).expect("read-only");
    let error = scene.open().map(drop).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "`run.jsonl` cannot be written: Permission denied (os error 13)"
    );
    assert_eq!(
        scene.read().map(|session| session.entries.len()).ok(),
        Some(1)
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_device_is_not_a_session() {
    let root = Path::new("/dev");
    let file = SessionFile::named(root, root, "full".as_ref());
    let error = Log::create(&file, &header(), options()).expect_err("an error");
    assert_eq!(
        error.to_string(),
        "`full` cannot be written: not a regular file"
    );
}
