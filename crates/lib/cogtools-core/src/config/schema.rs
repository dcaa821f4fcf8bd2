//! The schemas of files that users write and their documentation, from the doc comments of types.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::options::Options;
use super::setting;
use crate::yaml::{Data, Node};

/// A key or a group of keys in the manual.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its dotted path.
    pub name: String,
    /// True if it has keys below it instead of a value.
    pub is_group: bool,
    /// True if only the user's own configuration may set it.
    pub is_users_only: bool,
    /// Its description, paragraph by paragraph.
    pub description: Vec<String>,
}

/// The JSON Schema of `T`, draft 7, which YAML language servers support best, without references.
///
/// It is adapted to the readers: an optional key can be omitted, but unlike Rust's `Option` it
/// accepts no null. A description has the paragraphs of the doc comment.
pub fn documented<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    let settings = settings.with_transform(RecursiveTransform(adapt));
    settings.into_generator().into_root_schema_for::<T>()
}

/// Leaves the first paragraph of each description in a schema, and the example.
pub fn shortened(mut schema: Schema) -> Schema {
    RecursiveTransform(describe_shortly).transform(&mut schema);
    schema
}

/// All keys and groups of keys, in the order of the reference.
pub(super) fn keys() -> Vec<Key> {
    let mut keys = Vec::new();
    collect(documented::<Options>().as_value(), "", &mut keys);
    keys
}

/// The example of the key of `node` in `document`, or else the one of the closest group around it.
pub(super) fn example(document: &Node, node: &Node) -> Option<String> {
    let mut path = Vec::new();
    find(document, node, &mut path);
    let root = documented::<Options>();
    let (mut schema, mut found, mut is_named) = (root.as_value(), None, false);
    for segment in path {
        if let Some((property, variant)) = property(schema, segment) {
            let [own, of_variant] = [property, variant].map(example_of);
            // The example of a map of names is not about the keys of its values.
            found = own.or(of_variant).or(found.filter(|_| !is_named));
            (schema, is_named) = (property, false);
        } else if let Some(named) = schema.get("additionalProperties") {
            (schema, is_named) = (named, true);
        } else {
            break;
        }
    }
    found
}

/// Appends the keys that lead from `root` to `node`.
fn find<'r>(root: &'r Node, node: &Node, path: &mut Vec<&'r str>) -> bool {
    if std::ptr::eq(root, node) {
        return true;
    }
    match &root.data {
        Data::Map(entries) => entries.iter().any(|entry| {
            path.push(&entry.key);
            find(&entry.value, node, path) || path.pop().is_none()
        }),
        Data::List(items) => items.iter().any(|item| find(item, node, path)),
        _ => false,
    }
}

/// The property `name` of a schema, or of an alternative or the items of it, with the alternative.
fn property<'s>(schema: &'s Value, name: &str) -> Option<(&'s Value, &'s Value)> {
    if let Some(found) = schema.get("properties").and_then(|all| all.get(name)) {
        return Some((found, schema));
    }
    let items = schema.get("items").into_iter();
    let alternatives = ["oneOf", "anyOf"].into_iter();
    let alternatives = alternatives.filter_map(|key| schema.get(key)?.as_array());
    let mut inner = items.chain(alternatives.flatten());
    inner.find_map(|schema| property(schema, name))
}

fn example_of(schema: &Value) -> Option<String> {
    let description = schema.get("description")?.as_str()?;
    let mut paragraphs = description.split("\n\n");
    let example = paragraphs.find_map(|paragraph| paragraph.strip_prefix("Example: "))?;
    Some(example.to_owned())
}

fn collect(schema: &Value, prefix: &str, keys: &mut Vec<Key>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (key, property) in properties.into_iter().flatten() {
        let name = format!("{prefix}{key}");
        let description = property["description"].as_str().unwrap_or_default();
        let is_group = property.get("properties").is_some();
        keys.push(Key {
            is_group,
            is_users_only: setting::is_users_only(&name),
            description: description.split("\n\n").map(str::to_owned).collect(),
            name: name.clone(),
        });
        // The names of rules are the linter's.
        if is_group && key != "lint" {
            collect(property, &format!("{name}."), keys);
        }
    }
}

fn adapt(schema: &mut Schema) {
    let Some(fields) = schema.as_object_mut() else {
        return;
    };
    fields.remove("default");
    // The bounds describe an integer completely.
    fields.remove("format");
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [kind] = types.as_slice() {
            fields["type"] = kind.clone();
        }
    }
    if let Some(Value::Array(variants)) = fields.get_mut("anyOf") {
        variants.retain(|variant| variant["type"] != "null");
        if let [Value::Object(variant)] = variants.as_mut_slice() {
            let variant = std::mem::take(variant);
            fields.remove("anyOf");
            for (key, value) in variant {
                fields.entry(key).or_insert(value);
            }
        }
    }
    if let Some(Value::String(description)) = fields.get_mut("description") {
        let paragraphs = description.split("\n\n");
        let joined: Vec<String> = paragraphs.map(|it| it.replace('\n', " ")).collect();
        *description = joined.join("\n\n");
    }
}

fn describe_shortly(schema: &mut Schema) {
    if let Some(Value::String(description)) = schema.get_mut("description") {
        let mut paragraphs = description.split("\n\n");
        let first = paragraphs.next().unwrap_or_default();
        let example = paragraphs.find(|paragraph| paragraph.starts_with("Example: "));
        let parts: Vec<&str> = std::iter::once(first).chain(example).collect();
        *description = parts.join(" ");
    }
}
