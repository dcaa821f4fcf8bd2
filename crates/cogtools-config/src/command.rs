//! The command line.

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_program::args::{EnvArgs, required, system_env_arg};
use cogtools_program::format::json_from_matches;
use cogtools_program::{Failure, Io, Program, Stdin, format};

use crate::key::Key;
use crate::{change, show, variables};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-config",
    command,
    run,
    stdin: Stdin::Ignored,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "COMMANDS",
        "list [--show-origin] [--format human|json]
  Every key that is set, one a line as KEY=VALUE, with the value that counts. With \
--show-origin, where it was set stands before each, and a tab: FILE:LINE, $VARIABLE or \
built-in.

get [--show-origin] [--format human|json] KEY
  The value of KEY. When it is set nowhere, nothing is printed, and the exit status is 1.

set [--home | --project] KEY VALUE
  Sets KEY in the project's .cogtoolrc.yaml, or with --home in the user's file. VALUE is \
YAML, as in the file. The file is made when there is none. Comments, blank lines and the way \
everything else is written stay; of a list, only the items that differ are touched. Where \
that cannot be done, nothing is written, and the line to edit is named.

unset [--home | --project] KEY
  Takes KEY away there, and with it the maps around it that would be empty.

env [--explain] [--system-env] [--format human|json]
  The environment variables that the tools of the project declare, and where each would \
come from: process, FILE:LINE or missing. Values are never shown. With --explain, also which \
tools want each, what it hides, and what stands in .env for nothing; with --system-env, as \
for a call with that option.",
    ),
    (
        "KEYS",
        "A key is the way to a value in `cogtoolrc(5)`, with dots: tool_sources, env_priority, \
filter.tools, filter.exclude, filter.toolsets, hosts.HOST.tools and so on, and \
lint.rules.RULE.\n\nThe project's package.json and the machine's file are shown and never \
written: `npm pkg set cogtools.env_priority=process` writes the one, an administrator the \
other.",
    ),
    (
        "EXIT STATUS OF GET",
        "1 says that the key is set nowhere. Everything else is as in all programs.",
    ),
    (
        "JSON",
        "list: a list of objects with key, value, origin and, where there is one, line; get: one \
such object. env: an object with variables, a list of objects with name, set, origin (process, \
a file or null), line, hides (whether the other place has a value that does not count), \
dangerous (whether .env may not set it) and tools; unused, the names in .env that no tool \
declares; and ignored, the dangerous names in .env. The latter two are lists of objects with \
name, origin and line.",
    ),
    (
        "EXAMPLES",
        "    cogtools config list --show-origin\n\n    cogtools config set filter.exclude '[deploy_*]'\n\n    cogtools config set --home lint.rules.no-examples off\n\n    cogtools config env --explain",
    ),
];

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Show and change the configuration of this project")
        .long_about(
            "Show what holds for the tools of the project around the current directory and who \
             says so: the machine, the user, package.json, .cogtoolrc.yaml or the environment. \
             Change the project's file, or the user's, without touching anything else in it.",
        )
        .subcommand_required(true)
        .arg_required_else_help(false)
        .subcommand(
            Command::new("list")
                .about("Print every key that is set, with its value")
                .arg(origin_arg())
                .arg(format_arg()),
        )
        .subcommand(
            Command::new("get")
                .about("Print the value of one key")
                .arg(key_arg())
                .arg(origin_arg())
                .arg(format_arg()),
        )
        .subcommand(
            Command::new("set")
                .about("Set a key in a file, and keep the rest of the file as it is")
                .arg(key_arg())
                .arg(
                    Arg::new("value")
                        .value_name("VALUE")
                        .required(true)
                        .help("The value, in YAML: project, '[a, b]', '[{local: ./tools}]'"),
                )
                .args(place_args()),
        )
        .subcommand(
            Command::new("unset")
                .about("Take a key away from a file")
                .arg(key_arg())
                .args(place_args()),
        )
        .subcommand(
            Command::new("env")
                .about("Show where the environment variables of tools come from")
                .arg(
                    Arg::new("explain")
                        .long("explain")
                        .action(ArgAction::SetTrue)
                        .help("Say which tools want each, what it hides, and what is not used"),
                )
                .arg(system_env_arg())
                .arg(format_arg()),
        )
}

