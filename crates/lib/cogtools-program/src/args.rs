//! The options that programs share, and their values.
//!
//! Clap's matches are read here and in each program's command line, and nowhere
//! below: everything else takes values that cannot be wrong.

use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, builder::PossibleValuesParser};
use cogtools_core::process::{Bounds, SandboxMode};
use cogtools_core::{
    Code, Config, Diagnostic, EnvPriority, Filter, ListWait, Pattern, Resident, Target,
};

use crate::failure::Failure;

/// `--tools`, `--exclude`, `--toolset` and `--host`: which tools a run sees.
#[derive(Clone, Debug, Default)]
pub struct FilterArgs {
    tools: Option<Vec<Pattern>>,
    exclude: Option<Vec<Pattern>>,
    toolsets: Option<Vec<Pattern>>,
    /// The value of `--host`.
    pub(crate) host: Option<Target>,
}

impl FilterArgs {
    /// Reads the values of [`filter_args`].
    pub fn from_matches(matches: &ArgMatches) -> Self {
        let patterns = |name: &str| {
            let values = matches.get_many::<String>(name)?;
            Some(values.map(|value| Pattern::new(value)).collect())
        };
        let host = matches.get_one::<String>("host");
        Self {
            tools: patterns("tools"),
            exclude: patterns("exclude"),
            toolsets: patterns("toolset"),
            host: host.and_then(|name| Target::parse(name)),
        }
    }

    /// Replaces the parts of `filter` that the command line sets.
    pub(crate) fn apply(&self, filter: &mut Filter) {
        let lists = |list: &Vec<Pattern>| Some(list.clone()).filter(|list| !list.is_empty());
        let lists = |list| lists(list).into_iter().collect();
        if let Some(tools) = &self.tools {
            filter.tools = lists(tools);
        }
        if let Some(exclude) = &self.exclude {
            filter.exclude.clone_from(exclude);
        }
        if let Some(toolsets) = &self.toolsets {
            filter.toolsets = lists(toolsets);
        }
    }
}

/// `--system-env` and `--sandbox`: how the programs of tools are run.
#[derive(Clone, Copy, Debug, Default)]
pub struct EnvArgs {
    system: bool,
    sandbox: Option<SandboxMode>,
}

impl EnvArgs {
    /// Reads the values of [`system_env_arg`] and [`sandbox_arg`].
    pub fn from_matches(matches: &ArgMatches) -> Self {
        Self {
            sandbox: Self::sandbox_from_matches(matches).sandbox,
            ..Self::system_from_matches(matches)
        }
    }

    /// Reads the value of [`system_env_arg`] alone.
    pub fn system_from_matches(matches: &ArgMatches) -> Self {
        Self {
            system: matches.get_flag(SYSTEM_ENV),
            sandbox: None,
        }
    }

    /// Reads the value of [`sandbox_arg`] alone.
    pub fn sandbox_from_matches(matches: &ArgMatches) -> Self {
        let mode = matches.get_one::<String>(SANDBOX);
        Self {
            system: false,
            sandbox: mode.and_then(|name| SandboxMode::parse(name)),
        }
    }

    /// What the configuration says about programs, unless the command line says otherwise.
    pub fn bounds(self, config: &Config) -> Bounds {
        let bounds = config.bounds();
        Bounds {
            sandbox: self.sandbox.unwrap_or(bounds.sandbox),
            ..bounds
        }
    }

    /// The configured priority, unless the command line asks for the process only.
    pub const fn priority(self, config: &Config) -> EnvPriority {
        if self.system {
            EnvPriority::ProcessOnly
        } else {
            config.env_priority
        }
    }
}

/// The options about the tools that a program works with. A program without one of the
/// options uses its default.
#[derive(Clone, Debug, Default)]
pub struct RegistryArgs {
    /// Which tools the run sees.
    pub filter: FilterArgs,
    /// Where environment variables come from, and how programs are confined.
    pub env: EnvArgs,
    /// Whether to query MCP servers and providers again.
    pub refresh: bool,
    /// How long sources that are programs are waited for.
    pub list_wait: ListWait,
    /// What a program that stays remembers of its sources.
    pub resident: Option<Arc<Resident>>,
    /// Whether `--locked` was given; `None` for a program that may run tools which
    /// `cogtools.lock` does not pin.
    pub locked: Option<bool>,
    /// Whether the source `editor` is added to those of the configuration.
    pub editor: bool,
    /// Whether an invalid layer of the project's configuration is left out, rather than
    /// an error: hosts must get what there is.
    pub lenient: bool,
}

impl RegistryArgs {
    /// The options of a program that calls tools.
    pub fn options() -> Vec<Arg> {
        let mut options = vec![system_env_arg(), sandbox_arg(), locked_arg()];
        options.extend(filter_args());
        options
    }

    /// Reads the values of [`Self::options`].
    pub fn from_matches(matches: &ArgMatches) -> Self {
        Self {
            filter: FilterArgs::from_matches(matches),
            env: EnvArgs::from_matches(matches),
            locked: locked_from_matches(matches),
            ..Self::default()
        }
    }
}

const SYSTEM_ENV: &str = "system-env";
const SANDBOX: &str = "sandbox";
const REFRESH: &str = "refresh";
const LOCKED: &str = "locked";

/// `--system-env`.
pub fn system_env_arg() -> Arg {
    Arg::new(SYSTEM_ENV)
        .long(SYSTEM_ENV)
        .action(ArgAction::SetTrue)
        .help("Take environment variables from the process only, ignoring .env")
}

/// `--sandbox`.
pub fn sandbox_arg() -> Arg {
    Arg::new(SANDBOX)
        .long(SANDBOX)
        .value_name("MODE")
        .value_parser(PossibleValuesParser::new(SandboxMode::NAMES))
        .help("Confine programs to their sandboxes: required, as far as possible, or not")
}

/// `--refresh`.
pub fn refresh_arg() -> Arg {
    Arg::new(REFRESH)
        .long(REFRESH)
        .action(ArgAction::SetTrue)
        .help("Ignore cached declarations and query MCP servers and providers again")
}

/// Whether `--refresh` was given.
pub fn refresh_from_matches(matches: &ArgMatches) -> bool {
    matches.get_flag(REFRESH)
}

/// `--locked`.
pub fn locked_arg() -> Arg {
    Arg::new(LOCKED)
        .long(LOCKED)
        .action(ArgAction::SetTrue)
        .help("Fail if a tool differs from the one pinned in cogtools.lock")
}

/// Whether `--locked` was given.
pub fn locked_from_matches(matches: &ArgMatches) -> Option<bool> {
    Some(matches.get_flag(LOCKED))
}

/// `--tools`, `--exclude`, `--toolset` and `--host`.
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

/// The value of an argument that clap requires, or that has a default.
pub fn required<T>(matches: &ArgMatches, name: &str) -> Result<T, Failure>
where
    T: Clone + Send + Sync + 'static,
{
    matches.get_one::<T>(name).cloned().ok_or_else(|| {
        let message = format!("the command line requires `{name}` and has no value for it");
        Diagnostic::new(Code::Internal, message).into()
    })
}

/// All values of an argument; empty if it is omitted.
pub fn all<T>(matches: &ArgMatches, name: &str) -> Vec<T>
where
    T: Clone + Send + Sync + 'static,
{
    let values = matches.get_many::<T>(name).into_iter().flatten();
    values.cloned().collect()
}
