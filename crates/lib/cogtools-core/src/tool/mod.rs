//! A tool: its definition and the handler of its calls.
//!
//! A tool file is parsed in two steps, document and tool, so that a [`Tool`] is always valid.

mod accept;
mod agent;
mod annotations;
pub(crate) mod capability;
mod command_line;
mod compiled;
mod copied;
mod coverage;
mod definition;
mod embedded;
mod error;
mod example;
mod examples;
pub(crate) mod extras;
mod flow;
mod handler;
mod implementation;
mod js_source;
mod json_document;
mod key;
mod locator;
mod output;
mod parse;
mod provenance;
mod reader;
mod template;
mod tool_output;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub use accept::{AcceptError, Accepted};
pub use agent::{AgentBudget, AgentTask};
pub use annotations::Annotations;
pub use command_line::{CommandLine, Word};
pub use coverage::{Branch, Coverage, OptionalProperty};
pub use definition::Definition;
pub use error::{DefinitionError, ToolError};
pub use example::Example;
pub use flow::{
    Flow, FlowAction, FlowArgument, FlowCall, FlowCallShape, FlowError, FlowItems, FlowNeed,
    FlowNode, FlowQuestion, FlowRetry, FlowRoute, FlowTarget, FlowTask, FlowTemplate,
};
pub use handler::{Handler, Invocation, Remote, RunError};
pub use implementation::Kind;
pub(crate) use implementation::{CommandCall, cut_notice};
pub use js_source::JsSource;
pub(crate) use json_document::JsonDocument;
pub use key::Key;
use locator::Locator;
pub use output::Output;
pub use provenance::{Author, Provenance};
pub use template::TemplateSource;
pub use tool_output::ToolOutput;

use self::compiled::Validators;
use crate::containment::Boundary;
use crate::file::ReadScope;
use crate::sandbox::Sandbox;
use crate::schema::Schema;
use crate::text::Text;
use crate::yaml;
use crate::{Context, Diagnostic, Name};

/// A valid tool.
#[derive(Debug)]
pub struct Tool {
    definition: Definition,
    handler: Arc<dyn Handler>,
    provenance: Arc<Provenance>,
    text: Text,
    /// What it may run, if it is a package's.
    boundary: Option<Box<Boundary>>,
    validators: Validators,
}

impl Tool {
    /// The URN a tool file may name as its `$schema`.
    pub const SCHEMA: &'static str = "schema:agladysh-research.org,2025/cogtools:tool";
    /// How long a tool may run unless it sets a `timeout`.
    pub const TIMEOUT: Duration = Duration::from_mins(1);

    /// Reads the tool file at `path` in `scope`, which messages call `display_path`. The
    /// tool's name must be the file's stem.
    pub fn load(path: &Path, display_path: &Path, scope: &ReadScope) -> Result<Self, ToolError> {
        let _step = tracing::debug_span!("load tool", file = ?display_path).entered();
        let text = Text::read(path, display_path, scope).map_err(ToolError::Text)?;
        let tool = Self::parse(text).map_err(|error| error.concealed(scope))?;
        let stem = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        if tool.name().as_str() == stem {
            return Ok(tool);
        }
        Err(parse::name_mismatch(tool.name(), stem, &tool.text).concealed(scope))
    }

    /// Parses the text of a tool file.
    pub fn parse(text: Text) -> Result<Self, ToolError> {
        parse::tool(text)
    }

    /// A tool without a file, with this `definition` and `handler`, which messages call
    /// `display_path`.
    pub(crate) fn new(
        definition: Definition,
        handler: Arc<dyn Handler>,
        display_path: &Path,
    ) -> Self {
        Self {
            definition,
            handler,
            provenance: Arc::default(),
            text: Text::empty(display_path),
            boundary: None,
            validators: Validators::default(),
        }
    }

    /// Its definition.
    pub const fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The handler of its calls. Only [`Approved`](crate::approval::Approved) calls it.
    pub(crate) fn handler(&self) -> &dyn Handler {
        &*self.handler
    }

    /// The name.
    pub const fn name(&self) -> &Name {
        &self.definition.name
    }

    /// Its file, as messages show it.
    pub fn file(&self) -> &Path {
        self.text.display_path()
    }

