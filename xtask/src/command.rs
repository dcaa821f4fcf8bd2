//! The command line.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::dist::Source;
use crate::{bench, bless, dist, editors, fuzz, install, manual, prose, restate, soak, test};

/// Parses the command line and runs the command.
pub(crate) fn run() -> Result<()> {
    let matches = command().get_matches();
    let Some((name, matches)) = matches.subcommand() else {
        return Ok(());
    };
    match name {
        "archive" => {
            let (source, targets) = (source(matches), all(matches, "target"));
            dist::archives(
                &source,
                &targets,
                path(matches, "completions"),
                out(matches),
            )
        }
        "bench" => {
            let part = if matches.get_flag("http") {
                bench::Part::Http
            } else {
                bench::Part::Processes
            };
            bench::run(part, matches.get_flag("quick"), matches.get_flag("write"))
        }
        "bless" => bless::run(&bless::Selection {
            packages: all(matches, "package"),
            names: all(matches, "name"),
        }),
        "editors" => editors::run(),
        "fuzz" => {
            let seconds = matches.get_one("seconds").copied();
            fuzz::run_targets(&all(matches, "target"), seconds.unwrap_or(fuzz::BRIEF))
        }
        "installer" => dist::installer(text(matches, "from").unwrap_or_default(), out(matches)),
        "install" => install::run(path(matches, "prefix")),
        "man" if matches.get_flag("check") => manual::check(),
        "man" => manual::write(),
        "pictures" => manual::pictures(),
        "npm" => {
            let (source, targets) = (source(matches), all(matches, "target"));
            dist::packages(&source, &targets, text(matches, "repository"), out(matches))
        }
        "publish" => {
            let dir = path(matches, "dir").unwrap_or(Path::new("."));
            dist::publish(dir, matches.get_flag("dry-run"))
        }
        "prose" => prose::check(),
        "restate" => restate::run(matches.get_one("runs").copied()),
        "tag" => dist::tag(text(matches, "name").unwrap_or_default()),
        "soak" => {
            let calls = if matches.get_flag("sources") {
                soak::Calls::Sources
            } else {
                soak::Calls::Project
            };
            soak::run(calls, matches.get_one("seconds").copied())
        }
        "ci" if matches.get_flag("needs") => test::install_needs(),
        "ci" => test::everything(matches.get_flag("rest")),
        "test" => test::quick(),
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
        .about("Development tasks of this repository")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([
            Command::new("install")
                .about("Build and install programs, man pages and completions, and show them")
                .arg(directory("prefix", "Where to install; ~/.local by default").long("prefix")),
            Command::new("test").about("Run the tests that need no network and no other programs"),
            Command::new("ci")
                .about("Run everything that a merge requires, and install what it needs first")
                .arg(flag("rest", "Leave out the tests that `cargo xtask test` runs"))
                .arg(flag("needs", "Only install the programs that the tests need")),
            bless(),
            Command::new("soak")
                .about("Call the MCP server continuously while files change, and check for memory growth")
                .arg(flag(
                    "sources",
                    "Call ten sources instead, which change, die and come back",
                ))
                .arg(
                    Arg::new("seconds")
                        .value_name("SECONDS")
                        .value_parser(value_parser!(u64))
                        .help("Duration in seconds; an hour by default, 20 minutes with --sources"),
                ),
            Command::new("editors")
                .about("Test the extension in a real window of VS Code, which is installed first"),
            restate(),
            Command::new("fuzz")
                .about("Run the fuzz targets on random input")
                .arg(
                    Arg::new("target")
                        .value_name("TARGET")
                        .num_args(0..)
                        .help("Only these targets"),
                )
                .arg(
                    Arg::new("seconds")
                        .long("seconds")
                        .value_name("SECONDS")
                        .value_parser(value_parser!(u64))
                        .help("Duration of each target; 20 seconds by default"),
                ),
            Command::new("man")
                .about("Generate the man pages in man/")
                .arg(flag(
                    "check",
                    "Write nothing; fail if a page is stale or has lint errors",
                )),
            Command::new("completions")
                .about("Generate the completions for bash, zsh and fish")
                .arg(directory("dir", "Directory to write to").required(true)),
            Command::new("prose")
                .about("List doc comments that are neither a verb phrase nor a noun phrase"),
            Command::new("pictures")
                .about("Generate the pictures in docs/pictures/ from the output of programs"),
            Command::new("bench")
                .about("Compare whole processes and print the table")
                .arg(flag("http", "Measure the MCP server over HTTP instead, under load"))
                .arg(flag("quick", "Fewer runs, for a first look"))
                .arg(flag("write", "Update the table in its page of docs/")),
        ])
        .subcommands(distribution())
}

/// The command that tests flows on a server.
fn restate() -> Command {
    Command::new("restate")
        .about("Test flows on a real Restate, which is installed first")
        .arg(
            Arg::new("runs")
                .long("runs")
                .value_name("NUMBER")
                .value_parser(value_parser!(u32))
                .help("How many runs are under way at the same time; 100 by default"),
        )
}

/// The command that renews expected text.
fn bless() -> Command {
    let package = word("package", "NAME", "Only the tests of this package");
    Command::new("bless")
        .about(
            "Renew everything that tests expect: text in sources, documents, pages, golden files",
        )
        .arg(package.short('p').action(ArgAction::Append))
        .arg(
            Arg::new("name")
                .value_name("TEST")
                .num_args(0..)
                .help("Only the tests with one of these in their names"),
        )
}

/// The commands that create the parts of a release.
fn distribution() -> [Command; 5] {
    let archives = directory("archives", "Use the programs from archives of this version");
    [
        of_targets("archive")
            .about("Pack programs, man pages and completions, with checksums, for a release")
            .arg(
                directory(
                    "completions",
                    "Use existing completions from this directory",
                )
                .long("completions"),
            ),
        of_targets("npm")
            .about("Write the npm packages: launchers, and the programs for each platform")
            .arg(archives.long("archives").conflicts_with("binaries"))
            .arg(word(
                "repository",
                "URL",
                "URL of the source, for package.json",
            )),
        Command::new("installer")
            .about("Write install.sh with its version and the URL of its archives")
            .arg(word("from", "URL", "URL of the archives").required(true))
            .arg(directory("out", "Where to write it").long("out")),
        Command::new("publish")
            .about("Publish the npm packages, programs first")
            .arg(directory("dir", "Directory of the packages").required(true))
            .arg(flag("dry-run", "Let npm print what it would do")),
        Command::new("tag")
            .about("Fail unless the tag matches this version")
            .arg(
                Arg::new("name")
                    .value_name("TAG")
                    .required(true)
                    .help("The tag"),
            ),
    ]
}

/// A command that takes the programs of some targets.
fn of_targets(name: &'static str) -> Command {
    let target = word("target", "TRIPLE", "A target; this machine by default");
    let binaries = "Use built programs from this directory instead of building them";
    Command::new(name)
        .arg(target.action(ArgAction::Append))
        .arg(directory("binaries", binaries).long("binaries"))
        .arg(directory("out", "Where to write; target/dist by default").long("out"))
}

fn word(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
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

fn out(matches: &ArgMatches) -> Option<&Path> {
    path(matches, "out")
}

fn text<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m str> {
    matches.get_one::<String>(name).map(String::as_str)
}

fn all(matches: &ArgMatches, name: &str) -> Vec<String> {
    let values = matches.get_many::<String>(name);
    values.into_iter().flatten().cloned().collect()
}

/// The source of the programs; only `npm` accepts archives.
fn source(matches: &ArgMatches) -> Source {
    let directory = |name| {
        let found = matches.try_get_one::<PathBuf>(name);
        found.ok().flatten().cloned()
    };
    match (directory("binaries"), directory("archives")) {
        (Some(dir), _) => Source::Binaries(dir),
        (None, Some(dir)) => Source::Archives(dir),
        (None, None) => Source::Build,
    }
}
