//! `--format`: for people or for programs, or for a host.

use clap::{Arg, ArgMatches, builder::PossibleValuesParser};
use cogtools_core::Target;

/// `--format`: text for people, or JSON as described in the man page.
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

/// `--format`: the format of declarations for a host.
pub fn host_arg() -> Arg {
    Arg::new("format")
        .long("format")
        .value_name("HOST")
        .value_parser(PossibleValuesParser::new(Target::NAMES))
        .default_value("gemini")
        .help("Format of the declarations")
}

/// The value of [`host_arg`].
pub fn host_from_matches(matches: &ArgMatches) -> Target {
    matches
        .get_one::<String>("format")
        .and_then(|name| Target::parse(name))
        .unwrap_or(Target::Gemini)
}
