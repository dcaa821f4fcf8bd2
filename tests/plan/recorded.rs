//! Plans as another program has checked and filled them. Where the contract of `cogtools plan`
//! differs, the row is named with the reason.

use cogtools_test_support::conformance;
use serde_json::{Value, json};

use cogtools_test_support::{Project, Status};

use super::running::{events, run_plan};
use super::{contract, plan, pointers};

/// The rows of `file` that are about `function`.
fn rows(file: &str, function: &str, test: &str) -> Option<Vec<Value>> {
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
        let step = json!([{"need_tool": false, "tool": row["input"], "reason": ""}]);
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

/// The states of the steps of a recorded run, in the words of the page.
fn recorded_states(row: &Value) -> Vec<(String, String)> {
    let events = row["expected"]["events"].as_array().expect("events");
    let steps = events.iter().filter(|event| event[0] == "step");
    let state = |event: &Value| match event[2].as_str() {
        Some("succeeded") => "executed".to_owned(),
        other => other.unwrap_or_default().to_owned(),
    };
    steps
        .map(|event| {
            (
                event[1].as_str().unwrap_or_default().to_owned(),
                state(event),
            )
        })
        .collect()
}

/// Results of `run_js` without their times.
fn untimed(mut result: Value) -> Value {
    if let Some(fields) = result.as_object_mut() {
        fields.remove("ms");
        fields.remove("timeMs");
    }
    result
}

/// Whole runs. Here `expected` counts, not `expected_later`.
#[test]
fn recorded_plans_are_run() {
    let file = "agents/002_plans.jsonl";
    let Some(rows) = rows(file, "runToolPlan", "recorded_plans_are_run") else {
        return;
    };
    for row in &rows {
        let id = row["id"].as_str().expect("an id");
        let mut contract = json!({"thinking_log": []});
        for key in ["restatement", "visible_reply", "tool_plan"] {
            contract[key] = row["input"][key].clone();
        }
        match id {
            // A plan has at least one step, and a reply is not empty.
            "pl-2" => {
                assert_eq!(pointers(&contract), ["/tool_plan"]);
                continue;
            }
            "pl-20" => {
                assert_eq!(pointers(&contract), ["/visible_reply"]);
                continue;
            }
            _ => {}
        }
        let project = Project::new();
        project.file(".cogtoolrc.yaml", "tool_sources: [builtin]\n");
        let outcome = run_plan(&project, &contract.to_string(), &["--stream-json"]);
        let has_failed = row["expected"]["status"] == "failed";
        outcome.status(i32::from(has_failed));
        let events = events(&outcome);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let steps = events.iter().filter(|event| event["event"] == "step");
        let mut states: Vec<(String, String)> = steps
            .clone()
            .map(|event| (text(&event["save_as"]), text(&event["state"])))
            .collect();
        let recorded_reply = row["expected"]["events"].as_array().expect("events");
        let recorded_reply = &recorded_reply.last().expect("a reply")[1];
        let reply = &events.last().expect("a reply")["text"];
        if id == "pl-22" {
            // Two steps have one name: here the second one gets another, and the reply means the
            // first.
            for (name, _) in states.iter_mut().filter(|(name, _)| name == "_step2") {
                "dup".clone_into(name);
            }
            assert_eq!(
                (reply.as_str(), recorded_reply.as_str()),
                (Some("1"), Some("2"))
            );
        } else {
            assert_eq!(reply, recorded_reply, "{id}");
        }
        assert_eq!(states, recorded_states(row), "{id}");
        let results =
            steps.filter(|event| event["args"].is_object() && event["result"].is_object());
        let results: Vec<Value> = results
            .map(|event| untimed(event["result"].clone()))
            .collect();
        let recorded = row["expected"]["toolRuns"].as_array().expect("runs").iter();
        let recorded = recorded.filter(|run| run["result"].is_object());
        let mut recorded: Vec<Value> = recorded.map(|run| untimed(run["result"].clone())).collect();
        if id == "pl-27" {
            // An array is JSON, and does not become text.
            recorded[0]["result"] = json!([1, 2, 3, 4, 5, 6, 7, 8]);
            recorded[0]["stringified"] = json!(false);
        }
        assert_eq!(results, recorded, "{id}");
    }
    assert_eq!(rows.len(), 13);
}

/// The label of a plan, as its session has it.
fn intent(contract: &Value) -> Value {
    let project = Project::new();
    let outcome = run_plan(&project, &contract.to_string(), &["--session", "s.jsonl"]);
    // A tool that is named need not be there: the plan is labelled before it runs.
    assert!(matches!(outcome.status, Status::Exit(0 | 1)));
    let session = project.read("s.jsonl");
    let plan = session.lines().nth(1).expect("a plan");
    let plan: Value = serde_json::from_str(plan).expect("JSON");
    plan["intent"].clone()
}

#[test]
fn recorded_intents_are_labels() {
    let file = "agents/002_intent.jsonl";
    let Some(rows) = rows(file, "inferIntent", "recorded_intents_are_labels") else {
        return;
    };
    for row in rows {
        let mut contract = contract(&json!({"restatement": "nothing"}));
        for key in ["restatement", "visible_reply"] {
            if let Some(text) = row["input"].get(key) {
                contract[key] = text.clone();
            }
        }
        let tool = row["input"]["tool_plan"][0]["tool"].as_str();
        contract["tool_plan"][0]["tool"] = json!(tool);
        contract["tool_plan"][0]["need_tool"] = json!(tool.is_some());
        let label = match row["id"].as_str() {
            // The word "date" is not in "update".
            Some("in-9") => "general".to_owned(),
            _ => row["expected"]["ok"]["label"]
                .as_str()
                .unwrap_or_default()
                .to_lowercase(),
        };
        assert_eq!(intent(&contract), label, "{row}");
    }
}
