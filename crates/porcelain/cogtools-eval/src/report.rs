//! Reports: what came of the trials, by case, model and tool.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use cogtools_core::{digest, pluralize};
use cogtools_log::Timestamp;
use cogtools_program::junit::{self, End, Problem, Suite, Test};
use serde::Serialize;
use serde_json::{Value, json};

use crate::case::{AtMost, Case};
use crate::statistics::{Interval, float, pass_all, wilson};
use crate::trial::{Failed, Record};

/// The outcome of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Pass,
    Fail,
    Error,
    Skipped,
    Stale,
}

/// A trial and its verdict.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) trial: u64,
    pub(crate) verdict: Verdict,
    pub(crate) failures: Vec<Failed>,
    pub(crate) record: Option<Record>,
}

impl Judged {
    const fn is_judged(&self) -> bool {
        matches!(self.verdict, Verdict::Pass | Verdict::Fail)
    }

    /// The message of the first failure.
    pub(crate) fn message(&self) -> Option<&str> {
        self.failures.first().map(|failed| failed.message.as_str())
    }
}

/// A case with a model: a cell of the matrix.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) case: Arc<Case>,
    pub(crate) model: String,
    pub(crate) results: Vec<Judged>,
}

/// Counts of some trials.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Counts {
    cases: u64,
    ok: u64,
    trials: u64,
    passed: u64,
    failed: u64,
    errors: u64,
    skipped: u64,
    #[serde(skip)]
    stale: u64,
    #[serde(flatten)]
    interval: Interval,
    /// None if a host did not say it.
    tokens: Option<u64>,
    money: Option<f64>,
}

/// The part of a report about a model.
#[derive(Serialize)]
struct ModelReport<'r> {
    model: &'r str,
    #[serde(flatten)]
    counts: Counts,
    first_try: Value,
}

impl Counts {
    /// Counts the trials of `rows`.
    fn of<'r>(rows: impl IntoIterator<Item = &'r Row>) -> Self {
        let mut counts = Self {
            tokens: Some(0),
            ..Self::default()
        };
        for row in rows {
            counts.cases += 1;
            counts.ok += u64::from(row.is_ok());
            counts.trials += row.trials();
            counts.passed += row.count(Verdict::Pass);
            counts.failed += row.count(Verdict::Fail);
            counts.errors += row.count(Verdict::Error);
            counts.skipped += row.count(Verdict::Skipped);
            counts.stale += row.count(Verdict::Stale);
            for (_, record) in row.judged() {
                counts.tokens = counts.tokens.zip(record.tokens).map(|(sum, one)| sum + one);
                if let Some(money) = record.money {
                    *counts.money.get_or_insert(0.0) += money;
                }
            }
        }
        counts.interval = wilson(counts.passed, counts.trials);
        counts
    }
}

impl Row {
    fn judged(&self) -> impl Iterator<Item = (&Judged, &Record)> {
        let judged = self.results.iter().filter(|result| result.is_judged());
        judged.filter_map(|result| Some((result, result.record.as_ref()?)))
    }

    /// The case and the model.
    pub(crate) fn name(&self) -> String {
        format!("{} ({})", self.case.name, self.model)
    }

    pub(crate) fn count(&self, verdict: Verdict) -> u64 {
        let results = self.results.iter();
        results.filter(|it| it.verdict == verdict).count() as u64
    }

    pub(crate) fn trials(&self) -> u64 {
        self.count(Verdict::Pass) + self.count(Verdict::Fail)
    }

    pub(crate) fn interval(&self) -> Interval {
        wilson(self.count(Verdict::Pass), self.trials())
    }

    /// Returns true if the share of trials that passed reaches the threshold, and none is left out.
    pub(crate) fn is_ok(&self) -> bool {
        self.trials() > 0 && !self.is_failed() && self.count(Verdict::Skipped) == 0
    }

    /// Returns true if the share of trials that passed does not reach the threshold.
    pub(crate) fn is_failed(&self) -> bool {
        let rate = self.interval().rate;
        rate.is_some_and(|rate| rate + 1e-9 < self.case.threshold)
    }

    /// Returns true if trials that are left out keep it from being ok, and nothing else.
    fn is_skipped(&self) -> bool {
        self.count(Verdict::Skipped) > 0 && !self.is_failed()
    }

