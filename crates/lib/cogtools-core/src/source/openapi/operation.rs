//! An operation of a specification as a tool file.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use wildmatch::WildMatch;

use super::name::{Parameter, constant, free, is_json, name, variable};
use super::schema::{Direction, Place, Resolved, Resolver, describe_defaults, follow};
use super::{Options, Override};
use crate::json;
use crate::schema::Schema;

type Object = Map<String, Value>;

/// The methods of operations.
const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];
/// Why an operation is left out after too many schemas.
const TOO_LARGE: &str = "the schemas of the specification are too large together";
/// The longest description, in characters.
const MAX_DESCRIPTION: usize = 400;

/// A tool that an operation becomes.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its name with the prefix.
    pub name: String,
    /// `operationId`, or the method and the path.
    pub id: String,
    /// Its method and path.
    pub line: String,
    /// The tool file, or why there is none.
    pub document: Result<Value, String>,
    /// The schema of its result.
    pub output: Option<Value>,
    /// The variables with credentials of all alternatives.
    pub variables: Vec<String>,
    /// The parameters that the tool does not have, each with the reason.
    pub left_out: Vec<(String, String)>,
    /// The values in `set` that are of no parameter.
    pub unknown: Vec<String>,
    /// The number of operations after it that are left out for the same reason.
    pub followers: usize,
}

/// Finds the operations of the specification `root` that `options` include, or those that are
/// named `only`. `has` says if variables are set.
pub(super) fn operations(
    root: &Value,
    options: &Options,
    has: &dyn Fn(&[String]) -> bool,
    only: Option<&str>,
) -> Vec<Operation> {
    let mut found: Vec<Operation> = Vec::new();
    let resolved = Resolved::default();
    for place in places(root, options, &resolved) {
        if !place.is_included() {
            continue;
        }
        if let (true, Some(last)) = (resolved.is_full(), found.last_mut()) {
            last.followers += usize::from(place.fault.is_none());
            continue;
        }
        if let Some(reason) = &place.fault {
            // Its methods are not known: the path has one warning.
            let is_new = found.last().is_none_or(|last| last.line != place.path);
            found.extend((only.is_none() && is_new).then(|| Operation::none(place.path, reason)));
            continue;
        }
        let name = place.name();
        if only.is_some_and(|only| only != name) {
            continue;
        }
        let mut operation = place.operation(name, has);
        if resolved.is_full() {
            operation.document = Err(TOO_LARGE.to_owned());
        } else if found.iter().any(|other| other.name == operation.name) {
            operation.document = Err(format!("two operations are named `{}`", operation.name));
        }
        found.push(operation);
    }
    found
}

/// Finds the operations of the specification `root`, and the paths that cannot be read.
fn places<'s>(root: &'s Value, options: &'s Options, resolved: &'s Resolved) -> Vec<Place<'s>> {
    let mut places = Vec::new();
    for (path, item) in root["paths"].as_object().into_iter().flatten() {
        let followed = follow(root, item);
        let item = followed.as_ref().map_or(item, |it| *it);
        let fault = followed.err();
        for method in METHODS {
            let value = &item[method];
            if value.is_object() || fault.is_some() {
                places.push(Place {
                    root,
                    options,
                    item,
                    value,
                    resolved,
                    method,
                    path,
                    fault: fault.clone(),
                });
            }
        }
    }
    places
}

/// Finds the names and the patterns in `options` that match nothing in `root`, with their keys;
/// `found` are its tools.
pub(super) fn unused(
    root: &Value,
    options: &Options,
    found: &[Arc<Operation>],
) -> Vec<(&'static str, String)> {
    let of = |key: &'static str, all: &[String]| -> Vec<_> {
        all.iter().map(|it| (key, it.clone())).collect()
    };
    let names: Vec<String> = options.overrides.keys().cloned().collect();
    let mut unused = of("include", &options.include);
    unused.extend(of("exclude", &options.exclude));
    unused.extend(of("overrides", &names));
    for place in places(root, options, &Resolved::default()) {
        unused.retain(|(key, text)| match *key {
            "overrides" => place.id() != Some(text) && place.line() != *text,
            _ => !place.is_matched(text),
        });
    }
    let tools = found.iter().filter(|it| it.document.is_ok());
    unused.extend(tools.flat_map(|it| of("set", &it.unknown)));
    unused
}

impl Operation {
    /// Makes what is no operation at `line`.
    fn none(line: &str, reason: &str) -> Self {
        Self {
            name: String::new(),
            id: line.to_owned(),
            line: line.to_owned(),
            document: Err(reason.to_owned()),
            output: None,
            variables: Vec::new(),
            left_out: Vec::new(),
            unknown: Vec::new(),
            followers: 0,
        }
    }
}

