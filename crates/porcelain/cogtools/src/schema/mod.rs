//! `cogtools schema`: JSON Schemas of tool files, the configuration, sessions and output.
//!
//! Editors with a YAML language server use them to complete, describe and validate
//! the files. The keys come from the tables of the parser, so that schema and
//! parser cannot differ in their keys.

mod document;
mod flow;
mod keyword;
mod parameter;
mod tool;
pub mod tool_shape;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_program::{Failure, Io, Program, Stdin, args};

pub use document::Document;

/// The editors: the name on the command line, and a whole file, which begins with a comment that
/// says where it belongs.
pub const EDITORS: [(&str, &str); 6] = [
    ("vscode", include_str!("editor/vscode.jsonc")),
    ("neovim", include_str!("editor/neovim.lua")),
    ("helix", include_str!("editor/helix.toml")),
    ("zed", include_str!("editor/zed.jsonc")),
    ("jetbrains", include_str!("editor/jetbrains.xml")),
    ("emacs", include_str!("editor/emacs.el")),
];

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-schema",
    command: SchemaArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[],
    variables: &[],
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "EDITORS",
        "Editors with a YAML language server (VS Code with its YAML extension, Neovim, Emacs, Helix and others) find the schema through a comment, which in a tool file is on the line after the shebang:\n\n    #! /usr/bin/env cogtools-yaml\n    # yaml-language-server: $schema=../.cogtools/schema/tool.json\n\nThe path is relative to the file. The comment takes precedence over the $schema key, which identifies the format and is not the name of a file. `cogtools new` writes both.\n\n--editor prints the settings of one editor instead, which assign the schemas in .cogtools/schema to .cogtoolrc.yaml, and to tool files without a $schema key. The first lines name the file that the settings belong to.",
    ),
    (
        "OUTPUT",
        "The schema `output` has a definition for each command line that takes --json, such as `list` or `config env`, and `failure` for the lines of standard error with --error-format json.",
    ),
    (
        "EXAMPLES",
        "    mkdir -p .cogtools/schema\n    cogtools schema tool > .cogtools/schema/tool.json\n    cogtools schema config > .cogtools/schema/config.json\n    cogtools schema output | jq .definitions.list\n    cogtools schema --editor vscode > .vscode/settings.json",
    ),
];

/// Print the JSON Schema of tool files, the configuration, sessions or output
#[derive(Parser)]
#[command(
    long_about = "Print the JSON Schema (draft 7) of tool files or of .cogtoolrc.yaml, with which \
        editors complete and describe every key, of each line of a session, or of what programs \
        print with --json."
)]
struct SchemaArgs {
    /// The schema to print: of tool files, .cogtoolrc.yaml, lines of a session, or output as JSON
    #[arg(default_value = "tool", value_parser = one_of(Document::NAMES, Document::parse))]
    document: Document,
    /// Print the settings with which this editor finds both schemas
    #[arg(long, value_name = "NAME", conflicts_with = "document")]
    #[arg(value_parser = one_of(EDITORS.map(|(name, _)| name), editor_settings))]
    editor: Option<&'static str>,
}

/// Returns the settings of the editor of that name.
pub fn editor_settings(name: &str) -> Option<&'static str> {
    let editor = EDITORS.into_iter().find(|(known, _)| *known == name);
    editor.map(|(_, settings)| settings)
}

fn one_of<T: Clone + Send + Sync + 'static, const N: usize>(
    names: [&'static str; N],
    parse: fn(&str) -> Option<T>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).try_map(move |name| parse(&name).ok_or("unknown name"))
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: SchemaArgs = args::parse(matches)?;
    match args.editor {
        Some(settings) => io.print(settings.as_bytes()),
        None => io.print(args.document.text().as_bytes()),
    }
}
