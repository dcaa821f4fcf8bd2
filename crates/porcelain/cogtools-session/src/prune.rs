//! `cogtools session prune`: removes old sessions of a project.

use std::fmt::Write as _;

use cogtools_log::{LogError, Stored, Timestamp};
use cogtools_program::terminal::pluralize;
use cogtools_program::{Failure, Io, Severity};

use crate::locate::{store, stored};

/// Which sessions are removed: those that each condition applies to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prune {
    /// Written to longer ago than this, in milliseconds.
    pub(crate) older_than: Option<u64>,
    /// Not among the newest ones.
    pub(crate) keep: Option<usize>,
    pub(crate) dry_run: bool,
}

/// Removes sessions, except those that a process writes to.
pub(crate) fn prune(args: Prune, io: &mut Io<'_>) -> Result<(), Failure> {
    let (store, _) = store(io)?;
    let stored = stored(&store)?;
    let now = Timestamp::now();
    let old = stored.into_iter().enumerate();
    let old = old.filter(|(index, stored)| args.covers(*index, stored, now));
    let mut text = String::new();
    let mut count = 0;
    for (_, stored) in old {
        if !args.dry_run {
            match store.remove(&stored.id) {
                Ok(()) => {}
                Err(error @ LogError::InUse(_)) => {
                    io.report(Severity::Warning, &error.diagnostic());
                    continue;
                }
                Err(error) => {
                    io.print(text.as_bytes())?;
                    return Err(error.diagnostic().into());
                }
            }
        }
        let verb = if args.dry_run {
            "would remove"
        } else {
            "removed"
        };
        let _ = writeln!(text, "{verb} {}", stored.id);
        count += 1;
    }
    if count == 0 {
        text.push_str("no session is old enough\n");
    } else if args.dry_run {
        let _ = writeln!(text, "{} would be removed", pluralize(count, "session"));
    }
    io.show(&text)
}

impl Prune {
    fn covers(self, index: usize, stored: &Stored, now: Timestamp) -> bool {
        let is_old = |limit: u64| now.millis_since(stored.modified) > limit;
        self.keep.is_none_or(|keep| index >= keep) && self.older_than.is_none_or(is_old)
    }
}

/// Reads an age: a number and `h`, `d` or `w`.
pub(crate) fn parse_age(text: &str) -> Result<u64, String> {
    const HOUR: u64 = 60 * 60 * 1_000;
    let invalid = || "not an age such as 12h, 30d or 8w".to_owned();
    let (number, unit) = text
        .split_at_checked(text.len().saturating_sub(1))
        .ok_or_else(invalid)?;
    let hours = match unit {
        "h" => 1,
        "d" => 24,
        "w" => 24 * 7,
        _ => return Err(invalid()),
    };
    let number: u64 = number.parse().map_err(|_| invalid())?;
    number.checked_mul(hours * HOUR).ok_or_else(invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_has_a_unit() {
        assert_eq!(parse_age("2h"), Ok(7_200_000));
        assert_eq!(parse_age("30d"), Ok(30 * 86_400_000));
        assert_eq!(parse_age("1w"), Ok(7 * 86_400_000));
        for invalid in [
            "",
            "d",
            "3",
            "3m",
            "-1d",
            "1.5d",
            "3é",
            "99999999999999999d",
        ] {
            assert!(parse_age(invalid).is_err(), "{invalid}");
        }
    }
}
