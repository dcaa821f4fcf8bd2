//! An operation of a specification as a tool file.

use serde_json::{Map, Value, json};
use wildmatch::WildMatch;

use super::name::{Spread, constant, free, name, parts, styled, variable};
use super::schema::{Direction, Resolver, follow};
use super::{Options, Override};
use crate::schema::Schema;

type Object = Map<String, Value>;

/// The methods of operations.
const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];
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
}

/// The place of an operation in a specification.
pub(super) struct Place<'s> {
    pub(super) root: &'s Value,
    pub(super) options: &'s Options,
    pub(super) item: &'s Value,
    pub(super) value: &'s Value,
    method: &'s str,
    path: &'s str,
}

/// A parameter of a tool.
struct Parameter {
    name: String,
    wire: String,
    place: &'static str,
    schema: Value,
    is_required: bool,
    /// The template of its value.
    template: Value,
    /// The way in which an object becomes several parameters.
    spread: Option<Spread>,
}

/// The body of a request in a specification.
struct BodySchema {
    media_type: String,
    schema: Value,
    /// The styles of the fields of a form.
    encoding: Value,
    is_required: bool,
}

impl Parameter {
    /// The names on the wire, with the templates of their values.
    fn parts(&self) -> Vec<(String, Value)> {
        parts(
            &self.wire,
            &self.name,
            &self.schema,
            self.spread,
            self.template.clone(),
        )
    }
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
    let paths = root.get("paths").and_then(Value::as_object);
    for (path, item) in paths.into_iter().flatten() {
        let item = follow(root, item).unwrap_or(item);
        for method in METHODS {
            let Some(value) = item.get(method).filter(|value| value.is_object()) else {
                continue;
            };
            let place = Place {
                root,
                options,
                item,
                value,
                method,
                path,
            };
            if !place.is_included() {
                continue;
            }
            let name = place.name();
            if only.is_some_and(|only| only != name) {
                continue;
            }
            let mut operation = place.operation(name, has);
            if found.iter().any(|other| other.name == operation.name) {
                operation.document = Err(format!("two operations are named `{}`", operation.name));
            }
            found.push(operation);
        }
    }
    found
}

