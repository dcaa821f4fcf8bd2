//! The list of things to do: a part of the session.

use super::*;

/// The list that the model finds in the state of the world, or in what the last task says about
/// its changes.
fn list_of(request: &Value) -> Value {
    let contents = request["contents"].as_array().into_iter().flatten();
    let parts = contents.flat_map(|content| content["parts"].as_array().into_iter().flatten());
    let states = parts
        .filter_map(|part| part["text"].as_str())
        .filter(|text| text.contains("current_datetime"))
        .map(|text| {
            let json = &text[text.find('{').expect("an object")..];
            serde_json::from_str(json).expect("JSON")
        });
    let states: Vec<Value> = states.collect();
    let now = states.last().expect("the state of the world");
    let changed = now.get("todos").cloned();
    changed.unwrap_or_else(|| states[0]["todos"].clone())
}

#[test]
fn each_branch_of_a_session_has_its_own_list() {
    let project = project();
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [builtin]\nprompt: {todos: [From the project]}\n",
    );
    let write = |title: &str| Turn::call("todo_write", json!({"todos": [{"title": title}]}));
    let fake = FakeGemini::start([
        write("One"),
        Turn::text("Planned."),
        Turn::call(
            "todo_write",
            json!({"todos": [{"title": "Two", "status": "completed"}]}),
        ),
        Turn::call("todo_write", json!({"todos": "none"})),
        Turn::call("todo_read", json!({})),
        Turn::text("Done."),
    ]);
    let session = ["--session", "s.jsonl"];
    let go_on = ["--session", "s.jsonl", "--continue"];
    quietly(&project, &fake, &[&session[..], &["Plan"]].concat()).outputs("Planned.\n");
    quietly(&project, &fake, &[&go_on[..], &["Go"]].concat()).outputs("Done.\n");
    let conversation = fake.finish();
    assert_eq!(
        conversation.main()[5].responses().last().copied(),
        Some(&json!({
            "id": "call-5-1",
            "name": "todo_read",
            "response": {"output": {"todos": [{"title": "Two", "status": "completed"}]}},
        }))
    );
    let next = |more: &[&str]| {
        let args = [
            &["-q", "--dry-run", "--json", "--session", "s.jsonl"][..],
            more,
        ]
        .concat();
        let report = run("cogtools-ask", &project)
            .args(args)
            .arg("Next")
            .run()
            .json();
        list_of(&report["request"])
    };
    assert_eq!(
        next(&["--continue"]),
        json!(["From the project", {"title": "Two", "status": "completed"}])
    );
    // The result of the first call is entry 6.
    assert_eq!(
        next(&["--from", "6"]),
        json!(["From the project", {"title": "One", "status": "pending"}])
    );
    assert_eq!(next(&["--from", "5"]), json!(["From the project"]));
}
