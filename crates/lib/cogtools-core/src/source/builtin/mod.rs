//! The tools that come with cogtools, for agents: files of the project, read only, a list of
//! things to do, the time, and JavaScript; and what the editor around the terminal shows. They are
//! there only if `tool_sources` names `builtin` or `editor`.

mod current_date;
mod editor;
mod files;
mod list_files;
mod read_file;
mod run_js;
mod search_files;
mod todos;
mod walk;

pub use editor::EDITOR_VARIABLES;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{Candidate, Listing};
use crate::file::ReadScope;
use crate::schema::Schema;
use crate::tool::{Annotations, Author, Definition, Handler, Provenance, RunError, ToolOutput};
use crate::{Context, Name, Tool};

/// What answers a call: the name of the tool, and valid arguments.
type Run = fn(&str, &Map<String, Value>, &Context) -> Result<ToolOutput, RunError>;

/// A built-in tool.
#[derive(Clone, Copy)]
pub(super) struct BuiltIn {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The Schema Object of its parameters.
    parameters: fn() -> Value,
    annotations: Annotations,
    run: Run,
}

/// Built-in tools under one word of `tool_sources`.
#[derive(Debug)]
pub(super) struct Set {
    /// The word, and the name of the source.
    source: &'static str,
    /// Whether each tool is a capability of that source, such as `editor.get_selected_text`.
    has_capabilities: bool,
    /// How long a call may take.
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
        current_date::TOOL,
        list_files::TOOL,
        read_file::TOOL,
        run_js::TOOL,
        search_files::TOOL,
        todos::READ,
        todos::WRITE,
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
const READ_ONLY: Annotations = Annotations {
    read_only: Some(true),
    destructive: Some(false),
    idempotent: Some(true),
    open_world: Some(false),
};

impl Set {
    /// The tool of that name.
    pub(super) fn find(&'static self, name: &Name) -> Option<Tool> {
        let mut tools = self.tools.iter();
        let tool = tools.find(|tool| tool.name == name.as_str())?;
        tool.load(self)
    }

    /// All tools.
    pub(super) fn list(&'static self) -> Listing {
        let entries = self.tools.iter().map(|tool| Candidate {
            name: tool.name.into(),
            path: PathBuf::new(),
            display_path: tool.display_path(self),
            provenance: self.provenance(),
            scope: ReadScope::default(),
            declared: Some(super::Declared::BuiltIn(self, tool)),
        });
        Listing {
            entries: entries.collect(),
            errors: Vec::new(),
        }
    }

    fn provenance(&self) -> Arc<Provenance> {
        Arc::new(Provenance {
            source: self.source.to_owned(),
            toolset: None,
            author: Author::BuiltIn,
        })
    }
}

impl BuiltIn {
    /// The tool of `set`.
    pub(super) fn load(&self, set: &Set) -> Option<Tool> {
        let Value::Object(schema) = (self.parameters)() else {
            return None;
        };
        let name = Name::new(self.name).ok()?;
        let capability = format!("{}.{}", set.source, self.name);
        let capabilities = set.has_capabilities.then_some(capability);
        let definition = Definition::new(name, self.description, Schema::from(schema))
            .with_title(self.title)
            .with_annotations(self.annotations)
            .with_capabilities(capabilities.into_iter().collect())
            .with_timeout(set.timeout);
        let tool = Tool::new(definition, Arc::new(*self), &self.display_path(set));
        Some(tool.from(set.provenance()))
    }

    /// The name used in place of a file's.
    fn display_path(&self, set: &Set) -> PathBuf {
        PathBuf::from(format!("{}: {}", set.source, self.name))
    }
}

impl Handler for BuiltIn {
    fn call(
        &self,
        _tool: &Tool,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        (self.run)(self.name, &arguments, cx)
    }

    fn runs_programs(&self) -> bool {
        false
    }

    fn needs_context(&self) -> bool {
        true
    }
}

impl std::fmt::Debug for BuiltIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The argument `key`, whose schema is made by [`count`].
fn number(arguments: &Map<String, Value>, key: &str) -> usize {
    let number = arguments.get(key).and_then(Value::as_u64);
    usize::try_from(number.unwrap_or(1)).unwrap_or(usize::MAX)
}

/// A parameter with a number from 1.
fn count(description: &str, default: u64, maximum: u64) -> Value {
    json!({
        "type": "integer",
        "description": description,
        "minimum": 1,
        "maximum": maximum,
        "default": default,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;
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
                let text = (tool.parameters)().to_string();
                let text = Text::new("x", text.into_bytes()).expect("it is text");
                let document = yaml::parse(&text).expect("JSON is YAML");
                let read = Schema::verbatim(&document).map_err(|errors| format!("{errors:?}"));
                let tool = tool.load(set).expect("it has a valid name");
                assert_eq!(read.as_ref(), Ok(tool.schema()));
                assert_eq!(tool.schema().invalid_defaults(), []);
                assert_eq!(Target::Gemini.rejections(&tool), []);
            }
        }
    }
}
