//! Errors of tool files and of flows in them.

use std::path::PathBuf;

use super::http_error::HttpToolError;
use crate::file::ReadScope;
use crate::name::NameError;
use crate::text::TextError;
use crate::{Actual, Code, Diagnostic, Expected, Hint};

/// The largest number of nodes of a flow.
pub(super) const MAX_NODES: usize = 1_000;
/// The codes that an example can expect a call to fail with.
pub(super) const EXAMPLE_CODES: [Code; 4] = [
    Code::ToolFailed,
    Code::SchemaViolation,
    Code::TemplateFailed,
    Code::Timeout,
];

/// Names that authors use for the language of `js`.
const JAVASCRIPT: [&str; 2] = ["js", "javascript"];

/// Why a file is not a tool.
#[derive(Debug)]
pub enum ToolError {
    /// The file cannot be read as text.
    Text(TextError),
    /// The file is not one YAML document.
    Syntax(Box<Diagnostic>),
    /// The document is not a tool: all errors, in the order of the file.
    Invalid(Vec<Diagnostic>),
    /// cogtools itself panicked while reading the file.
    Bug(PathBuf),
}

/// Why a key of a tool file is not valid.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    /// Not a map.
    #[error("a tool file is a map of keys, not {0}")]
    NotAMap(&'static str),
    /// A key that tools do not have.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// The key.
        key: String,
        /// A suggestion.
        meant: Option<String>,
    },
    /// A required key.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A value of the wrong kind.
    #[error("`{key}` takes {expected}, not {actual}")]
    Kind {
        /// The key.
        key: String,
        /// The expected kind of value.
        expected: Expected,
        /// The value found.
        actual: Actual,
    },
    /// A blank value where text is required.
    #[error("`{0}` is empty")]
    Empty(&'static str),
    /// An unknown `$schema`.
    #[error("`{0}` is not the schema of tool files")]
    Schema(String),
    /// A name that is not portable.
    #[error("`{0}` is not a tool's name: {1}")]
    Name(String, NameError),
    /// A name that differs from the file's stem.
    #[error("the tool is named `{name}`, but its file is `{stem}.yaml`")]
    Stem {
        /// The tool's name.
        name: String,
        /// The file's name without `.yaml`.
        stem: String,
    },
    /// Both `parameters` and `parameters_schema`.
    #[error("`parameters_schema` cannot be combined with `parameters`")]
    TwoSchemas,
    /// A template language that is not njk.
    #[error("`{0}` is not a supported template language")]
    Language(String),
    /// An implementation with no kind or several; the field lists the kinds.
    #[error("an implementation needs exactly one of {0}")]
    OneImplementation(String),
    /// Code that is longer than this many KiB.
    #[error("`js` is longer than {0} KiB")]
    LongCode(usize),
    /// A template where an expression is expected.
    #[error("`{text}` is a template, but `{key}` takes an expression")]
    Condition {
        /// The key.
        key: &'static str,
        /// The template.
        text: String,
    },
    /// An output without a type.
    #[error("`output` has no `type`")]
    OutputType,
    /// A schema for a text result.
    #[error("`schema` requires `type: json`")]
    TextSchema,
    /// A path outside the tool's folder.
    #[error("`{0}` is outside the tool's folder")]
    Outside(String),
    /// An invalid environment variable name.
    #[error("`{0}` is not a valid environment variable name")]
    Variable(String),
    /// An example with the name of another one.
    #[error("two examples are named `{0}`")]
    SameExample(String),
    /// A code that a call does not fail with.
    #[error("`{0}` is not a code that a call fails with")]
    ExampleCode(String),
    /// A capability that is not `provider.operation`.
    #[error("`{0}` is not a capability")]
    Capability(String),
    /// An error in a flow.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// An error in `http`.
    #[error(transparent)]
    Http(#[from] HttpToolError),
    /// An error in `sandbox`: the message, and the hint.
    #[error("{0}")]
    Sandbox(String, String),
}

impl ToolError {
    /// The diagnostics to show.
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        match self {
            Self::Text(error) => vec![error.diagnostic(Code::InvalidTool)],
            Self::Syntax(diagnostic) => vec![*diagnostic],
            Self::Invalid(diagnostics) => diagnostics,
            Self::Bug(file) => {
                let diagnostic = Diagnostic::new(Code::Internal, "cogtools failed on this tool")
                    .with_subject(file.display().to_string())
                    .hint("this is a bug in cogtools; please report it with the file");
                vec![diagnostic]
            }
        }
    }

    /// Removes everything from the content of a file that messages must not quote.
    pub(super) fn concealed(self, scope: &ReadScope) -> Self {
        if scope.is_quotable() {
            return self;
        }
        let diagnostic = match self {
            Self::Syntax(diagnostic) => *diagnostic,
            Self::Invalid(diagnostics) if !diagnostics.is_empty() => diagnostics[0].clone(),
            error => return error,
        };
        let message =
            "not a valid tool; what is wrong is not shown, because the file is outside the project";
        Self::Syntax(Box::new(Diagnostic {
            location: diagnostic.location,
            ..Diagnostic::new(diagnostic.code, message)
                .with_subject(diagnostic.subject)
                .hint("lint it in the project that it belongs to")
        }))
    }

    /// Returns true if the file does not exist.
    pub const fn is_not_found(&self) -> bool {
        matches!(self, Self::Text(TextError::NotFound(_)))
    }
}

