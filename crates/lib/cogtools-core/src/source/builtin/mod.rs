//! The tools that come with cogtools, for agents: files of the project, read only, a list of
//! things to do, the time, JavaScript, and tool files; and what the editor around the terminal
//! shows. They are there only if `tool_sources` names `builtin` or `editor`.

mod author;
mod editor;
mod files;
mod find;

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use editor::EDITOR_VARIABLES;
pub(super) use find::lines;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::file::{self, ReadError, ReadScope, WritePath};
use crate::javascript::Script;
use crate::source::{Candidate, Declared, Listing};
use crate::todo::Todo;
use crate::tool::{Annotations, Definition, Foreign, Provenance, RunError, ToolCall, ToolOutput};
use crate::{Code, Context, Diagnostic, Name, Tool, digest};

/// A built-in tool.
#[derive(Clone, Copy)]
pub(super) struct BuiltIn {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The parts of its parameters, as [`Definition::built_in`] reads them.
    parameters: &'static [&'static str],
    annotations: Annotations,
    /// Answers a call with valid arguments.
    run: fn(&ToolCall<'_>) -> Result<ToolOutput, RunError>,
}

/// Built-in tools under one word of `tool_sources`.
#[derive(Debug)]
pub(super) struct Set {
    /// The word, and the name of the source.
    source: &'static str,
    /// True if each tool is a capability of that source, such as `editor.get_selected_text`.
    has_capabilities: bool,
    /// The limit of a call.
    timeout: Duration,
    /// The tools, sorted by name.
    tools: &'static [BuiltIn],
}

/// The tools for agents.
pub(super) const AGENT: &Set = &Set {
    source: "builtin",
    has_capabilities: false,
    timeout: Tool::TIMEOUT,
    tools: &[
        CURRENT_DATE,
        author::LINT_TOOL,
        find::LIST_FILES,
        find::READ_FILE,
        RUN_JS,
        find::SEARCH_FILES,
        author::TEST_TOOL,
        READ,
        WRITE,
        author::WRITE_TOOL,
    ],
};

/// The tools that ask the editor.
pub(super) const EDITOR: &Set = &Set {
    source: "editor",
    has_capabilities: true,
    // The user answers a proposal; an editor has its own timeout.
    timeout: Duration::from_mins(10),
    tools: &editor::TOOLS,
};

/// The hints of a tool that changes nothing.
pub(super) const READ_ONLY: Annotations = Annotations {
    read_only: Some(true),
    destructive: Some(false),
    idempotent: Some(true),
    open_world: Some(false),
};

/// Returns the time, which no model knows.
const CURRENT_DATE: BuiltIn = BuiltIn {
    name: "get_current_date",
    title: "Get the current date and time",
    description: "Returns the current date and time: `iso` in UTC, `local` as text in the zone of \
                  the user, and `epochMs`, the milliseconds since 1970.",
    parameters: &["{type: object, properties: {}, additionalProperties: true}"],
    annotations: READ_ONLY,
    run: now,
};
/// Evaluates JavaScript that a model wrote, as `cogtools-js` does.
const RUN_JS: BuiltIn = BuiltIn {
    name: "run_js",
    title: "Run JavaScript",
    description: "Evaluates JavaScript in a sandbox and returns its result. Use it to compute: \
                  the code is the body of a function of `args`, and returns JSON. It has no \
                  files, no network and no modules.",
    parameters: &[JS_PARAMETERS],
    annotations: READ_ONLY,
    run: evaluate,
};

impl Set {
    /// The tool of that name.
    pub(super) fn find(&'static self, name: &Name) -> Option<Tool> {
        let mut tools = self.tools.iter();
        let tool = tools.find(|tool| tool.name == name.as_str());
        tool.map(|tool| tool.load(self))
    }

    /// All tools.
    pub(super) fn list(&'static self) -> Listing {
        let entries = self.tools.iter().map(|tool| Candidate {
            name: tool.name.into(),
            path: PathBuf::new(),
            display_path: tool.display_path(self),
            provenance: Provenance::built_in(self.source),
            scope: ReadScope::default(),
            declared: Some(Declared::BuiltIn(self, tool)),
        });
        Listing {
            entries: entries.collect(),
            errors: Vec::new(),
        }
    }
}

impl BuiltIn {
    /// Makes the tool of `set`.
    pub(super) fn load(&self, set: &Set) -> Tool {
        let capability = format!("{}.{}", set.source, self.name);
        let capability = set.has_capabilities.then_some(capability);
        let parameters = self.parameters.concat();
        let definition = Definition {
            annotations: self.annotations,
            capabilities: capability.into_iter().collect(),
            timeout: set.timeout,
            provenance: Provenance::built_in(set.source),
            ..Definition::built_in(self.name, self.title, self.description, &parameters)
        };
        Tool::foreign(definition, Arc::new(*self), &self.display_path(set))
    }

    /// The name used in place of a file's.
    fn display_path(&self, set: &Set) -> PathBuf {
        PathBuf::from(format!("{}: {}", set.source, self.name))
    }
}

