//! Texts that look like keys and passwords: by their shape, by the label before them, or by
//! their place in a URL.
//!
//! A tool file is committed, shared and sent to hosts. No rule ever prints a secret in full.

use std::ops::Range;

use crate::linter::Expression;

/// Shapes of secrets: the name, the minimum number of characters after a prefix, the prefixes.
const SHAPES: [(&str, usize, &str); 14] = [
    ("an AWS access key", 16, "AKIA ASIA"),
    ("a GitHub token", 22, "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_"),
    ("a GitLab token", 18, "glpat- glptt- gldt- gloas- glrt-"),
    ("an API key", 20, "sk-"),
    ("a Stripe key", 16, "sk_live_ rk_live_"),
    ("a Google API key", 35, "AIza"),
    ("a Google token", 20, "ya29. GOCSPX-"),
    (
        "a Slack token",
        10,
        "xoxa- xoxb- xoxp- xoxr- xoxs- xoxe- xoxe. xapp-",
    ),
    ("an npm token", 36, "npm_"),
    ("a JSON web token", 40, "eyJ ops_eyJ"),
    ("a private key", 40, "AGE-SECRET-KEY-1"),
    ("a key of a cloud service", 16, "LTAI"),
    (
        "a token of a service",
        20,
        "EAACEdEose0cBA NRAK- NRII- dckr_oat_ dckr_pat_ hvb. hvs. lin_api_ shpat_ shpca_ shppa_ \
         shpss_ tskey- whsec_",
    ),
    (
        "a token of a service",
        28,
        "AKCp ATATT3 ATBB PMAK- SG. dapi doo_v1_ dop_v1_ dor_v1_ figd_ glc_ glsa_ gsk_ hf_ jina_ \
         key- nfp_ ntn_ phx_ pplx- pscale_tkn_ pul- pypi- r8_ rubygems_ sbp_ secret_ sntrys_ \
         sntryu_ sq0csp- tfp_ tgp_v1_ xai-",
    ),
];

/// The length of the shortest secret that has a shape.
const SHORTEST: usize = 15;
/// The number of characters that stay visible.
const VISIBLE_CHARS: usize = 4;

/// Finds the secrets in `text`, with their names. Linear in its length.
pub fn all(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let keys = PRIVATE_KEY.groups(text);
    let mut found: Vec<_> = keys.map(|key| (key.range(), "a private key")).collect();
    in_urls(text, &mut found);
    for range in tokens(text) {
        let token = &text[range.clone()];
        let is_shape = |min_len: usize, prefix: &str| {
            let rest = token.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.len() >= min_len && has_digit(rest))
        };
        let mut shapes = SHAPES.iter().filter(|_| token.len() >= SHORTEST);
        let shape = shapes
            .find(|(_, min_len, prefixes)| prefixes.split(' ').any(|it| is_shape(*min_len, it)));
        if let Some((what, ..)) = shape {
            found.push((range, what));
        } else if is_labelled(text, &range) {
            found.push((range, "a secret"));
        }
    }
    found.sort_by_key(|(range, _)| (range.start, range.end));
    found.dedup_by(|next, one| next.0.start < one.0.end);
    found
}

/// Masks every secret in the text except for its first characters.
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

/// The beginning of a private key.
static PRIVATE_KEY: Expression =
    Expression::new(r"-----BEGIN [^\n]{0,38}?PRIVATE KEY[^\n]*?-----|PuTTY-User-Key-File-");

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

/// Labels before `:` or `=` that indicate a secret.
const LABELS: &str = "key token secret password passwd passphrase pwd credential session \
    sessionid signature";
/// Labels of secrets that people choose: they can be short.
const CHOSEN: [&str; 4] = ["password", "passwd", "passphrase", "pwd"];
/// The minimum length of a chosen password.
const MIN_CHOSEN_LEN: usize = 6;
/// The number of bytes before a value within which its label begins.
const MAX_LABEL: usize = 64;
/// The beginnings of credentials under `Authorization`.
const SCHEMES: &str = "Bearer bearer BEARER Basic basic token Token Bot ApiKey Key OAuth Splunk \
    GenieKey Digest";
/// Options before a password.
const OPTIONS: &str = "--password --passphrase --pass";
/// The programs that have their own: the option, then the programs.
const OWN_OPTIONS: [(&str, &str); 5] = [
    ("-p", "sshpass login mongosh rabbitmqadmin"),
    ("-a", "redis-cli"),
    ("-k", "openssl"),
    ("-P", "zip"),
    ("-w", "ldapsearch"),
];

