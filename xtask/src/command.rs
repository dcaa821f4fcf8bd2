//! The command line.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::{bench, install, manual, soak, test};

/// Parses the command line and does what it says.
pub(crate) fn run() -> Result<()> {
    let matches = command().get_matches();
    let Some((name, matches)) = matches.subcommand() else {
        return Ok(());
    };
    match name {
        "bench" => bench::run(matches.get_flag("quick"), matches.get_flag("write")),
        "install" => install::run(path(matches, "prefix")),
        "man" if matches.get_flag("check") => manual::check(),
        "man" => manual::write(),
        "pictures" => manual::pictures(),
        "soak" => soak::run(matches.get_one("seconds").copied().unwrap_or(soak::HOUR)),
        "test" => test::run(),
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
        .subcommands([
            Command::new("install")
                .about("Build and install programs, man pages and completions, and show them")
                .arg(directory("prefix", "Where to install; ~/.local by default").long("prefix")),
            Command::new("test")
                .about("Run everything that CI runs, and install what it needs first"),
            Command::new("soak")
                .about("Call the server of MCP without end while files change, and look for growth")
                .arg(
                    Arg::new("seconds")
                        .value_name("SECONDS")
                        .value_parser(value_parser!(u64))
                        .help("How long; an hour by default"),
                ),
            Command::new("man")
                .about("Generate the man pages in man/")
                .arg(flag(
                    "check",
                    "Write nothing; fail when a page is stale or not clean",
                )),
            Command::new("completions")
                .about("Generate the completions for bash, zsh and fish")
                .arg(directory("dir", "Where to write them").required(true)),
            Command::new("pictures")
                .about("Generate the pictures in docs/pictures/ from what programs print"),
            Command::new("bench")
                .about("Measure whole processes against each other and print the table")
                .arg(flag("quick", "Fewer runs, for a first look"))
                .arg(flag("write", "Put the table into docs/reference/speed.md")),
        ])
}

fn directory(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .help(help)
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn path<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m Path> {
    matches.get_one::<PathBuf>(name).map(PathBuf::as_path)
}
