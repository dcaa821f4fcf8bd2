//! `--review`: shows each difference and asks whether to accept it.

use cogtools_core::{Code, Diagnostic};
use cogtools_program::terminal::{Stream, pluralize};
use cogtools_program::{Failure, Io};

use crate::golden::diff;
use crate::report;
use crate::suite::{Case, Pending, Suite, TestFailure};

/// An answer of the user about one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Accept,
    Reject,
    Skip,
    Quit,
}

/// The question after a difference.
const QUESTION: &str = "accept, reject, skip or quit? [a/r/s/q] ";

/// An error unless there is a terminal; `tools` are the words of the command line.
pub(crate) fn check_terminal(io: &Io<'_>, tools: &str) -> Result<(), Failure> {
    if io.is_person() {
        return Ok(());
    }
    let stream = match (io.stdin.is_terminal(), io.terminals.stdout) {
        (false, _) => "input",
        (_, false) => "output",
        _ => "error",
    };
    let message =
        format!("--review asks about each result, and standard {stream} is not a terminal");
    let all = format!("`cogtools test --update{tools}` accepts all results; review them first");
    Err(Diagnostic::new(Code::Usage, message).hint(all).into())
}

/// Asks about each golden file that differs, is missing, or has no example. An accepted result
/// is written, and is then no failure of its suite.
pub(crate) fn run(suites: &mut [Suite], io: &mut Io<'_>) -> Result<(), Failure> {
    let total: usize = suites.iter().map(count).sum();
    if total == 0 {
        return io.print(b"nothing to review\n\n");
    }
    let mut review = Review {
        accepted: 0,
        rejected: 0,
        skipped: 0,
        left: total,
        has_quit: false,
        io,
    };
    for suite in suites {
        review.suite(suite)?;
    }
    let Review {
        accepted,
        rejected,
        skipped,
        io,
        ..
    } = review;
    let results = pluralize(total, "result");
    let summary =
        format!("\n{results}: {accepted} accepted, {rejected} rejected, {skipped} skipped\n\n");
    io.print(summary.as_bytes())
}

fn count(suite: &Suite) -> usize {
    let failures = suite.all_failures();
    failures.filter(|failure| failure.pending.is_some()).count()
}

/// The questions, and the numbers of answers to them.
struct Review<'r, 'i> {
    accepted: usize,
    rejected: usize,
    skipped: usize,
    left: usize,
    has_quit: bool,
    io: &'r mut Io<'i>,
}

impl Review<'_, '_> {
    fn suite(&mut self, suite: &mut Suite) -> Result<(), Failure> {
        let file = suite.file.display().to_string();
        for failure in std::mem::take(&mut suite.failures) {
            match self.failure(None, &file, failure)? {
                Ok(pending) => suite.removed.push(pending.golden.display_path),
                Err(failure) => suite.failures.push(failure),
            }
        }
        for case in &mut suite.cases {
            for failure in std::mem::take(&mut case.failures) {
                match self.failure(Some(case), &file, failure)? {
                    Ok(_) => case.written = true,
                    Err(failure) => case.failures.push(failure),
                }
            }
        }
        Ok(())
    }

    /// The accepted change, or the failure that remains.
    fn failure(
        &mut self,
        case: Option<&Case>,
        file: &str,
        mut failure: TestFailure,
    ) -> Result<Result<Pending, TestFailure>, Failure> {
        let Some(pending) = failure.pending.take() else {
            return Ok(Err(failure));
        };
        let answer = if self.has_quit {
            Answer::Skip
        } else {
            self.show(case, file, &failure, &pending)?;
            self.ask()?
        };
        self.left -= 1;
        self.has_quit |= answer == Answer::Quit;
        match answer {
            Answer::Accept => {}
            Answer::Reject => self.rejected += 1,
            Answer::Skip | Answer::Quit => self.skipped += 1,
        }
        if answer != Answer::Accept {
            return Ok(Err(failure));
        }
        let done = match &pending.result {
            Some(result) => pending.golden.write(result),
            None => pending.golden.remove(),
        };
        Ok(match done {
            Ok(()) => {
                self.accepted += 1;
                Ok(*pending)
            }
            Err(diagnostic) => Err(failure.diagnostics(vec![*diagnostic])),
        })
    }

    fn show(
        &mut self,
        case: Option<&Case>,
        file: &str,
        failure: &TestFailure,
        pending: &Pending,
    ) -> Result<(), Failure> {
        let mut shown = failure.clone();
        shown.hints.clear();
        // Nothing to compare with: the whole result is new.
        if let Some(result) = &pending.result
            && shown.detail.is_empty()
        {
            let golden = pending.golden.display_path.display().to_string();
            shown.detail = diff(&golden, b"", "the result", result);
        }
        let text = report::failure(case, file, &shown, self.io.colour(Stream::Stdout));
        self.io.print(text.as_bytes())
    }

    /// Asks until there is an answer; the end of the input quits.
    fn ask(&mut self) -> Result<Answer, Failure> {
        loop {
            let question = format!("  ({} left) {QUESTION}", self.left);
            let answer = self.io.ask(&question, "accept all results with --update")?;
            let answer = match answer.as_deref() {
                Some("a" | "accept" | "y" | "yes") => Answer::Accept,
                Some("r" | "reject" | "n" | "no") => Answer::Reject,
                Some("s" | "skip") => Answer::Skip,
                Some("q" | "quit") | None => Answer::Quit,
                Some(_) => continue,
            };
            return Ok(answer);
        }
    }
}
