//! A tool that a provider declares, converted into a tool like any other.
//!
//! Its name becomes one that hosts accept: MCP allows dots, slashes and 128 characters.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::iter;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::changes::{SCHEMAS, ToolChanges};
use super::error::InvalidDeclaration;
use super::{Provider, ProviderError, Settings};
use crate::schema::{Repairs, Schema};
use crate::text::without_mark;
use crate::tool::{Annotations, Definition, Extras, JsonDocument, ToolError};
use crate::{Name, digest, invisible};

/// One declaration: any object with a name.
#[derive(Clone, Debug)]
pub struct RemoteTool {
    /// The name that the provider knows it by.
    pub remote_name: String,
    /// The local name, with the prefix, as hosts accept it.
    pub name: String,
    /// The local name if another tool has that one: the provider's name is in front of it.
    beside: String,
    /// Its declaration, with the changes that the configuration makes: the same value, not a copy,
    /// as long as the provider declares nothing new to a program that stays.
    pub value: Arc<Value>,
    /// The provider's declaration.
    pub(super) declared: Arc<Value>,
    pub(super) changes: Arc<ToolChanges>,
}

/// The tools that a provider has declared, and its invalid declarations.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    pub(super) tools: Vec<RemoteTool>,
    pub(super) errors: Vec<Arc<ProviderError>>,
    /// Invisible characters that were removed from its texts.
    pub(super) hidden: BTreeSet<char>,
}

/// The objects in a provider's output: an array, or one under `functionDeclarations` or
/// `function_declarations`.
pub(super) fn values(printed: &[u8]) -> Result<Vec<Value>, String> {
    let value: Value = serde_json::from_slice(without_mark(printed)).map_err(|error| {
        let nothing = printed.iter().all(u8::is_ascii_whitespace);
        if nothing {
            "it printed nothing".to_owned()
        } else {
            format!("its output is not JSON ({error})")
        }
    })?;
    let array = |value: &Value| value.as_array().cloned();
    let wrapped = |value: &Value| {
        ["functionDeclarations", "function_declarations", "tools"]
            .iter()
            .find_map(|key| array(value.get(key)?))
    };
    let values = match value.as_array() {
        Some(values) => values.clone(),
        None => wrapped(&value).ok_or("its output is not a JSON array")?,
    };
    // Gemini CLI also accepts an array of wrapped arrays.
    Ok(values
        .into_iter()
        .flat_map(|value| wrapped(&value).unwrap_or_else(|| vec![value]))
        .collect())
}

/// Reads the declarations of `provider`; if several have the same name, the first
/// counts. A tool with the name of a file has the provider's name in front, and texts lose
/// their invisible characters.
pub(super) fn read(values: &[Arc<Value>], provider: &Provider) -> Declarations {
    let (mut tools, mut errors) = (Vec::new(), Vec::new());
    let mut report = |error| errors.push(Arc::new(error));
    let (mut seen, mut used) = (HashSet::new(), HashSet::new());
    let names = values
        .iter()
        .filter_map(|value| value.get("name")?.as_str());
    let local = LocalNames::new(&provider.settings().prefix, names.clone());
    let own_prefix = own_prefix(provider);
    let beside_others = LocalNames::new(&own_prefix, names);
    let all_changes = &provider.settings().changes;
    let kept_name = |value: &Arc<Value>| {
        let own = value.get("name")?.as_str()?;
        let changes = all_changes.of(own);
        let is_kept = changes.rename.is_none() && !all_changes.leaves_out(&changes, value);
        is_kept.then(|| local.of(own))
    };
    let renaming = values.iter().filter(|_| all_changes.renames());
    let kept: HashSet<String> = renaming.filter_map(kept_name).collect();
    let (mut renamed, mut hidden) = (Vec::new(), BTreeSet::new());
    for (index, value) in values.iter().enumerate() {
        let name = value.get("name").and_then(Value::as_str);
        let name = name.filter(|name| !name.is_empty());
        let Some(own) = name.map(str::to_owned) else {
            let number = (index + 1).to_string();
            let what = InvalidDeclaration::Unnamed;
            report(ProviderError::Declaration(provider.name(), what, number));
            continue;
        };
        let declared = visible(value, &mut hidden);
        let changes = all_changes.of(&own);
        if all_changes.leaves_out(&changes, &declared) {
            continue;
        }
        let value = match changes.apply(&declared) {
            // The words of a configuration can hide something, too.
            Ok(value) => visible(&value, &mut hidden),
            Err(mistake) => {
                report(ProviderError::Changes(
                    provider.name(),
                    format!("{mistake} (`{own}`)"),
                ));
                continue;
            }
        };
        if let Some(new) = &changes.rename
            && (kept.contains(new) || used.contains(new))
        {
            let mistake = format!("renames `{own}` to `{new}`, the name of another tool");
            report(ProviderError::Changes(provider.name(), mistake));
            continue;
        }
        let mut name = changes.rename.clone().unwrap_or_else(|| local.of(&own));
        let beside = match &changes.rename {
            Some(name) => LocalNames::new(&own_prefix, iter::empty()).of(name),
            None => beside_others.of(&own),
        };
        if provider.files.contain(&name) {
            renamed.push(format!("`{name}` is called `{beside}`"));
            name.clone_from(&beside);
        }
        if seen.insert(own.clone()) && !provider.files.contain(&name) && used.insert(name.clone()) {
            tools.push(RemoteTool {
                name,
                beside,
                remote_name: own,
                value,
                declared,
                changes: Arc::new(changes),
            });
        } else {
            report(ProviderError::DuplicateTool(provider.name(), own));
        }
    }
    for name in all_changes.exact_names() {
        if !values.iter().any(|value| value["name"] == name.as_str()) {
            let mistake = format!("changes `{name}`, which the source does not declare");
            report(ProviderError::Changes(provider.name(), mistake));
        }
    }
    if !renamed.is_empty() {
        report(ProviderError::NamesOfFiles(
            provider.name(),
            first(&renamed),
        ));
    }
    if !hidden.is_empty() {
        report(ProviderError::Invisible(
            provider.name(),
            code_points(&hidden),
        ));
    }
    // Every list of tools is sorted by name.
    tools.sort_by(|one: &RemoteTool, other| one.name.cmp(&other.name));
    Declarations {
        tools,
        errors,
        hidden,
    }
}

