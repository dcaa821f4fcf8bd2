//! The key `limits`: what each program may use.
//!
//! It protects the user, so a layer can only lower what another one has set, and only the user
//! and the system can raise a default.

use super::Config;
use super::reader::Reader;
use crate::process::Limits;
use crate::size;
use crate::yaml::Entry;

/// A number that a layer sets, and what becomes of it.
struct Limit<'c> {
    value: &'c mut u64,
    /// Whether it is a number of bytes.
    is_size: bool,
    minimum: u64,
}

/// What an expected number is, in a message.
const SIZE: &str = "a size of at least 1 MiB, such as `512 MiB`, or a number of bytes";
const NUMBER: &str = "a whole number of at least 8";

impl Reader<'_> {
    /// Reads the limits of this layer.
    pub(super) fn limits(&mut self, entry: &Entry, config: &mut Config) {
        for entry in self.map("limits", entry) {
            let key = format!("limits.{}", entry.key);
            let is_set = config.settings.iter().any(|setting| setting.key == key);
            let Some(limit) = Limit::of(&mut config.limits, &entry.key) else {
                self.report_unknown_key(entry, &Limits::KEYS);
                continue;
            };
            let text = entry.value.to_json();
            let text = text
                .as_str()
                .map_or_else(|| text.to_string(), str::to_owned);
            let Some(value) = limit.parse(&text) else {
                let expected = if limit.is_size { SIZE } else { NUMBER };
                self.reject_value(&entry.key, expected, &entry.value);
                continue;
            };
            let can_raise = self.layer.is_user && !is_set;
            if can_raise || value < *limit.value {
                *limit.value = value;
                let setting = self.setting(key, entry);
                config.set(setting);
            }
        }
    }
}

impl<'c> Limit<'c> {
    fn of(limits: &'c mut Limits, key: &str) -> Option<Self> {
        let (value, is_size) = match key {
            "memory" => (&mut limits.memory, true),
            "processes" => (&mut limits.processes, false),
            "files" => (&mut limits.files, false),
            "file_size" => (&mut limits.file_size, true),
            _ => return None,
        };
        // With less, no program starts.
        let minimum = if is_size { 1 << 20 } else { 8 };
        Some(Self {
            value,
            is_size,
            minimum,
        })
    }

    /// The number in `text`: `512 MiB`, `64`.
    fn parse(&self, text: &str) -> Option<u64> {
        let value = if self.is_size {
            size::parse(text)?
        } else {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.parse().ok()).flatten()?
        };
        (value >= self.minimum).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(key: &str, text: &str, expected: Option<u64>) {
        let mut limits = Limits::DEFAULT;
        let limit = Limit::of(&mut limits, key).unwrap();
        assert_eq!(limit.parse(text), expected, "{key}: {text}");
    }

    #[test]
    fn sizes_have_units() {
        for (text, expected) in [
            ("1048576", Some(1 << 20)),
            ("1048576 B", Some(1 << 20)),
            ("1024KiB", Some(1 << 20)),
            ("512 MiB", Some(512 << 20)),
            ("4 GiB", Some(4 << 30)),
            ("2 TiB", Some(2 << 40)),
            ("16383 PiB", Some(16383 << 50)),
            ("16384 PiB", None),
            ("1048575", None),
            ("0", None),
            ("1 MB", None),
            ("1 mib", None),
            ("1  MiB", None),
            ("1.5 GiB", None),
            ("-1", None),
            ("+1048576", None),
            ("MiB", None),
            ("", None),
            ("1 MiB ", None),
            ("99999999999999999999", None),
        ] {
            check("memory", text, expected);
            check("file_size", text, expected);
        }
    }

    #[test]
    fn numbers_have_none() {
        for (text, expected) in [
            ("8", Some(8)),
            ("7", None),
            ("64", Some(64)),
            ("64 B", None),
            ("64 KiB", None),
            ("6.4", None),
            ("", None),
        ] {
            check("processes", text, expected);
            check("files", text, expected);
        }
    }
}
