//! Files are written atomically, and never outside their folder.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use cogtools_document::file::{
    Expected, Mode, ReadScope, WriteError, WritePath, create, has_secrets, remove,
    replace_if_unchanged, replace_private, write, write_temp,
};
use cogtools_document::text;
use tempfile::TempDir;

/// A folder with a project, and a folder `outside` next to it.
fn scene() -> TempDir {
    let scene = tempfile::tempdir().expect("a folder");
    fs::create_dir(scene.path().join("project")).expect("a project");
    fs::create_dir(scene.path().join("outside")).expect("a folder next to it");
    fs::write(scene.path().join("outside/victim"), "theirs").expect("a victim");
    scene
}

fn path(scene: &TempDir, below: &str) -> WritePath {
    let root = scene.path().join("project");
    WritePath::in_project(&root, Path::new(below))
}

fn link(scene: &TempDir, name: &str, target: &str) {
    symlink(target, scene.path().join("project").join(name)).expect("a link");
}

/// All files below `scene`, with their content or link target.
fn files(scene: &TempDir) -> Vec<String> {
    fn list(folder: &Path, root: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(root).expect("below").display();
            if let Ok(target) = fs::read_link(&path) {
                found.push(format!("{name} -> {}", target.display()));
            } else if path.is_dir() {
                found.push(format!("{name}/"));
                list(&path, root, found);
            } else {
                let text = fs::read_to_string(&path).expect("text");
                found.push(format!("{name}: {text}"));
            }
        }
    }
    let mut found = Vec::new();
    list(scene.path(), scene.path(), &mut found);
    found.retain(|line| line != "project/" && line != "outside/");
    found.sort();
    found
}

const VICTIM: &str = "outside/victim: theirs";

/// Replaces `before` by `new` in a file that contains `now`, and checks the files.
#[track_caller]
fn replaced(now: Option<&str>, before: Option<&str>, expected: Result<&[&str], &str>) {
    let scene = scene();
    let file = path(&scene, "sub/file");
    if let Some(now) = now {
        create(&file, now.as_bytes(), Mode::Data).expect("a file");
    }
    let old = files(&scene);
    let done = replace_if_unchanged(&file, before.map(str::as_bytes), b"new");
    let done = done.map_err(|error| error.to_string());
    assert_eq!(done, expected.map(drop).map_err(str::to_owned));
    let left = expected.map_or(old, |left| left.iter().map(|it| (*it).to_owned()).collect());
    assert_eq!(files(&scene), left);
}

#[test]
fn only_unchanged_content_is_replaced() {
    let new = &[VICTIM, "project/sub/", "project/sub/file: new"];
    let changed = "it was changed by another program meanwhile";
    replaced(Some("old"), Some("old"), Ok(new));
    replaced(None, None, Ok(new));
    replaced(Some("older"), Some("old"), Err(changed));
    replaced(Some("ol"), Some("old"), Err(changed));
    replaced(Some("other"), None, Err(changed));
    let missing = "No such file or directory (os error 2)";
    replaced(None, Some("old"), Err(missing));
}

#[test]
fn of_many_who_replace_the_same_content_only_one_succeeds() {
    for _ in 0..50 {
        let scene = scene();
        create(&path(&scene, "file"), b"old", Mode::Data).expect("a file");
        let replace = |index: usize| {
            let new = format!("new {index}");
            replace_if_unchanged(&path(&scene, "file"), Some(b"old"), new.as_bytes()).is_ok()
        };
        let done = std::thread::scope(|scope| {
            let threads = [0, 1, 2, 3].map(|index| scope.spawn(move || replace(index)));
            threads.map(|thread| thread.join().expect("no panic"))
        });
        assert_eq!(done.iter().filter(|done| **done).count(), 1, "{done:?}");
    }
}

#[test]
fn any_content_is_overwritten() {
    let scene = scene();
    for content in ["one", "two"] {
        write(&path(&scene, "file"), content.as_bytes()).expect("written");
        assert_eq!(files(&scene), [VICTIM, &format!("project/file: {content}")]);
    }
    remove(&path(&scene, "file")).expect("removed");
    assert_eq!(files(&scene), [VICTIM]);
}

