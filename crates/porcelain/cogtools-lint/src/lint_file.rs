//! A file as the rules see it: text, document and tool, as far as it parses.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use cogtools_core::file::ReadScope;
use cogtools_core::pointer::segments;
use cogtools_core::schema::{Role, Schema, SubSchema};
use cogtools_core::text::{self, Span, Text, TextError};
use cogtools_core::tool::ToolError;
use cogtools_core::yaml::{self, Data, Entry, Node};
use cogtools_core::{Code, Config, Context, Diagnostic, Location, Registry, Source, Tool};
use cogtools_log::ToolCounts;
use njk::{Engine, Template};
use serde_json::{Map, Value};

use crate::contradiction::{self, Contradiction};
use crate::js_analysis::JsAnalysis;
use crate::parameter_types::ToolTypes;
use crate::target::{self, Suppression};

/// A tool file, valid or not.
#[derive(Debug)]
pub struct LintFile {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: Text,
    /// The document, if it is valid YAML.
    pub document: Option<Node>,
    /// The tool, if it is valid apart from the file name.
    pub tool: Option<Tool>,
    /// Why it is not a tool.
    pub diagnostics: Vec<Diagnostic>,
    /// The files of the project before it with which it has something in common.
    pub(crate) earlier: Earlier,
    /// The folder of the programs that evaluate code; without it, no example is run.
    pub(crate) programs: Option<PathBuf>,
    /// The calls of it in the sessions of the project, if they are asked about.
    pub(crate) usage: Option<Arc<Usage>>,
    /// The other tools of the project, for a flow.
    pub(crate) neighbours: Arc<Neighbours>,
    types: OnceLock<ToolTypes>,
    contradictions: OnceLock<Vec<Contradiction>>,
    codes: OnceLock<Vec<JsAnalysis>>,
    suppressions: OnceLock<Vec<Suppression>>,
}

impl LintFile {
    /// Reads the file at `path` in `scope`, displayed as `display_path`. A file that is
    /// not text is an invalid tool, and nothing more is known about it.
    pub fn read(path: &Path, display_path: &Path, scope: &ReadScope) -> Result<Self, TextError> {
        match Text::read(path, display_path, scope) {
            Ok(text) => Ok(Self::parse(path, text)),
            Err(error @ (TextError::NotFound(_) | TextError::Io(..))) => Err(error),
            Err(error) => {
                let mut diagnostic = error.diagnostic(Code::InvalidTool);
                if let Some(location) = invalid_byte(path, display_path, scope) {
                    diagnostic = diagnostic.at(location);
                }
                let text = Text::empty(display_path).in_scope(scope);
                Ok(Self::unreadable(path, text, diagnostic))
            }
        }
    }

    /// The file at `path`, which cannot be read for the reason in `diagnostic`.
    pub(crate) fn unreadable(path: &Path, empty: Text, diagnostic: Diagnostic) -> Self {
        Self {
            diagnostics: vec![diagnostic],
            ..Self::parse(path, empty)
        }
    }

    /// The file at `path` if it had this `text`.
    pub(crate) fn parse(path: &Path, text: Text) -> Self {
        let (tool, diagnostics) = match Tool::parse(text.clone()) {
            Ok(tool) => {
                let name = tool.name().as_str();
                let is_fine = path.file_stem().is_some_and(|stem| stem == name);
                let diagnostics = if is_fine || !path.exists() {
                    Vec::new()
                } else {
                    // Loading checks the file name, parsing does not.
                    let error = Tool::load(path, text.display_path(), text.scope()).err();
                    error.map(ToolError::diagnostics).unwrap_or_default()
                };
                (Some(tool), diagnostics)
            }
            Err(error) => (None, error.diagnostics()),
        };
        Self {
            path: path.to_path_buf(),
            document: yaml::parse(&text).ok(),
            text,
            tool,
            diagnostics,
            earlier: Earlier::default(),
            programs: None,
            usage: None,
            neighbours: Arc::default(),
            types: OnceLock::new(),
            contradictions: OnceLock::new(),
            codes: OnceLock::new(),
            suppressions: OnceLock::new(),
        }
    }

    /// Reads the file again after an edit.
    pub(crate) fn reload(&self) -> Option<Self> {
        let next = Self::read(&self.path, self.text.display_path(), self.text.scope()).ok()?;
        Some(Self {
            earlier: self.earlier.clone(),
            programs: self.programs.clone(),
            usage: self.usage.clone(),
            neighbours: Arc::clone(&self.neighbours),
            ..next
        })
    }

    /// Contradictions between the types of the parameters and the templates.
    pub(crate) fn types(&self) -> &ToolTypes {
        let types = |tool| ToolTypes::of(tool, &self.neighbours);
        self.types
            .get_or_init(|| self.tool.as_ref().map(types).unwrap_or_default())
    }

