//! `cogtools import`: a tool file made of an operation of a specification, of a command of curl, or of
//! a prompt or a skill that was written for one host.
//!
//! The file is a beginning: an author goes on with it, and a curated tool serves a model better
//! than a mirrored API.

mod curl;
mod prompt;
mod words;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, CommandFactory as _, Parser, Subcommand};
use cogtools_core::file::WritePath;
use cogtools_core::shebang::is_executable;
use cogtools_core::source::openapi::{self, Operation, Options};
use cogtools_core::source::{Skills, code_points};
use cogtools_core::text::Text;
use cogtools_core::tool::ToolError;
use cogtools_core::{Code, Diagnostic, Name, Target, Tool, invisible};
use cogtools_program::documents::{Document, DocumentError, Update, collect_all, file_lines};
use cogtools_program::project::{config, project, read_scope};
use cogtools_program::{Failure, Io, Program, Severity, Stdin, args};
use serde_json::{Map, Value};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-import",
    command: ImportArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[&[Code::InvalidTool, Code::InvalidConfig]],
    variables: &[],
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "OPENAPI",
        "FILE is a specification in OpenAPI 3 or Swagger 2. ID is the operationId of an operation, or its method and path, such as 'GET /pets/{id}'. The tool is the one that `tool_sources: - openapi: FILE` would have, as a file. Credentials are variables, named by the file and the security scheme. A comment names each optional parameter that is left out, such as a cookie.",
    ),
    (
        "CURL",
        "COMMAND is one command of curl, in quotes, as a browser copies it (\"Copy as cURL (bash)\"). Parameters of the query and fields of a body become parameters of the tool, with the values of the command as defaults; lists and objects in a body stay as they are. Variables of a shell, and names in braces in the URL, become parameters, too. The command ends where a shell would end it, as before | or &&. Credentials become variables: bearer tokens, passwords, users without a password, and headers and parameters that are named like keys or look like them. Their values are not printed. Comments name what is left out: headers of the browser, cookies, options, the body of a GET, and all URLs but the first.",
    ),
    (
        "PROMPT",
        "FILE is a custom command of Gemini CLI (.toml), a slash command of Claude Code (.md), or a prompt of Genkit (.prompt) or Prompty (.prompty). A command becomes a template, and what the user writes after it a parameter; .prompt and .prompty become agents. Commands of a shell, files and helpers in the text stay as they are written, because a template does not run them; a comment names each, and each field that is left out, without its value. Invisible characters are left out, too.",
    ),
    (
        "SKILL",
        "DIR is the folder of a skill in the project. Each file in scripts becomes a tool that runs it where it is, with a list of arguments; where two would have one name, the extension tells them apart. The first line of a script says which program runs it or, without #!, its extension. Other files in scripts that are not executable are no tools; a warning names each. SKILL.md and references are copied to .agents/skills, if DIR is elsewhere.",
    ),
    (
        "CHANGES",
        "The files are shown as a diff, and written with --write: tools to the first of the project's folders in tool_sources. A file that has other content is never replaced.",
    ),
    (
        "EXAMPLES",
        "    cogtools import prompt .gemini/commands/review.toml\n\n    cogtools import prompt --write .claude/commands/fix.md\n\n    cogtools import skill --write vendor/forms\n\n    cogtools import openapi api.yaml --operation getPet > tools/getPet.yaml\n\n    cogtools import curl \"curl 'https://api.example.com/search?q=rust' -H 'Authorization: Bearer …'\" > tools/search.yaml",
    ),
];

