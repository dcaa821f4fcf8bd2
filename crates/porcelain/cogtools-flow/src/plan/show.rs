//! `cogtools plan show` and `explain`: plans for people.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use cogtools_core::approval::approve;
use cogtools_core::tool::FlowNode;
use cogtools_core::{Context, Diagnostic, Tool};
use cogtools_log::NodeState;
use cogtools_log::view::{NodeRun, Run};
use cogtools_program::terminal::style::{BOLD, GREEN, PLAIN, RED, YELLOW};
use cogtools_program::terminal::{Column, Table, paint, pluralize, sanitize, truncate};
use indicatif::{HumanCount, HumanFloatCount};
use serde_json::{Number, Value, json};

use super::contract::{CLOCK, Contract, RUN_JS, Step};
use super::program::Programs;
use super::references::{has_last, of_reply, of_step};

/// The number of characters of a text that are shown in a cell.
const MAX_CELL_CHARS: usize = 50;
/// The number of characters of the restatement and the reply that are shown.
const MAX_TEXT_CHARS: usize = 500;
/// The number of characters of arguments and texts that are explained.
const MAX_SHOWN_CHARS: usize = 200;
/// The number of elements of a list that are shown.
const MAX_ELEMENTS: usize = 6;
/// Numbers from here on have separators of thousands.
const THOUSAND: f64 = 1000.0;

/// The steps of a plan as a table: tools, states, and what needs what.
pub(crate) fn table(contract: &Contract, run: Option<&Run<'_>>, colour: bool) -> String {
    let mut table = Table::new([
        Column::text("STEP"),
        Column::text("TOOL"),
        Column::text("STATE"),
        Column::text("NEEDS").optional(),
        Column::text("RESULT").optional(),
        Column::text("REASON"),
    ]);
    for step in &contract.steps {
        let logged = run.and_then(|run| run.node(&step.save_as));
        let style = match logged.map(|logged| logged.state) {
            None => PLAIN,
            Some(NodeState::Succeeded) => GREEN,
            Some(NodeState::Failed { .. }) => RED,
            Some(_) => YELLOW,
        };
        let result = logged.and_then(|logged| logged.event.output.as_ref());
        let result = result.map(|result| preview(step.tool.as_deref(), result));
        let cells = [
            step.save_as.clone(),
            step.called().unwrap_or("-").to_owned(),
            state(logged),
            list(of_step(step)),
            first_line(&result.unwrap_or_default()).to_owned(),
            first_line(&step.reason).to_owned(),
        ];
        let cells = cells.map(|cell| truncate(&cell, MAX_CELL_CHARS).into_owned());
        table.styled_row(style, cells);
    }
    let mut needs: Vec<&str> = of_reply(&contract.visible_reply).into_iter().collect();
    if has_last(&contract.visible_reply) {
        needs.push("the last result");
    }
    let needs = match needs.as_slice() {
        [] => String::new(),
        needs => format!(" (needs {})", needs.join(", ")),
    };
    let short = |text: &str| sanitize(&truncate(text, MAX_TEXT_CHARS)).into_owned();
    format!(
        "{} [{}]\n\n{}\nreply{}: {}\n",
        short(&contract.restatement),
        contract.intent(),
        table.render(colour),
        short(&needs),
        short(&contract.visible_reply),
    )
}

/// The steps of a plan as data.
pub(crate) fn report(contract: &Contract, run: Option<&Run<'_>>) -> Value {
    let steps = contract.steps.iter().map(|step| {
        let logged = run.and_then(|run| run.node(&step.save_as));
        let state = logged.map(|logged| logged.state);
        let error = match state {
            Some(NodeState::Failed { code, message }) => json!({"code": code, "message": message}),
            _ => Value::Null,
        };
        json!({
            "save_as": step.save_as,
            "tool": step.called(),
            "state": state.map_or("planned", NodeState::name),
            "ms": logged.and_then(|logged| logged.event.ms),
            "needs": of_step(step),
            "reason": step.reason,
            "result": logged.and_then(|logged| logged.event.output.as_ref()),
            "error": error,
        })
    });
    json!({
        "restatement": contract.restatement,
        "reply": contract.visible_reply,
        "steps": steps.collect::<Vec<Value>>(),
    })
}

