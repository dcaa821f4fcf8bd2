//! The project around a program, its configuration and its tools.

use std::ffi::OsStr;
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

/// A project, and whose variables count in it: where programs are run.
#[derive(Debug)]
pub struct Site {
    project: Project,
    priority: EnvPriority,
}

impl Site {
    /// The one around `io`'s working directory, as its configuration and the command
    /// line have it.
    pub fn load(matches: &ArgMatches, io: &Io<'_>) -> Result<Self, Failure> {
        let project = project(io);
        let priority = priority(matches, &config(&project, io)?);
        Ok(Self { project, priority })
    }

    /// What is around the programs that are run there.
    pub fn surroundings(&self, io: &Io<'_>) -> Surroundings {
        surroundings(io, &self.project, self.priority)
    }
}

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
    located(matches, io, host).map(|(registry, _)| registry)
}

/// The same, and where its tools are run.
pub fn located(
    matches: &ArgMatches,
    io: &Io<'_>,
    host: Option<Target>,
) -> Result<(Registry, Site), Failure> {
    let project = project(io);
    let mut config = config(&project, io)?;
    select(matches, &mut config.filter);
    let named = matches.try_get_one::<String>("host").ok().flatten();
    let host = named.and_then(|name| Target::parse(name)).or(host);
    let priority = priority(matches, &config);
    config.env_priority = priority;
    let mut around = around(&config, &project, io);
    around.refresh = matches!(matches.try_get_one::<bool>(REFRESH), Ok(Some(true)));
    let registry = Registry::new(config, host, around);
    Ok((registry, Site { project, priority }))
}

/// The same, with nothing left out but what the configuration leaves out.
pub fn whole_registry(io: &Io<'_>, host: Option<Target>) -> Result<Registry, Failure> {
    let project = project(io);
    let config = config(&project, io)?;
    let around = around(&config, &project, io);
    Ok(Registry::new(config, host, around))
}

/// What is around the sources, if any of them looks at it.
fn around(config: &Config, project: &Project, io: &Io<'_>) -> Surroundings {
    if config.runs_programs() {
        watched(io, project, config.env_priority)
    } else {
        Surroundings::default()
    }
}

/// The same as [`surroundings`], for whoever asks sources that are programs: they
/// are ended when this process is asked to end.
pub fn watched(io: &Io<'_>, project: &Project, priority: EnvPriority) -> Surroundings {
    Surroundings {
        cancel: io.lookout.begin(),
        ..surroundings(io, project, priority)
    }
}

/// What is around the programs that tools and sources of `project` run.
pub fn surroundings(io: &Io<'_>, project: &Project, priority: EnvPriority) -> Surroundings {
    let environment = Environment::new(io.vars.clone());
    Surroundings {
        root: project.root().to_path_buf(),
        environment: environment.within(&io.cwd, project.root(), project.shown(), priority),
        trust: Trust::new(own_folder(io, "XDG_STATE_HOME", STATE).map(|own| own.join(RECORD))),
        cache: own_folder(io, "XDG_CACHE_HOME", CACHE),
        refresh: false,
        programs: io.program.parent().map(Path::to_path_buf),
        cancel: Cancel::default(),
    }
}

/// Our folder in the user's folder for one kind of data, as the XDG Base Directory
/// Specification has it, which people expect on macOS too; on Windows in the local
/// application data.
fn own_folder(io: &Io<'_>, variable: &str, below_home: &[&str]) -> Option<PathBuf> {
    let absolute = |value: &OsStr| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    let folder = if cfg!(windows) {
        absolute(io.var("LOCALAPPDATA")?)?
    } else if let Some(folder) = own_var(io, variable).and_then(absolute) {
        folder
    } else {
        let home = absolute(io.var("HOME")?)?;
        below_home.iter().fold(home, |path, part| path.join(part))
    };
    Some(folder.join("cogtools"))
}

/// The value of a variable that only the user may set. Hosts put what a project's
/// `.env` says into the environment of all that they start.
fn own_var<'i>(io: &'i Io<'_>, name: &str) -> Option<&'i OsStr> {
    io.var(name).filter(|_| !is_shipped(io, name))
}

/// Whether an `.env` that a host would read here, and that is not in the user's own
/// home directory, has the word `name` in it.
fn is_shipped(io: &Io<'_>, name: &str) -> bool {
    let home = io.var("HOME").map(Path::new);
    let folders = io
        .cwd
        .ancestors()
        .take_while(|folder| Some(*folder) != home);
    let files = folders.flat_map(|folder| {
        let own = folder.join(Environment::FILE);
        [own, folder.join(".gemini").join(Environment::FILE)]
    });
    let word = name.as_bytes();
    files.filter(|file| file.is_file()).any(|file| {
        let text = std::fs::read(file);
        // What cannot be read may well say it.
        text.map_or(true, |text| {
            text.windows(word.len()).any(|part| part == word)
        })
    })
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
        .help("Take environment variables from the process only, ignoring .env")
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
const REFRESH: &str = "refresh";

/// `--refresh`.
pub fn refresh_arg() -> Arg {
    Arg::new(REFRESH)
        .long(REFRESH)
        .action(ArgAction::SetTrue)
        .help("Ignore cached declarations and query MCP servers and providers again")
}

/// Where else the configuration is said to be: the machine's file, the user's
/// home, variables.
pub fn places(io: &Io<'_>) -> Places {
    let system = own_var(io, SYSTEM_SETTINGS).map(|file| {
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
    let variables: Vec<(String, String)> = io.vars.iter().filter_map(own).collect();
    let names = variables.iter().map(|(name, _)| name);
    let shipped = names.filter(|name| is_shipped(io, name)).cloned().collect();
    Places {
        shipped,
        system: Some(system.unwrap_or_else(Places::system_file)),
        home: io.var("HOME").map(PathBuf::from),
        variables,
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
            .help_heading("Filter options")
            .help(help)
    };
    [
        list(
            "tools",
            "NAME",
            "Only tools with these names; * matches any characters, ? matches one",
        ),
        list("exclude", "NAME", "Exclude tools with these names"),
        list(
            "toolset",
            "NAME",
            "Only tools in these toolsets: folders below a source, or packages",
        ),
        Arg::new("host")
            .long("host")
            .value_name("HOST")
            .value_parser(PossibleValuesParser::new(Target::NAMES))
            .help_heading("Filter options")
            .help("Only tools that the configuration allows for this host"),
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