/// Make a tool file of an operation of a specification, a command of curl, a prompt or a skill
#[derive(Parser)]
#[command(
    long_about = "Print a tool file, made of an operation of a specification or of a command of curl, \
        or make tools of a prompt or a skill that was written for one host. Go on with it: describe \
        the tool and its parameters for a model, and add examples."
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
    /// Make a tool of a command of Gemini CLI or Claude Code, or of a .prompt or .prompty file
    Prompt {
        /// The file: NAME.toml, NAME.md, NAME.prompt or NAME.prompty
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Write the file instead of showing the diff
        #[arg(long)]
        write: bool,
    },
    /// Make tools of the scripts of a skill
    Skill {
        /// The folder of the skill, in the project
        #[arg(value_name = "DIR")]
        dir: PathBuf,
        /// Write the files instead of showing the diff
        #[arg(long)]
        write: bool,
    },
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: ImportArgs = args::parse(matches)?;
    let (document, notes) = match args.command {
        None => return Err(PROGRAM.missing_subcommand()),
        Some(ImportCommand::Prompt { file, write }) => {
            let name = file.display().to_string();
            let text = read(&io.cwd.join(&file), &file, io)?;
            let (document, notes) = prompt::import(&file, &text).map_err(|message| {
                let diagnostic = Diagnostic::new(Code::InvalidConfig, message).with_subject(name);
                diagnostic.hint("import a prompt that its own host accepts")
            })?;
            let folder = tool_folder(io)?;
            return write_all(vec![tool_file(&folder, &document, &notes)?], write, io);
        }
        Some(ImportCommand::Skill { dir, write }) => return write_all(skill(&dir, io)?, write, io),
        Some(ImportCommand::OpenApi {
            file,
            operation,
            server,
        }) => specified(&file, &operation, server, io)?,
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

/// Reads the text of the file at `path`.
fn read(path: &Path, display_path: &Path, io: &Io<'_>) -> Result<String, Failure> {
    let text = Text::read(path, display_path, &read_scope(path, io));
    let text = text.map_err(|error| Failure::from(error.diagnostic(Code::IoFailed)))?;
    Ok(text.as_str().to_owned())
}

/// Returns the folder of new tools, relative to the project: the first of its own.
fn tool_folder(io: &mut Io<'_>) -> Result<PathBuf, Failure> {
    let project = project(io);
    let config = config(&project, io)?.without_user_folders();
    let first = config.folders().next();
    let below = first.and_then(|folder| folder.path_below(project.root()));
    below.ok_or_else(|| {
        let message = "the project has no folder of tools within it, or not as the first";
        let diagnostic = Diagnostic::new(Code::Usage, message);
        diagnostic
            .hint("put `- local: ./tools` first in `tool_sources` in `.cogtoolrc.yaml`")
            .into()
    })
}

/// Returns the path of a tool in `folder`, and its text.
fn tool_file(
    folder: &Path,
    document: &Value,
    notes: &[String],
) -> Result<(PathBuf, String), Failure> {
    let name = document["name"].as_str().unwrap_or_default();
    let path = folder.join(format!("{name}.yaml"));
    Ok((path, print(document, notes)?))
}

/// Shows the diff of `files` of the project, or writes them. A file with other content stays.
fn write_all(
    files: Vec<(PathBuf, String)>,
    is_written: bool,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let project = project(io);
    let updates: Vec<Update> = collect_all(files.into_iter().map(|(file, text)| {
        let (path, display_path) = project.resolve(&file);
        let document = Document::open(WritePath::in_project(project.root(), &path), display_path)?;
        Ok(document.with_content(text.into_bytes()))
    }))?;
    let is_taken = |update: &&Update| update.action() == "updated";
    if let Some(taken) = updates.iter().find(is_taken) {
        io.print(taken.diff().as_bytes())?;
        let diagnostic = Diagnostic::new(Code::Usage, "it exists, with other content");
        let diagnostic = diagnostic.with_subject(taken.display_path().display().to_string());
        return Err(diagnostic
            .hint("remove or rename it, or merge the diff by hand")
            .into());
    }
    if !is_written {
        let diffs: String = updates.iter().map(Update::diff).collect();
        return io.print(diffs.as_bytes());
    }
    for update in &updates {
        update.write().map_err(DocumentError::diagnostic)?;
    }
    let written = updates.iter().map(|it| (it.action(), it.display_path()));
    io.print(file_lines(written).as_bytes())
}

/// Returns the tools of the scripts of the skill in `dir`, and the files of the skill.
fn skill(dir: &Path, io: &mut Io<'_>) -> Result<Vec<(PathBuf, String)>, Failure> {
    let unusable = |message: String, hint: &str| {
        let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
        Failure::from(
            diagnostic
                .with_subject(dir.display().to_string())
                .hint(hint),
        )
    };
    let root = project(io).root().canonicalize().ok();
    let path = io.cwd.join(dir).canonicalize().ok();
    let below = path
        .as_ref()
        .zip(root)
        .and_then(|(path, root)| path.strip_prefix(root).ok().map(Path::to_path_buf));
    let (Some(path), Some(below)) = (&path, below) else {
        return Err(unusable(
            "it is not a folder in the project".into(),
            "copy the skill, as to ./vendor",
        ));
    };
    let body = read(&path.join("SKILL.md"), &dir.join("SKILL.md"), io)?;
    let hint = "a skill begins with `---`, name and description";
    let (fields, _) = prompt::front_matter(&body).map_err(|message| unusable(message, hint))?;
    let Some(name) = fields["name"].as_str() else {
        return Err(unusable("its SKILL.md has no `name`".to_owned(), hint));
    };
    if !Skills::is_name(name) {
        let message = format!("`{name}` is no name of a skill, which agents would accept");
        return Err(unusable(
            message,
            "a name has 1 to 64 of the characters a-z, 0-9 and -",
        ));
    }
    let folder = tool_folder(io)?;
    let up = "../".repeat(folder.components().count());
    let (mut files, mut taken) = (Vec::new(), BTreeSet::new());
    for file in names(&path.join("scripts")) {
        let script = below.join("scripts").join(&file);
        let full = path.join("scripts").join(&file);
        let mut command = Skills::interpreter(&full);
        let is_inside = full.canonicalize().is_ok_and(|real| real.starts_with(path));
        if !is_inside || file == "__init__.py" || command.is_empty() && !is_executable(&full) {
            let (why, hint) = if is_inside {
                (
                    "is no script",
                    "a script begins with `#!`, is executable, or has the extension of its language",
                )
            } else {
                ("is a link out of the skill", "put the script itself there")
            };
            let message = format!("`scripts/{file}` {why}");
            let diagnostic = Diagnostic::new(Code::InvalidConfig, message).with_subject(name);
            io.report(Severity::Warning, &diagnostic.hint(hint));
            continue;
        }
        if command.is_empty() {
            // A path that begins with `./` is relative to the tool.
            command.push(format!("./{up}{}", script.display()));
        } else {
            command.push(script.display().to_string());
        }
        if let Some(word) = Skills::template_among(&command) {
            let message = format!("`{word}` in the command of `{file}` would be a template");
            return Err(unusable(
                message,
                "remove the braces from the name or the first line",
            ));
        }
        let mut command: Vec<Value> = command.into_iter().map(Value::from).collect();
        command.push("{{ args }}".into());
        let document = serde_json::json!({
            "name": script_name(name, &file, &mut taken),
            "description": format!("Runs {file} of the skill {name}. TODO: say when to call it"),
            "parameters": {"args": {
                "type": "array", "items": {"type": "string"},
                "description": "Arguments of the script", "default": [],
            }},
            "implementation": {"exec": command},
        });
        files.push(tool_file(&folder, &document, &[])?);
    }
    let target = Path::new(Skills::FOLDER).join(name);
    if below != target {
        files.push((target.join("SKILL.md"), body));
        for file in names(&path.join("references")) {
            let file = Path::new("references").join(file);
            files.push((
                target.join(&file),
                read(&path.join(&file), &dir.join(&file), io)?,
            ));
        }
        for left in left_behind(path) {
            let message = format!("`{}` is not copied", left.display());
            let diagnostic = Diagnostic::new(Code::InvalidConfig, message).with_subject(name);
            let hint = format!("copy it to {}, if the skill needs it", target.display());
            io.report(Severity::Warning, &diagnostic.hint(hint));
        }
    }
    Ok(files)
}

/// Returns a name for the script `file` of the skill `skill` that is not `taken`: with the extension,
/// or a number, if another script has its stem or the name is too long.
fn script_name(skill: &str, file: &str, taken: &mut BTreeSet<String>) -> String {
    let stem = Path::new(file).file_stem().unwrap_or_default();
    let names = [stem.to_string_lossy().as_ref(), file]
        .map(|end| prompt::name_of(&format!("{skill}_{end}")));
    let numbered = (2..).map(|number| {
        let end = format!("_{number}");
        let rest = names[0].chars().take(Name::MAX_LENGTH - end.len());
        rest.chain(end.chars()).collect()
    });
    let mut all = names.iter().cloned().chain(numbered);
    // Some file systems have one file for both cases.
    let found = all.find(|name| taken.insert(name.to_ascii_lowercase()));
    found.unwrap_or_default()
}

/// The files and folders of the skill in the folder `path` that are neither its text nor references
/// nor scripts.
fn left_behind(path: &Path) -> Vec<PathBuf> {
    let taken = ["SKILL.md", "references", "scripts"];
    let mut left = entries(path, |_| true);
    left.retain(|name| !taken.contains(&name.as_str()));
    let mut left: Vec<PathBuf> = left.into_iter().map(PathBuf::from).collect();
    for folder in &taken[1..] {
        let folders = entries(&path.join(folder), |entry| !entry.is_file());
        left.extend(folders.iter().map(|name| Path::new(folder).join(name)));
    }
    left
}

/// The names of the files in `folder`, sorted.
fn names(folder: &Path) -> Vec<String> {
    entries(folder, Path::is_file)
}

/// The names of the entries of `folder` that are `wanted`, sorted.
fn entries(folder: &Path, wanted: fn(&Path) -> bool) -> Vec<String> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| wanted(&entry.path()))
        .filter_map(|it| it.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    names
}

