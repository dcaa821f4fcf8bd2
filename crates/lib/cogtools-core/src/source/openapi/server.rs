//! The server of an operation, and its credentials.

use fluent_uri::{Uri, UriRef};
use serde_json::{Value, json};

use super::operation::Place;
use super::schema::follow;

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
            let mut url = server
                .get("url")
                .and_then(Value::as_str)
                .unwrap_or("/")
                .to_owned();
            let variables = server.get("variables").and_then(Value::as_object);
            for (name, variable) in variables.into_iter().flatten() {
                let value = self.options.variables.get(name).map(String::as_str);
                let value = value.or_else(|| variable.get("default")?.as_str());
                url = url.replace(&format!("{{{name}}}"), value.unwrap_or_default());
            }
            return url;
        }
        let path = self.root.get("basePath").and_then(Value::as_str);
        let Some(host) = self.root.get("host").and_then(Value::as_str) else {
            return path.unwrap_or("/").to_owned();
        };
        let schemes = self.root.get("schemes").and_then(Value::as_array);
        let has_http_only = schemes.is_some_and(|all| all.iter().all(|it| it == "http"));
        let scheme = if has_http_only { "http" } else { "https" };
        format!("{scheme}://{host}{}", path.unwrap_or_default())
    }

    /// Returns the credentials of the first alternative whose variables are set.
    pub(super) fn auth(&self, has: &dyn Fn(&[String]) -> bool) -> Result<Option<Value>, String> {
        let security = self.value.get("security").or(self.root.get("security"));
        let alternatives = security
            .and_then(Value::as_array)
            .filter(|all| !all.is_empty());
        let Some(alternatives) = alternatives else {
            return Ok(None);
        };
        let mut first = None;
        for alternative in alternatives {
            match self.alternative(alternative) {
                Ok((auth, names)) if has(&names) => return Ok(auth),
                found => drop(first.get_or_insert(found)),
            }
        }
        first
            .unwrap_or_else(|| Ok((None, Vec::new())))
            .map(|(auth, _)| auth)
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
        let scheme = all
            .or(self.root.get("securityDefinitions"))
            .and_then(|all| all.get(name));
        let scheme =
            scheme.ok_or_else(|| format!("the security scheme `{name}` does not exist"))?;
        let scheme = follow(self.root, scheme)?;
        let text = |key: &str| scheme.get(key).and_then(Value::as_str).unwrap_or_default();
        let own = self.options.auth.get(name);
        let capital = |c: char| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_uppercase()
            } else {
                '_'
            }
        };
        let default: String = format!("{}_{name}", self.options.name)
            .chars()
            .map(capital)
            .collect();
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
                    (
                        json!({"basic": {"user": user, "password": password}}),
                        names,
                    )
                }
                ("http", "bearer") | ("oauth2" | "openIdConnect", _) => {
                    (json!({"bearer": {"env": key}}), vec![key])
                }
                ("apiKey", _) if matches!(text("in"), "header" | "query") => {
                    let place = text("in").to_owned();
                    (
                        json!({"api_key": {place: text("name"), "env": key}}),
                        vec![key],
                    )
                }
                (kind, _) => {
                    return Err(format!("the security scheme `{name}` is of type `{kind}`"));
                }
            },
        )
    }
}
