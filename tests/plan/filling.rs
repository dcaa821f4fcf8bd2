//! Recorded references and placeholders.

use super::*;

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
            "hy-29" | "hy-52" => "unavailable",
            // The fallback is always the same.
            "hy-56" => "unavailable",
            _ => recorded,
        };
        outcome.outputs(format!("{text}\n"));
    }
}
