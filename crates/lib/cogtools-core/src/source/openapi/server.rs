//! The server of an operation, its credentials, and the body of its request.

use fluent_uri::{Uri, UriRef};
use serde_json::{Map, Value, json};

use super::name::{Parameter, Style, is_json, is_of, variable};
use super::schema::{Place, follow};

/// The body of a request in a specification.
pub(super) struct BodySchema {
    pub(super) media_type: String,
    pub(super) schema: Value,
    /// The styles of the fields of a form.
    encoding: Map<String, Value>,
    pub(super) is_required: bool,
    is_swagger: bool,
}

impl Place<'_> {
    /// Returns the URL of the server, relative only if the specification has no known URL.
    pub(super) fn server(&self) -> String {
        // Braces of the specification are text: its author must not write templates.
        let declared = || self.declared_server().replace("{{", "%7B%7B");
        let server = self.options.server.clone().unwrap_or_else(declared);
        let resolved = self.options.base.as_deref().and_then(|base| {
            let base = Uri::parse(base).ok()?;
            let server = UriRef::parse(server.as_str()).ok()?;
            let resolved = server.resolve_against(&base.strip_fragment()).ok()?;
            Some(resolved.into_string())
        });
        resolved.unwrap_or(server)
    }

    fn declared_server(&self) -> String {
        let lists = [self.value, self.item, self.root].map(|it| it.get("servers"));
        let server = lists.into_iter().flatten().find_map(|list| list.get(0));
        if let Some(server) = server {
            let mut url = server["url"].as_str().unwrap_or("/").to_owned();
            for (name, variable) in server["variables"].as_object().into_iter().flatten() {
                let value = self.options.variables.get(name).map(String::as_str);
                let value = value.or_else(|| variable["default"].as_str());
                url = url.replace(&format!("{{{name}}}"), value.unwrap_or_default());
            }
            return url;
        }
        let path = self.root["basePath"].as_str();
        let Some(host) = self.root["host"].as_str() else {
            return path.unwrap_or("/").to_owned();
        };
        let schemes = self.root["schemes"].as_array();
        let has_http_only = schemes.is_some_and(|all| all.iter().all(|it| it == "http"));
        let scheme = if has_http_only { "http" } else { "https" };
        format!("{scheme}://{host}{}", path.unwrap_or_default())
    }

    /// Returns the credentials to send: the first alternative whose variables are set. If none is
    /// set, it returns no credentials where an alternative needs none, and the first one elsewhere.
    /// Adds the variables of every alternative to `names`.
    pub(super) fn auth(
        &self,
        has: &dyn Fn(&[String]) -> bool,
        names: &mut Vec<String>,
    ) -> Result<Option<Value>, String> {
        let security = self.value.get("security").or(self.root.get("security"));
        let alternatives = security.and_then(Value::as_array).into_iter().flatten();
        let all: Vec<_> = alternatives.map(|it| self.alternative(it)).collect();
        names.extend(all.iter().flatten().flat_map(|(_, own)| own.clone()));
        let is_set = |(auth, own): &&(Option<Value>, Vec<String>)| auth.is_some() && has(own);
        let set = all.iter().flatten().find(is_set);
        let open = || all.iter().flatten().find(|(auth, _)| auth.is_none());
        let first = || all.iter().flatten().next();
        if let Some((auth, _)) = set.or_else(open).or_else(first) {
            return Ok(auth.clone());
        }
        let error = all.into_iter().find_map(Result::err);
        error.map_or(Ok(None), Err)
    }

    /// Returns the credentials of an alternative, all of which are sent, and their variables.
    fn alternative(&self, alternative: &Value) -> Result<(Option<Value>, Vec<String>), String> {
        let schemes = alternative.as_object().into_iter().flatten();
        let (mut all, mut names, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (name, _) in schemes {
            let (auth, own) = self.scheme(name)?;
            let key = auth.get("api_key");
            let at = |place: &str| Some(key?.get(place)?.as_str()?.to_ascii_lowercase());
            let place = if let Some(parameter) = at("query") {
                format!("the parameter `{parameter}`")
            } else {
                let header = at("header").unwrap_or_else(|| "authorization".to_owned());
                format!("the header `{header}`")
            };
            if places.contains(&place) {
                return Err(format!("it needs two credentials at once in {place}"));
            }
            places.push(place);
            names.extend(own);
            all.push(auth);
        }
        let auth = match all.len() {
            0 => None,
            1 => all.pop(),
            _ => Some(all.into()),
        };
        Ok((auth, names))
    }

    /// Returns the credentials of a scheme, and their variables.
    fn scheme(&self, name: &str) -> Result<(Value, Vec<String>), String> {
        let all = self.root.pointer("/components/securitySchemes");
        let scheme = all.or(self.root.get("securityDefinitions"));
        let scheme = scheme.and_then(|all| all.get(name));
        let missing = || format!("the security scheme `{name}` does not exist");
        let scheme = follow(self.root, scheme.ok_or_else(missing)?)?;
        let text = |key: &str| scheme[key].as_str().unwrap_or_default();
        let own = self.options.auth.get(name);
        let default = format!("{}_{name}", self.options.name).to_ascii_uppercase();
        let default = default.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        let variable = |value: Option<&Value>, default: &str| {
            let name = value.and_then(|value| value.get("env")?.as_str());
            name.unwrap_or(default).to_owned()
        };
        let key = variable(own, &default);
        Ok(
            match (text("type"), text("scheme").to_ascii_lowercase().as_str()) {
                ("http", "basic") | ("basic", _) => {
                    let part = |key: &str| {
                        let default = format!("{default}_{}", key.to_uppercase());
                        let own = own.and_then(|own| own.get(key));
                        if let Some(text) = own.and_then(Value::as_str) {
                            return (Value::from(text), None);
                        }
                        let name = variable(own, &default);
                        (json!({"env": name}), Some(name))
                    };
                    let (user, user_name) = part("user");
                    let (password, password_name) = part("password");
                    let names = user_name.into_iter().chain(password_name).collect();
                    let auth = json!({"basic": {"user": user, "password": password}});
                    (auth, names)
                }
                ("http", "bearer") | ("oauth2" | "openIdConnect", _) => {
                    (json!({"bearer": {"env": key}}), vec![key])
                }
                ("apiKey", _) if matches!(text("in"), "header" | "query") => {
                    let place = text("in").to_owned();
                    let auth = json!({"api_key": {place: text("name"), "env": key}});
                    (auth, vec![key])
                }
                ("apiKey", _) => return Err(format!("the security scheme `{name}` is a cookie")),
                (kind, _) => {
                    return Err(format!("the security scheme `{name}` is of type `{kind}`"));
                }
            },
        )
    }

    /// Returns the URL with the parameters of the path as templates.
    pub(super) fn url(&self, parameters: &[Parameter]) -> Result<String, String> {
        let mut url = self.server().trim_end_matches('/').to_owned();
        let mut rest = self.path;
        while let Some((before, after)) = rest.split_once('{') {
            let (wire, after) = after.split_once('}').ok_or("its path has an open brace")?;
            let mut parameters = parameters.iter();
            let parameter = parameters.find(|it| it.place == "path" && it.wire == wire);
            let missing = || format!("`{wire}` in its path is not declared");
            let parameter = parameter.ok_or_else(missing)?;
            url.push_str(before);
            let templates = parameter.parts.iter().filter_map(|(_, it)| it.as_str());
            url.extend(templates);
            rest = after;
        }
        url.push_str(rest);
        Ok(url)
    }

    /// Returns the schema of the body, in the media type that suits best.
    pub(super) fn body_schema(&self) -> Result<Option<BodySchema>, String> {
        if let Some(body) = self.value.get("requestBody") {
            let body = follow(self.root, body)?;
            let content = body["content"].as_object();
            let Some(content) = content.filter(|content| !content.is_empty()) else {
                return Ok(None);
            };
            let name = best(&content.keys().collect::<Vec<_>>());
            let media = &content[name];
            return Ok(Some(BodySchema {
                media_type: name.to_owned(),
                schema: media.get("schema").cloned().unwrap_or(json!({})),
                encoding: media["encoding"].as_object().cloned().unwrap_or_default(),
                is_required: body["required"] == true,
                is_swagger: false,
            }));
        }
        // Swagger 2.
        let lists = [self.item.get("parameters"), self.value.get("parameters")];
        let consumes = self.value.get("consumes").or(self.root.get("consumes"));
        let consumes = consumes.and_then(Value::as_array).into_iter().flatten();
        let consumes = consumes.filter_map(Value::as_str).map(str::to_owned);
        let consumes: Vec<String> = consumes.collect();
        let (mut properties, mut encoding) = (Map::new(), Map::new());
        let (mut required, mut has_file) = (Vec::new(), false);
        let lists = lists.into_iter().flatten().filter_map(Value::as_array);
        for parameter in lists.flatten() {
            let parameter = follow(self.root, parameter)?;
            let is_required = parameter["required"] == true;
            match parameter["in"].as_str() {
                Some("body") => {
                    let media_type = match best(&consumes.iter().collect::<Vec<_>>()) {
                        "" => "application/json",
                        best => best,
                    };
                    return Ok(Some(BodySchema {
                        media_type: media_type.to_owned(),
                        schema: parameter.get("schema").cloned().unwrap_or(json!({})),
                        encoding,
                        is_required,
                        is_swagger: true,
                    }));
                }
                Some("formData") => {
                    let name = parameter["name"].as_str().unwrap_or_default().to_owned();
                    let mut schema = parameter.as_object().cloned().unwrap_or_default();
                    for key in ["name", "in", "required", "collectionFormat"] {
                        schema.shift_remove(key);
                    }
                    has_file |= parameter["type"] == "file";
                    if is_required {
                        required.push(Value::from(name.clone()));
                    }
                    encoding.insert(name.clone(), parameter.clone());
                    properties.insert(name, schema.into());
                }
                _ => {}
            }
        }
        if properties.is_empty() {
            return Ok(None);
        }
        let is_multipart = |it: &String| it.starts_with("multipart/form-data");
        let kind = if has_file || consumes.iter().any(is_multipart) {
            "multipart/form-data"
        } else {
            "application/x-www-form-urlencoded"
        };
        let schema = json!({"type": "object", "properties": properties, "required": required});
        Ok(Some(BodySchema {
            media_type: kind.to_owned(),
            schema,
            encoding,
            is_required: true,
            is_swagger: true,
        }))
    }
}

