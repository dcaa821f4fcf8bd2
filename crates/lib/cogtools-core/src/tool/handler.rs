//! The handler of a tool's calls.
//!
//! A tool file has one kind of implementation, a provider's tool calls its program,
//! and the built-in tools search. The rest of a tool is the same for all of them.

use std::fmt::Debug;

use serde_json::{Map, Value};

use super::template::TemplateSource;
use super::{AgentTask, CommandLine, Flow, JsSource, Tool, ToolOutput};
use crate::text::Text;
use crate::trust::Grant;
use crate::{Context, Diagnostic};

/// Why a call with accepted arguments failed.
pub type RunError = Box<Diagnostic>;

/// What a call starts, as it is written in the tool file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invocation<'h> {
    /// A program and its arguments, each a template over the arguments of the call.
    Command(Vec<&'h str>),
    /// A script that begins with `#!`.
    Script(&'h str),
}

/// A tool of another program, as a lock pins it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// The command lines, addresses and variables of the program.
    pub lines: Vec<Vec<String>>,
    /// The declaration as the program gives it.
    pub declaration: Value,
}

/// The handler of a tool's calls. Only [`Approved`](crate::approval::Approved) calls
/// it.
pub trait Handler: Debug + Send + Sync {
    /// Runs a call of `tool` with accepted `arguments`.
    fn call(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError>;

    /// The template that is the whole of every call, limited so that it ends within a
    /// millisecond or fails, if there is one, arguments are validated as fast, and an earlier call
    /// has compiled it.
    fn brief_template(&self, _tool: &Tool) -> Option<&njk::Template> {
        None
    }

    /// Whether a call runs programs. If not, the result depends only on the arguments
    /// and the tool's folder, and nothing needs approval.
    fn runs_programs(&self) -> bool;

    /// Whether a call uses its context. What runs programs always does.
    fn needs_context(&self) -> bool {
        self.runs_programs()
    }

    /// Whether a call starts a process. It then ends that itself when the time is over.
    fn starts_process(&self) -> bool {
        self.runs_programs()
    }

    /// The command line of a call, as far as it is known before.
    fn command_line(&self, _text: &Text) -> Option<CommandLine> {
        None
    }

    /// Whether the tool is an agent, which asks a model.
    fn is_agent(&self) -> bool {
        false
    }

    /// The call of an agent with `arguments`, if the tool is one.
    fn agent(
        &self,
        _tool: &Tool,
        _arguments: &Map<String, Value>,
    ) -> Option<Result<AgentTask, RunError>> {
        None
    }

    /// The result of a call as a value: text, unless it is something else by itself.
    fn value(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<Value, RunError> {
        self.call(tool, arguments, cx)
            .map(|output| output.value.unwrap_or(Value::String(output.text)))
    }

    /// The nodes, if the tool is a flow.
    fn flow(&self) -> Option<&Flow> {
        None
    }

    /// What a call starts, if the tool file says so.
    fn invocation(&self) -> Option<Invocation<'_>> {
        None
    }

    /// What a lock pins of a tool that another program declared.
    fn remote(&self) -> Option<Remote> {
        None
    }

    /// The approval that a call requires when another author's program declared the
    /// tool.
    fn grant(&self, _cx: &Context) -> Option<Grant> {
        None
    }

    /// Why every call of a tool whose file is `text` would fail.
    fn check(&self, _text: &Text) -> Result<(), Box<Diagnostic>> {
        Ok(())
    }

    /// Why the program of every call of `tool` cannot be started, as far as it is known before.
    fn check_program(&self, _tool: &Tool, _cx: &Context) -> Result<(), RunError> {
        Ok(())
    }

    /// The code in JavaScript, for a tool whose file is `text`.
    fn js(&self, _text: &Text) -> Option<JsSource> {
        None
    }

    /// The templates, for a tool whose file is `text`.
    fn templates(&self, _text: &Text) -> Vec<TemplateSource> {
        Vec::new()
    }

    /// Whether the result is the output of a template. An argument that no template
    /// reads is useless then.
    fn is_template(&self) -> bool {
        false
    }
}
