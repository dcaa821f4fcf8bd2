//! The words that tell sources of tools apart: their toolsets, and what all their names begin
//! with.

use std::collections::{BTreeMap, BTreeSet};

use super::stem::stem;
use super::tokens::tokens;
use crate::Tool;

/// From how many tools on what their names have in common is a prefix.
const MIN_TOOLS: usize = 3;

type Stems = Vec<String>;

/// The words of each source.
#[derive(Debug, Default)]
pub(super) struct Sources {
    words: BTreeMap<String, BTreeSet<String>>,
    /// How many sources have each word.
    frequencies: BTreeMap<String, usize>,
}

impl Sources {
    pub(super) fn of(tools: &[Tool]) -> Self {
        let mut sources = Self::default();
        let mut names: BTreeMap<&str, Vec<Stems>> = BTreeMap::new();
        for tool in tools {
            let toolset = stems(tool.provenance().toolset.as_deref().unwrap_or_default());
            let name = stems(tool.name().as_str()).into_iter();
            let name = name.skip_while(|stem| toolset.contains(stem)).collect();
            let source = &tool.provenance().source;
            names.entry(source).or_default().push(name);
            if let Some(known) = sources.words.get_mut(source) {
                known.extend(toolset);
            } else {
                let words = toolset.into_iter().collect();
                sources.words.insert(source.clone(), words);
            }
        }
        for (source, names) in names {
            let words = sources.words.get_mut(source);
            if let (Some(words), Some(prefix)) = (words, prefix(&names)) {
                words.insert(prefix.to_owned());
            }
        }
        for word in sources.words.values().flatten() {
            *sources.frequencies.entry(word.clone()).or_default() += 1;
        }
        sources
    }

    /// The stems of the name of `tool` after what it shares with its source.
    pub(super) fn own_name(&self, tool: &Tool) -> Stems {
        let mut name = stems(tool.name().as_str());
        let words = self.words(tool);
        let is_shared = |stem: &&String| words.is_some_and(|words| words.contains(*stem));
        let shared = name.iter().take_while(is_shared).count();
        if shared < name.len() {
            name.drain(..shared);
        }
        name
    }

    /// The words of the source of `tool`.
    pub(super) fn words(&self, tool: &Tool) -> Option<&BTreeSet<String>> {
        self.words.get(&tool.provenance().source)
    }

    /// How many sources have this word, if any.
    pub(super) fn having(&self, stem: &str) -> Option<usize> {
        self.frequencies.get(stem).copied()
    }

    /// How many sources there are.
    pub(super) fn count(&self) -> usize {
        self.words.len()
    }
}

/// What all `names` begin with, if they are enough to tell.
fn prefix(names: &[Stems]) -> Option<&str> {
    let first = names.first()?.first()?;
    let is_common = |name: &Stems| name.len() > 1 && name.first() == Some(first);
    (names.len() >= MIN_TOOLS && names.iter().all(is_common)).then_some(first)
}

fn stems(text: &str) -> Stems {
    tokens(text).iter().map(|token| stem(token)).collect()
}