/// The code points of `characters`, or the first few.
pub fn code_points(characters: &BTreeSet<char>) -> String {
    let codes = characters
        .iter()
        .map(|c| format!("U+{:04X}", u32::from(*c)));
    first(&codes.collect::<Vec<String>>())
}

/// The first few of `items`, and how many more there are.
pub(crate) fn first(items: &[String]) -> String {
    const MAX: usize = 4;
    match items.len().saturating_sub(MAX) {
        0 => items.join(", "),
        more => format!("{} and {more} more", items[..MAX].join(", ")),
    }
}

/// The prefix of tools of `provider` that would have the name of another tool.
pub(super) fn own_prefix(provider: &Provider) -> String {
    let Settings { name, prefix, .. } = provider.settings();
    portable(&format!("{name}_{prefix}"))
}

/// `value` without invisible characters in its texts for people and models; they are added to
/// `hidden`.
pub(super) fn visible(value: &Arc<Value>, hidden: &mut BTreeSet<char>) -> Arc<Value> {
    if is_plain(value) {
        return Arc::clone(value);
    }
    let mut shown = Value::clone(value);
    invisible::remove_from_texts(&mut shown, hidden);
    Arc::new(shown)
}

/// Removes the invisible characters of texts for people and models from the declaration `value`, as
/// its tool is declared and pinned.
pub fn without_invisible(mut value: Value) -> Value {
    invisible::remove_from_texts(&mut value, &mut BTreeSet::new());
    value
}

/// Returns true if no text in `value` has anything but spaces, line feeds and visible ASCII.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::String(text) => text.bytes().all(|it| matches!(it, b' '..=b'~' | b'\n')),
        Value::Array(items) => items.iter().all(is_plain),
        Value::Object(entries) => entries.values().all(is_plain),
        _ => true,
    }
}

impl RemoteTool {
    /// Returns the tool with the provider's name in front of its own, where another one has that.
    #[must_use]
    pub fn beside(&self) -> Self {
        Self {
            name: self.beside.clone(),
            ..self.clone()
        }
    }

    /// Returns true if it may be called `name` here.
    pub(crate) fn may_be_called(&self, name: &str) -> bool {
        self.name == name || self.beside == name
    }

    /// The identifier used in place of a file path.
    pub(super) fn display_path(&self, provider: &Provider) -> PathBuf {
        PathBuf::from(format!(
            "{}: {}",
            provider.settings().name,
            self.remote_name
        ))
    }

