//! What the API behind each format accepts.
//!
//! An API rejects a whole request because of one declaration, and then a session has no
//! tools at all. So a tool that a host cannot send is left out for that host, and only
//! for that one. Keywords that only the oldest releases of Gemini CLI send are not here:
//! the linter reports them.

use serde_json::{Map, Value};

use super::{HostLimit, Target};
use crate::schema::{Role, Schema};
use crate::{Code, Diagnostic, Tool};

/// Keywords not permitted at the root, where APIs want an object with properties.
pub(super) const NOT_AT_THE_ROOT: [&str; 5] = ["allOf", "anyOf", "oneOf", "not", "enum"];

/// The rules of one API.
#[derive(Clone, Copy, Debug)]
pub(super) struct Api {
    /// Its name in messages.
    name: &'static str,
    /// The names that parameters can have.
    names: Names,
    /// Whether the root of a schema can only be an object with properties.
    plain_root: bool,
    /// The maximum length of a description, in characters.
    max_description: Option<usize>,
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
    const fn api(self) -> &'static Api {
        match self {
            Self::Gemini => &GEMINI,
            Self::OpenAi => &OPEN_AI,
            Self::Anthropic => &ANTHROPIC,
            Self::Mcp => &UNKNOWN,
        }
    }

    /// Whether the API behind this format accepts a parameter of that name.
    pub fn accepts_parameter(self, name: &str) -> bool {
        self.api().names.accept(name)
    }

    /// Why the API behind this format rejects `tool`, which must not be declared then;
    /// empty if it accepts the tool.
    pub fn rejections(self, tool: &Tool) -> Vec<Diagnostic> {
        self.api().rejections(self, tool)
    }
}

impl Tool {
    /// Why `api`, or an unknown API, rejects the tool's declaration for MCP.
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
    fn rejections(&self, target: Target, tool: &Tool) -> Vec<Diagnostic> {
        let (host, api) = (target.name(), self.name);
        let reject = |what: String, hint: String| {
            let message = format!("not declared for {host}: {api} rejects {what}");
            Diagnostic::new(Code::InvalidTool, message).hint(hint)
        };
        let schema = tool.schema();
        let names = self.names.rejected(schema).into_iter();
        let names = names.map(|(name, pointer)| {
            let what = format!("the parameter name {name:?}");
            let diagnostic = reject(what, self.names.describe().to_owned());
            tool.locate_in_schema(diagnostic, &pointer)
        });
        let mut found: Vec<Diagnostic> = names.take(Diagnostic::MAX_SHOWN).collect();
        let root = self
            .plain_root
            .then(|| composed_root(&schema.json_schema()));
        if let Some(keyword) = root.flatten() {
            let hint = "put all properties under `properties`, and describe which go together";
            let what = format!("`{keyword}` at the root of the parameters");
            let diagnostic = reject(what, hint.to_owned());
            found.push(tool.locate_in_schema(diagnostic, &format!("/{keyword}")));
        }
        let length = tool.description().chars().count();
        if let Some(max) = self.max_description.filter(|max| length > *max) {
            let what = format!("a description of {length} characters");
            let diagnostic = reject(what, format!("shorten it to {max} characters"));
            found.push(diagnostic.with_subject(tool.file().display().to_string()));
        }
        found
    }
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

    /// What to use instead of a name that is rejected.
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
}

/// The first keyword of a schema that is not permitted at its root.
fn composed_root(schema: &Map<String, Value>) -> Option<&'static str> {
    NOT_AT_THE_ROOT
        .into_iter()
        .find(|keyword| schema.contains_key(*keyword))
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
        check(root, &[("openai", 6), ("anthropic", 6)]);
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
