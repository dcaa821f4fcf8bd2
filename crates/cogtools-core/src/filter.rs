//! Which tools there are for a host, by name and toolset.

use wildmatch::WildMatch;

/// A selection of tools. What is empty selects everything, except `exclude`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Names of tools; one must match.
    pub tools: Vec<Pattern>,
    /// Names of tools; none may match.
    pub exclude: Vec<Pattern>,
    /// Names of toolsets; one must match, or one around it, so a tool that is in
    /// none is left out.
    pub toolsets: Vec<Pattern>,
}

/// A name in which `*` stands for any characters and `?` for one.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern(WildMatch);

impl Pattern {
    /// The pattern that is written `text`; every text is one.
    pub fn new(text: &str) -> Self {
        Self(WildMatch::new(text))
    }

    /// Whether `name` fits.
    pub fn matches(&self, name: &str) -> bool {
        self.0.matches(name)
    }
}

impl Filter {
    /// Whether it leaves everything in.
    pub const fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.exclude.is_empty() && self.toolsets.is_empty()
    }

    /// Whether it leaves the tool `name` in, as far as the name says.
    pub fn matches_name(&self, name: &str) -> bool {
        let matches = |pattern: &Pattern| pattern.matches(name);
        (self.tools.is_empty() || self.tools.iter().any(matches))
            && !self.exclude.iter().any(matches)
    }

    /// Whether it leaves tools of `toolset` in. A toolset brings those in it.
    pub fn matches_toolset(&self, toolset: Option<&str>) -> bool {
        let named = |name: &str| self.toolsets.iter().any(|pattern| pattern.matches(name));
        let cx = |toolset: &str| {
            let mut ends = toolset.match_indices('/');
            named(toolset) || ends.any(|(end, _)| named(&toolset[..end]))
        };
        self.toolsets.is_empty() || toolset.is_some_and(cx)
    }
}
