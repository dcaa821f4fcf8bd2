//! The kind of operation of a tool, and of a request: to read, to create, to delete.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::text::stem;
use super::words::{Phrases, entries, lines};
use crate::Tool;

/// Kinds of operations, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Verbs(u16);

const READ: Verbs = Verbs(1);
const LIST: Verbs = Verbs(1 << 1);
const SEARCH: Verbs = Verbs(1 << 2);
const COUNT: Verbs = Verbs(1 << 3);
const CREATE: Verbs = Verbs(1 << 4);
const UPDATE: Verbs = Verbs(1 << 5);
const DELETE: Verbs = Verbs(1 << 6);
const SEND: Verbs = Verbs(1 << 7);
const MOVE: Verbs = Verbs(1 << 8);
const COPY: Verbs = Verbs(1 << 9);
const RUN: Verbs = Verbs(1 << 10);
const STOP: Verbs = Verbs(1 << 11);
/// The kinds that change nothing.
const READING: Verbs = Verbs(0b1111);

/// The names of the kinds in the table.
const NAMES: [(&str, Verbs); 12] = [
    ("read", READ),
    ("list", LIST),
    ("search", SEARCH),
    ("count", COUNT),
    ("create", CREATE),
    ("update", UPDATE),
    ("delete", DELETE),
    ("send", SEND),
    ("move", MOVE),
    ("copy", COPY),
    ("run", RUN),
    ("stop", STOP),
];

/// The table of the words.
static TABLE: LazyLock<Table> = LazyLock::new(|| Table::parse(include_str!("words/verbs.txt")));

#[derive(Debug, Default)]
struct Table {
    single: BTreeMap<String, Verbs>,
    phrases: Phrases<Verbs>,
}

impl Table {
    fn parse(text: &str) -> Self {
        let mut table = Self::default();
        for line in lines(text) {
            let Some((name, words)) = line.split_once(':') else {
                continue;
            };
            let kind = NAMES.iter().find(|(known, _)| *known == name);
            let kind = kind.map_or(Verbs::default(), |(_, kind)| *kind);
            for entry in entries(words) {
                let pattern: Vec<String> = entry.split(' ').map(stem).collect();
                if let [only] = pattern.as_slice() {
                    table.single.entry(only.clone()).or_default().add(kind);
                } else {
                    table.phrases.add(pattern, kind);
                }
            }
        }
        table
    }

    fn of(&self, stem: &str) -> Verbs {
        self.single.get(stem).copied().unwrap_or_default()
    }
}

impl Verbs {
    const fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    const fn is_empty(self) -> bool {
        self.0 == 0
    }

    const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns true if `stem` is of a word for one of these kinds.
    pub(super) fn has(self, stem: &str) -> bool {
        TABLE.of(stem).meets(self)
    }

    /// Returns true if this is the stem of a word for kinds of operations.
    pub(super) fn is_verb(stem: &str) -> bool {
        !TABLE.of(stem).is_empty()
    }

    /// Returns the kinds of a request of these words: of its phrases, or else of its first verb.
    pub(super) fn of_request(stems: &[&str]) -> Self {
        let mut kinds = Self::default();
        for kind in TABLE.phrases.find(stems) {
            kinds.add(*kind);
        }
        if kinds.is_empty() {
            kinds = first(stems.iter().copied());
        }
        kinds
    }

    /// Returns the kinds of a tool whose name is of these stems.
    pub(super) fn of_tool(tool: &Tool, name: &[String]) -> Self {
        let kinds = first(name.iter().map(String::as_str));
        let is_read_only = tool.annotations().read_only == Some(true);
        if kinds.is_empty() && is_read_only {
            return READING;
        }
        kinds
    }

    /// Returns how well an operation of this kind does what is asked for, from -1 to 1.
    pub(super) fn fit(self, asked: Self) -> f64 {
        let is_unknown = self.is_empty() || asked.is_empty();
        if is_unknown {
            0.0
        } else if self.meets(asked) {
            1.0
        } else if self.meets(READING) == asked.meets(READING) {
            0.0
        } else {
            -1.0
        }
    }
}

/// Returns the kinds of the first verb among `stems`.
fn first<'a>(stems: impl Iterator<Item = &'a str>) -> Verbs {
    let mut kinds = stems.map(|stem| TABLE.of(stem));
    kinds.find(|kinds| !kinds.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;

    fn kinds(text: &str) -> Verbs {
        let stems: Vec<String> = text.split(' ').map(stem).collect();
        let stems: Vec<&str> = stems.iter().map(String::as_str).collect();
        Verbs::of_request(&stems)
    }

    #[track_caller]
    fn check_tool(name: &str, rest: &str, expected: Verbs) {
        let text = format!("name: {name}\ndescription: Does it\nimplementation: a\n{rest}");
        let text = Text::new(name, text.into_bytes()).expect("it is text");
        let tool = Tool::parse(text).expect("it is a tool");
        let stems: Vec<String> = name.split('_').map(stem).collect();
        assert_eq!(Verbs::of_tool(&tool, &stems), expected, "{name}");
    }

    #[test]
    fn every_line_of_the_table_is_a_kind() {
        for line in lines(include_str!("words/verbs.txt")) {
            let name = line.split_once(':').map(|(name, _)| name);
            let is_kind = NAMES.iter().any(|(known, _)| Some(*known) == name);
            assert!(is_kind, "{line}");
        }
    }

    #[test]
    fn a_request_wants_what_its_words_say() {
        for (text, expected) in [
            ("get rid of the label", DELETE),
            ("throw the old ones away", DELETE),
            ("erase the label", DELETE),
            ("how many are there", COUNT),
            ("broadcast it", SEND),
            ("the label", Verbs::default()),
        ] {
            assert!(
                kinds(text).meets(expected) || kinds(text) == expected,
                "{text}"
            );
        }
    }

    #[test]
    fn a_tool_does_what_its_name_or_its_annotations_say() {
        check_tool("label_delete", "", DELETE);
        check_tool("label", "", Verbs::default());
        let read_only = "annotations: {read_only: true}\n";
        check_tool("label", read_only, READING);
        check_tool("label_delete", read_only, DELETE);
    }

    #[test]
    fn reading_and_changing_do_not_fit() {
        for (tool, asked, expected) in [
            (DELETE, DELETE, 1.0),
            (DELETE, UPDATE, 0.0),
            (DELETE, LIST, -1.0),
            (LIST, DELETE, -1.0),
            (LIST, COUNT, 0.0),
            (LIST, Verbs::default(), 0.0),
            (Verbs::default(), LIST, 0.0),
        ] {
            let found = tool.fit(asked);
            assert!(
                (found - expected).abs() < f64::EPSILON,
                "{tool:?} {asked:?}"
            );
        }
    }
}
