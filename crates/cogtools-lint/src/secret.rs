//! Texts that look like keys and passwords.
//!
//! A tool file is committed, shared and sent to hosts. No rule ever prints a secret
//! in full.

use std::ops::Range;

use crate::secret_url;

/// A shape: its prefix, the minimum number of characters after it, and its name.
const SHAPES: [(&str, usize, &str); 31] = [
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
    ("xoxa-", 10, "a Slack token"),
    ("xoxr-", 10, "a Slack token"),
    ("xapp-", 10, "a Slack token"),
    ("SG.", 40, "a SendGrid key"),
    ("dop_v1_", 40, "a DigitalOcean token"),
    ("shpat_", 24, "a Shopify token"),
    ("whsec_", 20, "a webhook's secret"),
    ("lin_api_", 20, "a Linear key"),
    ("sbp_", 30, "a Supabase token"),
    ("figd_", 30, "a Figma token"),
    ("AGE-SECRET-KEY-1", 40, "a private key"),
];

/// Labels before `:` or `=` that indicate a secret.
const LABELS: [&str; 8] = [
    "key",
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "credential",
];
/// The labels of what people choose: it can be short.
const CHOSEN: [&str; 4] = ["password", "passwd", "passphrase", "pwd"];
/// The minimum length of a labelled value, if it could be a word.
const MIN_LABELLED_LEN: usize = 20;
/// The minimum entropy of a labelled value, in bits per character.
const MIN_LABELLED_BITS: f64 = 3.5;
/// The minimum length of a chosen password.
const MIN_CHOSEN_LEN: usize = 6;
/// How many bytes before a value its label can begin.
const MAX_LABEL: usize = 64;
/// How many characters stay visible.
const VISIBLE_CHARS: usize = 4;

/// The secrets in `text`: where each is, and what it is. Linear in its length.
pub(crate) fn all(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found = private_keys(text);
    found.extend(secret_url::all(text));
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
        } else if is_labelled_secret(text, &range) {
            found.push((range, "a secret"));
        }
    }
    found.sort_by_key(|(range, _)| (range.start, range.end));
    found.dedup_by(|next, one| next.0.start < one.0.end);
    found
}

/// The text with every secret masked except for its first characters.
pub(crate) fn redact(text: &str) -> String {
    let secrets = all(text);
    if secrets.is_empty() {
        return text.to_owned();
    }
    let mut rest = secrets.iter().peekable();
    let mask = |(at, c)| {
        while rest.next_if(|(range, _)| range.end <= at).is_some() {}
        let inside = |range: &Range<usize>| at >= range.start + VISIBLE_CHARS && at < range.end;
        let secret = rest.peek().is_some_and(|(range, _)| inside(range));
        if secret { '*' } else { c }
    };
    text.char_indices().map(mask).collect()
}

fn private_keys(text: &str) -> Vec<(Range<usize>, &'static str)> {
    const SUFFIX: &str = "PRIVATE KEY";
    text.match_indices("-----BEGIN ")
        .filter_map(|(start, _)| {
            let line = text[start..].lines().next()?;
            let end = line.char_indices().nth(60).map_or(line.len(), |(at, _)| at);
            let at = line[..end].find(SUFFIX)?;
            let closed = line[at..].find("-----")? + "-----".len();
            Some((start..start + at + closed, "a private key"))
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

/// Whether a label before the value at `range` says that it is a secret: `api_key: "`, and it
/// looks like one.
fn is_labelled_secret(text: &str, range: &Range<usize>) -> bool {
    let token = &text[range.clone()];
    if token.len() < MIN_CHOSEN_LEN {
        return false;
    }
    let start = text.floor_char_boundary(range.start.saturating_sub(MAX_LABEL));
    let before = &text[start..range.start];
    let line = before.rsplit('\n').next().unwrap_or(before);
    let opened = line.trim_end_matches(['"', '\'', ' ']);
    if is_after_option(opened) {
        return is_chosen(token);
    }
    let bearer = ["Bearer", "Basic", "bearer", "token"]
        .iter()
        .find_map(|scheme| opened.strip_suffix(scheme));
    let assigned = bearer.unwrap_or(opened).trim_end();
    let Some(label) = assigned.strip_suffix([':', '=']) else {
        return false;
    };
    let name = label
        .trim_end_matches(['"', '\'', ' '])
        .to_ascii_lowercase();
    if bearer.is_some() && name.ends_with("authorization") {
        return token.len() >= 12 && !is_placeholder(token);
    }
    let named = |suffix: &&str| {
        let rest = name.strip_suffix(*suffix);
        rest.is_some_and(|rest| {
            suffix.starts_with("pass")
                || rest.ends_with("api")
                || !rest.ends_with(|c: char| c.is_alphabetic())
        })
    };
    if CHOSEN.iter().any(|label| named(&label)) {
        return is_random(token) || is_chosen(token);
    }
    LABELS.iter().any(|label| named(&label)) && (is_random(token) || is_made_up(token))
}

/// Whether what is before a value says that it is a password: `curl -u name:`, `sshpass -p`.
fn is_after_option(before: &str) -> bool {
    let words = before.replace(['"', '\'', ',', '['], " ");
    let mut last = words.split_whitespace().rev();
    match (last.next(), last.next()) {
        (Some(name), Some("-u" | "--user")) => name.ends_with(':') && !name.contains('/'),
        (Some("-p"), Some("sshpass")) => true,
        _ => false,
    }
}

/// Whether `text` could be a password: letters and digits together, and no word that stands for
/// one.
fn is_chosen(text: &str) -> bool {
    let has_digit = text.contains(|c: char| c.is_ascii_digit());
    let has_letter = text.contains(|c: char| c.is_ascii_alphabetic());
    text.len() >= MIN_CHOSEN_LEN
        && !text.contains('/')
        && has_digit
        && has_letter
        && !is_placeholder(text)
        && !is_variable(text)
}

/// Whether `text` is shorter than what chance would have to make, and still no word.
fn is_made_up(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    text.len() >= 12
        && digits >= 3
        && letters >= 3
        && !text.contains(['_', '.', '/', '='])
        && bits(text) >= 3.0
        && !is_placeholder(text)
}

/// Whether `text` is the name of a variable.
fn is_variable(text: &str) -> bool {
    let mut letters = text.chars().filter(|c| c.is_alphabetic());
    letters.all(|c| c.is_uppercase())
}

/// Whether a parameter of this name takes a password.
pub(crate) fn is_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('-', "_");
    CHOSEN.iter().any(|label| name.ends_with(label))
        || [
            "api_key",
            "apikey",
            "client_secret",
            "access_token",
            "auth_token",
            "api_token",
        ]
        .iter()
        .any(|label| name.ends_with(label))
}

/// Whether `text` stands for a value.
pub(crate) fn is_placeholder(text: &str) -> bool {
    const WORDS: [&str; 18] = [
        "example",
        "changeme",
        "placeholder",
        "xxxx",
        "your",
        "dummy",
        "sample",
        "redacted",
        "...",
        "****",
        "secret",
        "password",
        "token",
        "string",
        "integer",
        "apikey",
        "api_key",
        "env.",
    ];
    let lower = text.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word)) || text.contains(['{', '$', '<', '%', '…'])
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
