//! `cogtools expand`: the declaration of one tool, as hosts receive it.
//!
//! The author of a tool sees the whole declaration before any model does.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::{Code, Diagnostic, Tool};
use cogtools_program::args;
use cogtools_program::format::HostArg;
use cogtools_program::project::{read_scope, unfiltered_registry};
use cogtools_program::{Failure, Io, Program, Stdin, man};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-expand",
    command: ExpandArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Program::SOURCE_CODES, &[Code::ToolNotFound]],
    variables: man::SOURCES,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "FORMATS",
        "gemini: name, description, parameters (OpenAPI 3.0) and parametersJsonSchema (the same as JSON Schema). parameters is the exact expansion of the short forms in the tool file.\n\nopenai, anthropic, mcp: the format of tools in these APIs, with JSON Schema.",
    ),
    (
        "FILES AND NAMES",
        "An argument that contains a path separator, or ends in .yaml or .yml, is a file, which need not belong to a project. Anything else is the name of a tool of the project that contains the current directory.",
    ),
    (
        "EXAMPLES",
        "    cogtools expand facepalm\n\n    cogtools expand --yaml ./tools/facepalm.yaml\n\n    cogtools expand --format mcp facepalm",
    ),
];

/// Print the declaration of one tool, as hosts receive it
#[derive(Parser)]
#[command(
    mut_arg("format", |arg| arg.help("Format of the declaration")),
    long_about = "Print the declaration of TOOL with all short forms expanded: what a \
        model sees, and what calls are checked against."
)]
struct ExpandArgs {
    /// The name of a tool of this project, or a tool file
    tool: OsString,
    #[command(flatten)]
    host: HostArg,
    /// Print YAML instead of JSON
    #[arg(long)]
    yaml: bool,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: ExpandArgs = args::parse(matches)?;
    let declaration = args.host.target.declare(&tool(&args.tool, io)?);
    if args.yaml {
        let yaml = serde_yaml::to_string(&declaration).map_err(|error| {
            let message = format!("the declaration cannot be printed as YAML: {error}");
            Diagnostic::new(Code::Internal, message).hint("print JSON, and please report this")
        })?;
        io.show(&yaml)
    } else {
        io.show_json(&format!("{declaration:#}\n"))
    }
}

/// The tool that `wanted` names: a file, or a tool of the project.
fn tool(wanted: &OsStr, io: &Io<'_>) -> Result<Tool, Failure> {
    if is_path(Path::new(wanted)) {
        let file = Path::new(wanted);
        let path = io.cwd.join(file);
        let tool = Tool::load(&path, file, &read_scope(&path, io));
        let tool = tool.map_err(|error| Failure::from(error.diagnostics()))?;
        if !tool.lists_values() {
            return Ok(tool);
        }
        return unfiltered_registry(io, None)?
            .check_file(tool)
            .map_err(Failure::from);
    }
    let registry = unfiltered_registry(io, None)?;
    let tool = registry.find(&wanted.to_string_lossy());
    tool.map_err(|error| error.diagnostics().into())
}

/// Returns true if `wanted` is a path: no tool can have such a name.
fn is_path(wanted: &Path) -> bool {
    let extension = wanted.extension().and_then(OsStr::to_str);
    wanted.to_string_lossy().contains(std::path::is_separator)
        || matches!(extension, Some("yaml" | "yml"))
}
