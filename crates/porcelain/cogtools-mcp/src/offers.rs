//! Everything besides tools that sources offer: prompts, resources and their templates, each with the
//! route to the source that answers for it.
//!
//! A URI is kept as long as it is the first of its kind. Under the form
//! `cogtools://sources/NAME/URI`, a resource of the source NAME is always reached, and resources
//! whose URI an earlier source or cogtools itself has are listed so.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use cogtools_core::source::{Offer, Provider};
use cogtools_core::{Diagnostic, Pattern, Registry, SourceError};
use cogtools_program::file_uri;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::declarations::Renamed;
use crate::sources::SourceSessions;
use crate::sources::host::clean;

/// The beginning of URIs that are not of sources.
const OWN: &str = "cogtools:";
/// The beginning of the URI of a resource with its source.
const SOURCES: &str = "cogtools://sources/";
/// The part of a source's instructions, and of all together, that a client gets.
const MAX_INSTRUCTIONS: usize = 4 << 10;
const CUT: &str = "[…]";

/// The offers of all sources.
#[derive(Debug, Default)]
pub(crate) struct Offers {
    pub(crate) prompts: Vec<Offered>,
    pub(crate) resources: Vec<Offered>,
    pub(crate) templates: Vec<Offered>,
    sources: Vec<Offer>,
}

/// A prompt, a resource or a template of a source.
#[derive(Debug)]
pub(crate) struct Offered {
    /// Its name, or its URI, here.
    pub(crate) name: String,
    /// Its description, as clients see it.
    pub(crate) value: Value,
    route: Route,
}

/// The subject of a request: a prompt by its name, a resource or a template by its URI.
pub(crate) enum Subject {
    Prompt(String),
    Resource(String),
    Template(String),
}

/// The way to the owner of a prompt or a resource.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) provider: Provider,
    /// The key of the source.
    pub(crate) key: String,
    /// The name or the URI at the source.
    pub(crate) own: String,
}

impl Offers {
    /// Returns the offers of the sources of `registry`, besides the prompts that it has itself, and
    /// warnings; only cached ones, if `only_cached`.
    pub(crate) fn of(
        registry: &Registry,
        own_prompts: &HashSet<String>,
        only_cached: bool,
    ) -> (Self, Vec<Diagnostic>) {
        let (mut sources, errors) = registry.offers(only_cached);
        // A source of which no tool is wanted has nothing else either.
        sources.retain(|source| registry.is_selected_source(source.source()));
        let warnings = sources.iter().flat_map(Offer::warnings);
        let warnings = warnings.map(|warning| warning.diagnostic());
        let errors = errors.iter().map(SourceError::diagnostic).chain(warnings);
        let diagnostics = errors.collect();
        let mut offers = Self::default();
        let (mut names, mut uris) = (own_prompts.clone(), [HashSet::new(), HashSet::new()]);
        for source in &sources {
            for (name, own, value) in source.prompts(|name| names.contains(name)) {
                let is_selected = registry.is_selected(&name, Some(source.source()));
                if is_selected && names.insert(name.clone()) {
                    let offered = Offered::new(source, (name, own), ("name", value));
                    offers.prompts.push(offered);
                }
            }
            let [resources, templates] = &mut uris;
            for (list, key, seen, into) in [
                ("resources", "uri", resources, &mut offers.resources),
                (
                    "resourceTemplates",
                    "uriTemplate",
                    templates,
                    &mut offers.templates,
                ),
            ] {
                for value in source.list(list) {
                    let Some(own) = value.get(key).and_then(Value::as_str) else {
                        continue;
                    };
                    let is_first = !own.starts_with(OWN) && seen.insert(own.to_owned());
                    let uri = if is_first {
                        own.to_owned()
                    } else {
                        with_source(source.source(), own)
                    };
                    into.push(Offered::new(source, (uri, own), (key, value)));
                }
            }
        }
        offers.sources = sources;
        (offers, diagnostics)
    }

    /// Returns the URIs of resources that have other ones here.
    pub(crate) fn renamed(&self) -> Renamed {
        let renamed = self.resources.iter().filter(|it| it.name != it.route.own);
        let entry = |it: &Offered| {
            let source = it.route.provider.settings().name.clone();
            ((source, it.route.own.clone()), it.name.clone())
        };
        renamed.map(entry).collect()
    }

