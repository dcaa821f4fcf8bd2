//! The rules of the API behind each format, and the limits of hosts.
//!
//! An API rejects a whole request because of one declaration, and then a session has no
//! tools at all. So a tool that a host cannot send is left out for that host, and only
//! for that one. Keywords that only the oldest releases of Gemini CLI send are not here:
//! the linter reports them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::Target;
use crate::schema::{Reach, Role, Schema, collect_properties};
use crate::tool::Author;
use crate::{Code, Diagnostic, OmissionReason, Rejected, Tool};

/// The rules of one API.
#[derive(Clone, Copy, Debug)]
pub(super) struct Api {
    /// Its name in messages.
    name: &'static str,
    /// The names that parameters can have.
    names: Names,
    /// True if the root of a schema can only be an object with properties.
    plain_root: bool,
    /// The maximum length of a description, in characters.
    max_description: Option<usize>,
}

/// The Gemini API.
const GEMINI: Api = Api {
    name: "the Gemini API",
    names: Names::Identifiers,
    plain_root: false,
    max_description: None,
};

/// `OpenAI`'s API.
const OPEN_AI: Api = Api {
    name: "OpenAI's API",
    names: Names::Any,
    plain_root: true,
    max_description: Some(HostLimit::DESCRIPTION.max),
};

/// Anthropic's API.
const ANTHROPIC: Api = Api {
    name: "Anthropic's API",
    names: Names::Keys,
    plain_root: true,
    max_description: None,
};

/// The API of an MCP client, which is not known: the strictest rules for names. A
/// declaration for MCP has a plain root, whatever the schema of the tool has.
const UNKNOWN: Api = Api {
    name: "the Gemini API, which the client may use,",
    ..GEMINI
};

impl Target {
    pub(super) const fn api(self) -> &'static Api {
        match self {
            Self::Gemini => &GEMINI,
            Self::OpenAi | Self::OpenAiStrict => &OPEN_AI,
            Self::Anthropic => &ANTHROPIC,
            Self::Mcp => &UNKNOWN,
        }
    }

    /// Returns true if the API behind this format accepts a parameter of that name.
    pub fn accepts_parameter(self, name: &str) -> bool {
        self.api().names.accept(name)
    }

    /// The optional parameters of `tool`, one of another program, that are not declared, because
    /// the API behind this format would reject their names.
    pub fn left_out(self, tool: &Tool) -> BTreeSet<String> {
        let fitted = self.api().names.fitted(&tool.schema);
        fitted.map(|(_, names)| names).unwrap_or_default()
    }

    /// Returns true if the description of `tool`, one of another program, is cut because the API behind this
    /// format would reject its length.
    pub fn cuts_description(self, tool: &Tool) -> bool {
        matches!(self.api().description_of(tool), Cow::Owned(_))
    }

    /// Explains why the API behind this format rejects `tool`, which must not be declared then;
    /// empty if it accepts the tool.
    pub fn rejections(self, tool: &Tool) -> Vec<Diagnostic> {
        self.api().rejections(self, tool)
    }
}

impl Tool {
    /// Explains why `api`, or an unknown API, rejects the tool's declaration for MCP.
    pub fn mcp_rejections(&self, api: Option<Target>) -> Vec<Diagnostic> {
        let rules = Api {
            plain_root: false,
            max_description: None,
            ..*api.unwrap_or(Target::Mcp).api()
        };
        let mut rejections = rules.rejections(Target::Mcp, self);
        if let Some(last) = rejections.last_mut().filter(|_| api.is_none()) {
            let hint = "if the client uses another API, name it: cogtools mcp --api anthropic";
            last.hints.push(hint.into());
        }
        rejections
    }
}

