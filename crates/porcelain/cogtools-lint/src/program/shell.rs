//! Scripts of shells: the variables that they read, and what they write.

use std::collections::BTreeMap;

use super::script::{is_name, name_at};

/// Variables that a shell sets itself.
const OF_SHELLS: [&str; 31] = [
    "BASHPID",
    "BASH_ARGV",
    "BASH_REMATCH",
    "BASH_SOURCE",
    "BASH_VERSION",
    "COLUMNS",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "HOSTNAME",
    "HOSTTYPE",
    "IFS",
    "LINENO",
    "LINES",
    "MACHTYPE",
    "OLDPWD",
    "OPTARG",
    "OPTIND",
    "OSTYPE",
    "PATH",
    "PIPESTATUS",
    "PPID",
    "PWD",
    "RANDOM",
    "REPLY",
    "SECONDS",
    "SHLVL",
    "SRANDOM",
    "UID",
    "TMPDIR",
];

/// The variables in capital letters that a shell script reads and does not set.
pub(super) fn reads(text: &str, found: &mut BTreeMap<String, usize>) {
    let is_set = |name: &str| {
        let assigned = format!("{name}=");
        let mut places = text.match_indices(&assigned);
        let is_start = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        places.any(|(at, _)| is_start(at))
            || text.lines().any(|line| {
                let mut words = line.split_whitespace();
                words.any(|word| {
                    ["read", "for", "local", "declare", "mapfile", "printf"].contains(&word)
                }) && words.any(|word| word.trim_matches([';', '"']) == name)
            })
    };
    let mut in_single = false;
    let mut in_double = false;
    let mut in_comment = false;
    let mut before = '\n';
    for (at, c) in text.char_indices() {
        match c {
            '\n' => in_comment = false,
            _ if in_comment => {}
            '#' if before.is_whitespace() && !in_single && !in_double => in_comment = true,
            '\'' if !in_double && before != '\\' => in_single = !in_single,
            '"' if !in_single && before != '\\' => in_double = !in_double,
            '$' if !in_single && before != '\\' => {
                let rest = &text[at + 1..];
                let inner = rest.strip_prefix('{').unwrap_or(rest);
                let name = name_at(inner.trim_start_matches('#'));
                let after = &inner[name.len().min(inner.len())..];
                let has_other = rest.starts_with('{')
                    && after.starts_with([':', '-', '+', '=', '?'])
                    && !after.starts_with(":?");
                let is_capital = name.len() > 1 && !name.contains(|c: char| c.is_ascii_lowercase());
                if is_name(name)
                    && is_capital
                    && !has_other
                    && !OF_SHELLS.contains(&name)
                    && !is_set(name)
                {
                    found.entry(name.to_owned()).or_insert(at);
                }
            }
            _ => {}
        }
        before = c;
    }
}

/// Whether a script writes its output to a file.
pub(super) fn redirects(text: &str) -> bool {
    let lines = text
        .lines()
        .filter(|line| !line.contains("((") && !line.contains("[["));
    let mut plain = lines.map(without_quotes);
    plain.any(|line| {
        let line = line.replace("2>&1", "").replace(">>", ">");
        line.match_indices('>').any(|(at, _)| {
            let target = line[at + 1..].trim_start();
            let is_arrow = line[..at].ends_with(['-', '=', '<', '>']);
            !is_arrow && !target.starts_with(['&', '(', '=']) && !target.starts_with("/dev/")
        })
    })
}

/// A line of a shell script without its comment and what is in quotes.
fn without_quotes(line: &str) -> String {
    let mut plain = String::new();
    let mut quote = None;
    let mut before = ' ';
    for c in line.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                plain.push('_');
            }
            None if c == '#' && before.is_whitespace() => break,
            None => plain.push(c),
        }
        before = c;
    }
    plain
}
