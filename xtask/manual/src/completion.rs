//! Completions of every program for the shells that people use.

use clap::{Arg, Command};
use clap_complete::{Shell, generate};
use cogtools::manual::TOPICS;
use cogtools::{PROGRAM, PROGRAMS};

/// A file that a shell reads when it completes a command line.
#[derive(Clone, Debug)]
pub struct Completion {
    /// Where it belongs below `share`, such as
    /// `bash-completion/completions/cogtools`.
    pub path: String,
    /// The script.
    pub text: Vec<u8>,
}

/// The completions of every program for bash, zsh and fish.
pub fn all() -> Vec<Completion> {
    let shells = [Shell::Bash, Shell::Zsh, Shell::Fish];
    let pairs = PROGRAMS
        .iter()
        .flat_map(|program| shells.map(|shell| (program, shell)));
    pairs
        .map(|(program, shell)| {
            let mut command = if program.name == PROGRAM.name {
                porcelain()
            } else {
                program.command()
            };
            let mut text = Vec::new();
            generate(shell, &mut command, program.name, &mut text);
            Completion {
                path: path(shell, program.name),
                text,
            }
        })
        .collect()
}

/// `cogtools` as a person types it: the programs that it becomes as subcommands.
fn porcelain() -> Command {
    let own = PROGRAMS.iter().filter_map(|program| {
        let name = program.name.strip_prefix("cogtools-")?;
        Some(program.command().name(name))
    });
    let names: Vec<&str> = PROGRAMS
        .iter()
        .filter_map(|program| program.name.strip_prefix("cogtools-"))
        .chain(TOPICS.iter().map(|topic| topic.name))
        .collect();
    let help = Command::new("help")
        .about("Show the manual of a program or a topic")
        .disable_help_flag(true)
        .arg(
            Arg::new("all")
                .long("all")
                .short('a')
                .num_args(0)
                .help("List every program found"),
        )
        .arg(
            Arg::new("program")
                .value_name("PROGRAM")
                .value_parser(names)
                .help("The program or topic"),
        );
    PROGRAM.command().subcommands(own).subcommand(help)
}

/// Where each shell looks for completions below `share`.
fn path(shell: Shell, name: &str) -> String {
    match shell {
        Shell::Zsh => format!("zsh/site-functions/_{name}"),
        Shell::Fish => format!("fish/vendor_completions.d/{name}.fish"),
        _ => format!("bash-completion/completions/{name}"),
    }
}