impl Place<'_> {
    fn line(&self) -> String {
        format!("{} {}", self.method.to_uppercase(), self.path)
    }

    fn id(&self) -> Option<&str> {
        let id = self.value.get("operationId").and_then(Value::as_str);
        id.filter(|id| !id.is_empty())
    }

    fn is_included(&self) -> bool {
        let tags = self.value.get("tags").and_then(Value::as_array);
        let tags: Vec<&str> = tags
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let line = self.line();
        let matches = |pattern: &String| {
            let is = |text: &str, pattern: &str| WildMatch::new(pattern).matches(text);
            match pattern.strip_prefix("tag:") {
                Some(tag) => tags.iter().any(|own| is(own, tag)),
                None if pattern.contains(' ') => is(&line, pattern),
                None => self.id().is_some_and(|id| is(id, pattern)),
            }
        };
        let Options {
            include, exclude, ..
        } = self.options;
        (include.is_empty() || include.iter().any(matches)) && !exclude.iter().any(matches)
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
        let id = self.id().map_or_else(|| self.line(), str::to_owned);
        let mut output = None;
        let document = self.document(&name, has, &mut output);
        Operation {
            name,
            id,
            line: self.line(),
            document,
            output,
        }
    }

    fn document(
        &self,
        name: &str,
        has: &dyn Fn(&[String]) -> bool,
        output: &mut Option<Value>,
    ) -> Result<Value, String> {
        let own = self.overrides().cloned().unwrap_or_default();
        let mut taken = Vec::new();
        let mut parameters = self.parameters(&mut taken)?;
        let mut http = Object::new();
        let body = self.body(&mut taken, &mut parameters, &mut http)?;
        for parameter in &mut parameters {
            if let Some(value) = own.set.get(&parameter.name) {
                parameter.template = constant(value);
                parameter.spread = None;
            }
        }
        let url = self.url(&parameters)?;
        http.insert("url".to_owned(), url.into());
        http.insert("method".to_owned(), self.method.to_uppercase().into());
        for (place, key) in [("query", "query"), ("header", "headers")] {
            let values = parameters.iter().filter(|it| it.place == place);
            let mut map: Object = values.flat_map(Parameter::parts).collect();
            if place == "header" {
                for (name, value) in self.options.headers.iter().chain(
                    http.get(key)
                        .and_then(Value::as_object)
                        .into_iter()
                        .flatten(),
                ) {
                    map.insert(name.clone(), value.clone());
                }
            }
            if !map.is_empty() {
                http.insert(key.to_owned(), map.into());
            }
        }
        if let Some((kind, wrapped)) = body {
            let value = wrapped.unwrap_or_else(|| {
                let values = parameters.iter().filter(|it| it.place == "body");
                values.flat_map(Parameter::parts).collect::<Object>().into()
            });
            http.insert("body".to_owned(), json!({kind: value}));
        }
        if let Some(auth) = self.auth(has)? {
            http.insert("auth".to_owned(), auth);
        }
        if !self.options.hosts.is_empty() {
            http.insert("hosts".to_owned(), self.options.hosts.clone().into());
        }
        if !own.ok.is_empty() {
            http.insert("ok".to_owned(), own.ok.clone().into());
        }
        if let Some(response) = &own.response {
            http.insert("response".to_owned(), response.clone());
        }
        let declared = parameters
            .iter()
            .filter(|it| !own.set.contains_key(&it.name));
        let mut properties = Object::new();
        let mut required = Vec::new();
        for parameter in declared {
            properties.insert(parameter.name.clone(), parameter.schema.clone());
            if parameter.is_required {
                required.push(Value::from(parameter.name.clone()));
            }
        }
        let mut schema = json!({
            "type": "object", "properties": properties, "additionalProperties": false,
        });
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        let schema = schema.as_object().cloned().unwrap_or_default();
        let mut document = json!({
            "name": name,
            "description": own.description.clone().unwrap_or_else(|| self.description()),
            "parameters_schema": Schema::from_foreign(&schema).as_object(),
        });
        if own.response.is_none() {
            *output = self.output();
            if output.is_some() {
                document["output"] = json!({"type": "json"});
            }
        }
        if let Some(annotations) = own.annotations {
            document["annotations"] = annotations;
        }
        let timeout = own.timeout.or(self.options.timeout);
        if let Some(seconds) = timeout {
            document["timeout"] = seconds.into();
        }
        document["implementation"] = json!({"http": http});
        Ok(document)
    }

    fn description(&self) -> String {
        let text = |key: &str| {
            let text = self.value.get(key).and_then(Value::as_str).map(str::trim);
            text.filter(|text| !text.is_empty())
        };
        let first = |text: &str| text.split("\n\n").next().unwrap_or_default().to_owned();
        let text = text("summary")
            .map(str::to_owned)
            .or_else(|| text("description").map(first));
        let text = text.unwrap_or_else(|| self.line());
        text.chars()
            .take(MAX_DESCRIPTION)
            .collect::<String>()
            .trim()
            .to_owned()
    }

    /// The parameters of the path, the query and the headers, in this order.
    fn parameters(&self, taken: &mut Vec<String>) -> Result<Vec<Parameter>, String> {
        let mut merged: Vec<&Value> = Vec::new();
        for list in [self.item.get("parameters"), self.value.get("parameters")] {
            for parameter in list.and_then(Value::as_array).into_iter().flatten() {
                let parameter = follow(self.root, parameter)?;
                let key = |it: &Value| (it.get("name").cloned(), it.get("in").cloned());
                merged.retain(|other| key(other) != key(parameter));
                merged.push(parameter);
            }
        }
        let mut parameters = Vec::new();
        for place in ["path", "query", "header", "cookie"] {
            let at = |it: &&&Value| it.get("in").and_then(Value::as_str) == Some(place);
            for value in merged.iter().filter(at) {
                let wire = value
                    .get("name")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                let is_required = value.get("required") == Some(&Value::Bool(true));
                let lower = wire.to_ascii_lowercase();
                let is_own = matches!(
                    lower.as_str(),
                    "accept" | "content-type" | "authorization" | "host" | "content-length"
                );
                match place {
                    "cookie" if is_required => return Err(format!("it needs the cookie `{wire}`")),
                    "cookie" => continue,
                    "header" if is_own => continue,
                    _ => {}
                }
                let name = free(wire, place, taken);
                let content = value.pointer("/content/application~1json/schema");
                let schema = value.get("schema").or(content).unwrap_or(value);
                let mut schema = Resolver::new(self.root, Direction::Request).schema(schema)?;
                if let Some(object) = schema.as_object_mut() {
                    if value.get("schema").is_none() && content.is_none() {
                        for key in ["name", "in", "required", "collectionFormat"] {
                            object.shift_remove(key);
                        }
                    }
                    if let Some(text) = value.get("description") {
                        object.insert("description".to_owned(), text.clone());
                    }
                }
                let style = value.get("style").and_then(Value::as_str);
                let explode = value.get("explode").and_then(Value::as_bool);
                let is_spread = place == "query" && value.get("schema").is_some();
                parameters.push(Parameter {
                    spread: is_spread
                        .then(|| Spread::of(style, explode, &schema))
                        .flatten(),
                    template: styled(&name, value, place, &schema),
                    wire: wire.to_owned(),
                    is_required: is_required || place == "path",
                    name,
                    place,
                    schema,
                });
            }
        }
        Ok(parameters)
    }

    /// Adds the parameters of the body, and returns its kind, and its value if it is not a map of
    /// them.
    fn body(
        &self,
        taken: &mut Vec<String>,
        parameters: &mut Vec<Parameter>,
        http: &mut Object,
    ) -> Result<Option<(&'static str, Option<Value>)>, String> {
        let Some(BodySchema {
            media_type,
            schema,
            encoding,
            is_required,
        }) = self.body_schema()?
        else {
            return Ok(None);
        };
        if matches!(self.method, "get" | "head") {
            return Ok(None);
        }
        let base = media_type
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned();
        let own = json!({"Content-Type": constant(&base.as_str().into())});
        let kind = match base.as_str() {
            "application/x-www-form-urlencoded" => "form",
            "multipart/form-data" => "multipart",
            "application/json" | "*/*" => "json",
            other if other.ends_with("+json") || other.ends_with("/json") => {
                http.insert("headers".to_owned(), own);
                "json"
            }
            other if other.starts_with("text/") => {
                http.insert("headers".to_owned(), own);
                "text"
            }
            other => return Err(format!("its body has the media type `{other}`")),
        };
        let schema = Resolver::new(self.root, Direction::Request).schema(&schema)?;
        let properties = schema.get("properties").and_then(Value::as_object);
        let is_empty = properties.is_none_or(Object::is_empty);
        if matches!(kind, "form" | "multipart") && is_empty && !is_required {
            return Ok(None);
        }
        let is_open = ["anyOf", "oneOf", "allOf", "not"]
            .iter()
            .any(|key| schema.get(key).is_some())
            || schema
                .get("additionalProperties")
                .is_some_and(|it| *it != Value::Bool(false));
        let Some(properties) = properties.filter(|it| !it.is_empty() && !is_open && kind != "text")
        else {
            let name = free("body", "body", taken);
            let template = Value::from(format!("{{{{ {} }}}}", variable(&name)));
            parameters.push(Parameter {
                wire: String::new(),
                place: "whole body",
                schema,
                is_required,
                template: template.clone(),
                spread: None,
                name,
            });
            if matches!(kind, "form" | "multipart") {
                return Err("its body is no map of fields".to_owned());
            }
            return Ok(Some((kind, Some(template))));
        };
        let required = schema.get("required").and_then(Value::as_array);
        for (wire, property) in properties {
            let name = free(wire, "body", taken);
            let value = Value::from(format!("{{{{ {} }}}}", variable(&name)));
            let is_file = kind == "multipart"
                && (property.get("format") == Some(&json!("binary"))
                    || property.get("type") == Some(&json!("file")));
            let own = encoding.get(wire);
            let style = own.and_then(|it| it.get("style")?.as_str());
            let spread = style.filter(|_| kind == "form");
            let spread = spread.and_then(|style| Spread::of(Some(style), None, property));
            let mut property = property.clone();
            if is_file {
                property = json!({"type": "string", "description": "A file of the project"});
            }
            parameters.push(Parameter {
                template: if is_file {
                    json!({"file": value})
                } else {
                    value
                },
                wire: wire.clone(),
                spread,
                place: "body",
                schema: property,
                is_required: is_required
                    && required.is_some_and(|all| all.iter().any(|it| it == wire)),
                name,
            });
        }
        Ok(Some((kind, None)))
    }

    /// Returns the schema of the body, in the media type that suits best.
    fn body_schema(&self) -> Result<Option<BodySchema>, String> {
        if let Some(body) = self.value.get("requestBody") {
            let body = follow(self.root, body)?;
            let is_required = body.get("required") == Some(&Value::Bool(true));
            let content = body.get("content").and_then(Value::as_object);
            let Some(content) = content.filter(|content| !content.is_empty()) else {
                return Ok(None);
            };
            let is_json = |name: &&String| name.starts_with("application/json");
            let known = |name: &&String| {
                let name = name.as_str();
                name.contains("json") || name.contains("form") || name.starts_with("text/")
            };
            let names: Vec<&String> = content.keys().collect();
            let best = names
                .iter()
                .find(|it| is_json(it))
                .or(names.iter().find(|it| known(it)));
            let name = best.or(names.first()).map_or("", |name| name.as_str());
            let part = |key: &str| content.get(name)?.get(key).cloned();
            return Ok(Some(BodySchema {
                media_type: name.to_owned(),
                schema: part("schema").unwrap_or(json!({})),
                encoding: part("encoding").unwrap_or_default(),
                is_required,
            }));
        }
        // Swagger 2.
        let lists = [self.item.get("parameters"), self.value.get("parameters")];
        let mut fields = (Object::new(), Vec::new(), false);
        for parameter in lists
            .into_iter()
            .flatten()
            .filter_map(Value::as_array)
            .flatten()
        {
            let parameter = follow(self.root, parameter)?;
            let is_required = parameter.get("required") == Some(&Value::Bool(true));
            match parameter.get("in").and_then(Value::as_str) {
                Some("body") => {
                    let schema = parameter.get("schema").cloned().unwrap_or(json!({}));
                    return Ok(Some(BodySchema {
                        media_type: "application/json".to_owned(),
                        schema,
                        encoding: Value::Null,
                        is_required,
                    }));
                }
                Some("formData") => {
                    let name = parameter.get("name").cloned().unwrap_or_default();
                    let mut schema = parameter.as_object().cloned().unwrap_or_default();
                    for key in ["name", "in", "required", "collectionFormat"] {
                        schema.shift_remove(key);
                    }
                    fields.2 |= schema.get("type") == Some(&json!("file"));
                    if is_required {
                        fields.1.push(name.clone());
                    }
                    fields
                        .0
                        .insert(name.as_str().unwrap_or_default().to_owned(), schema.into());
                }
                _ => {}
            }
        }
        let (properties, required, has_file) = fields;
        if properties.is_empty() {
            return Ok(None);
        }
        let consumes = self.value.get("consumes").or(self.root.get("consumes"));
        let is_multipart =
            has_file || consumes.is_some_and(|it| it.to_string().contains("multipart/form-data"));
        let kind = if is_multipart {
            "multipart/form-data"
        } else {
            "application/x-www-form-urlencoded"
        };
        let schema = json!({"type": "object", "properties": properties, "required": required});
        Ok(Some(BodySchema {
            media_type: kind.to_owned(),
            schema,
            encoding: Value::Null,
            is_required: true,
        }))
    }

    /// Returns the URL with the parameters of the path as templates.
    fn url(&self, parameters: &[Parameter]) -> Result<String, String> {
        let mut url = self.server().trim_end_matches('/').to_owned();
        let mut rest = self.path;
        while let Some((before, after)) = rest.split_once('{') {
            let (wire, after) = after.split_once('}').ok_or("its path has an open brace")?;
            let parameter = parameters
                .iter()
                .find(|it| it.place == "path" && it.wire == wire);
            let parameter =
                parameter.ok_or_else(|| format!("`{wire}` in its path is not declared"))?;
            url.push_str(before);
            match &parameter.template {
                Value::String(template) => url.push_str(template),
                value => url.push_str(&value.to_string()),
            }
            rest = after;
        }
        url.push_str(rest);
        Ok(url)
    }

    /// Returns the schema of the first successful response, if it is JSON.
    fn output(&self) -> Option<Value> {
        let responses = self.value.get("responses")?.as_object()?;
        let (_, response) = responses
            .iter()
            .find(|(status, _)| status.starts_with('2'))?;
        let response = follow(self.root, response).ok()?;
        let content = response.get("content").and_then(Value::as_object);
        let media = content.and_then(|content| {
            let is_json = |name: &String| {
                name.split(';')
                    .next()
                    .is_some_and(|it| it.ends_with("json"))
            };
            content
                .iter()
                .find(|(name, _)| is_json(name))
                .map(|(_, media)| media)
        });
        let schema = media.unwrap_or(response).get("schema")?;
        let schema = Resolver::new(self.root, Direction::Response).schema(schema);
        Some(schema.unwrap_or_else(|_| json!({})))
    }
}
