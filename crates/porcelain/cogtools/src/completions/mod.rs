//! `cogtools completions`: scripts for shells, and the answers that they ask for.
//!
//! The scripts know nothing. With each key they ask this program, which reads the commands
//! and the files of the project, so that every installation completes the same. Nothing of a
//! project is started: no provider, no MCP server, no tool.
//!
//! The engine of `clap_complete` reads the command line. Its own scripts are not used: they
//! cannot offer `KEY=` without a space behind it, nor leave paths to the shell.

mod names;
mod script;

use std::ffi::OsString;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Arg, ArgMatches, Command, CommandFactory as _, Parser};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use cogtools_program::terminal::{sanitize, truncate};
use cogtools_program::{Failure, Io, Program, Stdin, args, man};

pub use script::{Shell, script};

use crate::dispatch::PROGRAM as COGTOOLS;
use crate::manual::TOPICS;
use crate::{PREFIX, built_in, built_ins};
use names::Names;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-completions",
    command: CompletionsArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[],
    variables: man::PROJECT,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "INSTALLATION",
        "Archives, packages of systems and `cargo xtask install` contain the scripts. Everywhere \
else, add a line to the file that the shell reads at its start.

~/.bashrc
  eval \"$(cogtools completions bash)\"

~/.zshrc, after compinit
  eval \"$(cogtools completions zsh)\"

~/.config/fish/config.fish
  cogtools completions fish | source",
    ),
    (
        "WHAT IS COMPLETED",
        "Programs, options and their values; names of tools and toolsets; the parameters of the tool \
behind `cogtools run`, and the values of those that are booleans or lists of values. Tools are read \
from files, those of the project and of packages, and from cached declarations of providers (with \
`cache`) and MCP servers. Nothing is started, so the tools of a source are offered after its first \
discovery, for as long as its declarations are cached. Names that contain anything but letters, digits and common punctuation are \
left out.",
    ),
    (
        "PROTOCOL",
        "With WORDS, the candidates for the last word are printed, one per line: for bash, whose only \
word is the command line up to the cursor, the candidate; otherwise also a tab and a description. \
The line :files asks the shell to complete names of files.",
    ),
    (
        "EXAMPLES",
        "    eval \"$(cogtools completions bash)\"\n\n    cogtools completions fish -- cogtools run fa",
    ),
];

/// Print the script that completes command lines in a shell
#[derive(Parser)]
#[command(
    long_about = "Print the script that makes a shell complete programs, options, tools, their \
        parameters and toolsets."
)]
struct CompletionsArgs {
    /// The shell
    #[arg(value_parser = PossibleValuesParser::new(Shell::NAMES).map(|name| Shell::parse(&name)))]
    shell: Shell,
    /// Print what the last of these words can be, for the script
    #[arg(value_name = "WORDS", num_args = 1.., last = true)]
    words: Vec<String>,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let CompletionsArgs { shell, words } = args::parse(matches)?;
    if words.is_empty() {
        let names: Vec<&str> = crate::PROGRAMS.iter().map(|program| program.name).collect();
        return io.print(script(shell, &names).as_bytes());
    }
    let words = match shell {
        Shell::Bash => split(&words.join(" ")),
        Shell::Zsh | Shell::Fish => words,
    };
    let Some(candidates) = complete(&words, io) else {
        return io.print(b":files\n");
    };
    let candidates = candidates.iter().filter(|candidate| candidate.is_safe());
    let text: String = candidates.map(|candidate| candidate.line(shell)).collect();
    io.print(text.as_bytes())
}

/// The maximum number of characters of a description.
const MAX_ABOUT_CHARS: usize = 60;

/// A candidate for the word at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Candidate {
    value: String,
    about: String,
}

impl Candidate {
    fn new(value: impl Into<String>, about: &str) -> Self {
        let words: Vec<&str> = about.split_whitespace().collect();
        Self {
            value: value.into(),
            about: truncate(&words.join(" "), MAX_ABOUT_CHARS).into_owned(),
        }
    }

    /// Returns true if a shell takes the value literally, and a terminal shows it as it is:
    /// strangers choose the names of toolsets and parameters.
    fn is_safe(&self) -> bool {
        let is_safe = |c: char| {
            c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@' | '=' | ',' | '+')
        };
        !self.value.is_empty() && self.value.chars().all(is_safe)
    }

    /// The line that the script of `shell` reads.
    fn line(&self, shell: Shell) -> String {
        match shell {
            Shell::Bash => format!("{}\n", self.value),
            Shell::Zsh | Shell::Fish => format!("{}\t{}\n", self.value, sanitize(&self.about)),
        }
    }
}

// Marks in place of values that are found only after the whole command line is known.
const FILES: &str = "\0files";
const NOTHING: &str = "\0nothing";
const TOOLS: &str = "\0tools";
const TOOLSETS: &str = "\0toolsets";
const ARGUMENTS: &str = "\0arguments";

