//! Cases recorded from another implementation of such a loop.
//!
//! It answers calls with `text` instead of `output`, asks once only, and says that there is no
//! response where this one says that the model refused.

use cogtools_agent::CallResult;
use cogtools_log::EndStatus;
use cogtools_model::{ApiErrorKind, ModelError};
use cogtools_test_support::conformance;
use serde_json::{Value, json};

use crate::scene::{PURE, Scene};
use crate::script::{Reply, Step};

#[test]
fn recorded_loops() {
    let Some(cases) = conformance::recorded("agents/001_tool_loop.jsonl", "recorded_loops") else {
        return;
    };
    for case in cases {
        check(&case);
    }
}

fn replies(input: &Value) -> Vec<Reply> {
    if let Some(status) = input["http_status"].as_u64() {
        let status = u16::try_from(status).expect("an HTTP status");
        return vec![vec![Step::Error(status)]];
    }
    let responses = input["responses"].as_array().into_iter().flatten();
    responses
        .map(|response| vec![Step::Chunk(response.clone())])
        .collect()
}

fn check(case: &Value) {
    let (input, expected) = (&case["input"], &case["expected"]);
    let name = format!("{} {}", case["id"], case["name"]);
    let mut scene = Scene::new(replies(input));
    scene.settings.retry.max_attempts = 1;
    for (tool, key) in [
        ("get_current_file", "file"),
        ("get_selected_text", "selection"),
    ] {
        let text = input["editor"][key].as_str().unwrap_or_default().to_owned();
        scene = scene.tool(tool, PURE, move |_, _| {
            CallResult::Output(text.clone().into())
        });
    }
    let task = input.pointer("/contents/0/parts/0/text");
    let end = scene.run(task.and_then(Value::as_str).unwrap_or_default());
    let result = &expected["result"];
    match (result["text"].as_str(), result["error"].as_str()) {
        (Some("No response from Gemini"), _) => {
            assert!(
                matches!(end.status, EndStatus::Refused | EndStatus::Failed { .. }),
                "{name}"
            );
        }
        (Some(text), _) => assert_eq!(
            (end.status, end.text.as_str()),
            (EndStatus::Completed, text)
        ),
        (None, Some(error)) => {
            assert_eq!(end.status, EndStatus::Unavailable, "{name}");
            let kind = match error {
                "SERVICE_OVERLOADED" => ApiErrorKind::Overloaded,
                "QUOTA_EXCEEDED" => ApiErrorKind::RateLimited,
                other => panic!("{name}: {other}"),
            };
            let is_kind =
                |error: &ModelError| matches!(error, ModelError::Api(error) if error.kind == kind);
            assert!(
                end.error.as_ref().is_some_and(is_kind),
                "{name}: {:?}",
                end.error
            );
        }
        (None, None) => panic!("{name}: {result}"),
    }
    let requests = expected["requests"].as_array().cloned().unwrap_or_default();
    let requests: Vec<Value> = requests.into_iter().map(with_output).collect();
    assert_eq!(scene.model.contents(), requests, "{name}");
}

/// The contents of a recorded request, with results as this loop sends them.
fn with_output(mut contents: Value) -> Value {
    for content in contents.as_array_mut().into_iter().flatten() {
        for part in content["parts"].as_array_mut().into_iter().flatten() {
            if let Some(response) = part.pointer_mut("/functionResponse/response") {
                *response = json!({"output": response["text"]});
            }
        }
    }
    contents
}
