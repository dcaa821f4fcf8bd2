//! Expected output, and how it is renewed.
//!
//! Text is compared byte by byte: no wildcards, no normalised line endings or paths.
//! With `SNAPSHOTS=overwrite`, which `cargo xtask bless` sets, expected text with a
//! source, `str![…]` or a file, is rewritten there instead of failing.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use snapbox::Data;
use snapbox::data::DataSource;

use crate::{Snapshot, difference};

/// The variable that makes tests renew their expected text.
const VARIABLE: &str = "SNAPSHOTS";

/// Expected bytes, with their source if they can be renewed there.
#[derive(Clone, Debug)]
pub struct Expected {
    bytes: Vec<u8>,
    source: Option<DataSource>,
}

impl Expected {
    /// The content of the file at `path`; empty if it does not exist.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self {
            bytes: std::fs::read(&path).unwrap_or_default(),
            source: Some(DataSource::path(path)),
        }
    }

    /// The difference from `found`, unless they are equal or `found` has just been
    /// written as the new expected text.
    pub(crate) fn difference(&self, found: &[u8]) -> Option<String> {
        let mut difference = difference(&self.bytes, found)?;
        let Some(source) = &self.source else {
            return Some(difference);
        };
        if !is_blessing() {
            let _ = writeln!(difference, "`cargo xtask bless` renews {source}");
        } else if let Err(reason) = renew(source, found) {
            let _ = writeln!(difference, "{source} cannot be renewed: {reason}");
        } else {
            return None;
        }
        Some(difference)
    }
}

impl From<Snapshot> for Expected {
    fn from(snapshot: Snapshot) -> Self {
        Self {
            bytes: snapshot.text().into(),
            source: Some(snapshot.inline().into()),
        }
    }
}

/// Computed expected text, which cannot be renewed.
macro_rules! computed {
    ($($type:ty),*) => {
        $(impl From<$type> for Expected {
            fn from(text: $type) -> Self {
                Self {
                    bytes: text.into(),
                    source: None,
                }
            }
        })*
    };
}

computed!(&str, String, &[u8], Vec<u8>);

impl From<&String> for Expected {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<&Vec<u8>> for Expected {
    fn from(text: &Vec<u8>) -> Self {
        text.as_slice().into()
    }
}

impl<const N: usize> From<&[u8; N]> for Expected {
    fn from(text: &[u8; N]) -> Self {
        text.as_slice().into()
    }
}

/// Asserts that `found` equals `expected`, byte by byte.
#[track_caller]
pub fn assert_text(found: impl AsRef<[u8]>, expected: impl Into<Expected>) {
    if let Some(difference) = expected.into().difference(found.as_ref()) {
        panic!("- expected, + found:\n{difference}");
    }
}

/// Returns true if expected text is renewed instead of compared. Panics in CI, where no test may
/// pass because its expected text was rewritten.
pub fn is_blessing() -> bool {
    let is_blessing = std::env::var_os(VARIABLE).is_some_and(|action| action == "overwrite");
    let judges = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(
        !(is_blessing && judges),
        "{VARIABLE}=overwrite is refused where CI=true"
    );
    is_blessing
}

/// Writes `found` to `source` and prints a line, bypassing the capture of test output.
fn renew(source: &DataSource, found: &[u8]) -> Result<(), String> {
    let data = if source.is_inline() {
        let text = str::from_utf8(found).map_err(|error| error.to_string())?;
        if let Some(hidden) = text.chars().find(|character| is_hidden(*character)) {
            return Err(format!("{} must be spelled out", hidden.escape_default()));
        }
        Data::text(text)
    } else {
        Data::binary(found)
    };
    data.write_to(source).map_err(|error| error.to_string())?;
    let _ = writeln!(std::io::stderr(), "renewed {source}");
    Ok(())
}

/// Returns true if a character would be unreadable, or invalid, in a literal.
fn is_hidden(character: char) -> bool {
    let steers = matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}');
    steers || (character.is_control() && !matches!(character, '\n' | '\t'))
}
