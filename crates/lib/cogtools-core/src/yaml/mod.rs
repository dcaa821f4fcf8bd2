//! YAML with locations: a tree in which every key and value has a span.
//!
//! The events come from a conforming parser. This module restricts documents: YAML 1.2
//! core schema, one document, unique string keys, and limits against malicious files.

mod error;
mod flow;
mod frame;
mod loader;
mod node;
mod scalar;
mod simple;

pub use error::{YamlError, YamlErrorKind};
pub use node::{Data, Entry, Node};

use crate::text::Text;

/// How deep collections may nest.
pub const MAX_DEPTH: usize = 64;
/// How many nodes a document may have, with each alias counted in full.
pub const MAX_NODES: usize = 100_000;
/// The total length of a document's strings in bytes, with each alias counted in
/// full: 32 MiB.
pub const MAX_TEXT: usize = 32 << 20;

/// Parses the document in `text`; an empty text is a null node.
pub fn parse(text: &Text) -> Result<Node, YamlError> {
    match simple::read(text.as_str()) {
        Some(node) => Ok(node),
        None => loader::load(text.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    /// Whether the fast reader reads `text`. It must find what the parser finds.
    #[track_caller]
    fn is_simple(text: &str) -> bool {
        let Some(found) = simple::read(text) else {
            return false;
        };
        let expected = loader::load(text);
        let expected = expected.unwrap_or_else(|error| panic!("{error:?}:\n{text}"));
        let (found, expected) = (format!("{found:?}"), format!("{expected:?}"));
        let same = found
            .bytes()
            .zip(expected.bytes())
            .take_while(|(a, b)| a == b)
            .count();
        let rest = |tree: &str| {
            tree[same.saturating_sub(60)..]
                .chars()
                .take(120)
                .collect::<String>()
        };
        assert_eq!(rest(&found), rest(&expected), "\n{text}");
        true
    }

    /// The texts of our own tools.
    fn tools() -> Vec<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tools");
        let entries = std::fs::read_dir(folder).expect("the tools");
        let paths = entries.map(|entry| entry.expect("a file").path());
        let is_tool = |path: &PathBuf| path.extension().is_some_and(|it| it == "yaml");
        let read = |path| std::fs::read_to_string(path).expect("a text");
        paths.filter(is_tool).map(read).collect()
    }

    /// Numbers that are the same in each run.
    fn numbers() -> impl FnMut(usize) -> usize {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        move |below| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state >> 33).unwrap_or_default() % below
        }
    }

    #[test]
    fn tool_files_are_simple() {
        for text in tools() {
            assert!(is_simple(&text), "{text}");
        }
    }

    #[test]
    fn tool_files_with_a_change_are_read_as_the_parser_reads_them() {
        const CHANGES: [&str; 16] = [
            "", " ", "  ", "\n", ":", ": ", "-", "- ", "#", " #", "'", "\"", "{", "]", ",", "|",
        ];
        let mut random = numbers();
        let mut simple = 0;
        for text in tools() {
            for _ in 0..200 {
                let mut text = text.clone();
                let at = text.floor_char_boundary(random(text.len()));
                let end = text.ceil_char_boundary(at + random(2));
                text.replace_range(at..end, CHANGES[random(CHANGES.len())]);
                simple += usize::from(is_simple(&text));
            }
        }
        assert!(simple > 500, "{simple}");
    }

    #[test]
    fn what_is_simple() {
        for text in [
            "a: b\n",
            "a:\n  b: {c: [d, 1, {}], e: 'f'}\n",
            "# c\n\na: \"x\" # c\nb:\n- c\n- d: e\n  f: g\n-\n  h: i\n",
            "a: |\n  b\n\n    c\n  # d\n\n# e\nf: |-\n  g\n\n",
        ] {
            assert!(is_simple(text), "{text}");
        }
    }

    #[test]
    fn what_is_not_simple() {
        for text in [
            "a: b\n  c\n",
            "a: *b\n",
            "a: &b c\n",
            "a: !!str b\n",
            "a: >\n  b\n",
            "a: |+\n  b\n",
            "a: |2\n  b\n",
            "a: |\n\n  b\n",
            "a: |\n  b\n      \n  c\n",
            "a: \"b\\x41\"\n",
            "a: \"b\\\n",
            "a: 'b''c'\n",
            "a: \"b\n  c\"\n",
            "a: b: c\n",
            "a: b\na: c\n",
            "a:\n",
            "- a\n",
            "a: [b,\n  c]\n",
            "a: [b: c]\n",
            "a: [b,]\n",
            "? a\n",
            "---\na: b\n",
            "a: b",
            "a: b\r\n",
            "a:\tb\n",
            "a: b\n...\n",
            "1: a\n",
            "a: 01\n",
            "a: \u{a0}b\n",
        ] {
            assert!(!is_simple(text), "{text}");
        }
    }

    /// Documents of random lines: most are not valid, and many that are valid are odd.
    #[test]
    fn the_fast_reader_finds_what_the_parser_finds() {
        const LINES: [&str; 44] = [
            "a: b",
            "b: 1",
            "c:",
            "d: {e: f}",
            "e: [1, 'x', \"y\"]",
            "f: |",
            "g: |-",
            "- h",
            "-",
            "- i: j",
            "- k:",
            "- l: |",
            "# m",
            "",
            "n",
            "o: 'p' # q",
            "r: s # t",
            "u: v#w",
            "x: -1",
            "y: true",
            "- - z",
            "- [a, {b: c}]",
            "'a': b",
            "a: ~",
            "b: \"c\" d",
            "c: d: e",
            "- e: f",
            "f: {g: h, i: {j: []}}",
            "k: [l m, n(o)]",
            "p: ä €",
            "q: {a: b",
            "r: a, b",
            "s: x:y",
            "t: http://x/y",
            "- {a: b}",
            "- 'q'",
            "u: .5",
            "v: null",
            "w: a  ",
            "x: {{ y }}",
            r#"z: "a\"b\n\\" # c"#,
            "b: | # c",
            "b: |#c",
            r#"y: ["a\t", 1]"#,
        ];
        let mut random = numbers();
        let mut simple = 0;
        for _ in 0..100_000 {
            let mut text = String::new();
            for _ in 0..=random(7) {
                let blanks = [0, 0, 2, 2, 4, 1, 3][random(7)];
                text.extend(std::iter::repeat_n(' ', blanks));
                text.push_str(LINES[random(LINES.len())]);
                text.push('\n');
            }
            simple += usize::from(is_simple(&text));
        }
        assert!(simple > 2_000, "{simple}");
    }
}
