//! Texts that look like keys and passwords.
//!
//! A tool file is committed, shared and sent to hosts. No rule ever prints a secret
//! in full.

use std::ops::Range;

use crate::{secret_label, secret_url};

/// A shape: its prefix, the minimum number of characters after it, and its name.
const SHAPES: [(&str, usize, &str); 79] = [
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
    ("xoxe.", 20, "a Slack token"),
    ("xoxe-", 20, "a Slack token"),
    ("xoxs-", 10, "a Slack token"),
    ("glptt-", 18, "a GitLab token"),
    ("gldt-", 18, "a GitLab token"),
    ("gloas-", 18, "a GitLab token"),
    ("glrt-", 18, "a GitLab token"),
    ("glsa_", 30, "a Grafana token"),
    ("glc_", 30, "a Grafana token"),
    ("gsk_", 40, "a Groq key"),
    ("r8_", 30, "a Replicate token"),
    ("pplx-", 40, "a Perplexity key"),
    ("xai-", 40, "an xAI key"),
    ("tgp_v1_", 30, "a Together key"),
    ("jina_", 40, "a Jina key"),
    ("NRAK-", 20, "a New Relic key"),
    ("NRII-", 20, "a New Relic key"),
    ("rubygems_", 40, "a RubyGems key"),
    ("EAACEdEose0cBA", 20, "a Facebook token"),
    ("secret_", 40, "a Notion token"),
    ("ntn_", 40, "a Notion token"),
    ("tfp_", 35, "a Typeform token"),
    ("dckr_pat_", 20, "a Docker token"),
    ("dckr_oat_", 20, "a Docker token"),
    ("ATATT3", 40, "an Atlassian token"),
    ("ATBB", 28, "a Bitbucket password"),
    ("AKCp", 60, "an Artifactory key"),
    ("key-", 32, "a Mailgun key"),
    ("hvs.", 24, "a Vault token"),
    ("hvb.", 24, "a Vault token"),
    ("pul-", 40, "a Pulumi token"),
    ("PMAK-", 40, "a Postman key"),
    ("phx_", 30, "a PostHog key"),
    ("tskey-", 20, "a Tailscale key"),
    ("shpss_", 24, "a Shopify token"),
    ("shpca_", 24, "a Shopify token"),
    ("shppa_", 24, "a Shopify token"),
    ("sq0csp-", 40, "a Square secret"),
    ("pscale_tkn_", 30, "a PlanetScale token"),
    ("dapi", 32, "a Databricks token"),
    ("GOCSPX-", 24, "a Google client secret"),
    ("doo_v1_", 40, "a DigitalOcean token"),
    ("dor_v1_", 40, "a DigitalOcean token"),
    ("nfp_", 36, "a Netlify token"),
    ("sntrys_", 40, "a Sentry token"),
    ("sntryu_", 40, "a Sentry token"),
    ("LTAI", 16, "an Alibaba Cloud key"),
    ("ops_eyJ", 40, "a 1Password token"),
];

/// The length of the shortest secret that has a shape.
const SHORTEST: usize = 15;

/// How many characters stay visible.
const VISIBLE_CHARS: usize = 4;

/// The secrets in `text`: where each is, and what it is. Linear in its length.
pub(crate) fn all(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found = private_keys(text);
    found.extend(secret_url::all(text));
    for range in tokens(text) {
        let token = &text[range.clone()];
        let shapes = if token.len() < SHORTEST {
            &[]
        } else {
            &SHAPES[..]
        };
        let shape = shapes.iter().find(|(prefix, min_len, _)| {
            token.len() >= prefix.len() + min_len
                && token
                    .strip_prefix(prefix)
                    .is_some_and(|rest| rest.contains(|c: char| c.is_ascii_digit()))
        });
        if let Some((_, _, what)) = shape {
            found.push((range, what));
        } else if secret_label::is_labelled_secret(text, &range) {
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
    let putty = text.match_indices("PuTTY-User-Key-File-");
    let putty = putty.map(|(at, form)| (at..at + form.len(), "a private key"));
    text.match_indices("-----BEGIN ")
        .filter_map(|(start, _)| {
            let line = text[start..].lines().next()?;
            let end = line.char_indices().nth(60).map_or(line.len(), |(at, _)| at);
            let at = line[..end].find(SUFFIX)?;
            let closed = line[at..].find("-----")? + "-----".len();
            Some((start..start + at + closed, "a private key"))
        })
        .chain(putty)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_shape_is_shorter() {
        let lengths = SHAPES
            .iter()
            .map(|(prefix, min_len, _)| prefix.len() + min_len);
        assert_eq!(lengths.min(), Some(SHORTEST));
    }

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