    /// The JavaScript of the tool, and of the nodes of its flow.
    pub(crate) fn codes(&self) -> &[JsAnalysis] {
        let analyse = || self.tool.as_ref().map(JsAnalysis::all);
        self.codes.get_or_init(|| analyse().unwrap_or_default())
    }

    /// The contradictions in the schema of the parameters.
    pub(crate) fn contradictions(&self) -> &[Contradiction] {
        let find = || self.schema().map(contradiction::contradictions);
        self.contradictions
            .get_or_init(|| find().unwrap_or_default())
    }

    /// The comments that allow what a rule finds.
    pub(crate) fn suppressions(&self) -> &[Suppression] {
        self.suppressions.get_or_init(|| {
            let entries = self.document.as_ref().and_then(Node::entries);
            let first = entries.and_then(<[_]>::first);
            let line = first.map_or(1, |entry| self.text.location(entry.span).line);
            target::all(self.text.as_str(), line)
        })
    }

    /// The value of a top-level key.
    pub fn value(&self, key: &str) -> Option<&Node> {
        self.document.as_ref()?.get(key)
    }

    /// The entry of a top-level key.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        let entries = self.document.as_ref()?.entries()?;
        entries.iter().find(|entry| entry.key == key)
    }

    /// The value of a key of the implementation.
    pub(crate) fn implementation(&self, key: &str) -> Option<&Node> {
        self.value("implementation")?.get(key)
    }

    /// The name, and its text.
    pub(crate) fn name(&self) -> Option<(&Node, &str)> {
        let node = self.value("name")?;
        Some((node, node.text()?))
    }

    /// The schema of the parameters, if the tool is valid.
    pub(crate) fn schema(&self) -> Option<&Schema> {
        self.tool.as_ref().map(|tool| &tool.schema)
    }

    /// Returns true if the file is meant as a tool: by its `$schema`, or by its keys.
    pub(crate) fn looks_like_a_tool(&self) -> bool {
        let schema = self.value("$schema").and_then(Node::text);
        schema == Some(Tool::SCHEMA)
            || (self.value("name").is_some() && self.value("implementation").is_some())
    }

    /// Every schema of the tool; none if the tool is invalid.
    pub(crate) fn sub_schemas(&self) -> Vec<SubSchema<'_>> {
        self.schema().map(Schema::sub_schemas).unwrap_or_default()
    }

    /// The parameters, with whether each is required.
    pub(crate) fn parameters(&self) -> Vec<(&str, bool, SubSchema<'_>)> {
        let is_top = |sub_schema: &SubSchema<'_>| {
            let name = sub_schema.pointer.strip_prefix("/properties/");
            name.is_some_and(|name| !name.contains('/'))
        };
        self.sub_schemas()
            .into_iter()
            .filter(is_top)
            .filter_map(|sub_schema| match sub_schema.role {
                Role::Property { name, required } => Some((name, required, sub_schema)),
                _ => None,
            })
            .collect()
    }

    /// The span of what a pointer into the schema refers to: the last key along it
    /// that is in the file.
    pub(crate) fn locate(&self, pointer: &str) -> Span {
        let names = segments(pointer);
        let (entry, skip) = match self.entry("parameters_schema") {
            Some(entry) => (Some(entry), 0),
            None => (self.entry("parameters"), 1),
        };
        let Some(entry) = entry else {
            return Span::new(0, 0);
        };
        let (_, span) = entry
            .value
            .walk(names.iter().map(String::as_str).skip(skip));
        if span == entry.value.span {
            entry.span
        } else {
            span
        }
    }

    /// The span of a keyword of a schema.
    pub(crate) fn keyword(&self, sub_schema: &SubSchema<'_>, keyword: &str) -> Span {
        self.locate(&format!("{}/{keyword}", sub_schema.pointer))
    }

    /// Every node in the position of a schema, valid or not.
    pub(crate) fn schema_nodes(&self) -> Vec<&Node> {
        let mut found = Vec::new();
        if let Some(schema) = self.value("parameters_schema") {
            collect_schemas(schema, &mut found);
        }
        let parameters = self.value("parameters").and_then(Node::entries);
        for entry in parameters.into_iter().flatten() {
            collect_schemas(&entry.value, &mut found);
        }
        found
    }

    /// The text of `span`.
    pub(crate) fn raw(&self, span: Span) -> &str {
        self.text.as_str().get(span.start..span.end).unwrap_or("")
    }
}

/// The location of the first byte that is not UTF-8.
fn invalid_byte(path: &Path, display_path: &Path, scope: &ReadScope) -> Option<Location> {
    let bytes = text::bytes(path, display_path, Text::MAX_BYTES, scope).ok()?;
    let valid = std::str::from_utf8(&bytes).err()?.valid_up_to();
    let source = String::from_utf8_lossy(&bytes);
    Some(Location::of(display_path, &source, valid..valid + 1))
}

