//! The tools with which an agent writes a tool: they check a tool file, write it and run its
//! examples. The linter and the tests are programs of their own, as people run them.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::file::{self, WritePath};
use crate::source::builtin::{BuiltIn, READ_ONLY, files};
use crate::text::Text;
use crate::tool::{Annotations, OwnProgram, RunError, ToolCall, ToolError, ToolOutput};
use crate::{Code, Diagnostic, Tool};

/// The longest report, in bytes.
const MAX_REPORT: usize = 128 << 10;
/// The hints of a tool that changes files of the project, or runs other tools.
const CHANGES: Annotations = Annotations {
    read_only: Some(false),
    destructive: Some(true),
    ..READ_ONLY
};

/// The parameter with the tool file.
const PATH: &str = "\
path:
  type: string
  description: The path of the tool file in the project, such as tools/forecast.yaml; the tool has
    the name of the file
";

/// Checks a tool file.
pub(super) const LINT_TOOL: BuiltIn = BuiltIn {
    name: "lint_tool",
    title: "Check a tool file",
    description: "Checks a tool file of cogtools and returns its mistakes, each with its line and \
                  what to do. Use it before and after you write one.",
    parameters: &[
        PATH,
        "\
text:
  type: string
  description: The text to check in place of the file, which need not exist
  optional: true
",
    ],
    annotations: READ_ONLY,
    run: lint,
};
/// Writes a tool file.
pub(super) const WRITE_TOOL: BuiltIn = BuiltIn {
    name: "write_tool",
    title: "Write a tool file",
    description: "Writes a tool file of cogtools, once the user agrees, and returns what \
                  lint_tool finds in it. It is YAML: name, description, parameters (NAME: {type, \
                  description}), examples (a list of arguments), and implementation: a Nunjucks \
                  template over the parameters, {js: the body of a function of args}, or {exec: \
                  [program, argument]}.",
    parameters: &[
        PATH,
        "\
text: {type: string, description: The whole text of the file}
",
    ],
    annotations: CHANGES,
    run: write,
};
/// Runs the examples of a tool.
pub(super) const TEST_TOOL: BuiltIn = BuiltIn {
    name: "test_tool",
    title: "Test a tool",
    description: "Runs the examples of a tool of this project, once the user agrees, and compares \
                  each result with its golden file.",
    parameters: &[
        PATH,
        "\
update:
  type: boolean
  description: 'True to accept the results: they are written to the golden files'
  default: false
",
    ],
    annotations: CHANGES,
    run: test,
};

fn lint(call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
    let path = tool_path(call)?;
    let Some(text) = call.text("text") else {
        files::read(call, path)?;
        return report(call, &["lint", "--", path], Vec::new());
    };
    let args = ["lint", "--stdin-filename", path, "-"];
    report(call, &args, text.as_bytes().to_vec())
}

fn write(call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
    let path = tool_path(call)?;
    let full = files::full_path(call, path)?;
    let text = call.text("text").unwrap_or_default();
    if full.exists() {
        let old = files::read(call, path)?;
        parse(path, &old).map_err(|_| {
            let message = format!("`{path}` is not a tool file and is not replaced");
            call.failure_with(message, "choose another name")
        })?;
    }
    let parsed = parse(path, text).map_err(ToolError::diagnostics);
    parsed.map_err(|found| Diagnostic {
        code: Code::ToolFailed,
        ..*Diagnostic::merge(found)
    })?;
    let target = WritePath::in_project(&call.cx.root, Path::new(path));
    let written = file::write(&target, text.as_bytes());
    written.map_err(|error| {
        let message = format!("`{path}` cannot be written: {error}");
        call.failed(Diagnostic::new(Code::IoFailed, message))
    })?;
    let found = report(call, &["lint", "--", path], Vec::new())?;
    Ok(ToolOutput::new(format!("wrote {path}\n{}", found.text)))
}

fn test(call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
    let path = tool_path(call)?;
    files::read(call, path)?;
    let update = call.arguments.get("update") == Some(&Value::Bool(true));
    let options: &[&str] = if update { &["--update"] } else { &[] };
    let args = [&["test"], options, &["--", path]].concat();
    report(call, &args, Vec::new())
}

/// The argument `path`, if a tool file of the project can have it.
fn tool_path<'r>(call: &'r ToolCall<'_>) -> Result<&'r str, RunError> {
    let path = call.text("path").unwrap_or_default();
    files::full_path(call, path)?;
    if Path::new(path).extension() == Some(OsStr::new("yaml")) && !path.starts_with('-') {
        return Ok(path);
    }
    let message = format!("`{path}` is not the path of a tool file");
    Err(call.failure_with(message, "name it as in `tools/forecast.yaml`"))
}

/// Parses the tool file `path`, whose name the tool has.
fn parse(path: &str, text: &str) -> Result<(), ToolError> {
    let stem = Path::new(path).file_stem().and_then(OsStr::to_str);
    let text = Text::new(path, text.as_bytes().to_vec()).map_err(ToolError::Text)?;
    Tool::parse_as(text, stem.unwrap_or_default()).map(drop)
}

/// Runs a program of cogtools and returns its report. Mistakes that it found are no failure.
fn report(call: &ToolCall<'_>, args: &[&str], input: Vec<u8>) -> Result<ToolOutput, RunError> {
    let program = OwnProgram {
        args,
        input,
        timeout: Duration::from_mins(1),
        max_output: MAX_REPORT,
        runs_agents: false,
        lines: None,
    };
    let found = [Code::InvalidTool, Code::TestFailed].map(Code::status);
    let output = program.output(call.name(), &[0, found[0], found[1]], call.cx)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (found, failure) = (text(&output.stdout.bytes), text(&output.stderr.bytes));
    Ok(ToolOutput::new(found + &failure))
}
