//! The text of a script: its language, the variables that it reads, the commands that it runs.
//!
//! Scripts are not parsed. What is found are plain forms that mean the same wherever they
//! stand; comments and quoted texts of a shell are left out.

use std::collections::BTreeMap;

use super::made_code;
use super::table::{base, is_in};

/// The language of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Shell,
    Python,
    JavaScript,
    Ruby,
    Perl,
    Php,
    Lua,
    PowerShell,
    Awk,
    R,
    Other,
}

/// A script.
pub(crate) struct Script<'s> {
    pub(crate) language: Language,
    pub(crate) text: &'s str,
}

impl<'s> Script<'s> {
    /// The script in `text`, which begins with `#!`.
    pub(crate) fn of(text: &'s str) -> Self {
        let line = text.lines().next().unwrap_or_default();
        let words = line.trim_start_matches("#!").split_whitespace().map(base);
        let mut names = words.filter(|word| *word != "env" && !word.starts_with('-'));
        let name = names.next().unwrap_or_default();
        let language = match name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "sh" | "bash" | "dash" | "zsh" | "ksh" | "mksh" | "ash" | "fish" => Language::Shell,
            "python" | "pypy" => Language::Python,
            "node" | "bun" | "deno" | "tsx" | "ts-node" => Language::JavaScript,
            "ruby" => Language::Ruby,
            "perl" => Language::Perl,
            "php" => Language::Php,
            "lua" | "luajit" => Language::Lua,
            "pwsh" | "powershell" => Language::PowerShell,
            "awk" | "gawk" | "mawk" | "nawk" => Language::Awk,
            "Rscript" | "R" => Language::R,
            _ => Language::Other,
        };
        Self { language, text }
    }

    /// Finds the variables that it reads and does not set, with the offset of the first read.
    pub(crate) fn reads(&self) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        if self.language == Language::Shell {
            reads_of_shell(self.text, &mut found);
        } else {
            reads_of_code(self.language, self.text, &mut found);
        }
        found
    }

    /// Returns true if nothing is known about how it reads variables.
    pub(crate) fn is_unknown(&self) -> bool {
        self.language == Language::Other
    }

    /// Finds the first words of the commands of a shell script, with their offsets.
    pub(crate) fn commands(&self) -> Vec<(usize, &'s str)> {
        const KEYWORDS: &str = "then do else if while ! { until exec sudo";
        let mut found = Vec::new();
        let mut offset = 0;
        for line in self.text.split_inclusive('\n') {
            let is_code = self.language == Language::Shell && !line.trim_start().starts_with('#');
            for part in line.split_inclusive(['|', ';', '&', '(', '`']) {
                let words = part.split(|c: char| c.is_whitespace() || "|;&()`".contains(c));
                let mut words = words.filter(|word| !word.is_empty());
                let is_assignment =
                    |word: &str| word.split_once('=').is_some_and(|(name, _)| is_name(name));
                let first = words.find(|word| !is_in(word, KEYWORDS) && !is_assignment(word));
                if let Some(first) = first.filter(|_| is_code) {
                    found.push((offset + part.find(first).unwrap_or(0), first));
                }
                offset += part.len();
            }
        }
        found
    }

    /// Finds where it makes code of a text that it has not written itself, and how.
    pub(crate) fn made_code(&self) -> Vec<(usize, &'static str)> {
        made_code::all(self.language, self.text)
    }
}

type Found = BTreeMap<String, usize>;

/// The beginnings of reads by a name in quotes, which end with the bracket that opens before it.
/// The closing one has to follow the name: then there is no default.
const QUOTED: [(Language, &str); 8] = [
    (
        Language::Python,
        "environ[ environ.get( environ.pop( getenv(",
    ),
    (Language::JavaScript, "process.env[ Deno.env.get( Bun.env["),
    (Language::Ruby, "ENV[ ENV.fetch("),
    (Language::Perl, "$ENV{"),
    (Language::Php, "getenv( $_ENV["),
    (Language::Lua, "os.getenv("),
    (Language::Awk, "ENVIRON["),
    (Language::R, "Sys.getenv("),
];

/// The beginnings of reads by a name without quotes.
const PLAIN: [(Language, &str); 3] = [
    (
        Language::JavaScript,
        "process.env. process.env?. process?.env?. process?.env. Bun.env. import.meta.env.",
    ),
    (Language::PowerShell, "$env:"),
    (Language::Perl, "$ENV{"),
];

