//! The size of an installation, and its limit.

use anyhow::{Result, bail};

/// The maximum size of programs, manual pages and completions together, in bytes.
const MOST: u64 = 90_000_000;

/// `bytes` as text; an error if they exceed the limit.
pub(crate) fn check(bytes: u64) -> Result<String> {
    let most = MOST / 1_000_000;
    if bytes > MOST {
        bail!(
            "the installation takes {}, but the limit is {most} MB",
            megabytes(bytes)
        );
    }
    Ok(format!("{} of at most {most} MB", megabytes(bytes)))
}

fn megabytes(bytes: u64) -> String {
    let tenths = bytes.div_ceil(100_000);
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ninety_megabytes_are_held_and_one_byte_more_is_not() {
        assert_eq!(check(0).unwrap(), "0.0 MB of at most 90 MB");
        assert_eq!(check(48_120_001).unwrap(), "48.2 MB of at most 90 MB");
        assert_eq!(check(90_000_000).unwrap(), "90.0 MB of at most 90 MB");
        assert_eq!(
            check(90_000_001).unwrap_err().to_string(),
            "the installation takes 90.1 MB, but the limit is 90 MB"
        );
    }
}
