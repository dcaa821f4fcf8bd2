//! Plans as another program has checked and filled them. Where the contract of `cogtools plan`
//! differs, the row is named with the reason.

use cogtools_test_support::conformance;
use serde_json::{Value, json};

use super::{contract, plan, pointers};

/// The rows of `file` that are about `function`.
pub(super) fn rows(file: &str, function: &str, test: &str) -> Option<Vec<Value>> {
    let mut rows = conformance::recorded(file, test)?;
    rows.retain(|row| row["fn"] == function);
    assert!(!rows.is_empty(), "{file} has nothing about {function}");
    Some(rows)
}

fn expected(row: &Value) -> &Value {
    row.get("expected_later").unwrap_or(&row["expected"])
}

#[test]
fn recorded_contracts_are_accepted_or_violated() {
    let file = "agents/002_contract.jsonl";
    let test = "recorded_contracts_are_accepted_or_violated";
    let Some(rows) = rows(file, "validateGeminiResponse", test) else {
        return;
    };
    for row in rows {
        let id = row["id"].as_str().expect("an id");
        let found = match id {
            // A step that needs a tool names it: the page differs.
            "ct-27" => vec!["/tool_plan/0/tool"],
            // A placeholder in the reply is not required.
            "ct-6" => vec!["/visible_reply"],
            "ct-2" | "ct-4" => vec!["/restatement"],
            "ct-18" => vec!["/tool_plan"],
            "ct-19" | "ct-20" => vec!["/tool_plan/0"],
            "ct-30" => vec![
                "/restatement",
                "/visible_reply",
                "/thinking_log",
                "/tool_plan",
            ],
            "ct-32" | "ct-33" | "ct-34" => vec![""],
            "ct-37" => vec![
                "/restatement",
                "/visible_reply",
                "/thinking_log",
                "/tool_plan/0/need_tool",
                "/tool_plan/0/reason",
            ],
            _ => vec![],
        };
        let recorded = &expected(&row)["ok"];
        if found.is_empty() {
            let mut recorded = recorded.clone();
            assert!(recorded.is_object(), "{id} is not known");
            // Every step gets a name.
            recorded["tool_plan"][0]["save_as"] = json!("_step1");
            plan("check", row["input"].to_string()).outputs(format!("{recorded}\n"));
        } else {
            assert!(recorded.is_null() || id == "ct-27", "{id}");
            assert_eq!(pointers(&row["input"]), found, "{id}");
        }
    }
}

#[test]
fn recorded_names_of_tools_are_resolved() {
    let file = "agents/002_tool_names.jsonl";
    let test = "recorded_names_of_tools_are_resolved";
    let Some(rows) = rows(file, "normalizeToolName", test) else {
        return;
    };
    for row in rows {
        let id = row["id"].as_str().expect("an id");
        let step = json!([{"need_tool": false, "tool": row["input"], "reason": "r"}]);
        let outcome = plan("check", contract(&json!({"tool_plan": step})).to_string());
        let found = outcome.json()["tool_plan"][0].get("tool").cloned();
        let name = row["input"]
            .as_str()
            .map(str::trim)
            .filter(|name| !name.is_empty());
        let expected = match expected(&row)["ok"].as_str() {
            // The tool has this name here.
            Some("js.run_sandbox") => Some("run_js"),
            Some(name) => Some(name),
            // Unknown names stay.
            None => name,
        };
        assert_eq!(found.as_ref().and_then(Value::as_str), expected, "{id}");
    }
}

/// A tool is never guessed from words: these rows are not carried over.
#[test]
fn recorded_guesses_are_violations() {
    let file = "agents/002_intent.jsonl";
    let test = "recorded_guesses_are_violations";
    let Some(rows) = rows(file, "resolveToolFromPlan", test) else {
        return;
    };
    for row in rows {
        let step = &row["input"]["planEntry"];
        let input = contract(&json!({"tool_plan": [step]}));
        let has_tool = step["tool"].as_str().is_some_and(|tool| !tool.is_empty());
        if has_tool || step["need_tool"] == false {
            let checked = plan("check", input.to_string()).json();
            assert_eq!(checked["tool_plan"][0]["tool"], step["tool"], "{row}");
        } else {
            assert_eq!(pointers(&input), ["/tool_plan/0/tool"], "{row}");
        }
    }
}

#[test]
fn recorded_references_are_resolved() {
    let test = "recorded_references_are_resolved";
    let Some(rows) = rows("agents/002_arg_refs.jsonl", "resolveArgReferences", test) else {
        return;
    };
    for row in rows {
        let id = row["id"].as_str().expect("an id");
        let input = json!({"args": row["input"]["args"], "results": row["input"]["namedResults"]});
        let outcome = plan("resolve", input.to_string());
        let recorded = &expected(&row)["ok"];
        let errors = recorded["errors"].as_array().expect("errors");
        // Only hydration reads steps that failed.
        if id == "ar-25" || !errors.is_empty() {
            let count = errors.len().max(1);
            outcome
                .status(65)
                .stdout_is("")
                .stderr_contains("error[MISSING_REFERENCE]");
            let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
            assert_eq!(stderr.matches("error[").count(), count, "{id}: {stderr}");
        } else {
            outcome.outputs(format!("{}\n", recorded["value"]));
        }
    }
}

#[test]
fn recorded_templates_are_hydrated() {
    let test = "recorded_templates_are_hydrated";
    let Some(rows) = rows("agents/002_hydrate.jsonl", "hydrateReplyTemplate", test) else {
        return;
    };
    for row in rows {
        let id = row["id"].as_str().expect("an id");
        let input = &row["input"];
        let outcome = plan(
            "hydrate",
            json!({"template": input["template"], "last": input["lastToolResult"], "results": input["namedResults"]})
                .to_string(),
        );
        let recorded = expected(&row)["ok"].as_str().unwrap_or_default();
        let schedule = input["namedResults"]["schedule"]["result"].to_string();
        let text = match id {
            // `null` is a value.
            "hy-5" => "null",
            // A name without a path is the result, not the record.
            "hy-23" => &schedule,
            // Nothing is inherited, and a path into a number leads nowhere.
            // The fallback is always the same.
            "hy-29" | "hy-52" | "hy-56" => "unavailable",
            _ => recorded,
        };
        outcome.outputs(format!("{text}\n"));
    }
}
