//! Reads the nodes of a file with cases, and keeps every mistake with its place.

use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path, PathBuf};

use cogtools_core::schema::Schema;
use cogtools_core::text::{Span, Text};
use cogtools_core::yaml::{Data, Entry, Node};
use cogtools_core::{Code, Diagnostic};
use fancy_regex::Regex;
use serde_json::Value;
use strum::VariantNames as _;

use crate::case::{
    Argument, AtMost, Case, Expect, ExpectedCall, Fixture, Order, Read, is_below, is_name, pattern,
};
use crate::matcher::{KEYS, Matcher};

/// The most trials of a case: a file of a project says how many there are.
pub(crate) const MAX_TRIALS: u64 = 10_000;

/// The keys of the result of a tool that does not run.
const FIXTURE: &str = "args, result, fails";

/// Returns true if `key` is one of the keys `known`.
fn has(known: &str, key: &str) -> bool {
    known.split(", ").any(|known| known == key)
}

/// Reads the parts of a file, and keeps every mistake.
///
/// A part is read by a method that takes its node and the key that leads to it, for messages.
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

    /// The cases, or the mistakes in the order of the file.
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
        let place = |error: &Diagnostic| error.location.as_ref().map(|at| (at.line, at.column));
        self.errors.sort_by_key(place);
        Err(Diagnostic::truncate(self.errors))
    }

    fn push(&mut self, span: Span, diagnostic: Diagnostic) {
        self.errors.push(diagnostic.at(self.text.location(span)));
    }

    pub(crate) fn error(&mut self, span: Span, message: &str) {
        self.push(span, Diagnostic::new(Code::InvalidEvals, message));
    }

    fn wrong<T: Default>(&mut self, node: &Node, key: &str, expected: &str) -> T {
        let message = format!("`{key}` takes {expected}, not {}", node.kind());
        self.error(node.span, &message);
        T::default()
    }

    /// Reports the keys of a map that are not `known`, which has them as messages list them. Returns
    /// its entries.
    pub(crate) fn keys<'n>(&mut self, node: &'n Node, known: &str) -> &'n [Entry] {
        let Some(entries) = node.entries() else {
            let message = format!("a map with {known} is expected, not {}", node.kind());
            self.error(node.span, &message);
            return &[];
        };
        for Entry { key, span, .. } in entries.iter().filter(|it| !has(known, &it.key)) {
            let diagnostic = Diagnostic::new(Code::InvalidEvals, format!("unknown key `{key}`"));
            let otherwise = format!("the keys are {known}");
            self.push(
                *span,
                diagnostic.meant_or(key, known.split(", "), otherwise),
            );
        }
        entries
    }

    /// Reads the value of `key`, if `node` is a map that has it.
    pub(crate) fn get<'n, T>(
        &mut self,
        node: &'n Node,
        key: &str,
        read: impl FnOnce(&mut Self, &'n Node, &str) -> T,
    ) -> Option<T> {
        node.get(key).map(|value| read(self, value, key))
    }

    /// Reads the value of `key`, which a map must have.
    pub(crate) fn required<'n, T: Default>(
        &mut self,
        node: &'n Node,
        key: &str,
        read: impl FnOnce(&mut Self, &'n Node, &str) -> T,
    ) -> T {
        if node.entries().is_some() && node.get(key).is_none() {
            self.error(node.span, &format!("`{key}` is missing"));
        }
        self.get(node, key, read).unwrap_or_default()
    }

    pub(crate) fn items<'n>(&mut self, node: &'n Node, key: &str) -> &'n [Node] {
        match node.items() {
            Some(items) => items,
            None => self.wrong(node, key, "a list"),
        }
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
        match node.number().filter(|number| *number >= 0.0) {
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

    fn trials(&mut self, node: &Node, key: &str) -> u64 {
        let trials = self.count(node, key);
        let is_count = node.to_json().is_u64();
        if is_count && !(1..=MAX_TRIALS).contains(&trials) {
            self.error(node.span, &format!("`trials` is from 1 to {MAX_TRIALS}"));
        }
        trials
    }

    fn threshold(&mut self, node: &Node, key: &str) -> f64 {
        let threshold = self.number(node, key);
        if threshold > 1.0 {
            self.error(node.span, "`threshold` is a share from 0 to 1");
        }
        threshold
    }

    /// The line of `node`.
    pub(crate) fn line(&self, node: &Node) -> usize {
        self.text.location(node.span).line
    }

    /// Returns `case` with the keys in `node` that files and cases have alike.
    pub(crate) fn shared(&mut self, node: &Node, case: &Case) -> Case {
        let tools = self.get(node, "tools", Self::strings);
        let trials = self.get(node, "trials", Self::trials);
        let threshold = self.get(node, "threshold", Self::threshold);
        Case {
            tools: tools.or_else(|| case.tools.clone()),
            trials: trials.unwrap_or(case.trials),
            threshold: threshold.unwrap_or(case.threshold),
            ..case.clone()
        }
    }

    /// Reads a case over `defaults`: a key that it lacks keeps their value.
    pub(crate) fn case(&mut self, node: &Node, defaults: &Case) -> Case {
        let known = "name, task, tools, files, with, trials, threshold, tags, expect";
        self.keys(node, known);
        self.get(node, "tags", Self::strings);
        Case {
            line: self.line(node),
            name: self.required(node, "name", Self::name),
            task: self.required(node, "task", Self::task),
            files: self.get(node, "files", Self::files).unwrap_or_default(),
            fixtures: self.get(node, "with", Self::fixtures).unwrap_or_default(),
            with: node.get("with").map(Node::to_json).unwrap_or_default(),
            expect: self.required(node, "expect", Self::expect),
            ..self.shared(node, defaults)
        }
    }

    fn name(&mut self, node: &Node, key: &str) -> String {
        let name = self.string(node, key);
        let is_text = node.text().is_some();
        if is_text && (name.is_empty() || !name.chars().all(is_name)) {
            self.error(node.span, "a name has the characters a-z, 0-9, _ and -");
        }
        name
    }

    fn task(&mut self, node: &Node, key: &str) -> Vec<String> {
        let task = self.strings(node, key);
        if task.is_empty() {
            self.error(node.span, "`task` has at least one turn");
        }
        task
    }

    fn files(&mut self, node: &Node, key: &str) -> BTreeMap<String, String> {
        let Some(entries) = node.entries() else {
            return self.wrong(node, key, "a map from paths to texts");
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

    fn fixtures(&mut self, node: &Node, key: &str) -> Vec<(String, Vec<Fixture>)> {
        let Some(entries) = node.entries() else {
            return self.wrong(node, key, "a map from tools to results");
        };
        let fixtures = entries.iter().map(|Entry { key, value, .. }| {
            let is_answered = value.get("result").or(value.get("fails")).is_some();
            let is_known = |entry: &Entry| has(FIXTURE, &entry.key);
            let is_fixture =
                is_answered && value.entries().is_some_and(|all| all.iter().all(is_known));
            let list = match value.items() {
                Some(items) => items.iter().map(|item| self.fixture(item)).collect(),
                None if is_fixture => vec![self.fixture(value)],
                None => vec![Fixture {
                    args: Vec::new(),
                    answer: Ok(value.to_json()),
                }],
            };
            (key.clone(), list)
        });
        fixtures.collect()
    }

    fn fixture(&mut self, node: &Node) -> Fixture {
        let entries = self.keys(node, FIXTURE);
        let answer = match (node.get("result"), node.get("fails")) {
            (Some(result), None) => Ok(result.to_json()),
            (None, Some(fails)) => Err(self.string(fails, "fails")),
            _ => {
                if !entries.is_empty() {
                    self.error(node.span, "a fixture has `result` or `fails`");
                }
                Ok(Value::Null)
            }
        };
        let args = self.get(node, "args", Self::arguments);
        Fixture {
            args: args.unwrap_or_default(),
            answer,
        }
    }

    fn expect(&mut self, node: &Node, _: &str) -> Expect {
        let entries = self.keys(node, "calls, order, never, first_try, answer, at_most");
        if node.entries().is_some_and(<[Entry]>::is_empty) {
            self.error(node.span, "`expect` needs at least one key");
        }
        for Entry { key, value, .. } in entries.iter().filter(|entry| entry.key != "calls") {
            self.not_empty(value, key);
        }
        let answer = self.get(node, "answer", Self::answer);
        let expect = Expect {
            calls: self.get(node, "calls", Self::calls),
            order: self.get(node, "order", Self::order).unwrap_or_default(),
            never: self.get(node, "never", Self::strings).unwrap_or_default(),
            first_try: self.get(node, "first_try", Self::bool).unwrap_or_default(),
            at_most: self.get(node, "at_most", Self::at_most).unwrap_or_default(),
            ..answer.unwrap_or_default()
        };
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

    fn order(&mut self, node: &Node, _: &str) -> Order {
        let text = node.text().unwrap_or_default();
        text.parse().unwrap_or_else(|_| {
            let message = "`order` takes subset, in_order, exact or any_order";
            let diagnostic = Diagnostic::new(Code::InvalidEvals, message);
            let orders = Order::VARIANTS.iter().copied();
            self.push(node.span, diagnostic.meant(text, orders));
            Order::default()
        })
    }

    fn calls(&mut self, node: &Node, key: &str) -> Vec<ExpectedCall> {
        let items = self.items(node, key).iter();
        items.map(|item| self.call(item)).collect()
    }

    fn call(&mut self, node: &Node) -> ExpectedCall {
        self.keys(node, "tool, args, times");
        ExpectedCall {
            tool: self.required(node, "tool", Self::string),
            args: self.get(node, "args", Self::arguments).unwrap_or_default(),
            times: self.get(node, "times", Self::times),
        }
    }

    fn times(&mut self, node: &Node, key: &str) -> (u64, u64) {
        if node.entries().is_none() {
            let times = self.count(node, key);
            return (times, times);
        }
        self.keys(node, "min, max");
        let min = self.get(node, "min", Self::count).unwrap_or(0);
        let max = self.get(node, "max", Self::count).unwrap_or(u64::MAX);
        if min > max {
            self.error(node.span, "`min` is more than `max`");
        }
        (min, max)
    }

    fn arguments(&mut self, node: &Node, key: &str) -> Vec<Argument> {
        let Some(entries) = node.entries() else {
            return self.wrong(node, key, "a map from properties to matchers");
        };
        let argument = |entry: &Entry| Argument {
            key: entry.key.clone(),
            matcher: self.matcher(&entry.value),
            shown: entry.value.to_json().to_string(),
        };
        entries.iter().map(argument).collect()
    }

    fn matcher(&mut self, node: &Node) -> Matcher {
        let is_matcher = |entry: &Entry| KEYS.contains(&entry.key.as_str());
        match node.entries() {
            Some(entries) if !entries.is_empty() && entries.iter().all(is_matcher) => {
                let all = entries.iter().map(|it| self.one(&it.key, &it.value));
                Matcher::All(all.collect())
            }
            _ => Matcher::Equals(node.to_json()),
        }
    }

    fn one(&mut self, key: &str, node: &Node) -> Matcher {
        match key {
            "contains" => Matcher::Contains(node.to_json()),
            "matches" => match self.regex(node, key) {
                Some(regex) => Matcher::Matches(Box::new(regex)),
                None => Matcher::Absent(true),
            },
            "near" => {
                if node.entries().is_some() {
                    self.keys(node, "value, within");
                }
                let value = node.get("value").unwrap_or(node);
                let expected = value.number();
                let expected = expected.unwrap_or_else(|| self.wrong(value, key, "a number"));
                let within = self.get(node, "within", Self::number);
                Matcher::Near(expected, within.unwrap_or(1e-6 * expected.abs().max(1.0)))
            }
            "schema" => Matcher::Schema(Box::new(self.schema(node, key))),
            "one_of" => {
                let items = self.items(node, key);
                Matcher::OneOf(items.iter().map(|item| self.matcher(item)).collect())
            }
            "absent" => Matcher::Absent(self.bool(node, key)),
            _ => Matcher::Equals(node.to_json()),
        }
    }

    fn regex(&mut self, node: &Node, key: &str) -> Option<Regex> {
        let regex = pattern(&self.string(node, key));
        regex
            .map_err(|error| self.error(node.span, &format!("this is no pattern: {error}")))
            .ok()
    }

    /// Reads a schema as an entry of `parameters`, or as a Schema Object, of `{value: …}`.
    fn schema(&mut self, node: &Node, _: &str) -> Schema {
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

    /// Reads the expectations about the answer.
    fn answer(&mut self, node: &Node, _: &str) -> Expect {
        let entries = self.keys(node, "contains, matches, schema, says");
        for Entry { key, value, .. } in entries.iter().filter(|entry| entry.key != "schema") {
            self.not_empty(value, key);
        }
        let contains = self.get(node, "contains", Self::strings);
        Expect {
            contains: contains.unwrap_or_default(),
            matches: self.get(node, "matches", Self::regex).flatten(),
            schema: self.get(node, "schema", Self::schema),
            says: self.get(node, "says", Self::strings).unwrap_or_default(),
            ..Expect::default()
        }
    }

    fn at_most(&mut self, node: &Node, _: &str) -> AtMost {
        self.keys(node, "turns, calls, tokens, money, seconds");
        AtMost {
            turns: self.get(node, "turns", Self::count),
            calls: self.get(node, "calls", Self::count),
            tokens: self.get(node, "tokens", Self::count),
            money: self.get(node, "money", Self::number),
            seconds: self.get(node, "seconds", Self::number),
        }
    }
}
