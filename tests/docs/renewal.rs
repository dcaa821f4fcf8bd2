//! Replaces outdated lines of a document; all others keep every byte.

use std::fs;
use std::io::Write as _;

use super::document::Document;

/// Lines to replace.
#[derive(Debug)]
pub(super) struct Patch {
    /// The first of them, from 1.
    pub(super) line: usize,
    /// The number of lines.
    pub(super) count: usize,
    /// The indentation of each new line, equal to its block's.
    pub(super) indent: usize,
    /// The new lines.
    pub(super) text: String,
}

/// Writes a document with these patches, which are in the order of lines.
pub(super) fn renew(document: &Document, patches: &[Patch]) {
    let path = Document::root().join(&document.name);
    let text = patched(&document.text, patches);
    fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for patch in patches {
        let _ = writeln!(
            std::io::stderr(),
            "renewed {}:{}",
            document.name,
            patch.line
        );
    }
}

fn patched(text: &str, patches: &[Patch]) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut new = String::with_capacity(text.len());
    let mut next = 0;
    for patch in patches {
        let first = patch.line - 1;
        new.push_str(&lines[next..first].concat());
        for line in patch.text.lines() {
            if !line.is_empty() {
                new.push_str(&" ".repeat(patch.indent));
            }
            new.push_str(line);
            new.push('\n');
        }
        next = first + patch.count;
    }
    new.push_str(&lines[next..].concat());
    new
}

#[test]
fn only_patched_lines_change() {
    let patch = |line, count, indent, text: &str| Patch {
        line,
        count,
        indent,
        text: text.to_owned(),
    };
    let text = "one\n$ a\nold\nold\n\r\n  $ b\n  $ c\n  old\nend";
    let patches = [
        patch(3, 2, 0, "new\n"),
        patch(7, 0, 2, "more\n\nmore\n"),
        patch(8, 1, 2, ""),
    ];
    assert_eq!(
        patched(text, &patches),
        "one\n$ a\nnew\n\r\n  $ b\n  more\n\n  more\n  $ c\nend"
    );
}
