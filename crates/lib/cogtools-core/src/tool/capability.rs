//! Capabilities: names of at least two segments, separated by dots.

/// Returns true if `text` is a capability, such as `provider.operation`.
pub(crate) fn is_capability(text: &str) -> bool {
    let is_segment = |part: &str| !part.is_empty() && part.chars().all(is_segment_char);
    text.contains('.') && text.split('.').all(is_segment)
}

/// The capability of a tool that declares none. A toolset may be a path
/// (`git/remote`) or a package (`@scope/name`): other characters separate segments.
pub(super) fn default_capability(toolset: &str, name: &str) -> String {
    let parts = toolset.split(|c| !is_segment_char(c));
    let parts = parts.filter(|part| !part.is_empty()).chain([name]);
    parts.collect::<Vec<_>>().join(".")
}

const fn is_segment_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}
