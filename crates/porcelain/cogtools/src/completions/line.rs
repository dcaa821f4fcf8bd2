//! The words of a command line that is still being typed.

/// Splits `line` as a shell does; the last word is the one at the cursor, which may be empty,
/// and whose quotes need not be closed.
pub(super) fn split(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut is_escaped = false;
    for c in line.chars() {
        let last = words.len() - 1;
        let word = &mut words[last];
        match (quote, c) {
            _ if is_escaped => {
                word.push(c);
                is_escaped = false;
            }
            (None | Some('"'), '\\') => is_escaped = true,
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, c) if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(String::new());
                }
            }
            (_, c) => word.push(c),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn the_last_word_is_the_one_at_the_cursor() {
        for (line, expected) in [
            ("", vec![""]),
            ("cogtools", vec!["cogtools"]),
            ("cogtools ", vec!["cogtools", ""]),
            ("cogtools  run  a", vec!["cogtools", "run", "a"]),
            (
                "cogtools run a b='x y",
                vec!["cogtools", "run", "a", "b=x y"],
            ),
            ("x \"a\\\"b\" c\\ d", vec!["x", "a\"b", "c d"]),
            ("x \\", vec!["x", ""]),
        ] {
            assert_eq!(split(line), expected, "{line:?}");
        }
    }
}
