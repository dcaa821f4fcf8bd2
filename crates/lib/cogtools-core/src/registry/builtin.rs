//! The two tools that give access to all others, for hosts to which only a few are
//! declared.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Registry;
use crate::arguments::Arguments;
use crate::schema::Schema;
use crate::search::search;
use crate::tool::{Annotations, Author, Definition, Foreign, Provenance, RunError, ToolOutput};
use crate::{Code, Context, Diagnostic, Name, Tool};

/// The tool that searches the tools of a project.
#[derive(Debug)]
struct FindTool {
    registry: Registry,
}

/// The tool that calls another one.
#[derive(Debug)]
struct CallTool {
    registry: Registry,
}

/// Makes the built-in tool of that name, over the tools of `registry`.
pub(super) fn tool(name: &str, registry: &Registry) -> Option<Tool> {
    let registry = registry.clone();
    let (definition, calls): (Definition, Arc<dyn Foreign>) = match name {
        Name::FIND => (find_definition(), Arc::new(FindTool { registry })),
        Name::CALL => (call_definition(), Arc::new(CallTool { registry })),
        _ => return None,
    };
    let provenance = Provenance {
        author: Author::BuiltIn,
        ..Provenance::default()
    };
    let tool = Tool::foreign(definition, calls, Path::new(name));
    Some(tool.from(Arc::new(provenance)))
}

/// Returns the name and the arguments of the tool that a call of `call_tool` asks for. The
/// arguments have been validated.
pub(super) fn target(mut arguments: Map<String, Value>) -> (String, Arguments) {
    let name = arguments
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let inner = match arguments.shift_remove("arguments") {
        Some(Value::Object(inner)) => inner,
        _ => Map::new(),
    };
    (name, Arguments::from(inner))
}

fn find_definition() -> Definition {
    let query = "What the tool should do, in a few words, or a part of its name";
    let limit = "How many matches at most";
    let schema = schema(json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": query},
            "limit": {
                "type": "integer", "description": limit, "minimum": 1, "maximum": 50, "default": 5,
            },
        },
        "required": ["query"],
    }));
    let description = "Finds tools that are not declared here, by what they are for. Each match \
                       comes with its description and parameters; call it with call_tool.";
    let annotations = Annotations {
        read_only: Some(true),
        idempotent: Some(true),
        open_world: Some(false),
        ..Annotations::default()
    };
    Definition {
        title: Some("Find a tool".to_owned()),
        annotations,
        ..Definition::new(Name::reserved(Name::FIND), description, schema)
    }
}

fn call_definition() -> Definition {
    let schema = schema(json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "The name of the tool"},
            "arguments": {"type": "object", "description": "Its arguments, as its parameters say"},
        },
        "required": ["name"],
    }));
    let description = "Calls a tool that find_tool has found.";
    Definition {
        title: Some("Call a tool".to_owned()),
        ..Definition::new(Name::reserved(Name::CALL), description, schema)
    }
}

/// Parses a built-in Schema Object.
fn schema(value: Value) -> Schema {
    match value {
        Value::Object(object) => Schema::from(object),
        _ => Schema::empty(),
    }
}

impl Foreign for FindTool {
    fn call(
        &self,
        _tool: &Definition,
        arguments: Map<String, Value>,
        _cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        let query = arguments.get("query").and_then(Value::as_str);
        let limit = arguments.get("limit").and_then(Value::as_u64);
        let (Some(query), Some(limit)) = (query, limit) else {
            let diagnostic = Diagnostic::new(Code::Internal, "a search without a query or a limit");
            return Err(Box::new(diagnostic.with_subject(Name::FIND)));
        };
        let found = self.registry.map(Result::ok);
        let tools: Vec<Tool> = found.items.into_iter().flatten().collect();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(ToolOutput::new(search(query, &tools, limit)))
    }

    /// It may list sources that are programs.
    fn runs_programs(&self) -> bool {
        true
    }
}

impl Foreign for CallTool {
    /// Unreachable: [`Registry::prepare`] replaces the call by one of the other tool.
    fn call(
        &self,
        _tool: &Definition,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        let (name, arguments) = target(arguments);
        let prepared = self.registry.prepare(&name, arguments);
        prepared
            .and_then(|call| call.run(cx))
            .map_err(|diagnostics| {
                let first = diagnostics.into_iter().next();
                Box::new(first.unwrap_or_else(|| Diagnostic::new(Code::Internal, "no answer")))
            })
    }

    /// The tool that is called through it may.
    fn runs_programs(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;
    use crate::yaml;

    /// The definitions are made without the checks for files.
    #[test]
    fn parameters_are_legal() {
        for definition in [find_definition(), call_definition()] {
            let schema = definition.schema();
            let text = Value::Object(schema.as_object().clone()).to_string();
            let text = Text::new("x", text.into_bytes()).expect("it is text");
            let document = yaml::parse(&text).expect("JSON is YAML");
            let read = Schema::verbatim(&document).map_err(|errors| format!("{errors:?}"));
            assert_eq!(read.as_ref(), Ok(schema));
            assert_eq!(schema.invalid_defaults(), []);
        }
    }
}
