//! A tool: its definition and the implementation of its calls.
//!
//! A tool file is parsed in two steps, document and tool, so that a [`Tool`] is always valid.

mod accept;
mod agent;
mod annotations;
mod blocks;
mod call;
mod capability;
mod command;
mod definition;
mod embedded;
mod error;
mod example;
mod exec;
mod flow;
mod http;
mod implementation;
mod js;
mod key;
mod lister;
mod locator;
mod parse;
mod progress_line;
mod reader;
mod schema_part;
mod script;
mod template;
mod values;

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};
use std::iter;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

pub use accept::{AcceptError, Accepted, Branch, Coverage, EnumValue, OptionalProperty};
pub(crate) use agent::OwnProgram;
pub use agent::{AgentBudget, AgentTask};
pub use annotations::Annotations;
pub(crate) use blocks::mcp_output;
pub use call::{CommandLine, RunError, ToolOutput, Word};
pub(crate) use call::{Foreign, Provided, ToolCall};
pub(crate) use capability::is_capability;
pub(crate) use command::CommandCall;
pub(crate) use definition::Extras;
pub use definition::{Author, Definition, Provenance};
pub use error::{DefinitionError, FlowError, HttpToolError, METHODS, ToolError};
pub use example::Example;
pub use flow::{
    AskNode, EachNode, Flow, FlowAction, FlowCall, FlowNeed, FlowNode, FlowQuestion, FlowReport,
    FlowTarget, FlowTask, FlowTemplate, FlowWork, Route, ToolNode, find_cycle,
};
pub use http::RESPONSE_VARIABLES;
pub(crate) use http::{Http, fetch};
pub use implementation::IMPLEMENTATION_KEYS;
pub(crate) use implementation::Implementation;
pub use key::Key;
pub(crate) use script::interpreter;
pub use template::{LoadedTemplate, TOOL_DIR, Template, TemplateSource, ValueTemplate, printed};
pub(crate) use values::{Values, values};

use crate::containment::Boundary;
use crate::file::ReadScope;
use crate::sandbox::Sandbox;
use crate::schema::Schema;
use crate::text::{Span, Text};
use crate::tool::accept::Validators;
pub use crate::tool::example::Output;
pub use crate::tool::js::{CodeReport, CodeTask, JsSource};
use crate::tool::locator::Locator;
pub(crate) use crate::tool::parse::JsonDocument;
use crate::{Cost, Diagnostic, Location, invisible, yaml};

/// A valid tool. Everything about it but its calls is in its [`Definition`].
#[derive(Debug)]
pub struct Tool {
    definition: Definition,
    implementation: Implementation,
    /// The span of the key `implementation` in its file, if it has one.
    implementation_span: Option<Span>,
    validators: Validators,
}

impl Deref for Tool {
    type Target = Definition;

    fn deref(&self) -> &Definition {
        &self.definition
    }
}

impl Tool {
    /// The URN a tool file may name as its `$schema`.
    pub const SCHEMA: &'static str = key::SCHEMA;
    /// The limit of a call unless it sets a `timeout`.
    pub const TIMEOUT: Duration = Definition::TIMEOUT;

    /// Reads the tool file at `path` in `scope`, which messages call `display_path`. The
    /// tool's name must be the file's stem.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a valid tool.
    pub fn load(path: &Path, display_path: &Path, scope: &ReadScope) -> Result<Self, ToolError> {
        let _step = tracing::debug_span!("load tool", file = ?display_path).entered();
        let text = Text::read(path, display_path, scope).map_err(ToolError::Text)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::parse_as(text, &stem).map_err(|error| error.concealed(scope))
    }

    /// Parses the text of a tool file.
    ///
    /// # Errors
    ///
    /// The text is not a valid tool.
    pub fn parse(text: Text) -> Result<Self, ToolError> {
        parse::tool(text, None, &Values::new())
    }

    /// Parses the text of a tool file; the name of the tool must be `stem`.
    pub(crate) fn parse_as(text: Text, stem: &str) -> Result<Self, ToolError> {
        parse::tool(text, Some(stem), &Values::new())
    }

