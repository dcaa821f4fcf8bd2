//! `cogtools new`: creates a working tool file for the user to change.
//!
//! Existing files are never overwritten, and no partial file is ever visible.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};

use clap::{ArgMatches, CommandFactory as _, Parser, ValueEnum};
use cogtools_core::file::{Expected, Mode, ReadScope, WriteError, WritePath, write_temp};
use cogtools_core::text::{self, Text};
use cogtools_core::tool::ToolError;
use cogtools_core::trust::is_untouched;
use cogtools_core::{
    Code, Config, Context, Diagnostic, Folder, Name, NameError, Project, Registry, Tool, yaml,
};
use cogtools_program::format::FormatArg;
use cogtools_program::project::{REVIEW, config, project, trust_created_project};
use cogtools_program::terminal::sanitize;
use cogtools_program::{Failure, Io, Program, Stdin, args, man};
use serde_json::{Value, json};
use thiserror::Error;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-new",
    command: NewArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Program::PROJECT_CODES],
    variables: man::PROJECT,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "TEMPLATES",
        "njk: a Nunjucks template over the arguments.\n\nexec: a program, started without a shell.\n\nscript: a script inside the tool file.",
    ),
    (
        "FILES",
        "The tool is written to DIR or else to the first folder of tool_sources in .cogtoolrc.yaml (tools without that file). It is executable.\n\n.cogtools/schema/tool.json, at the project's root, lets editors with a YAML language server complete and validate tool files: a comment below the first line of the tool refers to it. It is created if it does not exist; `cogtools schema` prints the one of this version. Commit it with the tools.",
    ),
    (
        "JSON",
        "With --format json: one object with name; created, an array of files, the tool's first; example, valid arguments of the tool; and, if another tool has the same name, its file: as shadowed_by if that tool takes precedence, otherwise as shadows.",
    ),
    (
        "EXAMPLES",
        "    cogtools new check_facts\n\n    cogtools new find_uses --template exec --dir tools/code\n\n    cogtools new --from examples/everyday/tools/convert_units.yaml",
    ),
];

/// The schema of tool files, as `cogtools schema` prints it.
const SCHEMA: &str = include_str!("../starter/schema.json");

/// Create a tool: a commented file that works
#[derive(Parser)]
#[command(
    long_about = "Create a working tool file, with a comment on each of its parts, for you to \
        change. An existing file is never overwritten."
)]
struct NewArgs {
    #[arg(
        help = "Name of the tool, such as check_facts",
        required_unless_present = "from"
    )]
    name: Option<String>,
    /// Implementation of the tool
    #[arg(long, value_enum, default_value_t = Template::Njk)]
    template: Template,
    /// Copy this tool file with its golden files and templates, under its own name or NAME
    #[arg(long, value_name = "FILE", conflicts_with = "template")]
    from: Option<PathBuf>,
    /// Folder of the new tool, instead of the first local source
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArg,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: NewArgs = args::parse(matches)?;
    let failure = |error: NewError| Failure::from(error.diagnostic());
    let stem = args.from.as_deref().and_then(Path::file_stem);
    let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
    let name = args.name.or(stem).unwrap_or_default();
    let name = Name::new(&name).map_err(|error| failure(NewError::Name(name, error)))?;
    let original = match &args.from {
        Some(file) => Original::read(file, &name, &io.cwd)?,
        None => args.template.original(&name).map_err(failure)?,
    };
    let project = project(io);
    let config = config(&project, io)?;
    // A tool of the project is not written into a folder of the user.
    let own = config.clone().without_user_folders();
    let folders: Vec<_> = own.folders().collect();
    let destination = Destination::find(args.dir.as_deref(), &io.cwd, &folders).map_err(failure)?;
    let duplicate = Duplicate::find(&name, &destination, &config);
    // A tool of somebody else needs a review.
    let is_new = args.from.is_none() && is_untouched(project.root());
    let files = write(&name, &original, &destination, &project).map_err(failure)?;
    let report = Created {
        trusted: trust_created_project(io, is_new),
        duplicate: duplicate.map(|duplicate| duplicate.after_creation(&name, &config)),
        example: original.arguments,
        listed: destination.listed,
        name,
        files,
    };
    if args.format.is_json() {
        io.show_json(&format!("{:#}\n", report.json()))
    } else {
        io.show(&report.text())
    }
}

