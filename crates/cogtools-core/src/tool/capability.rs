//! What a tool provides, as others name it: words with dots between them.

/// Whether it is a capability: `provider.operation`, of two words at least.
pub(super) fn is_valid(text: &str) -> bool {
    let word = |part: &str| !part.is_empty() && part.chars().all(is_in_words);
    text.contains('.') && text.split('.').all(word)
}

/// That of a tool that names none. A toolset may be a path, `git/remote`, or a
/// package, `@scope/name`: what is in no word divides them.
pub(super) fn default_for(toolset: &str, name: &str) -> String {
    let parts = toolset.split(|c| !is_in_words(c));
    let words = parts.filter(|part| !part.is_empty()).chain([name]);
    words.collect::<Vec<_>>().join(".")
}

const fn is_in_words(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}
