//! Comparisons: what the trials show about a difference, and how many would.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use cogtools_core::{Code, Diagnostic};
use cogtools_program::{Failure, Io, named_file};
use serde_json::{Value, json};

use crate::evaluation::{Evaluation, load_tools};
use crate::files::check_out;
use crate::report::{Row, Verdict};
use crate::statistics::{MIN_PAIRS, SIGNIFICANT, flips, float, holm, mcnemar, trials_needed};
use crate::verdict::unavailable;

/// A trial: the file of its case, relative to the project, the case, the model and the number.
type Trial = (PathBuf, String, String, u64);

/// The trials; true for one that passed.
pub(crate) type Passed = BTreeMap<Trial, bool>;

/// The verdicts of `rows`, whose cases are in the project `root`, without errors.
pub(crate) fn passed(rows: &[Row], root: &Path) -> Passed {
    let mut passed = Passed::new();
    for row in rows {
        for result in &row.results {
            if matches!(result.verdict, Verdict::Pass | Verdict::Fail) {
                let (name, model) = (row.case.name.clone(), row.model.clone());
                let key = (relative(&row.case.file, root), name, model, result.trial);
                passed.insert(key, result.verdict == Verdict::Pass);
            }
        }
    }
    passed
}

/// The path in the project `root` of a file that is named relative to a directory in it.
fn relative(file: &Path, root: &Path) -> PathBuf {
    let parts = file.strip_prefix(root).unwrap_or(file).components();
    let below = parts.skip_while(|part| *part == Component::ParentDir);
    below.collect()
}

/// The verdicts in an earlier report; none if it is no report.
fn read(report: &Value, root: &Path) -> Option<Passed> {
    if report["kind"] != "eval" {
        return None;
    }
    let mut passed = Passed::new();
    for case in report["cases"].as_array()? {
        let (name, model) = (case["case"].as_str()?, case["model"].as_str()?);
        // A report without files is of cases with unique names.
        let file = relative(case["file"].as_str().unwrap_or_default().as_ref(), root);
        for result in case["results"].as_array()? {
            let verdict = result["verdict"].as_str()?;
            if verdict == "pass" || verdict == "fail" {
                let (name, model) = (name.to_owned(), model.to_owned());
                let key = (file.clone(), name, model, result["trial"].as_u64()?);
                passed.insert(key, verdict == "pass");
            }
        }
    }
    Some(passed)
}

impl Evaluation {
    /// Compares `new` trials with a run of an older version of the tools, or with an earlier report.
    pub(crate) fn compare_with(
        &self,
        with: &str,
        new: &Passed,
        io: &mut Io<'_>,
    ) -> Result<Comparison, Failure> {
        let path = io.cwd.join(with);
        if path.is_file() {
            let bytes = named_file::read(Path::new(with), 256 << 20, io)?;
            let report = serde_json::from_slice(&bytes).unwrap_or_default();
            let old = read(&report, self.project.root());
            let none = || {
                let message = "this is no report of cogtools eval --format json";
                Failure::from(Diagnostic::new(Code::Usage, message).with_subject(with))
            };
            return Ok(compare(&old.ok_or_else(none)?, new));
        }
        if self.args.replay {
            let message = "recordings are compared with an earlier report only";
            return Err(Diagnostic::new(Code::Usage, message)
                .with_subject(with)
                .into());
        }
        let check_out = || check_out(with, &self.project, io);
        let checked_out = (!path.is_dir()).then(check_out).transpose()?;
        let files = checked_out.as_ref().map(|it| it.path().join("files"));
        let folder = files.unwrap_or(path);
        // A path with `..` has ancestors that do not contain it.
        let folder = folder.canonicalize().unwrap_or(folder);
        let own = std::mem::replace(&mut io.cwd, folder);
        let loaded = load_tools(&self.args, &self.cancel, io);
        io.cwd = own;
        let (tools, cx) = loaded?;
        // Its programs run under the approvals of the folder; a revision is of the own project.
        let cx = Some(&cx).filter(|_| checked_out.is_none());
        let own = self.cx.root.canonicalize().ok();
        if cx.is_some_and(|cx| own.as_ref() == Some(&cx.root)) {
            let message = "the folder belongs to this project, and would be compared with itself";
            let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(with);
            let hint = "name the folder of another project; an empty .cogtoolrc.yaml makes it one";
            return Err(diagnostic.hint(hint).into());
        }
        let old = self.live(&tools, cx, false, io)?;
        Ok(self.compare_rows(&old, new))
    }

