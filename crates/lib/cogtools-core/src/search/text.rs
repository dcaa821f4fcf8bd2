//! The tokens of a text, their stems, and their similarity.

/// Endings of nouns of verbs, and the ending of the verb.
const NOUNS: [(&str, &str); 6] = [
    ("ization", "ize"),
    ("isation", "ize"),
    ("ations", "ate"),
    ("ation", "ate"),
    ("ments", "ment"),
    ("ically", "ic"),
];
/// Endings of verbs.
const VERBS: [&str; 2] = ["ing", "ed"];
/// Endings that are left out if at least four letters stay.
const SUFFIXES: [&str; 5] = ["ment", "er", "or", "ion", "ly"];

/// Returns the stem of the English `word`, which is in lower case.
///
/// It is cruder than a linguist's: it only has to be the same for `deploys`, `deployed` and
/// `deployment`. Words of other scripts are their own stems.
pub(super) fn stem(word: &str) -> String {
    if word.len() <= 3 || !word.is_ascii() {
        return word.to_owned();
    }
    let mut word = word.to_owned();
    let noun = NOUNS.iter().find_map(|(ending, verb)| {
        let base = word.strip_suffix(ending)?;
        (base.len() >= 3).then(|| format!("{base}{verb}"))
    });
    word = singular(noun.unwrap_or(word));
    let verb = VERBS.iter().find_map(|ending| {
        let base = word.strip_suffix(ending)?;
        (base.len() >= 3 && base.contains(['a', 'e', 'i', 'o', 'u', 'y'])).then(|| undouble(base))
    });
    word = verb.unwrap_or(word);
    let base = SUFFIXES.iter().find_map(|ending| {
        let base = word.strip_suffix(ending)?;
        (base.len() >= 4).then(|| base.to_owned())
    });
    word = base.unwrap_or(word);
    if word.len() > 3 && word.ends_with('e') {
        word.pop();
    }
    if word.len() > 3 && word.ends_with('y') {
        word.pop();
        word.push('i');
    }
    word
}

fn singular(mut word: String) -> String {
    let is_hissing = ["sses", "ches", "shes", "xes"];
    if is_hissing.iter().any(|ending| word.ends_with(ending)) {
        word.truncate(word.len() - 2);
    } else if word.len() > 4 && word.ends_with("ies") {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|it| word.ends_with(it)) {
        word.pop();
    }
    word
}

/// Removes the second `p` of `stopp`.
fn undouble(base: &str) -> String {
    let mut letters = base.chars().rev();
    let (last, before) = (letters.next(), letters.next());
    let is_double = base.len() > 3 && last == before && !matches!(last, Some('l' | 's' | 'z'));
    base[..base.len() - usize::from(is_double)].to_owned()
}

/// Splits `text` into tokens: runs of letters and digits in lower case, split where `camelCase`
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

/// Returns how similar `token` is to the `query`'s, from 0 to 1: equal, a longer or a shorter
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
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &[
                "deploy",
                "deploys",
                "deployed",
                "deploying",
                "deployment",
                "deployments",
            ][..],
            &["directory", "directories"],
            &["stop", "stopped", "stops"],
            &["create", "creates", "created", "creating", "creation"],
            &["search", "searches", "searching"],
            &["page", "pages"],
            &["translation", "translate"],
            &["fetch", "fetches", "fetched"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|one| *one == stems[0]), "{stems:?}");
        }
        for (word, expected) in [
            ("京都", "京都"),
            ("größe", "größe"),
            ("git", "git"),
            ("status", "status"),
        ] {
            assert_eq!(stem(word), expected);
        }
    }

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