    /// Its definition as a tool of `provider`, validated by the same rules as a file.
    pub(super) fn definition(&self, provider: &Provider) -> Result<Definition, ToolError> {
        let parameters = self.parameters(provider)?;
        let mut entries = Map::new();
        entries.insert("name".into(), self.name.clone().into());
        let is_blank = |title: &Value| title.as_str().is_some_and(|it| it.trim().is_empty());
        let title = self.value.get("title");
        if let Some(title) = title.filter(|title| !title.is_null() && !is_blank(title)) {
            entries.insert("title".into(), title.clone());
        }
        entries.insert("description".into(), self.description().into());
        let key = parameters.as_ref().map(|(key, _)| *key);
        if let Some((key, schema)) = &parameters {
            entries.insert((*key).to_owned(), schema.as_object().clone().into());
        }
        let declaration = JsonDocument::new(self.display_path(provider), entries)?;
        let definition = Definition::from_declaration(&declaration, key, self.annotations())?;
        Ok(Definition {
            schema: match parameters {
                // Some programs print types in capitals and the like, which is not JSON Schema.
                Some((key, recovered)) if key != SCHEMAS[0] => recovered,
                _ => definition.schema,
            },
            extras: Extras::of(&self.value),
            timeout: provider.settings().call_timeout(),
            provenance: Arc::new(provider.provenance()),
            ..definition
        })
    }

    /// Returns the repairs of its declaration.
    pub fn repairs(&self) -> Repairs {
        let set = |key: &&str| self.value.get(*key).filter(|value| !value.is_null());
        // The first is read as it is in a file.
        let key = SCHEMAS.iter().find(|key| set(key).is_some());
        let schema = key.filter(|key| **key != SCHEMAS[0]).and_then(set);
        let schema = schema.and_then(Value::as_object);
        let mut repairs = schema.map(Schema::repairs).unwrap_or_default();
        if self.description() == self.remote_name {
            repairs.add("description");
        }
        repairs
    }

    /// Its description, which every API wants: else its title, or its name.
    pub fn description(&self) -> &str {
        let texts = [
            self.value.get("description"),
            self.value.get("title"),
            self.value.pointer("/annotations/title"),
        ];
        let mut texts = texts.into_iter().flatten().filter_map(Value::as_str);
        texts
            .find(|text| !text.trim().is_empty())
            .unwrap_or(&self.remote_name)
    }

    /// MCP's tool annotations; invalid ones are ignored.
    fn annotations(&self) -> Annotations {
        let hints = self.value.get("annotations");
        let hint = |name: &str| hints?.get(name)?.as_bool();
        Annotations {
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        }
    }

    /// Its parameters and the key that has them, as far as a Schema Object can express
    /// them.
    fn parameters(&self, provider: &Provider) -> Result<Option<(&'static str, Schema)>, ToolError> {
        let is_set = |key: &&&str| self.value.get(**key).is_some_and(|value| !value.is_null());
        let Some(key) = SCHEMAS.iter().find(is_set) else {
            return Ok(None);
        };
        let invalid = |what: InvalidDeclaration| {
            let tool = self.remote_name.clone();
            let error = ProviderError::Declaration(provider.name(), what, tool);
            ToolError::Invalid(vec![error.diagnostic()])
        };
        let object = self.value[*key].as_object();
        let object = object.ok_or_else(|| invalid(InvalidDeclaration::SchemaKind(key)))?;
        if !accepts_objects(object) {
            return Err(invalid(InvalidDeclaration::SchemaType(key)));
        }
        // An OpenAPI schema is the author's own, and as strict as in a file.
        let schema = if *key == SCHEMAS[0] {
            Schema::from_json_schema(object.clone())
        } else {
            Schema::from_foreign(object)
        };
        Ok(Some((key, schema)))
    }
}

/// Returns true if a schema accepts objects, as far as its type says: arguments are one.
fn accepts_objects(schema: &Map<String, Value>) -> bool {
    let is_object = |kind: &Value| {
        let kind = kind.as_str().unwrap_or_default();
        kind.eq_ignore_ascii_case("object")
    };
    match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(is_object),
        Some(kind) => is_object(kind),
    }
}

/// The number of digits of a hash that make a name unique.
const DIGITS: usize = 8;
/// The rest of a name before its hash.
pub(super) const STEM: usize = Name::MAX_LENGTH - DIGITS - 1;

/// The names that the tools of one provider have here, each next to the one that the provider
/// knows it by. They do not depend on the order in which it declares the tools.
pub(super) struct LocalNames<'p> {
    prefix: &'p str,
    /// The number of tools that have each name, before any has a hash.
    counts: HashMap<String, usize>,
}

