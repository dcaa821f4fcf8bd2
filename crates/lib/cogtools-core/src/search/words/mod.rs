//! Words of the trade: the words of people, and the names of tools.
//!
//! The tables are text. A line with `=` has entries that are the same; one with `->` says what
//! tools call the entries on its left. An entry is a word or a phrase, in which `*` skips up to
//! four words. Lines that begin with a space continue the one before.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::text::stem;

/// The number of words that `*` can skip.
const MAX_GAP: usize = 4;
/// The weight of a word that means the same.
const SAME: f64 = 0.9;
/// The weight of the name that tools use.
const NAMED: f64 = 0.65;

/// The tables, one for each trade.
const TABLES: [&str; 5] = [
    include_str!("code.txt"),
    include_str!("data.txt"),
    include_str!("office.txt"),
    include_str!("operations.txt"),
    include_str!("web.txt"),
];

/// The one table that they make.
pub(super) static WORDS: LazyLock<Words> = LazyLock::new(|| Words::parse(&TABLES));

/// A meaning of a word or a phrase.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sense {
    /// Stems that mean it together.
    pub(super) stems: Vec<String>,
    /// The certainty.
    pub(super) weight: f64,
}

/// Further meanings of words and phrases.
#[derive(Debug, Default)]
pub(super) struct Words {
    single: BTreeMap<String, Vec<Sense>>,
    phrases: Phrases<Vec<Sense>>,
}

impl Words {
    fn parse(tables: &[&str]) -> Self {
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
        let others = meant.iter().filter(|stems| **stems != said);
        let senses = others.map(|stems| Sense {
            stems: stems.clone(),
            weight,
        });
        let senses: Vec<Sense> = senses.collect();
        if let [only] = said.as_slice() {
            self.single.entry(only.clone()).or_default().extend(senses);
        } else {
            self.phrases.add(said, senses);
        }
    }

    /// Returns the further meanings of the word with this stem.
    pub(super) fn of(&self, stem: &str) -> &[Sense] {
        self.single.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Returns the meanings of each phrase in `stems`.
    pub(super) fn phrases(&self, stems: &[&str]) -> Vec<&Vec<Sense>> {
        self.phrases.find(stems)
    }
}

fn stems(entry: &str) -> Vec<String> {
    entry.split(' ').map(stem).collect()
}

/// Phrases, by their first word.
#[derive(Debug)]
pub(super) struct Phrases<T>(BTreeMap<String, Vec<(Vec<String>, T)>>);

impl<T> Default for Phrases<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> Phrases<T> {
    pub(super) fn add(&mut self, pattern: Vec<String>, meaning: T) {
        if let Some(first) = pattern.first() {
            let all = self.0.entry(first.clone()).or_default();
            all.push((pattern, meaning));
        }
    }

    /// Returns the meanings of the phrases in `stems`.
    pub(super) fn find(&self, stems: &[&str]) -> Vec<&T> {
        let starts = (0..stems.len()).filter_map(|at| Some((at, self.0.get(stems[at])?)));
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
        let words = Words::parse(&[table]);
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
            ("pull a b c d back", true),
            ("pull a b c d e back", false),
            ("back pull", false),
        ] {
            let stems: Vec<&str> = stems.split(' ').collect();
            let found = words.phrases(&stems).len();
            assert_eq!(found, usize::from(is_there), "{stems:?}");
        }
    }
}
