//! Plans as another program has run and labelled them. Where `cogtools plan` differs, the row is
//! named with the reason.

use cogtools_test_support::{Project, Status};
use serde_json::{Value, json};

use super::recorded::rows;
use super::running::{events, run_plan};
use super::{contract, pointers};

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

/// The results of a recorded run that are objects, such as the results of `run_js`.
fn recorded_results(row: &Value) -> Vec<Value> {
    let runs = row["expected"]["toolRuns"].as_array().expect("runs");
    let results = runs.iter().map(|run| untimed(run["result"].clone()));
    let mut results: Vec<Value> = results.filter(Value::is_object).collect();
    if row["id"] == "pl-27" {
        // An array is JSON, and does not become text.
        results[0]["result"] = json!([1, 2, 3, 4, 5, 6, 7, 8]);
        results[0]["stringified"] = json!(false);
    }
    results
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
        // A plan is checked whole before its first step.
        let violation = match id {
            "pl-10" => Some("no step saves a result as `zzz`"),
            "pl-15" => Some("/args/code: required but missing"),
            "pl-33" => Some("/args/code: may have at most 1000 characters"),
            "pl-34" => Some("no tool is named `math.aggregate`"),
            _ => None,
        };
        if let Some(violation) = violation {
            outcome.status(65).stdout_is("").stderr_contains(violation);
            continue;
        }
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
        let results = steps.filter(|event| event["result"].is_object());
        let results: Vec<Value> = results
            .map(|event| untimed(event["result"].clone()))
            .collect();
        assert_eq!(results, recorded_results(row), "{id}");
    }
    assert_eq!(rows.len(), 13);
}

/// The label of a plan, as its session has it.
fn intent(contract: &Value) -> Value {
    let project = Project::new();
    let outcome = run_plan(&project, &contract.to_string(), &["--session", "s.jsonl"]);
    // A tool that is named need not be there: the plan is labelled before it runs.
    assert!(matches!(outcome.status, Status::Exit(0 | 65)));
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

/// `math.aggregate` is not carried over: `run_js` computes.
#[test]
fn recorded_sums_have_no_tool() {
    let file = "agents/002_math_aggregate.jsonl";
    let Some(rows) = rows(file, "math.aggregate", "recorded_sums_have_no_tool") else {
        return;
    };
    let project = Project::new();
    project.file(".cogtoolrc.yaml", "tool_sources: [builtin]\n");
    for row in rows {
        let step = json!({
            "need_tool": true, "tool": "math.aggregate", "reason": "r", "args": row["input"],
        });
        let contract = contract(&json!({"tool_plan": [step]}));
        run_plan(&project, &contract.to_string(), &[])
            .status(65)
            .stderr_contains("/tool_plan/0/tool: no tool is named `math.aggregate`");
    }
}
