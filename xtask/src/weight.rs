//! How much room an installation takes, and how much it may take.

use anyhow::{Result, bail};

/// The most bytes of all that is installed: programs, manual pages, completions.
const MOST: u64 = 60_000_000;

/// `bytes` in words, unless they are more than an installation may have.
pub(crate) fn hold(bytes: u64) -> Result<String> {
    let most = MOST / 1_000_000;
    if bytes > MOST {
        bail!(
            "what is installed takes {}, and may take {most} MB at most",
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
    fn sixty_megabytes_are_held_and_one_byte_more_is_not() {
        assert_eq!(hold(0).unwrap(), "0.0 MB of at most 60 MB");
        assert_eq!(hold(48_120_001).unwrap(), "48.2 MB of at most 60 MB");
        assert_eq!(hold(60_000_000).unwrap(), "60.0 MB of at most 60 MB");
        assert_eq!(
            hold(60_000_001).unwrap_err().to_string(),
            "what is installed takes 60.1 MB, and may take 60 MB at most"
        );
    }
}
