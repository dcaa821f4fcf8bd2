//! The tools that come with cogtools, for agents: files of the project, read only, and a list of
//! things to do. They are there only if `tool_sources` names `builtin`.

mod files;
mod list_files;
mod read_file;
mod search_files;
mod todos;
mod walk;

use std::path::PathBuf;
use std::sync::Arc;

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

/// The word in `tool_sources`, and the name of the source.
pub(super) const SOURCE: &str = "builtin";

/// All of them, sorted by name.
const TOOLS: [BuiltIn; 5] = [
    list_files::TOOL,
    read_file::TOOL,
    search_files::TOOL,
    todos::READ,
    todos::WRITE,
];

/// The hints of a tool that changes nothing.
const READ_ONLY: Annotations = Annotations {
    read_only: Some(true),
    destructive: Some(false),
    idempotent: Some(true),
    open_world: Some(false),
};

/// The tool of that name.
pub(super) fn find(name: &Name) -> Option<Tool> {
    let mut tools = TOOLS.iter();
    let tool = tools.find(|tool| tool.name == name.as_str())?;
    tool.load()
}

/// All tools.
pub(super) fn list() -> Listing {
    let entries = TOOLS.iter().map(|tool| Candidate {
        name: tool.name.into(),
        path: PathBuf::new(),
        display_path: tool.display_path(),
        provenance: provenance(),
        scope: ReadScope::default(),
        declared: Some(super::Declared::BuiltIn(tool)),
    });
    Listing {
        entries: entries.collect(),
        errors: Vec::new(),
    }
}

impl BuiltIn {
    /// The tool.
    pub(super) fn load(&self) -> Option<Tool> {
        let Value::Object(schema) = (self.parameters)() else {
            return None;
        };
        let name = Name::new(self.name).ok()?;
        let definition = Definition::new(name, self.description, Schema::from(schema))
            .with_title(self.title)
            .with_annotations(self.annotations);
        let tool = Tool::new(definition, Arc::new(*self), &self.display_path());
        Some(tool.from(provenance()))
    }

    /// The name used in place of a file's.
    fn display_path(&self) -> PathBuf {
        PathBuf::from(format!("{SOURCE}: {}", self.name))
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

fn provenance() -> Arc<Provenance> {
    Arc::new(Provenance {
        source: SOURCE.to_owned(),
        toolset: None,
        author: Author::BuiltIn,
    })
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
    fn all_are_valid_and_sorted() {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        assert!(names.is_sorted());
        for tool in &TOOLS {
            let text = (tool.parameters)().to_string();
            let text = Text::new("x", text.into_bytes()).expect("it is text");
            let document = yaml::parse(&text).expect("JSON is YAML");
            let read = Schema::verbatim(&document).map_err(|errors| format!("{errors:?}"));
            let tool = tool.load().expect("it has a valid name");
            assert_eq!(read.as_ref(), Ok(tool.schema()));
            assert_eq!(tool.schema().invalid_defaults(), []);
            assert_eq!(Target::Gemini.rejections(&tool), []);
        }
    }
}
