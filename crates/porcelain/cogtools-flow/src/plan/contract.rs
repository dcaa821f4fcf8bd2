//! The contract: the answer of a model that plans.

use std::collections::HashSet;

use cogtools_core::{Code, Diagnostic, fail_on, pointer};
use cogtools_lenient_json::last;
use serde::Serialize;
use serde_json::{Map, Value};

const TEXT: &str = "a string that is not empty";
const LOG: &str = "an array of strings";
const PLAN: &str = "an array with at least one step";

/// A valid answer, normalised: strings have no blanks around them, tools have their own
/// names, and each step has a name of its own for its result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Contract {
    /// The question, as the model has understood it.
    pub(crate) restatement: String,
    /// The reply, with placeholders.
    pub(crate) visible_reply: String,
    thinking_log: Vec<String>,
    /// The steps, in their order.
    #[serde(rename = "tool_plan")]
    pub(crate) steps: Vec<Step>,
}

/// A valid step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Step {
    need_tool: bool,
    /// The tool, if it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
    /// The purpose of the step.
    pub(crate) reason: String,
    /// The arguments, with references.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) args: Option<Map<String, Value>>,
    /// The name of its result.
    pub(crate) save_as: String,
}

impl Contract {
    /// Finds the contract in a model's text, or every violation of it. A text that ends within
    /// the contract is none, however much of it there is.
    pub(crate) fn parse(text: &str) -> Result<Self, Vec<Diagnostic>> {
        let found = last(text).map_err(|error| {
            let diagnostic = Diagnostic::new(Code::NoJson, error.to_string());
            vec![diagnostic.hint("ask the model for one JSON object")]
        })?;
        if found.is_cut() {
            return Err(vec![cut()]);
        }
        Self::check(&found.value.into()).map_err(Diagnostic::truncate)
    }

    /// Checks a value.
    pub(crate) fn check(value: &Value) -> Result<Self, Vec<Diagnostic>> {
        let Value::Object(object) = value else {
            return Err(vec![mismatch("", "one object", value)]);
        };
        let mut violations = Vec::new();
        let contract = Self {
            restatement: required_text(object, "restatement", "", &mut violations),
            visible_reply: required_text(object, "visible_reply", "", &mut violations),
            thinking_log: log(object, &mut violations),
            steps: steps(object, &mut violations),
        };
        fail_on(violations)?;
        Ok(contract)
    }

    /// The contract as JSON, always with the same keys in the same order.
    pub(crate) fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The label of a plan, for people who look through sessions: `clock`, `arithmetic` or
    /// `general`. Nothing depends on it, so it may be derived from words; tools never are.
    pub(crate) fn intent(&self) -> &'static str {
        let tools = self.steps.iter().filter_map(|step| step.tool.as_deref());
        let mut by_tool = tools.filter_map(|tool| match tool {
            CLOCK => Some("clock"),
            RUN_JS => Some("arithmetic"),
            _ => None,
        });
        by_tool
            .next()
            .unwrap_or_else(|| intent_of(&self.restatement))
    }
}

/// The violation of an answer that ends early.
pub(crate) fn cut() -> Diagnostic {
    let message = "the text ends within the contract";
    Diagnostic::new(Code::ContractViolation, message).hint("ask the model for a shorter plan")
}

/// The text under `key` of the object at `at`, without blanks around it; empty if it is a
/// violation.
fn required_text(
    object: &Map<String, Value>,
    key: &str,
    at: &str,
    violations: &mut Vec<Diagnostic>,
) -> String {
    let pointer = pointer::child(at, key);
    match object.get(key) {
        None => violations.push(missing(pointer, TEXT)),
        Some(Value::String(text)) if text.trim().is_empty() => {
            violations.push(empty(pointer, TEXT));
        }
        Some(Value::String(text)) => return text.trim().to_owned(),
        Some(other) => violations.push(mismatch(pointer, TEXT, other)),
    }
    String::new()
}

fn log(object: &Map<String, Value>, violations: &mut Vec<Diagnostic>) -> Vec<String> {
    let lines = match object.get("thinking_log") {
        Some(Value::Array(lines)) => lines,
        other => {
            violations.push(wrong("/thinking_log".to_owned(), LOG, other));
            return Vec::new();
        }
    };
    let mut texts = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        match line {
            Value::String(text) => texts.push(text.trim().to_owned()),
            other => {
                let pointer = format!("/thinking_log/{index}");
                violations.push(mismatch(pointer, "a string", other));
            }
        }
    }
    texts
}

fn steps(object: &Map<String, Value>, violations: &mut Vec<Diagnostic>) -> Vec<Step> {
    let steps = match object.get("tool_plan") {
        Some(Value::Array(steps)) if !steps.is_empty() => steps,
        Some(Value::Array(_)) => {
            violations.push(empty("/tool_plan", PLAN));
            return Vec::new();
        }
        other => {
            violations.push(wrong("/tool_plan".to_owned(), PLAN, other));
            return Vec::new();
        }
    };
    let mut names = Names::of(steps);
    let steps = steps.iter().enumerate();
    steps
        .filter_map(|(index, step)| Step::read(step, index, &mut names, violations))
        .collect()
}