#[test]
fn links_and_permissions_are_preserved() {
    let scene = scene();
    let file = path(&scene, "file");
    create(&file, b"old", Mode::Data).expect("a file");
    let mode = |bits| fs::Permissions::from_mode(bits);
    fs::set_permissions(file.full(), mode(0o640)).expect("a mode");
    link(&scene, "link", "file");
    replace_if_unchanged(&path(&scene, "link"), Some(b"old"), b"new").expect("replaced");
    write(&path(&scene, "link"), b"newer").expect("written");
    let after = ["project/file: newer", "project/link -> file"];
    assert_eq!(files(&scene)[1..], after);
    let bits = |path: &WritePath| {
        let meta = fs::metadata(path.full()).expect("a file");
        meta.permissions().mode() & 0o777
    };
    assert_eq!(bits(&file), 0o640);
    // A private file replaces the link.
    replace_private(&path(&scene, "link"), b"secret").expect("replaced");
    let after = ["project/file: newer", "project/link: secret"];
    assert_eq!(files(&scene)[1..], after);
    assert_eq!(bits(&path(&scene, "link")), 0o600);
}

#[test]
fn a_link_that_stays_inside_is_followed() {
    let targets = |scene: &TempDir| {
        let root = scene.path().join("project");
        [
            "real".to_owned(),
            "./real/../real".to_owned(),
            "../project/real".to_owned(),
            root.join("real").display().to_string(),
            format!("{}/outside/../project/real", scene.path().display()),
        ]
    };
    for (at, target) in targets(&scene()).iter().enumerate() {
        let scene = scene();
        let target = targets(&scene).get(at).unwrap_or(target).clone();
        fs::create_dir(scene.path().join("project/real")).expect("a folder");
        link(&scene, "link", &target);
        write(&path(&scene, "link/file"), b"new").expect("written");
        let expected = [
            VICTIM.to_owned(),
            format!("project/link -> {target}"),
            "project/real/".to_owned(),
            "project/real/file: new".to_owned(),
        ];
        assert_eq!(files(&scene), expected, "{target}");
    }
}

/// Checks that no write to `file` succeeds while `name` is a link to `target`.
#[track_caller]
fn refused(file: &str, name: &str, target: &str, expected: &str) {
    let scene = scene();
    fs::create_dir(scene.path().join("project/a")).expect("a folder");
    let target = target.replace("SCENE", &scene.path().display().to_string());
    link(&scene, name, &target);
    let before = files(&scene);
    let file = path(&scene, file);
    let all: [(&str, Result<(), WriteError>); 4] = [
        ("create", create(&file, b"x", Mode::Program)),
        ("absent", replace_if_unchanged(&file, None, b"x")),
        (
            "replace",
            replace_if_unchanged(&file, Some(b"theirs"), b"x"),
        ),
        ("write", write(&file, b"x")),
    ];
    for (what, done) in all {
        let error = done.expect_err(what);
        let message = format!("{error} ({})", error.hint(""));
        let message = message.replace(&scene.path().display().to_string(), "SCENE");
        assert_eq!(message, expected, "{what}");
    }
    assert_eq!(files(&scene), before);
}

#[test]
fn a_link_out_of_the_project_is_refused() {
    for target in [
        "../outside/victim",
        "SCENE/outside/victim",
        "../outside/none",
        "SCENE/none/none",
        "../project/../outside/victim",
        "a/../../outside/victim",
        "/dev/null",
        "..",
    ] {
        let expected = format!(
            "the link `link` points outside the project, to `{target}` (replace `link` with a \
             regular file or folder, then run this again)"
        );
        refused("link", "link", target, &expected);
    }
    for target in ["../../outside", "SCENE/outside", "../../none"] {
        let expected = format!(
            "the link `a/link` points outside the project, to `{target}` (replace `a/link` with \
             a regular file or folder, then run this again)"
        );
        refused("a/link/victim", "a/link", target, &expected);
        refused("a/link/new/folder/file", "a/link", target, &expected);
    }
    refused(
        "link/file",
        "link",
        "link",
        "Too many levels of symbolic links (os error 40) ()",
    );
}

#[test]
fn a_dangling_link_is_refused() {
    for target in ["none", "a/none", "../project/none", "SCENE/project/none"] {
        let expected = format!(
            "the link `link` points to `{target}`, which does not exist (create the target of \
             `link`, or remove the link, then run this again)"
        );
        refused("link", "link", target, &expected);
        refused("link/file", "link", target, &expected);
        refused("link/new/file", "link", target, &expected);
    }
}

#[test]
fn a_file_behind_a_link_out_of_the_project_is_not_removed() {
    let scene = scene();
    link(&scene, "link", "../outside");
    let error = remove(&path(&scene, "link/victim")).expect_err("refused");
    let expected = "the link `link` points outside the project, to `../outside`";
    assert_eq!(error.to_string(), expected);
    remove(&path(&scene, "link")).expect("the link itself");
    assert_eq!(files(&scene), [VICTIM]);
}

