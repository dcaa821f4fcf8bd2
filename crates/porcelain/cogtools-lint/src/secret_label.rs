//! Secrets that their label gives away: `api_key: "…"`, `Authorization: Bearer …`, and what
//! people choose as a password.

use std::ops::Range;

/// Labels before `:` or `=` that indicate a secret.
const LABELS: [&str; 11] = [
    "key",
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "credential",
    "session",
    "sessionid",
    "signature",
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

/// How credentials begin under `Authorization`.
const SCHEMES: [&str; 14] = [
    "Bearer", "bearer", "BEARER", "Basic", "basic", "token", "Token", "Bot", "ApiKey", "Key",
    "OAuth", "Splunk", "GenieKey", "Digest",
];

/// Whether a label before the value at `range` says that it is a secret: `api_key: "`, and it
/// looks like one.
pub(crate) fn is_labelled_secret(text: &str, range: &Range<usize>) -> bool {
    let token = &text[range.clone()];
    if token.len() < MIN_CHOSEN_LEN {
        return false;
    }
    let start = text.floor_char_boundary(range.start.saturating_sub(MAX_LABEL));
    let before = &text[start..range.start];
    let line = before.rsplit('\n').next().unwrap_or(before);
    let opened = line.trim_end_matches(['"', '\'', ' ']);
    let bearer = SCHEMES
        .iter()
        .find_map(|scheme| opened.strip_suffix(scheme));
    // Only what follows the name of a scheme needs no digit.
    if bearer.is_none() && !token.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    if is_after_option(before.trim_end_matches(['"', '\'', ' ']))
        || is_after_word(opened)
        || attached_password(opened, token)
    {
        return is_chosen(token);
    }
    if ["token", "key", "secret"]
        .iter()
        .any(|word| opened.to_ascii_lowercase().ends_with(&format!(" {word}")))
    {
        return is_random(token) || is_made_up(token);
    }
    let assigned = bearer.unwrap_or(opened).trim_end_matches(['"', '\'', ' ']);
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
    if CHOSEN.iter().any(named) {
        return is_random(token) || is_chosen(token);
    }
    LABELS.iter().any(named) && (is_random(token) || is_made_up(token))
}

/// Options before a password, and the programs that have them; `""` is any.
const OPTIONS: [(&str, &str); 11] = [
    ("sshpass", "-p"),
    ("redis-cli", "-a"),
    ("openssl", "-k"),
    ("zip", "-P"),
    ("login", "-p"),
    ("ldapsearch", "-w"),
    ("mongosh", "-p"),
    ("rabbitmqadmin", "-p"),
    ("", "--password"),
    ("", "--passphrase"),
    ("", "--pass"),
];

/// Whether what is before a value says that it is a password: `curl -u name:`, `sshpass -p`.
fn is_after_option(before: &str) -> bool {
    let words = before.replace(['"', '\'', ',', '['], " ");
    let words: Vec<&str> = words
        .split_whitespace()
        .filter(|word| *word != "-")
        .collect();
    match words.as_slice() {
        [.., "-u" | "--user", name] => name.ends_with(':') && !name.contains('/'),
        [rest @ .., option] => {
            let is_user =
                option.starts_with("-u") && option.ends_with(':') && !option.starts_with("--");
            let known = OPTIONS.iter().any(|(program, known)| {
                known == option
                    && (program.is_empty() || rest.iter().any(|it| it.ends_with(program)))
            });
            is_user || known
        }
        [] => false,
    }
}

/// Whether the words before a value say that it is a password: `the password is`, `password`.
fn is_after_word(before: &str) -> bool {
    let mut last = before
        .split_whitespace()
        .rev()
        .filter(|word| !["is", "was", "of"].contains(word));
    last.next().is_some_and(|word| {
        let word = word
            .trim_start_matches(|c: char| !c.is_alphanumeric())
            .to_ascii_lowercase();
        CHOSEN.contains(&word.as_str()) && before.ends_with(|c: char| c.is_alphabetic())
    })
}

/// Whether the token is `p` and a password, as in `mysql -pTr0ub4dor`.
fn attached_password(before: &str, token: &str) -> bool {
    let words = before.replace(['"', '\'', ',', '['], " ");
    let mut words = words.split_whitespace();
    let known =
        words.any(|word| ["mysql", "mysqldump", "mariadb", "sshpass", "7z"].contains(&word));
    known && before.ends_with('-') && token.starts_with('p')
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
        && (!is_placeholder(text) || is_word_and_digits(text))
        && !is_variable(text)
}

/// Whether `text` is `secret123`, or one like it: no placeholder looks like that.
fn is_word_and_digits(text: &str) -> bool {
    let word = text
        .trim_end_matches(|c: char| c.is_ascii_digit())
        .trim_start_matches('p');
    ["secret", "assword"].contains(&word)
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
    letters.all(char::is_uppercase)
}

/// Whether a parameter of this name takes a password.
pub(crate) fn is_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('-', "_");
    CHOSEN.iter().any(|label| name.ends_with(label))
        || [
            "api_key",
            "apikey",
            "client_secret",
            "_token",
            "_secret",
            "secret_key",
            "secretkey",
            "private_key",
            "access_key",
            "passcode",
        ]
        .iter()
        .any(|label| name.ends_with(label))
        || name == "pin"
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
    let is_mixed = text.len() >= 32
        && text.contains(|c: char| c.is_ascii_uppercase())
        && text.contains(|c: char| c.is_ascii_lowercase());
    text.len() >= MIN_LABELLED_LEN
        && digits >= if is_mixed { 1 } else { 2 }
        && letters >= 2
        && bits(text) >= MIN_LABELLED_BITS
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
