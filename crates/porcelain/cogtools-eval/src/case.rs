//! Files with cases: tasks, and what a model has to do about them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cogtools_core::file;
use cogtools_core::schema::Schema;
use cogtools_core::text::Text;
use cogtools_core::yaml::{self, Node};
use cogtools_core::{Code, Diagnostic};
use cogtools_log::BudgetLimit;
use fancy_regex::{Regex, RegexBuilder};
use serde_json::Value;

use crate::matcher::Matcher;
use crate::reader::Reader;
use crate::statistics::float;

/// A task with expectations.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// The tool of the file, if it lies beside one.
    pub(crate) tool: Option<String>,
    /// The file, as messages name it.
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    /// The folder with its recordings.
    pub(crate) folder: PathBuf,
    /// The turns of one conversation.
    pub(crate) task: Vec<String>,
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) fixtures: Vec<(String, Vec<Fixture>)>,
    /// `with` as in the file, for digests.
    pub(crate) with: Value,
    pub(crate) trials: u64,
    pub(crate) threshold: f64,
    pub(crate) expect: Expect,
}

/// The result of a tool that does not run.
#[derive(Debug)]
pub(crate) struct Fixture {
    pub(crate) args: Vec<Argument>,
    /// The result, or why the call fails.
    pub(crate) answer: Result<Value, String>,
}

/// The matcher of an argument.
#[derive(Debug)]
pub(crate) struct Argument {
    /// The property, or a JSON pointer.
    pub(crate) key: String,
    pub(crate) matcher: Matcher,
    /// The matcher as in the file.
    pub(crate) shown: String,
}

/// The expectations of a case.
#[derive(Debug, Default)]
pub(crate) struct Expect {
    pub(crate) calls: Option<Vec<ExpectedCall>>,
    pub(crate) order: Order,
    pub(crate) never: Vec<String>,
    pub(crate) first_try: bool,
    pub(crate) contains: Vec<String>,
    pub(crate) matches: Option<Regex>,
    pub(crate) schema: Option<Schema>,
    pub(crate) says: Vec<String>,
    pub(crate) at_most: AtMost,
}

/// A call, and how often it is made.
#[derive(Debug)]
pub(crate) struct ExpectedCall {
    pub(crate) tool: String,
    pub(crate) args: Vec<Argument>,
    pub(crate) times: Option<(u64, u64)>,
}

/// The order that the calls of a trial must have, and the calls that may be between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::enum_variant_names, reason = "the words of the files")]
pub(crate) enum Order {
    #[default]
    Subset,
    InOrder,
    Exact,
    AnyOrder,
}

/// Limits beyond which a trial fails.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AtMost {
    pub(crate) turns: Option<u64>,
    pub(crate) calls: Option<u64>,
    pub(crate) tokens: Option<u64>,
    pub(crate) money: Option<f64>,
    pub(crate) seconds: Option<f64>,
}

impl AtMost {
    /// The turns, calls and seconds of a trial that are not limited otherwise.
    pub(crate) const TURNS: u64 = 20;
    pub(crate) const CALLS: u64 = 50;
    pub(crate) const SECONDS: f64 = 300.0;

    /// The number at which `limit` stops a trial.
    pub(crate) fn number(&self, limit: BudgetLimit) -> Option<f64> {
        match limit {
            BudgetLimit::Turns => Some(float(self.turns.unwrap_or(Self::TURNS))),
            BudgetLimit::Calls => Some(float(self.calls.unwrap_or(Self::CALLS))),
            BudgetLimit::Tokens => self.tokens.map(float),
            BudgetLimit::Money => self.money,
            BudgetLimit::Seconds => Some(self.seconds.unwrap_or(Self::SECONDS)),
        }
    }
}

/// The cases of a file, and notes about what is left out.
pub(crate) type Read = Result<(Vec<Case>, Vec<String>), Vec<Diagnostic>>;

