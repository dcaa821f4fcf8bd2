//! Paths of the Gemini API: names in them can reach nothing else.

/// The path of a model: `models/x`, or `tunedModels/x` if it is named so.
pub(super) fn model_path(model: &str) -> String {
    match model.strip_prefix("tunedModels/") {
        Some(tuned) => format!("tunedModels/{}", encode(tuned)),
        None => format!("models/{}", encode(model_id(model))),
    }
}

/// `models/x` and `x` are the same model.
pub(super) fn model_id(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}

/// The path of a cache: `cachedContents/x`, below a project or not.
pub(super) fn cache_path(name: &str) -> Option<String> {
    let segments: Vec<&str> = name.split('/').collect();
    let is_empty = |segment: &&str| segment.trim_matches('.').is_empty();
    let [.., "cachedContents", _] = segments.as_slice() else {
        return None;
    };
    if segments.iter().any(is_empty) {
        return None;
    }
    let path: Vec<String> = segments.into_iter().map(encode).collect();
    Some(path.join("/"))
}

/// `segment` as one segment of a path, or one value of a query.
pub(super) fn encode(segment: &str) -> String {
    let encode_byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'@' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    segment.bytes().map(encode_byte).collect()
}
