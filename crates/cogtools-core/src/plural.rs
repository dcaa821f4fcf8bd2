//! A number and what is counted.

/// `1 tool`, `2 tools`: `count` of what `noun` names.
pub fn pluralize(count: usize, noun: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{end}")
}
