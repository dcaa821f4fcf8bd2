//! What the examples reach: figures, and what is missed.

use cogtools_core::tool::Coverage;
use serde_json::{Value, json};

use crate::suite::Suite;

/// How much of all tools the examples reach.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Covered {
    branches: usize,
    taken: usize,
    properties: usize,
    set: usize,
}

impl Covered {
    /// The figures of all suites; none if they were not wanted.
    pub(super) fn of(suites: &[Suite]) -> Option<Self> {
        let mut all = suites
            .iter()
            .filter_map(|suite| suite.coverage.as_ref())
            .peekable();
        all.peek()?;
        Some(all.fold(Self::default(), Self::plus))
    }

    fn plus(self, coverage: &Coverage) -> Self {
        Self {
            branches: self.branches + coverage.branches.len(),
            taken: self.taken + coverage.branches.iter().filter(|it| it.is_taken).count(),
            properties: self.properties + coverage.properties.len(),
            set: self.set + coverage.properties.iter().filter(|it| it.is_set).count(),
        }
    }

    /// The figures as a line for people.
    pub(super) fn line(self) -> String {
        format!(
            "branches taken: {} of {}; optional properties set: {} of {}\n",
            self.taken, self.branches, self.set, self.properties
        )
    }

    /// The figures as data.
    pub(super) fn json(self) -> Value {
        json!({
            "branches": self.branches,
            "taken": self.taken,
            "properties": self.properties,
            "set": self.set,
        })
    }
}

/// What the examples of a tool in `file` miss, one line each.
pub(super) fn lines(coverage: &Coverage, file: &str) -> Vec<String> {
    let missed = coverage.branches.iter().filter(|branch| !branch.is_taken);
    let branches = missed.map(|branch| {
        let location = &branch.location;
        let (path, line) = (location.file.display(), location.line);
        format!("{path}:{line}: no example takes `{}`", branch.condition)
    });
    let unset = coverage
        .properties
        .iter()
        .filter(|property| !property.is_set);
    let properties = unset.map(|it| format!("{file}: no example sets `{}`", it.path));
    branches.chain(properties).collect()
}

/// What the examples of a tool reach.
pub(super) fn json(coverage: &Coverage) -> Value {
    let branches = coverage.branches.iter().map(|branch| {
        json!({
            "file": branch.location.file.display().to_string(),
            "line": branch.location.line,
            "column": branch.location.column,
            "condition": branch.condition,
            "taken": branch.is_taken,
        })
    });
    let properties = coverage.properties.iter().map(|property| {
        json!({"pointer": property.pointer, "path": property.path, "set": property.is_set})
    });
    json!({
        "branches": branches.collect::<Vec<_>>(),
        "properties": properties.collect::<Vec<_>>(),
    })
}
