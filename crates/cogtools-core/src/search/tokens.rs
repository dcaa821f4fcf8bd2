//! Words, as a search compares them.

/// The words of `text`: runs of letters and digits in lower case, apart where a
/// small letter meets a capital one, as in `camelCase`.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut small = false;
    for letter in text.chars() {
        let part = letter.is_alphanumeric();
        if !word.is_empty() && (!part || (small && letter.is_uppercase())) {
            words.push(std::mem::take(&mut word));
        }
        if part {
            word.extend(letter.to_lowercase());
        }
        small = letter.is_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// How well `word` answers to the `asked` one, from 0 to 1: the same, a longer or
/// a shorter form of it, or one that has it inside.
pub(super) fn similarity(asked: &str, word: &str) -> f64 {
    /// Shorter beginnings say nothing, nor do shorter middles.
    const STEM: usize = 3;
    const CORE: usize = 4;
    let least = |text: &str, least: usize| text.chars().count() >= least || !text.is_ascii();
    let long = |text: &str| least(text, STEM);
    if asked == word {
        1.0
    } else if long(asked) && word.starts_with(asked) {
        0.7
    } else if long(word) && asked.starts_with(word) {
        0.5
    } else if least(asked, CORE) && word.contains(asked) {
        0.4
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_names_and_sentences() {
        for (text, expected) in [
            ("", vec![]),
            ("git_commit-all", vec!["git", "commit", "all"]),
            ("readJSONFile, twice!", vec!["read", "jsonfile", "twice"]),
            ("git.push 2", vec!["git", "push", "2"]),
            ("Straße für ÄPFEL", vec!["straße", "für", "äpfel"]),
            ("天気 予報", vec!["天気", "予報"]),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }

    #[test]
    fn similarity_falls_with_distance() {
        for (asked, word, expected) in [
            ("commit", "commit", 1.0),
            ("comm", "commit", 0.7),
            ("commits", "commit", 0.5),
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