    /// The tools whose first call counts: of the case, of its calls, or all that were called.
    fn tools<'r>(&'r self, record: &'r Record) -> BTreeSet<&'r str> {
        if let Some(tool) = &self.case.tool {
            return BTreeSet::from([tool.as_str()]);
        }
        record.tried(&self.case.expect)
    }

    fn first_try(&self) -> (u64, u64) {
        let (mut passed, mut trials) = (0, 0);
        for (_, record) in self.judged() {
            let tools = self.tools(record).into_iter();
            let tried: Vec<bool> = tools.filter_map(|tool| record.first_try(tool)).collect();
            trials += u64::from(!tried.is_empty());
            passed += u64::from(!tried.is_empty() && !tried.contains(&false));
        }
        (passed, trials)
    }

    fn pass_k(&self) -> Value {
        let (passed, trials) = (self.count(Verdict::Pass), self.trials());
        let ks = [1, trials.max(1)].into_iter();
        ks.map(|k| (k.to_string(), json!(pass_all(passed, trials, k))))
            .collect()
    }

    fn mean(&self) -> Value {
        let means = AtMost::ALL.into_iter().map(|limit| {
            let values = self.judged().map(|(_, record)| record.used(limit));
            let values: Option<Vec<f64>> = values.collect();
            let values = values.filter(|values| !values.is_empty());
            let mean = values.map(|all| all.iter().sum::<f64>() / float(all.len() as u64));
            (limit.to_string(), json!(mean))
        });
        means.collect()
    }

    fn to_json(&self) -> Value {
        let Interval { rate, low, high } = self.interval();
        let judged = || self.judged().map(|(_, record)| record);
        let results = self.results.iter().map(|result| {
            json!({
                "trial": result.trial,
                "verdict": result.verdict,
                "failures": result.failures,
                "session": result.record.as_ref().and_then(|record| record.session.as_deref()),
            })
        });
        json!({
            "case": self.case.name,
            "file": self.case.file.display().to_string(),
            "line": self.case.line,
            "tool": self.case.tool,
            "model": self.model,
            "threshold": self.case.threshold,
            "trials": self.trials(),
            "passed": self.count(Verdict::Pass),
            "errors": self.count(Verdict::Error),
            "skipped": self.count(Verdict::Skipped),
            "stale": self.count(Verdict::Stale),
            "ok": self.is_ok(),
            "rate": rate,
            "low": low,
            "high": high,
            "pass_k": self.pass_k(),
            "first_try": share(self.first_try()),
            "rejected": rejected(judged(), None),
            "repaired": judged().filter(|record| record.is_repaired()).count(),
            "mean": self.mean(),
            "results": results.collect::<Vec<_>>(),
        })
    }
}

fn share((passed, trials): (u64, u64)) -> Value {
    json!({"passed": passed, "trials": trials, "rate": wilson(passed, trials).rate})
}

/// The rejected calls, of one tool or all, and what was wrong with them.
fn rejected<'r>(records: impl Iterator<Item = &'r Record>, tool: Option<&str>) -> Value {
    let mut calls = 0;
    let mut violations: BTreeMap<(String, String, String), u64> = BTreeMap::new();
    for record in records {
        for call in record.calls() {
            if call.is_accepted() || tool.is_some_and(|tool| tool != call.tool) {
                continue;
            }
            calls += 1;
            let (pointers, code) = call.violations();
            for pointer in pointers {
                let violation = (call.tool.clone(), pointer, code.clone());
                *violations.entry(violation).or_default() += 1;
            }
        }
    }
    let violations = violations.into_iter().map(|((tool, pointer, code), count)| {
        json!({"tool": tool, "pointer": pointer, "code": code, "count": count})
    });
    json!({"calls": calls, "violations": violations.collect::<Vec<_>>()})
}

fn models(rows: &[Row]) -> Vec<&str> {
    let mut models: Vec<&str> = Vec::new();
    for row in rows {
        if !models.contains(&row.model.as_str()) {
            models.push(&row.model);
        }
    }
    models
}