impl DefinitionError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotAMap(_) => "begin with `name: …`".into(),
            Self::UnknownKey { meant, .. } => meant.clone()?,
            Self::Missing(key) => format!("add `{key}: …`"),
            Self::Empty(key) => format!("write something under `{key}`"),
            Self::Schema(_) => format!("write `$schema: {}`", super::key::SCHEMA),
            Self::Name(..) => "use a name that every host accepts, such as `check_facts`".into(),
            Self::Stem { name, .. } => format!("rename the file to `{name}.yaml`, or the tool"),
            Self::TwoSchemas => "remove one of the two".into(),
            Self::Language(language) if JAVASCRIPT.contains(&language.as_str()) => {
                "write the code under `implementation: {js: …}`".into()
            }
            Self::Language(_) => "write `implementation: | # njk`".into(),
            Self::OneImplementation(_) => {
                "write a template as text, or a map such as `{exec: [echo, \"{{ text }}\"]}`".into()
            }
            Self::LongCode(_) => "shorten it, and pass data as arguments".into(),
            Self::Condition { key, .. } => {
                format!("write it without braces, as in `{key}: path`")
            }
            Self::OutputType => "write `output: {type: json}` or `output: {type: text}`".into(),
            Self::TextSchema => "write `type: json`, or remove `schema`".into(),
            Self::Outside(_) => "use a file in the tool's folder, or below it".into(),
            Self::Variable(_) => "use letters, digits and underscores, as in `API_KEY`".into(),
            Self::SameExample(_) => {
                "give each example its own name; upper and lower case are the same".into()
            }
            Self::ExampleCode(_) => {
                let codes = EXAMPLE_CODES.map(Code::name);
                format!("write one of {}", codes.join(", "))
            }
            Self::Flow(error) => error.hint()?,
            Self::Http(error) => error.hint()?,
            Self::Sandbox(_, hint) => hint.clone(),
            Self::Capability(_) => "write it as `provider.operation`, such as `search.web`".into(),
            Self::Kind {
                expected, actual, ..
            } => expected.hint(actual).into(),
        })
    }

    /// The diagnostic to show, without a location.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(Code::InvalidTool, self.to_string());
        diagnostic.hints.extend(self.hint().map(Hint::from));
        diagnostic
    }
}

/// Why a map under `flow` is not a flow, besides the values of its keys.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    /// No nodes at all.
    #[error("a flow needs at least one node")]
    Empty,
    /// More than `MAX_NODES` nodes.
    #[error("{0} nodes; a flow has at most {max}", max = MAX_NODES)]
    TooMany(usize),
    /// A name that cannot be a variable.
    #[error("`{0}` is not a name of a node")]
    Name(String),
    /// A node with the name of a parameter.
    #[error("the node `{0}` has the name of a parameter")]
    Parameter(String),
    /// A node with no kind or several; the field lists the kinds.
    #[error("a node needs exactly one of {0}")]
    OneKind(String),
    /// The name of no node, and a suggestion.
    #[error("there is no node `{0}`")]
    UnknownNode(String, Option<String>),
    /// A variable that is neither a parameter nor a node, and a suggestion.
    #[error("`{0}` is neither a parameter nor a node")]
    UnknownVariable(String, Option<String>),
    /// These nodes need each other, each the next one, and the last one the first.
    #[error("nodes need each other: {}", .0.join(" -> "))]
    Cycle(Vec<String>),
    /// Neither or both of `name` and `capability`.
    #[error("a tool node needs either `name` or `capability`")]
    OneTarget,
    /// `then` and `else` without an agent, or one without the other.
    #[error("`then` and `else` belong to an agent, both of them")]
    Branches,
    /// Another value of `errors`.
    #[error("`errors` is `keep` or `fail`")]
    Errors,
}

impl FlowError {
    /// Makes the error of a node that has none of these kinds, or several.
    pub(super) fn one_of(kinds: &[&str]) -> Self {
        let kinds: Vec<String> = kinds.iter().map(|kind| format!("`{kind}`")).collect();
        Self::OneKind(kinds.join(", "))
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Empty => "write `nodes: {first: {text: …}}`".into(),
            Self::TooMany(_) => "use `each` for many items".into(),
            Self::Name(_) => "use small letters, digits and underscores, as in `find_time`".into(),
            Self::Parameter(_) => "rename one of the two: both are variables".into(),
            Self::OneKind(_) => "write one, such as `text: \"{{ question }}\"`".into(),
            Self::UnknownNode(_, meant) | Self::UnknownVariable(_, meant) => meant.clone()?,
            Self::Cycle(_) => {
                "to repeat a node until something holds, write `retry: {until: …}`".into()
            }
            Self::OneTarget => "write `tool: NAME`, or `tool: {capability: …}`".into(),
            Self::Errors => "write `errors: keep` for the error of each item that fails".into(),
            Self::Branches => "write `{agent: {…}, then: NODE, else: NODE}`".into(),
        })
    }
}
