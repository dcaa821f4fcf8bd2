//! The tokens of a search, and their similarity.

/// The tokens of `text`: runs of letters and digits in lower case, split where `camelCase`
/// and `XMLFile` have their parts.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut token = String::new();
    let mut before: Option<char> = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_part = letter.is_alphanumeric();
        let begins_word = letter.is_uppercase()
            && match before {
                Some(before) if before.is_uppercase() => {
                    letters.peek().is_some_and(|next| next.is_lowercase())
                }
                Some(before) => before.is_lowercase(),
                None => false,
            };
        if !token.is_empty() && (!is_part || begins_word) {
            tokens.push(std::mem::take(&mut token));
        }
        if is_part {
            token.extend(letter.to_lowercase());
        }
        before = Some(letter);
    }
    if !token.is_empty() {
        tokens.push(token);
    }
    tokens
}

/// How similar `token` is to the `query`'s, from 0 to 1: equal, a longer or a shorter
/// form, or one that contains it.
pub(super) fn similarity(query: &str, token: &str) -> f64 {
    /// Shorter prefixes and infixes are ambiguous.
    const MIN_PREFIX_CHARS: usize = 4;
    const MIN_INFIX_CHARS: usize = 4;
    let has = |text: &str, min: usize| text.chars().count() >= min || !text.is_ascii();
    let is_prefix = |text: &str, of: &str| has(text, MIN_PREFIX_CHARS) && of.starts_with(text);
    if query == token {
        1.0
    } else if is_prefix(query, token) {
        0.7
    } else if is_prefix(token, query) || has(query, MIN_INFIX_CHARS) && token.contains(query) {
        0.4
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_names_and_sentences() {
        for (text, expected) in [
            ("", vec![]),
            ("git_commit-all", vec!["git", "commit", "all"]),
            (
                "readJSONFile, twice!",
                vec!["read", "json", "file", "twice"],
            ),
            ("git.push 2", vec!["git", "push", "2"]),
            ("Straße für ÄPFEL", vec!["straße", "für", "äpfel"]),
            ("天気 予報", vec!["天気", "予報"]),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }

    #[test]
    fn similarity_decreases_from_equal_to_unrelated() {
        for (asked, word, expected) in [
            ("commit", "commit", 1.0),
            ("comm", "commit", 0.7),
            ("commits", "commit", 0.4),
            ("mmit", "commit", 0.4),
            ("天", "天気予報", 0.7),
            ("気", "天気予報", 0.4),
            ("co", "commit", 0.0),
            ("a", "banana", 0.0),
            ("push", "commit", 0.0),
            ("the", "another", 0.0),
        ] {
            let found = similarity(asked, word);
            assert!(
                (found - expected).abs() < f64::EPSILON,
                "{asked} {word}: {found}"
            );
        }
    }
}