/// Returns the tool file of the operation `wanted` of the specification in `file`, and a note for
/// each parameter that it leaves out.
fn specified(
    file: &str,
    wanted: &str,
    server: Option<String>,
    io: &Io<'_>,
) -> Result<(Value, Vec<String>), Failure> {
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
    let all = openapi::operations(&root, &options, &|_| true, None);
    let hint = "name it, as in `--server https://api.example.com/v1`";
    let all = all.map_err(|(message, _)| unusable((message, hint)))?;
    let is_wanted = |it: &&Operation| it.id == wanted || it.line == wanted || it.name == wanted;
    let Some(found) = all.iter().find(is_wanted) else {
        let diagnostic = Diagnostic::new(Code::Usage, "there is no operation of that name");
        let ids = all.iter().map(|it| it.id.as_str());
        let otherwise = "name its operationId, or its method and path, as in 'GET /pets'";
        let diagnostic = diagnostic.with_subject(wanted);
        return Err(diagnostic.meant_or(wanted, ids, otherwise).into());
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
    let left_out = found.left_out.iter();
    let notes = left_out.map(|(name, reason)| format!("left out: {name}: {reason}"));
    Ok((document, notes.collect()))
}

/// Prints a tool file for an author: short parameters where they mean the same, a blank line between
/// keys, and `notes` as comments.
fn print(document: &Value, notes: &[String]) -> Result<String, Failure> {
    let mut document = with_short_parameters(document).unwrap_or_else(|| document.clone());
    let mut hidden = BTreeSet::new();
    remove_invisible(&mut document, &mut hidden);
    let mut notes: Vec<Cow<'_, str>> = notes
        .iter()
        .map(|note| invisible::remove(note, &mut hidden))
        .collect();
    // It only ends lines.
    hidden.remove(&'\r');
    if !hidden.is_empty() {
        let note = format!("left out: invisible characters: {}", code_points(&hidden));
        notes.push(note.into());
    }
    let mut text = String::new();
    for note in notes {
        // A comment ends with its line.
        let lines = note.split(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
        let lines: Vec<&str> = lines.collect();
        text.extend(["# ", lines.join("\n#   ").as_str(), "\n"]);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.extend(["$schema: ", Tool::SCHEMA, "\n"]);
    for (key, value) in document.as_object().into_iter().flatten() {
        text.push('\n');
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

/// Removes the invisible characters of the texts for people and models, as sources do: they are by
/// others.
fn remove_invisible(document: &mut Value, hidden: &mut BTreeSet<char>) {
    invisible::remove_from_texts(document, hidden);
    let texts = match document.get_mut("implementation") {
        Some(Value::Object(kinds)) => kinds.get_mut("agent").and_then(Value::as_object_mut),
        Some(text @ Value::String(_)) => return remove_from(text, hidden),
        _ => None,
    };
    for text in texts.into_iter().flat_map(Map::values_mut) {
        remove_from(text, hidden);
    }
}

fn remove_from(text: &mut Value, hidden: &mut BTreeSet<char>) {
    if let Value::String(text) = text
        && let Cow::Owned(rest) = invisible::remove(text, hidden)
    {
        *text = rest;
    }
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
