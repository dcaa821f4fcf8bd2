//! From YAML to the Schema Object: expands sugar and checks every keyword.
//!
//! `parameters` and `parameters_schema` share this code. The keywords of sugar apply
//! to entries only, so `optional`, `type` and `required` can be names of parameters.

use serde_json::Value;

use crate::schema::error::{
    Fix, SchemaError, SchemaErrorKind, TYPES, suggested_type, suggestion, written_out,
};
use crate::schema::keyword::{self, KeywordKind};
use crate::schema::{Object, Schema, first_char, is_of_type, translate};
use crate::text::Span;
use crate::yaml::{Data, Entry, Node};
use crate::{Diagnostic, Expected};

pub(super) struct Expander {
    pub(super) sugar: bool,
    errors: Vec<SchemaError>,
    references: Vec<(String, Span)>,
}

/// An expanded entry.
struct Expanded {
    schema: Object,
    optional: bool,
}

impl Schema {
    /// Expands the map of sugared entries under `parameters`.
    pub fn expand(parameters: &Node) -> Result<Self, Vec<SchemaError>> {
        let mut expander = Expander::new(true);
        let Some(entries) = parameters.entries() else {
            if matches!(parameters.data, Data::Null) {
                return Ok(Self::empty());
            }
            expander.report(
                SchemaErrorKind::NotEntries(parameters.kind()),
                parameters.span,
            );
            return Err(expander.errors);
        };
        let mut root = Object::new();
        root.insert("type".into(), "object".into());
        if let Some(span) = keyword::schema(parameters) {
            expander.report(SchemaErrorKind::SchemaInSugar, span);
            return Err(expander.errors);
        }
        expander.properties(entries, &mut root);
        expander.finish(root)
    }

    /// Reads the plain Schema Object under `parameters_schema`.
    pub fn verbatim(schema: &Node) -> Result<Self, Vec<SchemaError>> {
        let mut expander = Expander::new(false);
        let root = expander.schema(schema).schema;
        if schema.entries().is_some() && !is_of_type(&root, "object") {
            let at = schema
                .get("type")
                .map_or(first_char(schema.span), |kind| kind.span);
            if expander.errors.is_empty() {
                expander.report(SchemaErrorKind::RootType, at);
            }
        }
        expander.finish(root)
    }

    /// Reads a plain Schema Object of any type, for results.
    pub fn any(schema: &Node) -> Result<Self, Vec<SchemaError>> {
        let mut expander = Expander::new(false);
        let root = expander.schema(schema).schema;
        expander.finish(root)
    }

    /// The correct spelling of a type such as `int` or `str[]`; `None` when it is
    /// correct already or unknown.
    pub fn spelling(written: &str) -> Option<String> {
        let name = written.trim_end_matches("[]");
        let brackets = &written[name.len()..];
        let correct = suggested_type(name).filter(|correct| *correct != name)?;
        // `list` and `tuple` do not name the type of the items.
        (correct != "array").then(|| format!("{correct}{brackets}"))
    }
}

impl Expander {
    const fn new(sugar: bool) -> Self {
        Self {
            sugar,
            errors: Vec::new(),
            references: Vec::new(),
        }
    }

    fn finish(mut self, root: Object) -> Result<Schema, Vec<SchemaError>> {
        let references = std::mem::take(&mut self.references);
        let mut checker = keyword::Checker::default();
        for (target, span) in &references {
            if self.is_full() {
                break;
            }
            if let Err(kind) = checker.follow(&root, target) {
                self.report(kind, *span);
            }
        }
        if let Some((_, span)) = references.first().filter(|_| self.errors.is_empty())
            && let Err(kind) = checker.count(&root, &root)
        {
            self.report(kind, *span);
        }
        if self.errors.is_empty() {
            Ok(Schema::from(root))
        } else {
            Err(self.errors)
        }
    }

    /// Returns true if there are more errors than are ever shown.
    pub(super) const fn is_full(&self) -> bool {
        self.errors.len() > Diagnostic::MAX_SHOWN
    }

    pub(super) fn report(&mut self, kind: SchemaErrorKind, span: Span) {
        if !self.is_full() {
            self.errors.push(SchemaError { kind, span });
        }
    }

    /// A schema anywhere but under `properties`.
    fn part(&mut self, node: &Node) -> Value {
        let expanded = self.schema(node);
        if self.sugar
            && let Some(entry) = node.entry("optional")
        {
            self.report(SchemaErrorKind::MisplacedOptional, entry.span);
        }
        Value::Object(expanded.schema)
    }

