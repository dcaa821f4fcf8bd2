//! Filters that select the tools for a host, by name and toolset.

use wildmatch::WildMatch;

/// A selection of tools. An empty list selects everything, except in `exclude`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Patterns of names; one must match.
    pub tools: Vec<Pattern>,
    /// Patterns of names; none may match.
    pub exclude: Vec<Pattern>,
    /// Toolsets; the tool's own, or one that contains it, must match. Tools without a
    /// toolset are excluded.
    pub toolsets: Vec<Pattern>,
}

/// A name in which `*` stands for any characters and `?` for one.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern(WildMatch);

impl Pattern {
    /// The pattern `text`; every text is a valid pattern.
    pub fn new(text: &str) -> Self {
        Self(WildMatch::new(text))
    }

    /// Whether `name` matches.
    pub fn matches(&self, name: &str) -> bool {
        self.0.matches(name)
    }
}

impl Filter {
    /// Whether the filter selects everything.
    pub const fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.exclude.is_empty() && self.toolsets.is_empty()
    }

    /// Whether the filter selects the tool `name`, judged by its name only.
    pub fn matches_name(&self, name: &str) -> bool {
        let matches = |pattern: &Pattern| pattern.matches(name);
        (self.tools.is_empty() || self.tools.iter().any(matches))
            && !self.exclude.iter().any(matches)
    }

    /// Whether the filter selects tools of `toolset`. A toolset includes nested ones.
    pub fn matches_toolset(&self, toolset: Option<&str>) -> bool {
        let named = |name: &str| self.toolsets.iter().any(|pattern| pattern.matches(name));
        let cx = |toolset: &str| {
            let mut ends = toolset.match_indices('/');
            named(toolset) || ends.any(|(end, _)| named(&toolset[..end]))
        };
        self.toolsets.is_empty() || toolset.is_some_and(cx)
    }
}