/// Writes the tool and, unless they exist, the files beside it and the schema. Returns the created
/// files, the tool's first.
fn write(
    name: &Name,
    original: &Original,
    destination: &Destination,
    project: &Project,
) -> Result<Vec<PathBuf>, NewError> {
    let file = format!("{name}.yaml");
    let shown = destination.display_path.join(&file);
    let path = destination.folder.join(&file);
    // Checked early as well, so that nothing else is written in that case.
    if path.symlink_metadata().is_ok() {
        return Err(NewError::Exists(shown));
    }
    for (file, text) in &original.files {
        let is_golden = file.extension().is_some_and(|it| it == "golden");
        let found = fs::read(destination.folder.join(file));
        if !is_golden && found.is_ok_and(|found| found != text.as_bytes()) {
            return Err(NewError::Exists(destination.display_path.join(file)));
        }
    }
    let failed = |file: &Path| {
        let file = file.to_path_buf();
        |error| NewError::Unwritable(file, error)
    };
    let schema = destination.schema(project);
    let root = project.root();
    let text = original.text.join(&schema.reference);
    let path = WritePath::in_project(root, &path);
    let mut tool = write_temp(&path, Expected::Absent, text.as_bytes(), Mode::Program)
        .map_err(failed(&shown))?;
    // Both are on disk before either is in destination.
    let path = WritePath::in_project(root, &schema.file);
    let mut for_editors = write_temp(&path, Expected::Absent, SCHEMA.as_bytes(), Mode::Data)
        .map_err(failed(&schema.display_path))?;
    match tool.commit() {
        Ok(()) => {}
        Err(WriteError::Changed) => return Err(NewError::Exists(shown)),
        Err(error) => return Err(failed(&shown)(error)),
    }
    let mut created = vec![shown];
    for (file, text) in &original.files {
        let shown = destination.display_path.join(file);
        let path = WritePath::in_project(root, &destination.folder.join(file));
        let file = write_temp(&path, Expected::Absent, text.as_bytes(), Mode::Data);
        match file.and_then(|mut file| file.commit()) {
            Ok(()) => created.push(shown),
            Err(WriteError::Changed) => {}
            Err(error) => return Err(failed(&shown)(error)),
        }
    }
    match for_editors.commit() {
        Ok(()) => created.push(schema.display_path),
        // An existing schema is preserved: it may be customised or of another version.
        Err(WriteError::Changed) => {}
        Err(error) => return Err(failed(&schema.display_path)(error)),
    }
    Ok(created)
}

/// A kind of implementation, with an example tool.
#[derive(Clone, Copy, ValueEnum)]
enum Template {
    Njk,
    Js,
    Exec,
    Script,
}

/// A tool to copy.
struct Original {
    /// The text of the tool file, split where the path of the schema for editors belongs.
    text: Vec<String>,
    /// The golden files and the templates, by their paths in its folder.
    files: BTreeMap<PathBuf, String>,
    /// Valid arguments as JSON.
    arguments: String,
}

impl Original {
    /// Reads the tool in `file`, as `name`, and the files beside it that it needs.
    fn read(file: &Path, name: &Name, cwd: &Path) -> Result<Self, Failure> {
        let path = cwd.join(file);
        let scope = ReadScope::User;
        let tool = Tool::load(&path, file, &scope).map_err(ToolError::diagnostics)?;
        let text = text::bytes(&path, file, Text::MAX_BYTES, &scope).ok();
        let text = text.and_then(|bytes| renamed(&tool, str::from_utf8(&bytes).ok()?, name));
        let (text, arguments) =
            text.ok_or_else(|| NewError::Renamed(file.to_path_buf()).diagnostic())?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let loaded = tool.loaded_templates().filter_map(|template| {
            let text = template.source.text();
            let below = text.path().strip_prefix(folder).ok()?;
            (text.path() != path).then(|| (below.to_path_buf(), text.as_str().to_owned()))
        });
        let mut files: BTreeMap<PathBuf, String> = loaded.collect();
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let found = entry.file_name().into_string().unwrap_or_default();
            let suffix = found.strip_prefix(tool.name().as_str());
            let suffix = suffix.filter(|it| it.starts_with('.') && it.ends_with(".golden"));
            if let Some(suffix) = suffix {
                let text = Text::read(&entry.path(), &entry.path(), &scope);
                let text = text.map_err(|error| error.diagnostic(Code::IoFailed))?;
                files.insert(format!("{name}{suffix}").into(), text.as_str().to_owned());
            }
        }
        Ok(Self {
            arguments,
            text: vec![text],
            files,
        })
    }
}