    /// Makes a tool without a file, which messages call `display_path`.
    pub(crate) fn foreign(
        mut definition: Definition,
        calls: Arc<dyn Foreign>,
        display_path: &Path,
    ) -> Self {
        definition.text = Text::empty(display_path);
        Self {
            definition,
            implementation: Implementation::Foreign(calls),
            implementation_span: None,
            validators: Validators::default(),
        }
    }

    /// Returns the same tool from another source. The texts of a package lose their invisible
    /// characters.
    pub(crate) fn from(mut self, provenance: Arc<Provenance>) -> Self {
        let is_of_package = matches!(provenance.author, Author::Package(_));
        self.definition.provenance = provenance;
        if is_of_package {
            self.without_invisible()
        } else {
            self
        }
    }

    /// Returns the same tool without invisible characters in its texts for people and models.
    pub(crate) fn without_invisible(mut self) -> Self {
        let Definition {
            title,
            description,
            schema,
            hidden,
            ..
        } = &mut self.definition;
        for text in title.iter_mut().chain([description]) {
            if let Cow::Owned(rest) = invisible::remove(text, hidden) {
                *text = rest;
            }
        }
        schema.remove_invisible(hidden);
        self
    }

    /// Returns the same tool with the `schema` of its result, in JSON Schema of any draft. A result
    /// that does not match it is a note, not a failure.
    pub(crate) fn with_advisory_output(mut self, schema: Option<&Value>) -> Self {
        if let Some(schema) = schema.and_then(Value::as_object) {
            let is_object = schema.get("type").is_some_and(|kind| kind == "object");
            let schema = is_object.then(|| Schema::from_foreign(schema));
            self.definition.output = Output::Json(schema);
            self.definition.is_output_advisory = true;
        }
        self
    }

    /// Names variables whose values may be sent instead of those that its request names.
    pub(crate) fn with_alternatives(mut self, names: &[String]) -> Self {
        if let Implementation::Http(http) = &mut self.implementation {
            names.clone_into(&mut http.alternatives);
        }
        self
    }

    /// Returns the same tool in a private copy of its package, whose file is `text`.
    pub(crate) fn copied(
        &self,
        text: Text,
        boundary: Boundary,
        sandbox: Option<Sandbox>,
    ) -> Result<Self, ToolError> {
        let mut copy = Self::parse(text)?.from(Arc::clone(&self.definition.provenance));
        if let Some(index) = self.lists_values {
            copy = copy.lister(index)?;
        }
        copy.definition.boundary = Some(Box::new(boundary));
        copy.definition.sandbox = sandbox;
        Ok(copy)
    }

    /// The implementation of its calls. Only [`Approved`](crate::approval::Approved) calls it.
    pub(crate) const fn implementation(&self) -> &Implementation {
        &self.implementation
    }

    /// Returns more about it, if another program has declared it.
    pub(crate) fn provided(&self) -> Option<&dyn Provided> {
        match &self.implementation {
            Implementation::Foreign(foreign) => foreign.provided(),
            _ => None,
        }
    }

    /// Returns the cost of its declaration, without its uses.
    pub fn cost(&self) -> Cost {
        Cost {
            tokens: self.tokens(),
            is_pinned: self.provided().is_some_and(Provided::is_pinned),
            uses: 0,
        }
    }

    /// Returns true if the configuration of its source says that each call of it needs an answer of
    /// the user.
    pub fn asks(&self) -> bool {
        self.provided().is_some_and(Provided::asks)
    }

    /// Checks what a call would find only later or never: examples and defaults that
    /// do not match the schema, and templates that do not compile.
    ///
    /// # Errors
    ///
    /// All mistakes.
    pub fn check(&self) -> Result<(), ToolError> {
        let mut diagnostics = self.check_examples();
        if self.schema.has_default()
            && let Ok(document) = yaml::parse(&self.text)
        {
            let locator = Locator {
                text: &self.text,
                numbered: None,
            };
            let defaults = accept::check_defaults(&self.definition, &document, &locator);
            diagnostics.extend(defaults);
        }
        diagnostics.extend(self.check_implementation());
        if diagnostics.is_empty() {
            Ok(())
        } else {
            Err(ToolError::Invalid(Diagnostic::truncate(diagnostics)))
        }
    }

    /// Returns true if its file says which program or script a call starts.
    pub const fn is_program(&self) -> bool {
        self.implementation.is_program()
    }

