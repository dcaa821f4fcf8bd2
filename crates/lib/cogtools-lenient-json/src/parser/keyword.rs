//! `true`, `false` and `null`, as other languages write them.

use super::Parser;
use crate::character::is_name;
use crate::json::Json;

/// The words of JSON.
const JSON: [(&str, Json); 3] = [
    ("true", Json::Bool(true)),
    ("false", Json::Bool(false)),
    ("null", Json::Null),
];

/// Words of other languages. What is no number becomes `null`, as `JSON.stringify` writes it.
const OTHERS: [(&str, Json); 13] = [
    ("True", Json::Bool(true)),
    ("TRUE", Json::Bool(true)),
    ("False", Json::Bool(false)),
    ("FALSE", Json::Bool(false)),
    ("None", Json::Null),
    ("Null", Json::Null),
    ("NULL", Json::Null),
    ("nil", Json::Null),
    ("undefined", Json::Null),
    ("NaN", Json::Null),
    ("Infinity", Json::Null),
    ("-Infinity", Json::Null),
    ("+Infinity", Json::Null),
];

/// The value of `word` in JSON.
pub(crate) fn json_keyword(word: &str) -> Option<Json> {
    value(&JSON, word)
}

/// The value of `word` in another language.
pub(crate) fn other_keyword(word: &str) -> Option<Json> {
    value(&OTHERS, word)
}

/// The only keyword of JSON that begins with `word`.
pub(super) fn cut_keyword(word: &str) -> Option<Json> {
    let mut found = JSON
        .iter()
        .filter(|(keyword, _)| !word.is_empty() && keyword.starts_with(word));
    found.next().map(|(_, value)| value.clone())
}

fn value(table: &[(&str, Json)], word: &str) -> Option<Json> {
    let found = table.iter().find(|(keyword, _)| *keyword == word);
    found.map(|(_, value)| value.clone())
}

impl Parser<'_> {
    /// Whether a keyword is at `at`.
    pub(super) fn is_keyword(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        let is_whole = |keyword: &str| {
            let after = rest.strip_prefix(keyword);
            after.is_some_and(|after| !after.starts_with(is_name))
        };
        JSON.iter()
            .chain(&OTHERS)
            .any(|(keyword, _)| is_whole(keyword))
    }
}