impl Api {
    /// The schema of `tool` as it is declared. A tool of another program loses optional parameters
    /// that the API would reject: its users cannot rename them.
    pub(super) fn schema_of<'t>(&self, tool: &'t Tool) -> Cow<'t, Schema> {
        let fitted = self.names.fitted(&tool.schema);
        fitted.map_or(Cow::Borrowed(&tool.schema), |(schema, _)| {
            Cow::Owned(schema)
        })
    }

    /// Returns the description of `tool` as it is declared. The one of another program is cut if it
    /// is too long: its users cannot shorten it.
    pub(super) fn description_of<'t>(&self, tool: &'t Tool) -> Cow<'t, str> {
        let whole = tool.description.as_str();
        match self.max_description {
            Some(max) if tool.schema.is_recovered() && whole.chars().count() > max => {
                let start: String = whole.chars().take(max - 1).collect();
                Cow::Owned(format!("{}…", start.trim_end()))
            }
            _ => Cow::Borrowed(whole),
        }
    }

    /// The JSON Schema of the parameters in `schema`. The root of another program's schema has
    /// only an object with properties, if the API wants that.
    pub(super) fn json_schema_of<'t>(&self, schema: &'t Schema) -> Cow<'t, Map<String, Value>> {
        if self.plain_root && schema.is_recovered() {
            flatten_root(schema.declared())
        } else {
            schema.declared()
        }
    }

    /// The JSON Schema of the parameters in `schema` for strict mode, if that can say it and
    /// accepts its size.
    pub(super) fn strict_schema_of(schema: &Schema) -> Option<Map<String, Value>> {
        let strict = schema.strict_object()?;
        let is_small = HostLimit::exceeded_by(&Schema::from(strict.clone())).is_empty();
        is_small.then_some(strict)
    }

    fn rejections(&self, target: Target, tool: &Tool) -> Vec<Diagnostic> {
        let (host, api) = (target.name(), self.name);
        let reject = |cause: Rejected, what: String, hint: String| {
            let message = format!("not declared for {host}: {api} rejects {what}");
            let diagnostic = Diagnostic::new(Code::InvalidTool, message).hint(hint);
            match foreign_source(tool) {
                Some(source) => {
                    let reason = OmissionReason::Rejected { host, api, cause };
                    diagnostic.omitting(source, tool.name().as_str(), reason)
                }
                None => diagnostic,
            }
        };
        let schema = self.schema_of(tool);
        let names = self.names.rejected(&schema).into_iter();
        let names = names.map(|(name, pointer)| {
            let what = format!("the parameter name {name:?}");
            let diagnostic = reject(Rejected::Names, what, self.names.describe().to_owned());
            tool.locate_in_schema(diagnostic, &pointer)
        });
        let mut found: Vec<Diagnostic> = names.take(Diagnostic::MAX_SHOWN).collect();
        let root = self
            .plain_root
            .then(|| composed_root(&self.json_schema_of(&schema)));
        if let Some(keyword) = root.flatten() {
            let hint = "put all properties under `properties`, and describe which go together";
            let what = format!("`{keyword}` at the root of the parameters");
            let diagnostic = reject(Rejected::Root, what, hint.to_owned());
            found.push(tool.locate_in_schema(diagnostic, &format!("/{keyword}")));
        }
        let length = self.description_of(tool).chars().count();
        if let Some(max) = self.max_description.filter(|max| length > *max) {
            let what = format!("a description of {length} characters");
            let hint = format!("shorten it to {max} characters");
            let diagnostic = reject(Rejected::Description, what, hint);
            found.push(diagnostic.with_subject(tool.file().display().to_string()));
        }
        found
    }
}

/// The source of `tool`, if others have written it.
fn foreign_source(tool: &Tool) -> Option<&str> {
    let provenance = &tool.provenance;
    let is_foreign = match provenance.author {
        Author::Provider | Author::Package(_) => true,
        Author::Project | Author::User | Author::BuiltIn => tool.schema.is_recovered(),
    };
    is_foreign.then_some(provenance.source.as_str())
}

/// The names that parameters can have.
#[derive(Clone, Copy, Debug)]
enum Names {
    /// All.
    Any,
    /// Identifiers, for parameters and for properties of nested objects.
    Identifiers,
    /// `[a-zA-Z0-9_.-]{1,64}`, for parameters; nested objects are not checked.
    Keys,
}

impl Names {
    fn accept(self, name: &str) -> bool {
        let is_short = (1..=HostLimit::PARAMETER_NAME.max).contains(&name.len());
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        match self {
            Self::Any => true,
            Self::Identifiers => {
                let is_digit_first = name.starts_with(|c: char| c.is_ascii_digit());
                is_short && !is_digit_first && name.chars().all(word)
            }
            Self::Keys => is_short && name.chars().all(|c| word(c) || matches!(c, '.' | '-')),
        }
    }

    /// Describes the names to use instead of one that is rejected.
    const fn describe(self) -> &'static str {
        match self {
            Self::Any => "",
            Self::Identifiers => {
                "use letters from a to z, digits and `_`, at most 64, and no digit first"
            }
            Self::Keys => "use letters from a to z, digits, `_`, `.` and `-`, at most 64",
        }
    }

    /// The names in `schema` that are not accepted, each with the pointer to its schema.
    fn rejected(self, schema: &Schema) -> Vec<(String, String)> {
        // Almost no schema has one, and pointers cost more than this look.
        if !schema.any_property(&|name| !self.accept(name)) {
            return Vec::new();
        }
        let is_checked = |pointer: &str| match self {
            Self::Any => false,
            Self::Identifiers => true,
            Self::Keys => pointer
                .strip_prefix("/properties/")
                .is_some_and(|name| !name.contains('/')),
        };
        schema
            .sub_schemas()
            .into_iter()
            .filter_map(|sub_schema| match sub_schema.role {
                Role::Property { name, .. } => Some((name.to_owned(), sub_schema.pointer)),
                _ => None,
            })
            .filter(|(name, pointer)| !self.accept(name) && is_checked(pointer))
            .collect()
    }

    /// `schema` without the optional names that are not accepted, and these; `None` if all are, or
    /// if its author can rename them.
    fn fitted(self, schema: &Schema) -> Option<(Schema, BTreeSet<String>)> {
        let rejected = |name: &str| !self.accept(name);
        if !schema.is_recovered() || !schema.any_property(&rejected) {
            return None;
        }
        let reach = match self {
            Self::Keys => Reach::Root,
            Self::Any | Self::Identifiers => Reach::All,
        };
        Some(schema.without_optional(&rejected, reach))
    }
}

