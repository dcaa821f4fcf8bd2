//! The keys that a script reads of the JSON on its standard input, in Python and by `jq`.
//!
//! Only forms are found of which it is certain that they read the arguments of the call.

use std::collections::HashSet;

use fancy_regex::{Match, Regex};

use crate::linter::Expression;
use crate::program::{Language, ShellParts};

/// A variable that holds the arguments in Python.
static LOADED: Expression =
    Expression::new(r"(?m)^\s*(\w+)\s*=\s*json\.loads?\(\s*(?:sys\.stdin\b|input\(\)|open\(0\))");
/// A key of the arguments in Python, without a variable.
static LOADED_KEY: Expression = Expression::new(
    r#"json\.loads?\(\s*(?:sys\.stdin(?:\.read\(\))?|input\(\)|open\(0\)(?:\.read\(\))?)\s*\)(?:\[|\.get\(|\.pop\()\s*["'](\w+)["']"#,
);
/// A variable that holds the arguments in a shell.
static KEPT: Expression =
    Expression::new(r#"(?m)^\s*(\w+)=["']?\$\(\s*cat\s*(?:-|/dev/stdin)?\s*\)"#);
/// A command that prints a variable.
static PRINTED: Expression = Expression::new(
    r#"(?:echo|printf)(?:\s+(?:-\w+|'%s(?:\\n)?'|"%s(?:\\n)?"|%s))*\s+"?\$\{?(\w+)\}?"?\s*$"#,
);
/// A path at the beginning of a filter of `jq`.
static KEY: Expression = Expression::new(r"(?:^|[\[({,(\s])\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)");

/// The number of variables with the arguments that are followed.
const MAX_LOADED: usize = 8;

/// Finds the keys, with their offsets.
pub(crate) fn all(language: Language, text: &str) -> Vec<(usize, &str)> {
    match language {
        Language::Python => python(text),
        Language::Shell => shell(text),
        _ => Vec::new(),
    }
}

/// The offset and the text of a group.
fn placed(group: Match<'_>) -> (usize, &str) {
    (group.start(), group.as_str())
}

/// The groups of all matches, with their offsets.
fn groups<'t>(pattern: &str, text: &'t str) -> Vec<(usize, &'t str)> {
    let regex = Regex::new(pattern).ok();
    let found = regex.iter().flat_map(|regex| regex.captures_iter(text));
    let groups = found.flatten().filter_map(|found| found.get(1));
    groups.map(placed).collect()
}

/// The variables that hold the arguments in Python.
fn loaded(text: &str) -> impl Iterator<Item = &str> {
    let names = LOADED.groups(text).map(|name| name.as_str());
    names.take(MAX_LOADED)
}

/// Finds members of the arguments in Python, which are a dict, with their offsets.
pub(crate) fn members(language: Language, text: &str) -> Vec<(usize, &str)> {
    if language != Language::Python {
        return Vec::new();
    }
    let members = |name| groups(&format!(r"(?<![\w.]){name}\.(\w+)\b(?!\s*\()"), text);
    loaded(text).flat_map(members).collect()
}

fn python(text: &str) -> Vec<(usize, &str)> {
    let mut found: Vec<_> = LOADED_KEY.groups(text).map(placed).collect();
    for name in loaded(text) {
        let set = Regex::new(&format!(
            r"(?m)\b{name}\s*=[^=]|\bfor\s+{name}\b|\({name}[,)]:?$"
        ));
        let sets = set.map_or(2, |set| set.find_iter(text).count());
        let read = format!(r#"(?<![\w.]){name}(?:\[|\.get\(|\.pop\()\s*["'](\w+)["']"#);
        if sets == 1 {
            let keys = groups(&read, text).into_iter();
            // A key that the script itself sets is its own.
            let keys = keys.filter(|(at, key)| {
                let rest = text[at + key.len() + 1..]
                    .trim_start_matches(']')
                    .trim_start();
                !rest.starts_with('=') || rest.starts_with("==")
            });
            found.extend(keys);
        }
    }
    found
}

fn shell(text: &str) -> Vec<(usize, &str)> {
    let kept: HashSet<&str> = KEPT.groups(text).map(|name| name.as_str()).collect();
    let holds = |text: &str| {
        let name = text.trim_matches(['"', '$', '{', '}']);
        text.contains('$') && kept.contains(name)
    };
    let mut found = Vec::new();
    for (at, _) in ShellParts::of(text).code.match_indices("jq ") {
        let line_start = text[..at].rfind('\n').map_or(0, |it| it + 1);
        let before = text[line_start..at].trim_end();
        let reads = if let Some(left) = before.strip_suffix('|') {
            let left = left
                .rsplit(['(', ';', '&', '|', '`'])
                .next()
                .unwrap_or_default();
            let mut printed = PRINTED.groups(left);
            left.trim() == "cat" || printed.any(|name| kept.contains(name.as_str()))
        } else {
            before.is_empty() || before.ends_with(['(', ';', '&', '`'])
        };
        if !reads {
            continue;
        }
        let words = WORD.groups(&text[at + 3..]).map(placed);
        let mut words = words.map(|(start, word)| (at + 3 + start, word));
        let (mut filter, mut is_input) = (None, true);
        while let Some((start, word)) = words.next() {
            match word {
                "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => {
                    words.nth(1);
                }
                "--null-input" | "-n" | "-rn" | "-nr" | "-f" | "--from-file" => is_input = false,
                "<<<" => is_input = words.next().is_some_and(|(_, word)| holds(word)),
                word if word.starts_with('<') => is_input = false,
                word if word.starts_with('-') || word.starts_with("2>") => {}
                word if filter.is_none() => filter = Some((start, word)),
                // A file.
                _ => is_input = false,
            }
        }
        let Some((start, filter)) = filter.filter(|_| is_input) else {
            continue;
        };
        let first = filter.split('|').next().unwrap_or_default();
        let keys = KEY.groups(first).map(placed);
        found.extend(keys.map(|(at, key)| (start + at, key)));
    }
    found
}

/// The next word of a command up to its end, without its quotes.
static WORD: Expression =
    Expression::new(r#"\G[ \t]*(?:'([^']*)'|"([^"]*)"|([^\s'"|;)&`][^ \t\n|;)`]*))"#);