/// The text that `write` makes of the name, if it is a tool of that name, and valid arguments as
/// JSON. YAML takes some names for other values, unless they are in quotes.
fn named(name: &Name, write: impl Fn(&str) -> String) -> Option<(String, String)> {
    let values = [name.to_string(), format!("\"{name}\"")];
    values.iter().find_map(|value| {
        let text = write(value);
        let tool = Tool::parse(Text::new("", text.clone().into_bytes()).ok()?).ok()?;
        let example = tool.examples().next();
        let example = example.map(|it| Value::Object(it).to_string());
        let arguments = example.or_else(|| tool.skeleton()).unwrap_or_default();
        (tool.name() == name).then_some((text, arguments))
    })
}

/// Returns `text`, the file of `tool`, with another name, and valid arguments.
fn renamed(tool: &Tool, text: &str, name: &Name) -> Option<(String, String)> {
    let mark = text.len().checked_sub(tool.source().len())?;
    let start = yaml::parse(tool.text()).ok()?.get("name")?.span.start;
    let (before, rest) = text.split_at_checked(mark + start)?;
    let write = |new: &str| before.to_owned() + &rest.replacen(tool.name().as_str(), new, 1);
    named(name, write)
}

impl Template {
    fn original(self, name: &Name) -> Result<Original, NewError> {
        let text = match self {
            Self::Njk => include_str!("../starter/njk.yaml"),
            Self::Js => include_str!("../starter/js.yaml"),
            Self::Exec => include_str!("../starter/exec.yaml"),
            Self::Script => include_str!("../starter/script.yaml"),
        };
        let (text, arguments) = named(name, |value| {
            let text = text.replacen("@NAME@", value, 1);
            text.replace("@NAME@", name.as_str())
        })
        .ok_or_else(|| NewError::Renamed(name.as_str().into()))?;
        let golden = (1..).zip(self.golden());
        let golden = golden.map(|(number, text)| (format!("{name}.{number}.golden"), text));
        Ok(Original {
            text: text.split("@SCHEMA@").map(str::to_owned).collect(),
            files: golden
                .map(|(file, text)| (file.into(), (*text).into()))
                .collect(),
            arguments,
        })
    }

    /// The golden files of the examples, in their order.
    const fn golden(self) -> &'static [&'static str] {
        match self {
            Self::Njk => &[
                include_str!("../starter/njk.1.golden"),
                include_str!("../starter/njk.2.golden"),
            ],
            Self::Js => &[
                include_str!("../starter/js.1.golden"),
                include_str!("../starter/js.2.golden"),
            ],
            Self::Exec => &[],
            Self::Script => &[include_str!("../starter/script.1.golden")],
        }
    }
}

/// The schema's file, below the project's root. It is committed with the tools,
/// so that every editor finds it without a network.
const SCHEMA_FILE: &str = ".cogtools/schema/tool.json";

/// The folder of a new tool.
struct Destination {
    /// The folder.
    folder: PathBuf,
    /// The folder for messages.
    display_path: PathBuf,
    /// True if the project finds tools in it by name.
    listed: bool,
}

/// The location of the schema.
struct Schema {
    /// Its file.
    file: PathBuf,
    /// Its file for messages.
    display_path: PathBuf,
    /// Its path relative to the tool's folder, for editors.
    reference: String,
}

impl Destination {
    /// `requested`, from the directory `cwd`, or else the first of `sources`.
    fn find(requested: Option<&Path>, cwd: &Path, sources: &[&Folder]) -> Result<Self, NewError> {
        let Some(requested) = requested else {
            let first = sources.first().ok_or(NewError::NoFolder)?;
            return Ok(Self {
                folder: first.path().to_path_buf(),
                display_path: first.display_path().to_path_buf(),
                listed: true,
            });
        };
        let normalized: PathBuf = requested
            .components()
            .filter(|c| c.as_os_str() != ".")
            .collect();
        let folder = cwd.join(&normalized);
        let listed = sources.iter().any(|source| source.leads_to(&folder));
        Ok(Self {
            folder,
            display_path: normalized,
            listed,
        })
    }

