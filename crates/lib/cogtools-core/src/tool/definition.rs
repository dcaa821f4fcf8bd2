//! The definition of a tool: everything but the implementation of its calls.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::containment::Boundary;
use crate::sandbox::Sandbox;
use crate::schema::Schema;
use crate::text::Text;
use crate::tool::annotations::Annotations;
use crate::tool::capability::default_capability;
use crate::tool::values::ValueCommand;
use crate::tool::{Example, Output};
use crate::trust::Grant;
use crate::{Diagnostic, Name, yaml};

type Object = Map<String, Value>;

/// Schemes from which clients may load an icon.
const ICON_SCHEMES: [&str; 3] = ["https:", "http:", "data:"];
/// The dialect of schemas in MCP.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The definition of a tool, from a file or a provider's declaration.
#[derive(Debug)]
pub struct Definition {
    pub(crate) name: Name,
    /// The title for people, if it has one.
    pub title: Option<String>,
    /// The description for the model.
    pub description: String,
    /// The tool to use instead, if it is deprecated. Its description says so, too.
    pub deprecated: Option<String>,
    /// The schema of the arguments.
    pub schema: Schema,
    pub(crate) examples: Vec<Example>,
    /// The declared type of its result.
    pub output: Output,
    /// Hints on its behaviour.
    pub annotations: Annotations,
    pub(crate) extras: Extras,
    pub(crate) capabilities: Vec<String>,
    /// The environment variables it may see.
    pub env: Vec<String>,
    /// The limit of a call.
    pub timeout: Duration,
    /// The files, network and memory that its program may use, if its file says so.
    pub sandbox: Option<Sandbox>,
    /// Its origin.
    pub provenance: Arc<Provenance>,
    /// True if a result that does not match `output` is a note, not a failure.
    pub(crate) is_output_advisory: bool,
    /// The invisible characters that its texts for people and models lost, because they are by others.
    pub hidden: BTreeSet<char>,
    /// The file; an empty text with a name for a tool without one.
    pub(crate) text: Text,
    /// The digests of the files with parts of it, by their names.
    pub shared: BTreeMap<String, String>,
    /// The commands that list values of its enums.
    pub(crate) value_commands: Vec<ValueCommand>,
    /// The index of the command of another tool's enum that it runs, if it is for nothing else.
    pub(crate) lists_values: Option<usize>,
    /// The files that it may run, if it is in the private copy of a package.
    pub(crate) boundary: Option<Box<Boundary>>,
}

/// The origin of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The source's name: the path of a folder, the name of a package or a provider.
    pub source: String,
    /// The name of the toolset, if it is in one: a folder below the source, with
    /// `/` between folders, or a package.
    pub toolset: Option<String>,
    /// The author.
    pub author: Author,
    /// The approval that it needs as a part of something else, which a URL has.
    pub(crate) grant: Option<Grant>,
}

/// The author of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Author {
    /// The project.
    #[default]
    Project,
    /// The user: a folder outside the project, or a provider, of the user's own
    /// configuration. It sees the user's variables only.
    User,
    /// The package in this folder.
    Package(PathBuf),
    /// A provider that the project's configuration names.
    Provider,
    /// This program: a built-in tool, which approves what it calls.
    BuiltIn,
}

/// The parts of a declaration of MCP that only clients use; they are passed on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    /// The schema of structured results, in JSON Schema 2020-12.
    pub(crate) output_schema: Option<Object>,
    /// Annotations other than the hints of [`Annotations`].
    pub(crate) annotations: Object,
    pub(crate) icons: Vec<Value>,
    pub(crate) meta: Object,
}

impl Definition {
    /// The limit of a call unless the tool sets a `timeout`.
    pub(crate) const TIMEOUT: Duration = Duration::from_mins(1);

    /// A definition with these parameters and defaults for the rest.
    pub(crate) fn new(name: Name, description: impl Into<String>, schema: Schema) -> Self {
        Self {
            name,
            title: None,
            description: description.into(),
            deprecated: None,
            schema,
            examples: Vec::new(),
            output: Output::default(),
            annotations: Annotations::default(),
            extras: Extras::default(),
            capabilities: Vec::new(),
            env: Vec::new(),
            timeout: Self::TIMEOUT,
            sandbox: None,
            provenance: Arc::default(),
            is_output_advisory: false,
            hidden: BTreeSet::new(),
            text: Text::empty(""),
            shared: BTreeMap::new(),
            value_commands: Vec::new(),
            lists_values: None,
            boundary: None,
        }
    }

    /// Makes the definition of a tool of cogtools itself. Its `parameters` are written as in a tool
    /// file, or as a whole schema if other arguments are ignored.
    pub(crate) fn built_in(
        name: &'static str,
        title: &str,
        description: &str,
        parameters: &str,
    ) -> Self {
        let text = Text::new(name, parameters.as_bytes().to_vec()).ok();
        let parameters = text.and_then(|text| yaml::parse(&text).ok());
        let schema = parameters.and_then(|node| match node.get("additionalProperties") {
            Some(_) => Schema::verbatim(&node).ok(),
            None => Schema::expand(&node).ok(),
        });
        Self {
            title: Some(title.to_owned()),
            ..Self::new(
                Name::built_in(name),
                description,
                schema.unwrap_or_else(Schema::empty),
            )
        }
    }

    /// The name.
    pub const fn name(&self) -> &Name {
        &self.name
    }

    /// The capabilities it provides, as `provider.operation`: the declared ones, or
    /// one derived from its toolset and name.
    pub fn capabilities(&self) -> Vec<String> {
        match (&self.provenance.toolset, self.capabilities.as_slice()) {
            (Some(toolset), []) => vec![default_capability(toolset, self.name.as_str())],
            (_, declared) => declared.to_vec(),
        }
    }