/// Returns true if a label before the value at `range` says that it is a secret, as `api_key: "`
/// does, and it looks like one.
fn is_labelled(text: &str, range: &Range<usize>) -> bool {
    const QUOTES: [char; 3] = ['"', '\'', ' '];
    let token = &text[range.clone()];
    if token.len() < MIN_CHOSEN_LEN {
        return false;
    }
    let start = text.floor_char_boundary(range.start.saturating_sub(MAX_LABEL));
    let before = &text[start..range.start];
    let line = before.rsplit('\n').next().unwrap_or(before);
    let opened = line.trim_end_matches(QUOTES);
    let mut schemes = SCHEMES.split(' ');
    let scheme = schemes.find_map(|scheme| opened.strip_suffix(scheme));
    // Only what follows the name of a scheme needs no digit.
    if scheme.is_none() && !has_digit(token) {
        return false;
    }
    if is_after_option(before.trim_end_matches(QUOTES), token) || CALLED.find(opened).is_some() {
        return is_chosen(token);
    }
    let lower = opened.to_ascii_lowercase();
    if [" token", " key", " secret"]
        .iter()
        .any(|it| lower.ends_with(it))
    {
        return is_random(token);
    }
    let assigned = scheme.unwrap_or(opened).trim_end_matches(QUOTES);
    let Some(label) = assigned.strip_suffix([':', '=']) else {
        return false;
    };
    let name = label.trim_end_matches(QUOTES).to_ascii_lowercase();
    if scheme.is_some() && name.ends_with("authorization") {
        return token.len() >= 12 && !is_placeholder(token);
    }
    let named = |suffix: &str| {
        name.strip_suffix(suffix).is_some_and(|rest| {
            suffix.starts_with("pass")
                || rest.ends_with("api")
                || !rest.ends_with(|c: char| c.is_alphabetic())
        })
    };
    is_random(token) && LABELS.split(' ').any(named)
        || is_chosen(token) && CHOSEN.iter().any(|label| named(label))
}

/// Returns true if the words before a value say that it is a password: `curl -u name:`,
/// `sshpass -p`, `mysql -p`.
fn is_after_option(before: &str, token: &str) -> bool {
    let words = before.replace(['"', '\'', ',', '['], " ");
    let words: Vec<&str> = words
        .split_whitespace()
        .filter(|word| *word != "-")
        .collect();
    let has = |programs: &str| {
        let mut programs = programs.split(' ');
        programs.any(|program| words.iter().any(|word| word.ends_with(program)))
    };
    if before.ends_with('-') && token.starts_with('p') {
        return has("mysql mysqldump mariadb sshpass 7z");
    }
    match words.as_slice() {
        [.., "-u" | "--user", name] => name.ends_with(':') && !name.contains('/'),
        [.., option] => {
            let is_user =
                option.starts_with("-u") && option.ends_with(':') && !option.starts_with("--");
            is_user
                || OPTIONS.split(' ').any(|known| known == *option)
                || OWN_OPTIONS
                    .iter()
                    .any(|(known, programs)| known == option && has(programs))
        }
        [] => false,
    }
}

/// The end of `the password is`, or `password`.
static CALLED: Expression = Expression::new(
    r"(?i)(?:^|\s)[^\w\s]*(?:password|passwd|passphrase|pwd)(?:\s+(?:is|was|of))*$",
);

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns true if `text` could be a password: letters and digits together, and no word that
/// stands for one.
fn is_chosen(text: &str) -> bool {
    let word = text.trim_end_matches(|c: char| c.is_ascii_digit());
    // No placeholder looks like `secret123`.
    let is_word = ["secret", "assword"].contains(&word.trim_start_matches('p'));
    let mut letters = text.chars().filter(|c| c.is_alphabetic()).peekable();
    text.len() >= MIN_CHOSEN_LEN
        && !text.contains('/')
        && has_digit(text)
        && letters.peek().is_some()
        && !letters.all(char::is_uppercase)
        && (is_word || !is_placeholder(text))
}

/// Returns true if a parameter of this name takes a password.
pub(crate) fn is_name(name: &str) -> bool {
    const LABELS: &str = "password passwd passphrase pwd api_key apikey client_secret _token \
        _secret secret_key secretkey private_key access_key passcode";
    let name = name.to_ascii_lowercase().replace('-', "_");
    name == "pin" || LABELS.split(' ').any(|label| name.ends_with(label))
}

/// Returns true if `text` stands for a value.
pub(crate) fn is_placeholder(text: &str) -> bool {
    const WORDS: &str = "example changeme placeholder xxxx your dummy sample redacted ... **** \
        secret password token string integer apikey api_key env.";
    let lower = text.to_ascii_lowercase();
    WORDS.split(' ').any(|word| lower.contains(word)) || text.contains(['{', '$', '<', '%', '…'])
}

