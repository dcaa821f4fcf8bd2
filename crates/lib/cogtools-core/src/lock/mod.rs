//! `cogtools.lock`: what each source declares, pinned by hashes.
//!
//! Each tool is one line of the file, so that a changed tool is a changed line in a diff. Beside the
//! hashes of what is declared and of what runs, shortened ones of their parts show where to look.

mod changes;

pub use changes::Change;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::approval::script_commands;
use crate::digest::{DigestError, Hash};
use crate::file::ReadScope;
use crate::hint::{Command, Hint};
use crate::source::SourceError;
use crate::text::TextError;
use crate::tool::{Author, Values};
use crate::{Code, Context, Diagnostic, Tool, containment, digest, json, text, yaml};

/// Declarations of the sources of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    version: u32,
    /// Tools by source and name.
    sources: BTreeMap<String, BTreeMap<String, Pin>>,
}

/// Current declarations of the sources, and what is unavailable.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// The declarations.
    pub lock: Lock,
    /// Sources that cannot be listed at all.
    pub unavailable: Vec<SourceError>,
    /// Errors in single tools, which are not declared.
    pub tool_errors: Vec<Diagnostic>,
    /// The source and the name of each tool whose values are not known.
    pub(crate) unlisted: Vec<(String, String)>,
    /// The descriptions that others have written, by source and name.
    pub(crate) descriptions: BTreeMap<(String, String), String>,
}

/// The largest file that is read: 16 MiB.
const MAX_FILE_BYTES: usize = 16 << 20;

impl Lock {
    /// The name of the file at a project's root.
    pub const FILE: &'static str = "cogtools.lock";
    /// The version of the file format. The first one pinned declarations only.
    const VERSION: u32 = 2;

    /// The pins in the file at `path`, known to the user as `display_path`.
    pub fn read(path: &Path, display_path: &Path) -> Result<Self, Box<Diagnostic>> {
        let scope = ReadScope::project(path.parent().unwrap_or(Path::new("")));
        let bytes = text::bytes(path, display_path, MAX_FILE_BYTES, &scope).map_err(|error| {
            let hint = match error {
                TextError::Outside(..) => return Box::new(error.diagnostic(Code::InvalidConfig)),
                TextError::NotFound(_) => {
                    Hint::run("", Command::Lock, " writes it; commit it with the project")
                }
                _ => restore(),
            };
            Box::new(Diagnostic::new(Code::InvalidConfig, error.to_string()).hint(hint))
        })?;
        Self::parse(&bytes, display_path)
    }

    /// Parses `bytes`, the content of the file that the user knows as `display_path`.
    pub fn parse(bytes: &[u8], display_path: &Path) -> Result<Self, Box<Diagnostic>> {
        let shown = display_path.display();
        let value: Result<Value, _> = serde_json::from_slice(bytes);
        let version = value.as_ref().ok().and_then(|value| value.get("version"));
        let message = match version.and_then(Value::as_u64) {
            Some(1) => format!(
                "`{shown}` was written by an earlier cogtools, which did not pin what the tools run"
            ),
            Some(version) if version != u64::from(Self::VERSION) => {
                format!("`{shown}` is not a valid lock file: unsupported version {version}")
            }
            _ => match serde_json::from_slice(bytes) {
                Ok(lock) => return Ok(lock),
                Err(error) => format!("`{shown}` is not a valid lock file: {error}"),
            },
        };
        Err(Box::new(
            Diagnostic::new(Code::InvalidConfig, message).hint(restore()),
        ))
    }

    /// The file's text: one tool a line, sorted.
    pub fn text(&self) -> String {
        let mut text = format!("{{\n  \"version\": {},\n  \"sources\": {{", Self::VERSION);
        let mut before = "";
        for (source, tools) in &self.sources {
            let _ = write!(text, "{before}\n    {}: {{", json!(source));
            let mut between = "";
            for (name, pin) in tools {
                let _ = write!(text, "{between}\n      {}: {}", json!(name), json!(pin));
                between = ",";
            }
            text.push_str("\n    }");
            before = ",";
        }
        text.push_str(if before.is_empty() {
            "}\n}\n"
        } else {
            "\n  }\n}\n"
        });
        text
    }

