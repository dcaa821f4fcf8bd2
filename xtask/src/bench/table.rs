//! The table of the measurements, and its page in docs/.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};

use super::Part;
use crate::command::root;

/// One ratio and its goal.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) what: String,
    pub(super) goal: Goal,
    /// The medians: ours, and the other side's.
    pub(super) times: (Duration, Duration),
}

/// One number and its limit.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    pub(super) what: String,
    pub(super) measured: f64,
    pub(super) unit: Unit,
    pub(super) must: f64,
}

/// The unit of a limit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unit {
    Milliseconds,
    Megabytes,
    Kilobytes,
}

/// The goal of a ratio.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    /// Ours over theirs, at most this; better, at most that.
    AtMost(f64, f64),
    /// Theirs over ours, at least this; better, at least that.
    AtLeast(f64, Option<f64>),
}

const END: &str = "<!-- end -->";

impl Part {
    /// The command that writes its table, and the page with the table.
    const fn page(self) -> (&'static str, &'static str) {
        match self {
            Self::Processes => ("cargo xtask bench --write", "docs/reference/speed.md"),
            Self::Http => (
                "cargo xtask bench --http --write",
                "docs/explanation/beyond-one-machine.md",
            ),
        }
    }
}

impl Row {
    fn ratio(&self) -> f64 {
        let (ours, theirs) = (self.times.0.as_secs_f64(), self.times.1.as_secs_f64());
        match self.goal {
            Goal::AtMost(..) => ours / theirs,
            Goal::AtLeast(..) => theirs / ours,
        }
    }

    fn verdict(&self) -> &'static str {
        let ratio = self.ratio();
        let (must, better) = match self.goal {
            Goal::AtMost(must, better) => (ratio <= must, ratio <= better),
            Goal::AtLeast(must, better) => {
                (ratio >= must, better.is_some_and(|better| ratio >= better))
            }
        };
        match (must, better) {
            (_, true) => "better",
            (true, false) => "yes",
            (false, false) => "no",
        }
    }

    fn line(&self) -> String {
        let (must, better) = match self.goal {
            Goal::AtMost(must, better) => (format!("≤ {must}"), format!("≤ {better}")),
            Goal::AtLeast(must, better) => (
                format!("≥ {must}"),
                better.map_or_else(String::new, |better| format!("≥ {better}")),
            ),
        };
        let (ours, theirs) = (self.times.0.as_secs_f64(), self.times.1.as_secs_f64());
        format!(
            "| {} | {:.2} | {must} | {better} | {} | {:.2} / {:.2} |",
            self.what,
            self.ratio(),
            self.verdict(),
            ours * 1e3,
            theirs * 1e3,
        )
    }
}

impl Limit {
    fn line(&self) -> String {
        let Self {
            what,
            measured,
            must,
            ..
        } = self;
        let unit = match self.unit {
            Unit::Milliseconds => "ms",
            Unit::Megabytes => "MB",
            Unit::Kilobytes => "kB",
        };
        let met = if measured <= must { "yes" } else { "no" };
        format!("| {what} | {measured:.2} {unit} | ≤ {must} {unit} | {met} |")
    }
}

/// Both tables in Markdown.
pub(super) fn markdown(rows: &[Row], limits: &[Limit]) -> String {
    let mut text = "| what | ratio | must | better | met | ms: ours / theirs |\n".to_owned();
    text.push_str("|---|---|---|---|---|---|\n");
    for row in rows {
        let _ = writeln!(text, "{}", row.line());
    }
    text.push_str("\n| what | measured | must | met |\n|---|---|---|---|\n");
    for limit in limits {
        let _ = writeln!(text, "{}", limit.line());
    }
    text
}

/// Replaces the table in its page.
pub(super) fn write(part: Part, table: &str, linked: &str) -> Result<()> {
    let (command, name) = part.page();
    let begin = format!("<!-- begin: written by `{command}` -->");
    let file = root()?.join(name);
    let page = std::fs::read_to_string(&file)
        .with_context(|| format!("cannot read {}", file.display()))?;
    let (before, rest) = page
        .split_once(&begin)
        .with_context(|| format!("{name} has no line `{begin}`"))?;
    let (_, after) = rest
        .split_once(END)
        .with_context(|| format!("{name} has no line `{END}`"))?;
    let cores = std::thread::available_parallelism()?;
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    let text = format!(
        "{before}{begin}\n\
         Measured on {} with `{command}`:\n\
         {system} {machine}, {cores} cores, \
         programs linked {linked}.\n\n{table}{END}{after}",
        today(),
    );
    std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// The date in UTC.
fn today() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let days = since.map_or(0, |since| since.as_secs() / 86_400);
    let (year, month, day) = civil(days);
    format!("{year}-{month:02}-{day:02}")
}

/// Year, month and day of a day after 1970-01-01, as Howard Hinnant's
/// `civil_from_days` computes them.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        for (days, expected) in [
            (0, (1970, 1, 1)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (20_454, (2026, 1, 1)),
        ] {
            assert_eq!(civil(days), expected, "{days}");
        }
    }

    #[test]
    fn a_ratio_is_held_against_its_goal() {
        let row = |goal, ours, theirs| Row {
            what: "a / b".into(),
            goal,
            times: (Duration::from_millis(ours), Duration::from_millis(theirs)),
        };
        for (row, expected) in [
            (row(Goal::AtMost(2.0, 1.5), 3, 2), "better"),
            (row(Goal::AtMost(2.0, 1.4), 3, 2), "yes"),
            (row(Goal::AtMost(1.4, 1.0), 3, 2), "no"),
            (row(Goal::AtLeast(40.0, Some(60.0)), 2, 100), "yes"),
            (row(Goal::AtLeast(40.0, None), 2, 100), "yes"),
            (row(Goal::AtLeast(51.0, None), 2, 100), "no"),
        ] {
            assert_eq!(row.verdict(), expected, "{row:?}");
        }
        let line = row(Goal::AtMost(2.0, 1.5), 3, 2).line();
        assert_eq!(
            line,
            "| a / b | 1.50 | ≤ 2 | ≤ 1.5 | better | 3.00 / 2.00 |"
        );
    }

    #[test]
    fn a_number_is_held_against_its_limit() {
        let limit = |measured| Limit {
            what: "a".into(),
            measured,
            unit: Unit::Megabytes,
            must: 20.0,
        };
        assert_eq!(limit(20.0).line(), "| a | 20.00 MB | ≤ 20 MB | yes |");
        assert_eq!(limit(20.004).line(), "| a | 20.00 MB | ≤ 20 MB | no |");
    }
}