    /// Returns why every call would fail: a template does not compile or is missing.
    pub fn check_implementation(&self) -> Option<Diagnostic> {
        let checked = self.implementation.check(&self.text);
        checked.err().map(|diagnostic| *diagnostic)
    }

    /// Returns true if it is an agent.
    pub const fn is_agent(&self) -> bool {
        matches!(self.implementation, Implementation::Agent(_))
    }

    /// The names and patterns of the tools that it may call, if it is an agent.
    pub fn agent_tools(&self) -> &[String] {
        match &self.implementation {
            Implementation::Agent(agent) => agent.tools(),
            _ => &[],
        }
    }

    /// Returns true if it asks a model itself: an agent, or a flow with one.
    pub fn asks_a_model(&self) -> bool {
        self.is_agent() || self.flow().is_some_and(Flow::asks_a_model)
    }

    /// The nodes, if it is a flow.
    pub const fn flow(&self) -> Option<&Flow> {
        match &self.implementation {
            Implementation::Flow(flow) => Some(flow),
            _ => None,
        }
    }

    /// Describes its request in one line, if it makes requests itself: the method, the hosts and the
    /// variables with credentials.
    pub fn request(&self) -> Option<String> {
        match &self.implementation {
            Implementation::Http(http) => Some(http.summary()),
            _ => None,
        }
    }

    /// The code of its implementation, if that is JavaScript.
    pub fn js(&self) -> Option<JsSource> {
        match &self.implementation {
            Implementation::Js(js) => Some(js.source_in(&self.text)),
            _ => None,
        }
    }

    /// Returns the same tool with other `code`, whose result may be anything, to observe its own; if
    /// it is JavaScript.
    pub fn with_js(&self, code: &str) -> Option<Self> {
        let tool = Self::parse(self.text.clone()).ok()?;
        let mut tool = tool.from(Arc::clone(&self.provenance));
        let Implementation::Js(js) = &mut tool.implementation else {
            return None;
        };
        *js = js.with_source(code.to_owned());
        tool.definition.output = Output::default();
        Some(tool)
    }

    /// Returns true if its result is the output of a template. An argument that no template reads
    /// is useless then.
    pub const fn is_template(&self) -> bool {
        matches!(
            self.implementation,
            Implementation::Template(..) | Implementation::TemplateFile(_)
        )
    }

    /// Returns the template that `include "name"` loads from this tool, if it exists.
    pub fn partial(&self, name: &str) -> Option<TemplateSource> {
        TemplateSource::partial(name, &self.text)
    }

    /// Returns its templates, and then those that they load, as far as they exist.
    pub fn loaded_templates(&self) -> impl Iterator<Item = LoadedTemplate> {
        let own = self.templates().into_iter();
        let mut waiting: VecDeque<_> = own.map(|source| (source, true)).collect();
        let mut seen = BTreeSet::new();
        iter::from_fn(move || {
            let (source, is_own) = waiting.pop_front()?;
            let analysis = njk::analyse(source.source());
            for name in analysis.iter().flat_map(|found| &found.templates) {
                let name = njk::resolve(source.name(), name);
                let name = name.filter(|name| seen.insert(name.clone()));
                let loaded = name.and_then(|name| self.partial(&name));
                let reads_response = source.reads_response;
                waiting.extend(loaded.map(|loaded| {
                    let loaded = TemplateSource {
                        reads_response,
                        ..loaded
                    };
                    (loaded, false)
                }));
            }
            Some(LoadedTemplate {
                source,
                analysis,
                is_own,
            })
        })
    }

    /// Returns the place where its implementation begins in its file.
    pub fn implementation_location(&self) -> Option<Location> {
        Some(self.text.location(self.implementation_span?))
    }

    /// Adds to `diagnostic` where the tool's file has the value at `pointer` in its
    /// schema. A tool without a file has the pointer only.
    pub(crate) fn locate_in_schema(&self, diagnostic: Diagnostic, pointer: &str) -> Diagnostic {
        let document = self.implementation_span.and(yaml::parse(&self.text).ok());
        let Some(document) = document else {
            let diagnostic = diagnostic.with_subject(self.name.as_str());
            return diagnostic.with_pointer(pointer);
        };
        let (_, span) = accept::find(&document, pointer);
        diagnostic.at(self.text.location(span))
    }
}