    fn schema(&mut self, node: &Node) -> Expanded {
        let mut schema = Object::new();
        let mut optional = false;
        let mut note = None;
        match &node.data {
            Data::Map(entries) => {
                for entry in entries {
                    match entry.key.as_str() {
                        "optional" if self.sugar => optional = self.optional(entry, node),
                        "deprecated" if self.sugar && has_text(&entry.value) => {
                            note = entry.value.text();
                            schema.insert(entry.key.clone(), true.into());
                        }
                        "required" if self.sugar => {
                            self.report(SchemaErrorKind::RequiredInSugar, entry.span);
                        }
                        _ => self.keyword(entry, &mut schema),
                    }
                }
                if self.sugar
                    && let Some(key) = items_of_list(node, &mut schema)
                {
                    let kind = node.get("type").and_then(Node::text).unwrap_or_default();
                    let kind = SchemaErrorKind::ItemsTwice(kind.to_owned(), key);
                    let items = node.entry("items").map_or(node.span, |items| items.span);
                    self.report(kind, items);
                }
                self.complete(node, &mut schema);
            }
            Data::Text { text, .. } if self.sugar => {
                self.sugared_type(text, node.span, &mut schema);
                self.complete(node, &mut schema);
            }
            _ => self.report(SchemaErrorKind::NotASchema(node.kind()), node.span),
        }
        if let Some(note) = note {
            let description = schema.get("description").and_then(Value::as_str);
            let description = deprecated(note, description.unwrap_or_default());
            schema.insert("description".into(), description.into());
        }
        optional |= self.sugar && schema.contains_key("default");
        Expanded { schema, optional }
    }

    fn optional(&mut self, entry: &Entry, parent: &Node) -> bool {
        match entry.value.data {
            Data::Bool(false) if parent.get("default").is_some() => {
                self.report(SchemaErrorKind::RequiredDefault, entry.span);
                false
            }
            Data::Bool(value) => value,
            _ => {
                self.kind_error(entry, Expected::Bool);
                false
            }
        }
    }

    /// Adds and checks what depends on several keywords.
    fn complete(&mut self, node: &Node, schema: &mut Object) {
        let strings = |values: &Value| {
            values
                .as_array()
                .is_some_and(|values| values.iter().all(Value::is_string))
        };
        if self.sugar && !schema.contains_key("type") && schema.get("enum").is_some_and(strings) {
            schema.shift_insert(0, "type".into(), "string".into());
        }
        // A nested map of properties is an object, like the whole parameter map.
        if self.sugar && !schema.contains_key("type") && schema.contains_key("properties") {
            schema.shift_insert(0, "type".into(), "object".into());
        }
        if translate::is_integer(schema)
            && let Some(Value::Number(default)) = schema.get_mut("default")
        {
            *default = translate::written_as_integer(default);
        }
        if is_of_type(schema, "array") && !schema.contains_key("items") {
            let span = node.get("type").map_or(node.span, |kind| kind.span);
            let sugar = self.sugar;
            self.report(SchemaErrorKind::ArrayWithoutItems(sugar), span);
        }
    }

    fn keyword(&mut self, entry: &Entry, schema: &mut Object) {
        let keyword = entry.key.as_str();
        let Some(takes) = keyword::takes(keyword) else {
            return self.unknown(entry);
        };
        let value = &entry.value;
        let value = match takes {
            KeywordKind::Type => return self.type_keyword(entry, schema),
            KeywordKind::Properties => {
                return match value.entries() {
                    Some(entries) => self.properties(entries, schema),
                    None => self.kind_error(entry, Expected::Properties),
                };
            }
            KeywordKind::SchemaOrFlag if matches!(value.data, Data::Bool(_)) => value.to_json(),
            KeywordKind::Schema | KeywordKind::SchemaOrFlag => self.part(value),
            KeywordKind::Schemas => match self.non_empty_items(entry, Expected::Schemas) {
                Some(items) => items.iter().map(|item| self.part(item)).collect(),
                None => return,
            },
            KeywordKind::Values => match self.non_empty_items(entry, Expected::Values) {
                Some(_) => value.to_json(),
                None => return,
            },
            KeywordKind::Names => return self.names(entry, schema),
            KeywordKind::Reference => {
                if let Some(target) = value.text() {
                    self.references.push((target.to_owned(), value.span));
                } else {
                    self.kind_error(entry, Expected::String);
                }
                value.to_json()
            }
            KeywordKind::Any => value.to_json(),
            _ => self.simple(entry, takes),
        };
        schema.insert(entry.key.clone(), value);
    }

