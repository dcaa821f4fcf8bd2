//! The text of the prompt's first two layers.

use std::sync::Arc;

use cogtools_agent::{
    Instructions, STATIC_TEMPLATE, Situation, TemplateError, render_dynamic, render_static,
};
use cogtools_core::{Code, Diagnostic};
use cogtools_log::Timestamp;
use cogtools_model::Content;
use cogtools_program::Failure;

/// Instructions.
pub(crate) fn system() -> Result<Option<Arc<Content>>, Failure> {
    let instructions = Instructions::default();
    render_static("static.njk", STATIC_TEMPLATE, &instructions).map_err(|error| failure(&error))
}

/// The state of the world at `now`.
pub(crate) fn dynamic(now: Timestamp) -> Result<Option<Arc<Content>>, Failure> {
    let situation = Situation {
        current_datetime: Some(now.to_string()),
        ..Situation::default()
    };
    render_dynamic(None, &situation).map_err(|error| failure(&error))
}

fn failure(error: &TemplateError) -> Failure {
    Diagnostic::new(Code::TemplateFailed, error.to_string()).into()
}
