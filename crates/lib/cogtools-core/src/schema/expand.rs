//! From YAML to the Schema Object: expands sugar and checks every keyword.
//!
//! `parameters` and `parameters_schema` share this code. The keywords of sugar apply
//! to entries only, so `optional`, `type` and `required` can be names of parameters.

use serde_json::{Map, Value};

use super::error::{SchemaError, SchemaErrorKind};
use super::keyword::{self, KeywordKind};
use super::types::{self, TypeExpr};
use super::{first_char, misplaced, reference};
use crate::text::Span;
use crate::yaml::{Data, Entry, Node};
use crate::{Diagnostic, Expected};

pub(super) type Object = Map<String, Value>;

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

pub(super) fn parameters(node: &Node) -> Result<Object, Vec<SchemaError>> {
    let mut expander = Expander::new(true);
    let Some(entries) = node.entries() else {
        if matches!(node.data, Data::Null) {
            return Ok(super::Schema::empty().object);
        }
        expander.report(SchemaErrorKind::NotEntries(node.kind()), node.span);
        return Err(expander.errors);
    };
    let mut root = Object::new();
    root.insert("type".into(), "object".into());
    if let Some(span) = misplaced::schema(node) {
        expander.report(SchemaErrorKind::SchemaInSugar, span);
        return Err(expander.errors);
    }
    expander.properties(entries, &mut root);
    expander.finish(root)
}

pub(super) fn verbatim(node: &Node) -> Result<Object, Vec<SchemaError>> {
    let mut expander = Expander::new(false);
    let root = expander.schema(node).schema;
    if node.entries().is_some() && root.get("type").is_none_or(|kind| kind != "object") {
        let at = node
            .get("type")
            .map_or(first_char(node.span), |kind| kind.span);
        if expander.errors.is_empty() {
            expander.report(SchemaErrorKind::RootType, at);
        }
    }
    expander.finish(root)
}

pub(super) fn any(node: &Node) -> Result<Object, Vec<SchemaError>> {
    let mut expander = Expander::new(false);
    let root = expander.schema(node).schema;
    expander.finish(root)
}

impl Expander {
    const fn new(sugar: bool) -> Self {
        Self {
            sugar,
            errors: Vec::new(),
            references: Vec::new(),
        }
    }

    fn finish(mut self, root: Object) -> Result<Object, Vec<SchemaError>> {
        let references = std::mem::take(&mut self.references);
        let mut checker = reference::Checker::default();
        for (target, span) in &references {
            if self.is_full() {
                break;
            }
            if let Err(kind) = checker.check(&root, target) {
                self.report(kind, *span);
            }
        }
        if let Some((_, span)) = references.first().filter(|_| self.errors.is_empty())
            && let Err(kind) = checker.check_root(&root)
        {
            self.report(kind, *span);
        }
        if self.errors.is_empty() {
            Ok(root)
        } else {
            Err(self.errors)
        }
    }

    /// Whether there are more errors than are ever shown.
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
            && let Some(entry) = find(node, "optional")
        {
            self.report(SchemaErrorKind::MisplacedOptional, entry.span);
        }
        Value::Object(expanded.schema)
    }

    fn schema(&mut self, node: &Node) -> Expanded {
        let mut schema = Object::new();
        let mut optional = false;
        match &node.data {
            Data::Map(entries) => {
                for entry in entries {
                    match entry.key.as_str() {
                        "optional" if self.sugar => optional = self.optional(entry, node),
                        "required" if self.sugar => {
                            self.report(SchemaErrorKind::RequiredInSugar, entry.span);
                        }
                        _ => self.keyword(entry, &mut schema),
                    }
                }
                self.complete(node, &mut schema);
            }
            Data::Text { text, .. } if self.sugar => {
                self.sugared_type(text, node.span, &mut schema);
                self.complete(node, &mut schema);
            }
            _ => self.report(SchemaErrorKind::NotASchema(node.kind()), node.span),
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
        let array = schema.get("type").is_some_and(|kind| kind == "array");
        if array && !schema.contains_key("items") {
            let span = find(node, "type").map_or(node.span, |entry| entry.value.span);
            self.report(SchemaErrorKind::ArrayWithoutItems, span);
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
            KeywordKind::Properties => return self.properties_keyword(entry, schema),
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
            Some(text) if types::TYPES.contains(&text) => {
                schema.insert("type".into(), text.into());
            }
            Some(text) => {
                let kind = SchemaErrorKind::Type {
                    name: text.into(),
                    fix: types::suggestion(text).map(|fix| fix.to_string()),
                };
                self.report(kind, entry.value.span);
            }
            None => self.kind_error(entry, Expected::Type),
        }
    }

    /// A type in sugar, such as `string` or `string[]`.
    fn sugared_type(&mut self, text: &str, span: Span, schema: &mut Object) {
        match types::read(text) {
            Ok(TypeExpr::Plain(name)) => {
                schema.insert("type".into(), name.into());
            }
            Ok(TypeExpr::ArrayOf(inner)) => {
                schema.insert("type".into(), "array".into());
                schema.insert("items".into(), array_items(&inner));
            }
            Err(fix) => self.report(
                SchemaErrorKind::Type {
                    name: text.into(),
                    fix: fix.map(|fix| fix.to_string()),
                },
                span,
            ),
        }
    }

    fn properties_keyword(&mut self, entry: &Entry, schema: &mut Object) {
        match entry.value.entries() {
            Some(entries) => self.properties(entries, schema),
            None => self.kind_error(entry, Expected::Properties),
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

fn find<'n>(node: &'n Node, key: &str) -> Option<&'n Entry> {
    node.entries()?.iter().find(|entry| entry.key == key)
}

fn array_items(written: &TypeExpr<'_>) -> Value {
    let mut schema = Object::new();
    match written {
        TypeExpr::Plain(name) => {
            schema.insert("type".into(), (*name).into());
        }
        TypeExpr::ArrayOf(inner) => {
            schema.insert("type".into(), "array".into());
            schema.insert("items".into(), array_items(inner));
        }
    }
    Value::Object(schema)
}