impl Foreign for BuiltIn {
    fn call(&self, call: ToolCall<'_>) -> Result<ToolOutput, RunError> {
        (self.run)(&call)
    }

    fn runs_programs(&self) -> bool {
        false
    }

    fn starts_process(&self) -> bool {
        let others = [&RUN_JS, &author::LINT_TOOL, &author::TEST_TOOL];
        let mut starting = EDITOR.tools.iter().chain(others);
        starting.any(|tool| tool.name == self.name)
    }
}

impl std::fmt::Debug for BuiltIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl ToolOutput {
    /// Makes an output of a value, printed as one line of JSON.
    fn of_value(value: Value) -> Self {
        Self {
            text: format!("{value}\n"),
            value: Some(value),
            ..Self::default()
        }
    }
}

fn now(call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
    let value = at(Timestamp::now(), zone(call.cx)).map_err(|error| {
        let message = format!("the time cannot be written: {error}");
        call.failed(Diagnostic::new(Code::Internal, message))
    })?;
    Ok(ToolOutput::of_value(value))
}

/// Formats a time as the tool returns it.
fn at(time: Timestamp, zone: TimeZone) -> Result<Value, jiff::Error> {
    let local = Zoned::new(time, zone);
    let local = strtime::format("%A, %-d %B %Y, %H:%M:%S %Z", &local)?;
    Ok(json!({
        "iso": format!("{time:.3}"),
        "local": local,
        "epochMs": time.as_millisecond(),
    }))
}

/// Returns the zone that the variable TZ names, or else the one of the system.
fn zone(cx: &Context) -> TimeZone {
    let named = cx.environment.user_vars(["TZ"]).remove(OsStr::new("TZ"));
    let named = named.and_then(|name| TimeZone::get(name.to_str()?.trim_start_matches(':')).ok());
    let zone = named.or_else(|| TimeZone::try_system().ok());
    zone.unwrap_or(TimeZone::UTC)
}

/// Values out of the limits of time are clamped, so the schema has no bounds for it; other arguments
/// of models are ignored.
const JS_PARAMETERS: &str = r#"
type: object
properties:
  code:
    type: string
    description: "The body of a function with the parameter args, such as `return args.a + 1`"
    minLength: 1
    maxLength: 1000
  args:
    type: object
    description: The value of args; `{}` if it is left out
    additionalProperties: true
    nullable: true
  timeoutMs:
    type: number
    description: "How long the code may run, from 50 to 1,500 ms; 500 if it is left out"
    nullable: true
required: [code]
additionalProperties: true
"#;

fn evaluate(call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
    let requested = Script::requested(&call.arguments);
    let script = requested.map_err(|mut violations| {
        violations.truncate(1);
        call.failed(*Diagnostic::merge(violations))
    })?;
    let script = Script {
        now: None,
        ..script
    };
    let code = script.code.clone();
    let evaluation = script.run(call.cx.programs.as_deref(), &call.cx.cancel);
    let evaluation = evaluation.map_err(|error| call.failed(error.diagnostic(&code)))?;
    Ok(ToolOutput {
        text: format!("{}\n", evaluation.render()),
        stderr: evaluation.logs.join("\n"),
        value: Some(json!({
            "result": evaluation.value,
            "logs": evaluation.logs,
            "stringified": evaluation.stringified,
            "ms": evaluation.ms,
        })),
        ..ToolOutput::default()
    })
}