#[test]
fn a_link_that_is_swapped_in_is_not_followed() {
    let scene = scene();
    let root = scene.path().join("project");
    create(&path(&scene, "sub/victim"), b"ours", Mode::Data).expect("a file");
    let file = path(&scene, "sub/victim");
    let mut temp = write_temp(&file, Expected::Anything, b"new", Mode::Data).expect("on disk");
    fs::rename(root.join("sub"), root.join("away")).expect("moved");
    link(&scene, "sub", "../outside");
    temp.commit().expect("in place");
    drop(temp);
    let expected = [
        VICTIM,
        "project/away/",
        "project/away/victim: new",
        "project/sub -> ../outside",
    ];
    assert_eq!(files(&scene), expected);
    // The file itself is swapped: the link is replaced, and its target is unchanged.
    let file = path(&scene, "file");
    let mut temp = write_temp(&file, Expected::Anything, b"new", Mode::Data).expect("on disk");
    link(&scene, "file", "../outside/victim");
    temp.commit().expect("in place");
    assert_eq!(files(&scene)[0], VICTIM);
    assert_eq!(fs::read(root.join("file")).expect("a file"), b"new");
    // Expected content is not read through a link.
    let file = path(&scene, "other");
    create(&file, b"theirs", Mode::Data).expect("a file");
    let expected = Expected::Bytes(b"theirs");
    let mut temp = write_temp(&file, expected, b"new", Mode::Data).expect("on disk");
    fs::remove_file(root.join("other")).expect("removed");
    link(&scene, "other", "../outside/victim");
    let error = temp.commit().expect_err("refused");
    assert_eq!(
        error.to_string(),
        "Too many levels of symbolic links (os error 40)"
    );
    assert_eq!(files(&scene)[0], VICTIM);
}

#[test]
fn an_uncommitted_file_leaves_nothing_behind() {
    let scene = scene();
    let file = path(&scene, "a/b/file");
    drop(write_temp(&file, Expected::Absent, b"x", Mode::Data).expect("on disk"));
    assert_eq!(files(&scene), [VICTIM]);
}

#[test]
fn a_user_file_is_written_to_the_target_of_its_link() {
    let scene = scene();
    link(&scene, "config", "../outside/victim");
    let config = scene.path().join("project/config");
    write(&WritePath::of_user(&config), b"new").expect("written");
    let expected = ["outside/victim: new", "project/config -> ../outside/victim"];
    assert_eq!(files(&scene), expected);
    // A file named on the command line is written in its folder.
    let error = write(&WritePath::in_folder(&config), b"x").expect_err("refused");
    let expected = "the link `config` points outside its folder, to `../outside/victim`";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn secrets_have_their_names_below_the_root() {
    let scene = tempfile::tempdir().expect("a folder");
    let root = scene.path().join(".docker/project");
    fs::create_dir_all(root.join(".ssh")).expect("a project");
    for name in ["a.txt", ".env", ".ssh/config", "../other.txt"] {
        fs::write(root.join(name), "x").expect("a file");
    }
    symlink(".env", root.join("link")).expect("a link");
    symlink("../other.txt", root.join("out")).expect("a link");
    for (path, expected) in [
        ("a.txt", false),
        ("missing.txt", false),
        (".env", true),
        (".ssh/config", true),
        ("link", true),
        // Outside, the names of all folders count.
        ("out", true),
    ] {
        let full = root.join(path);
        assert_eq!(has_secrets(&root, Path::new(path)), expected, "{path}");
        assert_eq!(has_secrets(&root, &full), expected, "{path}");
    }
}

#[test]
fn a_file_that_is_too_large_is_refused_with_its_own_limit() {
    let scene = tempfile::tempdir().expect("a folder");
    let path = scene.path().join("large");
    let name = Path::new("large");
    let file = fs::File::create(&path).expect("a file");
    file.set_len((2 << 20) + 1).expect("a size");
    let read = |limit| {
        let read = text::bytes(&path, name, limit, &ReadScope::User);
        read.map(|bytes| bytes.len())
            .map_err(|error| error.to_string())
    };
    assert_eq!(
        read(2 << 20),
        Err("`large` is larger than 2 MiB".to_owned())
    );
    assert_eq!(read(512), Err("`large` is larger than 512 B".to_owned()));
    assert_eq!(read((2 << 20) + 1), Ok((2 << 20) + 1));
}
