//! Checks of values, beyond their types.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::Size;
use crate::tool::capability;
use crate::{Name, invisible, owner};

/// Reads a single value that `accept` accepts; `expected` describes it.
pub(super) fn checked<'de, D, T>(
    deserializer: D,
    expected: &str,
    accept: impl Fn(&T) -> bool,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    match T::deserialize(deserializer) {
        Ok(value) if accept(&value) => Ok(value),
        _ => Err(D::Error::custom(expected)),
    }
}

pub(super) fn tokens<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    checked(from, "a whole number of tokens", |_: &usize| true).map(Some)
}

pub(super) fn source_name<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let accept = |text: &String| !text.is_empty() && !text.contains(is_invalid_in_name);
    checked(from, "a string without colons", accept).map(Some)
}

/// Returns true if a provider's name must not contain `c`: users approve by name, so it
/// must look like what it is.
pub(in crate::config) fn is_invalid_in_name(c: char) -> bool {
    c == ':' || c.is_control() || invisible::name(c).is_some()
}

pub(super) fn prefix<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let expected = "the beginning of a tool name (letters from a to z, digits, `_` and `-`)";
    let accept = |text: &String| !text.is_empty() && Name::new(&format!("{text}x")).is_ok();
    checked(from, expected, accept).map(Some)
}

pub(super) fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let accept = |seconds: &f64| *seconds > 0.0 && Duration::try_from_secs_f64(*seconds).is_ok();
    let seconds = checked(from, "a number of seconds greater than 0", accept)?;
    Ok(Duration::try_from_secs_f64(seconds).ok())
}

pub(super) fn seconds_or_none<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Duration>, D::Error> {
    let accept = |seconds: &f64| Duration::try_from_secs_f64(*seconds).is_ok();
    let seconds = checked(from, "a number of seconds, or 0", accept)?;
    Ok(Duration::try_from_secs_f64(seconds).ok())
}

pub(super) fn server_url<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    url_with(from, |rest| !rest.is_empty())
}

pub(super) fn url<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    url_with(from, |_| true)
}

pub(super) fn url_with<'de, D: Deserializer<'de>>(
    from: D,
    accept: fn(&str) -> bool,
) -> Result<Option<String>, D::Error> {
    let is_url = |url: &String| {
        let rest = url.strip_prefix("https://").or(url.strip_prefix("http://"));
        rest.is_some_and(accept)
    };
    checked(from, "a URL that begins with https:// or http://", is_url).map(Some)
}

pub(super) fn headers<'de, D: Deserializer<'de>>(from: D) -> Result<Map<String, Value>, D::Error> {
    let are_texts = |headers: &Map<String, Value>| headers.values().all(Value::is_string);
    checked(from, "a string for each header", are_texts)
}

pub(super) fn sent_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    // A client sends it with every request.
    let accept = |text: &String| !text.trim().is_empty() && text.len() <= 8 << 10;
    checked(from, "a text of at most 8 KiB", accept).map(Some)
}

pub(super) fn some_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    checked(from, "a text", |text: &String| !text.trim().is_empty()).map(Some)
}

pub(super) fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    let expected = "a size of at least 1 MiB, such as `512 MiB`, or a number of bytes";
    let accept = |size: &Size| size.bytes().is_some_and(|bytes| bytes >= 1 << 20);
    checked(from, expected, accept).map(|size| size.bytes())
}

pub(super) fn at_least_8<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    // With less, no program starts.
    checked(from, "a whole number of at least 8", |number: &u64| {
        *number >= 8
    })
    .map(Some)
}

pub(super) fn at_least_1<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    checked(from, "a whole number of at least 1", |number: &u32| {
        *number >= 1
    })
    .map(Some)
}

pub(super) fn a_minute<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    let expected = "a whole number of seconds, at least 60";
    checked(from, expected, |seconds: &u32| *seconds >= 60).map(Some)
}

pub(super) fn temperature<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let accept = |temperature: &f64| (0.0..=2.0).contains(temperature);
    checked(from, "a number from 0 to 2", accept).map(Some)
}

pub(super) fn folders<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let accept = |all: &Vec<String>| all.iter().all(|folder| owner::is_entry(folder));
    checked(from, "a list of absolute paths", accept)
}

pub(super) fn aliases<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    let accept = |aliases: &BTreeMap<String, String>| {
        aliases.values().all(|name| capability::is_valid(name))
    };
    checked(
        from,
        "a capability for each name, such as `search.web`",
        accept,
    )
}

/// Reads a description of 1 to 1,024 characters for each name.
pub(super) fn descriptions<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    let accept = |all: &BTreeMap<String, String>| {
        let mut texts = all.values();
        texts.all(|text| (1..=1024).contains(&text.trim().chars().count()))
    };
    checked(
        from,
        "a text of 1 to 1,024 characters for each skill",
        accept,
    )
}

/// Reads a text that the reader of the layer makes of a value, by the name of its type.
pub(super) struct Named;

impl Named {
    pub(super) fn read<'de, D: Deserializer<'de>>(
        name: &'static str,
        from: D,
    ) -> Result<String, D::Error> {
        from.deserialize_newtype_struct(name, Self)
    }
}

impl<'de> Visitor<'de> for Named {
    type Value = String;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<String, D::Error> {
        String::deserialize(from)
    }
}