/// The state of a step in words.
fn state(logged: Option<&NodeRun<'_>>) -> String {
    let Some(logged) = logged else {
        return "planned".to_owned();
    };
    let ms = logged.event.ms.map(|ms| format!(", {ms} ms"));
    let ms = ms.unwrap_or_default();
    match logged.state {
        // No process writes to the session any more, or that is not known.
        NodeState::Started => "executing, or interrupted".to_owned(),
        NodeState::Failed { code, .. } => format!("failed ({code}){ms}"),
        NodeState::Succeeded => format!("executed{ms}"),
        NodeState::Waiting { .. } | NodeState::Skipped { .. } => format!("skipped{ms}"),
    }
}

fn list(names: BTreeSet<&str>) -> String {
    names.into_iter().collect::<Vec<&str>>().join(", ")
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// A step before it runs.
struct Forecast<'p> {
    step: &'p Step,
    /// It has run already.
    has_result: bool,
    /// The steps before it whose results it needs.
    needs: Vec<&'p str>,
    /// Sentences about its tool: the kind, the hints, and the approval.
    notes: Vec<String>,
    /// The reasons why it will fail.
    problems: Vec<String>,
}

/// A plan before it runs: its calls, their tools, their needs, and what keeps them from running.
pub(crate) struct Forecasts<'p> {
    contract: &'p Contract,
    steps: Vec<Forecast<'p>>,
}

impl<'p> Forecasts<'p> {
    pub(crate) fn of(contract: &'p Contract, run: Option<&Run<'_>>, programs: &Programs) -> Self {
        let mut before = BTreeSet::new();
        let mut steps = Vec::new();
        for step in &contract.steps {
            let logged = run.and_then(|run| run.node(&step.save_as));
            let has_result = logged.is_some_and(NodeRun::has_result);
            steps.push(Forecast::of(step, has_result, &before, programs));
            before.insert(&*step.save_as);
        }
        Self { contract, steps }
    }

    pub(crate) fn to_json(&self) -> Value {
        let steps = self.steps.iter().map(|forecast| {
            let step = forecast.step;
            json!({
                "save_as": step.save_as,
                "tool": step.called(),
                "args": step.args,
                "reason": step.reason,
                "has_result": forecast.has_result,
                "needs": forecast.needs,
                "notes": forecast.notes,
                "problems": forecast.problems,
            })
        });
        json!({
            "restatement": self.contract.restatement,
            "reply_needs": of_reply(&self.contract.visible_reply),
            "steps": steps.collect::<Vec<Value>>(),
        })
    }

    pub(crate) fn text(&self, colour: bool) -> String {
        let shown = |text: &str| {
            let line = first_line(text.trim());
            sanitize(&truncate(line, MAX_SHOWN_CHARS)).into_owned()
        };
        let mut text = format!(
            "{}: {}\n",
            pluralize(self.steps.len(), "step"),
            shown(&self.contract.restatement),
        );
        for (number, forecast) in (1..).zip(&self.steps) {
            let name = paint(&shown(&forecast.step.save_as), BOLD, colour);
            let reason = shown(&forecast.step.reason);
            let _ = writeln!(text, "\n{number}. {name}: {reason}");
            for line in forecast.lines() {
                let _ = writeln!(text, "   {}", sanitize(&line));
            }
        }
        let reply = match shown(&list(of_reply(&self.contract.visible_reply))).as_str() {
            "" => "The reply needs no step by name.".to_owned(),
            needs => format!("The reply contains results of {needs}."),
        };
        text + &format!("\n{reply} If a step fails, those after it are skipped.\n")
    }
}

