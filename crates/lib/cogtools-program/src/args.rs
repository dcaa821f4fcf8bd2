//! The options that programs share, as structs for `#[command(flatten)]`.
//!
//! A program derives its command line with [`clap::Parser`] and reads it with
//! [`parse`]; nothing below it sees clap's matches.

use std::convert::Infallible;
use std::ffi::OsString;
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use cogtools_core::process::{Bounds, SandboxMode};
use cogtools_core::{
    Background, Code, Config, Diagnostic, EnvPriority, Filter, ListWait, Pattern, Resident, Target,
};

use crate::failure::Failure;

/// Reads the matches of a derived command line.
///
/// # Errors
/// `INTERNAL` if `matches` belong to another command.
pub fn parse<A: FromArgMatches>(matches: &ArgMatches) -> Result<A, Failure> {
    A::from_arg_matches(matches)
        .map_err(|error| Diagnostic::new(Code::Internal, error.to_string()).into())
}

/// Options that choose the tools of a run by name.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct NameFilterArgs {
    /// Only tools with these names; * matches any characters, ? matches one
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = pattern)]
    #[arg(help_heading = FILTER_OPTIONS)]
    tools: Option<Vec<Pattern>>,
    /// Exclude tools with these names
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = pattern)]
    #[arg(help_heading = FILTER_OPTIONS)]
    exclude: Option<Vec<Pattern>>,
    /// Only tools in these toolsets: folders below a source, or packages
    #[arg(id = "toolset", long, value_name = "NAME", value_delimiter = ',', value_parser = pattern)]
    #[arg(help_heading = FILTER_OPTIONS)]
    toolsets: Option<Vec<Pattern>>,
}

/// Options that choose the tools of a run, by the host that asks, too.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct FilterArgs {
    /// The names of the tools.
    #[command(flatten)]
    pub names: NameFilterArgs,
    /// Only tools that the configuration allows for this host
    #[arg(long, value_name = "HOST", value_parser = host(), help_heading = FILTER_OPTIONS)]
    pub host: Option<Target>,
}

/// The heading of these options.
pub const FILTER_OPTIONS: &str = "Filter options";

#[expect(clippy::unnecessary_wraps, reason = "clap expects a result")]
fn pattern(text: &str) -> Result<Pattern, Infallible> {
    Ok(Pattern::new(text))
}

/// The parser of a host's name.
pub(crate) fn host() -> impl TypedValueParser<Value = Target> {
    PossibleValuesParser::new(Target::NAMES)
        .try_map(|name| Target::parse(&name).ok_or("unknown host"))
}

impl NameFilterArgs {
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

/// `--system-env`: takes environment variables from the process only.
#[derive(Args, Clone, Copy, Debug, Default)]
#[group(skip)]
pub struct SystemEnvArg {
    /// Take environment variables from the process only, ignoring .env
    #[arg(long)]
    system_env: bool,
}

/// `--sandbox`: confinement of the programs of tools.
#[derive(Args, Clone, Copy, Debug, Default)]
#[group(skip)]
pub struct SandboxArg {
    /// Confine programs to their sandboxes: required, as far as possible, or not
    #[arg(long, value_name = "MODE", value_parser = sandbox_mode())]
    sandbox: Option<SandboxMode>,
}

fn sandbox_mode() -> impl TypedValueParser<Value = SandboxMode> {
    PossibleValuesParser::new(SandboxMode::NAMES)
        .try_map(|name| SandboxMode::parse(&name).ok_or("unknown mode"))
}

/// Environment and confinement of the programs of tools.
#[derive(Args, Clone, Copy, Debug, Default)]
#[group(skip)]
pub struct EnvArgs {
    #[command(flatten)]
    system: SystemEnvArg,
    #[command(flatten)]
    sandbox: SandboxArg,
}

impl EnvArgs {
    /// The configured bounds of programs, unless the command line says otherwise.
    pub fn bounds(self, config: &Config) -> Bounds {
        let bounds = config.bounds();
        Bounds {
            sandbox: self.sandbox.sandbox.unwrap_or(bounds.sandbox),
            ..bounds
        }
    }

