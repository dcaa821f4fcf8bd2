//! Which calls run, and who decides.

use cogtools_agent::{Answer, Permissions, ToolTraits};
use cogtools_core::tool::Annotations;
use cogtools_log::{Approval, CallId, Decision, EndStatus, Event, Why};
use serde_json::{Value, json};

use crate::scene::{PROGRAM, PURE, Scene};
use crate::script::{call, call_part, calls, result, text};

fn hints(read_only: bool, destructive: bool, open_world: bool) -> Annotations {
    Annotations {
        read_only: Some(read_only),
        destructive: Some(destructive),
        open_world: Some(open_world),
        idempotent: None,
    }
}

#[test]
fn dangers_come_before_what_is_harmless() {
    let program = |annotations, is_foreign| ToolTraits {
        annotations,
        is_foreign,
        ..PROGRAM
    };
    let none = Annotations::default();
    let cases = [
        (PURE, Decision::Allowed, Why::Pure),
        (
            ToolTraits {
                is_foreign: true,
                ..PURE
            },
            Decision::Allowed,
            Why::Pure,
        ),
        (program(none, false), Decision::Asked, Why::Default),
        (program(none, true), Decision::Asked, Why::Foreign),
        (
            program(hints(true, false, false), false),
            Decision::Allowed,
            Why::ReadOnly,
        ),
        (
            program(hints(true, false, false), true),
            Decision::Asked,
            Why::Foreign,
        ),
        (
            program(hints(true, true, false), false),
            Decision::Asked,
            Why::Destructive,
        ),
        (
            program(hints(true, false, true), false),
            Decision::Asked,
            Why::OpenWorld,
        ),
        (
            ToolTraits {
                annotations: hints(false, true, false),
                ..PURE
            },
            Decision::Asked,
            Why::Destructive,
        ),
    ];
    let rules = Permissions::default();
    for (traits, decision, why) in cases {
        assert_eq!(
            rules.decide("x", &traits),
            Approval::new(decision, why),
            "{traits:?}"
        );
    }
}

#[test]
fn rules_come_first() {
    let rules = Permissions {
        deny: vec!["rm*".to_owned()],
        ask: vec!["*ask*".to_owned()],
        allow: vec!["*".to_owned()],
        granted: Vec::new(),
    };
    for (name, decision, rule) in [
        ("rm_ask", Decision::Denied, "rm*"),
        ("ask", Decision::Asked, "*ask*"),
        ("act", Decision::Allowed, "*"),
    ] {
        let approval = rules.decide(name, &PROGRAM);
        assert_eq!(approval, Approval::by_rule(decision, rule), "{name}");
    }
}

/// Runs two programs in two turns, with these answers; what ran, and the questions.
fn two_calls(answers: &[Answer]) -> (Scene, EndStatus) {
    let mut scene = Scene::new([
        call("a", "act", &json!({"x": 1})),
        call("b", "act", &json!({"x": 2})),
        text("done"),
    ]);
    scene.watcher.answers = answers.to_vec();
    let status = scene.run("go").status;
    (scene, status)
}

#[test]
fn an_answer_counts_once_or_for_the_run() {
    let both = [json!({"x": 1}), json!({"x": 2})];
    for (answers, ran, questions) in [
        (vec![Answer::Yes, Answer::Yes], &both[..], 2),
        (vec![Answer::Always], &both[..], 1),
        (vec![Answer::Yes, Answer::No], &both[..1], 2),
        (vec![Answer::No, Answer::No], &both[..0], 2),
        (vec![], &both[..0], 2),
    ] {
        let (scene, status) = two_calls(&answers);
        assert_eq!(status, EndStatus::Completed);
        assert_eq!(scene.ran(), ran, "{answers:?}");
        assert_eq!(scene.watcher.questions.len(), questions, "{answers:?}");
    }
}

#[test]
fn always_does_not_outlive_a_rule_that_denies() {
    let mut scene = Scene::new([call("a", "act", &json!({"x": 1})), text("done")]);
    scene.settings.permissions.deny = vec!["act".to_owned()];
    scene.watcher.answers = vec![Answer::Always];
    scene.run("go");
    assert_eq!(
        (scene.ran(), scene.watcher.questions.len()),
        (Vec::<Value>::new(), 0)
    );
    let error = "denied by a rule of the user; do not call it again";
    assert_eq!(
        scene.results(),
        [json!({"status": "denied", "content": {"error": error}})]
    );
}

