//! The variables of a shell script that hold values of the call.

use super::script::{is_name, name_at};

/// What a value of the call is read with.
const SOURCES: [&str; 9] = [
    "jq ",
    "$1",
    "$2",
    "$3",
    "$@",
    "$*",
    "$(cat)",
    "yq ",
    "/dev/stdin",
];

/// The variables that hold what the caller sends, or what is made of it.
pub(super) fn variables(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for line in text
        .lines()
        .map(str::trim_start)
        .filter(|line| !line.starts_with('#'))
    {
        let line = ["local ", "export ", "readonly ", "declare "]
            .iter()
            .find_map(|word| line.strip_prefix(word))
            .unwrap_or(line);
        if let Some((name, value)) = line.split_once('=').filter(|(name, _)| is_name(name)) {
            let is_source = SOURCES.iter().any(|source| value.contains(source));
            if is_source || uses(value, &found) {
                found.push(name);
            }
        }
        let words = line
            .split(';')
            .filter_map(|part| part.trim().strip_prefix("read "));
        let names = words.flat_map(str::split_whitespace);
        found.extend(names.filter(|name| is_name(name)));
    }
    found
}

/// Whether `text` expands one of the variables.
pub(super) fn uses(text: &str, variables: &[&str]) -> bool {
    text.match_indices('$').any(|(at, _)| {
        let rest = &text[at + 1..];
        let name = name_at(rest.strip_prefix('{').unwrap_or(rest));
        !text[..at].ends_with('\\') && variables.contains(&name)
    })
}
