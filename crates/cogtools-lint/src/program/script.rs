//! The text of a script: the variables that it reads, the commands that it runs, the code that
//! it makes of arguments.
//!
//! Scripts are not parsed. What is found are plain forms that mean the same wherever they
//! stand; comments and quoted texts of a shell are left out.

use std::collections::BTreeMap;

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
            shell_reads(self.text, &mut found);
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
        let lines = self
            .text
            .lines()
            .filter(|line| !line.contains("((") && !line.contains("[["));
        let mut plain = lines.map(without_quotes);
        self.language == Language::Shell
            && plain.any(|line| {
                let line = line.replace("2>&1", "").replace(">>", ">");
                line.match_indices('>').any(|(at, _)| {
                    let target = line[at + 1..].trim_start();
                    let is_arrow = line[..at].ends_with(['-', '=', '<', '>']);
                    !is_arrow
                        && !target.starts_with(['&', '(', '='])
                        && !target.starts_with("/dev/")
                })
            })
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

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The name at the beginning of `text`.
fn name_at(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    &text[..end.unwrap_or(text.len())]
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// The variables in capital letters that a shell script reads and does not set.
fn shell_reads(text: &str, found: &mut BTreeMap<String, usize>) {
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
