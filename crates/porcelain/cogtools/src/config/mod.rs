//! `cogtools config`: shows the configuration of a project with the origin of each value, and
//! changes it without touching the other bytes of a file.

mod change;
mod key;
mod variables;

use clap::{ArgMatches, Args, CommandFactory as _, Parser, Subcommand};
use cogtools_core::{Code, Origin, Setting};
use cogtools_edit::yaml::render;
use cogtools_lint::Levels;
use cogtools_program::args::{self, SystemEnvArg};
use cogtools_program::call::quote;
use cogtools_program::format::FormatArg;
use cogtools_program::project::{config, config_warnings, project};
use cogtools_program::questions::Prompt;
use cogtools_program::terminal::{sanitize, sanitize_lines};
use cogtools_program::{Failure, Io, Program, Severity, Stdin, man};
use serde_json::{Value, json};

use key::Key;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-config",
    command: ConfigArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[&[Code::Denied, Code::InvalidConfig]],
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

/// Show and change the configuration of this project
#[derive(Parser)]
#[command(
    long_about = "Show the configuration of the project that contains the current directory, and \
        where each value is set: the system's file, the user's file, .gemini/cogtoolrc.yaml, \
        package.json, .cogtoolrc.yaml, .env or the environment. Change the project's file, or the \
        user's, leaving everything else in it untouched."
)]
struct ConfigArgs {
    #[command(subcommand)]
    command: Option<ConfigCommand>,
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Print every key that is set, with its value
    List(ShowArgs),
    /// Print the value of one key
    Get {
        #[command(flatten)]
        key: KeyArg,
        #[command(flatten)]
        show: ShowArgs,
    },
    /// Set a key in a file, preserving the rest of the file
    Set {
        #[command(flatten)]
        key: KeyArg,
        /// The value, in YAML: project, '[a, b]', '[{local: ./tools}]'
        value: String,
        #[command(flatten)]
        layer: LayerArgs,
    },
    /// Remove a key from a file
    Unset {
        #[command(flatten)]
        key: KeyArg,
        #[command(flatten)]
        layer: LayerArgs,
    },
    /// Show where the environment variables of tools come from
    Env(EnvironmentArgs),
}

#[derive(Args)]
#[group(skip)]
struct KeyArg {
    /// The dotted path of the key, such as filter.tools
    key: String,
}

/// Options of a listing of settings.
#[derive(Args, Clone)]
#[command(mut_arg("format", |arg| arg.help("Output format: text, or JSON")))]
#[group(skip)]
pub(crate) struct ShowArgs {
    /// Prefix each value with where it is set
    #[arg(long = "show-origin")]
    pub(crate) origin: bool,
    #[command(flatten)]
    pub(crate) format: FormatArg,
}

/// Options of a listing of variables.
#[derive(Args, Clone)]
#[command(mut_arg("format", |arg| arg.help("Output format: text, or JSON")))]
pub(crate) struct EnvironmentArgs {
    /// Show the tools that declare each variable, the values that it overrides, and unused variables
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) env: SystemEnvArg,
    #[command(flatten)]
    pub(crate) format: FormatArg,
}

#[derive(Args)]
#[group(skip)]
struct LayerArgs {
    /// Use the user's file, ~/.gemini/cogtoolrc.yaml
    #[arg(long, conflicts_with = "project")]
    home: bool,
    /// Use the project's .cogtoolrc.yaml (default)
    #[arg(long, conflicts_with = "home")]
    project: bool,
}

/// The file to change.
#[derive(Clone, Copy)]
pub(crate) enum Layer {
    Home,
    Project,
}

impl KeyArg {
    fn parse(&self) -> Result<Key, Failure> {
        Key::parse(&self.key).map_err(|diagnostic| Failure::from(*diagnostic))
    }
}