/// Candidates for the last of `words`, of which the first is the program; `None` for the names
/// of files.
fn complete(words: &[String], io: &mut Io<'_>) -> Option<Vec<Candidate>> {
    let [program, .., current] = words else {
        return None;
    };
    let mut command = command_line(program);
    let typed = Typed::read(&command, &words[..words.len() - 1]);
    if typed.is_external {
        return None;
    }
    if let Some(directory) = typed.directory {
        io.cwd = io.cwd.join(directory);
    }
    let args = words.iter().map(OsString::from).collect();
    let found = clap_complete::engine::complete(&mut command, args, words.len() - 1, None);
    let names = || Names::new(io);
    let mut candidates = Vec::new();
    for one in found.unwrap_or_default() {
        let value = one.get_value().to_string_lossy();
        let (prefix, mark) = value.split_at(value.find('\0').unwrap_or(value.len()));
        let rest = current.strip_prefix(prefix).unwrap_or_default();
        let values = match mark {
            // A word that begins like an option is none, unless it is the value of one: `--file=a`.
            FILES if prefix.is_empty() && current.starts_with('-') => Vec::new(),
            FILES => return None,
            // No tool has such a name.
            TOOLS if rest.contains(std::path::is_separator) => return None,
            NOTHING => Vec::new(),
            TOOLS => names().tools(rest),
            TOOLSETS => names().toolsets(),
            ARGUMENTS => match &typed.tool {
                Some(tool) => names().arguments(tool, rest),
                None => Vec::new(),
            },
            _ => {
                let about = one.get_help().map(ToString::to_string);
                candidates.push(Candidate::new(value, &about.unwrap_or_default()));
                continue;
            }
        };
        candidates.extend(values.into_iter().map(|candidate| Candidate {
            value: format!("{prefix}{}", candidate.value),
            ..candidate
        }));
    }
    // Options are offered for what begins as one.
    candidates.retain(|one| {
        one.value.starts_with(current) && one.value.starts_with('-') == current.starts_with('-')
    });
    Some(candidates)
}

/// The command line of `program`, with marks for its values. `cogtools` has all programs as its
/// subcommands.
fn command_line(program: &str) -> Command {
    let file = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let file = file.strip_suffix(".exe").unwrap_or(file);
    if let Some(program) = file.strip_prefix(PREFIX).and_then(built_in) {
        return marked(program.command());
    }
    let programs = built_ins().map(|(name, program)| marked(program.command().name(name)));
    let pages = built_ins().map(|(name, _)| name);
    let pages = pages.chain(TOPICS.iter().map(|topic| topic.name));
    let page = Arg::new("page").value_parser(PossibleValuesParser::new(pages));
    COGTOOLS
        .command()
        .subcommands(programs)
        .subcommand(Command::new("help").about("Show a manual").arg(page))
        .subcommand(Command::new("version").about("Print the version"))
}

fn marked(command: Command) -> Command {
    let mark = |arg: Arg| {
        let mark = match arg.get_id().as_str() {
            "tool" | "tools" | "exclude" => TOOLS,
            "toolset" => TOOLSETS,
            "arguments" => ARGUMENTS,
            // Nothing here knows them.
            "term" | "package" | "name" | "value" | "key" | "source" | "rule" => NOTHING,
            _ => FILES,
        };
        if arg.is_hide_set() || !arg.get_possible_values().is_empty() {
            return arg;
        }
        let candidate = move |_: &std::ffi::OsStr| vec![CompletionCandidate::new(mark)];
        arg.add(ArgValueCompleter::new(candidate))
    };
    command.mut_args(mark).mut_subcommands(marked)
}

/// Values before the cursor that decide about others.
#[derive(Default)]
struct Typed {
    directory: Option<OsString>,
    tool: Option<String>,
    /// True behind the name of a program that is not built in.
    is_external: bool,
}

impl Typed {
    fn read(command: &Command, words: &[String]) -> Self {
        let mut typed = Self::default();
        let mut command = command.clone().ignore_errors(true);
        let Ok(matches) = command.try_get_matches_from_mut(words) else {
            return typed;
        };
        let mut matches = &matches;
        let mut current = &command;
        loop {
            let value = |id: &str| {
                matches.ids().find(|known| *known == id)?;
                matches.get_raw(id)?.next()
            };
            if let Some(directory) = value("directory") {
                typed.directory = Some(directory.to_owned());
            }
            if let Some(tool) = value("tool") {
                typed.tool = Some(tool.to_string_lossy().into_owned());
            }
            let Some((name, below)) = matches.subcommand() else {
                return typed;
            };
            let Some(subcommand) = current.find_subcommand(name) else {
                typed.is_external = true;
                return typed;
            };
            (matches, current) = (below, subcommand);
        }
    }
}

/// Splits `line` as a shell does; the last word is the one at the cursor, which may be empty,
/// and whose quotes need not be closed.
pub(super) fn split(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut is_escaped = false;
    for c in line.chars() {
        let last = words.len() - 1;
        let word = &mut words[last];
        match (quote, c) {
            _ if is_escaped => {
                word.push(c);
                is_escaped = false;
            }
            (None | Some('"'), '\\') => is_escaped = true,
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, c) if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(String::new());
                }
            }
            (_, c) => word.push(c),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn the_last_word_is_the_one_at_the_cursor() {
        for (line, expected) in [
            ("", vec![""]),
            ("cogtools", vec!["cogtools"]),
            ("cogtools ", vec!["cogtools", ""]),
            ("cogtools  run  a", vec!["cogtools", "run", "a"]),
            (
                "cogtools run a b='x y",
                vec!["cogtools", "run", "a", "b=x y"],
            ),
            ("x \"a\\\"b\" c\\ d", vec!["x", "a\"b", "c d"]),
            ("x \\", vec!["x", ""]),
        ] {
            assert_eq!(split(line), expected, "{line:?}");
        }
    }
}
