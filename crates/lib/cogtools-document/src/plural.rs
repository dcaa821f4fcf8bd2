//! Counts with a noun.

/// `1 tool`, `2 tools`: `count` and `noun`, in the plural if needed.
pub fn pluralize(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{end}")
}
