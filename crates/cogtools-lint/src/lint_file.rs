//! A file as the rules look at it: text, document and tool, as far as it goes.

use std::path::{Path, PathBuf};

use cogtools_core::pointer::segments;
use cogtools_core::schema::{Role, SubSchema};
use cogtools_core::text::{Span, Text, TextError};
use cogtools_core::tool::ToolError;
use cogtools_core::yaml::{self, Data, Entry, Node};
use cogtools_core::{Code, Diagnostic, Tool};

/// A file that is, or wants to be, a tool.
#[derive(Debug)]
pub struct LintFile {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: Text,
    /// The document in it, if it is one.
    pub document: Option<Node>,
    /// The tool, if it is one, whatever its file is called.
    pub tool: Option<Tool>,
    /// Why it is not a tool.
    pub diagnostics: Vec<Diagnostic>,
    /// The file of an earlier source with the same stem.
    pub shadowed_by: Option<PathBuf>,
    /// An earlier file that declares the same name.
    pub duplicate_name: Option<PathBuf>,
}

impl LintFile {
    /// Reads the file at `path`, known to its user as `shown`. One that is there
    /// but holds no text is an invalid tool, and nothing more is known of it.
    pub fn read(path: &Path, shown: &Path) -> Result<Self, TextError> {
        match Text::read(path, shown) {
            Ok(text) => Ok(Self::of(path, text)),
            Err(error @ (TextError::Absent(_) | TextError::Io(..))) => Err(error),
            Err(error) => {
                let mut file = Self::of(path, Text::new(shown, Vec::new())?);
                file.diagnostics = vec![error.diagnostic(Code::InvalidTool)];
                Ok(file)
            }
        }
    }

    fn of(path: &Path, text: Text) -> Self {
        let (tool, diagnostics) = match Tool::parse(text.clone()) {
            Ok(tool) => {
                let name = tool.name().as_str();
                let diagnostics = if path.file_stem().is_some_and(|stem| stem == name) {
                    Vec::new()
                } else {
                    // Parsing does not look at the file's name, loading does.
                    let error = Tool::load(path, text.display_path()).err();
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
            shadowed_by: None,
            duplicate_name: None,
        }
    }

    /// The same file, read again after an edit.
    pub(crate) fn reload(&self) -> Option<Self> {
        let mut next = Self::read(&self.path, self.text.display_path()).ok()?;
        next.shadowed_by.clone_from(&self.shadowed_by);
        next.duplicate_name.clone_from(&self.duplicate_name);
        Some(next)
    }

    /// The value of a key at the top.
    pub fn value(&self, key: &str) -> Option<&Node> {
        self.document.as_ref()?.get(key)
    }

    /// The entry of a key at the top.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        let entries = self.document.as_ref()?.entries()?;
        entries.iter().find(|entry| entry.key == key)
    }

    /// Whether it says that it is a tool: by its `$schema`, or by what it has.
    pub(crate) fn looks_like_a_tool(&self) -> bool {
        let schema = self.value("$schema").and_then(Node::text);
        schema == Some(Tool::SCHEMA)
            || (self.value("name").is_some() && self.value("implementation").is_some())
    }

    /// Every schema of the tool; none if it is not one.
    pub(crate) fn sites(&self) -> Vec<SubSchema<'_>> {
        let sites = self.tool.as_ref().map(|tool| tool.schema().sub_schemas());
        sites.unwrap_or_default()
    }

    /// The parameters, with whether each is required.
    pub(crate) fn parameters(&self) -> Vec<(&str, bool, SubSchema<'_>)> {
        let is_top = |site: &SubSchema<'_>| {
            let name = site.pointer.strip_prefix("/properties/");
            name.is_some_and(|name| !name.contains('/'))
        };
        self.sites()
            .into_iter()
            .filter(is_top)
            .filter_map(|site| match site.role {
                Role::Property { name, required } => Some((name, required, site)),
                _ => None,
            })
            .collect()
    }

    /// Where what a pointer into the schema names is written: the last key on
    /// the way there that the file has.
    pub(crate) fn locate(&self, pointer: &str) -> Span {
        let names = segments(pointer);
        let (entry, skip) = match self.entry("parameters_schema") {
            Some(entry) => (Some(entry), 0),
            None => (self.entry("parameters"), 1),
        };
        let Some(entry) = entry else {
            return Span { start: 0, end: 0 };
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

    /// Where a keyword of a schema is written.
    pub(crate) fn keyword(&self, site: &SubSchema<'_>, keyword: &str) -> Span {
        self.locate(&format!("{}/{keyword}", site.pointer))
    }

    /// Every node that stands where a schema belongs, whether it is one or not.
    pub(crate) fn schema_nodes(&self) -> Vec<&Node> {
        let mut found = Vec::new();
        if let Some(schema) = self.value("parameters_schema") {
            schemas(schema, &mut found);
        }
        let parameters = self.value("parameters").and_then(Node::entries);
        for entry in parameters.into_iter().flatten() {
            schemas(&entry.value, &mut found);
        }
        found
    }

    /// What the file says between two offsets.
    pub(crate) fn raw(&self, span: Span) -> &str {
        self.text.as_str().get(span.start..span.end).unwrap_or("")
    }
}

fn schemas<'n>(node: &'n Node, found: &mut Vec<&'n Node>) {
    found.push(node);
    for entry in node.entries().into_iter().flatten() {
        match (entry.key.as_str(), &entry.value.data) {
            ("items" | "not" | "additionalProperties", Data::Map(_) | Data::Text { .. }) => {
                schemas(&entry.value, found);
            }
            ("properties", Data::Map(entries)) => {
                for entry in entries {
                    schemas(&entry.value, found);
                }
            }
            ("allOf" | "anyOf" | "oneOf", Data::List(items)) => {
                for item in items {
                    schemas(item, found);
                }
            }
            _ => {}
        }
    }
}