    /// An empty lock of the current version.
    pub(crate) fn empty() -> Self {
        Self {
            version: Self::VERSION,
            sources: BTreeMap::new(),
        }
    }

    /// Pins `tool`. If a source declares a name twice, the first one counts.
    pub(crate) fn add(&mut self, tool: &Tool, pinner: &mut Pinner, cx: &Context) {
        let source = pinner.source(tool);
        let tools = self.sources.entry(source).or_default();
        tools
            .entry(tool.name().to_string())
            .or_insert_with(|| pinner.pin(tool, cx));
    }

    /// Counts the pinned sources and tools.
    pub fn counts(&self) -> (usize, usize) {
        let tools = self.sources.values().map(BTreeMap::len);
        (self.sources.len(), tools.sum())
    }
}

impl Snapshot {
    /// The declarations, with `earlier` pins of unavailable sources and of tools with unknown values.
    pub fn lock_beside(&self, earlier: Option<&Lock>) -> Lock {
        let mut lock = self.lock.clone();
        for source in self.unavailable.iter().map(SourceError::source) {
            // Declarations in the cache that stand in for it are not pinned.
            lock.sources.remove(&source);
            let pins = earlier.and_then(|earlier| earlier.sources.get(&source).cloned());
            lock.sources.extend(pins.map(|pins| (source, pins)));
        }
        if let Some(earlier) = earlier {
            lock.keep(earlier, &self.unlisted);
        }
        lock
    }
}

fn restore() -> Hint {
    let before = "restore it, as one side of a merge: git checkout --ours cogtools.lock; or remove it to \
                  accept everything; then run ";
    Hint::run(before, Command::Lock, "")
}

/// The tools that `cogtools.lock` pins, which alone may be declared and called.
#[derive(Debug)]
pub struct LockedTools {
    pub(crate) lock: Lock,
    pinner: Mutex<Pinner>,
}

impl LockedTools {
    /// Pins of `lock`, of the project at `root`, known to the user as `display_path`.
    pub fn new(lock: Lock, root: &Path, display_path: &Path) -> Self {
        let pinner = Mutex::new(Pinner::new(root, display_path));
        Self { lock, pinner }
    }

    /// Fails unless `tool` is as pinned.
    pub fn check(&self, tool: &Tool, cx: &Context) -> Result<(), Box<Diagnostic>> {
        let mut pinner = self.pinner.lock().unwrap_or_else(PoisonError::into_inner);
        let source = pinner.source(tool);
        let name = tool.name().as_str();
        let pinned = self.lock.sources.get(&source);
        let message = match pinned.and_then(|tools| tools.get(name)) {
            Some(pin) => {
                let now = pinner.pin(tool, cx);
                if pin.matches(&now) {
                    return Ok(());
                }
                let parts = pin.difference(&now);
                format!("it differs from the tool pinned in `cogtools.lock`: {parts}")
            }
            None if source.is_empty() => {
                "it is in no source, and `cogtools.lock` does not pin it".to_owned()
            }
            None => format!("`{source}` declares it, but `cogtools.lock` does not pin it"),
        };
        let before = "review what has changed; to accept it, run ";
        Err(Box::new(
            Diagnostic::new(Code::Denied, message)
                .with_subject(name)
                .hint(Hint::run(before, Command::Lock, "")),
        ))
    }
}

