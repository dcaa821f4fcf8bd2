//! `--format`, for programs that report what they did to people and to programs.

use clap::{Arg, ArgMatches};

/// `--format`: words for people, or JSON, whose form the man page tells.
pub fn format_arg() -> Arg {
    Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(["human", "json"])
        .default_value("human")
        .help("Lines for people, or one JSON object")
}

/// Whether `--format json` was given.
pub fn wants_json(matches: &ArgMatches) -> bool {
    let format = matches.get_one::<String>("format");
    format.is_some_and(|format| format == "json")
}
