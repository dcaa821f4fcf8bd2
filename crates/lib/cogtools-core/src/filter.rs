//! Filters that select the tools for a host, by name and toolset.

use std::fmt::{self, Display, Formatter};

use wildmatch::WildMatch;

/// A selection of tools.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Lists of names; of each list, one must match.
    pub tools: Vec<Vec<Pattern>>,
    /// Patterns of names; none may match.
    pub exclude: Vec<Pattern>,
    /// Lists of toolsets; of each list, the tool's own, or one that contains it, must
    /// match. Tools without a toolset are excluded.
    pub toolsets: Vec<Vec<Pattern>>,
}

/// A name in which `*` stands for any characters and `?` for one.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    text: WildMatch,
    /// True if it was written for the tools of one project.
    specific: bool,
}

impl Pattern {
    /// The pattern `text`; every text is a valid pattern.
    pub fn new(text: &str) -> Self {
        Self {
            text: WildMatch::new(text),
            specific: true,
        }
    }

    /// The pattern `text` for the tools of all projects: often, none has that name.
    pub fn general(text: &str) -> Self {
        Self {
            specific: false,
            ..Self::new(text)
        }
    }

    /// Returns true if `name` matches.
    pub fn matches(&self, name: &str) -> bool {
        self.text.matches(name)
    }

    /// Returns true if the name of a tool matches, or its toolset, or one that contains that.
    pub fn selects(&self, name: &str, toolset: Option<&str>) -> bool {
        self.matches(name) || toolset.is_some_and(|toolset| contains(self, toolset))
    }
}

impl Display for Pattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl Filter {
    /// Returns true if the filter selects everything.
    pub const fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.exclude.is_empty() && self.toolsets.is_empty()
    }

    /// Returns true if the filter selects the tool `name`, judged by its name only.
    pub fn matches_name(&self, name: &str) -> bool {
        let matches = |pattern: &Pattern| pattern.matches(name);
        let mut lists = self.tools.iter();
        lists.all(|list| list.iter().any(matches)) && !self.exclude.iter().any(matches)
    }

    /// Returns true if the filter selects tools of `toolset`.
    pub fn matches_toolset(&self, toolset: Option<&str>) -> bool {
        let matches = |list: &Vec<Pattern>| {
            let mut patterns = list.iter();
            toolset.is_some_and(|toolset| patterns.any(|pattern| contains(pattern, toolset)))
        };
        self.toolsets.iter().all(matches)
    }

    /// The patterns for the tools of one project that match none of them, each with its
    /// key. A tool is its name and its toolset.
    pub fn unmatched(&self, tools: &[(&str, Option<&str>)]) -> Vec<(&'static str, String)> {
        let name = |pattern: &Pattern| tools.iter().any(|(name, _)| pattern.matches(name));
        let toolset = |pattern: &Pattern| {
            let mut toolsets = tools.iter().filter_map(|(_, toolset)| *toolset);
            toolsets.any(|toolset| contains(pattern, toolset))
        };
        let mut unmatched = Vec::new();
        let mut add = |key: &'static str, pattern: &Pattern, is_matched: bool| {
            if pattern.specific && !is_matched {
                unmatched.push((key, pattern.to_string()));
            }
        };
        for pattern in self.tools.iter().flatten() {
            add("tools", pattern, name(pattern));
        }
        for pattern in &self.exclude {
            add("exclude", pattern, name(pattern));
        }
        for pattern in self.toolsets.iter().flatten() {
            add("toolsets", pattern, toolset(pattern));
        }
        unmatched
    }
}

/// Returns true if `pattern` matches `toolset`, or one that contains it.
fn contains(pattern: &Pattern, toolset: &str) -> bool {
    let mut ends = toolset.match_indices('/');
    pattern.matches(toolset) || ends.any(|(end, _)| pattern.matches(&toolset[..end]))
}
