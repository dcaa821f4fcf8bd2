//! `cogtools session prompt`: what a request sent to the model, layer by layer.

use std::fmt::Write as _;

use clap::Args;
use cogtools_core::{Code, Diagnostic};
use cogtools_log::{Event, Id, LayerSize, SessionFile};
use cogtools_program::format::FormatArg;
use cogtools_program::terminal::pluralize;
use cogtools_program::{Failure, Io};
use serde_json::{Value, json};

use crate::locate::SessionArg;

/// The number of digits of a hash that are shown.
const HASH_DIGITS: usize = 12;

/// Show what a request sent to the model, layer by layer
#[derive(Args)]
#[group(skip)]
pub(crate) struct PromptArgs {
    #[command(flatten)]
    session: SessionArg,
    /// Show the last request up to this entry
    #[arg(long, value_name = "ID")]
    from: Option<Id>,
    #[command(flatten)]
    format: FormatArg,
}

/// Shows the last request on the branch that ends at an entry, or on the one that was written to
/// last.
pub(crate) fn prompt(args: &PromptArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let opened = args.session.read(io)?;
    let file = &opened.file;
    let path = opened.session.branch(opened.leaf(args.from)?);
    let request = path.iter().rev().find_map(|entry| match &entry.event {
        Event::Request {
            layers,
            model,
            turn,
            ..
        } => Some((entry.id, layers, model, turn)),
        _ => None,
    });
    let Some((id, layers, model, turn)) = request else {
        let hint = "`cogtools session tree` shows the entries";
        return Err(opened.lacks("request there").hint(hint).into());
    };
    if args.format.is_json() {
        let layers = layers.iter().map(|layer| {
            let text = layer_text(layer, file)?;
            let (tokens, hash) = (layer.tokens, &layer.hash);
            let cached = layer.cached;
            let layer = &layer.name;
            Ok(json!({"layer": layer, "tokens": tokens, "hash": hash, "cached": cached, "text": text}))
        });
        let layers = layers.collect::<Result<Vec<Value>, Failure>>()?;
        let report = json!({"entry": id, "turn": turn, "model": model, "layers": layers});
        return io.show_json(&format!("{report:#}\n"));
    }
    let mut text = format!("request {turn} #{id} to {model}\n");
    for layer in layers {
        write_layer(&mut text, layer, file)?;
    }
    io.show(&text)
}

fn write_layer(text: &mut String, layer: &LayerSize, file: &SessionFile) -> Result<(), Failure> {
    let cached = if layer.cached { ", cached" } else { "" };
    let end = layer.hash.floor_char_boundary(HASH_DIGITS);
    let (name, hash) = (&layer.name, &layer.hash[..end]);
    let _ = writeln!(
        text,
        "\n== {name}: {}, {hash}{cached}",
        pluralize(layer.tokens, "token")
    );
    let Some(said) = layer_text(layer, file)? else {
        let missing = if layer.tokens == 0 {
            "empty"
        } else {
            "its text was not kept"
        };
        let _ = writeln!(text, "({missing})");
        return Ok(());
    };
    text.push_str(&said);
    Ok(())
}

/// Returns the text of a layer; `None` if it is empty or was not kept.
fn layer_text(layer: &LayerSize, file: &SessionFile) -> Result<Option<String>, Failure> {
    if layer.parts.is_empty() {
        return Ok(None);
    }
    let text = file.blobs().layer_text(layer).map_err(|error| {
        let name = &layer.name;
        let message = format!("the text of the layer `{name}` cannot be read: {error}");
        let diagnostic = Diagnostic::new(Code::SessionDamaged, message);
        diagnostic.hint("`cogtools session verify` lists everything that is wrong")
    })?;
    Ok(Some(text))
}
