//! Completions of every program for the shells that people use.

use clap::builder::StyledStr;
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

/// `cogtools` as a person types it: the programs that it becomes as subcommands,
/// and `help` with everything that has a manual page.
fn porcelain() -> Command {
    let programs = PROGRAMS.iter().filter_map(|program| {
        let name = program.name.strip_prefix("cogtools-")?;
        Some(program.command().name(name))
    });
    let topics = TOPICS.iter().map(|topic| page(topic.name, topic.about));
    let manuals = PROGRAMS.iter().filter_map(|program| {
        let name = program.name.strip_prefix("cogtools-")?;
        let about = program.command().get_about().cloned().unwrap_or_default();
        Some(page(name, about))
    });
    let help = page("help", HELP)
        .disable_help_subcommand(true)
        .arg(
            Arg::new("all")
                .long("all")
                .short('a')
                .num_args(0)
                .help("List every program found"),
        )
        .subcommands(manuals.chain(topics));
    PROGRAM.command().subcommands(programs).subcommand(help)
}

const HELP: &str = "Show the manual of a program or a topic";

/// A word behind `cogtools help`.
fn page(name: &'static str, about: impl Into<StyledStr>) -> Command {
    Command::new(name).about(about).disable_help_flag(true)
}

/// Where each shell looks for completions below `share`.
fn path(shell: Shell, name: &str) -> String {
    match shell {
        Shell::Zsh => format!("zsh/site-functions/_{name}"),
        Shell::Fish => format!("fish/vendor_completions.d/{name}.fish"),
        _ => format!("bash-completion/completions/{name}"),
    }
}