impl BodySchema {
    /// Returns the schema of the argument `name` for a field, and the templates of its values.
    pub(super) fn field(
        &self,
        kind: &'static str,
        wire: &str,
        name: &str,
        schema: &Value,
    ) -> Result<(Value, Vec<(String, Value)>), String> {
        let value = Value::from(format!("{{{{ {} }}}}", variable(name)));
        let own = self.encoding.get(wire);
        let items = schema.get("items").filter(|_| is_of(schema, "array"));
        if kind == "multipart" && is_file(items.unwrap_or(schema), own) {
            let file = json!({"type": "string", "description": "A file of the project"});
            let schema = match items {
                Some(_) => json!({"type": "array", "items": file}),
                None => file,
            };
            return Ok((schema, vec![(wire.to_owned(), json!({"file": value}))]));
        }
        let has_style = own.is_some_and(|it| {
            let is_form = kind == "form";
            self.is_swagger || is_form && (it.get("style").is_some() || it.get("explode").is_some())
        });
        let parts = match own {
            Some(own) if has_style => {
                Style::of(own, kind, self.is_swagger).parts(wire, &variable(name), schema)?
            }
            _ => vec![(wire.to_owned(), value)],
        };
        Ok((schema.clone(), parts))
    }
}

/// Returns true if a part of a multipart body is a file, and not text.
fn is_file(schema: &Value, encoding: Option<&Value>) -> bool {
    let text = |value: &Value, key: &str| value.get(key)?.as_str().map(str::to_owned);
    let own = text(schema, "contentMediaType");
    let of_encoding = || text(encoding?, "contentType").filter(|_| schema.get("type").is_none());
    let is_bytes = |kind: String| !is_json(&kind) && !kind.starts_with("text/");
    text(schema, "format").as_deref() == Some("binary")
        || text(schema, "type").as_deref() == Some("file")
        || schema.get("contentEncoding").is_none() && own.or_else(of_encoding).is_some_and(is_bytes)
}

