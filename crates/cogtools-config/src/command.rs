//! The command line.

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_core::Code;
use cogtools_program::args::{EnvArgs, required, system_env_arg};
use cogtools_program::format::json_from_matches;
use cogtools_program::questions::Prompt;
use cogtools_program::{Failure, Io, Program, Stdin, format, man};

use crate::key::Key;
use crate::{change, interview, show, variables};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-config",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Code::Denied, Code::InvalidConfig],
    variables: man::PROJECT,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "COMMANDS",
        "Without a command, at a terminal, questions lead to one change: which key, for whom, which \
value. The change is shown before it is made, and so is the command line that makes it, after it. \
Escape changes nothing.\n\nlist [--show-origin] [--format human|json]
  Print every key that is set, one per line, as KEY=VALUE with the effective value. With \
--show-origin, each line begins with where the value is set (FILE:LINE, $VARIABLE or built-in) \
and a tab. A list that both the user and the project set has both places, separated by a comma, and \
so has tool_sources; two lists of names that both apply are printed as a list of lists.

get [--show-origin] [--format human|json] KEY
  Print the value of KEY. If it is not set, print nothing and exit with status 1.

set [--home | --project] KEY VALUE
  Set KEY in the project's .cogtoolrc.yaml or, with --home, in the user's file. VALUE is YAML, \
as in the file. The file is created if it does not exist. Comments, blank lines and formatting \
are preserved; in a list, only the items that differ are changed. If that is not possible, \
nothing is written, and the error names the line to edit.

unset [--home | --project] KEY
  Remove KEY from that file, along with enclosing maps that would be left empty.

env [--explain] [--system-env] [--format human|json]
  Print the environment variables that the project's tools declare and where each value comes \
from: process, FILE:LINE or missing. Values are never printed. --explain adds which tools declare \
each variable, what its value overrides, and which entries of .env have no effect, with the reason \
if .env may not set the name. --system-env \
shows what a call with that option sees.",
    ),
    (
        "KEYS",
        "A key is the dotted path of a value in `cogtoolrc(5)`: tool_sources, inherit, env_priority, \
filter.tools, filter.exclude, filter.toolsets, hosts.HOST.tools and so on, and \
lint.rules.RULE.\n\nThe project's package.json and .gemini/cogtoolrc.yaml and the system's file are read but never \
written. For the first, use `npm pkg set cogtools.env_priority=process`; the last belongs to the \
administrator.",
    ),
    (
        "EXIT STATUS OF GET",
        "1 if the key is not set; otherwise as below.",
    ),
    (
        "JSON",
        "list prints an array of objects with key, value, origin and, if there is one, line; if the \
project adds to a value of the user, also addition, an object with origin and line. get prints \
one such object. env prints an object with variables, an array of objects with name, set, origin \
(process, a file or null), line, hides (whether a value in the other place is overridden), \
dangerous (whether .env may not set it) and tools; unused, the names in .env that no tool \
declares; and ignored, the dangerous names in .env. The latter two are arrays of objects with \
name, origin and line; those of ignored also have the reason.",
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
            "Show the configuration of the project that contains the current directory, and where \
             each value is set: the system's file, the user's file, .gemini/cogtoolrc.yaml, package.json, \
             .cogtoolrc.yaml, .env or the environment. Change the project's file, or the user's, leaving everything else in \
             it untouched.",
        )
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
                .about("Set a key in a file, preserving the rest of the file")
                .arg(key_arg())
                .arg(
                    Arg::new("value")
                        .value_name("VALUE")
                        .required(true)
                        .help("The value, in YAML: project, '[a, b]', '[{local: ./tools}]'"),
                )
                .args(layer_args()),
        )
        .subcommand(
            Command::new("unset")
                .about("Remove a key from a file")
                .arg(key_arg())
                .args(layer_args()),
        )
        .subcommand(
            Command::new("env")
                .about("Show where the environment variables of tools come from")
                .arg(
                    Arg::new("explain")
                        .long("explain")
                        .action(ArgAction::SetTrue)
                        .help("Show which tools declare each variable, what it overrides, and what is unused"),
                )
                .arg(system_env_arg())
                .arg(format_arg()),
        )
}

fn key_arg() -> Arg {
    Arg::new("key")
        .value_name("KEY")
        .required(true)
        .help("The dotted path of the key, such as filter.tools")
}

fn origin_arg() -> Arg {
    Arg::new("show-origin")
        .long("show-origin")
        .action(ArgAction::SetTrue)
        .help("Prefix each value with where it is set")
}

fn format_arg() -> Arg {
    format::format_arg().help("Output format: text, or JSON")
}

fn layer_args() -> [Arg; 2] {
    let flag = |name: &'static str, other: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .action(ArgAction::SetTrue)
            .conflicts_with(other)
            .help(help)
    };
    [
        flag(
            "home",
            "project",
            "Use the user's file, ~/.gemini/cogtoolrc.yaml",
        ),
        flag(
            "project",
            "home",
            "Use the project's .cogtoolrc.yaml (default)",
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

/// The file to change.
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
                env: EnvArgs::system_from_matches(matches),
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

/// The key on the command line.
fn key(matches: &ArgMatches) -> Result<Key, Failure> {
    let text: String = required(matches, "key")?;
    Key::parse(&text).map_err(|diagnostic| Failure::from(*diagnostic))
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    match ConfigArgs::from_matches(matches)? {
        Some(ConfigArgs::List(args)) => show::list(args, io),
        Some(ConfigArgs::Get(key, args)) => show::get(&key, args, io),
        Some(ConfigArgs::Set(key, value, layer)) => change::set(&key, value, layer, io),
        Some(ConfigArgs::Unset(key, layer)) => change::unset(&key, layer, io),
        Some(ConfigArgs::Env(args)) => variables::show(args, io),
        None => match Prompt::of(io) {
            Some(prompt) => interview::run(&prompt, io),
            None => Err(PROGRAM.missing_subcommand()),
        },
    }
}
