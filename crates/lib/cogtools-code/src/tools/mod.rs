//! The tools that a model has instead of all others: it searches tools, reads their types, and runs
//! one program that calls them.

use std::fmt::Write as _;
use std::time::Duration;

use cogtools_core::arguments::Arguments;
use cogtools_core::text::Text;
use cogtools_core::tool::{Accepted, ToolError};
use cogtools_core::{Code, Diagnostic, Tool, ToolOutput, estimate_tokens};
use serde_json::{Map, Value, json};

use crate::{Program, Scope};

/// The declarations of the three tools.
const TOOLS: [&str; 3] = [
    include_str!("search_tools.yaml"),
    include_str!("describe_tools.yaml"),
    include_str!("run_code.yaml"),
];
/// The types that answer a search have at most this many tokens.
const SEARCH_BUDGET: usize = 2_000;

/// `search_tools`, `describe_tools` and `run_code`.
pub struct CodeTools(Vec<Tool>);

impl CodeTools {
    /// The types of tools up to this size, in tokens, are part of the description of `run_code`. Of
    /// more, those that fit a task are sent with it, up to the same size.
    pub const BUDGET: usize = 4_000;
    /// The name of the tool that runs programs. No program can call it.
    pub const RUN: &str = "run_code";
    /// The name of the tool that finds tools.
    pub const SEARCH: &str = "search_tools";
    /// The name of the tool that prints types.
    pub const DESCRIBE: &str = "describe_tools";
    /// The names of all three. No program can call them.
    pub const NAMES: [&str; 3] = [Self::RUN, Self::SEARCH, Self::DESCRIBE];

    /// Reads their declarations.
    ///
    /// # Errors
    /// One is not valid, which would be a bug.
    pub fn new() -> Result<Self, Vec<Diagnostic>> {
        let load = |text: &&str| {
            let text = Text::new("code.yaml", text.as_bytes().to_vec()).map_err(ToolError::Text)?;
            Tool::parse(text)
        };
        let tools = TOOLS.iter().map(load).collect::<Result<_, ToolError>>();
        tools.map(Self).map_err(ToolError::diagnostics)
    }

    /// The three tools.
    pub fn all(&self) -> &[Tool] {
        &self.0
    }

    /// The text at the end of the description of `run_code`: the types of all tools of `scope`, if
    /// they are short. Otherwise a model needs the other two tools.
    pub fn end_of_description(scope: &Scope) -> (String, bool) {
        let (types, _) = scope.describe(&scope.names);
        if estimate_tokens(&types) <= Self::BUDGET {
            return (format!("\n\n{types}"), true);
        }
        let count = scope.names.len();
        let end = format!(
            "\n\nThere are {count} tools: `search_tools` finds them, with the types of the best, and \
             `describe_tools` prints the types of others."
        );
        (end, false)
    }

    /// Checks the arguments of the tool `name`, and fills in defaults.
    ///
    /// # Errors
    /// There is no such tool, or the arguments do not fit.
    pub fn accept(
        &self,
        name: &str,
        arguments: Arguments,
    ) -> Result<Map<String, Value>, Vec<Diagnostic>> {
        let Some(tool) = self.0.iter().find(|tool| tool.name().as_str() == name) else {
            let diagnostic = Diagnostic::new(Code::ToolNotFound, "there is no tool of that name");
            let hint = "`run_code` calls it, as `tools.NAME(args)`";
            return Err(vec![diagnostic.with_subject(name).hint(hint)]);
        };
        let accepted = tool.accept(arguments).map(Accepted::into_object);
        accepted.map_err(|error| error.diagnostics(tool))
    }
}

/// The arguments of `run_code`.
pub struct Run {
    /// The program.
    pub source: Source,
    /// The value of `args`.
    pub args: Map<String, Value>,
    /// The time that it may take.
    pub timeout: Duration,
}

/// The program that `run_code` runs.
pub enum Source {
    /// A new one.
    Code(String),
    /// The name of one of the session.
    Resume(String),
}

/// Answers a call of `search_tools`, whose arguments were accepted.
pub fn search(arguments: &Map<String, Value>, scope: &Scope) -> ToolOutput {
    let query = arguments.get("query").and_then(Value::as_str);
    let limit = arguments.get("limit").and_then(Value::as_u64);
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    let mut found = scope.find_all(query.unwrap_or_default());
    let total = found.len();
    found.truncate(limit.unwrap_or_default());
    let (types, others) = scope.describe_best(&found, SEARCH_BUDGET);
    let mut text = types.clone();
    text.extend(others.into_iter().map(|tool| line(tool)));
    if text.is_empty() {
        text += "no tool fits\n";
    }
    let tools: Vec<Value> = found.iter().map(|tool| summary(tool)).collect();
    ToolOutput {
        value: Some(json!({"tools": tools, "total": total, "types": types})),
        ..ToolOutput::new(text)
    }
}

/// The name and the description of a tool.
pub(crate) fn summary(tool: &Tool) -> Value {
    json!({"name": tool.name().as_str(), "description": &tool.description})
}

/// A line with the name of a tool and the first line of its description.
pub fn line(tool: &Tool) -> String {
    let first = tool.description.lines().next().unwrap_or_default();
    format!("{}: {first}\n", tool.name())
}

/// Answers a call of `describe_tools`, whose arguments were accepted.
pub fn describe(arguments: &Map<String, Value>, scope: &Scope) -> ToolOutput {
    let names = arguments.get("names").and_then(Value::as_array);
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    let names: Vec<String> = names.map(str::to_owned).collect();
    let (types, missing) = scope.describe(&names);
    let mut text = types.clone();
    let missing: Vec<Value> = missing
        .into_iter()
        .map(|name| {
            let nearest = scope.nearest(name).into_iter().next();
            let end = nearest.map(|name| format!("; the nearest is {name}"));
            let end = end.unwrap_or_default();
            let _ = writeln!(text, "// there is no tool {name}{end}");
            json!({"name": name, "nearest": nearest})
        })
        .collect();
    ToolOutput {
        value: Some(json!({"types": types, "missing": missing})),
        ..ToolOutput::new(text)
    }
}

impl Run {
    /// Reads the arguments of `run_code`, which were accepted.
    ///
    /// # Errors
    /// There is not exactly one of code and program.
    pub fn new(mut arguments: Map<String, Value>) -> Result<Self, Vec<Diagnostic>> {
        let mut text = |name: &str| match arguments.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let source = match (text("code"), text("resume")) {
            (Some(code), None) => Source::Code(code),
            (None, Some(name)) => Source::Resume(name),
            _ => {
                let message = "pass either `code` or `resume`";
                let diagnostic = Diagnostic::new(Code::SchemaViolation, message);
                return Err(vec![diagnostic.with_subject("run_code")]);
            }
        };
        let timeout = arguments.get("timeoutMs").and_then(Value::as_u64);
        Ok(Self {
            source,
            args: match arguments.remove("args") {
                Some(Value::Object(args)) => args,
                _ => Map::new(),
            },
            timeout: timeout.map_or(Program::TIMEOUT, Duration::from_millis),
        })
    }
}