impl LayerArgs {
    fn layer(&self) -> Layer {
        if self.home {
            Layer::Home
        } else {
            Layer::Project
        }
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: ConfigArgs = args::parse(matches)?;
    match args.command {
        Some(ConfigCommand::List(show)) => list(&show, io),
        Some(ConfigCommand::Get { key, show }) => get(&key.parse()?, &show, io),
        Some(ConfigCommand::Set { key, value, layer }) => {
            change::write(change::plan_set(&key.parse()?, value, layer.layer(), io)?)
        }
        Some(ConfigCommand::Unset { key, layer }) => {
            change::write(change::plan_unset(&key.parse()?, layer.layer(), io)?)
        }
        Some(ConfigCommand::Env(args)) => variables::show(&args, io),
        None => match Prompt::of(io) {
            Some(prompt) => interview(&prompt, io),
            None => Err(PROGRAM.missing_subcommand()),
        },
    }
}

/// The exit status for a key that is not set, as in `git config`.
const UNSET: u8 = 1;

/// Prints every key that is set.
pub(crate) fn list(args: &ShowArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let config = config(&project(io), io)?;
    let settings = config.settings;
    // A rule that does not exist can be read and removed, but the linter fails.
    let of_lint = Levels::new(&config.rules).err().unwrap_or_default();
    for diagnostic in config_warnings(io).into_iter().chain(of_lint) {
        io.report(Severity::Warning, &diagnostic);
    }
    if args.format.is_json() {
        let all: Value = settings.iter().map(object).collect();
        return io.show_json(&format!("{all:#}\n"));
    }
    let line = |setting: &Setting| {
        let value = render(&setting.value);
        format!(
            "{}{}={value}\n",
            origin(args, setting),
            sanitize(&setting.key)
        )
    };
    let lines: String = settings.iter().map(line).collect();
    io.show(&lines)
}

/// Prints one key.
pub(crate) fn get(key: &Key, args: &ShowArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let settings = config(&project(io), io)?.settings;
    let setting = settings
        .iter()
        .find(|setting| setting.key == key.name())
        .ok_or(Failure::Reported(UNSET))?;
    if args.format.is_json() {
        io.show_json(&format!("{:#}\n", object(setting)))
    } else {
        let value = render(&setting.value);
        io.show(&format!("{}{value}\n", origin(args, setting)))
    }
}

/// The location of a value and a tab, with `--show-origin`.
fn origin(args: &ShowArgs, setting: &Setting) -> String {
    if args.origin {
        format!("{}\t", sanitize(&location(setting)))
    } else {
        String::new()
    }
}

/// Origin of a value: a file and a line, a variable, or built-in; several of them if
/// the project adds to a value of the user.
pub(crate) fn location(setting: &Setting) -> String {
    let one = |(origin, line): (&Origin, Option<usize>)| match line {
        Some(line) => format!("{origin}:{line}"),
        None => origin.to_string(),
    };
    let all: Vec<String> = setting.origins().map(one).collect();
    all.join(", ")
}

fn object(setting: &Setting) -> Value {
    let mut object = json!({
        "key": setting.key,
        "value": setting.value,
        "origin": setting.origin.to_string(),
    });
    if let Some(line) = setting.line {
        object["line"] = line.into();
    }
    if let Some((origin, line)) = setting.origins().nth(1) {
        object["addition"] = json!({"origin": origin.to_string()});
        if let Some(line) = line {
            object["addition"]["line"] = line.into();
        }
    }
    object
}

/// Asks for a change, shows it, and makes it.
fn interview(prompt: &Prompt, io: &mut Io<'_>) -> Result<(), Failure> {
    let settings = config(&project(io), io)?.settings;
    let keys = Key::all();
    let options: Vec<String> = keys.iter().map(|key| option(key, &settings)).collect();
    let index = prompt.select("Which key?", &options)?;
    let key = &keys[index];
    let name = key.name();
    let layers = [Layer::Project, Layer::Home];
    let files = [
        "this project, for all its users: .cogtoolrc.yaml".to_owned(),
        "me, in all projects: ~/.gemini/cogtoolrc.yaml".to_owned(),
    ];
    let layer = if key.is_users_only() {
        Layer::Home
    } else {
        layers[prompt.select("For whom?", &files)?]
    };
    let found = settings.iter().find(|setting| setting.key == name);
    let before = found.map_or_else(String::new, |setting| render(&setting.value));
    let help = "in YAML, as in the file; empty to remove the key from it";
    let value = prompt.text(&name, &before, help)?;
    let flag = match layer {
        Layer::Home => "--home ",
        Layer::Project => "",
    };
    let (change, line) = if value.trim().is_empty() {
        let change = change::plan_unset(key, layer, io)?;
        (change, format!("cogtools config unset {flag}{name}"))
    } else {
        let line = format!("cogtools config set {flag}{name} {}", quote(&value));
        (change::plan_set(key, value, layer, io)?, line)
    };
    io.show(&sanitize_lines(&change.preview()))?;
    if !prompt.confirm(&format!("Write {}?", sanitize(&change.file())))? {
        return io.print(b"nothing was written\n");
    }
    change::write(change)?;
    io.show(&format!("the same without questions:\n    {line}\n"))
}

/// A key with its value and origin.
fn option(key: &Key, settings: &[Setting]) -> String {
    let name = key.name();
    let found = settings.iter().find(|setting| setting.key == name);
    found.map_or_else(
        || name.clone(),
        |setting| {
            let value = render(&setting.value);
            format!("{name}: {value} ({})", location(setting))
        },
    )
}
