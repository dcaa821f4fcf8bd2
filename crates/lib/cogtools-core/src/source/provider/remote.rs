//! A tool that a provider declares, converted into a tool like any other.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::error::InvalidDeclaration;
use super::local_name::LocalNames;
use super::{Provider, ProviderError};
use crate::Tool;
use crate::schema::{Repairs, Schema};
use crate::tool::extras::Extras;
use crate::tool::{Annotations, Definition, JsonDocument, ToolError};

/// One declaration: any object with a name.
#[derive(Clone, Debug)]
pub struct RemoteTool {
    /// The name that the provider knows it by.
    remote_name: String,
    /// The local name, with the prefix, as hosts accept it.
    name: String,
    value: Arc<Value>,
}

/// The tools that a provider has declared, and its invalid declarations.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    pub(super) tools: Vec<RemoteTool>,
    pub(super) errors: Vec<Arc<ProviderError>>,
}

/// The objects in a provider's output: an array, or one under `functionDeclarations` or
/// `function_declarations`.
pub(super) fn values(printed: &[u8]) -> Result<Vec<Value>, String> {
    let value: Value = serde_json::from_slice(printed).map_err(|error| {
        let nothing = printed.iter().all(u8::is_ascii_whitespace);
        if nothing {
            "it printed nothing".to_owned()
        } else {
            format!("its output is not JSON ({error})")
        }
    })?;
    let array = |value: &Value| value.as_array().cloned();
    let wrapped = |value: &Value| {
        ["functionDeclarations", "function_declarations", "tools"]
            .iter()
            .find_map(|key| array(value.get(key)?))
    };
    let values = match value.as_array() {
        Some(values) => values.clone(),
        None => wrapped(&value).ok_or("its output is not a JSON array")?,
    };
    // Gemini CLI also accepts an array of wrapped arrays.
    Ok(values
        .into_iter()
        .flat_map(|value| wrapped(&value).unwrap_or_else(|| vec![value]))
        .collect())
}

/// Reads the declarations of `provider`; if several have the same name, the first
/// counts.
pub(super) fn read(values: &[Arc<Value>], provider: &Provider) -> Declarations {
    let mut declarations = Declarations::default();
    let mut seen = std::collections::HashSet::new();
    let names = values
        .iter()
        .filter_map(|value| value.get("name")?.as_str());
    let local = LocalNames::new(&provider.settings().prefix, names);
    for (index, value) in values.iter().enumerate() {
        let name = value.get("name").and_then(Value::as_str);
        let Some(own) = name.map(str::to_owned) else {
            let number = (index + 1).to_string();
            let what = InvalidDeclaration::Unnamed;
            let error = ProviderError::Declaration(provider.name(), what, number);
            declarations.errors.push(Arc::new(error));
            continue;
        };
        if seen.insert(own.clone()) {
            declarations.tools.push(RemoteTool {
                name: local.of(&own),
                remote_name: own,
                value: Arc::clone(value),
            });
        } else {
            let error = ProviderError::DuplicateTool(provider.name(), own);
            declarations.errors.push(Arc::new(error));
        }
    }
    // Every list of tools is sorted by name.
    declarations
        .tools
        .sort_by(|one, other| one.name.cmp(&other.name));
    declarations
}

impl RemoteTool {
    /// The local name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name that the provider knows it by.
    pub fn remote_name(&self) -> &str {
        &self.remote_name
    }

    /// Its declaration.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Its declaration: the same value, not a copy, as long as the provider declares nothing new
    /// to a program that stays.
    pub const fn shared_value(&self) -> &Arc<Value> {
        &self.value
    }

    /// The identifier used in place of a file path.
    pub(super) fn display_path(&self, provider: &Provider) -> PathBuf {
        PathBuf::from(format!(
            "{}: {}",
            provider.settings().name,
            self.remote_name
        ))
    }

    /// Its definition as a tool of `provider`, validated by the same rules as a file.
    pub(super) fn definition(&self, provider: &Provider) -> Result<Definition, ToolError> {
        let parameters = self.parameters(provider)?;
        let mut entries = Map::new();
        entries.insert("name".into(), self.name.clone().into());
        if let Some(title) = self.value.get("title").filter(|title| !title.is_null()) {
            entries.insert("title".into(), title.clone());
        }
        entries.insert("description".into(), self.description().into());
        let key = parameters.as_ref().map(|(key, _)| *key);
        if let Some((key, schema)) = &parameters {
            entries.insert((*key).to_owned(), schema.as_object().clone().into());
        }
        let declaration = JsonDocument::new(self.display_path(provider), entries)?;
        let definition = Definition::from_declaration(&declaration, key, self.annotations())?;
        let definition = match parameters {
            // Some programs print types in capitals and the like, which is not JSON
            // Schema.
            Some((key, recovered)) if key != SCHEMAS[0] => definition.with_schema(recovered),
            _ => definition,
        };
        let definition = definition.with_extras(Extras::of(&self.value));
        Ok(definition.with_timeout(provider.settings().timeout_or(Tool::TIMEOUT)))
    }

