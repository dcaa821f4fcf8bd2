//! `--models`: what the provider has.

use cogtools_agent::diagnostic;
use cogtools_agent::{connect, runtime};
use cogtools_model::ModelInfo;
use cogtools_program::{Failure, Io};
use serde_json::json;

use crate::args::{AskArgs, OutputFormat};

/// Prints the models of the provider: names, one per line, or JSON.
pub(crate) fn list(args: &AskArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let model = connect(&args.model, io)?;
    let models = runtime()?.block_on(model.models());
    let models = models
        .map_err(|error| Failure::from(diagnostic::diagnostic(&error, "the list of models")))?;
    if args.format == OutputFormat::Text {
        let names = models.iter().map(|model| model.name.as_str());
        let lines: Vec<&str> = names.flat_map(|name| [name, "\n"]).collect();
        return io.show(&lines.concat());
    }
    let entries: Vec<_> = models.iter().map(entry).collect();
    io.show_json(&format!("{}\n", json!({ "models": entries })))
}

fn entry(model: &ModelInfo) -> serde_json::Value {
    json!({
        "name": model.name,
        "title": model.title,
        "inputTokens": model.input_tokens,
        "outputTokens": model.output_tokens,
    })
}
