//! Tools as TypeScript declarations, for models that write programs and people who read them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use cogtools_core::Tool;
use cogtools_core::tool::Output;
use serde_json::{Map, Value};

/// Deeper schemas are `unknown`.
const MAX_DEPTH: usize = 32;

/// Returns true if `name` can follow a dot in JavaScript.
pub(crate) fn is_identifier(name: &str) -> bool {
    let is_first = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$');
    name.starts_with(is_first) && name.chars().all(|c| is_first(c) || c.is_ascii_digit())
}

/// `text` with `_` for each character that no identifier has.
pub(crate) fn identifier(text: &str) -> String {
    text.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

/// `name` as the key of a member.
fn key(name: &str) -> String {
    if is_identifier(name) {
        name.to_owned()
    } else {
        Value::from(name).to_string()
    }
}

/// The declarations of `tools`; a name that is no identifier is also there by its alias.
pub fn declarations(tools: &[Arc<Tool>], aliases: &BTreeMap<String, String>) -> String {
    let mut writer = Writer::default();
    let mut members = String::new();
    for tool in tools {
        let name = tool.name().as_str();
        let comment = comment(tool);
        let alias = aliases.iter().find(|(_, it)| *it == name);
        let alias = alias.map(|(alias, _)| alias.clone());
        for key in [key(name)].into_iter().chain(alias) {
            let signature = writer.signature(tool);
            let _ = writeln!(members, "{comment}  {key}{signature};");
        }
    }
    let interfaces = writer.interfaces.into_values();
    let interfaces: String = interfaces.map(|text| text + "\n").collect();
    format!("{interfaces}declare const tools: {{\n{members}}};\n")
}

/// The comment of a tool, as `JSDoc`: description, parameters, the first example.
fn comment(tool: &Tool) -> String {
    let mut lines = vec![tool.description.trim().to_owned()];
    let schema = tool.schema.as_object();
    for (name, property) in properties(schema) {
        let line = format!("@param args.{name} {}", notes(property));
        lines.push(line.trim_end().to_owned());
    }
    if let Some(example) = tool.examples().next() {
        let name = tool.name().as_str();
        let callee = if is_identifier(name) {
            format!("tools.{name}")
        } else {
            format!("tools[{}]", Value::from(name))
        };
        lines.push(format!("@example {callee}({})", Value::Object(example)));
    }
    let lines = lines.iter().flat_map(|text| text.lines());
    let lines: Vec<String> = lines.map(|line| line.replace("*/", "* /")).collect();
    format!("  /** {} */\n", lines.join("\n   * "))
}

/// A description with what a type does not say.
fn notes(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str);
    let mut notes = text.unwrap_or_default().trim().replace('\n', " ");
    for key in [
        "format",
        "pattern",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "multipleOf",
        "default",
    ] {
        if let Some(value) = schema.get(key) {
            let _ = match value {
                Value::String(text) => write!(notes, " @{key} {text}"),
                value => write!(notes, " @{key} {value}"),
            };
        }
    }
    notes.trim().to_owned()
}

fn properties(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten()
}

/// Types, with the interfaces that recursive ones need.
#[derive(Default)]
struct Writer {
    interfaces: BTreeMap<String, String>,
}

/// The schema that a type is made of, for its references.
struct Root<'s> {
    schema: &'s Map<String, Value>,
    /// The prefix of the names of its interfaces.
    prefix: String,
}

impl Writer {
    /// Parameters and result of `tool`.
    fn signature(&mut self, tool: &Tool) -> String {
        let schema = tool.schema.as_object();
        let name = identifier(tool.name().as_str());
        let root = Root {
            schema,
            prefix: format!("{name}_"),
        };
        let required = schema.get("required").and_then(Value::as_array);
        let mark = if required.is_none_or(Vec::is_empty) {
            "?"
        } else {
            ""
        };
        let arguments = self.object(schema, &root, 0);
        let result = match &tool.output {
            Output::Text | Output::File(_) => "string".to_owned(),
            Output::Json(None) | Output::Content => "unknown".to_owned(),
            Output::Json(Some(output)) => {
                let schema = output.as_object();
                let root = Root {
                    schema,
                    prefix: format!("{name}_result_"),
                };
                self.object_or_value(schema, &root, 0)
            }
        };
        format!("(args{mark}: {arguments}): {result}")
    }

