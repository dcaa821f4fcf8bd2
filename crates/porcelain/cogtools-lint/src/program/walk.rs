//! The walk over the words of a command line: what each word means to the program before it.

use super::table::{
    CODE_FIRST, CODE_OPTIONS, FILTER_FIRST, FLAGS, NO_OPTIONS, QUERY_SECOND, RUNNERS,
    SHELL_SUBCOMMANDS, SHELL_VALUES, SHELL_WORDS, SQL, WRAPPERS, base, entry, interpreter, is_in,
};
use super::{Role, Word};

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

/// Finds the role of each word of a command line.
pub(super) fn assign_roles(words: &mut [Word<'_>]) {
    let mut place = Place::Program;
    let mut before: Option<String> = None;
    let mut program = String::new();
    for word in words {
        let text = word.text;
        (word.role, place) = next(place, word, before.as_deref(), &program);
        if word.role == Role::Program {
            base(text).clone_into(&mut program);
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
fn is_whole(text: &str) -> bool {
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
