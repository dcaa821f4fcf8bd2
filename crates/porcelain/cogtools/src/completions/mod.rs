//! `cogtools completions`: scripts for shells, and the answers that they ask for.
//!
//! The scripts know nothing. With each key they ask this program, which reads the commands
//! and the files of the project, so that every installation completes the same. Nothing of a
//! project is started: no provider, no MCP server, no tool.

mod candidate;
mod engine;
mod line;
mod names;
mod script;

use clap::{Arg, ArgMatches, Command};
use cogtools_program::args::{all, required};
use cogtools_program::{Failure, Io, Program, Stdin, man};

pub use script::{Shell, script};

use engine::{Completion, complete};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-completions",
    command,
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

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Print the script that completes command lines in a shell")
        .long_about(
            "Print the script that makes a shell complete programs, options, tools, their parameters \
             and toolsets.",
        )
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(Shell::NAMES)
                .help("The shell"),
        )
        .arg(
            Arg::new("words")
                .value_name("WORDS")
                .num_args(1..)
                .last(true)
                .help("Print what the last of these words can be, for the script"),
        )
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let name: String = required(matches, "shell")?;
    let shell = Shell::parse(&name);
    let words: Vec<String> = all(matches, "words");
    if words.is_empty() {
        let names = crate::PROGRAMS.map(|program| program.name);
        return io.print(script(shell, &names).as_bytes());
    }
    let words = match shell {
        Shell::Bash => line::split(&words.join(" ")),
        Shell::Zsh | Shell::Fish => words,
    };
    let text = match complete(&words, io) {
        Completion::Files => ":files\n".to_owned(),
        Completion::Candidates(candidates) => candidates
            .iter()
            .filter(|candidate| candidate.is_safe())
            .map(|candidate| candidate.line(shell))
            .collect(),
    };
    io.print(text.as_bytes())
}
