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

    /// Returns true if a call starts a process, such as a program of cogtools.
    fn starts_process(&self) -> bool {
        self.runs_programs()
    }

    /// Returns the part that a lock pins, of a tool that another program declared.
    fn remote(&self) -> Option<Remote> {
        None
    }

    /// The files that its program names and that are data, which no lock pins. They have no links.
    fn data(&self, _cx: &Context) -> BTreeSet<PathBuf> {
        BTreeSet::new()
    }

    /// Returns the digest of all that the approval of a plugin covers, which a lock pins.
    fn plugin(&self, _cx: &Context) -> Option<Result<Hash, DigestError>> {
        None
    }

    /// Returns true if it is declared whatever a budget says.
    fn is_pinned(&self) -> bool {
        false
    }

    /// Returns true if each call of it needs an answer of the user.
    fn asks(&self) -> bool {
        false
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
