//! `cogtools import`: a tool file made of an operation of a specification, or of a command of curl.
//!
//! The file is a beginning: an author goes on with it, and a curated tool serves a model better
//! than a mirrored API.

mod curl;
mod words;

use std::path::Path;

use clap::{ArgMatches, CommandFactory as _, Parser, Subcommand};
use cogtools_core::source::openapi::{self, Operation, Options};
use cogtools_core::suggest::did_you_mean;
use cogtools_core::text::Text;
use cogtools_core::tool::ToolError;
use cogtools_core::{Code, Diagnostic, Target, Tool};
use cogtools_program::project::read_scope;
use cogtools_program::{Failure, Io, Program, Stdin, args};
use serde_json::{Map, Value};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-import",
    command: ImportArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Code::InvalidTool, Code::InvalidConfig],
    variables: &[],
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "OPENAPI",
        "FILE is a specification in OpenAPI 3 or Swagger 2. ID is the operationId of an operation, or its method and path, such as 'GET /pets/{id}'. The tool is the one that `tool_sources: - openapi: FILE` would have, as a file. Credentials are variables, named by the file and the security scheme.",
    ),
    (
        "CURL",
        "COMMAND is one command of curl, in quotes, as a browser copies it (\"Copy as cURL (bash)\"). Parameters of the query and fields of a body become parameters of the tool, with the values of the command as defaults. Credentials become variables: bearer tokens, passwords, and headers and parameters that are named like keys. Their values are not printed, and headers of the browser and cookies are left out.",
    ),
    (
        "EXAMPLES",
        "    cogtools import openapi api.yaml --operation getPet > tools/getPet.yaml\n\n    cogtools import curl \"curl 'https://api.example.com/search?q=rust' -H 'Authorization: Bearer …'\" > tools/search.yaml",
    ),
];

/// Make a tool file of an API: an operation of a specification, or a command of curl
#[derive(Parser)]
#[command(
    long_about = "Print a tool file with `implementation: {http: …}`, made of an operation of a \
        specification or of a command of curl. Go on with it: describe the tool and its parameters \
        for a model, and add examples."
)]
struct ImportArgs {
    #[command(subcommand)]
    command: Option<ImportCommand>,
}

