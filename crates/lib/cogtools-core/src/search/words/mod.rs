//! Words of the trade: the words of people, and the names of tools.
//!
//! The tables are text. A line with `=` has entries that are the same; one with `->` says what
//! tools call the entries on its left. An entry is a word or a phrase, in which `*` skips up to
//! five words. Lines that begin with a space continue the one before.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::Tool;
use crate::search::stem;

/// The number of words that `*` can skip.
const MAX_GAP: usize = 5;
/// The weight of a word that means the same.
const SAME: f64 = 0.9;
/// The weight of the name that tools use.
const NAMED: f64 = 0.65;

/// The tables, one for each trade.
const TABLES: [&str; 7] = [
    include_str!("code.txt"),
    include_str!("data.txt"),
    include_str!("office.txt"),
    include_str!("operations.txt"),
    include_str!("web.txt"),
    include_str!("trade.txt"),
    include_str!("general.txt"),
];

/// The one table that they make.
pub(super) static WORDS: LazyLock<Lexicon<Vec<Sense>>> =
    LazyLock::new(|| Lexicon::parse_senses(&TABLES));

/// A meaning of a word or a phrase.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sense {
    /// Stems that mean it together.
    pub(super) stems: Vec<String>,
    /// The certainty.
    pub(super) weight: f64,
}

/// Meanings of words and phrases, by their stems.
#[derive(Debug, Default)]
pub(super) struct Lexicon<T> {
    words: BTreeMap<String, T>,
    /// Phrases with their meanings, by the first word.
    phrases: BTreeMap<String, Vec<(Vec<String>, T)>>,
}

impl<T: Default> Lexicon<T> {
    /// Returns the meaning of a word, to be completed, or a new one of a phrase.
    fn entry(&mut self, said: Vec<String>) -> &mut T {
        let first = said[0].clone();
        if said.len() == 1 {
            return self.words.entry(first).or_default();
        }
        let phrases = self.phrases.entry(first).or_default();
        let new = phrases.len();
        phrases.push((said, T::default()));
        &mut phrases[new].1
    }

    /// Returns the meanings of the phrases in `stems`.
    pub(super) fn phrases(&self, stems: &[&str]) -> Vec<&T> {
        let starts = (0..stems.len()).filter_map(|at| Some((at, self.phrases.get(stems[at])?)));
        let found = starts.flat_map(|(start, patterns)| {
            let is_there = move |pattern: &[String]| begins(&stems[start + 1..], &pattern[1..]);
            let there = patterns
                .iter()
                .filter(move |(it, _)| is_there(it).is_some());
            there.map(|(_, meaning)| meaning)
        });
        found.collect()
    }
}

impl Lexicon<Vec<Sense>> {
    fn parse_senses(tables: &[&str]) -> Self {
        let mut words = Self::default();
        for line in tables.iter().flat_map(|table| lines(table)) {
            if let Some((said, meant)) = line.split_once("->") {
                let meant: Vec<Vec<String>> = entries(meant).map(stems).collect();
                for entry in entries(said) {
                    words.add(stems(entry), &meant, NAMED);
                }
            } else {
                let all: Vec<Vec<String>> = line.split('=').map(str::trim).map(stems).collect();
                for entry in &all {
                    words.add(entry.clone(), &all, SAME);
                }
            }
        }
        words
    }

    fn add(&mut self, said: Vec<String>, meant: &[Vec<String>], weight: f64) {
        let others = meant.iter().filter(|stems| **stems != said).cloned();
        let senses: Vec<Sense> = others.map(|stems| Sense { stems, weight }).collect();
        self.entry(said).extend(senses);
    }

    /// Returns the further meanings of the word with this stem.
    pub(super) fn of(&self, stem: &str) -> &[Sense] {
        self.words.get(stem).map_or(&[], Vec::as_slice)
    }
}

fn stems(entry: &str) -> Vec<String> {
    entry.split(' ').map(stem).collect()
}

/// Finds the words of `pattern` at the beginning of `stems`; `None` if they are not there.
fn begins(stems: &[&str], pattern: &[String]) -> Option<()> {
    let (mut rest, mut gap) = (stems, 0);
    for word in pattern {
        if word == "*" {
            gap = MAX_GAP;
            continue;
        }
        let skipped = rest.iter().take(gap + 1).position(|stem| stem == word)?;
        rest = &rest[skipped + 1..];
        gap = 0;
    }
    Some(())
}

