//! The text of a script: its language, the variables that it reads, the commands that it runs.
//!
//! Scripts are not parsed. What is found are plain forms that mean the same wherever they
//! stand; comments, and the texts of a shell, are left out.

use std::collections::{BTreeMap, BTreeSet};

use fancy_regex::Regex;

use super::shell::{OF_SHELLS, ShellParts, assigned, command_words, expansions, is_name};
use crate::linter::Expression;
use crate::program::{
    CODE_FIRST, CODE_OPTIONS, FILTER_FIRST, FLAGS, NO_OPTIONS, QUERY_SECOND, RUNNERS, Role,
    SHELL_SUBCOMMANDS, SHELL_VALUES, SHELL_WORDS, SQL, WRAPPERS, Word, base, entry, interpreter,
    is_in, made_code,
};
use crate::tool_script::ToolScript;

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

/// The program that the first line of a script names, as it is written there.
pub(crate) fn interpreter_of(text: &str) -> Option<&str> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace();
    let first = words.next()?;
    if first.ends_with("/env") {
        return words.find(|word| !word.starts_with('-') && !word.contains('='));
    }
    Some(first)
}

impl Language {
    /// The language of the script in `text`, which begins with `#!`.
    pub(crate) fn of(text: &str) -> Self {
        let name = base(interpreter_of(text).unwrap_or_default());
        match name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "sh" | "bash" | "dash" | "zsh" | "ksh" | "mksh" | "ash" | "fish" => Self::Shell,
            "python" | "pypy" => Self::Python,
            "node" | "bun" | "deno" | "tsx" | "ts-node" => Self::JavaScript,
            "ruby" => Self::Ruby,
            "perl" => Self::Perl,
            "php" => Self::Php,
            "lua" | "luajit" => Self::Lua,
            "pwsh" | "powershell" => Self::PowerShell,
            "awk" | "gawk" | "mawk" | "nawk" => Self::Awk,
            "Rscript" | "R" => Self::R,
            _ => Self::Other,
        }
    }
}

impl ToolScript {
    /// Finds the variables that it reads and does not set, with the offset of the first read.
    pub(crate) fn reads(&self) -> BTreeMap<String, usize> {
        let text = self.active();
        if self.language == Language::Shell {
            let assigned = assigned(self.text());
            let is_constant =
                |name: &str| name.len() > 1 && !name.contains(|c: char| c.is_ascii_lowercase());
            let read = expansions(&text).into_iter().filter(|(_, name)| {
                is_constant(name) && !is_in(name, OF_SHELLS) && !assigned.contains(name)
            });
            // The first one remains.
            return read.map(|(at, name)| (name.to_owned(), at)).rev().collect();
        }
        let mut found = reads_of_code(self.language, &text);
        found.sort_by_key(|(at, ..)| *at);
        let mut first = BTreeMap::new();
        for (at, name, is_read) in found {
            first.entry(name).or_insert(is_read.then_some(at));
        }
        let read = first.into_iter();
        read.filter_map(|(name, at)| Some((name, at?))).collect()
    }

    /// The text with blanks in place of comments. In a shell, those also replace escaped characters,
    /// texts in single quotes, and here-documents with a quoted delimiter. The offsets stay.
    pub(crate) fn active(&self) -> String {
        let mark = match self.language {
            Language::Shell => return ShellParts::of(self.text()).active,
            Language::JavaScript | Language::Php => "//",
            Language::Lua => "--",
            _ => "#",
        };
        let mut active = String::with_capacity(self.text().len());
        for line in self.text().split_inclusive('\n') {
            let (mut quote, mut is_escaped, mut before) = (None, false, '\n');
            let comment = line.char_indices().find(|(at, c)| {
                let is_open = quote.is_some();
                match *c {
                    _ if is_escaped => is_escaped = false,
                    '\\' => is_escaped = true,
                    '"' | '\'' | '`' if !is_open => quote = Some(*c),
                    _ if quote == Some(*c) => quote = None,
                    _ => {}
                }
                let is_first = std::mem::replace(&mut before, *c).is_whitespace();
                !is_open && is_first && line[*at..].starts_with(mark)
            });
            let text = line.trim_end_matches('\n');
            let end = comment.map_or(text.len(), |(at, _)| at);
            active.push_str(&line[..end]);
            active.extend(std::iter::repeat_n(' ', text.len() - end));
            active.push_str(&line[text.len()..]);
        }
        active
    }

