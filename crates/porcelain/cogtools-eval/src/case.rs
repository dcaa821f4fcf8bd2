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
#[derive(Clone, Debug, Default)]
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
#[derive(Clone, Debug)]
pub(crate) struct Fixture {
    pub(crate) args: Vec<Argument>,
    /// The result, or why the call fails.
    pub(crate) answer: Result<Value, String>,
}

/// The matcher of an argument.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    /// The property, or a JSON pointer.
    pub(crate) key: String,
    pub(crate) matcher: Matcher,
    /// The matcher as in the file.
    pub(crate) shown: String,
}

/// The expectations of a case.
#[derive(Clone, Debug, Default)]
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
#[derive(Clone, Debug)]
pub(crate) struct ExpectedCall {
    pub(crate) tool: String,
    pub(crate) args: Vec<Argument>,
    pub(crate) times: Option<(u64, u64)>,
}

/// The order that the calls of a trial must have, and the calls that may be between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
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

    /// Every limit, in the order of reports.
    pub(crate) const ALL: [BudgetLimit; 5] = [
        BudgetLimit::Turns,
        BudgetLimit::Calls,
        BudgetLimit::Tokens,
        BudgetLimit::Money,
        BudgetLimit::Seconds,
    ];

    /// The number that the file sets for `limit`.
    pub(crate) fn own(&self, limit: BudgetLimit) -> Option<f64> {
        match limit {
            BudgetLimit::Turns => self.turns.map(float),
            BudgetLimit::Calls => self.calls.map(float),
            BudgetLimit::Tokens => self.tokens.map(float),
            BudgetLimit::Money => self.money,
            BudgetLimit::Seconds => self.seconds,
        }
    }

    /// The number at which `limit` stops a trial.
    pub(crate) fn number(&self, limit: BudgetLimit) -> Option<f64> {
        self.own(limit).or(match limit {
            BudgetLimit::Turns => Some(float(Self::TURNS)),
            BudgetLimit::Calls => Some(float(Self::CALLS)),
            BudgetLimit::Seconds => Some(Self::SECONDS),
            BudgetLimit::Tokens | BudgetLimit::Money => None,
        })
    }
}

/// The cases of a file, and notes about what is left out.
pub(crate) type Read = Result<(Vec<Case>, Vec<String>), Vec<Diagnostic>>;

impl Case {
    /// A case of `text` that says nothing yet, of the file beside `tool`, with recordings in `folder`.
    fn of_file(text: &Text, tool: Option<&str>, folder: &Path) -> Self {
        Self {
            tool: tool.map(str::to_owned),
            file: text.display_path().to_path_buf(),
            folder: folder.to_path_buf(),
            trials: 5,
            threshold: 1.0,
            ..Self::default()
        }
    }
}

/// Reads a file of cases in YAML. `tool` is the one that it lies beside.
///
/// # Errors
/// `INVALID_EVALS` for every mistake.
pub(crate) fn read(text: &Text, tool: Option<&str>, folder: &Path) -> Read {
    let document =
        yaml::parse(text).map_err(|error| vec![error.diagnostic(Code::InvalidEvals, text)])?;
    let mut reader = Reader::new(text);
    reader.keys(&document, "trials, threshold, tools, cases");
    let defaults = reader.shared(&document, &Case::of_file(text, tool, folder));
    let nodes = reader.required(&document, "cases", Reader::items).iter();
    let cases = nodes.map(|node| reader.case(node, &defaults)).collect();
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
    let defaults = Case::of_file(text, None, folder);
    let list = document.get("evals").unwrap_or(&document);
    let (mut cases, mut skipped) = (Vec::new(), 0);
    for (index, node) in reader.items(list, "evals").iter().enumerate() {
        if node.get("query").is_some() && node.get("prompt").is_none() {
            skipped += 1;
            continue;
        }
        let Some(task) = reader.get(node, "prompt", Reader::string) else {
            reader.error(node.span, "`prompt` is missing");
            continue;
        };
        let says = ["expected_output", "expectations", "assertions"];
        let says = says.map(|key| reader.get(node, key, Reader::strings).unwrap_or_default());
        let says = says.concat();
        if says.is_empty() {
            reader.error(node.span, "`expected_output` or `expectations` is missing");
        }
        let mut files = BTreeMap::new();
        let names = reader.get(node, "files", Reader::strings);
        for name in names.unwrap_or_default() {
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
        let id = match node.get("id").map(Node::to_json) {
            None => (index + 1).to_string(),
            Some(Value::String(id)) => id,
            Some(id) => id.to_string(),
        };
        cases.push(Case {
            name: format!("eval-{}", plain_name(&id)),
            task: vec![task],
            files,
            expect: Expect {
                says,
                ..Expect::default()
            },
            line: reader.line(node),
            ..defaults.clone()
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

/// Returns `text` as the name of a case.
pub(crate) fn plain_name(text: &str) -> String {
    let plain = |letter: char| if is_name(letter) { letter } else { '-' };
    text.to_lowercase().chars().map(plain).collect()
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
    let regex = RegexBuilder::new(text).backtrack_limit(100_000).build();
    regex.map_err(|error| error.to_string())
}
