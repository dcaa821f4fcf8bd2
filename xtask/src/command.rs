//! The command line.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::{install, manual};

/// Parses the command line and does what it says.
pub(crate) fn run() -> Result<()> {
    let matches = command().get_matches();
    let Some((name, matches)) = matches.subcommand() else {
        return Ok(());
    };
    match name {
        "install" => install::run(path(matches, "prefix")),
        "man" if matches.get_flag("check") => manual::check(),
        "man" => manual::write(),
        _ => manual::completions(path(matches, "dir").unwrap_or(Path::new("."))),
    }
}

/// The root of the repository.
pub(crate) fn root() -> Result<PathBuf> {
    let parent = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    parent.map(Path::to_path_buf).context("xtask has no parent")
}

fn command() -> Command {
    Command::new("xtask")
        .bin_name("cargo xtask")
        .about("What a developer does with this repository")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("install")
                .about(
                    "Build and install programs, man pages and completions, and show them at work",
                )
                .arg(
                    Arg::new("prefix")
                        .long("prefix")
                        .value_name("DIR")
                        .value_parser(value_parser!(PathBuf))
                        .help("Where to install; ~/.local by default"),
                ),
        )
        .subcommand(
            Command::new("man")
                .about("Generate the man pages in man/")
                .arg(
                    Arg::new("check")
                        .long("check")
                        .action(ArgAction::SetTrue)
                        .help("Write nothing; fail when a page is stale or not clean"),
                ),
        )
        .subcommand(
            Command::new("completions")
                .about("Generate the completions for bash, zsh and fish")
                .arg(
                    Arg::new("dir")
                        .value_name("DIR")
                        .required(true)
                        .value_parser(value_parser!(PathBuf))
                        .help("Where to write them"),
                ),
        )
}

fn path<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m Path> {
    matches.get_one::<PathBuf>(name).map(PathBuf::as_path)
}