    /// Finds the first words of the commands of a shell script.
    pub(crate) fn commands(&self) -> Vec<String> {
        if self.language != Language::Shell {
            return Vec::new();
        }
        let code = ShellParts::of(self.text()).code;
        let patterns = PATTERNS.regex().filter(|_| code.contains("esac"));
        let code = match patterns {
            Some(patterns) => patterns.replace_all(&code, "\n").into_owned(),
            None => code,
        };
        let parts = code.split(['\n', '|', ';', '&', '(', '`']);
        let first = parts.filter_map(|part| command_words(part).next().map(str::to_owned));
        first.collect()
    }

    /// Finds where it makes code of a text that it has not written itself, and how.
    pub(crate) fn made_code(&self) -> Vec<(usize, String)> {
        let active;
        let text = if self.language == Language::Shell {
            self.text()
        } else {
            active = self.active();
            &active
        };
        let found = made_code::all(self.language, text).into_iter();
        found.map(|(at, form)| (at, form.to_owned())).collect()
    }
}

/// The patterns of a branch of `case`, which are no commands.
static PATTERNS: Expression =
    Expression::new(r"(?m)(?:^|;;&?|;&|\bin\b)\s*\(?[^\s();&|]+(?:\s*\|\s*[^\s();&|]+)*\s*\)");

/// Reads by a name in quotes: the code before it, up to the bracket that opens. The closing one has
/// to follow the name: then there is no default.
const QUOTED: [(Language, &str); 8] = [
    (
        Language::Python,
        r"environ ?\[|environ\.(?:get|pop)\(|getenv\(",
    ),
    (
        Language::JavaScript,
        r"process\.env\[|Deno\.env\.get\(|Bun\.env\[",
    ),
    (Language::Ruby, r"ENV\[|ENV\.fetch\("),
    (Language::Perl, r"\$ENV\{"),
    (Language::Php, r"getenv\(|\$_ENV\["),
    (Language::Lua, r"os\.getenv\("),
    (Language::Awk, r"ENVIRON\["),
    (Language::R, r"Sys\.getenv\("),
];

/// Reads by a name without quotes: the code before it.
const PLAIN: [(Language, &str); 3] = [
    (
        Language::JavaScript,
        r"process\??\.env\??\.|Bun\.env\.|import\.meta\.env\.",
    ),
    (Language::PowerShell, r"\$env:"),
    (Language::Perl, r"\$ENV\{"),
];

/// The name that is given the whole environment in Python, and in JavaScript.
static WHOLE: Expression = Expression::new(
    r"(?<!\S)([A-Za-z_]\w*)\s*= (?:(?:os\.)?environ\n|process\.env[;\n])|\{ ?(env) ?\} (?:= process|from)",
);
/// The names of `const { A, B: b } = process.env`.
static DESTRUCTURED: Expression =
    Expression::new(r"\{([^{}]*)\} ?= ?process\.env|\{([^{}]*)\} = Bun\.env");

/// The number of other names of the environment that are followed.
const MAX_ALIASES: usize = 8;

