//! Parts of a session, read by the positions of its lines.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use cogtools_log::{Index, SessionFile};

const HEADER: &str = "{\"kind\":\"session\",\"format\":1,\"session\":\"7f3a9c21be\",\
    \"time\":\"2026-11-22T09:00:00.000Z\",\"project\":\"shop\",\"program\":\"0.1.0\",\"model\":\"m\"}\n";

/// A session with this many entries.
fn text(entries: usize) -> String {
    let mut text = HEADER.to_owned();
    for id in 1..=entries {
        let parent = (id > 1)
            .then_some(id - 1)
            .map_or("null".to_owned(), |id| id.to_string());
        let _ = writeln!(
            text,
            "{{\"id\":{id},\"parent\":{parent},\"time\":\"2026-11-22T09:00:00.000Z\",\
             \"kind\":\"end\",\"status\":\"completed\"}}"
        );
    }
    text
}

fn open(folder: &Path) -> Index {
    let file = SessionFile::named(folder, folder, Path::new("s.jsonl"));
    Index::open(file).expect("a session")
}

#[test]
fn another_file_in_its_place_is_noticed_whatever_its_length() {
    for entries in [1, 2, 3, 9] {
        for in_place in [false, true] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("s.jsonl");
            let old = text(3);
            fs::write(&path, &old).expect("it is written");
            let mut index = open(folder.path());
            let content = index.content();
            // What is appended leaves the name of what was there.
            fs::write(&path, format!("{old}{{}}\n")).expect("it is written");
            index.refresh().expect("lines");
            assert_eq!((index.lines(), index.content()), (5, content.clone()));
            let other = folder.path().join("other");
            let name = if in_place { &path } else { &other };
            fs::write(name, text(entries).replace("completed", "cancelled")).expect("written");
            if !in_place {
                fs::rename(&other, &path).expect("it takes its place");
            }
            index.refresh().expect("lines");
            let case = format!("{entries} entries, in place: {in_place}");
            assert_ne!(index.content(), content, "{case}");
            assert_eq!(index.lines(), entries + 1, "{case}");
            let last = index
                .read(entries + 1..entries + 2)
                .expect("lines")
                .remove(0);
            assert!(last.text.contains("cancelled"), "{case}: {}", last.text);
        }
    }
}

/// The numbers of the lines and of their entries; 0 for what is no entry.
fn read(index: &Index, first: usize, behind: usize) -> Vec<(usize, u64)> {
    let lines = index.read(first..behind).expect("lines");
    let entry =
        |line: cogtools_log::Line| (line.number, line.entry.map_or(0, |entry| entry.id.get()));
    lines.into_iter().map(entry).collect()
}

#[test]
fn any_part_is_read_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("s.jsonl"), text(5)).expect("it is written");
    let index = open(folder.path());
    assert_eq!((index.lines(), index.header().model.as_str()), (6, "m"));
    assert_eq!(read(&index, 3, 5), [(3, 2), (4, 3)]);
    // The header is not an entry, and behind the end is nothing.
    assert_eq!(read(&index, 0, 3), [(2, 1)]);
    assert_eq!(read(&index, 6, usize::MAX), [(6, 5)]);
    for (first, behind) in [(0, 0), (1, 2), (5, 4), (7, 9), (usize::MAX, usize::MAX)] {
        assert_eq!(read(&index, first, behind), [], "{first}..{behind}");
    }
}

#[test]
fn what_is_appended_is_found_and_what_is_replaced_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.jsonl");
    let whole = text(3);
    fs::write(&path, &whole[..whole.len() - 9]).expect("it is written");
    let mut index = open(folder.path());
    // A line without its end is not one.
    assert_eq!(read(&index, 2, 9), [(2, 1), (3, 2)]);
    fs::write(&path, format!("{whole}{{\"id\":4,\nnot JSON\n")).expect("it is written");
    index.refresh().expect("lines");
    assert_eq!(read(&index, 3, 9), [(3, 2), (4, 3), (5, 0), (6, 0)]);
    fs::write(&path, text(1).replace("\"m\"", "\"other\"")).expect("it is written");
    index.refresh().expect("lines");
    assert_eq!((index.lines(), index.header().model.as_str()), (2, "other"));
    fs::remove_file(&path).expect("it is removed");
    index.refresh().expect_err("it is gone");
}
