//! A call of a tool: the program it starts, and its output.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{self, Debug};
use std::ops::Range;
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::Definition;
use crate::digest::{DigestError, Hash};
use crate::trust::Grant;
use crate::{Code, Context, Diagnostic, Hint};

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

/// A call of a tool with accepted arguments.
pub(crate) struct ToolCall<'c> {
    pub(crate) tool: &'c Definition,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) cx: &'c Context,
}

/// The program that a call starts, as far as it is known before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// The words that a call repeats or leaves out, with the text that says so, such as
    /// `for label in labels`.
    pub conditions: Vec<(Range<usize>, String)>,
    /// The text of a script.
    pub script: Option<String>,
    /// The text on standard input, if it is not the arguments as JSON.
    pub stdin: Option<Word>,
    /// True if the program runs in the folder of its tool file.
    pub is_in_folder: bool,
}

/// An element of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The text in the tool file.
    pub source: String,
    /// The argument, if it is the same in every call.
    pub literal: Option<String>,
}

/// The calls of a tool that has no file.
pub(crate) trait Foreign: Debug + Send + Sync {
    /// Runs a call of its tool.
    fn call(&self, call: ToolCall<'_>) -> Result<ToolOutput, RunError>;

    /// Returns true if a call runs programs. If not, nothing needs approval.
    fn runs_programs(&self) -> bool;

    /// Returns true if a call starts a process, such as a program of cogtools.
    fn starts_process(&self) -> bool {
        self.runs_programs()
    }

    /// Returns more about a tool that another program has declared.
    fn provided(&self) -> Option<&dyn Provided> {
        None
    }
}

/// A tool that another author's program has declared.
pub(crate) trait Provided {
    /// Returns the command lines, addresses and variables of the program, which a lock pins.
    fn lines(&self) -> Vec<Vec<String>>;

    /// Returns the declaration as the program gives it, which a lock pins.
    fn declaration(&self) -> &Value;

    /// The files that its program names and that are data, which no lock pins. They have no links.
    fn data(&self, cx: &Context) -> BTreeSet<PathBuf>;

    /// Returns the digest of all that the approval of its plugin covers, if it is of one.
    fn plugin(&self, cx: &Context) -> Option<Result<Hash, DigestError>>;

    /// Returns true if it is declared whatever a budget says.
    fn is_pinned(&self) -> bool;

    /// Returns true if each call of it needs an answer of the user.
    fn asks(&self) -> bool;

    /// Returns the approval that a call requires.
    fn grant(&self, cx: &Context) -> Grant;
}

impl ToolCall<'_> {
    /// Returns the name of the tool.
    pub(crate) fn name(&self) -> &str {
        self.tool.name.as_str()
    }

    /// Returns the argument `key`, if it is text.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.arguments.get(key).and_then(Value::as_str)
    }

    /// Returns the argument `key`, a number from 1.
    pub(crate) fn number(&self, key: &str) -> usize {
        let number = self.arguments.get(key).and_then(Value::as_u64);
        usize::try_from(number.unwrap_or(1)).unwrap_or(usize::MAX)
    }

    /// Makes `diagnostic` the failure of the call.
    pub(crate) fn failed(&self, diagnostic: Diagnostic) -> RunError {
        Box::new(diagnostic.with_subject(self.name()))
    }

    /// Makes the failure of the call with this `message`.
    pub(crate) fn failure(&self, message: impl Into<String>) -> RunError {
        self.failed(Diagnostic::new(Code::ToolFailed, message))
    }

    /// Makes the failure of the call with this `message`, and the advice for it.
    pub(crate) fn failure_with(
        &self,
        message: impl Into<String>,
        hint: impl Into<Hint>,
    ) -> RunError {
        self.failed(Diagnostic::new(Code::ToolFailed, message).hint(hint))
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
    /// Writes the words as they are in the file, the text of a script and the surroundings.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.join(Cow::Borrowed))?;
        if self.is_in_folder {
            f.write_str("\nin the folder of its tool file")?;
        }
        if let Some(stdin) = &self.stdin {
            write!(f, "\nstandard input: {}", stdin.source)?;
        }
        let mut script = self.script.iter();
        script.try_for_each(|script| write!(f, "\n{script}"))
    }
}

impl Word {
    /// Makes a word that is the same in every call.
    pub(super) fn literal(text: String) -> Self {
        Self {
            source: text.clone(),
            literal: Some(text),
        }
    }
}

impl CommandLine {
    /// Returns the elements that are the same in every call.
    pub fn literals(&self) -> Vec<String> {
        let literals = self.words.iter().filter_map(|word| word.literal.clone());
        literals.collect()
    }

    /// Joins the words, each as `quote` returns it. Words that a call repeats or leaves out stand
    /// in brackets, after the text that says so.
    pub fn join<'w>(&'w self, quote: impl Fn(&'w str) -> Cow<'w, str>) -> String {
        let mut text = String::new();
        for (index, word) in self.words.iter().enumerate() {
            if index > 0 {
                text.push(' ');
            }
            let is_first = |(range, _): &&(Range<usize>, String)| range.start == index;
            if let Some((_, condition)) = self.conditions.iter().find(is_first) {
                text.extend(["[", condition, ": "]);
            }
            text.push_str(&quote(&word.source));
            if self
                .conditions
                .iter()
                .any(|(range, _)| range.end == index + 1)
            {
                text.push(']');
            }
        }
        text
    }
}
