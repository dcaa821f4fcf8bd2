//! The shape of the source: short files and short functions, each module with
//! a word about itself, nothing that panics.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn sources_keep_their_shape() {
    let mut found = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut found,
    );
    assert!(found.len() > 20, "the sources were not found");
    for path in found {
        let text = fs::read_to_string(&path).expect("a source");
        let name = path.display();
        assert!(
            text.lines().count() <= 600,
            "{name} has more than 600 lines"
        );
        let head = text
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .count();
        let most = if path.ends_with("lib.rs") { 200 } else { 10 };
        assert!(
            (1..=most).contains(&head),
            "{name} opens with {head} lines of documentation"
        );
        for word in [".unwrap()", ".expect(\"", "panic!(", "println!(", "todo!("] {
            let code = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            let count = code.filter(|line| line.contains(word)).count();
            assert_eq!(count, 0, "{name} has {word}");
        }
    }
}
