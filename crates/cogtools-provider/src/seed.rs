//! The seed of a request: the same for the same task.

use cogtools_model::Part;

/// The seed of the same task for the same model: a hash of both (FNV-1a).
pub fn stable_seed(model: &str, task: &[Part]) -> i32 {
    let parts = task
        .iter()
        .map(|part| serde_json::to_string(part.fields()).unwrap_or_default());
    let text = std::iter::once(model.to_owned())
        .chain(parts)
        .collect::<Vec<_>>()
        .join("\n");
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    // Providers take a signed number; its sign says nothing.
    i32::try_from(hash >> 1).unwrap_or(0)
}
