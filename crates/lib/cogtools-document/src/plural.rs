//! Counts with a noun.

/// `1 tool`, `2 tools`: `count` and `noun`, in the plural if needed.
pub fn pluralize(count: usize, noun: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{end}")
}