impl<'p> Forecast<'p> {
    fn of(step: &'p Step, has_result: bool, before: &BTreeSet<&str>, programs: &Programs) -> Self {
        let mut forecast = Self {
            step,
            has_result,
            needs: Vec::new(),
            notes: Vec::new(),
            problems: Vec::new(),
        };
        let Some(name) = step.called() else {
            return forecast;
        };
        let (needs, missing): (Vec<&str>, Vec<&str>) = of_step(step)
            .into_iter()
            .partition(|name| before.contains(name));
        forecast.needs = needs;
        if !missing.is_empty() {
            let missing = missing.join(", ");
            let problem = format!("no step before it saves {missing}");
            forecast.problems.push(problem);
        }
        match programs.registry.find(name) {
            _ if programs.has(step) => forecast.examine_program(programs),
            Ok(tool) => forecast.examine(&tool, &programs.cx),
            Err(error) => {
                let reasons = error.diagnostics();
                let reasons = reasons.iter().map(Diagnostic::summary);
                forecast.problems.extend(reasons);
            }
        }
        forecast
    }

    /// Notes the calls of the program.
    fn examine_program(&mut self, programs: &Programs) {
        match programs.explain(self.step) {
            Some((_, explanation)) => {
                let calls = explanation.calls.iter();
                self.notes
                    .extend(calls.map(|call| format!("Its program has {call}.")));
            }
            None => self
                .notes
                .push("Another step writes its program.".to_owned()),
        }
        let mistakes = programs.mistakes(self.step);
        self.problems
            .extend(mistakes.iter().map(Diagnostic::summary));
    }

    /// Notes the kind of the tool, and whether it may run.
    fn examine(&mut self, tool: &Tool, cx: &Context) {
        self.notes.push(kind(tool));
        match approve(tool, cx) {
            Ok(_) if tool.runs_programs() => self.notes.push("You have approved it.".to_owned()),
            Ok(_) => {}
            Err(diagnostic) => self.problems.push(diagnostic.summary()),
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.has_result {
            lines.push("It has run already; its result is in the session.".to_owned());
        }
        let Some(name) = self.step.called() else {
            lines.push("It calls no tool.".to_owned());
            return lines;
        };
        let args = self.step.args.clone().filter(|args| !args.is_empty());
        let args = args.map(|args| {
            let args = Value::Object(args).to_string();
            format!(" with {}", truncate(&args, MAX_SHOWN_CHARS))
        });
        lines.push(format!("It calls `{name}`{}.", args.unwrap_or_default()));
        if !self.needs.is_empty() {
            lines.push(format!("It needs the result of {}.", self.needs.join(", ")));
        }
        lines.extend(self.notes.iter().cloned());
        let problems = self.problems.iter();
        lines.extend(problems.map(|problem| format!("It will fail: {problem}.")));
        lines
    }
}

/// The kind of a tool, with its hints, as a sentence.
fn kind(tool: &Tool) -> String {
    let request;
    let kind = if let Some(line) = tool.request() {
        request = format!("The tool makes a request: {line}");
        &request
    } else if let Some(flow) = tool.flow() {
        if flow.nodes().iter().all(FlowNode::is_pure) {
            "The tool is a flow; it calls no tool and runs no program"
        } else if tool.asks_a_model() {
            "The tool is a flow: it asks a model, and may call other tools"
        } else {
            "The tool is a flow: it calls other tools"
        }
    } else if tool.is_agent() {
        "The tool is an agent: it asks a model, which may call other tools"
    } else if tool.is_template() {
        "The tool is a template; it runs no program"
    } else if tool.js().is_some() && tool.runs_programs() {
        "The tool is JavaScript that calls other tools"
    } else if tool.js().is_some() {
        "The tool is JavaScript in a sandbox; it runs no program"
    } else if tool.runs_programs() {
        "The tool runs a program"
    } else {
        "The tool is built in; it runs no program"
    };
    let hints = &tool.annotations;
    let hints: Vec<&str> = [
        (hints.read_only, "changes nothing"),
        (hints.destructive, "may destroy something"),
        (hints.open_world, "reaches an open world"),
    ]
    .into_iter()
    .filter_map(|(hint, words)| (hint == Some(true)).then_some(words))
    .collect();
    let hints = match hints.as_slice() {
        [] => String::new(),
        hints => format!(", and says that it {}", hints.join(" and ")),
    };
    format!("{kind}{hints}.")
}

/// The `result` of `tool` at a glance: of JavaScript the returned value, of the clock the local
/// time.
fn preview(tool: Option<&str>, result: &Value) -> String {
    let member = |names: &[&str]| names.iter().find_map(|name| result.get(name));
    let main = match tool {
        Some(RUN_JS) => member(&["result"]),
        Some(CLOCK) => member(&["local", "iso", "epochMs"]),
        _ => None,
    };
    text(main.unwrap_or(result)).into_owned()
}

fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.into(),
        Value::Number(number) => grouped(number).into(),
        Value::Array(elements) => {
            let shown: Vec<Cow<'_, str>> = elements.iter().take(MAX_ELEMENTS).map(text).collect();
            let is_cut = elements.len() > MAX_ELEMENTS;
            let more = if is_cut { " …" } else { "" };
            format!("[{}{more}]", shown.join(", ")).into()
        }
        value => value.to_string().into(),
    }
}

