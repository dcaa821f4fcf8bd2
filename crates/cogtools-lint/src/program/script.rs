//! The text of a script: the variables that it reads, the commands that it runs, the code that
//! it makes of arguments.
//!
//! Scripts are not parsed. What is found are plain forms that mean the same wherever they
//! stand; comments and quoted texts of a shell are left out.

use std::collections::BTreeMap;

use super::shell;
use super::table::base;

/// The language of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Shell,
    Python,
    JavaScript,
    Ruby,
    Perl,
    Other,
}

/// A script.
pub(crate) struct Script<'s> {
    pub(crate) language: Language,
    pub(crate) text: &'s str,
}

/// How languages read a variable: what is before its name, and after it.
const READS: [(Language, &str, &str); 12] = [
    (Language::Python, "environ[\"", "\"]"),
    (Language::Python, "environ['", "']"),
    (Language::Python, "environ.get(\"", "\")"),
    (Language::Python, "environ.get('", "')"),
    (Language::Python, "getenv(\"", "\")"),
    (Language::Python, "getenv('", "')"),
    (Language::JavaScript, "process.env[\"", "\"]"),
    (Language::JavaScript, "process.env['", "']"),
    (Language::JavaScript, "Deno.env.get(\"", "\")"),
    (Language::Ruby, "ENV[\"", "\"]"),
    (Language::Ruby, "ENV.fetch(\"", "\")"),
    (Language::Perl, "$ENV{", "}"),
];

impl<'s> Script<'s> {
    /// The script in `text`, which begins with `#!`.
    pub(crate) fn of(text: &'s str) -> Self {
        let line = text.lines().next().unwrap_or_default();
        let words = line.trim_start_matches("#!").split_whitespace().map(base);
        let mut names = words.filter(|word| *word != "env" && !word.starts_with('-'));
        let name = names.next().unwrap_or_default();
        Self {
            language: Language::of(name),
            text,
        }
    }

    /// The variables that it reads and does not set, with the offset of the first read.
    pub(crate) fn reads(&self) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        if self.language == Language::Shell {
            shell::reads(self.text, &mut found);
            return found;
        }
        for (language, before, after) in READS {
            if language != self.language {
                continue;
            }
            for (at, _) in self.text.match_indices(before) {
                let rest = &self.text[at + before.len()..];
                let name = rest.split(after).next().unwrap_or_default();
                if is_name(name) && rest[name.len()..].starts_with(after) {
                    found.entry(name.to_owned()).or_insert(at + before.len());
                }
            }
        }
        if self.language == Language::JavaScript {
            for (at, _) in self.text.match_indices("} = process.env") {
                let start = self.text[..at].rfind('{').map_or(at, |start| start + 1);
                for name in self.text[start..at].split(',').map(str::trim) {
                    if is_name(name) {
                        found.entry(name.to_owned()).or_insert(start);
                    }
                }
            }
            for (at, before) in self.text.match_indices("process.env.") {
                let start = at + before.len();
                let name = name_at(&self.text[start..]);
                let rest = self.text[start + name.len()..].trim_start();
                let has_other = ["??", "||", "="].iter().any(|it| rest.starts_with(it));
                if is_name(name) && !has_other {
                    found.entry(name.to_owned()).or_insert(start);
                }
            }
        }
        found
    }

    /// The commands of a shell script: their words, and the offset of each.
    pub(crate) fn commands(&self) -> Vec<(usize, Vec<&'s str>)> {
        if self.language != Language::Shell {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            if line.trim_start().starts_with('#') {
                continue;
            }
            let mut offset = start;
            for part in line.split_inclusive(['|', ';', '&', '(', '`']) {
                let text = part.trim_end_matches(['|', ';', '&', '(', '`', '\n', ')']);
                let keywords = [
                    "then", "do", "else", "if", "while", "!", "{", "until", "exec", "sudo",
                ];
                let words: Vec<&str> = text
                    .split_whitespace()
                    .skip_while(|word| keywords.contains(word) || is_assignment(word))
                    .collect();
                if let Some(first) = words.first() {
                    let at = offset + text.find(first).unwrap_or(0);
                    found.push((at, words));
                }
                offset += part.len();
            }
        }
        found
    }

    /// Whether a shell script writes its output to a file.
    pub(crate) fn redirects(&self) -> bool {
        self.language == Language::Shell && shell::redirects(self.text)
    }

    /// Where it makes code of a text that it has not written itself, and how.
    pub(crate) fn made_code(&self) -> Vec<(usize, &'static str)> {
        let forms: &[(&str, &str, &[char])] = match self.language {
            Language::Shell => &[("eval ", "eval", &['$']), ("sh -c ", "sh -c", &['$'])],
            Language::Python => &[
                ("eval(", "eval", &[]),
                ("exec(", "exec", &[]),
                ("os.system(", "os.system", &[]),
                ("os.popen(", "os.popen", &[]),
                ("shell=True", "shell=True", &[]),
            ],
            Language::JavaScript => &[
                ("eval(", "eval", &[]),
                ("new Function(", "new Function", &[]),
                ("execSync(", "execSync", &[]),
            ],
            Language::Ruby | Language::Perl => &[("eval(", "eval", &[]), ("eval ", "eval", &['$'])],
            Language::Other => &[],
        };
        let mut found = Vec::new();
        for (form, name, needed) in forms {
            for (at, _) in self.text.match_indices(form) {
                let line_start = self.text[..at].rfind('\n').map_or(0, |it| it + 1);
                let before = &self.text[line_start..at];
                let is_inner = before.ends_with(|c: char| {
                    c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '\'')
                });
                let rest = self.text[at + form.len()..]
                    .lines()
                    .next()
                    .unwrap_or_default();
                if before.trim_start().starts_with('#') || is_inner {
                    continue;
                }
                if *form == "shell=True" || is_made(rest, needed) {
                    found.push((at, *name));
                }
            }
        }
        found
    }
}

/// Whether the code that begins here is put together of other values.
fn is_made(rest: &str, needed: &[char]) -> bool {
    if needed.is_empty() {
        let is_formatted = ["f\"", "f'", "`"].iter().any(|it| rest.starts_with(it));
        let is_literal = rest.starts_with(['"', '\''])
            && !rest.contains('+')
            && !rest.contains('%')
            && !rest.contains(".format(");
        return !rest.starts_with(')')
            && (is_formatted && rest.contains('{') || !(is_literal || is_formatted));
    }
    let code = rest.trim_start();
    // What a shell reads in single quotes, it does not expand; what a program prints is no
    // argument.
    !code.starts_with('\'') && code.contains('$') && !code.contains("$(")
}

impl Language {
    fn of(name: &str) -> Self {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        match stem {
            "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" => Self::Shell,
            "python" | "pypy" => Self::Python,
            "node" | "bun" | "deno" => Self::JavaScript,
            "ruby" => Self::Ruby,
            "perl" => Self::Perl,
            _ => Self::Other,
        }
    }
}

pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The name at the beginning of `text`.
pub(super) fn name_at(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    &text[..end.unwrap_or(text.len())]
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}
