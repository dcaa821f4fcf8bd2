//! Maps with fixed keys in tool files, as types. Editors show their doc comments.

use schemars::JsonSchema;

use crate::shape::match_parser;

/// The effects of the tool, for hosts that ask before they call it. Omitted keys make no claim.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct Annotations {
    /// The tool changes nothing.
    pub read_only: Option<bool>,
    /// The tool may destroy something.
    pub destructive: Option<bool>,
    /// Repeated calls with the same arguments have no further effect.
    pub idempotent: Option<bool>,
    /// The tool interacts with an open world, such as the web.
    pub open_world: Option<bool>,
}

/// An example with what a test expects of it.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct Example {
    /// The example's name, unique in the tool: its golden file is TOOL.NAME.golden.
    #[schemars(regex(pattern = "^[a-zA-Z_][a-zA-Z0-9_-]{0,46}$"))]
    pub name: Option<String>,
    /// The arguments of the call.
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// What the result contains, or the message of a failure.
    pub contains: Option<Texts>,
    /// Regular expressions that match in the result, or in the message of a failure.
    pub matches: Option<Texts>,
    /// Regular expressions of what differs between calls; it is not compared.
    pub redact: Option<Texts>,
    /// The code that the call fails with.
    pub fails: Option<CallCode>,
}

/// One text or several.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, untagged)]
pub enum Texts {
    /// One.
    One(#[schemars(length(min = 1))] String),
    /// Several.
    Several(Vec<String>),
}

/// A code that a call can fail with.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline, rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CallCode {
    /// The tool reports a failure.
    ToolFailed,
    /// The arguments do not match the parameters.
    SchemaViolation,
    /// The template fails.
    TemplateFailed,
    /// The call takes too long.
    Timeout,
}

/// An implementation other than an inline template: exactly one of these keys.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
#[schemars(extend("minProperties" = 1))]
pub struct ImplementationMap {
    /// A file with a Nunjucks template, in the tool's folder or below it.
    #[schemars(regex(pattern = r"^(?!/)(?!(.*/)?\.\.(/|$))."))]
    pub njk_file: Option<String>,
    /// JavaScript: the body of a strict function that takes args and returns the result. It
    /// runs in a confined process and reaches nothing else.
    #[schemars(regex(pattern = r"\S"))]
    pub js: Option<String>,
    /// A program and its arguments, each a Nunjucks template; no shell is involved. An
    /// element that is only {{ name }} of an array becomes an argument for each item. The
    /// arguments of the call are on its standard input, as JSON.
    #[schemars(length(min = 1))]
    pub exec: Option<Vec<ExecElement>>,
    /// A script that begins with #! and its interpreter. The arguments of the call are on
    /// its standard input, as JSON.
    #[schemars(regex(pattern = r"^#!"))]
    pub script: Option<String>,
}

/// An element of exec.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, untagged)]
pub enum ExecElement {
    /// A template, which becomes one argument.
    Word(String),
    /// Arguments that are left out unless a condition holds.
    When(ExecCondition),
}

/// Arguments that are left out unless a condition holds; not the first element.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct ExecCondition {
    /// An expression over the arguments, without braces, such as path or count > 1.
    #[schemars(regex(pattern = r"\S"))]
    pub when: String,
    /// The arguments, each a template.
    #[schemars(length(min = 1))]
    pub args: Vec<String>,
}
