//! `cogtools flow import`: the flow of another program as a tool file.

mod canvas;
mod promptflow;

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use cogtools_core::{Code, Diagnostic, Tool};
use cogtools_program::args::required;
use cogtools_program::{Failure, Io, named_file};
use serde_json::{Map, Value, json};

/// The longest file, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// A flow as it is written: what remains to be done is a comment.
#[derive(Debug, Default)]
struct Imported {
    parameters: Map<String, Value>,
    nodes: Map<String, Value>,
    output: Option<Value>,
    remarks: Vec<String>,
}

/// The command.
pub(crate) fn command() -> Command {
    Command::new("import")
        .about("Print a flow of promptflow, or a canvas of nodes and connections, as a tool")
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("A flow.dag.yaml, or JSON with nodes and connections"),
        )
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .default_value("imported")
                .help("The name of the tool"),
        )
}

/// Prints the tool file for the flow that the command line names.
pub(crate) fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let path: PathBuf = required(matches, "file")?;
    let name: String = required(matches, "name")?;
    let bytes = named_file::read(&path, MAX_BYTES, io)?;
    let invalid = |message: String| {
        let diagnostic = Diagnostic::new(Code::InvalidArgumentsSyntax, message);
        Failure::from(diagnostic.with_subject(path.display().to_string()))
    };
    let document: Value = serde_yaml::from_slice(&bytes)
        .map_err(|error| invalid(format!("this is neither YAML nor JSON: {error}")))?;
    let imported = if document.get("connections").is_some() {
        canvas::read(&document)
    } else {
        let template = |file: &str| {
            let path = below(&io.cwd.join(path.parent()?), Path::new(file))?;
            let bytes = named_file::read(&path, MAX_BYTES, io).ok()?;
            String::from_utf8(bytes).ok()
        };
        promptflow::read(&document, template)
    };
    let imported = imported.map_err(|message| invalid(message.to_owned()))?;
    let text = imported
        .text(&name)
        .map_err(|error| invalid(error.to_string()))?;
    io.show(&text)
}

/// The file `name` in `folder` or below it, without links. What a stranger's flow names elsewhere
/// would be printed.
fn below(folder: &Path, name: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let file = folder.join(name).canonicalize().ok()?;
    file.starts_with(&folder).then_some(file)
}

impl Imported {
    fn text(self, name: &str) -> Result<String, serde_yaml::Error> {
        let mut flow = Map::new();
        flow.insert("nodes".into(), Value::Object(self.nodes));
        flow.extend(self.output.map(|output| ("output".to_owned(), output)));
        let mut tool = Map::new();
        tool.insert("$schema".into(), Tool::SCHEMA.into());
        tool.insert("name".into(), name.into());
        tool.insert("description".into(), "TODO: what this flow does".into());
        if !self.parameters.is_empty() {
            tool.insert("parameters".into(), Value::Object(self.parameters));
        }
        tool.insert("implementation".into(), json!({ "flow": flow }));
        let remarks = self.remarks.iter().map(|remark| {
            // One line each, whatever a file contains.
            let line: String = remark.chars().filter(|c| !c.is_control()).collect();
            format!("# {line}\n")
        });
        let remarks: String = remarks.collect::<Vec<_>>().concat();
        Ok(remarks + &serde_yaml::to_string(&tool)?)
    }
}

/// A name that a node can have.
fn id(name: &str) -> String {
    let letter = |c: char| match c.to_ascii_lowercase() {
        c if c.is_ascii_alphanumeric() => c,
        _ => '_',
    };
    let id: String = name.chars().map(letter).take(60).collect();
    if id.starts_with(|c: char| c.is_ascii_lowercase()) {
        id
    } else {
        format!("n_{id}")
    }
}