/// Writes a number as in `1,234.5`, with at most three decimals.
fn grouped(number: &Number) -> String {
    let value = number.as_f64().unwrap_or_default();
    if value.abs() < THOUSAND {
        return number.to_string();
    }
    match (number.as_u64(), number.as_i64()) {
        (Some(count), _) => HumanCount(count).to_string(),
        (None, Some(below)) => format!("-{}", HumanCount(below.unsigned_abs())),
        (None, None) => format!("{:.3}", HumanFloatCount(value)),
    }
}

#[cfg(test)]
mod tests {
    use cogtools_test_support::conformance;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_is_short() {
        for (tool, result, expected) in [
            ("x", json!("a text"), "a text"),
            ("x", json!(null), "null"),
            ("x", json!(999.5), "999.5"),
            ("x", json!(1000), "1,000"),
            ("x", json!(-1_234_567), "-1,234,567"),
            ("x", json!(1234.5), "1,234.5"),
            ("x", json!(123_456.0), "123,456"),
            ("x", json!(1e21), "1,000,000,000,000,000,000,000"),
            ("x", json!(u64::MAX), "18,446,744,073,709,551,615"),
            ("x", json!([]), "[]"),
            (
                "x",
                json!([1, [2, "b"], {"a": 1000}]),
                "[1, [2, b], {\"a\":1000}]",
            ),
            ("x", json!([1, 2, 3, 4, 5, 6]), "[1, 2, 3, 4, 5, 6]"),
            ("x", json!({"result": 1}), "{\"result\":1}"),
            (
                "run_js",
                json!({"result": 5040, "logs": [], "ms": 1}),
                "5,040",
            ),
            ("run_js", json!("not its own shape"), "not its own shape"),
        ] {
            assert_eq!(preview(Some(tool), &result), expected);
        }
    }

    #[test]
    fn recorded_results_are_short() {
        let test = "recorded_results_are_short";
        let Some(rows) = conformance::recorded("agents/002_format.jsonl", test) else {
            return;
        };
        for row in rows {
            let (tool, result) = match row["fn"].as_str() {
                Some("formatToolResult") => {
                    (row["input"]["tool"].as_str(), &row["input"]["result"])
                }
                _ => (None, &row["input"]),
            };
            let id = row["id"].as_str().expect("an id");
            let expected = match id {
                // JSON has neither; as a result each is a text already.
                "fv-2" | "fv-16" => continue,
                // What a list has instead of `undefined` is null.
                "fv-26" => "[a, null, null, true]",
                // 0 and null are values.
                "fv-45" => "0",
                "fv-50" => "null",
                // A text looks the same wherever it comes from.
                "fv-46" => "str",
                _ => row["expected"]["ok"].as_str().expect("a text"),
            };
            assert_eq!(preview(tool, result), expected, "{id}");
        }
    }
}