/// Finds the variables that the script reads and has no other value for, and those that it sets,
/// with their offsets.
fn reads_of_code(language: Language, text: &str) -> Vec<(usize, String, bool)> {
    let forms = |table: &[(Language, &str)]| {
        let own = table.iter().filter(|(it, _)| *it == language);
        own.map(|(_, form)| (*form).to_owned()).collect()
    };
    let (mut quoted, mut plain): (Vec<String>, Vec<String>) = (forms(&QUOTED), forms(&PLAIN));
    let mut found = Vec::new();
    if matches!(language, Language::Python | Language::JavaScript) {
        let aliases: BTreeSet<&str> = WHOLE.groups(text).map(|it| it.as_str()).collect();
        for name in aliases.into_iter().take(MAX_ALIASES) {
            quoted.push(format!(r"{name}\["));
            match language {
                Language::Python => quoted.push(format!(r"{name}\.get\(")),
                _ => plain.push(format!(r"{name}\.")),
            }
        }
        for names in DESTRUCTURED.groups(text) {
            let parts = names.as_str().split(',').filter(|it| !it.contains('='));
            let parts = parts.map(|it| it.split(':').next().unwrap_or_default().trim());
            let parts = parts.filter(|it| is_name(it));
            found.extend(parts.map(|name| (names.start(), name.to_owned(), true)));
        }
    }
    let name = r"([A-Za-z_]\w*)";
    let quoted = (!quoted.is_empty()).then(|| {
        let forms = quoted.join("|");
        format!(r#"(?<!\w)(?:{forms})\s*["'`]{name}["'`]\s*[\])}}](\s*=(?!=))?"#)
    });
    let plain = (!plain.is_empty()).then(|| {
        let forms = plain.join("|");
        // Another value beside it is a default.
        format!(r"(?<!\w)(?:{forms}){name}(?!\w|\s*(?:\?\?|\|\||\())(\s*=(?!=))?")
    });
    for pattern in quoted.into_iter().chain(plain) {
        let regex = Regex::new(&pattern).ok();
        let reads = regex.iter().flat_map(|it| it.captures_iter(text));
        found.extend(reads.flatten().filter_map(|read| {
            let name = read.get(1)?;
            let is_read = read.get(2).is_none();
            Some((name.start(), name.as_str().to_owned(), is_read))
        }));
    }
    found
}

/// Where the walk over the words is.
#[derive(Clone, Copy)]
enum Place {
    /// A program comes next.
    Program,
    /// After a wrapper: a program comes after its options.
    Wrapper,
    /// After an interpreter: a file comes next, or code if one of these options was there.
    Interpreter {
        options: &'static [&'static str],
        code_next: bool,
    },
    /// Code comes after options.
    CodeFirst,
    /// The value that a filter knows by a name.
    FilterValue,
    /// A filter, which is code if an argument is a part of it, comes after options.
    FilterFirst,
    /// The name of a database, then a query.
    Database { name_seen: bool },
    /// After the host of `ssh`, everything is code of its shell.
    Remote { host_seen: bool },
    /// All words that are no options are code.
    Shell,
    /// Other arguments of a program.
    Arguments(&'static str),
    /// Nothing can be mistaken any more.
    End,
}

/// Settings of Git that are no code, whatever their value is.
const SETTINGS: [&str; 6] = ["user.", "color.", "log.", "i18n.", "advice.", "commit."];

/// Finds the role of each word of a command line.
pub(super) fn assign_roles(words: &mut [Word<'_>]) {
    let mut place = Place::Program;
    let mut before: Option<String> = None;
    let mut program = String::new();
    for word in words {
        let text = word.text;
        (word.role, place) = next(place, word, before.as_deref(), &program);
        let is_setting = program == "git" && word.role == Role::Code;
        if is_setting && SETTINGS.iter().any(|section| text.starts_with(section)) {
            word.role = Role::Value;
        }
        if word.role == Role::Program {
            base(text).clone_into(&mut program);
        } else if program == "git" && !text.starts_with('-') && before.as_deref() != Some("-c") {
            // After its subcommand, `-c` is another option.
            program.clear();
        }
        before = Some(text.to_owned());
    }
}

/// The role of a word, and the place after it.
fn next(place: Place, word: &Word<'_>, before: Option<&str>, program: &str) -> (Role, Place) {
    let text = word.text;
    let is_option = text.starts_with('-') && text.len() > 1;
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    match place {
        Place::Wrapper | Place::Remote { host_seen: false } | Place::Database { .. }
            if is_option =>
        {
            (Role::Option, place)
        }
        Place::Wrapper if text.contains('=') || is_number || before == Some("-I") => {
            (Role::Value, place)
        }
        Place::Wrapper if word.is_template && literal(text).contains(' ') => (Role::Code, place),
        Place::Program | Place::Wrapper => (Role::Program, after_program(text)),
        Place::Interpreter { options, code_next } => {
            interpreted(word, before, program, (options, code_next))
        }
        Place::CodeFirst if before.is_some_and(|it| ["-v", "-F", "-f"].contains(&it)) => {
            (Role::Value, place)
        }
        Place::FilterFirst if before.is_some_and(|it| it.starts_with("--arg")) => {
            (Role::Value, Place::FilterValue)
        }
        Place::FilterFirst if before == Some("-f") => (Role::Value, place),
        Place::FilterValue => (Role::Value, Place::FilterFirst),
        Place::Shell if before == Some("-n") => (Role::Value, place),
        Place::CodeFirst | Place::FilterFirst | Place::Shell if is_option => (Role::Option, place),
        Place::CodeFirst if program.ends_with("sed") => (Role::Code, Place::Arguments("sed")),
        Place::CodeFirst => (Role::Code, Place::Arguments("")),
        Place::FilterFirst if is_whole(text) => (Role::Argument, Place::Arguments("jq")),
        Place::FilterFirst => (Role::Code, Place::Arguments("jq")),
        Place::Database { name_seen: false } => {
            (Role::Argument, Place::Database { name_seen: true })
        }
        Place::Database { .. } if is_whole(text) => (Role::Value, place),
        Place::Database { .. } | Place::Shell | Place::Remote { host_seen: true } => {
            (Role::Code, place)
        }
        Place::Remote { host_seen: false }
            if before.is_some_and(|it| ["-p", "-i", "-l", "-o", "-F"].contains(&it)) =>
        {
            (Role::Value, place)
        }
        Place::Remote { host_seen: false } => (Role::Argument, Place::Remote { host_seen: true }),
        Place::Arguments(_) if text == "--" => (Role::Option, Place::End),
        Place::Arguments(known) => arguments(known, word, (before, program), place),
        Place::End if interpreter(text).is_some() && before == Some("--") => {
            (Role::Value, after_program(text))
        }
        Place::End => (Role::Value, place),
    }
}

/// Returns true if an argument of the call is all of the text.
pub(super) fn is_whole(text: &str) -> bool {
    text.starts_with("{{") && text.ends_with("}}")
}

/// The text without what the template puts in.
fn literal(text: &str) -> String {
    let mut parts = text.split("{{");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        all + part.split_once("}}").map_or("", |(_, rest)| rest)
    })
}

