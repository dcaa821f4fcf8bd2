//! Counts with a noun, and lists of names.

use std::fmt::Display;

/// `1 tool`, `2 tools`: `count` and `noun`, in the plural if needed.
pub fn pluralize(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{end}")
}

/// The `names` in back-quotes, separated by commas.
pub fn quoted(names: impl IntoIterator<Item = impl Display>) -> String {
    let names = names.into_iter().map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}

/// The `names` in back-quotes, with "or" before the last one.
pub fn quoted_or(names: &[impl Display]) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} or `{last}`", quoted(rest)),
        names => quoted(names),
    }
}
