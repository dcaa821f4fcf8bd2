//! Reads the nodes of a file with cases, and keeps every mistake with its place.

use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path, PathBuf};

use cogtools_core::schema::Schema;
use cogtools_core::text::{Span, Text};
use cogtools_core::yaml::{Data, Entry, Node};
use cogtools_core::{Code, Diagnostic};
use fancy_regex::Regex;
use serde_json::Value;

use crate::case::{
    Argument, AtMost, Case, Expect, ExpectedCall, Fixture, Order, Read, is_below, is_name, pattern,
};
use crate::matcher::{KEYS, Matcher};

/// The most trials of a case: a file of a project says how many there are.
pub(crate) const MAX_TRIALS: u64 = 10_000;

/// Reads the parts of a file, and keeps every mistake.
pub(crate) struct Reader<'t> {
    text: &'t Text,
    errors: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    pub(crate) const fn new(text: &'t Text) -> Self {
        Self {
            text,
            errors: Vec::new(),
        }
    }

    pub(crate) fn finish(mut self, cases: Vec<Case>) -> Read {
        let mut names = HashSet::new();
        for case in &cases {
            if !case.name.is_empty() && !names.insert(case.name.as_str()) {
                let message = format!("the name `{}` is used twice", case.name);
                let at = self.text.location_at(case.line, 1, 1);
                self.errors
                    .push(Diagnostic::new(Code::InvalidEvals, message).at(at));
            }
        }
        if self.errors.is_empty() {
            return Ok((cases, Vec::new()));
        }
        Err(Diagnostic::truncate(self.errors))
    }

    fn push(&mut self, span: Span, diagnostic: Diagnostic) {
        self.errors.push(diagnostic.at(self.text.location(span)));
    }

    pub(crate) fn error(&mut self, span: Span, message: &str) {
        self.push(span, Diagnostic::new(Code::InvalidEvals, message));
    }

    fn wrong<T: Default>(&mut self, node: &Node, key: &str, expected: &str) -> T {
        self.error(
            node.span,
            &format!("`{key}` takes {expected}, not {}", node.kind()),
        );
        T::default()
    }

    /// Reports the keys of a map that are not `known`. Returns its entries.
    pub(crate) fn keys<'n>(&mut self, node: &'n Node, known: &[&str]) -> &'n [Entry] {
        let Some(entries) = node.entries() else {
            self.error(
                node.span,
                &format!(
                    "a map with {} is expected, not {}",
                    known.join(", "),
                    node.kind()
                ),
            );
            return &[];
        };
        for entry in entries
            .iter()
            .filter(|entry| !known.contains(&entry.key.as_str()))
        {
            let diagnostic =
                Diagnostic::new(Code::InvalidEvals, format!("unknown key `{}`", entry.key));
            let otherwise = format!("the keys are {}", known.join(", "));
            let known = known.iter().copied();
            self.push(
                entry.span,
                diagnostic.meant_or(&entry.key, known, otherwise),
            );
        }
        entries
    }

    pub(crate) fn items<'n>(&mut self, node: &'n Node, key: &str) -> &'n [Node] {
        if let Some(items) = node.items() {
            return items;
        }
        let message = format!("`{key}` takes a list, not {}", node.kind());
        self.error(node.span, &message);
        &[]
    }

    pub(crate) fn string(&mut self, node: &Node, key: &str) -> String {
        node.text()
            .map_or_else(|| self.wrong(node, key, "text"), str::to_owned)
    }

    /// Reports the value of an expectation that is empty, and holds whatever a trial does.
    fn not_empty(&mut self, node: &Node, key: &str) {
        let is_empty = node.entries().is_some_and(<[Entry]>::is_empty)
            || node.items().is_some_and(<[Node]>::is_empty);
        if is_empty {
            self.error(node.span, &format!("`{key}` is empty, and expects nothing"));
        }
    }

    /// A text, or a list of them.
    pub(crate) fn strings(&mut self, node: &Node, key: &str) -> Vec<String> {
        let items = node.one_or_more();
        items.iter().map(|item| self.string(item, key)).collect()
    }

    fn number(&mut self, node: &Node, key: &str) -> f64 {
        match node.to_json().as_f64().filter(|number| *number >= 0.0) {
            Some(number) => number,
            None => self.wrong(node, key, "a number from 0"),
        }
    }

    fn count(&mut self, node: &Node, key: &str) -> u64 {
        match node.to_json().as_u64() {
            Some(count) => count,
            None => self.wrong(node, key, "a count"),
        }
    }

    fn bool(&mut self, node: &Node, key: &str) -> bool {
        match node.data {
            Data::Bool(value) => value,
            _ => self.wrong(node, key, "true or false"),
        }
    }

    pub(crate) fn trials(&mut self, node: &Node) -> u64 {
        let trials = self.count(node, "trials");
        let is_count = node.to_json().as_u64().is_some();
        if is_count && !(1..=MAX_TRIALS).contains(&trials) {
            let message = format!("`trials` is from 1 to {MAX_TRIALS}");
            self.error(node.span, &message);
        }
        trials
    }

    pub(crate) fn threshold(&mut self, node: &Node) -> f64 {
        let threshold = self.number(node, "threshold");
        if threshold > 1.0 {
            self.error(node.span, "`threshold` is a share from 0 to 1");
        }
        threshold
    }

    pub(crate) fn case(&mut self, node: &Node, defaults: &(u64, f64, Option<Vec<String>>)) -> Case {
        let mut case = Case {
            name: String::new(),
            tool: None,
            file: self.text.display_path().to_path_buf(),
            line: self.text.location(node.span).line,
            folder: PathBuf::new(),
            task: Vec::new(),
            tools: defaults.2.clone(),
            files: BTreeMap::new(),
            fixtures: Vec::new(),
            with: Value::Null,
            trials: defaults.0,
            threshold: defaults.1,
            expect: Expect::default(),
        };
        let known = [
            "name",
            "task",
            "tools",
            "files",
            "with",
            "trials",
            "threshold",
            "tags",
            "expect",
        ];
        let entries = self.keys(node, &known);
        for key in ["name", "task", "expect"] {
            if node.entries().is_some() && node.get(key).is_none() {
                self.error(node.span, &format!("`{key}` is missing"));
            }
        }
        for Entry { key, value, .. } in entries {
            match key.as_str() {
                "name" => {
                    case.name = self.string(value, key);
                    if value.text().is_some()
                        && (case.name.is_empty() || !case.name.chars().all(is_name))
                    {
                        self.error(value.span, "a name has the characters a-z, 0-9, _ and -");
                    }
                }
                "task" => {
                    case.task = self.strings(value, key);
                    if case.task.is_empty() {
                        self.error(value.span, "`task` has at least one turn");
                    }
                }
                "tools" => case.tools = Some(self.strings(value, key)),
                "trials" => case.trials = self.trials(value),
                "threshold" => case.threshold = self.threshold(value),
                "tags" => drop(self.strings(value, key)),
                "files" => case.files = self.files(value),
                "with" => {
                    case.with = value.to_json();
                    case.fixtures = self.fixtures(value);
                }
                "expect" => case.expect = self.expect(value),
                _ => {}
            }
        }
        case
    }

    fn files(&mut self, node: &Node) -> BTreeMap<String, String> {
        let Some(entries) = node.entries() else {
            return self.wrong(node, "files", "a map from paths to texts");
        };
        let (mut files, mut paths) = (BTreeMap::new(), Vec::<PathBuf>::new());
        let is_dot = |part: &Component<'_>| *part == Component::CurDir;
        for Entry { key, value, span } in entries {
            let path: PathBuf = Path::new(key).components().skip_while(is_dot).collect();
            let is_within = |other: &PathBuf| path.starts_with(other) || other.starts_with(&path);
            if !is_below(key) {
                self.error(*span, "a path is relative, without `..`");
            } else if path.as_os_str().is_empty() || key.ends_with('/') || key.contains('\0') {
                self.error(*span, "a path names a file, not a folder");
            } else if let Some(other) = paths.iter().find(|other| is_within(other)) {
                let other = other.display();
                self.error(*span, &format!("the file `{other}` is in its place"));
            }
            paths.push(path);
            files.insert(key.clone(), self.string(value, key));
        }
        files
    }

    fn fixtures(&mut self, node: &Node) -> Vec<(String, Vec<Fixture>)> {
        let Some(entries) = node.entries() else {
            return self.wrong(node, "with", "a map from tools to results");
        };
        let fixture = |reader: &mut Self, node: &Node| {
            let entries = reader.keys(node, &["args", "result", "fails"]);
            let args = node
                .get("args")
                .map(|node| reader.arguments(node))
                .unwrap_or_default();
            let answer = match (node.get("result"), node.get("fails")) {
                (Some(result), None) => Ok(result.to_json()),
                (None, Some(fails)) => Err(reader.string(fails, "fails")),
                _ => {
                    if !entries.is_empty() {
                        reader.error(node.span, "a fixture has `result` or `fails`");
                    }
                    Ok(Value::Null)
                }
            };
            Fixture { args, answer }
        };
        let mut fixtures = Vec::new();
        for Entry { key, value, .. } in entries {
            let is_fixture = value.entries().is_some_and(|entries| {
                entries
                    .iter()
                    .any(|entry| entry.key == "result" || entry.key == "fails")
                    && entries
                        .iter()
                        .all(|entry| ["args", "result", "fails"].contains(&entry.key.as_str()))
            });
            let list = match value.items() {
                Some(items) => items.iter().map(|item| fixture(self, item)).collect(),
                None if is_fixture => vec![fixture(self, value)],
                None => vec![Fixture {
                    args: Vec::new(),
                    answer: Ok(value.to_json()),
                }],
            };
            fixtures.push((key.clone(), list));
        }
        fixtures
    }

    fn expect(&mut self, node: &Node) -> Expect {
        let mut expect = Expect::default();
        let entries = self.keys(
            node,
            &["calls", "order", "never", "first_try", "answer", "at_most"],
        );
        if node.entries().is_some_and(<[Entry]>::is_empty) {
            self.error(node.span, "`expect` needs at least one key");
        }
        for Entry { key, value, .. } in entries {
            if key != "calls" {
                self.not_empty(value, key);
            }
            match key.as_str() {
                "calls" => {
                    let items = self.items(value, key);
                    expect.calls = Some(items.iter().map(|item| self.call(item)).collect());
                }
                "order" => {
                    let names = ["subset", "in_order", "exact", "any_order"];
                    let orders = [Order::Subset, Order::InOrder, Order::Exact, Order::AnyOrder];
                    let index = names.iter().position(|name| value.text() == Some(name));
                    expect.order = index.map_or(Order::Subset, |index| orders[index]);
                    if index.is_none() {
                        let message = "`order` takes subset, in_order, exact or any_order";
                        let diagnostic = Diagnostic::new(Code::InvalidEvals, message);
                        let text = value.text().unwrap_or_default();
                        self.push(value.span, diagnostic.meant(text, names));
                    }
                }
                "never" => expect.never = self.strings(value, key),
                "first_try" => expect.first_try = self.bool(value, key),
                "answer" => self.answer(value, &mut expect),
                "at_most" => expect.at_most = self.at_most(value),
                _ => {}
            }
        }
        match (node.get("calls"), node.get("order")) {
            (None, Some(order)) => {
                self.error(order.span, "`order` is about `calls`, and there are none");
            }
            // No calls are an expectation if nothing else may be called.
            (Some(calls), _) if matches!(expect.order, Order::Subset | Order::InOrder) => {
                self.not_empty(calls, "calls");
            }
            _ => {}
        }
        if let [Entry { key, value, .. }] = entries
            && key == "first_try"
            && !expect.first_try
        {
            self.error(value.span, "`first_try: false` expects nothing");
        }
        expect
    }

    fn call(&mut self, node: &Node) -> ExpectedCall {
        self.keys(node, &["tool", "args", "times"]);
        if node.entries().is_some() && node.get("tool").is_none() {
            self.error(node.span, "`tool` is missing");
        }
        let tool = node.get("tool").map(|tool| self.string(tool, "tool"));
        ExpectedCall {
            tool: tool.unwrap_or_default(),
            args: node
                .get("args")
                .map(|args| self.arguments(args))
                .unwrap_or_default(),
            times: node.get("times").map(|times| self.times(times)),
        }
    }

    fn times(&mut self, node: &Node) -> (u64, u64) {
        if node.entries().is_none() {
            let times = self.count(node, "times");
            return (times, times);
        }
        self.keys(node, &["min", "max"]);
        let min = node.get("min").map_or(0, |min| self.count(min, "min"));
        let max = node
            .get("max")
            .map_or(u64::MAX, |max| self.count(max, "max"));
        if min > max {
            self.error(node.span, "`min` is more than `max`");
        }
        (min, max)
    }

    fn arguments(&mut self, node: &Node) -> Vec<Argument> {
        let Some(entries) = node.entries() else {
            return self.wrong(node, "args", "a map from properties to matchers");
        };
        let argument = |entry: &Entry| Argument {
            key: entry.key.clone(),
            matcher: self.matcher(&entry.value),
            shown: entry.value.to_json().to_string(),
        };
        entries.iter().map(argument).collect()
    }

    fn matcher(&mut self, node: &Node) -> Matcher {
        let entries = node.entries().filter(|entries| {
            !entries.is_empty()
                && entries
                    .iter()
                    .all(|entry| KEYS.contains(&entry.key.as_str()))
        });
        let Some(entries) = entries else {
            return Matcher::Equals(node.to_json());
        };
        let mut all: Vec<Matcher> = entries
            .iter()
            .map(|entry| self.one(&entry.key, &entry.value))
            .collect();
        match all.pop() {
            Some(only) if all.is_empty() => only,
            last => Matcher::All(all.into_iter().chain(last).collect()),
        }
    }

    fn one(&mut self, key: &str, node: &Node) -> Matcher {
        match key {
            "contains" => Matcher::Contains(node.to_json()),
            "matches" => match self.regex(node) {
                Some(regex) => Matcher::Matches(Box::new(regex)),
                None => Matcher::Absent(true),
            },
            "near" => {
                let value = node.get("value").unwrap_or(node);
                if node.entries().is_some() {
                    self.keys(node, &["value", "within"]);
                }
                let expected = value.to_json().as_f64();
                let expected = expected.unwrap_or_else(|| self.wrong(value, "near", "a number"));
                let within = node
                    .get("within")
                    .map(|within| self.number(within, "within"));
                Matcher::Near(expected, within.unwrap_or(1e-6 * expected.abs().max(1.0)))
            }
            "schema" => Matcher::Schema(Box::new(self.schema(node))),
            "one_of" => {
                let items = self.items(node, key);
                Matcher::OneOf(items.iter().map(|item| self.matcher(item)).collect())
            }
            "absent" => Matcher::Absent(self.bool(node, key)),
            _ => Matcher::Equals(node.to_json()),
        }
    }

    fn regex(&mut self, node: &Node) -> Option<Regex> {
        let text = self.string(node, "matches");
        let regex = pattern(&text);
        regex
            .map_err(|error| self.error(node.span, &format!("this is no pattern: {error}")))
            .ok()
    }

    /// Reads a schema as an entry of `parameters`, or as a Schema Object, of `{value: …}`.
    fn schema(&mut self, node: &Node) -> Schema {
        let entry = Entry {
            key: "value".to_owned(),
            span: node.span,
            value: node.clone(),
        };
        let wrapped = Node {
            data: Data::Map(vec![entry]),
            span: node.span,
        };
        let sugared = Schema::expand(&wrapped);
        match (sugared, Schema::any(node)) {
            (Ok(schema), _) => schema,
            (_, Ok(schema)) => {
                let mut object = Schema::empty().as_object().clone();
                object["properties"]["value"] = Value::Object(schema.as_object().clone());
                Schema::from(object)
            }
            (Err(errors), _) => {
                for error in errors {
                    let diagnostic = Diagnostic {
                        code: Code::InvalidEvals,
                        ..error.kind.diagnostic()
                    };
                    self.push(error.span, diagnostic);
                }
                Schema::empty()
            }
        }
    }

    fn answer(&mut self, node: &Node, expect: &mut Expect) {
        for Entry { key, value, .. } in self.keys(node, &["contains", "matches", "schema", "says"])
        {
            if key != "schema" {
                self.not_empty(value, key);
            }
            match key.as_str() {
                "contains" => expect.contains = self.strings(value, key),
                "matches" => expect.matches = self.regex(value),
                "schema" => expect.schema = Some(self.schema(value)),
                "says" => expect.says = self.strings(value, key),
                _ => {}
            }
        }
    }

    fn at_most(&mut self, node: &Node) -> AtMost {
        let mut most = AtMost::default();
        for Entry { key, value, .. } in
            self.keys(node, &["turns", "calls", "tokens", "money", "seconds"])
        {
            match key.as_str() {
                "turns" => most.turns = Some(self.count(value, key)),
                "calls" => most.calls = Some(self.count(value, key)),
                "tokens" => most.tokens = Some(self.count(value, key)),
                "money" => most.money = Some(self.number(value, key)),
                "seconds" => most.seconds = Some(self.number(value, key)),
                _ => {}
            }
        }
        most
    }
}