#[derive(Subcommand)]
enum ImportCommand {
    /// Make a tool file of an operation of a specification
    #[command(name = "openapi")]
    OpenApi {
        /// The specification: OpenAPI 3 or Swagger 2, in YAML or JSON
        #[arg(value_name = "FILE")]
        file: String,
        /// The operation: its operationId, or its method and path
        #[arg(long, value_name = "ID")]
        operation: String,
        /// The URL of the server, instead of that in the file
        #[arg(long, value_name = "URL")]
        server: Option<String>,
    },
    /// Make a tool file of a command of curl
    Curl {
        /// The command, in quotes
        #[arg(value_name = "COMMAND")]
        command: String,
        /// The name of the tool
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: ImportArgs = args::parse(matches)?;
    let (document, notes) = match args.command {
        None => return Err(PROGRAM.missing_subcommand()),
        Some(ImportCommand::OpenApi {
            file,
            operation,
            server,
        }) => (specified(&file, &operation, server, io)?, Vec::new()),
        Some(ImportCommand::Curl { command, name }) => {
            let imported = curl::import(&command, name.as_deref());
            imported.map_err(|message| {
                let diagnostic = Diagnostic::new(Code::Usage, message);
                diagnostic.hint(
                    "quote one whole command, without options that are not about the request, as in \
                     `cogtools import curl \"curl https://…\"`",
                )
            })?
        }
    };
    let text = print(&document, &notes)?;
    io.print(text.as_bytes())
}

/// Returns the tool file of the operation `wanted` of the specification in `file`.
fn specified(
    file: &str,
    wanted: &str,
    server: Option<String>,
    io: &Io<'_>,
) -> Result<Value, Failure> {
    let path = io.cwd.join(file);
    let unusable = |(message, hint): (String, &str)| {
        let diagnostic = Diagnostic::new(Code::InvalidConfig, message).with_subject(file);
        Failure::from(diagnostic.hint(hint))
    };
    let root = openapi::read(&path, &read_scope(&path, io)).map_err(unusable)?;
    let stem = Path::new(file).file_stem().unwrap_or_default();
    let options = Options {
        name: stem.to_string_lossy().into_owned(),
        server,
        ..Options::default()
    };
    let all = openapi::operations(&root, &options, &|_| true, None).map_err(unusable)?;
    let is_wanted = |it: &&Operation| it.id == wanted || it.line == wanted || it.name == wanted;
    let Some(found) = all.iter().find(is_wanted) else {
        let diagnostic = Diagnostic::new(Code::Usage, "there is no operation of that name");
        let ids = all.iter().map(|it| it.id.as_str());
        let hint = did_you_mean(wanted, ids).unwrap_or_else(|| {
            "name its operationId, or its method and path, as in 'GET /pets'".to_owned()
        });
        return Err(diagnostic.with_subject(wanted).hint(hint).into());
    };
    let mut document = found.document.clone().map_err(|reason| {
        let message = format!("the operation cannot be a tool: {reason}");
        Failure::from(Diagnostic::new(Code::InvalidTool, message).with_subject(wanted))
    })?;
    // The author of the file names what is reached without TLS; a source would not.
    let url = document.pointer("/implementation/http/url");
    let rest = url.and_then(|url| url.as_str()?.strip_prefix("http://"));
    if let Some(host) = rest.map(|rest| rest.split('/').next().unwrap_or_default().to_owned()) {
        document["implementation"]["http"]["hosts"] = serde_json::json!([host]);
    }
    Ok(document)
}

/// Prints a tool file for an author: short parameters where they mean the same, a blank line between
/// keys, and `notes` as comments.
fn print(document: &Value, notes: &[String]) -> Result<String, Failure> {
    let document = with_short_parameters(document).unwrap_or_else(|| document.clone());
    let mut text = String::new();
    for note in notes {
        text.extend(["# ", note.as_str(), "\n"]);
    }
    for (key, value) in document.as_object().into_iter().flatten() {
        if !text.is_empty() {
            text.push('\n');
        }
        let entry = Map::from_iter([(key.clone(), value.clone())]);
        let entry = serde_yaml::to_string(&entry).map_err(|error| {
            let message = format!("the tool cannot be printed as YAML: {error}");
            Failure::from(Diagnostic::new(Code::Internal, message))
        })?;
        text.push_str(&entry);
    }
    // A file that could not be read again would be worse than none.
    parsed(text.clone().into_bytes()).map_err(Failure::from)?;
    Ok(text)
}

fn parsed(bytes: Vec<u8>) -> Result<Tool, Vec<Diagnostic>> {
    let text = Text::new("the tool", bytes);
    let text = text.map_err(|error| vec![Diagnostic::new(Code::Internal, error.to_string())])?;
    Tool::parse(text).map_err(ToolError::diagnostics)
}

/// Returns `document` with `parameters` instead of `parameters_schema`, if it declares the same.
fn with_short_parameters(document: &Value) -> Option<Value> {
    let schema = document.get("parameters_schema")?.as_object()?;
    let short = short(schema.clone())
        .remove("properties")
        .unwrap_or_default();
    let entries = document
        .as_object()?
        .iter()
        .filter_map(|(key, value)| match key.as_str() {
            "parameters_schema" if short.as_object().is_some_and(|it| !it.is_empty()) => {
                Some(("parameters".to_owned(), short.clone()))
            }
            "parameters_schema" => None,
            _ => Some((key.clone(), value.clone())),
        });
    let shortened = Value::Object(entries.collect());
    let declared = |document: &Value| {
        let tool = parsed(document.to_string().into_bytes()).ok()?;
        let mut declaration = Target::Mcp.declare(&tool);
        let schema = declaration.get_mut("inputSchema")?;
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("additionalProperties");
        }
        Some(schema.take())
    };
    let before = declared(document);
    (before.is_some() && before == declared(&shortened)).then_some(shortened)
}

/// Marks properties that are not required, instead of listing those that are.
fn short(mut schema: Map<String, Value>) -> Map<String, Value> {
    let required = schema.remove("required").unwrap_or_default();
    let is_required = |name: &str| {
        let mut names = required.as_array().into_iter().flatten();
        names.any(|it| it == name)
    };
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, property) in properties {
            let Value::Object(own) = property else {
                continue;
            };
            let mut own = short(std::mem::take(own));
            if !is_required(name) && !own.contains_key("default") {
                own.insert("optional".to_owned(), true.into());
            }
            *property = own.into();
        }
    }
    let alternatives = ["anyOf", "oneOf", "allOf"].into_iter();
    for key in alternatives.chain(["items"]) {
        let parts = match schema.get_mut(key) {
            Some(Value::Array(parts)) => parts.as_mut_slice(),
            Some(part) => std::slice::from_mut(part),
            None => continue,
        };
        for part in parts {
            if let Value::Object(part) = part {
                *part = short(std::mem::take(part));
            }
        }
    }
    schema
}
