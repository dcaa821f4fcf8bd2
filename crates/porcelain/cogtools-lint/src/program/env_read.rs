//! How scripts in languages other than a shell's read variables of the environment.

use std::collections::BTreeMap;

use super::script::{Language, is_name, name_at};

type Found = BTreeMap<String, usize>;

/// What is before the name in quotes, and what has to be after it: then there is no default.
const QUOTED: [(Language, &str, char); 16] = [
    (Language::Python, "environ[", ']'),
    (Language::Python, "environ [", ']'),
    (Language::Python, "environ.get(", ')'),
    (Language::Python, "environ.pop(", ')'),
    (Language::Python, "getenv(", ')'),
    (Language::JavaScript, "process.env[", ']'),
    (Language::JavaScript, "Deno.env.get(", ')'),
    (Language::JavaScript, "Bun.env[", ']'),
    (Language::Ruby, "ENV[", ']'),
    (Language::Ruby, "ENV.fetch(", ')'),
    (Language::Perl, "$ENV{", '}'),
    (Language::Php, "getenv(", ')'),
    (Language::Php, "$_ENV[", ']'),
    (Language::Lua, "os.getenv(", ')'),
    (Language::Awk, "ENVIRON[", ']'),
    (Language::R, "Sys.getenv(", ')'),
];

/// What is before a name without quotes.
const PLAIN: [(Language, &str); 8] = [
    (Language::JavaScript, "process.env."),
    (Language::JavaScript, "process.env?."),
    (Language::JavaScript, "process?.env?."),
    (Language::JavaScript, "process?.env."),
    (Language::JavaScript, "Bun.env."),
    (Language::JavaScript, "import.meta.env."),
    (Language::PowerShell, "$env:"),
    (Language::Perl, "$ENV{"),
];

/// The variables that the script reads and has no other value for, with the offset of the first.
pub(super) fn all(language: Language, text: &str, found: &mut Found) {
    for (_, before, after) in QUOTED.iter().filter(|(it, ..)| *it == language) {
        quoted(text, before, *after, found);
    }
    for (_, before) in PLAIN.iter().filter(|(it, _)| *it == language) {
        plain(text, before, found);
    }
    match language {
        Language::Python => {
            for name in aliases(text, &["= os.environ\n", "= environ\n"]) {
                quoted(text, &format!("{name}["), ']', found);
                quoted(text, &format!("{name}.get("), ')', found);
            }
        }
        Language::JavaScript => {
            destructured(text, found);
            let is_imported = [
                "{ env } = process",
                "{env} = process",
                "{ env } from",
                "{env} from",
            ]
            .iter()
            .any(|form| text.contains(form));
            let mut names = aliases(text, &["= process.env;", "= process.env\n"]);
            if is_imported {
                names.push("env");
            }
            for name in names {
                plain(text, &format!("{name}."), found);
                quoted(text, &format!("{name}["), ']', found);
            }
        }
        _ => {}
    }
}

/// The names that are assigned one of these values.
fn aliases<'t>(text: &'t str, values: &[&str]) -> Vec<&'t str> {
    let places = values.iter().flat_map(|value| text.match_indices(*value));
    let names = places.filter_map(|(at, _)| text[..at].split_whitespace().next_back());
    names.filter(|name| is_name(name)).collect()
}

/// Reads by a name in quotes.
fn quoted(text: &str, before: &str, after: char, found: &mut Found) {
    for (at, _) in text.match_indices(before) {
        if is_inner(text, at, before) {
            continue;
        }
        let rest = text[at + before.len()..].trim_start();
        let Some(inner) = rest.strip_prefix(['"', '\'', '`']) else {
            continue;
        };
        let name = name_at(inner);
        let end = inner[name.len()..].strip_prefix(['"', '\'', '`']);
        if is_name(name) && end.is_some_and(|end| end.trim_start().starts_with(after)) {
            let start = text.len() - inner.len();
            found.entry(name.to_owned()).or_insert(start);
        }
    }
}

/// Reads by a name without quotes; those with another value beside them are left out.
fn plain(text: &str, before: &str, found: &mut Found) {
    for (at, _) in text.match_indices(before) {
        let start = at + before.len();
        let name = name_at(&text[start..]);
        let rest = text[start + name.len()..].trim_start();
        let has_other =
            ["??", "||", "="].iter().any(|it| rest.starts_with(it)) && !rest.starts_with("==");
        let is_call = rest.starts_with('(');
        if is_name(name) && !has_other && !is_call && !is_inner(text, at, before) {
            found.entry(name.to_owned()).or_insert(start);
        }
    }
}

/// Whether what is found is the end of a longer name.
fn is_inner(text: &str, at: usize, before: &str) -> bool {
    before.starts_with(|c: char| c.is_alphanumeric())
        && text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// `const { A, B: b } = process.env`.
fn destructured(text: &str, found: &mut Found) {
    for form in ["} = process.env", "}=process.env", "} = Bun.env"] {
        for (at, _) in text.match_indices(form) {
            let start = text[..at].rfind('{').map_or(at, |start| start + 1);
            for part in text[start..at]
                .split(',')
                .filter(|part| !part.contains('='))
            {
                let name = part.split(':').next().unwrap_or_default().trim();
                if is_name(name) {
                    found.entry(name.to_owned()).or_insert(start);
                }
            }
        }
    }
}