    /// The location of the schema: at the project's root for a folder of the project,
    /// otherwise in the folder itself.
    fn schema(&self, project: &Project) -> Schema {
        let (folder, root) = (canonical(&self.folder), canonical(project.root()));
        let below: PathBuf = SCHEMA_FILE.split('/').collect();
        let (file, display_path, prefix) = match folder.strip_prefix(&root) {
            Ok(path) => {
                let (file, display_path) = project.resolve(&below);
                (file, display_path, "../".repeat(depth(path)))
            }
            Err(_) => (
                self.folder.join(&below),
                self.display_path.join(&below),
                String::new(),
            ),
        };
        let prefix = if prefix.is_empty() { "./" } else { &prefix };
        Schema {
            file,
            display_path,
            reference: format!("{prefix}{SCHEMA_FILE}"),
        }
    }
}

/// `path` with the links of its existing part resolved.
fn canonical(path: &Path) -> PathBuf {
    let mut above = path.ancestors();
    let resolved = above.find_map(|above| {
        let there = above.canonicalize().ok()?;
        Some(there.join(path.strip_prefix(above).ok()?))
    });
    resolved.unwrap_or_else(|| path.to_path_buf())
}

/// The depth of `path`, in folders.
fn depth(path: &Path) -> usize {
    path.components().fold(0, |depth: usize, part| match part {
        Component::ParentDir => depth.saturating_sub(1),
        _ => depth + 1,
    })
}

/// The tool that had the name before.
struct Duplicate {
    /// Its file, for messages.
    file: PathBuf,
    /// True if both are in the same source.
    same_source: bool,
    /// True if it still takes precedence.
    wins: bool,
}

impl Duplicate {
    /// The duplicate of a tool that is about to be written to `destination`.
    fn find(name: &Name, destination: &Destination, config: &Config) -> Option<Self> {
        if !destination.listed {
            return None;
        }
        let file = find_tool(name, config)?.file().to_path_buf();
        let mut sources = config
            .folders()
            .filter(|source| source.leads_to(&destination.folder));
        let same_source = sources.any(|source| {
            let tool = source.find(name).ok().flatten();
            tool.is_some_and(|tool| tool.file() == file)
        });
        Some(Self {
            file,
            same_source,
            wins: true,
        })
    }

    /// Updated after the new tool has been created.
    fn after_creation(mut self, name: &Name, config: &Config) -> Self {
        self.wins = find_tool(name, config).is_some_and(|tool| tool.file() == self.file);
        self
    }

    /// The message for the user.
    fn message(&self) -> String {
        let file = self.file.display();
        let (effect, position) = if self.wins {
            ("is called instead", "first")
        } else {
            ("is now shadowed", "later")
        };
        let why = if self.same_source {
            format!("it comes {position} in the same source")
        } else {
            format!("its source comes {position} in `tool_sources`")
        };
        format!("`{file}` has the same name and {effect}: {why}")
    }
}

/// The tool that a call of `name` runs.
fn find_tool(name: &Name, config: &Config) -> Option<Tool> {
    let registry = Registry::new(config.clone(), None, Context::default());
    registry.find(name.as_str()).ok()
}

/// A created tool.
struct Created {
    name: Name,
    /// The files, the tool's first.
    files: Vec<PathBuf>,
    /// Another tool of the same name.
    duplicate: Option<Duplicate>,
    /// Valid arguments, as JSON.
    example: String,
    /// True if the project finds it by its name.
    listed: bool,
    /// True if the project is trusted to run programs.
    trusted: bool,
}

impl Created {
    /// The report as JSON.
    fn json(&self) -> Value {
        let files = self.files.iter().map(|file| file.display().to_string());
        let created: Vec<_> = files.collect();
        let mut object = json!({
            "name": self.name.as_str(),
            "created": created,
            "example": serde_json::from_str(&self.example).unwrap_or(Value::Null),
        });
        if let Some(duplicate) = &self.duplicate {
            let wins = duplicate.wins;
            let key = if wins { "shadowed_by" } else { "shadows" };
            object[key] = duplicate.file.display().to_string().into();
        }
        object
    }