impl<'p> LocalNames<'p> {
    /// Makes the names for a provider that declares the tools `names`.
    pub(super) fn new<'n>(prefix: &'p str, names: impl Iterator<Item = &'n str>) -> Self {
        let names: HashSet<&str> = names.collect();
        let mut counts = HashMap::new();
        for name in names {
            *counts
                .entry(portable(&format!("{prefix}{name}")))
                .or_default() += 1;
        }
        Self { prefix, counts }
    }

    /// The name of `tool`: its own with the prefix, if hosts accept that. Else with `_` in the
    /// place of other characters, and with a hash if it is too long or if another tool would have
    /// it, too.
    pub(super) fn of(&self, tool: &str) -> String {
        let name = format!("{}{tool}", self.prefix);
        if Name::new(&name).is_ok() {
            return name;
        }
        let mut local = portable(&name);
        let is_shared = self.counts.get(&local).is_some_and(|count| *count > 1);
        if is_shared || Name::new(&local).is_err() {
            let hash = digest::value(&Value::from(tool)).to_string();
            local.truncate(STEM);
            local = format!("{local}_{}", &hash[..DIGITS]);
        }
        local
    }
}

/// `name` with characters that every host accepts.
fn portable(name: &str) -> String {
    let is_portable = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let letters = name.chars().map(|c| if is_portable(c) { c } else { '_' });
    let begins = name.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let lead = begins.then_some('_');
    lead.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::super::SourceChanges;
    use super::*;

    #[test]
    fn a_tool_has_the_timeout_of_its_provider() {
        for (given, expected) in [
            (None, crate::Tool::TIMEOUT),
            (Some(300), Duration::from_mins(5)),
        ] {
            let provider = Provider::new(Settings {
                name: "p".to_owned(),
                discover: Vec::new(),
                call: Vec::new(),
                prefix: String::new(),
                env: Vec::new(),
                optional_env: Vec::new(),
                timeout: given.map(Duration::from_secs),
                wait: None,
                idle: None,
                shared: false,
                cache: None,
                user_configured: true,
                in_project: false,
                changes: SourceChanges::default(),
                sandbox: None,
                sandbox_digest: None,
                server: None,
                plugin: None,
            });
            let declared = RemoteTool {
                remote_name: "say".to_owned(),
                name: "say".to_owned(),
                beside: "p_say".to_owned(),
                value: Arc::new(json!({"name": "say", "description": "d"})),
                declared: Arc::default(),
                changes: Arc::default(),
            };
            let tool = provider.load(&declared).map_err(ToolError::diagnostics);
            assert_eq!(tool.map(|tool| tool.timeout), Ok(expected));
        }
    }

    fn check(prefix: &str, pairs: &[(&str, &str)]) {
        let names = LocalNames::new(prefix, pairs.iter().map(|(tool, _)| *tool));
        for (tool, expected) in pairs {
            let local = names.of(tool);
            assert_eq!(local, *expected);
            assert!(Name::new(&local).is_ok(), "{local}");
        }
        let names = LocalNames::new(prefix, pairs.iter().rev().map(|(tool, _)| *tool));
        for (tool, expected) in pairs.iter().rev() {
            assert_eq!(names.of(tool), *expected);
        }
    }

    #[test]
    fn hosts_accept_every_name() {
        let long = "kubernetes_cluster_deployments_scale_to_replicas_now";
        check(
            "",
            &[
                ("plain-name_1", "plain-name_1"),
                ("issues.list", "issues_list"),
                ("repos/get file", "repos_get_file"),
                ("3d_view", "_3d_view"),
                ("größe", "gr__e"),
                (long, "kubernetes_cluster_deployments_scale_t_1f390a3d"),
                ("find_tool", "find_tool_17d8feab"),
            ],
        );
        check("gh_", &[("issues.list", "gh_issues_list"), ("3d", "gh_3d")]);
        // A prefix that leaves no room.
        check(
            "kubernetes_production_cluster_europe_west_",
            &[
                ("list", "kubernetes_production_cluster_europe_west_list"),
                (
                    "scale_up",
                    "kubernetes_production_cluster_europe_w_275e9034",
                ),
            ],
        );
    }

    #[test]
    fn names_that_would_be_the_same_stay_apart() {
        check(
            "",
            &[
                ("a.b", "a_b_12734df7"),
                ("a_b", "a_b"),
                ("a/c", "a_c_1ce0bc53"),
                ("a:c", "a_c_6866917b"),
            ],
        );
    }
}