    fn value(&mut self, schema: &Value, root: &Root<'_>, depth: usize) -> String {
        match schema.as_object() {
            Some(schema) if depth < MAX_DEPTH => self.object_or_value(schema, root, depth + 1),
            _ => "unknown".to_owned(),
        }
    }

    fn object_or_value(
        &mut self,
        schema: &Map<String, Value>,
        root: &Root<'_>,
        depth: usize,
    ) -> String {
        let ty = self.plain(schema, root, depth);
        match schema.get("nullable") {
            Some(Value::Bool(true)) if ty != "unknown" => format!("{ty} | null"),
            _ => ty,
        }
    }

    /// The type without `null`.
    fn plain(&mut self, schema: &Map<String, Value>, root: &Root<'_>, depth: usize) -> String {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.interface(reference, root, depth);
        }
        for (key, operator) in [("oneOf", " | "), ("anyOf", " | "), ("allOf", " & ")] {
            if let Some(parts) = schema.get(key).and_then(Value::as_array) {
                let mut types: Vec<String> = Vec::new();
                for part in parts {
                    let ty = self.value(part, root, depth);
                    let ty = if key == "allOf" && ty.contains(" | ") {
                        format!("({ty})")
                    } else {
                        ty
                    };
                    if !types.contains(&ty) {
                        types.push(ty);
                    }
                }
                return types.join(operator);
            }
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            let values: Vec<String> = values.iter().map(Value::to_string).collect();
            return values.join(" | ");
        }
        if let Some(value) = schema.get("const") {
            return value.to_string();
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("string") => "string".to_owned(),
            Some("integer" | "number") => "number".to_owned(),
            Some("boolean") => "boolean".to_owned(),
            Some("null") => "null".to_owned(),
            Some("array") => {
                let item = self.value(schema.get("items").unwrap_or(&Value::Null), root, depth);
                if item.contains([' ', '|', '&']) && !item.starts_with('{')
                    || item.ends_with("| null")
                {
                    format!("({item})[]")
                } else {
                    format!("{item}[]")
                }
            }
            Some("object") => self.object(schema, root, depth),
            _ if schema.contains_key("properties") => self.object(schema, root, depth),
            _ => "unknown".to_owned(),
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, root: &Root<'_>, depth: usize) -> String {
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
        let mut members = Vec::new();
        for (name, property) in properties(schema) {
            let ty = self.value(property, root, depth);
            let mark = if is_required(name) { "" } else { "?" };
            members.push(format!("{}{mark}: {ty}", key(name)));
        }
        let rest = schema.get("additionalProperties");
        match rest.filter(|it| **it != Value::Bool(false)) {
            _ if !members.is_empty() => format!("{{{}}}", members.join("; ")),
            Some(rest) => format!("Record<string, {}>", self.value(rest, root, depth)),
            None => "{}".to_owned(),
        }
    }

    /// The name of the interface for a reference, which may lead back to itself.
    fn interface(&mut self, reference: &str, root: &Root<'_>, depth: usize) -> String {
        let pointer = reference.strip_prefix('#');
        let whole = Value::Object(root.schema.clone());
        let Some(target) = pointer.and_then(|pointer| whole.pointer(pointer)) else {
            return "unknown".to_owned();
        };
        let last = reference.rsplit('/').next().unwrap_or_default();
        let name = format!("{}{}", root.prefix, identifier(last));
        if !self.interfaces.contains_key(&name) {
            // The name is known while its members are written.
            self.interfaces.insert(name.clone(), String::new());
            let ty = self.value(target, root, depth);
            self.interfaces
                .insert(name.clone(), format!("type {name} = {ty};"));
        }
        name
    }
}
