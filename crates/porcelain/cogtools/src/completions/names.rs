//! Names of the project, read from its files and from cached declarations.

use std::collections::BTreeSet;

use cogtools_core::Registry;
use cogtools_program::Io;
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::cached_registry;
use serde_json::{Map, Value};

use super::Candidate;

/// Up to how many tools are loaded for their descriptions.
const MAX_DESCRIBED: usize = 64;
/// The maximum number of candidates: more are not read, and make shells slow.
const MAX_CANDIDATES: usize = 1_000;

/// The tools that the project has; none if its configuration is not valid.
pub(super) struct Names(Option<Registry>);

impl Names {
    pub(super) fn new(io: &Io<'_>) -> Self {
        let args = RegistryArgs {
            lenient: true,
            ..RegistryArgs::default()
        };
        Self(cached_registry(&args, io).ok())
    }

    /// The tools whose names begin with `typed`.
    pub(super) fn tools(&self, typed: &str) -> Vec<Candidate> {
        let Some(registry) = &self.0 else {
            return Vec::new();
        };
        let mut files = registry.files().items;
        files.retain(|file| {
            file.name
                .to_str()
                .is_some_and(|name| name.starts_with(typed))
        });
        files.truncate(MAX_CANDIDATES);
        let is_described = files.len() <= MAX_DESCRIBED;
        let candidate = |file: &cogtools_core::Candidate| {
            let tool = if is_described { file.load().ok() } else { None };
            let about = tool.as_ref().map_or("", |tool| tool.description.as_str());
            Candidate::new(file.name.to_string_lossy(), about)
        };
        files.iter().map(candidate).collect()
    }

    /// The toolsets.
    pub(super) fn toolsets(&self) -> Vec<Candidate> {
        let files = self.0.as_ref().map(|registry| registry.files().items);
        let files = files.iter().flatten();
        let names: BTreeSet<&str> = files
            .filter_map(|file| file.provenance.toolset.as_deref())
            .collect();
        names
            .into_iter()
            .map(|name| Candidate::new(name, ""))
            .collect()
    }

    /// The arguments of `tool` that begin with `typed`: keys, or behind one its values.
    pub(super) fn arguments(&self, tool: &str, typed: &str) -> Vec<Candidate> {
        let Some(tool) = self
            .0
            .as_ref()
            .and_then(|registry| registry.find(tool).ok())
        else {
            return Vec::new();
        };
        let schema = &tool.schema;
        if let Some((key, _)) = typed.split_once('=') {
            let path = schema.path_of(key);
            let declared = schema.declared_at(&path);
            let values = declared.map(|declared| values(declared, &schema.types_of(declared)));
            let values = values.unwrap_or_default().into_iter();
            let values = values.map(|value| Candidate::new(format!("{key}={}", value.value), ""));
            let mut values: Vec<Candidate> = values.collect();
            values.retain(|value| value.value.starts_with(typed));
            // Without those that need quotes, a shell would take the others for all.
            if !values.iter().all(Candidate::is_safe) {
                values.clear();
            }
            return values;
        }
        let mut found = Vec::new();
        keys(schema.as_object(), "", &mut found);
        found.truncate(MAX_CANDIDATES);
        found
    }
}

/// The keys of `schema` and of the objects in it.
fn keys(schema: &Map<String, Value>, prefix: &str, found: &mut Vec<Candidate>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let Some(property) = property.as_object() else {
            continue;
        };
        // Only one level: deeper ones are rare, and JSON is shorter there.
        if prefix.is_empty() && property.contains_key("properties") {
            keys(property, &format!("{name}."), found);
            continue;
        }
        let about = property.get("description").and_then(Value::as_str);
        found.push(Candidate::new(
            format!("{prefix}{name}="),
            about.unwrap_or_default(),
        ));
    }
}

/// The values that `schema` lists.
fn values(schema: &Map<String, Value>, types: &BTreeSet<&str>) -> Vec<Candidate> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        return values
            .iter()
            .map(|value| Candidate::new(text(value), ""))
            .collect();
    }
    if types.contains("boolean") {
        return vec![Candidate::new("true", ""), Candidate::new("false", "")];
    }
    Vec::new()
}
