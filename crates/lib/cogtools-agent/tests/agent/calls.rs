//! Calls: in parallel and in sequence, valid or not, and how they end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use cogtools_agent::CallResult;
use cogtools_core::{Code, Diagnostic};
use cogtools_log::{Blobs, EndStatus, Event, SessionFile};
use serde_json::{Value, json};

use crate::scene::{PROGRAM, PURE, Scene};
use crate::script::{call, call_part, calls, result, text};

#[test]
fn results_go_back_in_one_turn_in_the_order_of_the_calls() {
    let parts =
        [("a", 1), ("b", 2), ("c", 3)].map(|(id, x)| call_part(id, "slow", &json!({"x": x})));
    // The first call ends last: it waits until the others have ended.
    let ended = Arc::new((Mutex::new(0), Condvar::new()));
    let mut scene = Scene::new([calls(&parts), text("done")]).tool("slow", PURE, move |args, _| {
        let (count, changed) = &*ended;
        let mut ended = count.lock().expect("no panic");
        if args["x"] == 1 {
            while *ended < 2 {
                ended = changed.wait(ended).expect("no panic");
            }
        }
        *ended += 1;
        changed.notify_all();
        CallResult::Output(args["x"].clone())
    });
    let end = scene.run("go");
    assert_eq!(
        (end.status, end.text.as_str()),
        (EndStatus::Completed, "done")
    );
    let results =
        [("a", 1), ("b", 2), ("c", 3)].map(|(id, x)| result(id, "slow", &json!({"output": x})));
    assert_eq!(
        scene.last_contents(),
        json!([
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "model", "parts": parts},
            {"role": "user", "parts": results},
        ])
    );
    let ids: Vec<String> = scene
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::Call(call) => Some(call.call.as_str().to_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(ids, ["a", "b", "c"], "calls are logged in their order");
}

/// Maximum number of calls of one response that run at the same time.
fn most_at_once(traits: cogtools_agent::ToolTraits, count: usize) -> usize {
    let parts: Vec<Value> = (0..count)
        .map(|index| call_part(&format!("id-{index}"), "count", &json!({"x": index})))
        .collect();
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&most);
    let mut scene =
        Scene::new([calls(&parts), text("done")]).tool("count", traits, move |args, _| {
            let running = now.fetch_add(1, Ordering::SeqCst) + 1;
            counted.fetch_max(running, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(5));
            now.fetch_sub(1, Ordering::SeqCst);
            CallResult::Output(args["x"].clone())
        });
    scene.settings.permissions.allow = vec!["count".to_owned()];
    assert_eq!(scene.run("go").status, EndStatus::Completed);
    let answered = scene.last_contents();
    let answered = answered[2]["parts"].as_array().map_or(0, Vec::len);
    assert_eq!(answered, count, "each call has a result");
    most.load(Ordering::SeqCst)
}

#[test]
fn fifty_calls_at_once_run_eight_at_a_time() {
    assert_eq!(most_at_once(PURE, 50), 8);
}

#[test]
fn calls_with_effects_run_one_after_the_other() {
    assert_eq!(most_at_once(PROGRAM, 5), 1);
}

/// The result of the call `part`, and how often a tool ran.
#[track_caller]
fn check_result(scene: Scene, expected: &Value, runs: usize) {
    let mut scene = scene;
    let end = scene.run("go");
    assert_eq!(
        (end.status, end.text.as_str()),
        (EndStatus::Completed, "done")
    );
    assert_eq!(scene.results(), std::slice::from_ref(expected));
    assert_eq!(scene.ran().len(), runs);
    let contents = scene.last_contents();
    let response = contents.pointer("/2/parts/0/functionResponse/response");
    assert_eq!(response, Some(&expected["content"]), "{contents:#}");
}

#[test]
fn violations_are_data() {
    let replies = [call("a", "echo", &json!({"wrong": 1})), text("done")];
    let error = "echo: unknown argument `wrong`\nhint: leave it out";
    let expected = json!({
        "status": "failed", "code": "SCHEMA_VIOLATION",
        "content": {"error": error, "code": "SCHEMA_VIOLATION"},
    });
    check_result(Scene::new(replies), &expected, 0);
}

#[test]
fn an_unknown_tool_is_data() {
    let replies = [call("a", "ecko", &json!({})), text("done")];
    let error = "ecko: there is no tool of that name";
    let expected = json!({
        "status": "failed", "code": "TOOL_NOT_FOUND",
        "content": {"error": error, "code": "TOOL_NOT_FOUND"},
    });
    check_result(Scene::new(replies), &expected, 0);
}

#[test]
fn arguments_that_are_no_object_go_back_as_one() {
    for args in [json!([1]), json!("[1]"), json!(1), json!(true)] {
        let mut scene = Scene::new([call("a", "echo", &args), text("done")]);
        assert_eq!(scene.run("go").status, EndStatus::Completed);
        let contents = scene.last_contents();
        assert_eq!(contents[1]["parts"][0], call_part("a", "echo", &json!({})));
        let error = "echo: the arguments must be an object";
        let response = json!({"error": error, "code": "INVALID_ARGUMENTS_SYNTAX"});
        assert_eq!(contents[2]["parts"][0], result("a", "echo", &response));
        // The log has what the model sent.
        let is_sent = |event: &Event| match event {
            Event::Response { content, .. } => {
                content.pointer("/parts/0/functionCall/args") == Some(&args)
            }
            _ => false,
        };
        assert!(scene.events().iter().any(is_sent), "{args}");
    }
}