    /// The title for people, if it has one.
    pub fn title(&self) -> Option<&str> {
        self.definition.title.as_deref()
    }

    /// The description for the model.
    pub fn description(&self) -> &str {
        &self.definition.description
    }

    /// The schema of its arguments.
    pub const fn schema(&self) -> &Schema {
        &self.definition.schema
    }

    /// Hints on its behaviour.
    pub const fn annotations(&self) -> &Annotations {
        &self.definition.annotations
    }

    /// The capabilities it provides, as `provider.operation`: the declared ones, or
    /// one derived from its toolset and name.
    pub fn capabilities(&self) -> Vec<String> {
        match (
            &self.provenance.toolset,
            self.definition.capabilities.as_slice(),
        ) {
            (Some(toolset), []) => vec![capability::default_for(toolset, self.name().as_str())],
            (_, declared) => declared.to_vec(),
        }
    }

    /// Where it comes from.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// What a lock pins of it, if another program declared it.
    pub(crate) fn remote(&self) -> Option<Remote> {
        self.handler.remote()
    }

    /// The command line of a call, as far as it is known before: none for a template.
    pub fn command_line(&self) -> Option<CommandLine> {
        self.handler.command_line(&self.text)
    }

    /// Sets where the tool comes from.
    pub(crate) fn from(mut self, provenance: Arc<Provenance>) -> Self {
        self.provenance = provenance;
        self
    }

    /// The environment variables it may see.
    pub fn env(&self) -> &[String] {
        &self.definition.env
    }

    /// How long it may run.
    pub const fn timeout(&self) -> Duration {
        self.definition.timeout
    }

    /// What its program may reach, if its file says so.
    pub const fn sandbox(&self) -> Option<&Sandbox> {
        self.definition.sandbox.as_ref()
    }

    /// The declared type of its result.
    pub const fn output(&self) -> &Output {
        &self.definition.output
    }

    /// The schema of its result, if it declares one.
    pub const fn output_schema(&self) -> Option<&Schema> {
        self.definition.output.schema()
    }

    /// The text of its file.
    pub const fn text(&self) -> &Text {
        &self.text
    }

    /// Checks what a call would find only later or never: examples and defaults that
    /// do not match the schema, and templates that do not compile.
    pub fn check(&self) -> Result<(), ToolError> {
        let mut diagnostics = self.check_examples();
        if let Ok(document) = yaml::parse(&self.text) {
            let locator = Locator::of_file(&self.text);
            diagnostics.extend(examples::check_defaults(
                &self.definition,
                &document,
                &locator,
            ));
        }
        diagnostics.extend(self.check_implementation());
        if diagnostics.is_empty() {
            Ok(())
        } else {
            Err(ToolError::Invalid(Diagnostic::truncate(diagnostics)))
        }
    }

    /// Its content.
    pub fn source(&self) -> &str {
        self.text.as_str()
    }

    /// Why every call would fail: a template does not compile or is missing.
    pub fn check_implementation(&self) -> Option<Diagnostic> {
        let checked = self.handler.check(&self.text);
        checked.err().map(|diagnostic| *diagnostic)
    }

    /// Why every call in `cx` would fail to start its program.
    pub fn check_program(&self, cx: &Context) -> Option<Diagnostic> {
        let checked = self.handler.check_program(self, cx);
        checked.err().map(|diagnostic| *diagnostic)
    }

    /// Whether a call runs programs, which have the rights of the user.
    pub fn runs_programs(&self) -> bool {
        self.handler.runs_programs()
    }

    /// Whether a call uses its context: templates need none.
    pub fn needs_context(&self) -> bool {
        self.handler.needs_context()
    }

    /// Whether a call starts a process, which ends when the time is over.
    pub fn starts_process(&self) -> bool {
        self.handler.starts_process()
    }

    /// The code of its implementation, if that is JavaScript.
    pub fn js(&self) -> Option<JsSource> {
        self.handler.js(&self.text)
    }

    /// What a call starts, if its file says so.
    pub fn invocation(&self) -> Option<Invocation<'_>> {
        self.handler.invocation()
    }

    /// Whether its result is the output of a template.
    pub fn is_template(&self) -> bool {
        self.handler.is_template()
    }
}