fn collect_schemas<'n>(node: &'n Node, found: &mut Vec<&'n Node>) {
    found.push(node);
    for entry in node.entries().into_iter().flatten() {
        match (entry.key.as_str(), &entry.value.data) {
            ("items" | "not" | "additionalProperties", Data::Map(_) | Data::Text { .. }) => {
                collect_schemas(&entry.value, found);
            }
            ("properties", Data::Map(entries)) => {
                for entry in entries {
                    collect_schemas(&entry.value, found);
                }
            }
            ("allOf" | "anyOf" | "oneOf", Data::List(items)) => {
                for item in items {
                    collect_schemas(item, found);
                }
            }
            _ => {}
        }
    }
}

/// Files of a project that come before another one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Earlier {
    /// The file of an earlier source with the same stem.
    pub(crate) stem: Option<PathBuf>,
    /// The file that declares the same name.
    pub(crate) name: Option<PathBuf>,
    /// The file with the same description.
    pub(crate) description: Option<PathBuf>,
}

/// The use of a tool in sessions.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    /// The sessions of the project, also without a call.
    pub(crate) sessions: usize,
    pub(crate) counts: ToolCounts,
}

/// The tools of a project.
#[derive(Debug, Default)]
pub(crate) struct Neighbours {
    registry: Option<Registry>,
    tools: Vec<Tool>,
    aliases: BTreeMap<String, String>,
    /// The names of files that are no valid tools.
    broken: Vec<String>,
    /// True if these are all: no source is a program.
    is_whole: bool,
}

impl Neighbours {
    /// The tools in the files of the project with this configuration, and `others`.
    pub(crate) fn of(config: &Config, others: &[Source]) -> Self {
        let mut config = config.clone();
        config.sources.extend_from_slice(others);
        let count = config.sources.len();
        config
            .sources
            .retain(|source| !matches!(source, Source::Provider(_)));
        let is_whole = config.sources.len() == count;
        let registry = Registry::new(config, None, Context::default());
        let found = registry
            .map_files(|file, tool| tool.map_err(|_| file.name.to_string_lossy().into_owned()));
        let mut neighbours = Self {
            is_whole: is_whole && found.source_errors.is_empty(),
            aliases: registry.capability_aliases.clone(),
            registry: Some(registry),
            ..Self::default()
        };
        for item in found.items {
            match item {
                Ok(tool) => neighbours.tools.push(tool),
                Err(name) => neighbours.broken.push(name),
            }
        }
        neighbours
    }

    /// Returns true if a name that is not among these names no tool.
    pub(crate) const fn has_all_names(&self) -> bool {
        self.is_whole
    }

    /// Returns true if a tool that is not among these does not exist.
    pub(crate) const fn is_complete(&self) -> bool {
        self.is_whole && self.broken.is_empty()
    }

    /// The registry, if there are no other tools than these.
    pub(crate) fn registry(&self) -> Option<&Registry> {
        self.registry.as_ref().filter(|_| self.is_complete())
    }

    /// The tool `name`.
    pub(crate) fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name().as_str() == name)
    }

    /// The names of all tools, also of broken ones.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.tools.iter().map(|tool| tool.name().as_str());
        names.chain(self.broken.iter().map(String::as_str))
    }

    /// The capability that `name` stands for.
    pub(crate) fn resolve<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.get(name).map_or(name, String::as_str)
    }

    /// The tools with a capability, after its alias.
    pub(crate) fn with_capability(&self, name: &str) -> Vec<&Tool> {
        let name = self.resolve(name);
        let has = |tool: &&Tool| tool.capabilities().iter().any(|own| own == name);
        self.tools.iter().filter(has).collect()
    }

    /// All capabilities.
    pub(crate) fn capabilities(&self) -> Vec<String> {
        self.tools
            .iter()
            .flat_map(|tool| tool.capabilities())
            .collect()
    }
}

/// The template of a tool, compiled to be rendered without a call.
pub(crate) struct Rendering<'t> {
    tool: &'t Tool,
    template: Template,
}

impl<'t> Rendering<'t> {
    /// Compiles the template of `tool`; none for a tool that is no template, or one that does not
    /// compile.
    pub(crate) fn of(tool: &'t Tool) -> Option<Self> {
        let sources = tool.templates();
        let [own] = sources.as_slice() else {
            return None;
        };
        let partials = tool.loaded_templates().map(|it| it.source);
        let partials: BTreeMap<String, String> = partials
            .map(|it| (it.name().to_owned(), it.source().to_owned()))
            .collect();
        // A file that is not there today may be there tomorrow.
        let is_open = partials.values().any(|it| it.contains("ignore missing"));
        if is_open || !tool.is_template() {
            return None;
        }
        let engine = Engine::builder().loader(partials).build();
        let template = engine.compile(own.name(), own.source()).ok()?;
        Some(Self { tool, template })
    }

    /// Renders it with `arguments` and the defaults; none if it fails.
    pub(crate) fn render(&self, mut arguments: Map<String, Value>) -> Option<String> {
        self.tool.schema.apply_defaults(&mut arguments);
        self.template.render(&Value::Object(arguments)).ok()
    }
}