#[test]
fn arguments_that_are_not_json_are_quoted_with_the_mistake() {
    let args = json!("{\"x\": \"a\",\n \"y\": tru}");
    let replies = [call("a", "echo", &args), text("done")];
    let error = "echo: the arguments are not JSON: expected ident in line 2, column 10, \
        after ` \"y\": tru`\nhint: send one JSON object";
    let expected = json!({
        "status": "failed", "code": "INVALID_ARGUMENTS_SYNTAX",
        "content": {"error": error, "code": "INVALID_ARGUMENTS_SYNTAX"},
    });
    check_result(Scene::new(replies), &expected, 0);
}

/// A repaired call would have an effect that the model has not asked for.
#[test]
fn an_object_that_is_encoded_twice_is_refused() {
    let args = json!("{\"x\": 1}");
    let replies = [call("a", "echo", &args), text("done")];
    let error = "echo: the arguments must be an object\n\
        hint: send the object itself, not a text with it";
    let expected = json!({
        "status": "failed", "code": "INVALID_ARGUMENTS_SYNTAX",
        "content": {"error": error, "code": "INVALID_ARGUMENTS_SYNTAX"},
    });
    check_result(Scene::new(replies), &expected, 0);
}

#[test]
fn a_tool_that_panics_is_data() {
    let scene =
        Scene::new([call("a", "panic", &json!({})), text("done")])
            .tool("panic", PURE, |_, _| panic!("on purpose"));
    let expected = json!({
        "status": "failed", "code": "INTERNAL",
        "content": {
            "error": "unexpected failure while the tool was running", "code": "INTERNAL",
        },
    });
    check_result(scene, &expected, 1);
}

#[test]
fn a_tool_that_is_not_in_time_is_data() {
    let scene =
        Scene::new([call("a", "slow", &json!({})), text("done")]).tool("slow", PURE, |_, _| {
            CallResult::Failed(vec![Diagnostic::new(Code::Timeout, "not done after 1 s")])
        });
    let expected = json!({
        "status": "timed_out",
        "content": {"error": "not done after 1 s", "code": "TIMEOUT"},
    });
    check_result(scene, &expected, 1);
}

#[test]
fn calls_without_ids_get_some_in_the_log_only() {
    let part = json!({"functionCall": {"name": "echo", "args": {"x": 1}}});
    let mut scene = Scene::new([calls(&[part.clone(), part]), text("done")]);
    assert_eq!(scene.run("go").status, EndStatus::Completed);
    let response = json!({"functionResponse": {"name": "echo", "response": {"output": 1}}});
    assert_eq!(
        scene.last_contents()[2]["parts"],
        json!([response, response])
    );
}

#[test]
fn an_id_that_is_used_twice_names_two_calls() {
    let parts = [1, 2].map(|x| call_part("same", "echo", &json!({"x": x})));
    let mut scene = Scene::new([calls(&parts), text("done")]);
    assert_eq!(scene.run("go").status, EndStatus::Completed);
    let results = [1, 2].map(|x| result("same", "echo", &json!({"output": x})));
    assert_eq!(scene.last_contents()[2]["parts"], json!(results));
}

#[test]
fn of_a_long_result_the_model_gets_both_ends() {
    const BYTES: usize = 20 << 20;
    let mut scene =
        Scene::new([call("a", "long", &json!({})), text("done")]).tool("long", PURE, |_, _| {
            let text = format!("begin{}end", "é".repeat(BYTES / 2));
            CallResult::Output(text.into())
        });
    assert_eq!(scene.run("go").status, EndStatus::Completed);
    let contents = scene.last_contents();
    let output = contents.pointer("/2/parts/0/functionResponse/response/output");
    let output = output.and_then(Value::as_str).unwrap_or_default();
    assert!(output.len() < 41_000, "{}", output.len());
    assert!(output.starts_with("begin") && output.ends_with("end"));
    // Both cuts are between two characters.
    let left_out = BYTES + "beginend".len() - 39_998;
    assert!(output.contains(&format!("\n[… {left_out} bytes left out …]\n")));
    let blob = scene.events().into_iter().find_map(|event| match event {
        Event::Result(result) => result.blob,
        _ => None,
    });
    let root = scene.project.root();
    let blobs: Blobs = SessionFile::named(&root, &root, "session.jsonl".as_ref()).blobs();
    let whole = blobs
        .read(&blob.expect("a blob"))
        .expect("a blob that can be read");
    assert_eq!(whole.len(), BYTES + "beginend".len());
}

#[test]
fn a_model_sees_the_files_of_a_result() {
    let file = json!({"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}});
    let part = file.clone();
    let replies = [calls(&[call_part("a", "shot", &json!({}))]), text("seen")];
    let mut scene = Scene::new(replies).tool("shot", PURE, move |_, _| {
        CallResult::Files("[image/png]".into(), vec![part.clone()])
    });
    assert_eq!(scene.run("look").status, EndStatus::Completed);
    let mut expected = result("a", "shot", &json!({"output": "[image/png]"}));
    expected["functionResponse"]["parts"] = json!([file]);
    assert_eq!(scene.last_contents()[2]["parts"], json!([expected]));
    let logged = scene.events().into_iter().find_map(|event| match event {
        Event::Result(result) => Some(result.files),
        _ => None,
    });
    assert_eq!(logged, Some(vec![file]));
}
