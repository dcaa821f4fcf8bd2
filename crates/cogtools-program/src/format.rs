//! `--format`: for people and for programs, or for a host.

use clap::{Arg, ArgMatches, builder::PossibleValuesParser};
use cogtools_core::Target;

/// `--format`: words for people, or JSON, whose form the man page tells.
pub fn format_arg() -> Arg {
    Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(["human", "json"])
        .default_value("human")
        .help("Output format: text, or one JSON object")
}

/// Whether `--format json` was given.
pub fn json_from_matches(matches: &ArgMatches) -> bool {
    let format = matches.get_one::<String>("format");
    format.is_some_and(|format| format == "json")
}

/// `--format`: the form of declarations that a host takes.
pub fn host_arg() -> Arg {
    Arg::new("format")
        .long("format")
        .value_name("HOST")
        .value_parser(PossibleValuesParser::new(Target::NAMES))
        .default_value("gemini")
        .help("Format of the declarations")
}

/// The host that `--format` names.
pub fn host_from_matches(matches: &ArgMatches) -> Target {
    let host = matches.get_one::<String>("format");
    let host = host.and_then(|name| Target::parse(name));
    host.unwrap_or(Target::Gemini)
}
