//! `cogtools schema`: JSON Schemas of tool files and of the configuration.
//!
//! Editors with a YAML language server use them to complete, describe and validate
//! the files. The keys come from the tables of the parser, so that schema and
//! parser cannot differ in their keys.

mod document;
mod keyword;
pub mod limits;
mod parameter;
pub mod shape;
mod tool;
pub mod tool_shape;

use clap::{Arg, ArgMatches, Command, builder::PossibleValuesParser};
use cogtools_program::args::required;
use cogtools_program::{Failure, Io, Program, Stdin};

pub use document::Document;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-schema",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[],
    variables: &[],
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "EDITORS",
        "Editors with a YAML language server (VS Code with its YAML extension, Neovim, Emacs, Helix and others) find the schema through a comment, which in a tool file is on the line after the shebang:\n\n    #! /usr/bin/env cogtools-yaml\n    # yaml-language-server: $schema=../.cogtools/schema/tool.json\n\nThe path is relative to the file. The comment takes precedence over the $schema key, which identifies the format and is not the name of a file. `cogtools new` writes both.",
    ),
    (
        "EXAMPLES",
        "    mkdir -p .cogtools/schema\n    cogtools schema tool > .cogtools/schema/tool.json\n    cogtools schema config > .cogtools/schema/config.json",
    ),
];

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Print the JSON Schema of tool files or of the configuration")
        .long_about(
            "Print the JSON Schema (draft 7) of tool files or of .cogtoolrc.yaml, with which editors \
             complete and describe every key.",
        )
        .arg(
            Arg::new("document")
                .value_name("DOCUMENT")
                .value_parser(PossibleValuesParser::new(Document::NAMES))
                .default_value("tool")
                .help("Which schema to print: of tool files, or of .cogtoolrc.yaml"),
        )
}

/// The command line.
struct SchemaArgs {
    document: Document,
}

impl SchemaArgs {
    fn from_matches(matches: &ArgMatches) -> Result<Self, Failure> {
        let name: String = required(matches, "document")?;
        Ok(Self {
            document: Document::parse(&name).unwrap_or(Document::Tool),
        })
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args = SchemaArgs::from_matches(matches)?;
    io.print(args.document.text().as_bytes())
}
