//! The shape of the key `prompt` in a configuration.

use schemars::JsonSchema;
use serde_json::{Map, Value};

use crate::schema::shape::match_parser;

/// What cogtools ask tells a model beside its task.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, deny_unknown_fields, transform = match_parser)]
pub struct Prompt {
    /// What the agent is.
    pub description: Option<String>,
    /// Roles that it takes.
    pub roles: Option<Vec<String>>,
    /// Rules that it follows.
    pub rules: Option<Vec<String>>,
    /// How it proceeds, step by step.
    pub procedure: Option<Vec<String>>,
    /// What it must not do.
    pub constraints: Option<Vec<String>>,
    /// What the whole session is for.
    pub session_goal: Option<String>,
    /// Files with instructions. By default, GEMINI.md and AGENTS.md, if they exist.
    #[schemars(inner(regex(pattern = r"\S")))]
    pub instructions: Option<Vec<String>>,
    /// The template of the static layer. By default, prompts/static.njk, if it exists.
    #[schemars(regex(pattern = r"\S"))]
    pub r#static: Option<String>,
    /// The template of the dynamic layer, which renders JSON. By default, prompts/dynamic.njk, if
    /// it exists.
    #[schemars(regex(pattern = r"\S"))]
    pub dynamic: Option<String>,
    /// Files that the model should know.
    #[schemars(inner(regex(pattern = r"\S")))]
    pub files: Option<Vec<String>>,
    /// Files that the session is to make.
    #[schemars(inner(regex(pattern = r"\S")))]
    pub artifacts: Option<Vec<String>>,
    /// Things to do.
    pub todos: Option<Vec<Todo>>,
}

/// A thing to do.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, untagged)]
pub enum Todo {
    /// A text.
    Text(String),
    /// A map, such as with title and done.
    Fields(Map<String, Value>),
}
