//! Secrets in URLs: passwords, keys in queries, and addresses that only those may know who may
//! write to them.

use std::ops::Range;

use crate::secret_label::is_placeholder;

/// Addresses that are secrets themselves: the host and the path before the secret, and its name.
const WEBHOOKS: [(&str, &str); 18] = [
    ("hooks.slack.com/services/", "a Slack webhook"),
    ("hooks.slack.com/workflows/", "a Slack webhook"),
    ("discord.com/api/webhooks/", "a Discord webhook"),
    ("discordapp.com/api/webhooks/", "a Discord webhook"),
    ("webhook.office.com/webhookb2/", "a Teams webhook"),
    ("outlook.office.com/webhook/", "a Teams webhook"),
    ("hooks.zapier.com/hooks/catch/", "a Zapier webhook"),
    ("api.telegram.org/bot", "a Telegram bot's token"),
    ("maker.ifttt.com/trigger/", "an IFTTT webhook"),
    ("open.feishu.cn/open-apis/bot/", "a Feishu webhook"),
    ("open.larksuite.com/open-apis/bot/", "a Lark webhook"),
    ("events.pagerduty.com/integration/", "a PagerDuty key"),
    (".make.com/", "a Make webhook"),
    ("hooks.chime.aws/incomingwebhooks/", "a Chime webhook"),
    ("webhook.site/", "a webhook"),
    ("hooks.airtable.com/workflows/", "an Airtable webhook"),
    ("api.opsgenie.com/v1/json/", "an Opsgenie key"),
    ("hc-ping.com/", "a Healthchecks address"),
];

/// Parameters of a query that are secrets.
const PARAMETERS: [&str; 25] = [
    "access_token",
    "apikey",
    "api_key",
    "api-key",
    "auth",
    "auth_token",
    "client_secret",
    "code",
    "key",
    "password",
    "private_token",
    "secret",
    "sig",
    "signature",
    "token",
    "bot_token",
    "jwt",
    "pass",
    "passwd",
    "pwd",
    "sentry_key",
    "session",
    "subscription-key",
    "x-amz-signature",
    "x-goog-signature",
];

/// The minimum length of a secret in a query.
const MIN_LENGTH: usize = 8;
/// Longer URLs are examined up to here.
const MAX_URL: usize = 4_096;

/// The secrets in the URLs of `text`.
pub(crate) fn all(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found = Vec::new();
    let mut last = 0;
    for (at, separator) in text.match_indices("://") {
        if at < last {
            continue;
        }
        let start = at + separator.len();
        let end = text[start..]
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ')' | ']' | ','));
        let end = end
            .map_or(text.len(), |end| start + end)
            .min(start + MAX_URL);
        let end = text.floor_char_boundary(end);
        last = end;
        examine(&text[start..end], start, &mut found);
    }
    found
}

fn examine(url: &str, start: usize, found: &mut Vec<(Range<usize>, &'static str)>) {
    let authority = url.split(['/', '?', '#']).next().unwrap_or(url);
    if let Some((user, _)) = authority.rsplit_once('@') {
        let password = user.split_once(':').map_or(user, |(_, password)| password);
        let is_token = !user.contains(':') && password.len() >= 16;
        if (user.contains(':') || is_token) && password.len() > 2 && is_value(password) {
            let at = start + user.len() - password.len();
            found.push((at..at + password.len(), "a password in a URL"));
        }
    }
    for (prefix, what) in WEBHOOKS {
        let Some(at) = url.find(prefix).filter(|at| *at < authority.len()) else {
            continue;
        };
        let secret = &url[at + prefix.len()..];
        if secret.len() >= MIN_LENGTH
            && secret.contains(|c: char| c.is_ascii_digit())
            && is_value(secret)
        {
            let at = start + at + prefix.len();
            found.push((at..at + secret.len(), what));
            return;
        }
    }
    let Some((path, query)) = url.split_once('?') else {
        return;
    };
    let mut at = start + path.len() + 1;
    for pair in query.split('&') {
        if let Some((name, value)) = pair.split_once('=') {
            let is_known = PARAMETERS.contains(&name.to_ascii_lowercase().as_str());
            let has_digit = value.contains(|c: char| c.is_ascii_digit());
            if is_known
                && value.len() >= MIN_LENGTH
                && has_digit
                && is_value(&value.replace('%', ""))
            {
                let from = at + name.len() + 1;
                found.push((from..from + value.len(), "a secret in a URL"));
            }
        }
        at += pair.len() + 1;
    }
}

/// Whether it is a value, rather than what stands for one.
fn is_value(text: &str) -> bool {
    !is_placeholder(text)
        && !text
            .chars()
            .all(|c| matches!(c, 'x' | 'X' | '*' | '.' | '-'))
        && text.chars().any(char::is_alphanumeric)
}