/// Adds the variables that the script reads and has no other value for.
fn reads_of_code(language: Language, text: &str, found: &mut Found) {
    let forms = |table: &[(Language, &'static str)]| {
        let own = table.iter().filter(|(it, _)| *it == language);
        let forms: Vec<&str> = own
            .flat_map(|(_, forms)| forms.split_whitespace())
            .collect();
        forms
    };
    for before in forms(&QUOTED) {
        quoted(text, before, found);
    }
    for before in forms(&PLAIN) {
        plain(text, before, found);
    }
    // Names that are given the whole environment.
    let aliases = |values: &[&str]| {
        let places = values.iter().flat_map(|value| text.match_indices(*value));
        let names = places.filter_map(|(at, _)| text[..at].split_whitespace().next_back());
        let names: Vec<String> = names.filter(|it| is_name(it)).map(str::to_owned).collect();
        names
    };
    if language == Language::Python {
        quoted(text, "environ [", found);
        for name in aliases(&["= os.environ\n", "= environ\n"]) {
            quoted(text, &format!("{name}["), found);
            quoted(text, &format!("{name}.get("), found);
        }
    }
    if language == Language::JavaScript {
        destructured(text, found);
        let mut names = aliases(&["= process.env;", "= process.env\n"]);
        let plain_text = text.replace("{ env }", "{env}");
        if plain_text.contains("{env} = process") || plain_text.contains("{env} from") {
            names.push("env".to_owned());
        }
        for name in names {
            plain(text, &format!("{name}."), found);
            quoted(text, &format!("{name}["), found);
        }
    }
}

/// Adds reads by a name in quotes.
fn quoted(text: &str, before: &str, found: &mut Found) {
    let after = match before.chars().next_back() {
        Some('[') => ']',
        Some('{') => '}',
        _ => ')',
    };
    for (at, _) in text.match_indices(before) {
        let rest = text[at + before.len()..].trim_start();
        let Some(inner) = rest.strip_prefix(['"', '\'', '`']) else {
            continue;
        };
        let name = name_at(inner);
        let end = inner[name.len()..].strip_prefix(['"', '\'', '`']);
        let is_whole = end.is_some_and(|end| end.trim_start().starts_with(after));
        if is_name(name) && is_whole && !is_inner(text, at, before) {
            let start = text.len() - inner.len();
            found.entry(name.to_owned()).or_insert(start);
        }
    }
}

/// Adds reads by a name without quotes; those with another value beside them are left out.
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

/// Returns true if what is found is the end of a longer name.
fn is_inner(text: &str, at: usize, before: &str) -> bool {
    before.starts_with(|c: char| c.is_alphanumeric())
        && text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Adds the names of `const { A, B: b } = process.env`.
fn destructured(text: &str, found: &mut Found) {
    for form in ["} = process.env", "}=process.env", "} = Bun.env"] {
        for (at, _) in text.match_indices(form) {
            let start = text[..at].rfind('{').map_or(at, |start| start + 1);
            let parts = text[start..at].split(',').filter(|it| !it.contains('='));
            for part in parts {
                let name = part.split(':').next().unwrap_or_default().trim();
                if is_name(name) {
                    found.entry(name.to_owned()).or_insert(start);
                }
            }
        }
    }
}

/// Variables that a shell sets itself.
const OF_SHELLS: &str = "BASHPID BASH_ARGV BASH_REMATCH BASH_SOURCE BASH_VERSION COLUMNS \
    EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME HOSTNAME HOSTTYPE IFS LINENO LINES MACHTYPE OLDPWD \
    OPTARG OPTIND OSTYPE PATH PIPESTATUS PPID PWD RANDOM REPLY SECONDS SHLVL SRANDOM UID TMPDIR";

/// Adds the variables in capital letters that a shell script reads and does not set.
fn reads_of_shell(text: &str, found: &mut Found) {
    let is_set = |name: &str| {
        let assigned = format!("{name}=");
        let mut places = text.match_indices(&assigned);
        let is_start = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        places.any(|(at, _)| is_start(at))
            || text.lines().any(|line| {
                let mut words = line.split_whitespace();
                words.any(|word| is_in(word, "read for local declare mapfile printf"))
                    && words.any(|word| word.trim_matches([';', '"']) == name)
            })
    };
    let (mut in_single, mut in_double, mut in_comment) = (false, false, false);
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
                let is_own = is_in(name, OF_SHELLS) || is_set(name);
                if is_name(name) && is_capital && !has_other && !is_own {
                    found.entry(name.to_owned()).or_insert(at);
                }
            }
            _ => {}
        }
        before = c;
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
