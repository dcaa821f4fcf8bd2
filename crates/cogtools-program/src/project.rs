//! The project around a program, its configuration and its tools.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches};
use cogtools_core::source::Global;
use cogtools_core::{Config, Filter, Pattern, Places, Project, Registry, Target};

use crate::failure::Failure;
use crate::io::Io;

/// Where Gemini CLI is told that the machine's settings are; ours lie beside them.
const SYSTEM_SETTINGS: &str = "GEMINI_CLI_SYSTEM_SETTINGS_PATH";

/// The project around `io`'s working directory.
pub fn project(io: &Io<'_>) -> Project {
    Project::find(&io.cwd, io.var("HOME").map(Path::new))
}

/// The configuration of `project`, all layers of it.
pub fn config(project: &Project, io: &Io<'_>) -> Result<Config, Failure> {
    Config::load(project, &places(io)).map_err(|error| Failure::from(error.faults()))
}

/// The tools of the project around `io`'s working directory, for `host` if it is
/// known who asks, without those that the command line leaves out.
pub fn registry(
    matches: &ArgMatches,
    io: &Io<'_>,
    host: Option<Target>,
) -> Result<Registry, Failure> {
    let mut config = config(&project(io), io)?;
    select(matches, &mut config.filter);
    Ok(Registry::new(config, host))
}

/// Where else the configuration is said to be: the machine's file, the user's
/// home, variables.
pub fn places(io: &Io<'_>) -> Places {
    let system = io.var(SYSTEM_SETTINGS).map(|file| {
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        folder.join(Places::FILE)
    });
    let own = |(name, value): (&std::ffi::OsString, &std::ffi::OsString)| {
        let name = name
            .to_str()
            .filter(|name| name.starts_with(Places::PREFIX))?;
        Some((name.to_owned(), value.to_string_lossy().into_owned()))
    };
    Places {
        system: Some(system.unwrap_or_else(Places::system_file)),
        home: io.var("HOME").map(PathBuf::from),
        variables: io.vars.iter().filter_map(own).collect(),
        packages: Global::new(&io.vars),
    }
}

/// `--tools`, `--exclude` and `--toolset`: which tools there are for one run.
pub fn filter_args() -> [Arg; 3] {
    let list = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .action(ArgAction::Append)
            .value_delimiter(',')
            .help_heading("Which tools")
            .help(help)
    };
    [
        list(
            "tools",
            "NAME",
            "Only tools of these names; * stands for any characters, ? for one",
        ),
        list("exclude", "NAME", "No tools of these names"),
        list(
            "toolset",
            "NAME",
            "Only tools of these toolsets: folders below a source, packages",
        ),
    ]
}

/// Puts what the command line says over `filter`.
pub fn select(matches: &ArgMatches, filter: &mut Filter) {
    let asked = |name: &str| -> Option<Vec<Pattern>> {
        let words = matches.try_get_many::<String>(name).ok()??;
        Some(words.map(|word| Pattern::new(word)).collect())
    };
    for (name, patterns) in [
        ("tools", &mut filter.tools),
        ("exclude", &mut filter.exclude),
        ("toolset", &mut filter.toolsets),
    ] {
        if let Some(words) = asked(name) {
            *patterns = words;
        }
    }
}
