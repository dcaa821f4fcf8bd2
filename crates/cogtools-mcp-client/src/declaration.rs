//! What hosts and sources need of a tool.

use serde_json::{Map, Value};

/// The key of a property that is to be sent as a header too.
const HEADER: &str = "x-mcp-header";

/// The declaration of a tool that a server has described.
pub(crate) fn of(tool: &Value) -> Value {
    let title = [tool.get("title"), tool.pointer("/annotations/title")];
    let title = title.into_iter().flatten().find(|title| title.is_string());
    let description = tool.get("description").or(title).or(tool.get("name"));
    let entries = [
        ("name", tool.get("name").cloned()),
        ("title", title.cloned()),
        ("description", description.cloned()),
        ("parametersJsonSchema", tool.get("inputSchema").map(schema)),
        ("annotations", tool.get("annotations").cloned()),
    ];
    let entries = entries.into_iter();
    let entries = entries.filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(entries.collect())
}

/// A schema without what is between the server and us: headers are no business
/// of a host, and some APIs refuse keys that they do not know.
fn schema(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    strip(properties);
    schema
}

fn strip(properties: Option<&mut Map<String, Value>>) {
    let properties = properties.into_iter().flat_map(Map::values_mut);
    for property in properties.filter_map(Value::as_object_mut) {
        property.shift_remove(HEADER);
        strip(
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
        assert_eq!(of(&tool).to_string(), expected);
    }

    #[test]
    fn a_tool_is_declared() {
        check(json!({}), "{}");
        check(
            json!({"name": "n", "annotations": {"title": "T"}, "outputSchema": {}}),
            r#"{"name":"n","title":"T","description":"T","annotations":{"title":"T"}}"#,
        );
        check(
            json!({"name": "n", "inputSchema": true}),
            r#"{"name":"n","description":"n","parametersJsonSchema":true}"#,
        );
    }

    #[test]
    fn headers_are_no_business_of_hosts() {
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
