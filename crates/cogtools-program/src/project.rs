//! The project around a program, its configuration and its tools.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, builder::PossibleValuesParser};
use cogtools_core::source::Global;
use cogtools_core::trust::Trust;
use cogtools_core::{
    Cancel, Config, EnvPriority, Environment, Filter, Pattern, Places, Project, Registry,
    Surroundings, Target,
};

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

/// The tools of the project around `io`'s working directory, for the host that the
/// command line names, or else for `host` if it is known who asks, without those
/// that the command line leaves out.
pub fn registry(
    matches: &ArgMatches,
    io: &Io<'_>,
    host: Option<Target>,
) -> Result<Registry, Failure> {
    let project = project(io);
    let mut config = config(&project, io)?;
    select(matches, &mut config.filter);
    let named = matches.try_get_one::<String>("host").ok().flatten();
    let host = named.and_then(|name| Target::parse(name)).or(host);
    config.env_priority = priority(matches, &config);
    Ok(of_config(config, &project, io, host))
}

/// The same, with nothing left out but what the configuration leaves out.
pub fn whole_registry(io: &Io<'_>, host: Option<Target>) -> Result<Registry, Failure> {
    let project = project(io);
    let config = config(&project, io)?;
    Ok(of_config(config, &project, io, host))
}

fn of_config(config: Config, project: &Project, io: &Io<'_>, host: Option<Target>) -> Registry {
    let around = if config.runs_programs() {
        surroundings(io, project, config.env_priority)
    } else {
        Surroundings::default()
    };
    Registry::new(config, host, around)
}

/// What is around the programs that tools and sources of `project` run.
pub fn surroundings(io: &Io<'_>, project: &Project, priority: EnvPriority) -> Surroundings {
    let environment = Environment::new(io.vars.clone());
    Surroundings {
        root: project.root().to_path_buf(),
        environment: environment.within(&io.cwd, project.root(), project.shown(), priority),
        trust: Trust::new(own_folder(io, "XDG_STATE_HOME", STATE).map(|own| own.join(RECORD))),
        cache: own_folder(io, "XDG_CACHE_HOME", CACHE),
        cancel: Cancel::default(),
    }
}

/// Our folder in the user's folder for one kind of data, as the XDG Base Directory
/// Specification has it, which people expect on macOS too; on Windows in the local
/// application data.
fn own_folder(io: &Io<'_>, variable: &str, below_home: &[&str]) -> Option<PathBuf> {
    let folder = if cfg!(windows) {
        PathBuf::from(io.var("LOCALAPPDATA")?)
    } else if let Some(folder) = io
        .var(variable)
        .map(Path::new)
        .filter(|path| path.is_absolute())
    {
        folder.to_path_buf()
    } else {
        let home = PathBuf::from(io.var("HOME")?);
        below_home.iter().fold(home, |path, part| path.join(part))
    };
    Some(folder.join("cogtools"))
}

/// Where the user's state is, below the home directory.
const STATE: &[&str] = &[".local", "state"];
/// Where what can be had again is kept, below the home directory.
const CACHE: &[&str] = &[".cache"];
/// The file that records what the user has allowed.
const RECORD: &str = "trust.json";

/// `--system-env`.
pub fn system_env_arg() -> Arg {
    Arg::new(SYSTEM_ENV)
        .long(SYSTEM_ENV)
        .action(ArgAction::SetTrue)
        .help("Take environment variables from the process only, and do not read .env")
}

/// Whose variables count: the configuration says so, unless the command line asks
/// for the process alone.
pub fn priority(matches: &ArgMatches, config: &Config) -> EnvPriority {
    // A program may be without the option.
    match matches.try_get_one::<bool>(SYSTEM_ENV) {
        Ok(Some(true)) => EnvPriority::System,
        _ => config.env_priority,
    }
}

const SYSTEM_ENV: &str = "system-env";

/// Where else the configuration is said to be: the machine's file, the user's
/// home, variables.
pub fn places(io: &Io<'_>) -> Places {
    let system = io.var(SYSTEM_SETTINGS).map(|file| {
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        io.cwd.join(folder).join(Places::FILE)
    });
    let own = |(name, value): (&std::ffi::OsString, &std::ffi::OsString)| {
        let name = name
            .to_str()
            .filter(|name| name.starts_with(Places::PREFIX))?;
        // As everywhere, a variable without a value is not set.
        let value = Some(value.to_string_lossy()).filter(|value| !value.is_empty())?;
        Some((name.to_owned(), value.into_owned()))
    };
    Places {
        system: Some(system.unwrap_or_else(Places::system_file)),
        home: io.var("HOME").map(PathBuf::from),
        variables: io.vars.iter().filter_map(own).collect(),
        packages: Global::new(&io.vars),
    }
}

/// `--tools`, `--exclude`, `--toolset` and `--host`: which tools there are for one
/// run.
pub fn filter_args() -> [Arg; 4] {
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
        Arg::new("host")
            .long("host")
            .value_name("HOST")
            .value_parser(PossibleValuesParser::new(Target::NAMES))
            .help_heading("Which tools")
            .help("Only tools that the configuration has for this host"),
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