    /// The schema of its result, if it declares one.
    pub const fn output_schema(&self) -> Option<&Schema> {
        self.output.schema()
    }

    /// Fails if `value` is no result that its `output` declares.
    ///
    /// # Errors
    ///
    /// Lists each violation of the schema.
    pub fn check_output(&self, value: &Value) -> Result<(), Box<Diagnostic>> {
        self.output.check(value)
    }

    /// The text of its file.
    pub const fn text(&self) -> &Text {
        &self.text
    }

    /// The content of its file.
    pub fn source(&self) -> &str {
        self.text.as_str()
    }

    /// Its file, as messages show it.
    pub fn file(&self) -> &Path {
        self.text.display_path()
    }
}

impl Provenance {
    /// The provenance of a tool of cogtools itself.
    pub(crate) fn built_in(source: &str) -> Arc<Self> {
        Arc::new(Self {
            source: source.to_owned(),
            author: Author::BuiltIn,
            ..Self::default()
        })
    }

    /// The provenance of a folder of the project.
    pub(crate) fn local(display_path: &Path) -> Self {
        let source = if display_path.as_os_str().is_empty() {
            ".".to_owned()
        } else {
            display_path.display().to_string()
        };
        Self {
            source,
            ..Self::default()
        }
    }

    /// The provenance of the folder `name` in it.
    pub(crate) fn below(&self, name: &str) -> Self {
        let toolset = match &self.toolset {
            Some(parent) => format!("{parent}/{name}"),
            None => name.to_owned(),
        };
        Self {
            toolset: Some(toolset),
            ..self.clone()
        }
    }
}

impl Extras {
    /// Reads the extra keys of `declaration` and ignores invalid ones.
    pub(crate) fn of(declaration: &Value) -> Self {
        let object = |key: &str| declaration.get(key).and_then(Value::as_object);
        let mut annotations = object("annotations").cloned().unwrap_or_default();
        annotations.retain(|name, _| !Annotations::MCP_NAMES.contains(&name.as_str()));
        let icons = declaration.get("icons").and_then(Value::as_array);
        let is_loadable = |icon: &&Value| {
            let source = icon.get("src").and_then(Value::as_str).unwrap_or_default();
            ICON_SCHEMES.iter().any(|scheme| source.starts_with(scheme))
        };
        // Clients reject a whole list for a root that is not an object.
        let is_object = |schema: &&Object| schema.get("type").is_some_and(|kind| kind == "object");
        let icons = icons.into_iter().flatten().filter(is_loadable);
        Self {
            output_schema: object("outputSchema").filter(is_object).map(output_schema),
            annotations,
            icons: icons.cloned().collect(),
            meta: object("_meta").cloned().unwrap_or_default(),
        }
    }
}

/// Returns `schema` as clients accept it: whole, unless something in it has to be repaired.
fn output_schema(schema: &Object) -> Object {
    if Schema::repairs(schema).are_extensions() {
        let is_ours = |key: &str, value: &Value| key != "$schema" || value == DIALECT;
        let mut whole = schema.clone();
        whole.retain(|key, value| is_ours(key, value));
        return whole;
    }
    Schema::from_foreign(schema).json_schema().into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_valid_is_kept() {
        let extras = Extras::of(&json!({
            "outputSchema": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"],
            },
            "annotations": {"title": "T", "readOnlyHint": true, "vendor/x": [1]},
            "icons": [{"src": "https://a/b.png", "sizes": ["48x48"]}, {"src": "javascript:x"}, 1],
            "_meta": {"a/b": {"c": 1}},
        }));
        let schema = json!({
            "type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"],
        });
        assert_eq!(extras.output_schema.map(Value::Object), Some(schema));
        assert_eq!(
            Value::Object(extras.annotations),
            json!({"title": "T", "vendor/x": [1]})
        );
        assert_eq!(
            extras.icons,
            [json!({"src": "https://a/b.png", "sizes": ["48x48"]})]
        );
        assert_eq!(Value::Object(extras.meta), json!({"a/b": {"c": 1}}));
    }

    #[test]
    fn a_schema_of_results_keeps_extensions() {
        let check = |schema: &Value, expected: &Value| {
            let extras = Extras::of(&json!({"outputSchema": schema}));
            assert_eq!(
                extras.output_schema.map(Value::Object).as_ref(),
                Some(expected)
            );
        };
        let whole = json!({
            "type": "object",
            "properties": {
                "n": {"type": "integer", "minimum": -1, "x-unit": "ms"},
                "u": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/d"}]},
                "": {"const": null},
            },
            "$defs": {"d": {"enum": [null, 1, "1", [], {}]}},
            "unevaluatedProperties": {"not": {}},
            "x-vendor": {"big": 12_345_678_901_234_567_890_u64, "list": [[[]]], "null": null},
        });
        check(&whole, &whole);
        let repaired = json!({"type": "object", "properties": {"t": {}}});
        check(
            &json!({"type": "object", "properties": {"t": true}, "x-vendor": 1}),
            &repaired,
        );
    }

    #[test]
    fn what_is_not_valid_is_left_out() {
        for declaration in [
            json!({}),
            json!({"outputSchema": true, "annotations": [], "icons": {}, "_meta": 1}),
            json!({"outputSchema": {"type": "array"}, "icons": [{"src": "file:///etc/passwd"}]}),
        ] {
            let extras = Extras::of(&declaration);
            assert!(extras.output_schema.is_none() && extras.annotations.is_empty());
            assert!(
                extras.icons.is_empty() && extras.meta.is_empty(),
                "{declaration}"
            );
        }
    }
}