    /// The configured priority, unless the command line asks for the process only.
    pub const fn priority(self, config: &Config) -> EnvPriority {
        if self.system.system_env {
            EnvPriority::ProcessOnly
        } else {
            config.options.env_priority
        }
    }
}

impl From<SystemEnvArg> for EnvArgs {
    fn from(system: SystemEnvArg) -> Self {
        Self {
            system,
            ..Self::default()
        }
    }
}

impl From<SandboxArg> for EnvArgs {
    fn from(sandbox: SandboxArg) -> Self {
        Self {
            sandbox,
            ..Self::default()
        }
    }
}

/// `--locked`; `None` for a program that may run tools which `cogtools.lock` does not pin.
#[derive(Args, Clone, Copy, Debug, Default)]
#[group(skip)]
pub struct LockedArg {
    /// Fail if a tool differs from the one pinned in cogtools.lock
    #[arg(long, action = ArgAction::SetTrue)]
    pub locked: Option<bool>,
}

/// `--refresh`: ignores the caches of sources.
#[derive(Args, Clone, Copy, Debug, Default)]
#[group(skip)]
pub struct RefreshArg {
    /// Ignore cached declarations and query MCP servers and providers again
    #[arg(long)]
    pub refresh: bool,
}

/// The options of a program that calls tools, and its choices that no option sets.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct RegistryArgs {
    /// The environment of programs.
    #[command(flatten)]
    pub env: EnvArgs,
    /// The comparison with `cogtools.lock`.
    #[command(flatten)]
    pub locked: LockedArg,
    /// The tools that the run sees.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// True if MCP servers and providers are queried again.
    #[arg(skip)]
    pub refresh: bool,
    /// The time that sources which are programs are waited for.
    #[arg(skip)]
    pub list_wait: ListWait,
    /// The memory of a program that stays.
    #[arg(skip)]
    pub resident: Option<Arc<Resident>>,
    /// The process that goes on asking sources when a list has stopped waiting for them.
    #[arg(skip)]
    pub background: Option<Background>,
    /// True if the source `editor` is added to the sources of the configuration.
    #[arg(skip)]
    pub editor: bool,
    /// True if an invalid layer of the project's configuration is left out, rather than
    /// an error: hosts must get what there is.
    #[arg(skip)]
    pub lenient: bool,
}

impl RegistryArgs {
    /// The options of a program that calls tools.
    pub fn options() -> Vec<Arg> {
        args_of::<Self>()
    }

    /// Reads the values of [`Self::options`].
    pub fn from_matches(matches: &ArgMatches) -> Self {
        Self::from_arg_matches(matches).unwrap_or_default()
    }

    /// Writes the options that hold for the tools of a tool, too, for the program that runs it. The
    /// sandbox has a variable, and a host sees the tool alone.
    pub fn handed_on(&self) -> Arc<Vec<OsString>> {
        let mut options = Vec::new();
        let flags = [
            ("--system-env", self.env.system.system_env),
            ("--locked", self.locked.locked == Some(true)),
        ];
        let flags = flags.iter().filter(|(_, is_set)| *is_set);
        options.extend(flags.map(|(name, _)| OsString::from(name)));
        let names = &self.filter.names;
        for (name, patterns) in [
            ("--tools", &names.tools),
            ("--exclude", &names.exclude),
            ("--toolset", &names.toolsets),
        ] {
            let patterns = patterns.iter().map(|patterns| {
                let patterns: Vec<String> = patterns.iter().map(Pattern::to_string).collect();
                format!("{name}={}", patterns.join(","))
            });
            options.extend(patterns.map(OsString::from));
        }
        Arc::new(options)
    }
}

/// The options of a group, for a command line that is not derived.
pub fn args_of<A: Args>() -> Vec<Arg> {
    A::augment_args(Command::new(""))
        .get_arguments()
        // An order of the group would hold in the whole command.
        .map(|arg| arg.clone().display_order(None))
        .collect()
}
