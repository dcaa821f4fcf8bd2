//! The size of an installation, and its limit in a release.

use anyhow::{Result, bail};

/// The maximum size of programs, manual pages and completions together, in bytes.
const MOST: u64 = 62_000_000;

/// Fails if `bytes` exceed the limit.
pub(crate) fn check(bytes: u64) -> Result<()> {
    if bytes > MOST {
        let (size, most) = (megabytes(bytes), megabytes(MOST));
        bail!("the installation takes {size}, but the limit is {most}");
    }
    Ok(())
}

/// `bytes` as text, rounded up.
pub(crate) fn megabytes(bytes: u64) -> String {
    let tenths = bytes.div_ceil(100_000);
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_held_and_one_byte_more_is_not() {
        assert_eq!(megabytes(0), "0.0 MB");
        assert_eq!(megabytes(48_120_001), "48.2 MB");
        assert!(check(MOST).is_ok());
        assert_eq!(
            check(MOST + 1).unwrap_err().to_string(),
            "the installation takes 62.1 MB, but the limit is 62.0 MB"
        );
    }
}
