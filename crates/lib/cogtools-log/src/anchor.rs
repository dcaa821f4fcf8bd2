//! What tells a file from another one that has replaced it, of whatever length.
//!
//! The number of a file is not enough: it is used again, and a file may be written anew in place.
//! So the beginning of the file counts too, and the end of the last line that was found.

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};

use cogtools_core::digest;

/// How much is compared at both places.
const BYTES: u64 = 4 << 10;
/// How many digits of a hash tell two files apart.
const DIGITS: usize = 16;

/// What a file has where lines begin and end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Anchor {
    number: (u64, u64),
    first: Vec<u8>,
    last: Vec<u8>,
}

impl Anchor {
    /// That of `file`, whose known lines end at `ends`. The file is left at any position.
    pub(crate) fn read(mut file: &File, meta: &Metadata, ends: &[u64]) -> io::Result<Self> {
        let mut part = |from: u64, to: u64| -> io::Result<Vec<u8>> {
            file.seek(SeekFrom::Start(from))?;
            let mut bytes = Vec::new();
            file.take(to - from).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let (first, last) = match ends {
            [first, .., last] => (*first, *last),
            [first] => (*first, *first),
            [] => (0, 0),
        };
        Ok(Self {
            number: number(meta),
            first: part(0, first.min(BYTES))?,
            last: part(last.saturating_sub(BYTES), last)?,
        })
    }

    /// A text that another file does not have.
    pub(crate) fn name(&self) -> String {
        let (device, number) = self.number;
        let first = digest::bytes(&self.first).to_string();
        format!("{device:x}-{number:x}-{}", &first[..DIGITS])
    }
}

#[cfg(unix)]
fn number(meta: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (meta.dev(), meta.ino())
}

/// When it was created, where files have no numbers.
#[cfg(not(unix))]
fn number(meta: &Metadata) -> (u64, u64) {
    let created = meta.created().ok();
    let since = created.and_then(|created| created.duration_since(std::time::UNIX_EPOCH).ok());
    since.map_or((0, 0), |since| {
        (since.as_secs(), since.subsec_nanos().into())
    })
}
