//! The timeline of a turn: its requests to the model, its steps, and remarks about them.

use cogtools_core::text;
use cogtools_log::{BlobError, Blobs, LayerSize, Usage};
use serde::Serialize;

use crate::cut;
use crate::markdown::Html;
use crate::session::turn::Badge;

/// A row of the timeline.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Row {
    pub(crate) line: usize,
    pub(crate) kind: RowKind,
    pub(crate) badge: Option<Badge>,
    pub(crate) text: String,
    /// The time since the turn began, and the duration, in words.
    pub(crate) at: String,
    pub(crate) time: String,
    pub(crate) bar: Option<Bar>,
    pub(crate) step: Option<Box<Step>>,
    pub(crate) request: Option<Request>,
    /// The milliseconds since the turn began; none for what has not begun.
    #[serde(skip)]
    pub(crate) began: Option<u64>,
    #[serde(skip)]
    pub(crate) ms: Option<u64>,
}

/// The kind of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RowKind {
    Request,
    Step,
    Thought,
    Question,
    Decision,
    Branch,
    #[default]
    Note,
    Error,
    End,
}

/// The place of a row between the beginning and the end of the turn, in hundredths of percent.
#[derive(Debug, Serialize)]
pub(crate) struct Bar {
    pub(crate) x: u64,
    pub(crate) width: u64,
}

/// A step of a plan, a call, or a node of a flow.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Step {
    /// Its name in the log.
    pub(crate) key: String,
    pub(crate) tool: String,
    pub(crate) reason: String,
    /// Its number among the steps of the turn, from 1.
    pub(crate) number: usize,
    /// Why it failed.
    pub(crate) message: String,
    /// True if a program has made the call.
    pub(crate) is_of_program: bool,
    pub(crate) code: String,
    pub(crate) arguments: Html,
    /// The arguments that the tool got, if others were sent.
    pub(crate) resolved: Html,
    /// All arguments that the tool gets, however long they are.
    #[serde(skip)]
    pub(crate) whole: String,
    /// The whole program that the call runs; empty if it runs none.
    #[serde(skip)]
    pub(crate) program: String,
    /// True if this is the call of a tool, not only a node.
    pub(crate) is_call: bool,
    pub(crate) result: Html,
    pub(crate) result_is_cut: bool,
    /// The number of the line with the result.
    pub(crate) result_line: usize,
    /// The whole result, if the line has only a part of it.
    pub(crate) blob: String,
    pub(crate) logs: Vec<String>,
    /// The remarks of a guard: references that are missing, results that became text.
    pub(crate) notes: Vec<String>,
    pub(crate) approval: String,
}

/// A request to the model, by layers.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Request {
    pub(crate) turn: u32,
    pub(crate) model: String,
    pub(crate) tokens: u64,
    pub(crate) cached_percent: u64,
    /// Its money, if that is known.
    pub(crate) cost: String,
    pub(crate) layers: Vec<Layer>,
}

impl Row {
    /// A row of this kind, which begins `began` milliseconds after its turn.
    pub(crate) fn new(line: usize, kind: RowKind, began: Option<u64>) -> Self {
        Self {
            line,
            kind,
            began,
            ..Self::default()
        }
    }

    /// A row for a step that has not begun.
    pub(crate) fn of_step(line: usize, badge: Option<Badge>, step: Step) -> Self {
        Self {
            badge,
            step: Some(Box::new(step)),
            ..Self::new(line, RowKind::Step, None)
        }
    }
}

impl Step {
    /// The tool, or the name in the log of a step without one.
    pub(crate) fn name(&self) -> &str {
        if self.tool.is_empty() {
            &self.key
        } else {
            &self.tool
        }
    }
}

/// The money of a usage in words; empty if it is not known.
pub(crate) fn cost(usage: &Usage) -> String {
    usage
        .cost
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// The number of layers of a page that have their text, beginning with the last requests.
const MAX_TEXTS: usize = 24;
/// The number of parts of a layer that are read at each of its ends.
const MAX_PARTS: usize = 6;

/// A layer of a request.
#[derive(Debug, Serialize)]
pub(crate) struct Layer {
    #[serde(flatten)]
    size: LayerSize,
    pub(crate) text: LayerText,
    /// The layer in the request before, if it is another one.
    #[serde(skip)]
    before: Option<LayerSize>,
}

/// The facts about the text of a layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", content = "text", rename_all = "snake_case")]
pub(crate) enum LayerText {
    /// The layer is empty.
    Empty,
    /// The log does not have it.
    NotKept,
    /// It is the same as in the request before this one.
    Unchanged,
    /// It can be read, but the page has enough of others.
    LeftOut,
    /// It cannot be read any more.
    Gone,
    /// It is this, with its middle left out if it is long.
    Shown(String),
    /// It differs like this from the layer in the request before.
    Changed(Html),
}

impl Layer {
    /// A layer of the request after `before`, without its text.
    pub(crate) fn new(size: &LayerSize, before: Option<&Request>) -> Self {
        let mut others = before.iter().flat_map(|before| &before.layers);
        let other = others.find(|other| other.size.name == size.name);
        let text = match size.parts.is_empty() {
            true if size.tokens == 0 => LayerText::Empty,
            true => LayerText::NotKept,
            false if other.is_some_and(|other| other.size.hash == size.hash) => {
                LayerText::Unchanged
            }
            false => LayerText::LeftOut,
        };
        let before = other.map(|other| other.size.clone());
        Self {
            size: size.clone(),
            text,
            before: before.filter(|before| !before.parts.is_empty()),
        }
    }

    /// Reads the text from `blobs`.
    fn read(&mut self, blobs: &Blobs) {
        let text = match &self.before {
            Some(before) => changes(before, &self.size, blobs),
            None => blobs
                .layer_ends(&self.size, MAX_PARTS)
                .map(|text| LayerText::Shown(cut::text(&text))),
        };
        self.text = text.unwrap_or(LayerText::Gone);
    }
}

/// Compares two layers. Contents that both begin with are not read.
fn changes(before: &LayerSize, now: &LayerSize, blobs: &Blobs) -> Result<LayerText, BlobError> {
    let pairs = before.parts.iter().zip(&now.parts);
    let same = pairs.take_while(|(one, other)| one == other).count();
    let rest = |layer: &LayerSize| -> Result<String, BlobError> {
        let parts = layer.parts[same..].to_vec();
        let rest = LayerSize {
            parts,
            ..layer.clone()
        };
        Ok(cut::text(&blobs.layer_ends(&rest, MAX_PARTS)?))
    };
    let (before, now) = (rest(before)?, rest(now)?);
    let diff = text::compare(&before, &now);
    let diff = diff.unified_diff().context_radius(2).to_string();
    Ok(LayerText::Changed(Html::difference(&diff)))
}

/// Reads the texts of the layers of `requests`, as many as a page shows.
pub(crate) fn read_texts<'r>(
    requests: impl DoubleEndedIterator<Item = &'r mut Request>,
    blobs: &Blobs,
) {
    let layers = requests.rev().flat_map(|one| &mut one.layers);
    let layers = layers.filter(|layer| layer.text == LayerText::LeftOut);
    layers.take(MAX_TEXTS).for_each(|layer| layer.read(blobs));
}