#[test]
fn a_call_waits_for_its_approval_and_the_others_do_not() {
    let parts = [
        call_part("a", "act", &json!({"x": 1})),
        call_part("b", "echo", &json!({"x": 2})),
    ];
    let mut scene = Scene::new([calls(&parts), text("done")]);
    scene.watcher.answers = vec![Answer::Pause];
    assert_eq!(scene.run("go").status, EndStatus::ApprovalWanted);
    assert_eq!(scene.ran(), [json!({"x": 2})]);
    let paused = Event::Paused {
        calls: vec![CallId::new("a")],
    };
    assert!(scene.events().contains(&paused));
    scene.append(Event::Decision {
        call: CallId::new("a"),
        approval: Approval::new(Decision::Granted, Why::Answer),
    });
    assert_eq!(scene.resume().status, EndStatus::Completed);
    assert_eq!(scene.ran(), [json!({"x": 2}), json!({"x": 1})]);
    let results = [
        result("a", "act", &json!({"output": 1})),
        result("b", "echo", &json!({"output": 2})),
    ];
    assert_eq!(scene.last_contents()[2]["parts"], json!(results));
    assert_eq!(scene.watcher.questions.len(), 1);
}

#[test]
fn a_rejected_call_is_data() {
    let mut scene = Scene::new([call("a", "act", &json!({"x": 1})), text("done")]);
    scene.watcher.answers = vec![Answer::Pause];
    scene.run("go");
    scene.append(Event::Decision {
        call: CallId::new("a"),
        approval: Approval::new(Decision::Denied, Why::Answer),
    });
    assert_eq!(scene.resume().status, EndStatus::Completed);
    assert_eq!(scene.ran(), [Value::Null; 0]);
    let error = "denied by the user; ask what to do instead, or go on without it";
    assert_eq!(
        scene.results(),
        [json!({"status": "denied", "content": {"error": error}})]
    );
}

#[test]
fn an_approval_is_not_for_a_later_call_of_the_same_id() {
    let mut scene = Scene::new([
        call("a", "act", &json!({"x": "harmless"})),
        call("a", "act", &json!({"x": "harmful"})),
        text("done"),
    ]);
    scene.watcher.answers = vec![Answer::Pause];
    assert_eq!(scene.run("go").status, EndStatus::ApprovalWanted);
    scene.append(Event::Decision {
        call: CallId::new("a"),
        approval: Approval::new(Decision::Granted, Why::Answer),
    });
    assert_eq!(scene.resume().status, EndStatus::Completed);
    assert_eq!(scene.ran(), [json!({"x": "harmless"})]);
    assert_eq!(
        scene.watcher.questions,
        [r#"act {"x":"harmless"}"#, r#"act {"x":"harmful"}"#]
    );
}

#[test]
fn a_new_task_gives_up_what_waits() {
    let mut scene = Scene::new([call("a", "act", &json!({"x": 1})), text("done")]);
    scene.watcher.answers = vec![Answer::Pause];
    scene.run("go");
    assert_eq!(scene.run("do something else").status, EndStatus::Completed);
    let error = json!({"error": "not run: the run ended before this call"});
    assert_eq!(
        scene.last_contents()[2]["parts"],
        json!([result("a", "act", &error)])
    );
    assert_eq!(scene.ran(), [Value::Null; 0]);
}

#[test]
fn the_model_reads_why_a_call_was_denied() {
    let mut scene = Scene::new([call("a", "act", &json!({"x": 1})), text("done")]);
    scene.watcher.answers = vec![Answer::NoBecause("the branch is frozen".to_owned())];
    scene.run("go");
    let error = json!({"error": "denied by the user: the branch is frozen"});
    let denied = json!({"status": "denied", "content": error});
    assert_eq!((scene.ran(), scene.results()), (Vec::new(), vec![denied]));
    // The question names the command that would run.
    assert_eq!(scene.watcher.commands, ["run act"]);
}

#[test]
fn an_answer_is_kept_when_the_user_leaves_at_the_next_question() {
    let parts = [
        call_part("a", "act", &json!({"x": 1})),
        call_part("b", "act", &json!({"x": 2})),
    ];
    let mut scene = Scene::new([calls(&parts), text("done")]);
    scene.watcher.answers = vec![Answer::Yes, Answer::Pause, Answer::Yes];
    scene.watcher.cancel_at_pause = Some(scene.cancel.clone());
    scene.budget.calls = Some(2);
    assert_eq!(scene.run("go").status, EndStatus::Cancelled);
    assert_eq!(scene.ran(), [Value::Null; 0]);
    scene.cancel = cogtools_core::Cancel::default();
    assert_eq!(scene.resume().status, EndStatus::Completed);
    assert_eq!(scene.ran(), [json!({"x": 1}), json!({"x": 2})]);
    assert_eq!(scene.watcher.questions.len(), 3);
}
