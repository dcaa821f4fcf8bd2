//! The text of the first two layers, rendered from templates.

use cogtools_model::{Content, Part};
use njk::Engine;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// The template of instructions if the project has none.
pub const STATIC_TEMPLATE: &str = include_str!("../prompts/static.njk");

/// What instructions are made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Instructions {
    /// What the agent is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Roles that it takes.
    pub roles: Vec<String>,
    /// Rules that it follows.
    pub rules: Vec<String>,
    /// How it proceeds, step by step.
    pub procedure: Vec<String>,
    /// What it must not do.
    pub constraints: Vec<String>,
    /// What the whole session is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_goal: Option<String>,
    /// Files such as `AGENTS.md`.
    pub instructions: Vec<InstructionFile>,
}

/// A file with instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InstructionFile {
    /// Its name.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// A file and what it contains now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileReference {
    /// Its path.
    pub path: String,
    /// Its content; absent if it does not exist yet, or is not text.
    pub content: Option<String>,
}

/// What a model should know about the state of the world.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Situation {
    /// The current time, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_datetime: Option<String>,
    /// Files that the model should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub file_references: Vec<FileReference>,
    /// Files that the session is to make.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<FileReference>,
    /// The list of things to do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub todos: Vec<Value>,
}

/// A template that cannot be rendered, or not to what it should be.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// It fails.
    #[error("`{name}:{line}:{column}`: {message}")]
    Failed {
        /// The template.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// How many characters are wrong.
        length: usize,
        /// Why.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// The dynamic layer has to be JSON.
    #[error("`{name}` does not render to JSON: {message}")]
    NotJson {
        /// The template.
        name: String,
        /// Why.
        message: String,
    },
}

/// Renders instructions with the template `source`, which `name` names in errors. `None` if
/// nothing comes out.
pub fn render_static(
    name: &str,
    source: &str,
    instructions: &Instructions,
) -> Result<Option<Arc<Content>>, TemplateError> {
    let context = serde_json::to_value(instructions).unwrap_or_default();
    let text = render(name, source, &context)?;
    let text = text.trim();
    Ok((!text.is_empty()).then(|| Arc::new(Content::system(text))))
}

/// The dynamic layer: `situation` as JSON, or what the template makes of it. `None` if nothing
/// is known.
pub fn render_dynamic(
    template: Option<(&str, &str)>,
    situation: &Situation,
) -> Result<Option<Arc<Content>>, TemplateError> {
    let context = serde_json::to_value(situation).unwrap_or_default();
    let json = match template {
        None => context,
        Some((name, source)) => {
            let text = render(name, source, &context)?;
            serde_json::from_str(&text).map_err(|error| TemplateError::NotJson {
                name: name.to_owned(),
                message: error.to_string(),
            })?
        }
    };
    let is_empty = json.as_object().is_some_and(serde_json::Map::is_empty) || json.is_null();
    let content = || {
        let text = serde_json::to_string_pretty(&json).unwrap_or_default();
        Arc::new(Content::user(vec![Part::text_of(text)]))
    };
    Ok((!is_empty).then(content))
}

fn render(name: &str, source: &str, context: &Value) -> Result<String, TemplateError> {
    let rendered = Engine::new()
        .compile(name, source)
        .and_then(|template| template.render(context));
    rendered.map_err(|error| TemplateError::Failed {
        name: name.to_owned(),
        line: error.line(),
        column: error.column(),
        length: error.length(),
        message: error.message().to_owned(),
        hint: error.hint().map(str::to_owned),
    })
}