/// Returns true if `text` is too long and too mixed for a word, or shorter and made up.
fn is_random(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    let is_mixed = text.len() >= 32
        && text.contains(|c: char| c.is_ascii_uppercase())
        && text.contains(|c: char| c.is_ascii_lowercase());
    let is_long = text.len() >= 20
        && digits >= if is_mixed { 1 } else { 2 }
        && letters >= 2
        && bits(text) >= 3.5;
    let is_made_up = text.len() >= 12
        && digits >= 3
        && letters >= 3
        && !text.contains(['_', '.', '/', '='])
        && bits(text) >= 3.0
        && !is_placeholder(text);
    is_long || is_made_up
}

/// The Shannon entropy, in bits per character.
#[allow(clippy::cast_precision_loss, reason = "lengths of tokens are small")]
fn bits(text: &str) -> f64 {
    let mut counts = [0_usize; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let counts = counts.iter().filter(|count| **count > 0);
    let shares = counts.map(|count| *count as f64 / text.len() as f64);
    shares.map(|share| -share * share.log2()).sum()
}

/// Addresses that only those may know who may write to them: the host and the path before the
/// secret.
const WEBHOOKS: &str = "hooks.slack.com/services/ hooks.slack.com/workflows/ \
    discord.com/api/webhooks/ discordapp.com/api/webhooks/ webhook.office.com/webhookb2/ \
    outlook.office.com/webhook/ hooks.zapier.com/hooks/catch/ api.telegram.org/bot \
    maker.ifttt.com/trigger/ open.feishu.cn/open-apis/bot/ open.larksuite.com/open-apis/bot/ \
    events.pagerduty.com/integration/ .make.com/ hooks.chime.aws/incomingwebhooks/ webhook.site/ \
    hooks.airtable.com/workflows/ api.opsgenie.com/v1/json/ hc-ping.com/";
/// A URL: its user, and the rest.
static URL: Expression = Expression::new(r#"://(?:([^\s/?#"'`)\],]*)@)?([^\s"'`)\],]*)"#);
/// A parameter of a query that is a secret.
static PARAMETER: Expression = Expression::new(
    r"(?i)[?&](?:access_token|apikey|api_key|api-key|auth|auth_token|client_secret|code|key|password|private_token|secret|sig|signature|token|bot_token|jwt|pass|passwd|pwd|sentry_key|session|subscription-key|x-amz-signature|x-goog-signature)=([^&]{8,})",
);
/// The minimum length of a secret in a path or a query.
const MIN_LENGTH: usize = 8;

/// Adds the secrets in the URLs of `text`.
fn in_urls(text: &str, found: &mut Vec<(Range<usize>, &'static str)>) {
    let is_secret = |text: &str| text.len() >= MIN_LENGTH && has_digit(text) && is_value(text);
    for url in URL.captures_iter(text) {
        if let Some(user) = url.get(1) {
            let (min, password) = match user.as_str().split_once(':') {
                Some((_, password)) => (3, password),
                None => (16, user.as_str()),
            };
            if password.len() >= min && is_value(password) {
                let range = user.end() - password.len()..user.end();
                found.push((range, "a password in a URL"));
            }
        }
        let Some(rest) = url.get(2) else { continue };
        let (start, text) = (rest.start(), rest.as_str());
        let host = text.find(['/', '?', '#']).unwrap_or(text.len());
        let webhook = WEBHOOKS.split(' ').find_map(|prefix| {
            let at = text.find(prefix).filter(|at| *at < host)? + prefix.len();
            is_secret(&text[at..]).then_some(at)
        });
        if let Some(at) = webhook {
            found.push((start + at..rest.end(), "a webhook"));
            continue;
        }
        let values = PARAMETER.groups(text);
        for value in values.filter(|it| is_secret(&it.as_str().replace('%', ""))) {
            let range = start + value.start()..start + value.end();
            found.push((range, "a secret in a URL"));
        }
    }
}

/// Returns true for a value, rather than for a text that stands for one.
fn is_value(text: &str) -> bool {
    let stands_for = |c: char| matches!(c, 'x' | 'X' | '*' | '.' | '-');
    !is_placeholder(text)
        && !text.chars().all(stands_for)
        && text.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_shape_is_shorter() {
        let lengths = SHAPES.iter().flat_map(|(_, min_len, prefixes)| {
            let prefixes = prefixes.split(' ');
            prefixes.map(move |prefix| prefix.len() + min_len)
        });
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