impl Step {
    /// Reads the step at `index`, with a name for its result that no other step has. Adds every
    /// violation to `violations`.
    fn read(
        step: &Value,
        index: usize,
        names: &mut Names,
        violations: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let here = format!("/tool_plan/{index}");
        let at = |key: &str| format!("{here}/{key}");
        let Value::Object(step) = step else {
            violations.push(mismatch(here, "an object with a step", step));
            return None;
        };
        let before = violations.len();
        let need_tool = match step.get("need_tool") {
            Some(Value::Bool(need_tool)) => *need_tool,
            other => {
                violations.push(wrong(at("need_tool"), "true or false", other));
                false
            }
        };
        let tool = match optional_text(step, "tool", at("tool")) {
            Ok(None) if need_tool => {
                violations.push(missing(at("tool"), "the name of the tool"));
                None
            }
            Ok(tool) => tool,
            Err(violation) => {
                violations.push(*violation);
                None
            }
        };
        let reason = match step.get("reason") {
            Some(Value::String(_)) => required_text(step, "reason", &here, violations),
            other => {
                violations.push(wrong(at("reason"), "a string", other));
                String::new()
            }
        };
        let args = match step.get("args") {
            None | Some(Value::Null) => None,
            Some(Value::Object(args)) => Some(args.clone()),
            Some(other) => {
                violations.push(mismatch(at("args"), "an object", other));
                None
            }
        };
        let save_as = optional_text(step, "save_as", at("save_as")).unwrap_or_else(|violation| {
            violations.push(*violation);
            None
        });
        (violations.len() == before).then(|| Self {
            need_tool,
            tool: tool.map(own_name),
            reason,
            args,
            save_as: names.take(save_as, index),
        })
    }

    /// The tool, if it calls one.
    pub(crate) fn called(&self) -> Option<&str> {
        self.tool.as_deref().filter(|_| self.need_tool)
    }
}

/// The violation of a required value that is missing or of another type.
fn wrong(pointer: String, expected: &'static str, found: Option<&Value>) -> Diagnostic {
    match found {
        Some(found) => mismatch(pointer, expected, found),
        None => missing(pointer, expected),
    }
}

/// The text under `key`, if there is one. Blanks count as nothing, and so does `null`.
fn optional_text<'s>(
    step: &'s Map<String, Value>,
    key: &str,
    pointer: String,
) -> Result<Option<&'s str>, Box<Diagnostic>> {
    match step.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
        Some(other) => Err(Box::new(mismatch(pointer, "a string", other))),
    }
}

/// The built-in tool that knows the time.
pub(crate) const CLOCK: &str = "get_current_date";
/// The built-in tool that runs JavaScript.
pub(crate) const RUN_JS: &str = "run_js";

/// The built-in tools, each with its other names.
const BUILT_IN: [(&str, &[&str]); 2] = [
    (CLOCK, &["clock.now", "time.now", "get_time"]),
    (RUN_JS, &["js.run_sandbox"]),
];

/// The tool's own name. Built-in tools have aliases, and their names ignore case; any other
/// name stays as it is.
fn own_name(name: &str) -> String {
    let name = name.trim();
    let matches = |other: &&str| other.eq_ignore_ascii_case(name);
    let found = BUILT_IN
        .iter()
        .find(|(own, aliases)| matches(own) || aliases.iter().any(matches));
    found.map_or(name, |(own, _)| own).to_owned()
}

/// Words that mean the time.
const CLOCK_WORDS: [&str; 7] = ["time", "date", "today", "now", "clock", "hour", "weekday"];
/// Words that mean numbers.
const ARITHMETIC: [&str; 9] = [
    "add",
    "sum",
    "subtract",
    "multiply",
    "divide",
    "calculate",
    "compute",
    "average",
    "total",
];
/// Words of a script without blanks between words.
const CLOCK_ZH: [&str; 6] = ["時間", "时间", "現在", "现在", "日期", "幾點"];
const ARITHMETIC_ZH: [&str; 5] = ["計算", "计算", "加總", "總和", "平均"];

fn intent_of(text: &str) -> &'static str {
    let has = |list: &[&str], parts: &[&str]| {
        let mut words = text.split(|letter: char| !letter.is_alphanumeric());
        let is_listed = |word: &str| list.iter().any(|other| other.eq_ignore_ascii_case(word));
        words.any(is_listed) || parts.iter().any(|part| text.contains(part))
    };
    if has(&CLOCK_WORDS, &CLOCK_ZH) {
        "clock"
    } else if has(&ARITHMETIC, &ARITHMETIC_ZH) {
        "arithmetic"
    } else {
        "general"
    }
}