/// The report as JSON.
pub(crate) fn json(
    rows: &[Row],
    settings: &Value,
    status: u8,
    more: serde_json::Map<String, Value>,
) -> Value {
    let by_model = models(rows).into_iter().map(|model| {
        let own = || rows.iter().filter(|row| row.model == model);
        let first = own().map(Row::first_try);
        let first = first.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        ModelReport {
            model,
            counts: Counts::of(own()),
            first_try: share(first),
        }
    });
    let records = || rows.iter().flat_map(Row::judged).map(|(_, record)| record);
    let calls = || records().flat_map(Record::calls);
    let called: BTreeSet<&str> = calls().map(|call| &*call.tool).collect();
    let by_tool = called.into_iter().map(|tool| {
        let tried = records().filter_map(|record| record.first_try(tool));
        let tried: Vec<bool> = tried.collect();
        let passed = tried.iter().filter(|passed| **passed).count() as u64;
        json!({
            "tool": tool,
            "trials": tried.len(),
            "calls": calls().filter(|call| call.tool == tool).count(),
            "first_try": share((passed, tried.len() as u64)),
            "rejected": rejected(records(), Some(tool)),
        })
    });
    let time = Timestamp::now().to_string();
    let run = digest::bytes(format!("{time} {settings}").as_bytes()).to_string();
    let mut report = json!({
        "format": 1,
        "kind": "eval",
        "run": &run[..10],
        "program": env!("CARGO_PKG_VERSION"),
        "time": time,
        "settings": settings,
        "cases": rows.iter().map(Row::to_json).collect::<Vec<_>>(),
        "models": by_model.collect::<Vec<_>>(),
        "tools": by_tool.collect::<Vec<_>>(),
        "summary": Counts::of(rows),
    });
    if let Value::Object(fields) = &mut report {
        fields.extend(more);
        fields.insert("status".to_owned(), status.into());
    }
    report
}

/// The figures of a cell: passed of trials, interval, first try, tokens, money.
fn cell(row: &Row) -> String {
    let counts = Counts::of([row]);
    let Interval { low, high, .. } = counts.interval;
    let trials = counts.trials;
    let errors = pluralize(counts.errors, "error");
    if trials == 0 {
        return match (counts.errors, counts.stale) {
            (0, 0) => "skipped".to_owned(),
            (0, _) => "stale".to_owned(),
            _ => errors,
        };
    }
    let (first, tried) = row.first_try();
    let mut text = format!("{}/{trials} ({low:.2} to {high:.2})", counts.passed);
    if tried > 0 {
        let _ = write!(text, ", first try {first}/{tried}");
    }
    if let Some(tokens) = counts.tokens {
        let _ = write!(text, ", {tokens} tokens");
    }
    if let Some(money) = counts.money {
        let _ = write!(text, ", {money:.4}");
    }
    let others = [
        (counts.errors, errors),
        (counts.skipped, format!("{} skipped", counts.skipped)),
        (counts.stale, format!("{} stale", counts.stale)),
    ];
    for (_, what) in others.iter().filter(|(count, _)| *count > 0) {
        let _ = write!(text, ", {what}");
    }
    text
}

/// The failures of a row, each with the trials that have it.
fn failures(row: &Row) -> Vec<(String, &Failed)> {
    let mut found: Vec<(Vec<u64>, &Failed)> = Vec::new();
    for result in &row.results {
        for failed in &result.failures {
            match found.iter_mut().find(|(_, other)| *other == failed) {
                Some((trials, _)) => trials.push(result.trial),
                None => found.push((vec![result.trial], failed)),
            }
        }
    }
    let found = found.into_iter();
    found
        .map(|(trials, failed)| (ranges(&trials), failed))
        .collect()
}

/// Prints numbers as `1 to 3, 5`.
fn ranges(numbers: &[u64]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let print = |run: &[u64]| match run {
        [first, .., last] => format!("{first} to {last}"),
        [only] => only.to_string(),
        [] => String::new(),
    };
    runs.map(print).collect::<Vec<_>>().join(", ")
}

