//! Thought signatures: opaque bytes on a part that a model wants back unchanged.

use std::borrow::Cow;
use std::sync::Arc;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::{Content, Part, Request, Role};

/// What the Gemini API accepts in place of a signature, for calls that another model made.
pub const SENTINEL: &str = "skip_thought_signature_validator";

/// Adds [`SENTINEL`] where the API requires a signature and the history has none: on the first
/// call of each response in the current turn. Earlier turns are not validated.
pub fn fill_missing(contents: &mut [Content]) {
    let Some(start) = contents.iter().rposition(Content::begins_turn) else {
        return;
    };
    for content in &mut contents[start..] {
        if let Some(index) = unsigned_call(content) {
            content.parts_mut()[index].set_signature(SENTINEL);
        }
    }
}

/// The request as its model accepts it: with [`SENTINEL`] where the history comes from a model
/// that does not sign. Models before Gemini 3 neither sign nor ask for it.
pub(crate) fn signed(request: &Request) -> Cow<'_, Request> {
    let model = request.model.as_str();
    let is_old = ["gemini-1", "gemini-2"]
        .iter()
        .any(|old| model.contains(old));
    let contents = &request.contents;
    let start = contents.iter().rposition(|content| content.begins_turn());
    let Some(start) = start.filter(|_| !is_old) else {
        return Cow::Borrowed(request);
    };
    let unsigned: Vec<(usize, usize)> = (start..contents.len())
        .filter_map(|index| Some((index, unsigned_call(&contents[index])?)))
        .collect();
    if unsigned.is_empty() {
        return Cow::Borrowed(request);
    }
    let mut request = request.clone();
    for (index, part) in unsigned {
        let content = Arc::make_mut(&mut request.contents[index]);
        content.parts_mut()[part].set_signature(SENTINEL);
    }
    Cow::Owned(request)
}

/// The first call of a model's content, if it should have a signature and has none.
fn unsigned_call(content: &Content) -> Option<usize> {
    if content.role() != Some(Role::Model) {
        return None;
    }
    let parts = content.parts();
    let first = parts.iter().position(|part| part.call().is_some())?;
    let signature = parts.get(first).and_then(Part::signature);
    signature.is_none_or(str::is_empty).then_some(first)
}

/// The bytes of a signature in base64, standard or for URLs, padded or not. Two signatures are
/// the same if these are. `None` if it is not base64.
pub fn decode_signature(signature: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let is_for_urls = signature.contains(['-', '_']);
    let alphabet = if is_for_urls { &URL_SAFE } else { &STANDARD };
    GeneralPurpose::new(alphabet, config).decode(signature).ok()
}
