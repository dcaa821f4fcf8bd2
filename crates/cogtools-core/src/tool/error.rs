//! Why a file is not a tool.

use std::path::PathBuf;

use super::Locator;
use crate::name::NameError;
use crate::schema::SchemaError;
use crate::text::TextError;
use crate::{Actual, Code, Diagnostic, Expected, Hint};

/// Why a file is not a tool.
#[derive(Debug)]
pub enum ToolError {
    /// It cannot be read as text.
    Text(TextError),
    /// It is not one YAML document.
    Syntax(Box<Diagnostic>),
    /// It is a document but not a tool: all that is wrong, in the file's order.
    Invalid(Vec<Diagnostic>),
    /// Looking at it brought cogtools itself down.
    Defect(PathBuf),
}

/// What can be wrong with the keys of a tool file.
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
        /// What was probably meant.
        meant: Option<String>,
    },
    /// A key that every tool needs.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A value of the wrong kind.
    #[error("`{key}` takes {expected}, not {actual}")]
    Kind {
        /// The key.
        key: String,
        /// What it takes.
        expected: Expected,
        /// What stands there.
        actual: Actual,
    },
    /// Nothing where a text is needed.
    #[error("`{0}` is empty")]
    Empty(&'static str),
    /// A `$schema` that this version does not know.
    #[error("`{0}` is not the schema of tool files")]
    Schema(String),
    /// A name that is not portable.
    #[error("`{0}` is not a tool's name: {1}")]
    Name(String, NameError),
    /// A name that differs from the file's stem.
    #[error("the tool is named `{name}` but its file `{stem}`")]
    Stem {
        /// The tool's name.
        name: String,
        /// The file's name without `.yaml`.
        stem: String,
    },
    /// Both kinds of parameters.
    #[error("`parameters_schema` excludes `parameters`")]
    TwoSchemas,
    /// A template language that is not njk.
    #[error("`{0}` is not a template language that tools are written in")]
    Language(String),
    /// An implementation that names none or several kinds; those there are.
    #[error("an implementation names one of {0}")]
    OneImplementation(String),
    /// An output without a type.
    #[error("`output` says no `type`")]
    OutputType,
    /// A schema for a result that is text.
    #[error("`schema` is for a result of `type: json`")]
    TextSchema,
    /// A path that leads out of the tool's folder.
    #[error("`{0}` leads out of the tool's own folder")]
    Outside(String),
    /// An environment variable's name that no system takes.
    #[error("`{0}` is not the name of an environment variable")]
    Variable(String),
    /// A capability that is not `provider.operation`.
    #[error("`{0}` is not a capability")]
    Capability(String),
}

impl ToolError {
    /// All that is wrong, ready to be shown.
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        match self {
            Self::Text(error) => vec![error.diagnostic(Code::InvalidTool)],
            Self::Syntax(diagnostic) => vec![*diagnostic],
            Self::Invalid(diagnostics) => diagnostics,
            Self::Defect(file) => {
                let diagnostic = Diagnostic::new(Code::Internal, "cogtools failed on this tool");
                let diagnostic = diagnostic.with_subject(file.display().to_string());
                vec![
                    diagnostic.hint("this is a defect of cogtools; please report it with the file"),
                ]
            }
        }
    }

    /// Whether there is no such file.
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Text(TextError::Absent(_)))
    }
}

impl DefinitionError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotAMap(_) => "begin with `name: …`".into(),
            Self::UnknownKey { meant, .. } => meant.clone()?,
            Self::Missing(key) => format!("add `{key}: …`"),
            Self::Empty(key) => format!("write something under `{key}`"),
            Self::Schema(_) => format!("write `$schema: {}`", super::Tool::SCHEMA),
            Self::Name(..) => {
                "name it in words that every host accepts, such as `check_facts`".into()
            }
            Self::Stem { name, .. } => format!("rename the file to `{name}.yaml`, or the tool"),
            Self::TwoSchemas => "remove one of the two".into(),
            Self::Language(_) => "write `implementation: | # njk`".into(),
            Self::OneImplementation(_) => {
                "write a template as text, or a map such as `{exec: [echo, \"{{ text }}\"]}`".into()
            }
            Self::OutputType => "write `output: {type: json}` or `output: {type: text}`".into(),
            Self::TextSchema => "write `type: json`, or remove `schema`".into(),
            Self::Outside(_) => "name a file in the folder of the tool, or below it".into(),
            Self::Variable(_) => "use letters, digits and underscores, as in `API_KEY`".into(),
            Self::Capability(_) => "write it as `provider.operation`, such as `search.web`".into(),
            Self::Kind {
                expected, actual, ..
            } => expected.hint(actual).into(),
        })
    }

    /// The fault to show, wherever that is.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(Code::InvalidTool, self.to_string());
        diagnostic.hints.extend(self.hint().map(Hint::from));
        diagnostic
    }
}

/// The faults of a schema.
pub(super) fn schema_faults(errors: &[SchemaError], locator: &Locator<'_>) -> Vec<Diagnostic> {
    let errors = errors.iter().take(Diagnostic::MAX_SHOWN + 1);
    let diagnostic =
        |error: &SchemaError| locator.locate(error.diagnostic.diagnostic(), error.span);
    errors.map(diagnostic).collect()
}