    fn type_keyword(&mut self, entry: &Entry, schema: &mut Object) {
        match entry.value.text() {
            Some(text) if self.sugar => self.sugared_type(text, entry.value.span, schema),
            Some(text) if TYPES.contains(&text) => {
                schema.insert("type".into(), text.into());
            }
            Some(text) => {
                let fix = written_out(text).or_else(|| suggestion(text));
                let kind = SchemaErrorKind::Type(text.into(), fix.map(|fix| fix.to_string()));
                self.report(kind, entry.value.span);
            }
            None => self.kind_error(entry, Expected::Type),
        }
    }

    /// A type in sugar, such as `string` or `string[]`.
    fn sugared_type(&mut self, text: &str, span: Span, schema: &mut Object) {
        match read(text) {
            Ok(mut read) => {
                // They are merged with the ones that the author has written.
                if schema.contains_key("items") {
                    read.remove("items");
                }
                schema.extend(read);
            }
            Err(fix) => self.report(
                SchemaErrorKind::Type(text.into(), fix.map(|fix| fix.to_string())),
                span,
            ),
        }
    }

    /// Adds `properties` and, in sugar, `required`.
    fn properties(&mut self, entries: &[Entry], schema: &mut Object) {
        let mut properties = Object::with_capacity(entries.len());
        let mut required = Vec::new();
        for entry in entries {
            if self.sugar && entry.key == "required" && entry.value.items().is_some() {
                self.report(SchemaErrorKind::RequiredInSugar, entry.span);
                continue;
            }
            let expanded = self.schema(&entry.value);
            if !expanded.optional {
                required.push(Value::from(entry.key.as_str()));
            }
            properties.insert(entry.key.clone(), Value::Object(expanded.schema));
        }
        schema.insert("properties".into(), Value::Object(properties));
        if self.sugar && !required.is_empty() {
            schema.insert("required".into(), Value::Array(required));
        }
    }
}

/// Keywords of an object, which `type: object[]` has beside it.
const OF_OBJECT: [&str; 5] = [
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
];

/// Adds the type of the items that `type: string[]` names to `items` beside it, and gives items
/// that are objects the keywords of objects. Returns a key that both say in another way.
fn items_of_list(node: &Node, schema: &mut Object) -> Option<String> {
    let kind = node.get("type").and_then(Node::text);
    let read = kind.filter(|it| it.ends_with("[]")).map(read);
    let Some(Value::Object(mut items)) = read.and_then(|read| read.ok()?.remove("items")) else {
        return None;
    };
    let own = schema.get("items").and_then(Value::as_object);
    let clash = add(&mut items, own.cloned().unwrap_or_default());
    let clash = clash.or(move_keywords(schema, &mut items));
    schema.insert("items".into(), items.into());
    clash
}

fn move_keywords(from: &mut Object, items: &mut Object) -> Option<String> {
    if let Some(Value::Object(inner)) = items.get_mut("items") {
        return move_keywords(from, inner);
    }
    let keys = OF_OBJECT
        .into_iter()
        .filter(|_| is_of_type(items, "object"));
    let moved = keys.filter_map(|key| Some((key.to_owned(), from.shift_remove(key)?)));
    let moved = moved.collect();
    add(items, moved)
}

/// Adds the entries of `more` to `object`. Returns a key that had another value.
fn add(object: &mut Object, more: Object) -> Option<String> {
    let mut clash = None;
    for (key, value) in more {
        let before = object.insert(key.clone(), value);
        if before.is_some_and(|before| before != object[&key]) {
            clash = Some(key);
        }
    }
    clash
}

/// Returns true for text that is not blank.
fn has_text(node: &Node) -> bool {
    node.text().is_some_and(|text| !text.trim().is_empty())
}

/// Returns the description of what is deprecated: a model reads nothing else.
pub fn deprecated(note: &str, description: &str) -> String {
    let note = note.trim().trim_end_matches('.');
    let text = format!("Deprecated: {note}. {description}");
    text.trim_end().to_owned()
}

/// Maximum number of `[]` after one type.
const MAX_ARRAYS: usize = 8;