impl Place<'_> {
    fn line(&self) -> String {
        format!("{} {}", self.method.to_uppercase(), self.path)
    }

    fn id(&self) -> Option<&str> {
        let id = self.value["operationId"].as_str();
        id.filter(|id| !id.is_empty())
    }

    fn is_included(&self) -> bool {
        let Options {
            include, exclude, ..
        } = self.options;
        let matches = |pattern: &String| self.is_matched(pattern);
        (include.is_empty() || include.iter().any(matches)) && !exclude.iter().any(matches)
    }

    fn is_matched(&self, pattern: &str) -> bool {
        let tags = self.value["tags"].as_array().into_iter().flatten();
        let mut tags = tags.filter_map(Value::as_str);
        let is = |text: &str, pattern: &str| WildMatch::new(pattern).matches(text);
        match pattern.strip_prefix("tag:") {
            Some(tag) => tags.any(|own| is(own, tag)),
            None if pattern.contains(' ') => is(&self.line(), pattern),
            None => self.id().is_some_and(|id| is(id, pattern)),
        }
    }

    fn overrides(&self) -> Option<&Override> {
        let all = &self.options.overrides;
        let by_id = self.id().and_then(|id| all.get(id));
        by_id.or_else(|| all.get(&self.line()))
    }

    fn name(&self) -> String {
        let own = self.overrides().and_then(|it| it.name.clone());
        let plain = match (own, self.id()) {
            (Some(name), _) => name,
            (None, Some(id)) => id.to_owned(),
            (None, None) => format!("{}_{}", self.method, self.path),
        };
        name(&format!("{}{plain}", self.options.prefix))
    }

    fn operation(&self, name: String, has: &dyn Fn(&[String]) -> bool) -> Operation {
        let mut operation = Operation::none(&self.line(), "");
        operation.name = name;
        if let Some(id) = self.id() {
            id.clone_into(&mut operation.id);
        }
        operation.document = self.document(has, &mut operation);
        operation
    }

    fn document(
        &self,
        has: &dyn Fn(&[String]) -> bool,
        operation: &mut Operation,
    ) -> Result<Value, String> {
        let own = self.overrides().cloned().unwrap_or_default();
        let mut taken = Vec::new();
        let left_out = &mut operation.left_out;
        let mut parameters = self.parameters(&mut taken, left_out)?;
        let mut http = Object::new();
        let body = self.body(&mut taken, &mut parameters, &mut http, left_out)?;
        for parameter in &mut parameters {
            if let Some(value) = own.set.get(&parameter.name) {
                let value = match parameter.place {
                    // In a path, only values are encoded, with commas in a list in a list.
                    "path" if value.is_array() => format!("{{{{ [{value}] }}}}").into(),
                    "path" => format!("{{{{ {value} }}}}").into(),
                    _ => constant(value),
                };
                parameter.parts = vec![(parameter.wire.clone(), value)];
            }
        }
        let is_known = |name: &&String| parameters.iter().any(|it| it.name == **name);
        let unknown = own.set.keys().filter(|name| !is_known(name));
        operation.unknown.extend(unknown.cloned());
        let url = self.url(&parameters)?;
        http.insert("url".to_owned(), url.into());
        http.insert("method".to_owned(), self.method.to_uppercase().into());
        for (place, key) in [("query", "query"), ("header", "headers")] {
            let values = parameters.iter().filter(|it| it.place == place);
            let mut map: Object = values.flat_map(|it| it.parts.clone()).collect();
            if place == "header" {
                map.extend(self.options.headers.clone());
                map.extend(json::object(http.get(key).cloned().unwrap_or_default()));
            }
            if !map.is_empty() {
                http.insert(key.to_owned(), map.into());
            }
        }
        if let Some((kind, wrapped)) = body {
            let value = wrapped.unwrap_or_else(|| {
                let values = parameters.iter().filter(|it| it.place == "body");
                let parts = values.flat_map(|it| it.parts.clone());
                parts.collect::<Object>().into()
            });
            http.insert("body".to_owned(), json!({kind: value}));
        }
        let hosts = &self.options.hosts;
        let optional = [
            ("auth", self.auth(has, &mut operation.variables)?),
            ("hosts", (!hosts.is_empty()).then(|| json!(hosts))),
            ("ok", (!own.ok.is_empty()).then(|| json!(own.ok))),
            ("response", own.response.clone()),
        ];
        let optional = optional.into_iter();
        http.extend(optional.filter_map(|(key, value)| Some((key.to_owned(), value?))));
        let mut properties = Object::new();
        let mut required = Vec::new();
        for parameter in &parameters {
            if own.set.contains_key(&parameter.name) {
                continue;
            }
            let mut schema = parameter.schema.clone();
            describe_defaults(&mut schema);
            properties.insert(parameter.name.clone(), schema);
            if parameter.is_required {
                required.push(Value::from(parameter.name.clone()));
            }
        }
        let mut schema = json::object(json!({
            "type": "object", "properties": properties, "additionalProperties": false,
        }));
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        let mut document = json!({
            "name": operation.name,
            "description": own.description.clone().unwrap_or_else(|| self.description()),
            "parameters_schema": Schema::from_foreign(&schema).as_object(),
        });
        if own.response.is_none() {
            operation.output = self.output();
            if operation.output.is_some() {
                document["output"] = json!({"type": "json"});
            }
        }
        if let Some(annotations) = own.annotations {
            document["annotations"] = annotations;
        }
        if let Some(seconds) = own.timeout.or(self.options.timeout) {
            document["timeout"] = seconds.into();
        }
        document["implementation"] = json!({"http": http});
        Ok(document)
    }

    fn description(&self) -> String {
        let text = |key: &str| {
            let text = self.value[key].as_str().map(str::trim);
            text.filter(|text| !text.is_empty())
        };
        let first = |text: &str| text.split("\n\n").next().unwrap_or_default().to_owned();
        let summary = text("summary").map(str::to_owned);
        let text = summary.or_else(|| text("description").map(first));
        let text = text.unwrap_or_else(|| self.line());
        let text: String = text.chars().take(MAX_DESCRIPTION).collect();
        text.trim().to_owned()
    }

    /// Adds the parameters of the body, and returns its kind, and its value if it is not a map of
    /// them.
    fn body(
        &self,
        taken: &mut Vec<String>,
        parameters: &mut Vec<Parameter>,
        http: &mut Object,
        left_out: &mut Vec<(String, String)>,
    ) -> Result<Option<(&'static str, Option<Value>)>, String> {
        let Some(body) = self.body_schema()? else {
            return Ok(None);
        };
        let is_required = body.is_required;
        if matches!(self.method, "get" | "head") {
            return Ok(None);
        }
        let base = body.media_type.split(';').next().unwrap_or_default();
        let base = base.trim().to_owned();
        let own = json!({"Content-Type": constant(&base.as_str().into())});
        let kind = match base.as_str() {
            "application/x-www-form-urlencoded" => "form",
            "multipart/form-data" => "multipart",
            "application/json" | "*/*" | "application/*+json" => "json",
            "text/*" => "text",
            other if is_json(other) => {
                http.insert("headers".to_owned(), own);
                "json"
            }
            other if other.starts_with("text/") => {
                http.insert("headers".to_owned(), own);
                "text"
            }
            other => return Err(format!("its body has the media type `{other}`")),
        };
        let schema = self.schema(&body.schema, Direction::Request)?;
        let properties = schema["properties"].as_object();
        let is_empty = properties.is_none_or(Object::is_empty);
        if matches!(kind, "form" | "multipart") && is_empty && !is_required {
            return Ok(None);
        }
        let composed = ["anyOf", "oneOf", "allOf", "not"];
        let is_open = composed.iter().any(|key| schema.get(key).is_some())
            || schema
                .get("additionalProperties")
                .is_some_and(|it| *it != false);
        let Some(properties) = properties.filter(|it| !it.is_empty() && !is_open && kind != "text")
        else {
            let name = free("body", "body", taken);
            let template = Value::from(format!("{{{{ {} }}}}", variable(&name)));
            parameters.push(Parameter {
                wire: String::new(),
                place: "whole body",
                schema,
                is_required,
                parts: Vec::new(),
                name,
            });
            if matches!(kind, "form" | "multipart") {
                return Err("its body is no map of fields".to_owned());
            }
            return Ok(Some((kind, Some(template))));
        };
        let required = schema["required"].as_array();
        for (wire, property) in properties {
            let is_required =
                is_required && required.is_some_and(|all| all.iter().any(|it| it == wire));
            let name = free(wire, "body", taken);
            match body.field(kind, wire, &name, property) {
                Ok((schema, parts)) => parameters.push(Parameter {
                    wire: wire.clone(),
                    place: "body",
                    schema,
                    is_required,
                    parts,
                    name,
                }),
                Err(reason) if is_required => return Err(reason),
                Err(reason) => left_out.push((wire.clone(), reason)),
            }
        }
        Ok(Some((kind, None)))
    }

    /// Returns a schema without references.
    pub(super) fn schema(&self, schema: &Value, direction: Direction) -> Result<Value, String> {
        Resolver::new(self.root, direction, self.resolved).schema(schema)
    }

    /// Returns the schema of the first successful response, if it is JSON.
    fn output(&self) -> Option<Value> {
        let responses = self.value.get("responses")?.as_object()?;
        let mut responses = responses.iter();
        let (_, response) = responses.find(|(status, _)| status.starts_with('2'))?;
        let response = follow(self.root, response).ok()?;
        let mut content = response["content"].as_object().into_iter().flatten();
        let media = content.find(|(name, _)| is_json(name));
        let schema = media.map_or(response, |(_, media)| media).get("schema")?;
        let schema = self.schema(schema, Direction::Response);
        Some(schema.unwrap_or_else(|_| json!({})))
    }
}
