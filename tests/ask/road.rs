//! The road from a prompt to an answer.

use super::*;

#[test]
fn an_answer_is_printed() {
    let project = project();
    let fake = FakeGemini::start([Turn::texts(["It fails ", "because of a typo."])]);
    let outcome = ask(&project, &fake)
        .args(["-q", "Why does this fail?"])
        .run();
    outcome.outputs("It fails because of a typo.\n");
    fake.finish();
}

#[test]
fn a_tool_of_the_project_is_called() {
    let project = project();
    let fake = FakeGemini::start([
        Turn::call("greet", json!({"person": "Ada"})),
        Turn::text("Ada was greeted."),
    ]);
    let outcome = ask(&project, &fake).args(["-q", "Greet", "Ada"]).run();
    outcome.outputs("Ada was greeted.\n");
    let conversation = fake.finish();
    let body = &conversation.main()[1].body;
    assert_eq!(
        body.pointer("/contents/3/parts/0/functionResponse/response"),
        Some(&json!({"output": "Hello Ada!"})),
        "{body:#}"
    );
}