/// Reads `string`, `string[]`, `integer[][]` as a schema; the error is the fix, if there is one.
fn read(text: &str) -> Result<Object, Option<Fix>> {
    let typed = |name: &str| Object::from_iter([("type".to_owned(), name.into())]);
    let Some(inner) = text.strip_suffix("[]") else {
        let is_known = TYPES.contains(&text);
        return is_known
            .then(|| typed(text))
            .ok_or_else(|| suggestion(text));
    };
    // Each pair is one level of recursion.
    if inner.ends_with(&"[]".repeat(MAX_ARRAYS)) {
        return Err(Some(Fix::Advice(format!(
            "nest at most {MAX_ARRAYS} arrays; give the items a name in `properties`"
        ))));
    }
    if inner == "array" {
        let advice = "write `items`, or name the type of the items: `string[]`";
        return Err(Some(Fix::Advice(advice.into())));
    }
    let items = read(inner).map_err(|fix| {
        fix.map(|fix| match fix {
            Fix::Write(name) => Fix::Write(format!("{name}[]")),
            Fix::Advice(_) => fix,
        })
    })?;
    let mut schema = typed("array");
    schema.insert("items".into(), items.into());
    Ok(schema)
}

/// `byte`: base64 with padding, in the alphabet of RFC 4648, section 4.
pub(super) fn is_byte(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    text.len().is_multiple_of(4) && padding <= 2 && digits.bytes().all(legal)
}

/// `uuid`: five groups of hexadecimal digits, of any version.
pub(super) fn is_uuid(text: &str) -> bool {
    let groups = text.split('-').map(str::len);
    groups.eq([8, 4, 4, 4, 12])
        && text
            .bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod types_tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn other_names_of_types_have_one_correct_spelling() {
        for (text, expected) in [
            ("int", Some("integer")),
            ("Str[]", Some("string[]")),
            ("string", None),
            ("list", None),
            ("int?", None),
            ("widget", None),
        ] {
            assert_eq!(Schema::spelling(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn unknown_types_have_a_fix() {
        for (text, expected) in [
            ("int", "write `integer`"),
            ("str", "write `string`"),
            ("bool", "write `boolean`"),
            ("float", "write `number`"),
            ("String", "write `string`"),
            ("string?", "write `type: string` and `optional: true`"),
            ("int?", "write `type: integer` and `optional: true`"),
            (
                "date?",
                "write `type: string` and `format: date` and `optional: true`",
            ),
            (
                "any",
                "leave the type out, which permits any value: write `{}`",
            ),
            ("strin", "write `string`"),
            ("int[]", "write `integer[]`"),
            ("list", "write `array`"),
            ("dict", "write `object`"),
            ("map", "write `object`"),
            ("date", "write `type: string` and `format: date`"),
            ("DateTime", "write `type: string` and `format: date-time`"),
            ("email[]", "write `type: string` and `format: email`"),
            ("[str]", "write `string[]`"),
            (
                "string|int",
                "write `anyOf: [{type: string}, {type: integer}]`",
            ),
            ("string | null", "write `type: string` and `nullable: true`"),
            ("url", "write `type: string` and `format: uri`"),
            ("uuid", "write `type: string` and `format: uuid`"),
            (
                "null",
                "write the type of the other values and `nullable: true`",
            ),
            (
                "null[]",
                "write the type of the other values and `nullable: true`",
            ),
        ] {
            let fix = read(text).unwrap_err().expect(text);
            assert_eq!(fix.to_string(), expected, "{text}");
        }
        assert_eq!(read("widget"), Err(None));
        for (text, expected) in [
            ("string", json!({"type": "string"})),
            (
                "number[]",
                json!({"type": "array", "items": {"type": "number"}}),
            ),
        ] {
            assert_eq!(read(text).map(Value::from), Ok(expected));
        }
    }
}

#[cfg(test)]
mod format_tests {
    use super::*;

    #[test]
    fn byte_is_padded_base64() {
        for text in ["", "QQ==", "QUI=", "QUJD", "+/+/", "QUJDRA=="] {
            assert!(is_byte(text), "{text}");
        }
        for text in [
            "Q", "QQ", "QQ=", "Q===", "====", "QQ==QQ==", "QU_-", "QUJ D", "é===",
        ] {
            assert!(!is_byte(text), "{text}");
        }
    }

    #[test]
    fn uuid_is_five_groups_of_hexadecimal_digits() {
        for text in [
            "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
            "2EB8AA08-AA98-11EA-B4AA-73B441D16380",
            "00000000-0000-0000-0000-000000000000",
        ] {
            assert!(is_uuid(text), "{text}");
        }
        for text in [
            "",
            "2eb8aa08aa9811eab4aa73b441d16380",
            "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
            "2eb8aa08-aa98-11ea-b4aa73b441d16380-",
            "2eb8aa0g-aa98-11ea-b4aa-73b441d16380",
            "{2eb8aa08-aa98-11ea-b4aa-73b441d1638}",
        ] {
            assert!(!is_uuid(text), "{text}");
        }
    }
}
