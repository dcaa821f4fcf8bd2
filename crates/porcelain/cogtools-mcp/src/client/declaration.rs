//! Declarations: the parts of a server's tool that hosts and sources need.

use cogtools_core::digest;
use serde_json::{Map, Value};

use crate::client::error::ClientError;

/// The key of a property whose value is sent as a header, too.
const HEADER_KEY: &str = "x-mcp-header";

/// Returns the declaration of a tool from the server's description of it.
pub(crate) fn from_mcp(tool: &Value) -> Value {
    let title = [tool.get("title"), tool.pointer("/annotations/title")]
        .into_iter()
        .flatten()
        .find(|title| title.is_string());
    let description = tool.get("description").or(title).or(tool.get("name"));
    let entries = [
        ("name", tool.get("name").cloned()),
        ("title", title.cloned()),
        ("description", description.cloned()),
        ("parametersJsonSchema", tool.get("inputSchema").map(schema)),
        ("annotations", tool.get("annotations").cloned()),
        ("outputSchema", tool.get("outputSchema").map(schema)),
        ("icons", tool.get("icons").cloned()),
        ("_meta", tool.get("_meta").cloned()),
    ];
    Value::Object(
        entries
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), value?)))
            .collect(),
    )
}

/// Fails if `server` declares the tool `name` with another digest than `expected`.
pub(crate) fn check(
    tools: &[Value],
    name: &str,
    expected: Option<&str>,
    server: &str,
) -> Result<(), ClientError> {
    let Some(expected) = expected else {
        return Ok(());
    };
    // The first one counts, as in a listing.
    let is_named = |tool: &&Value| tool.get("name").and_then(Value::as_str) == Some(name);
    let (server, tool) = (server.to_owned(), name.to_owned());
    let Some(found) = tools.iter().find(is_named) else {
        return Err(ClientError::ToolNotFound(server, tool));
    };
    if digest::value(&from_mcp(found)).to_string() == expected {
        Ok(())
    } else {
        Err(ClientError::Changed(server, tool))
    }
}

/// Returns a schema without the keys for headers: they concern only the client, and some
/// APIs reject unknown keys.
fn schema(schema: &Value) -> Value {
    let mut schema = schema.clone();
    strip_header_keys(schema.get_mut("properties").and_then(Value::as_object_mut));
    schema
}

fn strip_header_keys(properties: Option<&mut Map<String, Value>>) {
    let schemas = properties.into_iter().flat_map(Map::values_mut);
    for property in schemas.filter_map(Value::as_object_mut) {
        property.shift_remove(HEADER_KEY);
        strip_header_keys(
            property
                .get_mut("properties")
                .and_then(Value::as_object_mut),
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[allow(
        clippy::needless_pass_by_value,
        reason = "a table reads better without borrows"
    )]
    fn check(tool: Value, expected: &str) {
        assert_eq!(from_mcp(&tool).to_string(), expected);
    }

    #[test]
    fn a_declaration_has_only_known_keys() {
        check(json!({}), "{}");
        check(
            json!({"name": "n", "annotations": {"title": "T"}, "outputSchema": {}}),
            r#"{"name":"n","title":"T","description":"T","annotations":{"title":"T"},"outputSchema":{}}"#,
        );
        check(
            json!({"name": "n", "inputSchema": true, "execution": {}, "icons": [], "_meta": {"a": 1}}),
            r#"{"name":"n","description":"n","parametersJsonSchema":true,"icons":[],"_meta":{"a":1}}"#,
        );
    }

    #[test]
    fn header_keys_are_left_out() {
        let region = json!({"x-mcp-header": "Region", "type": "string"});
        let schema = json!({"properties": {
            "region": region, "place": {"properties": {"region": region}}, "x-mcp-header": {},
        }});
        check(
            json!({"inputSchema": schema}),
            r#"{"parametersJsonSchema":{"properties":{"region":{"type":"string"},"place":{"properties":{"region":{"type":"string"}}},"x-mcp-header":{}}}}"#,
        );
    }
}