    /// The report as text.
    fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        for file in &self.files {
            let _ = writeln!(text, "created {}", sanitize(&file.display().to_string()));
        }
        if let Some(duplicate) = &self.duplicate {
            let _ = writeln!(text, "{}", sanitize(&duplicate.message()));
        }
        let name = &self.name;
        let file = self.files.first().map(|file| file.display().to_string());
        let file = sanitize(&file.unwrap_or_default()).into_owned();
        let (tool, call) = if self.listed {
            (name.to_string(), format!("cogtools-call {name}"))
        } else {
            (file.clone(), format!("cogtools-yaml {file}"))
        };
        let _ = write!(
            text,
            "\nnext steps:\n\
             - edit it; its comments explain each part\n\
             - print the declaration that a model sees:\n    cogtools expand {tool}\n\
             - call it:\n    echo '{}' | {call}\n",
            self.example.replace('\'', r"'\''"),
        );
        if !self.trusted {
            text.push_str(REVIEW);
        }
        text
    }
}

/// Reasons why a tool is not created.
#[derive(Debug, Error)]
enum NewError {
    /// A host would refuse the name.
    #[error("not a name that all hosts accept: {1}")]
    Name(String, NameError),
    /// The file exists.
    #[error("`{0}` already exists")]
    Exists(PathBuf),
    /// The new name cannot be put into the file to copy.
    #[error("the name in `{0}` cannot be replaced")]
    Renamed(PathBuf),
    /// The project has no local source.
    #[error("the project has no local folder of tools")]
    NoFolder,
    /// A system error.
    #[error("`{0}` cannot be written: {1}")]
    Unwritable(PathBuf, WriteError),
}

impl NewError {
    /// The error as a diagnostic with hints.
    fn diagnostic(&self) -> Diagnostic {
        let diagnostic = |code| Diagnostic::new(code, self.to_string());
        match self {
            Self::Name(name, error) => {
                let mut diagnostic =
                    diagnostic(Code::Usage).with_subject(name.escape_debug().to_string());
                diagnostic.hints.push(reason(error).into());
                // A file was named instead of a tool.
                let file = name.strip_suffix(".yaml").or(name.strip_suffix(".yml"));
                let stem = file.map(|file| file.rsplit('/').next().unwrap_or(file));
                let suggestion =
                    nearest_name(stem.unwrap_or(name)).map(|name| format!("try `{name}`"));
                let suggestion =
                    suggestion.unwrap_or_else(|| "try a name such as `check_facts`".to_owned());
                diagnostic.hint(suggestion)
            }
            Self::Exists(_) => {
                diagnostic(Code::Usage).hint("choose another name, or move the file away first")
            }
            Self::Renamed(_) => diagnostic(Code::InvalidTool)
                .hint("write it there as `name: NAME`, on a line of its own"),
            Self::NoFolder => diagnostic(Code::InvalidConfig)
                .hint("add `- local: ./tools` to `tool_sources` in `.cogtoolrc.yaml`")
                .hint("or name a folder with --dir"),
            Self::Unwritable(_, error) => diagnostic(Code::IoFailed)
                .hint(error.hint("free disk space or grant permission, then run this again")),
        }
    }
}

/// The hosts that impose the violated rule.
const fn reason(error: &NameError) -> &'static str {
    match error {
        NameError::TooLong(_) => {
            "hosts allow 64 characters, and Gemini CLI puts `discovered_tool_` before the name"
        }
        NameError::Character(_) => {
            "OpenAI and Anthropic allow no others; only Gemini also accepts a dot or a colon"
        }
        NameError::Reserved => {
            "find_tool and call_tool give access to tools that do not fit into a budget"
        }
        _ => "Gemini accepts nothing else as the first character",
    }
}

/// The portable name that is nearest to `name`, if any characters remain.
fn nearest_name(name: &str) -> Option<Name> {
    let portable = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let plain: String = name
        .chars()
        .map(|c| if portable(c) { c } else { '_' })
        .collect();
    let plain = plain.trim_matches('_');
    if !plain.contains(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let is_start = plain.starts_with(|c: char| c.is_ascii_alphabetic());
    let whole = format!("{}{plain}", if is_start { "" } else { "_" });
    Name::new(whole.get(..Name::MAX_LENGTH).unwrap_or(&whole)).ok()
}
