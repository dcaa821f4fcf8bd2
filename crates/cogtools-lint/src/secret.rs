//! Texts that look like keys and passwords.
//!
//! A tool file is committed, shared and sent to hosts; what is found is never
//! printed in full, by any rule.

use std::ops::Range;

/// A shape: how it begins, how many characters follow at least, and what it is.
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

/// Words before `:` or `=` that announce a secret.
const LABELS: [&str; 5] = ["key", "token", "secret", "password", "passwd"];
/// How long an announced value must be to be one.
const LABELLED_LENGTH: usize = 20;
/// How many bits a character of it must carry.
const LABELLED_BITS: f64 = 3.5;
/// How many characters stay readable.
const SHOWN: usize = 4;

/// The secrets in `text`: where each is, and what it is.
pub(crate) fn all(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found = private_keys(text);
    for word in words(text) {
        let written = &text[word.clone()];
        let shape = SHAPES.iter().find(|(prefix, least, _)| {
            let rest = written.strip_prefix(prefix);
            rest.is_some_and(|rest| {
                rest.len() >= *least && rest.contains(|c: char| c.is_ascii_digit())
            })
        });
        if let Some((_, _, what)) = shape {
            found.push((word, what));
        } else if is_labelled(&text[..word.start]) && is_random(written) {
            found.push((word, "a secret"));
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    found
}

/// The text with every secret covered but for its first characters.
pub(crate) fn redact(text: &str) -> String {
    let secrets = all(text);
    if secrets.is_empty() {
        return text.to_owned();
    }
    let covered = |(at, c)| {
        let inside = |range: &Range<usize>| at >= range.start + SHOWN && at < range.end;
        let secret = secrets.iter().any(|(range, _)| inside(range));
        if secret { '*' } else { c }
    };
    text.char_indices().map(covered).collect()
}

fn private_keys(text: &str) -> Vec<(Range<usize>, &'static str)> {
    const MARK: &str = "PRIVATE KEY-----";
    let begins = text.match_indices("-----BEGIN ");
    begins
        .filter_map(|(start, _)| {
            let line = text[start..].lines().next()?;
            let end = start + line.find(MARK)? + MARK.len();
            Some((start..end, "a private key"))
        })
        .collect()
}

/// The runs of characters that keys are made of.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let part =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '/' | '.' | '=');
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(|c: char| c.is_ascii_alphanumeric())?;
        let length = text[start..].find(|c: char| !part(c));
        let end = length.map_or(text.len(), |length| start + length);
        // `key=value` is two words.
        let assigned = text[start..end].find('=').filter(|at| start + at + 1 < end);
        let end = match assigned {
            Some(at) if text.as_bytes()[start + at + 1].is_ascii_alphanumeric() => start + at,
            _ => end,
        };
        rest = end;
        Some(start..end)
    })
}

/// Whether what stands before a value says that it is a secret: `api_key: "`.
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
    let mut rests = LABELS.iter().filter_map(|word| name.strip_suffix(word));
    rests.any(whole)
}

/// Whether a text is long and mixed as no word is.
fn is_random(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    text.len() >= LABELLED_LENGTH && digits >= 2 && letters >= 2 && bits(text) >= LABELLED_BITS
}

/// Shannon's bits a character.
#[allow(clippy::cast_precision_loss, reason = "lengths of words are small")]
fn bits(text: &str) -> f64 {
    let mut counts = [0_usize; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let shares = counts.iter().filter(|count| **count > 0);
    shares
        .map(|count| *count as f64 / text.len() as f64)
        .map(|share| -share * share.log2())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret_is_covered() {
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
