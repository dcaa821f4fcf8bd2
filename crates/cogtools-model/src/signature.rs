//! Thought signatures: opaque bytes on a part that a model wants back unchanged.

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
        if let Some(call) = first.filter(|part| part.signature().is_none()) {
            call.set_signature(SENTINEL);
        }
    }
}