    /// Compares `new` trials with the `old` run.
    pub(crate) fn compare_rows(&self, old: &[Row], new: &Passed) -> Comparison {
        let mut comparison = compare(&passed(old, self.project.root()), new);
        let errors: u64 = old.iter().map(|row| row.count(Verdict::Error)).sum();
        comparison.overall["errors"] = errors.into();
        comparison.unavailable = unavailable(old);
        comparison
    }
}

/// The comparison of an old with a new run.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) rows: Vec<Value>,
    pub(crate) overall: Value,
    /// The cases of the old run that have nothing but errors.
    pub(crate) unavailable: Vec<Diagnostic>,
    /// True if a case, or all together, is shown to be worse.
    pub(crate) is_worse: bool,
}

/// Counts of the pairs of a case: only the old passed, only the new, all.
#[derive(Clone, Copy, Debug, Default)]
struct Pairs {
    b: u64,
    c: u64,
    n: u64,
}

impl Pairs {
    fn difference(self) -> f64 {
        (float(self.c) - float(self.b)) / float(self.n)
    }

    /// The pairs that would show the difference: more than these, which do not, and enough for the test.
    fn needed(self) -> Option<u64> {
        let needed = trials_needed(float(self.b + self.c) / float(self.n), self.difference());
        needed.map(|needed| needed.max(MIN_PAIRS).max(self.n + 1))
    }
}

fn verdict(p: f64, difference: f64) -> &'static str {
    match difference {
        _ if p >= SIGNIFICANT => "not_shown",
        difference if difference > 0.0 => "better",
        _ => "worse",
    }
}

/// Compares the trials that both runs have.
pub(crate) fn compare(old: &Passed, new: &Passed) -> Comparison {
    let mut cases: BTreeMap<(&Path, &str, &str), Pairs> = BTreeMap::new();
    for (key, passed) in new {
        let (file, case, model, trial) = key;
        let without_file = || old.get(&(PathBuf::new(), case.clone(), model.clone(), *trial));
        let Some(before) = old.get(key).or_else(without_file) else {
            continue;
        };
        let pairs = cases.entry((file, case, model)).or_default();
        pairs.n += 1;
        pairs.b += u64::from(*before && !passed);
        pairs.c += u64::from(!before && *passed);
    }
    let ps = cases.values().map(|pairs| mcnemar(pairs.b, pairs.c));
    let ps: Vec<f64> = ps.collect();
    let corrected = holm(&ps);
    let mut rows = Vec::new();
    let mut all = Pairs::default();
    let mut is_worse = false;
    for (((file, case, model), pairs), (p, p_holm)) in cases.iter().zip(ps.iter().zip(&corrected)) {
        let verdict = verdict(*p_holm, pairs.difference());
        is_worse |= verdict == "worse";
        let needed = pairs.needed().filter(|_| verdict == "not_shown");
        rows.push(json!({
            "case": case, "file": file.display().to_string(), "model": model, "b": pairs.b, "c": pairs.c,
            "p": p, "p_holm": p_holm, "verdict": verdict, "trials_needed": needed,
        }));
        all = Pairs {
            b: all.b + pairs.b,
            c: all.c + pairs.c,
            n: all.n + pairs.n,
        };
    }
    let differences: Vec<f64> = cases.values().map(|pairs| pairs.difference()).collect();
    let p = flips(&differences);
    let sum: f64 = differences.iter().sum();
    let mean = if cases.is_empty() {
        0.0
    } else {
        sum / float(cases.len() as u64)
    };
    let verdict = verdict(p, sum);
    is_worse |= verdict == "worse";
    let is_open = verdict == "not_shown" && all.n > 0;
    let needed = is_open.then(|| all.needed()).flatten();
    let few = needed.is_some() && (cases.len() as u64) < MIN_PAIRS;
    let overall = json!({
        "cases": cases.len(), "trials": all.n, "b": all.b, "c": all.c,
        "difference": mean, "p": p, "verdict": verdict, "trials_needed": needed,
        "cases_needed": few.then_some(MIN_PAIRS),
    });
    Comparison {
        rows,
        overall,
        unavailable: Vec::new(),
        is_worse,
    }
}

