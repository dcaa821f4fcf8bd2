//! Thought signatures: opaque bytes on a part that a model wants back unchanged.

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::{Content, Role};

/// What the Gemini API accepts in place of a signature, for calls that another model made.
pub const SENTINEL: &str = "skip_thought_signature_validator";

/// Adds [`SENTINEL`] where the API requires a signature and the history has none: on the first
/// call of each response in the current turn. Earlier turns are not validated.
pub fn fill_missing(contents: &mut [Content]) {
    let Some(start) = contents.iter().rposition(Content::begins_turn) else {
        return;
    };
    for content in &mut contents[start..] {
        if content.role() != Some(Role::Model) {
            continue;
        }
        let first = content
            .parts_mut()
            .iter_mut()
            .find(|part| part.call().is_some());
        let is_unsigned = |signature: Option<&str>| signature.is_none_or(str::is_empty);
        if let Some(call) = first.filter(|part| is_unsigned(part.signature())) {
            call.set_signature(SENTINEL);
        }
    }
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