/// Returns the lines of `table` without comments, each with the lines that continue it.
pub(super) fn lines(table: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        match (line.strip_prefix(' '), lines.last_mut()) {
            (Some(rest), Some(last)) => {
                last.push(' ');
                last.push_str(rest.trim());
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

/// Returns the entries of a list.
pub(super) fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
}

/// Kinds of operations: bit `n` is the kind `NAMES[n]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Verbs(u16);

/// The names of the kinds in the table.
const NAMES: [&str; 12] = [
    "read", "list", "search", "count", "create", "update", "delete", "send", "move", "copy", "run",
    "stop",
];

/// The kinds that change nothing: read, list, search and count.
const READING: Verbs = Verbs(0b1111);

/// The kinds after which something is no longer there: delete and stop.
const ENDING: Verbs = Verbs(1 << 6 | 1 << 11);

/// The table of the words.
static TABLE: LazyLock<Lexicon<Verbs>> =
    LazyLock::new(|| Lexicon::parse_verbs(include_str!("verbs.txt")));

impl Lexicon<Verbs> {
    fn parse_verbs(text: &str) -> Self {
        let mut table = Self::default();
        for line in lines(text) {
            let Some((name, words)) = line.split_once(':') else {
                continue;
            };
            for entry in entries(words) {
                table.entry(stems(entry)).add(Verbs::named(name));
            }
        }
        table
    }
}

impl Verbs {
    fn named(name: &str) -> Self {
        let bit = NAMES.iter().position(|known| *known == name);
        bit.map_or(Self::default(), |bit| Self(1 << bit))
    }

    /// Returns the kinds of the word with this stem.
    fn of(stem: &str) -> Self {
        TABLE.words.get(stem).copied().unwrap_or_default()
    }

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
        Self::of(stem).meets(self)
    }

    /// Returns true if this is the stem of a word for kinds of operations.
    pub(super) fn is_verb(stem: &str) -> bool {
        !Self::of(stem).is_empty()
    }

    /// Returns the kinds of a request of these words: of its phrases, or else of its first verb.
    pub(super) fn of_request(stems: &[&str]) -> Self {
        let mut kinds = Self::default();
        for kind in TABLE.phrases(stems) {
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
        let is_read_only = tool.annotations.read_only == Some(true);
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
        } else if self.meets(READING) == asked.meets(READING)
            && self.meets(ENDING) == asked.meets(ENDING)
        {
            0.0
        } else {
            -1.0
        }
    }
}

/// Returns the kinds of the first verb among `stems`.
fn first<'a>(stems: impl Iterator<Item = &'a str>) -> Verbs {
    let mut kinds = stems.map(Verbs::of);
    kinds.find(|kinds| !kinds.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_well_formed() {
        for line in TABLES.iter().flat_map(|table| lines(table)) {
            let (said, meant) = line.split_once("->").unwrap_or((&line, ""));
            let is_arrow = line.contains("->");
            let all: Vec<&str> = if is_arrow {
                entries(said).chain(entries(meant)).collect()
            } else {
                line.split('=').map(str::trim).collect()
            };
            assert!(all.len() > 1 && !said.is_empty(), "{line}");
            assert!(!is_arrow || entries(meant).count() > 0, "{line}");
            for entry in all {
                let is_letter =
                    |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
                let is_word = |word: &str| word == "*" || word.chars().all(is_letter);
                let is_entry = !entry.is_empty() && entry.split(' ').all(is_word);
                let is_open = entry.starts_with('*') || entry.ends_with('*');
                assert!(is_entry && !is_open, "{entry:?} in {line}");
            }
            assert!(entries(meant).all(|entry| !entry.contains('*')), "{line}");
        }
    }

    fn senses(words: &[Sense]) -> Vec<(String, f64)> {
        let senses = words.iter();
        senses
            .map(|sense| (sense.stems.join(" "), sense.weight))
            .collect()
    }

    #[test]
    fn entries_have_senses() {
        let table = "# Trade\nfolder = directory\npr, pull * back -> merge request,\n  folder\n";
        let words = Lexicon::parse_senses(&[table]);
        assert_eq!(
            senses(words.of(&stem("folder"))),
            [(stem("directory"), SAME)]
        );
        let meant = [("merg request".to_owned(), NAMED), (stem("folder"), NAMED)];
        assert_eq!(senses(words.of("pr")), meant);
        assert_eq!(senses(words.of("other")), []);
        for (stems, is_there) in [
            ("now pull it all back", true),
            ("pull back", true),
            ("pull a b c d e back", true),
            ("pull a b c d e f back", false),
            ("back pull", false),
        ] {
            let stems: Vec<&str> = stems.split(' ').collect();
            let found = words.phrases(&stems).len();
            assert_eq!(found, usize::from(is_there), "{stems:?}");
        }
    }
}

#[cfg(test)]
mod verb_tests {
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
        for line in lines(include_str!("verbs.txt")) {
            let name = line.split_once(':').map(|(name, _)| name);
            let is_kind = name.is_some_and(|name| NAMES.contains(&name));
            assert!(is_kind, "{line}");
        }
    }

    #[test]
    fn a_request_wants_what_its_words_say() {
        for (text, expected) in [
            ("get rid of the label", Verbs::named("delete")),
            ("throw the old ones away", Verbs::named("delete")),
            ("erase the label", Verbs::named("delete")),
            ("how many are there", Verbs::named("count")),
            ("broadcast it", Verbs::named("send")),
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
        check_tool("label_delete", "", Verbs::named("delete"));
        check_tool("label", "", Verbs::default());
        let read_only = "annotations: {read_only: true}\n";
        check_tool("label", read_only, READING);
        check_tool("label_delete", read_only, Verbs::named("delete"));
    }

    #[test]
    fn reading_and_changing_do_not_fit() {
        for (tool, asked, expected) in [
            (Verbs::named("delete"), Verbs::named("delete"), 1.0),
            (Verbs::named("delete"), Verbs::named("update"), -1.0),
            (Verbs::named("create"), Verbs::named("update"), 0.0),
            (Verbs::named("delete"), Verbs::named("list"), -1.0),
            (Verbs::named("list"), Verbs::named("delete"), -1.0),
            (Verbs::named("list"), Verbs::named("count"), 0.0),
            (Verbs::named("list"), Verbs::default(), 0.0),
            (Verbs::default(), Verbs::named("list"), 0.0),
        ] {
            let found = tool.fit(asked);
            assert!(
                (found - expected).abs() < f64::EPSILON,
                "{tool:?} {asked:?}"
            );
        }
    }
}
