//! The words of `exec` in the tool file, and what each means to the program before it.

use cogtools_core::text::Span;
use cogtools_core::yaml::Node;

use super::table::{CODE_FIRST, FLAGS, INTERPRETERS, NO_OPTIONS, SQL, WRAPPERS, base};
use crate::lint_file::LintFile;

/// A word of the command line.
#[derive(Debug)]
pub(crate) struct Word<'f> {
    pub(crate) text: &'f str,
    pub(crate) span: Span,
    pub(crate) role: Role,
    /// It reads arguments of the call.
    pub(crate) is_template: bool,
}

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A program, or a file that an interpreter runs.
    Program,
    /// Code of a language.
    Code,
    /// An argument that the program takes for an option if it begins with `-`.
    Argument,
    /// What cannot be mistaken: the value of an option, or what is after `--`.
    Value,
    /// A literal option.
    Option,
}

/// The words of `exec`; none for other implementations.
pub(crate) fn words(file: &LintFile) -> Vec<Word<'_>> {
    let list = file
        .value("implementation")
        .and_then(|node| node.get("exec"));
    let mut found = Vec::new();
    for node in list.and_then(Node::items).into_iter().flatten() {
        match node.get("args").and_then(Node::items) {
            Some(items) => found.extend(items.iter().filter_map(word)),
            None => found.extend(word(node)),
        }
    }
    assign_roles(&mut found);
    found
}

fn word(node: &Node) -> Option<Word<'_>> {
    let text = node.text()?;
    let analysis = njk::analyse(text);
    Some(Word {
        text,
        span: node.span,
        role: Role::Argument,
        is_template: analysis.is_ok_and(|found| !found.reads.is_empty()),
    })
}

/// Where the walk over the words is.
#[derive(Clone, Copy)]
enum Place {
    /// A program comes next.
    Program,
    /// After a wrapper: a program comes after its options.
    Wrapper,
    /// After an interpreter: code comes after these options, a file otherwise.
    Interpreter(&'static [&'static str]),
    /// Code comes after options.
    CodeFirst,
    /// After the host of `ssh`, everything is code of its shell.
    Remote { host_seen: bool },
    /// Other arguments of a program.
    Arguments(&'static str),
    /// Nothing can be mistaken any more.
    End,
}

fn assign_roles(words: &mut [Word<'_>]) {
    let mut place = Place::Program;
    let mut before: Option<String> = None;
    for word in words {
        let text = word.text;
        (word.role, place) = next(place, word, before.as_deref());
        before = Some(text.to_owned());
    }
}

/// The role of a word, and the place after it.
fn next(place: Place, word: &Word<'_>, before: Option<&str>) -> (Role, Place) {
    let text = word.text;
    let is_option = text.starts_with('-') && text.len() > 1;
    match place {
        Place::Wrapper | Place::Remote { host_seen: false } if is_option => (Role::Option, place),
        Place::Wrapper if text.contains('=') || text.starts_with(|c: char| c.is_ascii_digit()) => {
            (Role::Value, place)
        }
        Place::Program | Place::Wrapper => (Role::Program, after_program(text)),
        Place::Interpreter(options) if before.is_some_and(|it| takes_code(it, options)) => {
            let is_whole = text.starts_with("{{") && text.ends_with("}}");
            let is_query = options == SQL && is_whole;
            (if is_query { Role::Value } else { Role::Code }, Place::End)
        }
        Place::Interpreter(_) if is_option || text == "eval" || text == "run" => {
            (Role::Option, place)
        }
        Place::Interpreter(_) if before == Some("-m") => (Role::Value, Place::Arguments("")),
        Place::Interpreter(_) => (Role::Program, Place::End),
        Place::CodeFirst if before.is_some_and(|it| ["-v", "-F", "-f"].contains(&it)) => {
            (Role::Value, place)
        }
        Place::CodeFirst if is_option => (Role::Option, place),
        Place::CodeFirst => (Role::Code, Place::Arguments("")),
        Place::Remote { host_seen: false }
            if before.is_some_and(|it| ["-p", "-i", "-l", "-o", "-F"].contains(&it)) =>
        {
            (Role::Value, place)
        }
        Place::Remote { host_seen: false } => (Role::Argument, Place::Remote { host_seen: true }),
        Place::Remote { host_seen: true } => (Role::Code, place),
        Place::Arguments(_) if text == "--" => (Role::Option, Place::End),
        Place::Arguments(program) => arguments(program, word, before, place),
        Place::End => (Role::Value, place),
    }
}

fn arguments(
    program: &'static str,
    word: &Word<'_>,
    before: Option<&str>,
    place: Place,
) -> (Role, Place) {
    let text = word.text;
    // `find -exec sh -c` and `docker run image bash -c`.
    let nested = INTERPRETERS
        .iter()
        .find(|(name, _)| !word.is_template && *name == base(text));
    if let Some((_, options)) = nested {
        return (Role::Value, Place::Interpreter(options));
    }
    if before == Some("-exec") {
        return (Role::Program, place);
    }
    if text.starts_with('-') && text.len() > 1 {
        return (Role::Option, place);
    }
    let is_value = match before.filter(|it| it.starts_with('-') && it.len() > 1) {
        Some(option) if NO_OPTIONS.contains(&program) || !is_flag(program, option) => true,
        _ => NO_OPTIONS.contains(&program) || program.is_empty(),
    };
    (
        if is_value {
            Role::Value
        } else {
            Role::Argument
        },
        place,
    )
}

fn after_program(text: &str) -> Place {
    let name = base(text);
    if WRAPPERS.contains(&name) {
        return Place::Wrapper;
    }
    if let Some((_, options)) = INTERPRETERS.iter().find(|(known, _)| *known == name) {
        return Place::Interpreter(options);
    }
    if CODE_FIRST.contains(&name) {
        return Place::CodeFirst;
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

/// Whether code comes after `option`, which can have other letters before: `-lc`.
fn takes_code(option: &str, options: &[&str]) -> bool {
    options.iter().any(|known| {
        let is_short = known.len() == 2 && !option.starts_with("--");
        option == *known || (is_short && option.starts_with('-') && option.ends_with(&known[1..]))
    })
}

/// Whether it is certain that `option` of `program` takes no value.
fn is_flag(program: &str, option: &str) -> bool {
    let Some(letters) = option.strip_prefix('-') else {
        return false;
    };
    if letters.starts_with('-') {
        let long = [
            "--all",
            "--count",
            "--files-with-matches",
            "--fixed-strings",
            "--hidden",
            "--ignore-case",
            "--json",
            "--line-number",
            "--oneline",
            "--quiet",
            "--raw-output",
            "--recursive",
            "--silent",
            "--stat",
            "--verbose",
            "--word-regexp",
            "--force",
        ];
        return long.contains(&option);
    }
    let known = FLAGS.iter().find(|(name, _)| *name == program);
    known.is_some_and(|(_, flags)| letters.chars().all(|c| flags.contains(c)))
}