/// The matrix, and what failed, for people.
pub(crate) fn human(rows: &[Row], more: &str) -> String {
    let mut text = String::new();
    let widths = rows.iter().map(|row| row.name().len());
    let width = widths.max().unwrap_or(0);
    for row in rows {
        let name = row.name();
        let mark = match (row.is_ok(), row.is_skipped()) {
            (true, _) => "ok  ",
            (_, true) => "skip",
            _ => "fail",
        };
        let _ = writeln!(text, "{mark} {name:width$}  {}", cell(row));
        for (trials, failed) in failures(row) {
            let Failed { expect, message } = failed;
            let end = if expect.is_empty() { "" } else { ": " };
            let _ = writeln!(text, "       {trials}: {expect}{end}{message}");
        }
    }
    let counts = Counts::of(rows);
    let Interval { low, high, .. } = counts.interval;
    let tokens = counts.tokens.map(|tokens| format!(", {tokens} tokens"));
    let tokens = tokens.unwrap_or_default();
    let Counts {
        ok,
        cases,
        passed,
        trials,
        ..
    } = counts;
    let _ = writeln!(
        text,
        "\n{ok} of {cases} cases ok; {passed}/{trials} trials passed ({low:.2} to {high:.2}){tokens}"
    );
    text + more
}

/// Escapes `text` for Markdown, on one line.
fn escape(text: &str) -> String {
    let escape = |letter| match letter {
        '\n' | '\r' => vec![' '],
        '|' | '<' | '`' | '[' | '\\' => vec!['\\', letter],
        letter => vec![letter],
    };
    text.chars().flat_map(escape).collect()
}

/// The matrix for a pull request: cases by models.
pub(crate) fn markdown(rows: &[Row], more: &str) -> String {
    let models = models(rows);
    let line = |first: &str, cells: Vec<String>| format!("| {first} | {} |\n", cells.join(" | "));
    let mut text = line("case", models.iter().map(|model| escape(model)).collect());
    let _ = writeln!(text, "|---|{}", "---|".repeat(models.len()));
    let mut seen: Vec<&Arc<Case>> = Vec::new();
    for Row { case, .. } in rows {
        if seen.iter().any(|other| Arc::ptr_eq(other, case)) {
            continue;
        }
        seen.push(case);
        let cells = models.iter().map(|model| {
            let is_cell = |row: &&Row| Arc::ptr_eq(&row.case, case) && row.model == *model;
            let found = rows.iter().find(is_cell);
            found.map_or_else(String::new, |row| {
                format!("{} {}", if row.is_ok() { "✓" } else { "✗" }, cell(row))
            })
        });
        text += &line(&escape(&case.name), cells.collect());
    }
    let mut list = String::new();
    for row in rows {
        let (name, model) = (&row.case.name, escape(&row.model));
        for (trials, failed) in failures(row) {
            let expect = failed.expect.replace(['`', '\n', '\r'], " ");
            let message = escape(&failed.message);
            let _ = writeln!(
                list,
                "- `{name}` ({model}), trial {trials}: `{expect}` {message}"
            );
        }
    }
    if !list.is_empty() {
        text = format!("{text}\n{list}");
    }
    if !more.is_empty() {
        let more = more.trim_start().replace("```", "~~~");
        text = format!("{text}\n```text\n{more}```\n");
    }
    text
}

/// The report as `JUnit` XML: a suite is a model, a test case a case.
/// `why` says why trials were left out.
pub(crate) fn junit(rows: &[Row], why: &str) -> String {
    let suites = models(rows).into_iter().map(|model| {
        let own = rows.iter().filter(|row| row.model == model);
        Suite {
            name: model.to_owned(),
            file: None,
            tests: own.map(|row| junit_test(row, why)).collect(),
        }
    });
    junit::text("cogtools eval", &suites.collect::<Vec<_>>())
}

fn junit_test(row: &Row, why: &str) -> Test {
    let file = row.case.file.display().to_string();
    let Interval { low, high, .. } = row.interval();
    let (passed, trials) = (row.count(Verdict::Pass), row.trials());
    let mut details = String::new();
    for (trials, failed) in failures(row) {
        let _ = writeln!(details, "{trials}: {} {}", failed.expect, failed.message);
    }
    let problem = Problem {
        kind: None,
        message: format!("{passed}/{trials}, {low:.2} to {high:.2}"),
        details,
    };
    let all = row.results.len() as u64;
    let seconds = row.judged().map(|(_, record)| record.seconds).sum();
    Test {
        class: row.case.tool.clone().unwrap_or_else(|| file.clone()),
        name: row.case.name.clone(),
        file,
        line: Some(row.case.line),
        time: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
        end: if row.is_ok() {
            End::Passed
        } else if all > 0 && row.count(Verdict::Error) == all {
            End::Error(problem)
        } else if row.is_skipped() {
            End::Skipped(why.to_owned())
        } else {
            End::Failed(problem)
        },
    }
}
