//! The text of the prompt's first two layers.

use std::sync::Arc;

use cogtools_agent::{
    Instructions, STATIC_TEMPLATE, Situation, TemplateError, render_dynamic, render_static,
};
use cogtools_core::{Code, Diagnostic};
use cogtools_model::Content;
use cogtools_program::Failure;

/// Instructions.
pub(crate) fn system() -> Result<Option<Arc<Content>>, Failure> {
    let instructions = Instructions::default();
    render_static("static.njk", STATIC_TEMPLATE, &instructions).map_err(|error| failure(&error))
}

/// The state of the world at `time`, in RFC 3339.
pub(crate) fn dynamic(time: String) -> Result<Option<Arc<Content>>, Failure> {
    let situation = Situation {
        current_datetime: Some(time),
        ..Situation::default()
    };
    render_dynamic(None, &situation).map_err(|error| failure(&error))
}

fn failure(error: &TemplateError) -> Failure {
    Diagnostic::new(Code::TemplateFailed, error.to_string()).into()
}
