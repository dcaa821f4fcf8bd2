//! What a request has sent to the model: its layers, and the text of each as far as a page shows
//! it.

use cogtools_log::{Blobs, LayerSize};
use serde::Serialize;

use super::turn::Request;
use crate::cut;

/// How many layers of a page have their text, those of the last requests first.
const MAX_TEXTS: usize = 24;
/// How many parts of a layer are read at each of its ends.
const MAX_PARTS: usize = 6;

/// A layer of a request.
#[derive(Debug, Serialize)]
pub(crate) struct Layer {
    pub(crate) name: String,
    pub(crate) tokens: u64,
    pub(crate) hash: String,
    pub(crate) cached: bool,
    pub(crate) text: LayerText,
    #[serde(skip)]
    size: LayerSize,
}

/// What a page knows about the text of a layer.
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
}

impl Layer {
    /// A layer of the request after `before`, without its text.
    pub(crate) fn new(size: &LayerSize, before: Option<&Request>) -> Self {
        let mut others = before.iter().flat_map(|before| &before.layers);
        let is_same = |other: &Self| other.name == size.name && other.hash == size.hash;
        let text = match size.parts.is_empty() {
            true if size.tokens == 0 => LayerText::Empty,
            true => LayerText::NotKept,
            false if others.any(is_same) => LayerText::Unchanged,
            false => LayerText::LeftOut,
        };
        Self {
            name: size.name.clone(),
            tokens: size.tokens,
            hash: size.hash.clone(),
            cached: size.cached,
            text,
            size: size.clone(),
        }
    }

    /// Reads the text from `blobs`.
    fn read(&mut self, blobs: &Blobs) {
        let text = blobs.layer_ends(&self.size, MAX_PARTS);
        self.text = text.map_or(LayerText::Gone, |text| LayerText::Shown(cut::text(&text)));
    }
}

/// Reads the texts of the layers of `requests`, as many as a page shows.
pub(crate) fn read_texts(requests: &mut [Request], blobs: &Blobs) {
    let layers = requests.iter_mut().rev().flat_map(|one| &mut one.layers);
    let layers = layers.filter(|layer| layer.text == LayerText::LeftOut);
    layers.take(MAX_TEXTS).for_each(|layer| layer.read(blobs));
}
