//! A call of a tool: the program it starts, and its output.

use std::fmt::{self, Debug};

use serde_json::{Map, Value};

use super::Definition;
use crate::trust::Grant;
use crate::{Context, Diagnostic};

/// Why a call with accepted arguments failed.
pub type RunError = Box<Diagnostic>;

/// The result of a call and its side output.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    /// The result, ready for standard output.
    pub text: String,
    /// The result as a value, for a tool with `output: {type: json}` or an MCP server
    /// that returns structured content.
    pub value: Option<Value>,
    /// The result as MCP content blocks, for a tool of an MCP server.
    pub content: Vec<Value>,
    /// Metadata that an MCP server has added to the result for clients.
    pub meta: Map<String, Value>,
    /// The number of bytes of the program's output that were truncated. If any, the last line of
    /// the result says so.
    pub truncated_bytes: u64,
    /// The program's standard error.
    pub stderr: String,
}

/// The command line of a call, as far as it is known before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// The text of a script.
    pub script: Option<String>,
}

/// An element of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// Text that is the same in every call.
    Literal(String),
    /// A template that reads arguments of the call.
    Template(String),
}

/// The program or script that a call starts, as it is written in the tool file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invocation<'h> {
    /// A program and its arguments, each a template over the arguments of the call.
    Command(Vec<&'h str>),
    /// A script that begins with `#!`.
    Script(&'h str),
}

/// A tool of another program, as a lock pins it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remote {
    /// The command lines, addresses and variables of the program.
    pub(crate) lines: Vec<Vec<String>>,
    /// The declaration as the program gives it.
    pub(crate) declaration: Value,
}

/// The calls of a tool that has no file.
pub(crate) trait Foreign: Debug + Send + Sync {
    /// Runs a call of `tool` with accepted `arguments`.
    fn call(
        &self,
        tool: &Definition,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError>;

    /// Returns true if a call runs programs. If not, nothing needs approval.
    fn runs_programs(&self) -> bool;

    /// Returns the part that a lock pins, of a tool that another program declared.
    fn remote(&self) -> Option<Remote> {
        None
    }

    /// Returns the approval that a call requires, of a tool that another author's program
    /// declared.
    fn grant(&self, _cx: &Context) -> Option<Grant> {
        None
    }
}

impl ToolOutput {
    /// Makes an output with only the result `text`.
    pub fn new(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}

impl fmt::Display for CommandLine {
    /// Writes the words as they are in the file, and the text of a script.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Word::Literal(text) | Word::Template(text)) in self.words.iter().enumerate() {
            let space = if index > 0 { " " } else { "" };
            write!(f, "{space}{text}")?;
        }
        let mut script = self.script.iter();
        script.try_for_each(|script| write!(f, "\n{script}"))
    }
}

impl CommandLine {
    /// Returns the elements that are the same in every call.
    pub fn literals(&self) -> Vec<String> {
        let literals = self.words.iter().filter_map(|word| match word {
            Word::Literal(text) => Some(text.clone()),
            Word::Template(_) => None,
        });
        literals.collect()
    }
}