/// The names under which steps save their results. Each is of one step only, or a reference would
/// not say which result it means.
#[derive(Debug)]
struct Names {
    /// The names that steps ask for.
    wanted: HashSet<String>,
    taken: HashSet<String>,
    /// The first number that may be free for the next step without a name.
    next: usize,
}

impl Names {
    /// The names that `steps` ask for; none is taken yet.
    fn of(steps: &[Value]) -> Self {
        let names = steps
            .iter()
            .filter_map(|step| step.get("save_as")?.as_str());
        Self {
            wanted: names.map(|name| name.trim().to_owned()).collect(),
            taken: HashSet::new(),
            next: 0,
        }
    }

    /// The name for the result of the step at `index`: the one it asks for, unless an earlier
    /// step has taken it, or else `_stepN`, where N is its number or the next one that is free.
    fn take(&mut self, name: Option<&str>, index: usize) -> String {
        if let Some(name) = name
            && self.taken.insert(name.to_owned())
        {
            return name.to_owned();
        }
        self.next = self.next.max(index);
        loop {
            self.next += 1;
            let name = format!("_step{}", self.next);
            if !self.wanted.contains(&name) && self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// The violation of a value that is missing, which should be `expected`.
pub(super) fn missing(pointer: impl Into<String>, expected: &str) -> Diagnostic {
    violation(pointer.into(), "required but missing".to_owned(), expected)
}

/// The violation of a value that should be `expected`, but has nothing in it.
fn empty(pointer: impl Into<String>, expected: &str) -> Diagnostic {
    violation(pointer.into(), "must not be empty".to_owned(), expected)
}

/// The violation of a value that should be `expected`, and is `found`.
pub(super) fn mismatch(pointer: impl Into<String>, expected: &str, found: &Value) -> Diagnostic {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    let message = format!("expected {expected}, got {found}");
    violation(pointer.into(), message, expected)
}

/// A violation of the contract, worded so that a model can correct it.
fn violation(pointer: String, message: String, expected: &str) -> Diagnostic {
    let hint = match pointer::segments(&pointer).pop() {
        None => format!("send {expected}"),
        Some(index) if index.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("item {index} must be {expected}")
        }
        Some(name) => format!("send {name}: {expected}"),
    };
    Diagnostic::new(Code::ContractViolation, message)
        .with_pointer(pointer)
        .hint(hint)
}

/// `violations` with another code, which depends on what was checked; as many as are shown.
pub(super) fn coded(violations: Vec<Diagnostic>, code: Code) -> Vec<Diagnostic> {
    let violations = violations.into_iter();
    Diagnostic::truncate(violations.map(|it| Diagnostic { code, ..it }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(wanted: &[Option<&str>], expected: &[&str]) {
        let steps: Vec<Value> = wanted
            .iter()
            .map(|name| name.map_or_else(|| json!({}), |name| json!({"save_as": name})))
            .collect();
        let mut names = Names::of(&steps);
        let taken = wanted.iter().enumerate();
        let taken: Vec<String> = taken
            .map(|(index, name)| names.take(*name, index))
            .collect();
        assert_eq!(taken, expected);
    }

    #[test]
    fn each_name_is_of_one_step() {
        check(&[None, None], &["_step1", "_step2"]);
        check(&[Some("a"), None], &["a", "_step2"]);
        check(&[Some("_step1"), None], &["_step1", "_step2"]);
        check(&[Some("_step2"), None], &["_step2", "_step3"]);
        check(&[None, Some("_step1")], &["_step2", "_step1"]);
        check(&[Some("a"), Some("a"), None], &["a", "_step2", "_step3"]);
        check(
            &[None, None, Some("_step2"), None],
            &["_step1", "_step3", "_step2", "_step4"],
        );
    }

    #[test]
    fn aliases_of_built_in_tools_are_resolved_and_nothing_else_is() {
        for (name, expected) in [
            ("get_current_date", "get_current_date"),
            (" Clock.NOW ", "get_current_date"),
            ("time.now", "get_current_date"),
            ("GET_TIME", "get_current_date"),
            ("JS.Run_Sandbox", "run_js"),
            ("run_js", "run_js"),
            ("js.run", "js.run"),
            ("js_run_sandbox", "js_run_sandbox"),
            ("time_now", "time_now"),
            (" Math.Aggregate", "Math.Aggregate"),
            ("__proto__", "__proto__"),
        ] {
            assert_eq!(own_name(name), expected, "{name}");
        }
    }

    #[test]
    fn whole_words_count() {
        for (text, expected) in [
            ("Add two", "arithmetic"),
            ("hello", "general"),
            ("請問現在幾點", "clock"),
            ("What TIME is it?", "clock"),
            // The words "date" and "sum" are not in it.
            ("update the summary", "general"),
            ("", "general"),
        ] {
            assert_eq!(intent_of(text), expected, "{text}");
        }
    }
}