type Object = Map<String, Value>;

/// Keywords that are not permitted there.
const NOT_AT_THE_ROOT: [&str; 5] = ["allOf", "anyOf", "oneOf", "not", "enum"];

/// The first keyword of a schema that is not permitted at its root.
fn composed_root(schema: &Object) -> Option<&'static str> {
    NOT_AT_THE_ROOT
        .into_iter()
        .find(|keyword| schema.contains_key(*keyword))
}

/// Removes the keywords that are not permitted at the root. The result accepts at
/// least as much, and has every property of the schemas that it lists.
pub(super) fn flatten_root(schema: Cow<'_, Object>) -> Cow<'_, Object> {
    if composed_root(&schema).is_none() {
        return schema;
    }
    let mut schema = schema.into_owned();
    let mut properties = Object::new();
    collect_properties(&schema, &mut properties);
    for keyword in NOT_AT_THE_ROOT {
        schema.shift_remove(keyword);
    }
    schema.insert("properties".into(), properties.into());
    Cow::Owned(schema)
}

/// A limit of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLimit {
    /// The owner of the limit.
    pub host: &'static str,
    /// The limited things, in the plural.
    pub what: &'static str,
    /// The maximum.
    pub max: usize,
    /// The documentation, or an observation.
    pub source: &'static str,
    /// The year and month of the source.
    pub date: &'static str,
}

impl HostLimit {
    const fn strict(what: &'static str, max: usize) -> Self {
        Self {
            host: "OpenAI in strict mode",
            what,
            max,
            source: "https://platform.openai.com/docs/guides/structured-outputs",
            date: "2026-02",
        }
    }

    /// The characters of a tool's description.
    pub const DESCRIPTION: Self = Self {
        host: "OpenAI",
        what: "characters in the description of a tool",
        max: 1_024,
        source: "https://platform.openai.com/docs/api-reference/chat/create",
        date: "2026-10",
    };
    /// The characters of a parameter's name.
    pub const PARAMETER_NAME: Self = Self {
        host: "Gemini and Anthropic",
        what: "characters in the name of a parameter",
        max: 64,
        source: "https://ai.google.dev/api/caching#Schema, and the error of the API",
        date: "2026-10",
    };
    /// The properties of all objects of a tool.
    pub const PROPERTIES: Self = Self::strict("properties in the schema of a tool", 5_000);
    /// The objects around a property.
    pub const NESTING: Self = Self::strict("objects inside each other", 10);
    /// The values of all enums of a tool.
    pub const ENUM_VALUES: Self = Self::strict("values of enums in the schema of a tool", 1_000);
    /// The characters of a large enum's values.
    pub const LARGE_ENUM: Self =
        Self::strict("characters in an enum of more than 250 values", 15_000);
    /// The number of values that make an enum a large one.
    const LARGE_ENUM_VALUES: usize = 250;
    /// The characters of all names and values of a tool.
    pub const SCHEMA_TEXT: Self = Self::strict(
        "characters in the names and values of a tool's schema",
        120_000,
    );
    /// All limits.
    pub const ALL: [Self; 7] = [
        Self::DESCRIPTION,
        Self::PARAMETER_NAME,
        Self::PROPERTIES,
        Self::NESTING,
        Self::ENUM_VALUES,
        Self::LARGE_ENUM,
        Self::SCHEMA_TEXT,
    ];

