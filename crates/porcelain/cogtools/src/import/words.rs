//! The words of a command line, as Bash reads them, without any expansion.

/// Splits a command line into words. Browsers write `$'…'` for text with quotes and line breaks, and
/// continue lines with a backslash.
///
/// # Errors
/// A quote that is not closed.
pub(super) fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    let open = |quote: &str| format!("the quote {quote} is not closed");
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some('\r') if chars.peek() == Some(&'\n') => drop(chars.next()),
                Some(c) => word.get_or_insert_default().push(c),
            },
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or_else(|| open("'"))? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or_else(|| open("\""))? {
                        '"' => break,
                        '\\' => match chars.next().ok_or_else(|| open("\""))? {
                            '\n' => {}
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '$' if chars.peek() == Some(&'\'') => {
                chars.next();
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or_else(|| open("$'"))? {
                        '\'' => break,
                        '\\' => {
                            let c = chars.next().ok_or_else(|| open("$'"))?;
                            let length = match c {
                                'x' => 2,
                                'u' => 4,
                                'U' => 8,
                                _ => 0,
                            };
                            let mut digits = String::new();
                            while digits.len() < length
                                && let Some(digit) = chars.next_if(char::is_ascii_hexdigit)
                            {
                                digits.push(digit);
                            }
                            let code = u32::from_str_radix(&digits, 16).ok();
                            word.push(code.and_then(char::from_u32).unwrap_or(match c {
                                'n' => '\n',
                                'r' => '\r',
                                't' => '\t',
                                c => c,
                            }));
                        }
                        c => word.push(c),
                    }
                }
            }
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_bash() {
        for (line, expected) in [
            ("curl a\\\n  b", vec!["curl", "a", "b"]),
            ("-H 'a: \"b\"' \"c\\\"d\"", vec!["-H", "a: \"b\"", "c\"d"]),
            (r"$'it\'s\n\u0021\x41'", vec!["it's\n!A"]),
            ("a'b'\"c\"d ''", vec!["abcd", ""]),
            (r"'\n' a\ b $x", vec!["\\n", "a b", "$x"]),
        ] {
            assert_eq!(split(line).expect(line), expected, "{line}");
        }
        assert_eq!(split("'a"), Err("the quote ' is not closed".to_owned()));
    }
}