/// A pinned tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pin {
    /// The SHA-256 of the declaration for Gemini CLI, as compact JSON with sorted keys.
    sha256: String,
    /// The SHA-256 of what runs: the implementation with the files that it names,
    /// annotations, the content of a package, a provider's commands and declaration.
    pub(crate) runs: String,
    /// Shortened hashes by part: `description`, `/NAME` for a parameter, `parameters`
    /// for the rest of them, `annotations`, `implementation`, `content`.
    parts: BTreeMap<String, String>,
    /// The values of its enums by the commands that listed them.
    #[serde(default, skip_serializing_if = "Values::is_empty")]
    values: Values,
}

/// Makes the pins of the tools in one project.
#[derive(Debug)]
pub(crate) struct Pinner {
    root: PathBuf,
    display_path: PathBuf,
    /// The digests of packages by their folders and of plugins by their sources, or why there is
    /// none.
    packages: HashMap<PathBuf, String>,
}

/// The length of a part's hash, in characters.
const PART_HASH_LEN: usize = 8;
/// The keys of a tool file that are not its implementation.
const DECLARED_KEYS: [&str; 9] = [
    "$schema",
    "name",
    "title",
    "description",
    "deprecated",
    "parameters",
    "parameters_schema",
    "examples",
    "annotations",
];

impl Pinner {
    /// For the project at `root`, known to the user as `display_path`.
    pub(crate) fn new(root: &Path, display_path: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
            display_path: display_path.to_path_buf(),
            packages: HashMap::new(),
        }
    }

    /// The name of the source of `tool`, relative to the project's root; empty for a file
    /// that is in none.
    pub(crate) fn source(&self, tool: &Tool) -> String {
        let source = &tool.provenance.source;
        if source.is_empty() {
            return String::new();
        }
        from_root(source, &self.display_path)
    }

    /// The pin of `tool` as it is now.
    pub(crate) fn pin(&mut self, tool: &Tool, cx: &Context) -> Pin {
        let mut parts = BTreeMap::new();
        let mut add = |name: String, value: &Value| {
            let hash = digest::value(value).to_string();
            parts.insert(name, hash[..PART_HASH_LEN].to_owned());
        };
        add("description".to_owned(), &tool.description.as_str().into());
        let mut schema = tool.schema.json_schema().into_owned();
        let required = schema.shift_remove("required").unwrap_or_default();
        if let Some(Value::Object(properties)) = schema.shift_remove("properties") {
            let required = required.as_array().cloned().unwrap_or_default();
            for (name, property) in properties {
                let needed = required.iter().any(|other| *other == name.as_str());
                add(format!("/{name}"), &json!([property, needed]));
            }
        }
        add("parameters".to_owned(), &Value::Object(schema));
        let annotations = annotations(tool);
        let implementation = self.implementation(tool, cx);
        let content = self.content(tool);
        add("annotations".to_owned(), &annotations);
        add("implementation".to_owned(), &implementation);
        if !content.is_null() {
            add("content".to_owned(), &content);
        }
        let commands = tool.value_commands.iter();
        let values = commands.filter_map(|it| Some((it.key(), it.values.clone()?)));
        Pin {
            values: values.collect(),
            sha256: digest::value(&tool.pinned_declaration()).to_string(),
            runs: digest::value(&json!([annotations, implementation, content])).to_string(),
            parts,
        }
    }

    /// Returns what the tool's file says besides its declaration, and the content of the files
    /// that it names; for a provider, its commands.
    fn implementation(&mut self, tool: &Tool, cx: &Context) -> Value {
        if let Some(provided) = tool.provided() {
            let (lines, data) = (provided.lines(), provided.data(cx));
            let source = PathBuf::from(format!("plugin:{}", tool.provenance.source));
            let known = self.packages.get(&source).cloned();
            if let Some(plugin) = known.or_else(|| provided.plugin(cx).map(text)) {
                self.packages.insert(source, plugin.clone());
                return json!([lines, plugin]);
            }
            let files = lines.iter();
            let files = files.map(|words| named_files(words, &self.root, &self.root, &data));
            return json!([lines, files.collect::<Vec<_>>()]);
        }
        let document = yaml::parse(tool.text()).map(|document| document.to_json());
        let mut keys = json::object(document.unwrap_or_default());
        keys.retain(|key, _| !DECLARED_KEYS.contains(&key.as_str()));
        let mut all = vec![json!(keys), files_of(tool, &self.root)];
        // What a lock has pinned before stays as it is.
        all.extend((!tool.shared.is_empty()).then(|| json!(tool.shared)));
        let commands = tool.value_commands.iter().zip(tool.listers());
        all.extend(commands.map(|(command, it)| json!([command.key(), files_of(&it, &self.root)])));
        all.into()
    }

    /// The content of a tool's package, or its declaration as its server gives it; null
    /// for other tools.
    fn content(&mut self, tool: &Tool) -> Value {
        if let Some(provided) = tool.provided() {
            return provided.declaration().clone();
        }
        let Author::Package(root) = &tool.provenance.author else {
            return Value::Null;
        };
        let packages = &mut self.packages;
        let hash = packages.entry(root.clone());
        let hash = hash.or_insert_with(|| text(digest::package(root)));
        Value::from(hash.as_str())
    }
}

