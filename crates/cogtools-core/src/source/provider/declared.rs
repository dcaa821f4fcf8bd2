//! A tool that a provider declares, made into one like any other.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Declarations, Provider, ProviderError};
use crate::Tool;
use crate::implementation::Implementation;
use crate::schema::Schema;
use crate::text::{Text, TextError};
use crate::tool::ToolError;

/// One declaration: any object with a name.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The name that the provider knows it by.
    own: String,
    /// The name here, with the prefix.
    name: String,
    value: Arc<Value>,
}

/// The objects in what a provider printed: an array, or one under
/// `functionDeclarations` or `function_declarations`.
pub(super) fn values(printed: &[u8]) -> Result<Vec<Value>, String> {
    let value: Value = serde_json::from_slice(printed).map_err(|error| {
        let nothing = printed.iter().all(u8::is_ascii_whitespace);
        if nothing {
            "it printed nothing".to_owned()
        } else {
            format!("it printed something else than JSON ({error})")
        }
    })?;
    let listed = |value: &Value| value.as_array().cloned();
    let wrapped = |value: &Value| {
        ["functionDeclarations", "function_declarations", "tools"]
            .iter()
            .find_map(|key| listed(value.get(key)?))
    };
    let values = match value.as_array() {
        Some(values) => values.clone(),
        None => wrapped(&value).ok_or("it printed JSON that is no array")?,
    };
    // Gemini CLI takes an array of wrapped arrays as well.
    Ok(values
        .into_iter()
        .flat_map(|value| wrapped(&value).unwrap_or_else(|| vec![value]))
        .collect())
}

/// Reads the declarations of `provider`; of those with the same name the first counts.
pub(super) fn read(values: Vec<Value>, provider: &Provider) -> Declarations {
    let mut read = Declarations::default();
    let mut seen = std::collections::HashSet::new();
    for (index, value) in values.into_iter().enumerate() {
        let name = value.get("name").and_then(Value::as_str);
        let Some(own) = name.map(str::to_owned) else {
            let message = format!("declaration {} has no name", index + 1);
            let error = ProviderError::Declaration(provider.name(), message);
            read.errors.push(Arc::new(error));
            continue;
        };
        if seen.insert(own.clone()) {
            read.tools.push(Declared {
                name: format!("{}{own}", provider.settings().prefix),
                own,
                value: Arc::new(value),
            });
        } else {
            let error = ProviderError::Twice(provider.name(), own);
            read.errors.push(Arc::new(error));
        }
    }
    // Every list of tools is in the order of names.
    read.tools.sort_by(|one, other| one.name.cmp(&other.name));
    read
}

impl Declared {
    /// The name here.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name that the provider knows it by.
    pub fn own_name(&self) -> &str {
        &self.own
    }

    /// What the provider says of it.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// What stands where others have a file.
    pub(super) fn shown(&self, provider: &Provider) -> PathBuf {
        PathBuf::from(format!("{}: {}", provider.settings().name, self.own))
    }

    /// The tool of `provider`, held to the same rules as a file's.
    pub fn load(&self, provider: &Provider) -> Result<Tool, ToolError> {
        let (schema, recovered) = self.schema(provider)?;
        let mut file = Map::new();
        file.insert("name".into(), self.name.clone().into());
        for key in ["title", "description"] {
            if let Some(value) = self.value.get(key) {
                file.insert(key.to_owned(), value.clone());
            }
        }
        if let Some(schema) = schema {
            file.insert("parameters_schema".into(), schema);
        }
        file.extend(self.annotations());
        file.insert("implementation".into(), json!("-"));
        let shown = self.shown(provider);
        let bytes = Value::Object(file).to_string().into_bytes();
        if bytes.len() > Text::LIMIT {
            return Err(ToolError::Text(TextError::TooLarge(shown)));
        }
        let text = Text::new(shown, bytes).map_err(ToolError::Text)?;
        let tool = Tool::parse(text)?.from(Arc::new(provider.provenance()));
        let way = Implementation::Provider(provider.clone(), self.clone());
        let timeout = provider.settings().time(Tool::TIMEOUT);
        Ok(tool.declared(way, recovered, timeout))
    }

    /// What MCP calls hints, under our names.
    fn annotations(&self) -> Option<(String, Value)> {
        let hints = self.value.get("annotations")?.as_object()?;
        let names = [
            ("readOnlyHint", "read_only"),
            ("destructiveHint", "destructive"),
            ("idempotentHint", "idempotent"),
            ("openWorldHint", "open_world"),
        ];
        let hint = |(theirs, ours): (&str, &str)| {
            let value = hints.get(theirs).filter(|value| value.is_boolean())?;
            Some((ours.to_owned(), value.clone()))
        };
        let all: Map<String, Value> = names.into_iter().filter_map(hint).collect();
        (!all.is_empty()).then(|| ("annotations".to_owned(), all.into()))
    }

    /// Its parameters as a Schema Object, and as recovered from a JSON Schema when
    /// they are more than one can say.
    fn schema(&self, provider: &Provider) -> Result<(Option<Value>, Option<Schema>), ToolError> {
        let said = |key: &&str| self.value.get(key).is_some_and(|value| !value.is_null());
        let Some(key) = SCHEMAS.iter().find(|key| said(key)) else {
            return Ok((None, None));
        };
        let wrong = |what: &str| {
            let message = format!("`{key}` of `{}` {what}", self.own);
            let error = ProviderError::Declaration(provider.name(), message);
            ToolError::Invalid(vec![error.fault()])
        };
        let object = self.value.get(key).and_then(Value::as_object);
        let object = object.ok_or_else(|| wrong("is no object"))?;
        if !is_of_objects(object) {
            return Err(wrong("describes something else than an object"));
        }
        let recovered = Schema::recover(object.clone());
        let plain = recovered.as_object().clone().into();
        // Types in capitals and the like, which some print, are no JSON Schema.
        let whole = (*key != SCHEMAS[0]).then_some(recovered);
        Ok((Some(plain), whole))
    }
}

/// Whether a schema lets objects through, as far as its type says: arguments are one.
fn is_of_objects(schema: &Map<String, Value>) -> bool {
    let object = |kind: &Value| {
        let kind = kind.as_str().unwrap_or_default();
        kind.eq_ignore_ascii_case("object")
    };
    match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(object),
        Some(kind) => object(kind),
    }
}

/// The keys that parameters stand under; the first is in the words of OpenAPI, the
/// others are JSON Schema.
const SCHEMAS: [&str; 4] = [
    "parameters",
    "parametersJsonSchema",
    "inputSchema",
    "input_schema",
];

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::source::Settings;

    #[test]
    fn a_tool_has_the_time_of_its_provider() {
        for (given, expected) in [(None, Tool::TIMEOUT), (Some(300), Duration::from_mins(5))] {
            let provider = Provider::new(Settings {
                name: "p".to_owned(),
                discover: Vec::new(),
                call: Vec::new(),
                prefix: String::new(),
                env: Vec::new(),
                timeout: given.map(Duration::from_secs),
                cache: None,
                own: true,
                server: None,
            });
            let declared = Declared {
                own: "say".to_owned(),
                name: "say".to_owned(),
                value: Arc::new(json!({"name": "say", "description": "d"})),
            };
            let tool = declared.load(&provider).map_err(ToolError::faults);
            assert_eq!(tool.map(|tool| tool.timeout()), Ok(expected));
        }
    }
}
