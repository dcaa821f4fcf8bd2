//! Texts that look like keys and passwords.
//!
//! A tool file is committed, shared and sent to hosts. No rule ever prints a secret
//! in full.

use std::ops::Range;

/// A shape: its prefix, the minimum number of characters after it, and its name.
const SHAPES: [(&str, usize, &str); 20] = [
    ("AKIA", 16, "an AWS access key"),
    ("ASIA", 16, "an AWS access key"),
    ("ghp_", 30, "a GitHub token"),
    ("gho_", 30, "a GitHub token"),
    ("ghu_", 30, "a GitHub token"),
    ("ghs_", 30, "a GitHub token"),
    ("ghr_", 30, "a GitHub token"),
    ("github_pat_", 22, "a GitHub token"),
    ("glpat-", 18, "a GitLab token"),
    ("sk-", 20, "an API key"),
    ("sk_live_", 16, "a Stripe key"),
    ("rk_live_", 16, "a Stripe key"),
    ("AIza", 35, "a Google API key"),
    ("ya29.", 20, "a Google token"),
    ("xoxb-", 10, "a Slack token"),
    ("xoxp-", 10, "a Slack token"),
    ("npm_", 36, "an npm token"),
    ("hf_", 30, "a Hugging Face token"),
    ("pypi-", 40, "a PyPI token"),
    ("eyJ", 40, "a JSON web token"),
];

/// Labels before `:` or `=` that indicate a secret.
const LABELS: [&str; 5] = ["key", "token", "secret", "password", "passwd"];
/// The minimum length of a labelled value.
const MIN_LABELLED_LEN: usize = 20;
/// The minimum entropy of a labelled value, in bits per character.
const MIN_LABELLED_BITS: f64 = 3.5;
/// How many characters stay visible.
const VISIBLE_CHARS: usize = 4;

/// The secrets in `text`: where each is, and what it is.
pub(crate) fn all(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found = private_keys(text);
    for range in tokens(text) {
        let token = &text[range.clone()];
        let shape = SHAPES.iter().find(|(prefix, min_len, _)| {
            let rest = token.strip_prefix(prefix);
            rest.is_some_and(|rest| {
                rest.len() >= *min_len && rest.contains(|c: char| c.is_ascii_digit())
            })
        });
        if let Some((_, _, what)) = shape {
            found.push((range, what));
        } else if is_labelled(&text[..range.start]) && is_random(token) {
            found.push((range, "a secret"));
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    found
}

/// The text with every secret masked except for its first characters.
pub(crate) fn redact(text: &str) -> String {
    let secrets = all(text);
    if secrets.is_empty() {
        return text.to_owned();
    }
    let mask = |(at, c)| {
        let inside = |range: &Range<usize>| at >= range.start + VISIBLE_CHARS && at < range.end;
        let secret = secrets.iter().any(|(range, _)| inside(range));
        if secret { '*' } else { c }
    };
    text.char_indices().map(mask).collect()
}

fn private_keys(text: &str) -> Vec<(Range<usize>, &'static str)> {
    const SUFFIX: &str = "PRIVATE KEY-----";
    text.match_indices("-----BEGIN ")
        .filter_map(|(start, _)| {
            let line = text[start..].lines().next()?;
            let end = start + line.find(SUFFIX)? + SUFFIX.len();
            Some((start..end, "a private key"))
        })
        .collect()
}

/// The runs of characters that a secret can consist of.
fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> {
    let part =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '/' | '.' | '=');
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(|c: char| c.is_ascii_alphanumeric())?;
        let length = text[start..].find(|c: char| !part(c));
        let end = length.map_or(text.len(), |length| start + length);
        // `key=value` is two tokens.
        let assigned = text[start..end].find('=').filter(|at| start + at + 1 < end);
        let end = match assigned {
            Some(at) if text.as_bytes()[start + at + 1].is_ascii_alphanumeric() => start + at,
            _ => end,
        };
        rest = end;
        Some(start..end)
    })
}

/// Whether the text before a value labels it as a secret: `api_key: "`.
fn is_labelled(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or(before);
    let opened = line.trim_end_matches(['"', '\'', ' ']);
    let assigned = opened.strip_suffix("Bearer").unwrap_or(opened).trim_end();
    let Some(label) = assigned.strip_suffix([':', '=']) else {
        return false;
    };
    let name = label
        .trim_end_matches(['"', '\'', ' '])
        .to_ascii_lowercase();
    let whole = |rest: &str| rest.ends_with("api") || !rest.ends_with(|c: char| c.is_alphabetic());
    let mut rests = LABELS.iter().filter_map(|suffix| name.strip_suffix(suffix));
    rests.any(whole)
}

/// Whether `text` is too long and too mixed for a word.
fn is_random(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    text.len() >= MIN_LABELLED_LEN && digits >= 2 && letters >= 2 && bits(text) >= MIN_LABELLED_BITS
}

/// The Shannon entropy, in bits per character.
#[allow(clippy::cast_precision_loss, reason = "lengths of tokens are small")]
fn bits(text: &str) -> f64 {
    let mut counts = [0_usize; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| *count as f64 / text.len() as f64)
        .map(|share| -share * share.log2())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked() {
        for (text, expected) in [
            ("AKIAIOSFODNN7EXAMPLE", "AKIA****************"),
            (
                "say sk-abcdefghijklmnopqrst12",
                "say sk-a*********************",
            ),
            ("task-abcdefghijklmnopqrst12", "task-abcdefghijklmnopqrst12"),
            (
                "-----BEGIN RSA PRIVATE KEY-----",
                "----***************************",
            ),
            (
                "api_key: \"Zm9vYmFyYmF6cXV4MTIzNDU2\"",
                "api_key: \"Zm9v********************\"",
            ),
            (
                "TOKEN=9f8e7d6c5b4a39281706f5e4d3c2b1a0",
                "TOKEN=9f8e****************************",
            ),
            (
                "api_key: the-name-of-the-variable",
                "api_key: the-name-of-the-variable",
            ),
            (
                "monkey: Zm9vYmFyYmF6cXV4MTIzNDU2",
                "monkey: Zm9vYmFyYmF6cXV4MTIzNDU2",
            ),
            (
                "$schema: schema:agladysh-research.org,2025/cogtools:tool",
                "$schema: schema:agladysh-research.org,2025/cogtools:tool",
            ),
        ] {
            assert_eq!(redact(text), expected);
        }
    }
}