    /// Returns a hash of all that clients can see.
    pub(crate) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let all = [&self.prompts, &self.resources, &self.templates];
        let values = all.into_iter().flatten().map(|it| it.value.to_string());
        values.for_each(|value| value.hash(&mut hasher));
        hasher.finish()
    }

    /// Returns the way to `subject`, if a source has it.
    pub(crate) fn route(&self, subject: &Subject, sessions: &SourceSessions) -> Option<Route> {
        let (mut candidates, name) = match subject {
            Subject::Resource(uri) => return self.resource(uri, sessions),
            Subject::Prompt(name) => (self.prompts.iter().chain(&[]), name),
            Subject::Template(uri) => (self.templates.iter().chain(&self.resources), uri),
        };
        let found = candidates.find(|it| it.name == *name)?;
        Some(found.route.clone())
    }

    /// Returns the ways to a resource that no source lists: to those with resources of its scheme, or
    /// to all that have resources if there is none.
    pub(crate) fn unlisted(&self, subject: &Subject) -> Vec<Route> {
        let uri = match subject {
            Subject::Resource(uri) if !uri.starts_with(OWN) => uri,
            _ => return Vec::new(),
        };
        let lists = [("resources", "uri"), ("resourceTemplates", "uriTemplate")];
        let able = |source: &&Offer| lists.iter().any(|(list, _)| source.has(list));
        let has_scheme = |source: &&Offer| {
            let mut listed = lists
                .iter()
                .flat_map(|(list, key)| source.list(list).filter_map(|it| it.get(*key)?.as_str()));
            listed.any(|it| scheme(it).eq_ignore_ascii_case(scheme(uri)))
        };
        let mut asked: Vec<&Offer> = self.sources.iter().filter(has_scheme).collect();
        if asked.is_empty() {
            asked.extend(self.sources.iter().filter(able));
        }
        asked.iter().map(|it| Route::to(it, uri)).collect()
    }

    /// Returns the way to the resource `uri`: to the source that lists it, else that has the most
    /// specific template for it, else whose result has linked to it.
    pub(crate) fn resource(&self, uri: &str, sessions: &SourceSessions) -> Option<Route> {
        if let Some(resource) = self.resources.iter().find(|it| it.name == uri) {
            return Some(resource.route.clone());
        }
        if uri.starts_with(SOURCES) {
            let own = |source: &Offer| {
                let own = uri.strip_prefix(&*with_source(source.source(), ""))?;
                Some(Route::to(source, own))
            };
            return self.sources.iter().find_map(own);
        }
        // Our own documents are no source's.
        if uri.starts_with(OWN) {
            return None;
        }
        // A template without a scheme says nothing about whose resource it is: see `unlisted`.
        let matching = self.templates.iter().filter(|it| {
            scheme(&it.name).eq_ignore_ascii_case(scheme(uri)) && is_match(&it.name, uri)
        });
        // Of several, the first.
        let template = matching.rev().max_by_key(|it| literal(&it.name).len());
        if let Some(template) = template {
            let own = uri.to_owned();
            let route = template.route.clone();
            return Some(Route { own, ..route });
        }
        let key = sessions.linking(uri)?;
        let linking = self.sources.iter().find(|source| source.key == key)?;
        Some(Route::to(linking, uri))
    }

    /// Returns the instructions of all sources, each under its name.
    pub(crate) fn instructions(&self) -> Option<String> {
        let mut text = String::new();
        for source in &self.sources {
            let own = &source.instructions;
            if own.is_empty() {
                continue;
            }
            let heading = format!("# {}\n\n", clean(source.source()));
            let between = if text.is_empty() { "" } else { "\n\n" };
            let used = text.len() + between.len() + heading.len() + CUT.len() + 1;
            let Some(left) = MAX_INSTRUCTIONS.checked_sub(used) else {
                break;
            };
            text.push_str(between);
            text.push_str(&heading);
            text.push_str(&cut(own, left));
        }
        (!text.is_empty()).then_some(text)
    }
}

impl Offered {
    fn new(source: &Offer, (name, own): (String, &str), (key, value): (&str, &Value)) -> Self {
        let mut value = value.clone();
        if let Some(object) = value.as_object_mut() {
            object.insert(key.to_owned(), name.clone().into());
            if key != "name"
                && let Some(Value::String(shown)) = object.get_mut("name")
            {
                *shown = clean(shown);
            }
        }
        let route = Route::to(source, own);
        Self { name, value, route }
    }
}