impl Pin {
    /// Returns true if both are of the same tool.
    fn matches(&self, other: &Self) -> bool {
        self.sha256 == other.sha256 && self.runs == other.runs
    }

    /// Describes the parts that differ.
    fn difference(&self, other: &Self) -> String {
        let mut names: Vec<&String> = self.parts.keys().chain(other.parts.keys()).collect();
        names.sort_unstable();
        names.dedup();
        let changes: Vec<String> = names
            .into_iter()
            .filter_map(|name| {
                let (label, verb) = match (name.strip_prefix('/'), name.as_str()) {
                    (Some(parameter), _) => (format!("the parameter `{parameter}`"), "has"),
                    (None, "parameters") => ("the schema of the parameters".to_owned(), "has"),
                    (None, "annotations") => ("the annotations".to_owned(), "have"),
                    (None, "content") => ("the content of its source".to_owned(), "has"),
                    (None, name) => (format!("the {name}"), "has"),
                };
                match (self.parts.get(name), other.parts.get(name)) {
                    (Some(one), Some(other)) if one == other => None,
                    (Some(_), None) => Some(format!("{label} was removed")),
                    (None, Some(_)) => Some(format!("{label} was added")),
                    _ => Some(format!("{label} {verb} changed")),
                }
            })
            .collect();
        if changes.is_empty() {
            "the order or the format of its parameters has changed".to_owned()
        } else {
            changes.join(", ")
        }
    }
}

/// The title and the hints on the behaviour of a tool, which hosts show and use to
/// decide whether they ask.
fn annotations(tool: &Tool) -> Value {
    let hints = &tool.annotations;
    json!([
        tool.title.as_deref(),
        hints.read_only,
        hints.destructive,
        hints.idempotent,
        hints.open_world,
    ])
}

/// The name of a source relative to the project's root.
fn from_root(source: &str, display_path: &Path) -> String {
    let relative = Path::new(source)
        .strip_prefix(display_path)
        .map_or_else(|_| source.to_owned(), |path| path.display().to_string());
    let name = if cfg!(windows) {
        relative.replace('\\', "/")
    } else {
        relative
    };
    if name.is_empty() {
        ".".to_owned()
    } else {
        name
    }
}

/// Maximum number of templates that a tool loads.
const MAX_TEMPLATES: usize = 1_000;