/// A word after the name of an interpreter.
fn interpreted(
    word: &Word<'_>,
    before: Option<&str>,
    program: &str,
    (options, code_next): (&'static [&'static str], bool),
) -> (Role, Place) {
    let text = word.text;
    let here = |code_next| Place::Interpreter { options, code_next };
    // These take all that follows for one text of code.
    let takes_all = ["cmd", "powershell", "pwsh"].contains(&program);
    if !code_next && before.is_some_and(|it| is_in(it, SHELL_VALUES)) {
        return (Role::Value, here(false));
    }
    let is_attached = options.iter().any(|it| {
        let rest = text.strip_prefix(it);
        rest.is_some_and(|rest| rest.starts_with('=') || (it.len() == 2 && rest.starts_with("{{")))
    });
    if is_attached && word.is_template {
        return (Role::Code, Place::End);
    }
    let is_option = text.starts_with(['-', '+']) && text.len() > 1 && !text.contains("{{");
    if is_option || options.contains(&text) || (!code_next && ["eval", "run"].contains(&text)) {
        return (Role::Option, here(code_next || takes_code(text, options)));
    }
    if code_next {
        let after = if takes_all { here(true) } else { Place::End };
        return (Role::Code, after);
    }
    if before == Some("-m") && !word.is_template {
        return (Role::Value, Place::Arguments(""));
    }
    if entry(&RUNNERS, program).is_some_and(|(_, subs)| is_in(text, subs)) {
        return (Role::Value, Place::Wrapper);
    }
    (Role::Program, Place::End)
}

