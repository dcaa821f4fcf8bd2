//! The report for continuous integration.

use std::time::Duration;

use cogtools_program::junit::{self, End, Problem, Test};
use cogtools_program::terminal::pluralize;

use crate::report;
use crate::suite::{Case, FailureKind, Suite, TestFailure};

/// The report.
pub(crate) fn text(suites: &[Suite]) -> String {
    let suites: Vec<junit::Suite> = suites.iter().map(suite).collect();
    junit::text("cogtools test", &suites)
}

fn suite(suite: &Suite) -> junit::Suite {
    let file = suite.file.display().to_string();
    let test = |name: String, line, time, end| Test {
        class: suite.name.clone(),
        name,
        file: file.clone(),
        line,
        time,
        end,
    };
    let mut tests = Vec::new();
    if suite.has_no_examples() {
        let why = End::Skipped("the tool has no examples".to_owned());
        tests.push(test("examples".to_owned(), None, Duration::ZERO, why));
    } else if !suite.failures.is_empty() || suite.cases.is_empty() {
        let end = end(&suite.failures, None, &file);
        tests.push(test("tool".to_owned(), None, Duration::ZERO, end));
    }
    tests.extend(suite.cases.iter().map(|case| {
        let line = case.location.as_ref().map(|location| location.line);
        test(
            format!("example {}", case.label()),
            line,
            case.time,
            end(&case.failures, Some(case), &file),
        )
    }));
    junit::Suite {
        name: suite.name.clone(),
        file: Some(file.clone()),
        tests,
    }
}

/// The end of a test, of `case` or of the tool in `file`, with these failures. An invalid tool file
/// is an error rather than a failure: nothing could be tested.
fn end(failures: &[TestFailure], case: Option<&Case>, file: &str) -> End {
    let Some(first) = failures.first() else {
        return End::Passed;
    };
    let more = match failures.len() - 1 {
        0 => String::new(),
        more => format!(" (and {})", pluralize(more, "other failure")),
    };
    let details = failures
        .iter()
        .map(|failure| report::failure(case, file, failure, false));
    let problem = Problem {
        kind: Some(first.kind.as_str()),
        message: format!("{}{more}", first.message),
        details: details.collect(),
    };
    let mut kinds = failures.iter().map(|failure| failure.kind);
    if kinds.any(|kind| kind == FailureKind::Broken) {
        End::Error(problem)
    } else {
        End::Failed(problem)
    }
}
