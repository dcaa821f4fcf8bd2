//! The pictures as they are committed.

use std::fs;
use std::path::Path;

use xtask_manual::pictures;

/// Pictures of Neovim with the language server, of a real window, which `cargo xtask editors`
/// takes, and of pages in a real browser, which the test `browser` takes when it renews expected
/// text.
const PHOTOGRAPHS: [&str; 7] = [
    "editor-ask.png",
    "editor-lint.png",
    "ui-branches.png",
    "ui-dark.png",
    "ui-light.png",
    "ui-list.png",
    "ui-question.png",
];

#[test]
fn the_committed_pictures_are_those_the_code_makes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures");
    let pictures = pictures().unwrap();
    for picture in &pictures {
        let found = fs::read_to_string(folder.join(picture.file)).unwrap_or_default();
        assert!(
            found.replace("\r\n", "\n") == picture.text,
            "docs/pictures/{} is stale: `cargo xtask pictures` regenerates it",
            picture.file
        );
    }
    let mut found: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    let made = pictures.iter().map(|picture| picture.file);
    let mut expected: Vec<&str> = made.chain(PHOTOGRAPHS).collect();
    expected.sort_unstable();
    assert_eq!(
        found, expected,
        "docs/pictures has other files than the code makes"
    );
}

#[test]
fn a_session_is_shown_with_its_calls_and_its_end() {
    let pictures = pictures().unwrap();
    let svg = &pictures[1].text;
    for shown in ["cogtools session show", "run_tests", "granted", "completed"] {
        assert!(svg.contains(shown), "{shown} is not in {svg}");
    }
    assert!(!svg.contains('\u{1b}'), "{svg}");
}

/// The text of the picture: an up-to-date picture of a failed run would be useless.
#[test]
fn the_linter_is_shown_at_work() {
    let pictures = pictures().unwrap();
    let svg = &pictures[0].text;
    for shown in [
        "cogtools lint",
        "error[type-spelling]",
        "error[unknown-member]",
        "2 files: ",
    ] {
        assert!(svg.contains(shown), "{shown} is not in {svg}");
    }
    assert!(!svg.contains('\u{1b}'), "{svg}");
}

/// Lines appear in their order, within the length of the recording, and the runs succeed but for
/// the misspelt one.
#[test]
fn the_recording_shows_a_tool_and_its_calls() {
    let pictures = pictures().unwrap();
    let svg = &pictures[2].text;
    for shown in [
        "cat tools/hello.yaml",
        "Hello, Ada!",
        "preson",
        "SCHEMA_VIOLATION",
    ] {
        assert!(svg.contains(shown), "{shown} is not in {svg}");
    }
    assert_eq!(
        svg.matches("error[").count(),
        svg.matches("error[SCHEMA_VIOLATION]").count()
    );
    let delays = svg.split("animation-delay: ").skip(1);
    let delays: Vec<f64> = delays
        .map(|rest| rest.split('s').next().unwrap().parse().unwrap())
        .collect();
    assert!(delays.is_sorted() && delays.len() > 20, "{delays:?}");
    assert!(*delays.last().unwrap() < 20.0, "{delays:?}");
    assert!(!svg.contains('\u{1b}'), "{svg}");
}