/// Returns the media type among `names` that suits best.
fn best<'n>(names: &[&'n String]) -> &'n str {
    let known = |name: &&&String| {
        name.contains("json") || name.contains("form") || name.starts_with("text/")
    };
    let mut all = names.iter();
    let json = all.find(|name| name.starts_with("application/json"));
    let found = json.or(names.iter().find(known)).or(names.first());
    found.map_or("", |name| name.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{document, options, root, tools};
    use super::*;

    #[test]
    fn bodies_of_swagger_2_are_of_what_is_consumed() {
        let operation = |kinds: &Value| {
            let body = json!({"name": "b", "in": "body", "schema": {"type": "array", "items": {}}});
            json!({"patch": {"operationId": "x", "consumes": kinds, "parameters": [body]}})
        };
        let http = |kinds: &Value| {
            let mut root = json!({"swagger": "2.0", "host": "a.example", "paths": {}});
            root["paths"] = json!({"/x": operation(kinds)});
            let found = tools(&root, &options()).remove(0).document;
            found.map(|it| it["implementation"]["http"]["headers"].clone())
        };
        for kind in [
            "application/json-patch+json",
            "application/merge-patch+json",
        ] {
            assert_eq!(http(&json!([kind])), Ok(json!({"Content-Type": kind})));
        }
        assert_eq!(
            http(&json!(["application/xml", "application/json"])),
            Ok(Value::Null)
        );
        assert_eq!(http(&json!(null)), Ok(Value::Null));
        let reason = "its body has the media type `application/xml`".to_owned();
        assert_eq!(http(&json!(["application/xml"])), Err(reason));
    }

    #[test]
    fn fields_of_a_form_have_styles() {
        let array = json!({"type": "array", "items": {"type": "string"}});
        let csv =
            json!({"name": "p", "in": "formData", "type": "array", "items": {"type": "string"}});
        let root = json!({
            "swagger": "2.0", "host": "a.example",
            "paths": {"/x": {"post": {"operationId": "x", "parameters": [csv]}}},
        });
        let form = |root: &Value| {
            let document = document(&tools(root, &options()), "x");
            document["implementation"]["http"]["body"]["form"].clone()
        };
        assert_eq!(
            form(&root),
            json!({"p": "{{ [p] if p is defined else none }}"})
        );
        let schema = json!({"type": "object", "properties": {
            "p": array, "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
        }});
        let deep = json!({"metadata": {"style": "deepObject", "explode": true}});
        let content =
            json!({"application/x-www-form-urlencoded": {"schema": schema, "encoding": deep}});
        let root = super::super::tests::root(&json!({"/x": {"post": {
            "operationId": "x", "requestBody": {"content": content},
        }}}));
        assert_eq!(
            form(&root),
            json!({"p": "{{ p }}", "metadata[]": "{{ metadata }}"})
        );
    }

    #[test]
    fn cookies_are_named_where_they_are_left_out() {
        let cookie = json!({"name": "seen", "in": "cookie", "schema": {"type": "string"}});
        let mut root = root(&json!({
            "/a": {"get": {"operationId": "a", "parameters": [cookie]}},
            "/b": {"get": {"operationId": "b", "security": [{"c": []}]}},
        }));
        root["components"]["securitySchemes"]["c"] =
            json!({"type": "apiKey", "in": "cookie", "name": "s"});
        let found = tools(&root, &options());
        let reason = "a tool sends no cookies";
        assert_eq!(found[0].left_out, [("seen".to_owned(), reason.to_owned())]);
        let reason = "the security scheme `c` is a cookie";
        assert_eq!(found[1].document, Err(reason.to_owned()));
    }
}