impl Route {
    fn to(source: &Offer, own: &str) -> Self {
        Self {
            provider: source.provider.clone(),
            key: source.key.clone(),
            own: own.to_owned(),
        }
    }

    /// Gives the contents of the resource `uri` that a source has returned the URIs that they have
    /// here.
    pub(crate) fn rename(&self, contents: &mut Value, uri: &str) {
        if self.own == uri {
            return;
        }
        let contents = contents.get_mut("contents").and_then(Value::as_array_mut);
        for part in contents.into_iter().flatten() {
            if let Some(Value::String(own)) = part.get_mut("uri") {
                *own = with_source(&self.provider.settings().name, own);
            }
        }
    }

    /// Returns the parameters of a request about the resource.
    pub(crate) fn of_uri(&self) -> Map<String, Value> {
        Map::from_iter([("uri".to_owned(), self.own.clone().into())])
    }
}

/// Returns the URI of a resource with its source.
pub(crate) fn with_source(source: &str, own: &str) -> String {
    let source = file_uri::encoded(Path::new(source)).replace('/', "%2F");
    format!("{SOURCES}{source}/{own}")
}

/// The members of resources, templates and prompts that each has.
const REQUIRED: [&str; 3] = ["uri", "uriTemplate", "name"];

/// Returns `value` in the protocol's own type, without the members that are not as the protocol says.
/// A missing name is the URI.
pub(crate) fn typed<T: DeserializeOwned>(value: &Value) -> Option<T> {
    if let Ok(typed) = T::deserialize(value) {
        return Some(typed);
    }
    let all = value.as_object()?;
    let required = |key: &&str| REQUIRED.contains(key);
    let mut valid: Map<String, Value> = all.clone();
    valid.retain(|key, _| required(&key.as_str()));
    if !valid.get("name").is_some_and(Value::is_string) {
        let uri = valid.get("uri").or(valid.get("uriTemplate"))?.clone();
        valid.insert("name".to_owned(), uri);
    }
    for (key, member) in all.iter().filter(|(key, _)| !required(&key.as_str())) {
        valid.insert(key.clone(), member.clone());
        if T::deserialize(Value::Object(valid.clone())).is_err() {
            valid.remove(key);
        }
    }
    T::deserialize(Value::Object(valid)).ok()
}

fn scheme(uri: &str) -> &str {
    uri.split_once(':').map_or("", |(scheme, _)| scheme)
}

/// Returns true if `uri` may be an expansion of `template` (RFC 6570); its source knows it exactly.
fn is_match(template: &str, uri: &str) -> bool {
    Pattern::new(&pattern(template)).matches(uri)
}

/// Returns the template with `*` in the place of its expressions.
fn pattern(template: &str) -> String {
    let mut parts = template.split('{');
    let mut pattern = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.split_once('}').map_or("", |(_, rest)| rest);
        pattern.push('*');
        pattern.push_str(rest);
    }
    pattern
}

/// Returns the text of a template without its expressions.
fn literal(template: &str) -> String {
    pattern(template).replace('*', "")
}

/// Returns `text` up to the last line that ends within `limit`, and a note that the rest is missing.
fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(limit);
    let end = text[..end].rfind('\n').map_or(0, |end| end + 1);
    format!("{}{CUT}", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_match_templates() {
        for (template, uri, expected) in [
            ("test://template/{id}/data", "test://template/1/data", true),
            ("test://template/{id}/data", "test://template/1", false),
            ("file:///{+path}", "file:///a/b", true),
            ("a://b{?c,d}", "a://b?c=1&d=2", true),
            ("a://b", "a://bc", false),
            ("a://{b", "a://c", true),
        ] {
            assert_eq!(is_match(template, uri), expected, "{template} {uri}");
        }
        assert_eq!(literal("a://{b}/c{+d}"), "a:///c");
    }

    #[test]
    fn a_source_stands_before_its_uri() {
        let uri = with_source("team/files", "file:///a b");
        assert_eq!(uri, "cogtools://sources/team%2Ffiles/file:///a b");
    }

    #[test]
    fn long_instructions_are_cut_at_a_line() {
        assert_eq!(cut("one\ntwo", 7), "one\ntwo");
        assert_eq!(cut("one\ntwo", 6), "one\n[…]");
        assert_eq!(cut("one", 2), "[…]");
        assert_eq!(cut("ä\nö", 4), "ä\n[…]");
    }
}