fn arguments(
    known: &'static str,
    word: &Word<'_>,
    (before, program): (Option<&str>, &str),
    place: Place,
) -> (Role, Place) {
    let text = word.text;
    // `find -exec sh -c` and `docker run image bash -c`.
    let nested = interpreter(text).filter(|_| !word.is_template);
    if let Some((_, options)) = nested {
        let code_next = false;
        return (Role::Value, Place::Interpreter { options, code_next });
    }
    if before.is_some_and(|it| ["-exec", "-execdir", "-ok"].contains(&it)) {
        return (Role::Program, place);
    }
    let runner = entry(&RUNNERS, program).filter(|_| !word.is_template);
    if runner.is_some_and(|(_, subs)| is_in(text, subs)) {
        return (Role::Value, Place::Wrapper);
    }
    if is_code(word, before, program) {
        return (Role::Code, place);
    }
    if text.starts_with('-') && text.len() > 1 {
        return (Role::Option, place);
    }
    let is_value = match before.filter(|it| it.starts_with('-') && it.len() > 1) {
        Some(option) if option.starts_with("--") && option.contains('=') => false,
        Some(option) if NO_OPTIONS.contains(&known) || !is_flag(known, option) => true,
        _ => NO_OPTIONS.contains(&known) || known.is_empty(),
    };
    let is_shell = ["tmux", "screen", "parallel"].contains(&program) && literal(text).contains(' ');
    (
        if is_value {
            Role::Value
        } else if is_shell && word.is_template {
            Role::Code
        } else {
            Role::Argument
        },
        place,
    )
}

/// Returns true if the word is code that an ordinary program takes after an option, or with it.
fn is_code(word: &Word<'_>, before: Option<&str>, program: &str) -> bool {
    let text = word.text;
    let Some((_, options)) = entry(&CODE_OPTIONS, program) else {
        return before.is_some_and(|it| is_in(it, SHELL_SUBCOMMANDS))
            && program == "tmux"
            && word.is_template;
    };
    let is_attached = |option: &&&str| {
        let rest = text.strip_prefix(**option);
        rest.is_some_and(|rest| rest.starts_with('=') && word.is_template)
    };
    if let Some(option) = options.iter().find(is_attached) {
        return options != SQL || !is_whole(&text[option.len() + 1..]);
    }
    before.is_some_and(|it| takes_code(it, options)) && !(options == SQL && is_whole(text))
}

fn after_program(text: &str) -> Place {
    let name = base(text);
    if is_in(name, WRAPPERS) {
        return Place::Wrapper;
    }
    if let Some((_, options)) = interpreter(name) {
        return Place::Interpreter {
            options,
            code_next: false,
        };
    }
    if is_in(name, CODE_FIRST) {
        return Place::CodeFirst;
    }
    if is_in(name, FILTER_FIRST) {
        return Place::FilterFirst;
    }
    if is_in(name, QUERY_SECOND) {
        return Place::Database { name_seen: false };
    }
    if is_in(name, SHELL_WORDS) {
        return Place::Shell;
    }
    if name == "ssh" {
        return Place::Remote { host_seen: false };
    }
    // A program of the tool itself need not have options.
    if text.contains('/') && !text.starts_with('/') {
        return Place::Arguments("");
    }
    let no_options = NO_OPTIONS.iter().find(|known| **known == name);
    let flags = FLAGS.iter().map(|(known, _)| known);
    let known = no_options.or_else(|| flags.into_iter().find(|known| **known == name));
    Place::Arguments(known.copied().unwrap_or("?"))
}

/// Returns true if code comes after `option`, which can have other letters before: `-lc`.
fn takes_code(option: &str, options: &[&str]) -> bool {
    options.iter().any(|known| {
        let is_short = known.len() == 2 && known.starts_with('-') && !option.starts_with("--");
        let letters = option.strip_prefix('-').unwrap_or_default();
        let is_cluster = letters.len() < 8 && letters.chars().all(|c| c.is_ascii_alphabetic());
        option == *known || (is_short && is_cluster && letters.contains(&known[1..]))
    })
}

/// Returns true if `option` of `program` takes no value.
fn is_flag(program: &str, option: &str) -> bool {
    const LONG: &str = "--all --count --files-with-matches --fixed-strings --force --hidden \
        --ignore-case --json --line-number --no-heading --no-pager --oneline --quiet --raw-output \
        --recursive --silent --stat --verbose --word-regexp";
    let Some(letters) = option.strip_prefix('-') else {
        return false;
    };
    if letters.starts_with('-') {
        return is_in(option, LONG);
    }
    let known = FLAGS.iter().find(|(name, _)| *name == program);
    known.is_some_and(|(_, flags)| letters.chars().all(|c| flags.contains(c)))
}