/// Reads a file of cases in YAML. `tool` is the one that it lies beside.
///
/// # Errors
/// `INVALID_EVALS` for every mistake.
pub(crate) fn read(text: &Text, tool: Option<&str>, folder: &Path) -> Read {
    let document =
        yaml::parse(text).map_err(|error| vec![error.diagnostic(Code::InvalidEvals, text)])?;
    let mut reader = Reader::new(text);
    let mut cases = Vec::new();
    let mut defaults = (5, 1.0, None);
    reader.keys(&document, &["trials", "threshold", "tools", "cases"]);
    if let Some(node) = document.get("trials") {
        defaults.0 = reader.trials(node);
    }
    if let Some(node) = document.get("threshold") {
        defaults.1 = reader.threshold(node);
    }
    if let Some(node) = document.get("tools") {
        defaults.2 = Some(reader.strings(node, "tools"));
    }
    match document.get("cases") {
        None if document.entries().is_some() => reader.error(document.span, "`cases` is missing"),
        None => {}
        Some(node) => {
            for node in reader.items(node, "cases") {
                let case = reader.case(node, &defaults);
                cases.push(Case {
                    tool: tool.map(str::to_owned),
                    folder: folder.to_path_buf(),
                    ..case
                });
            }
        }
    }
    reader.finish(cases)
}

/// Reads `evals.json` of a skill: each prompt is a task, each expectation a statement.
///
/// # Errors
/// `INVALID_EVALS` for every mistake.
pub(crate) fn read_skill(text: &Text, root: &Path, folder: &Path) -> Read {
    let document =
        yaml::parse(text).map_err(|error| vec![error.diagnostic(Code::InvalidEvals, text)])?;
    let mut reader = Reader::new(text);
    let list = document.get("evals").unwrap_or(&document);
    let (mut cases, mut skipped) = (Vec::new(), 0);
    for (index, node) in reader.items(list, "evals").iter().enumerate() {
        if node.get("query").is_some() && node.get("prompt").is_none() {
            skipped += 1;
            continue;
        }
        let Some(prompt) = node.get("prompt") else {
            reader.error(node.span, "`prompt` is missing");
            continue;
        };
        let mut says = Vec::new();
        for key in ["expected_output", "expectations", "assertions"] {
            if let Some(node) = node.get(key) {
                says.extend(reader.strings(node, key));
            }
        }
        if says.is_empty() {
            reader.error(node.span, "`expected_output` or `expectations` is missing");
        }
        let mut files = BTreeMap::new();
        for name in node
            .get("files")
            .map(|node| reader.strings(node, "files"))
            .unwrap_or_default()
        {
            let base = text.path().parent().unwrap_or(root);
            let places = [base, base.parent().unwrap_or(root), root];
            let read =
                |place: &Path| Text::read(&place.join(&name), Path::new(&name), text.scope()).ok();
            let found = is_below(&name).then(|| places.into_iter().find_map(read));
            match found.flatten() {
                Some(file) => drop(files.insert(name, file.as_str().to_owned())),
                None => reader.error(node.span, &format!("the file `{name}` cannot be read")),
            }
        }
        let id = node.get("id").map(Node::to_json);
        let id = id.map_or_else(
            || (index + 1).to_string(),
            |id| id.as_str().map_or(id.to_string(), str::to_owned),
        );
        let plain = |letter: char| if is_name(letter) { letter } else { '-' };
        cases.push(Case {
            name: format!(
                "eval-{}",
                id.to_lowercase().chars().map(plain).collect::<String>()
            ),
            tool: None,
            file: text.display_path().to_path_buf(),
            line: text.location(node.span).line,
            folder: folder.to_path_buf(),
            task: vec![reader.string(prompt, "prompt")],
            tools: None,
            files,
            fixtures: Vec::new(),
            with: Value::Null,
            trials: 5,
            threshold: 1.0,
            expect: Expect {
                says,
                ..Expect::default()
            },
        });
    }
    let (cases, mut notes) = reader.finish(cases)?;
    if skipped > 0 {
        let file = text.display_path().display();
        notes.push(format!(
            "{file}: {skipped} of {} skipped: `query` with `should_trigger`",
            cases.len() + skipped
        ));
    }
    Ok((cases, notes))
}

pub(crate) const fn is_name(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_' || letter == '-'
}

/// Returns true if `path` stays below the folder that it is relative to.
pub(crate) fn is_below(path: &str) -> bool {
    !path.is_empty() && file::descends(Path::new(path))
}

/// Compiles a pattern whose search ends in time.
///
/// # Errors
/// The reason why it is none.
pub(crate) fn pattern(text: &str) -> Result<Regex, String> {
    RegexBuilder::new(text)
        .backtrack_limit(100_000)
        .build()
        .map_err(|error| error.to_string())
}