    /// What is repaired in its declaration.
    pub fn repairs(&self) -> Repairs {
        let set = |key: &&str| self.value.get(*key).filter(|value| !value.is_null());
        // The first is read as it is in a file.
        let key = SCHEMAS.iter().find(|key| set(key).is_some());
        let schema = key.filter(|key| **key != SCHEMAS[0]).and_then(set);
        let schema = schema.and_then(Value::as_object);
        let mut repairs = schema.map(Schema::repairs).unwrap_or_default();
        if self.description() == self.remote_name {
            repairs.add("description");
        }
        repairs
    }

    /// Its description, which every API wants: else its title, or its name.
    fn description(&self) -> &str {
        let texts = [
            self.value.get("description"),
            self.value.get("title"),
            self.value.pointer("/annotations/title"),
        ];
        let mut texts = texts.into_iter().flatten().filter_map(Value::as_str);
        texts
            .find(|text| !text.trim().is_empty())
            .unwrap_or(&self.remote_name)
    }

    /// MCP's tool annotations; invalid ones are ignored.
    fn annotations(&self) -> Annotations {
        let hints = self.value.get("annotations");
        let hint = |name: &str| hints?.get(name)?.as_bool();
        Annotations {
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        }
    }

    /// Its parameters and the key that has them, as far as a Schema Object can express
    /// them.
    fn parameters(&self, provider: &Provider) -> Result<Option<(&'static str, Schema)>, ToolError> {
        let is_set = |key: &&&str| self.value.get(**key).is_some_and(|value| !value.is_null());
        let Some(key) = SCHEMAS.iter().find(is_set) else {
            return Ok(None);
        };
        let invalid = |what: InvalidDeclaration| {
            let tool = self.remote_name.clone();
            let error = ProviderError::Declaration(provider.name(), what, tool);
            ToolError::Invalid(vec![error.diagnostic()])
        };
        let object = self
            .value
            .get(*key)
            .and_then(Value::as_object)
            .ok_or_else(|| invalid(InvalidDeclaration::SchemaKind(key)))?;
        if !accepts_objects(object) {
            return Err(invalid(InvalidDeclaration::SchemaType(key)));
        }
        // An OpenAPI schema is the author's own, and as strict as in a file.
        let schema = if *key == SCHEMAS[0] {
            Schema::from_json_schema(object.clone())
        } else {
            Schema::from_foreign(object)
        };
        Ok(Some((key, schema)))
    }
}

/// Whether a schema accepts objects, as far as its type says: arguments are one.
fn accepts_objects(schema: &Map<String, Value>) -> bool {
    let is_object = |kind: &Value| {
        let kind = kind.as_str().unwrap_or_default();
        kind.eq_ignore_ascii_case("object")
    };
    match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(is_object),
        Some(kind) => is_object(kind),
    }
}

/// The keys that may contain the parameters; the first is from OpenAPI, the others
/// contain JSON Schema.
const SCHEMAS: [&str; 4] = [
    "parameters",
    "parametersJsonSchema",
    "inputSchema",
    "input_schema",
];

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::source::Settings;

    #[test]
    fn a_tool_has_the_timeout_of_its_provider() {
        for (given, expected) in [(None, Tool::TIMEOUT), (Some(300), Duration::from_mins(5))] {
            let provider = Provider::new(Settings {
                name: "p".to_owned(),
                discover: Vec::new(),
                call: Vec::new(),
                prefix: String::new(),
                env: Vec::new(),
                timeout: given.map(Duration::from_secs),
                wait: None,
                idle: None,
                cache: None,
                user_configured: true,
                in_project: false,
                sandbox: None,
                sandbox_digest: None,
                server: None,
            });
            let declared = RemoteTool {
                remote_name: "say".to_owned(),
                name: "say".to_owned(),
                value: Arc::new(json!({"name": "say", "description": "d"})),
            };
            let tool = provider.load(&declared).map_err(ToolError::diagnostics);
            assert_eq!(tool.map(|tool| tool.timeout()), Ok(expected));
        }
    }
}
