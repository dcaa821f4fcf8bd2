//! The progress of a program, in the lines that it writes to standard error.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::environment::mask;
use crate::process::LineSink;
use crate::{Context, Progress, ProgressUpdate};

/// The longest message of a progress update, in characters.
const MAX_PROGRESS_CHARS: usize = 200;

/// Makes a progress update of each line on standard error: what the program says of its progress
/// or, until it says that, the number of the line, which is the message.
pub(super) fn line_progress(cx: &Context, secrets: &[String]) -> Option<LineSink> {
    let progress = cx.call.progress.clone()?;
    let (count, secrets) = (AtomicU32::new(0), secrets.to_vec());
    let last: Mutex<Option<ProgressUpdate>> = Mutex::default();
    Some(LineSink::new(move |line| {
        let line = mask(line, &secrets);
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reported) = reported(&line) {
            progress.update(reported.clone());
            *last = Some(reported);
            return;
        }
        let message = printable(&line);
        match &*last {
            _ if message.is_empty() => {}
            Some(last) => progress.update(ProgressUpdate {
                message: Some(message),
                ..*last
            }),
            None => update(&progress, &count, None, message),
        }
    }))
}

/// The word before the progress in a line of a program: `cogtools-progress 3/10 MESSAGE`.
const PROGRESS: &str = "cogtools-progress ";
/// The sequence with which programs tell a terminal their progress in percent, as of `ConEmu`:
/// a state, of which 0 and 3 have no value, and the value.
const OSC_PROGRESS: &str = "\u{1b}]9;4;";

/// Reads the progress that a line reports, if it does.
pub(super) fn reported(line: &str) -> Option<ProgressUpdate> {
    let (amount, message) = if let Some(rest) = line.trim_start().strip_prefix(PROGRESS) {
        let rest = rest.trim_start();
        rest.split_once(' ').unwrap_or((rest, ""))
    } else {
        let (_, rest) = line.rsplit_once(OSC_PROGRESS)?;
        let (state, rest) = rest.split_once(';')?;
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        if !["1", "2", "4"].contains(&state) || end == 0 {
            return None;
        }
        return ProgressUpdate::of(&rest[..end], Some("100"), String::new());
    };
    let message = printable(message);
    match (amount.split_once('/'), amount.strip_suffix('%')) {
        (Some((done, total)), _) => ProgressUpdate::of(done, Some(total), message),
        (None, Some(percent)) => ProgressUpdate::of(percent, Some("100"), message),
        (None, None) => ProgressUpdate::of(amount, None, message),
    }
}

impl ProgressUpdate {
    /// Reads the amounts, which are finite and not negative.
    fn of(done: &str, total: Option<&str>, message: String) -> Option<Self> {
        let number = |text: &str| {
            let number = text.parse::<f64>().ok();
            number.filter(|number| number.is_finite() && *number >= 0.0)
        };
        let total = total.map(number);
        Some(Self {
            progress: number(done)?,
            total: match total {
                None => None,
                Some(total) => Some(total.filter(|total| *total > 0.0)?),
            },
            message: (!message.is_empty()).then_some(message),
        })
    }
}

/// Sends the next update.
pub(super) fn update(progress: &Progress, count: &AtomicU32, total: Option<f64>, message: String) {
    let number = count.fetch_add(1, Ordering::Relaxed).saturating_add(1);
    progress.update(ProgressUpdate {
        progress: number.into(),
        total,
        message: Some(message),
    });
}

/// Returns the beginning of a line, without control characters.
pub(super) fn printable(line: &str) -> String {
    let chars = line.trim().chars().filter(|c| !c.is_control());
    chars.take(MAX_PROGRESS_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reports_progress() {
        let check = |line: &str, expected: Option<(f64, Option<f64>, Option<&str>)>| {
            let found = reported(line);
            let found = found
                .as_ref()
                .map(|it| (it.progress, it.total, it.message.as_deref()));
            assert_eq!(found, expected, "{line:?}");
        };
        check(
            "cogtools-progress 3/10 a b",
            Some((3.0, Some(10.0), Some("a b"))),
        );
        check("  cogtools-progress 40%", Some((40.0, Some(100.0), None)));
        check(
            "cogtools-progress 7 \u{1b}[1mx\u{7}",
            Some((7.0, None, Some("[1mx"))),
        );
        check("\u{1b}]9;4;1;40\u{7}", Some((40.0, Some(100.0), None)));
        check(
            "x\u{1b}]9;4;1;40\u{7}\u{1b}]9;4;1;41\u{1b}\\",
            Some((41.0, Some(100.0), None)),
        );
        for line in [
            "",
            "cogtools-progress",
            "cogtools-progress x",
            "cogtools-progress -1/10",
            "cogtools-progress 1/0",
            "cogtools-progress NaN",
            "cogtools-progress inf/inf",
            "cogtools-progress 1e999",
            "cogtools-progress3/10",
            "\u{1b}]9;4;0;0\u{7}",
            "\u{1b}]9;4;3\u{7}",
            "\u{1b}]9;4;1;\u{7}",
            "\u{1b}]9;9;1;4\u{7}",
        ] {
            check(line, None);
        }
    }
}
