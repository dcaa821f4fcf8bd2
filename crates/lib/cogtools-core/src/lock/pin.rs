//! One pin: what a tool declares, and what it runs.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::digest::{self, DigestError, Hash};
use crate::tool::Author;
use crate::{Target, Tool, containment, yaml};

/// A pinned tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pin {
    /// The SHA-256 of the declaration for Gemini CLI, as compact JSON with sorted keys.
    sha256: String,
    /// The SHA-256 of what runs: the implementation with the files that it names,
    /// annotations, the content of a package, a provider's commands and declaration.
    runs: String,
    /// Shortened hashes by part: `description`, `/NAME` for a parameter, `parameters`
    /// for the rest of them, `annotations`, `implementation`, `content`.
    parts: BTreeMap<String, String>,
}

/// Makes the pins of the tools in one project.
#[derive(Debug)]
pub(crate) struct Pinner {
    root: PathBuf,
    display_path: PathBuf,
    /// The digests of packages, or why there is none.
    packages: HashMap<PathBuf, String>,
}

/// The length of a part's hash, in characters.
const PART_HASH_LEN: usize = 8;
/// The keys of a tool file that are not its implementation.
const DECLARED_KEYS: [&str; 8] = [
    "$schema",
    "name",
    "title",
    "description",
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
    pub(super) fn source(&self, tool: &Tool) -> String {
        let source = &tool.provenance().source;
        if source.is_empty() {
            return String::new();
        }
        from_root(source, &self.display_path)
    }

    /// The pin of `tool` as it is now.
    pub(crate) fn pin(&mut self, tool: &Tool) -> Pin {
        let mut parts = BTreeMap::new();
        let mut add = |name: String, value: &Value| {
            let hash = digest::value(value).to_string();
            parts.insert(name, hash[..PART_HASH_LEN].to_owned());
        };
        add("description".to_owned(), &tool.description().into());
        let mut schema = match tool.schema().to_json_schema() {
            Value::Object(schema) => schema,
            _ => Map::new(),
        };
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
        let implementation = self.implementation(tool);
        let content = self.content(tool);
        add("annotations".to_owned(), &annotations);
        add("implementation".to_owned(), &implementation);
        if !content.is_null() {
            add("content".to_owned(), &content);
        }
        Pin {
            sha256: digest::value(&Target::Gemini.declare(tool)).to_string(),
            runs: digest::value(&json!([annotations, implementation, content])).to_string(),
            parts,
        }
    }

    /// Returns what the tool's file says besides its declaration, and the content of the files
    /// that it names; for a provider, its commands.
    fn implementation(&self, tool: &Tool) -> Value {
        if let Some(remote) = tool.remote() {
            let lines = remote.lines.iter();
            let files = lines.map(|words| named_files(words, &self.root, &self.root));
            return json!([remote.lines, files.collect::<Vec<_>>()]);
        }
        let document = yaml::parse(tool.text()).map(|document| document.to_json());
        let mut keys = match document {
            Ok(Value::Object(keys)) => keys,
            _ => Map::new(),
        };
        keys.retain(|key, _| !DECLARED_KEYS.contains(&key.as_str()));
        json!([keys, files_of(tool, &self.root)])
    }

    /// The content of a tool's package, or its declaration as its server gives it; null
    /// for other tools.
    fn content(&mut self, tool: &Tool) -> Value {
        if let Some(remote) = tool.remote() {
            return remote.declaration;
        }
        let Author::Package(root) = &tool.provenance().author else {
            return Value::Null;
        };
        let packages = &mut self.packages;
        let hash = packages.entry(root.clone()).or_insert_with(|| {
            digest::package(root).map_or_else(|error| error.to_string(), |hash| hash.to_string())
        });
        Value::from(hash.as_str())
    }
}

impl Pin {
    /// The digest of what runs.
    pub(crate) fn runs(self) -> String {
        self.runs
    }

    /// Returns true if both are of the same tool.
    pub(super) fn matches(&self, other: &Self) -> bool {
        self.sha256 == other.sha256 && self.runs == other.runs
    }

    /// Describes the parts that differ.
    pub(super) fn difference(&self, other: &Self) -> String {
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
    let hints = tool.annotations();
    json!([
        tool.title(),
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
    if let Some(line) = tool.command_line() {
        return named_files(&line.literals(), root, folder);
    }
    if let Some(code) = tool.js() {
        return digest::value(&code.source().into()).to_string().into();
    }
    let templates = Templates::of(tool);
    let all = templates.is_dynamic.then(|| text(digest::package(folder)));
    json!([templates.digests, all])
}

/// The digests of the files in the project at `root` that a command line names, seen
/// from there or from `folder`, or that its programs load. Programs of the system differ
/// between machines.
fn named_files(words: &[String], root: &Path, folder: &Path) -> Value {
    let loads = words.iter().any(|word| containment::loads_modules(word));
    let real_root = root.canonicalize();
    let real_root = real_root.as_deref().unwrap_or(root);
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |path: &str, file: &Path| {
        let real = file.canonicalize();
        if real.is_ok_and(|real| real.starts_with(real_root)) {
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
    json!(files)
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