impl Comparison {
    /// The comparison for people; `with` names the old run.
    pub(crate) fn text(&self, with: &str) -> String {
        let mut text = format!("\ncompared with {with}:\n");
        let word = |row: &Value| {
            let p = row["p_holm"].as_f64().or(row["p"].as_f64());
            let p = p.unwrap_or(1.0);
            match row["verdict"].as_str() {
                Some("not_shown") => {
                    let needed = |key: &str| row[key].as_u64();
                    let what = match (needed("cases_needed"), needed("trials_needed")) {
                        (_, None) => return "no difference".to_owned(),
                        (Some(cases), _) => format!("at least {cases} cases"),
                        (None, Some(trials)) => format!("{trials} pairs of trials"),
                    };
                    format!("no difference shown (p {p:.3}); {what} would")
                }
                other => format!("{} (p {p:.3})", other.unwrap_or_default()),
            }
        };
        for row in &self.rows {
            let [case, model] = ["case", "model"].map(|key| row[key].as_str().unwrap_or_default());
            let (word, b, c) = (word(row), &row["b"], &row["c"]);
            let passed = format!("only the old passed {b}, only the new {c}");
            let _ = writeln!(text, "  {case} ({model}): {word}; {passed}");
        }
        let _ = writeln!(text, "  in all: {}", word(&self.overall));
        if let Some(errors) = self.overall["errors"].as_u64().filter(|errors| *errors > 0) {
            let _ = writeln!(text, "  trials of {with} with errors: {errors}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(passes: &[(&str, u64, u64)]) -> Passed {
        let mut all = Passed::new();
        for (case, passed, trials) in passes {
            for trial in 1..=*trials {
                all.insert(
                    (
                        PathBuf::from("f"),
                        (*case).to_owned(),
                        "m".to_owned(),
                        trial,
                    ),
                    trial <= *passed,
                );
            }
        }
        all
    }

    #[test]
    fn five_trials_show_nothing_and_say_what_would() {
        let compared = compare(&run(&[("a", 0, 5)]), &run(&[("a", 5, 5)]));
        assert_eq!(compared.rows[0]["p"], 0.0625);
        assert_eq!(compared.rows[0]["verdict"], "not_shown");
        assert_eq!(compared.rows[0]["trials_needed"], 6);
        assert_eq!(compared.overall["cases_needed"], 6);
        assert_eq!(compared.overall["verdict"], "not_shown");
        assert!(!compared.is_worse);
    }

    #[test]
    fn cases_of_one_name_are_told_apart_by_their_files() {
        let verdicts = |passed: u64| {
            (1..=10).map(move |trial| {
            json!({"trial": trial, "verdict": if trial <= passed { "pass" } else { "fail" }})
        })
        };
        let case = |file: &str, passed: u64| json!({"case": "a", "model": "m", "file": file, "results": verdicts(passed).collect::<Value>()});
        let read = |first: u64, file: &str| {
            let report =
                json!({"kind": "eval", "cases": [case(file, first), case("/p/evals/b.yaml", 10)]});
            read(&report, Path::new("/p")).expect("a report")
        };
        let compared = compare(&read(10, "../evals/a.yaml"), &read(0, "/p/evals/a.yaml"));
        assert_eq!(compared.rows.len(), 2);
        assert_eq!(compared.rows[0]["file"], "evals/a.yaml");
        assert_eq!(compared.rows[0]["verdict"], "worse");
        assert_eq!(compared.rows[1]["b"], 0);
        // Reports once had no files.
        let mut old = json!({"kind": "eval", "cases": [case("", 10)]});
        old["cases"][0]
            .as_object_mut()
            .expect("a case")
            .remove("file");
        let old = super::read(&old, Path::new("/p")).expect("a report");
        assert_eq!(compare(&old, &read(0, "evals/a.yaml")).rows[0]["b"], 10);
    }

    #[test]
    fn ten_trials_show_a_loss() {
        let compared = compare(&run(&[("a", 10, 10)]), &run(&[("a", 0, 10)]));
        assert_eq!(compared.rows[0]["verdict"], "worse");
        assert!(compared.is_worse);
    }
}