fn key_arg() -> Arg {
    Arg::new("key")
        .value_name("KEY")
        .required(true)
        .help("The key, with dots on the way to it: filter.tools")
}

fn origin_arg() -> Arg {
    Arg::new("show-origin")
        .long("show-origin")
        .action(ArgAction::SetTrue)
        .help("Print where it was set before it")
}

fn format_arg() -> Arg {
    format::format_arg().help("Lines for people and shells, or JSON")
}

fn place_args() -> [Arg; 2] {
    let place = |name: &'static str, other: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .action(ArgAction::SetTrue)
            .conflicts_with(other)
            .help(help)
    };
    [
        place(
            "home",
            "project",
            "In the user's file, ~/.gemini/cogtoolrc.yaml",
        ),
        place(
            "project",
            "home",
            "In the project's .cogtoolrc.yaml; so it is without an option",
        ),
    ]
}

/// The command line.
enum ConfigArgs {
    List(ShowArgs),
    Get(Key, ShowArgs),
    Set(Key, String, Layer),
    Unset(Key, Layer),
    Env(EnvironmentArgs),
}

/// How settings are shown.
#[derive(Clone, Copy)]
pub(crate) struct ShowArgs {
    pub(crate) origin: bool,
    pub(crate) json: bool,
}

/// How variables are shown.
#[derive(Clone, Copy)]
pub(crate) struct EnvironmentArgs {
    pub(crate) explain: bool,
    pub(crate) json: bool,
    pub(crate) env: EnvArgs,
}

/// Whose file is changed.
#[derive(Clone, Copy)]
pub(crate) enum Layer {
    Home,
    Project,
}

impl ConfigArgs {
    fn from_matches(matches: &ArgMatches) -> Result<Option<Self>, Failure> {
        let args = match matches.subcommand() {
            Some(("list", matches)) => Self::List(ShowArgs::from_matches(matches)),
            Some(("get", matches)) => Self::Get(key(matches)?, ShowArgs::from_matches(matches)),
            Some(("set", matches)) => {
                let value = required(matches, "value")?;
                Self::Set(key(matches)?, value, Layer::from_matches(matches))
            }
            Some(("unset", matches)) => Self::Unset(key(matches)?, Layer::from_matches(matches)),
            Some((_, matches)) => Self::Env(EnvironmentArgs {
                explain: matches.get_flag("explain"),
                json: json_from_matches(matches),
                env: EnvArgs::from_matches(matches),
            }),
            None => return Ok(None),
        };
        Ok(Some(args))
    }
}

impl ShowArgs {
    fn from_matches(matches: &ArgMatches) -> Self {
        Self {
            origin: matches.get_flag("show-origin"),
            json: json_from_matches(matches),
        }
    }
}

impl Layer {
    fn from_matches(matches: &ArgMatches) -> Self {
        if matches.get_flag("home") {
            Self::Home
        } else {
            Self::Project
        }
    }
}

/// The key that is named.
fn key(matches: &ArgMatches) -> Result<Key, Failure> {
    let text: String = required(matches, "key")?;
    Key::parse(&text).map_err(|fault| Failure::from(*fault))
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    match ConfigArgs::from_matches(matches)? {
        Some(ConfigArgs::List(args)) => show::list(args, io),
        Some(ConfigArgs::Get(key, args)) => show::get(&key, args, io),
        Some(ConfigArgs::Set(key, value, layer)) => change::set(&key, value, layer, io),
        Some(ConfigArgs::Unset(key, layer)) => change::unset(&key, layer, io),
        Some(ConfigArgs::Env(args)) => variables::show(args, io),
        // Clap has said so already.
        None => Ok(()),
    }
}