/// The tool that returns the list.
const READ: BuiltIn = BuiltIn {
    name: "todo_read",
    title: "Read the list of things to do",
    description: "Returns the list of things to do, as it was last written.",
    parameters: &[],
    annotations: READ_ONLY,
    run: |call| read(call).map(|todos| ToolOutput::of_value(json!({"todos": todos}))),
};
/// The tool that replaces it.
const WRITE: BuiltIn = BuiltIn {
    name: "todo_write",
    title: "Write the list of things to do",
    description: "Replaces the list of things to do. Use it to plan work of several steps: pass \
                  the whole list each time, and mark a step as soon as it is begun or done.",
    parameters: &["
todos:
  type: array
  description: 'The whole list, in the order of work'
  maxItems: 100
  items:
    type: object
    properties:
      title: {type: string, description: What is to be done, minLength: 1, maxLength: 500}
      status:
        type: string
        description: How far it is
        enum: [pending, in_progress, completed]
        default: pending
"],
    annotations: Annotations {
        read_only: Some(false),
        ..READ_ONLY
    },
    run: write_todos,
};

/// The largest file with a list, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// The folder of the lists in the user's state directory.
const FOLDER: &str = "todos";

fn write_todos(call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
    let todos = call.arguments.get("todos").unwrap_or(&Value::Null);
    let todos: Vec<Todo> = Vec::deserialize(todos).unwrap_or_default();
    let result = ToolOutput::of_value(json!({"todos": todos}));
    write(call, todos)?;
    Ok(result)
}

fn read(call: &ToolCall<'_>) -> Result<Vec<Todo>, RunError> {
    if let Some(list) = &call.cx.call.todos {
        return Ok(list.get());
    }
    let path = file_of(call)?;
    let cannot = |reason: String| {
        let message = format!("`{}` cannot be read: {reason}", path.display());
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        call.failed(diagnostic.hint("remove the file to begin a new list"))
    };
    let (bytes, _) = match file::read(&path, &ReadScope::User, MAX_FILE_BYTES) {
        Ok(read) => read,
        Err(ReadError::Io(error)) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(cannot(error.to_string())),
    };
    serde_json::from_slice(&bytes).map_err(|error| cannot(error.to_string()))
}

fn write(call: &ToolCall<'_>, todos: Vec<Todo>) -> Result<(), RunError> {
    if let Some(list) = &call.cx.call.todos {
        list.set(todos);
        return Ok(());
    }
    let path = file_of(call)?;
    let failed = |reason: String| {
        let message = format!("`{}` cannot be written: {reason}", path.display());
        call.failed(Diagnostic::new(Code::IoFailed, message))
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    file::create_private_folder(folder).map_err(|error| failed(error.to_string()))?;
    let mut bytes = serde_json::to_vec(&todos).unwrap_or_default();
    bytes.push(b'\n');
    let written = file::replace_private(&WritePath::in_folder(&path), &bytes);
    written.map_err(|error| failed(error.to_string()))
}

/// Returns the file with the list of the project.
fn file_of(call: &ToolCall<'_>) -> Result<PathBuf, RunError> {
    let Some(state) = &call.cx.state else {
        let message = "there is no folder for the list of things to do";
        let diagnostic = Diagnostic::new(Code::IoFailed, message).hint("set HOME");
        return Err(call.failed(diagnostic));
    };
    let root = digest::value(&json!(call.cx.root.display().to_string())).to_string();
    Ok(state.join(FOLDER).join(format!("{root}.json")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;
    use crate::todo::TodoStatus;
    use crate::{Target, yaml};

    #[test]
    fn what_the_editor_can_is_a_capability() {
        let capabilities = |set: &'static Set, name: &str| {
            let name = Name::new(name).expect("a name");
            set.find(&name).expect("it is there").capabilities()
        };
        let selected = capabilities(EDITOR, "get_selected_text");
        assert_eq!(selected, ["editor.get_selected_text"]);
        assert_eq!(capabilities(AGENT, "read_file"), [""; 0]);
    }

    #[test]
    fn all_are_valid_and_sorted() {
        for set in [AGENT, EDITOR] {
            let names: Vec<&str> = set.tools.iter().map(|tool| tool.name).collect();
            assert!(names.is_sorted(), "{names:?}");
            for tool in set.tools {
                let text = Text::new("x", tool.parameters.concat().into_bytes()).expect("text");
                let document = yaml::parse(&text).expect("YAML");
                let entries = document.get("properties").unwrap_or(&document).entries();
                let declared: Vec<&String> =
                    entries.into_iter().flatten().map(|it| &it.key).collect();
                assert_eq!(
                    Name::new(tool.name).map_err(|error| error.to_string()),
                    Ok(Name::built_in(tool.name))
                );
                let tool = tool.load(set);
                let read = tool.schema.as_object().get("properties");
                let read = read.and_then(Value::as_object).into_iter().flatten();
                assert_eq!(read.map(|(name, _)| name).collect::<Vec<_>>(), declared);
                assert_eq!(tool.schema.invalid_defaults(), []);
                assert_eq!(Target::Gemini.rejections(&tool), []);
            }
        }
    }

    #[test]
    fn parameters_have_the_limits_of_their_readers() {
        let schema = |set: &'static Set, name: &str| {
            let tool = set.find(&Name::new(name).expect("a name")).expect("a tool");
            Value::Object(tool.schema.as_object().clone())
        };
        let status =
            schema(AGENT, WRITE.name)["properties"]["todos"]["items"]["properties"]["status"]
                .clone();
        let read = |value: &Value| serde_json::from_value::<TodoStatus>(value.clone());
        let all = status["enum"].as_array().expect("a list").iter().map(read);
        let all: Result<Vec<TodoStatus>, _> = all.collect();
        let expected = [
            TodoStatus::Pending,
            TodoStatus::InProgress,
            TodoStatus::Completed,
        ];
        assert_eq!(all.expect("statuses"), expected);
        assert_eq!(
            read(&status["default"]).expect("one"),
            TodoStatus::default()
        );
        let proposal = schema(EDITOR, "propose_edit");
        let content = &proposal["properties"]["content"];
        assert_eq!(content["maxLength"], editor::MAX_TEXT_BYTES);
    }

    #[test]
    fn a_time_has_three_forms() {
        let time = Timestamp::from_millisecond(1_735_787_045_678).expect("a time");
        let expected = json!({
            "iso": "2025-01-02T03:04:05.678Z",
            "local": "Thursday, 2 January 2025, 03:04:05 UTC",
            "epochMs": 1_735_787_045_678_i64,
        });
        assert_eq!(at(time, TimeZone::UTC).expect("a format"), expected);
        let zone = TimeZone::fixed(jiff::tz::offset(9));
        let local = at(time, zone).expect("a format")["local"].clone();
        assert_eq!(local, "Thursday, 2 January 2025, 12:04:05 +09");
    }
}