    /// The limits that `schema` exceeds: pointers into it, outer ones last, each with the message.
    pub fn exceeded_by(schema: &Schema) -> Vec<(String, String)> {
        let (mut properties, mut values, mut text) = (0, 0, 0);
        let mut exceeded = Vec::new();
        let (mut levels, mut deepest) = (0, String::new());
        for sub_schema in schema.sub_schemas() {
            let pointer = sub_schema.pointer;
            let options = sub_schema.schema.get("enum").and_then(Value::as_array);
            if let Some(options) = options {
                let characters = |value: &Value| value.as_str().map_or(0, |it| it.chars().count());
                let length = options.iter().map(characters).sum();
                values += options.len();
                text += length;
                let is_large = options.len() > Self::LARGE_ENUM_VALUES;
                let message = Self::LARGE_ENUM.exceeded(length).filter(|_| is_large);
                exceeded.extend(message.map(|message| (format!("{pointer}/enum"), message)));
            }
            if let Role::Property { name, .. } = sub_schema.role {
                properties += 1;
                text += name.chars().count();
                let level = pointer.matches("/properties/").count();
                if level > levels {
                    (levels, deepest) = (level, pointer);
                }
            }
        }
        let counted = [
            (Self::NESTING, levels, deepest),
            (Self::PROPERTIES, properties, String::new()),
            (Self::ENUM_VALUES, values, String::new()),
            (Self::SCHEMA_TEXT, text, String::new()),
        ];
        let counted = counted.into_iter();
        exceeded.extend(counted.filter_map(|(limit, found, pointer)| {
            limit.exceeded(found).map(|message| (pointer, message))
        }));
        exceeded
    }

    /// The message for a tool with `found` of them, if those are too many.
    pub fn exceeded(&self, found: usize) -> Option<String> {
        let Self {
            host, what, max, ..
        } = self;
        (found > *max).then(|| format!("{found} {what}; {host} accepts {max}"))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::text::Text;

    /// The hosts to which a tool with this text is not declared, with the location of
    /// each reason.
    #[track_caller]
    fn check(parameters: &str, expected: &[(&str, usize)]) {
        let text = format!("name: a\ndescription: b\n{parameters}\nimplementation: c\n");
        let text = Text::new(Path::new("a.yaml"), text.into_bytes()).expect("it is text");
        let tool = Tool::parse(text).expect("it is a tool");
        let found: Vec<(&str, usize)> = Target::NAMES
            .into_iter()
            .filter_map(|name| Some((name, Target::parse(name)?)))
            .flat_map(|(name, target)| {
                let rejections = target.rejections(&tool).into_iter();
                rejections.map(move |one| (name, one.location.map_or(0, |it| it.line)))
            })
            .collect();
        assert_eq!(found, expected, "{parameters}");
    }

    #[test]
    fn names_that_apis_reject() {
        check("parameters: {who: string, _1: string}", &[]);
        let all = [("gemini", 4), ("anthropic", 4), ("mcp", 4)];
        check("parameters:\n  who?: string", &all);
        check("parameters:\n  'größe': string", &all);
        check("parameters:\n  '': string", &all);
        check(&format!("parameters:\n  {}: string", "a".repeat(64)), &[]);
        check(&format!("parameters:\n  {}: string", "a".repeat(65)), &all);
        let some = [("gemini", 4), ("mcp", 4)];
        check("parameters:\n  a.b: string", &some);
        check("parameters:\n  1st: string", &some);
        check("parameters:\n  max-size: string", &some);
        let nested = "parameters:\n  a:\n    type: object\n    properties:\n      b c: string";
        check(nested, &[("gemini", 7), ("mcp", 7)]);
    }

    #[test]
    fn other_rules() {
        let root = "parameters_schema:\n  type: object\n  properties: {a: {type: string}}\n  \
                    anyOf: [{required: [a]}]";
        check(
            root,
            &[("openai", 6), ("openai-strict", 6), ("anthropic", 6)],
        );
        let long = format!("title: t\n# {}", "x".repeat(2000));
        check(&long, &[]);
    }

    #[test]
    fn a_long_description() {
        for (length, expected) in [(1024, 0), (1025, 1)] {
            let text = format!(
                "name: a\ndescription: {}\nimplementation: c\n",
                "x".repeat(length)
            );
            let text = Text::new(Path::new("a.yaml"), text.into_bytes()).expect("it is text");
            let tool = Tool::parse(text).expect("it is a tool");
            assert_eq!(Target::OpenAi.rejections(&tool).len(), expected);
            assert!(Target::Gemini.rejections(&tool).is_empty());
        }
    }

    #[test]
    fn the_api_of_an_mcp_client() {
        let text = "name: a\ndescription: b\nparameters: {a-b: string}\nimplementation: c\n";
        let text = Text::new(Path::new("a.yaml"), text.into()).expect("it is text");
        let tool = Tool::parse(text).expect("it is a tool");
        for (api, expected) in [
            (None, 1),
            (Some(Target::Gemini), 1),
            (Some(Target::Anthropic), 0),
            (Some(Target::OpenAi), 0),
        ] {
            assert_eq!(tool.mcp_rejections(api).len(), expected, "{api:?}");
        }
    }
}