/// The digests of the files that `tool` names, in a project at `root`.
fn files_of(tool: &Tool, root: &Path) -> Value {
    let folder = tool.text().path().parent().unwrap_or(Path::new(""));
    if let Some(words) = tool.literals() {
        let line = tool.command_line();
        // A script's interpreter says how it finds modules.
        let loaders = words.iter().filter(|word| containment::loads_modules(word));
        let loaders: Vec<String> = loaders.cloned().collect();
        let commands = line.iter().flat_map(script_commands);
        let commands = commands.map(|command| [&*loaders, &*command].concat());
        let commands: Vec<Vec<String>> = commands.collect();
        let files = std::iter::once(words).chain(commands);
        let files = files.flat_map(|words| named_files(&words, root, folder, &BTreeSet::new()));
        return json!(files.collect::<BTreeMap<_, _>>());
    }
    if let Some(code) = tool.js() {
        return digest::value(&code.source().into()).to_string().into();
    }
    let templates = Templates::of(tool);
    let all = templates.is_dynamic.then(|| text(digest::package(folder)));
    json!([templates.digests, all])
}

/// The digests of the files in the project at `root` that a command line names, seen
/// from there or from `folder`, or that its programs load, without `data`. Programs of the system
/// differ between machines.
fn named_files(
    words: &[String],
    root: &Path,
    folder: &Path,
    data: &BTreeSet<PathBuf>,
) -> BTreeMap<String, String> {
    let loads = words.iter().any(|word| containment::loads_modules(word));
    let real_root = root.canonicalize();
    let real_root = real_root.as_deref().unwrap_or(root);
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |path: &str, file: &Path| {
        let real = file.canonicalize();
        if real.is_ok_and(|real| real.starts_with(real_root) && !data.contains(&real)) {
            files.insert(path.to_owned(), text(digest::file(file)));
        }
    };
    for word in words {
        for base in [folder, root] {
            let found = containment::named_files(base, word, loads).unwrap_or_default();
            for named in found {
                add(&named.path, &named.file);
            }
        }
    }
    for loaded in containment::loaded_files(words) {
        let path = loaded.path();
        add(&path.display().to_string(), &root.join(path));
    }
    files
}

/// A digest, or why there is none.
fn text(hash: Result<Hash, DigestError>) -> String {
    hash.map_or_else(|error| error.to_string(), |hash| hash.to_string())
}

/// The templates that a tool loads.
#[derive(Default)]
struct Templates {
    /// Their digests by name, relative to the tool's folder.
    digests: BTreeMap<String, String>,
    /// True if a tag computes the name of a template.
    is_dynamic: bool,
}

impl Templates {
    fn of(tool: &Tool) -> Self {
        let mut templates = Self::default();
        let mut waiting: Vec<(String, String)> = Vec::new();
        for (index, source) in tool.templates().iter().enumerate() {
            let text = source.source();
            let own = digest::value(&text.into()).to_string();
            templates.digests.insert(format!("{index}:"), own);
            let parent = source.text().path().parent();
            let folder = tool.text().path().parent();
            let below = parent.zip(folder);
            let below = below.and_then(|(parent, folder)| parent.strip_prefix(folder).ok());
            // The name of a file in its folder, from which names with a dot are resolved.
            let name = below.unwrap_or(Path::new("")).join("_");
            waiting.push((name.to_string_lossy().replace('\\', "/"), text.to_owned()));
        }
        while let Some((from, text)) = waiting.pop() {
            // A template that does not parse loads nothing that is known.
            let found = njk::analyse(&text).unwrap_or_else(|_| njk::Analysis {
                computes_template: true,
                ..njk::Analysis::default()
            });
            templates.is_dynamic |= found.computes_template;
            templates.is_dynamic |= templates.digests.len() > MAX_TEMPLATES;
            if templates.is_dynamic {
                break;
            }
            for name in found.templates {
                let name = njk::resolve(&from, &name).unwrap_or(name);
                if templates.digests.contains_key(&name) {
                    continue;
                }
                let partial = tool.partial(&name);
                let text = partial.as_ref().map_or("", |partial| partial.source());
                let hash = digest::value(&json!([partial.is_some(), text])).to_string();
                waiting.push((name.clone(), text.to_owned()));
                templates.digests.insert(name, hash);
            }
        }
        templates
    }
}
