//! The events of a plan.

use cogtools_log::{BlobId, Event, NodeEvent, NodeState};
use serde_json::json;

/// A plan, and a step of it that has failed.
pub(crate) fn plan_events() -> Vec<Event> {
    vec![
        Event::Plan {
            intent: "general".to_owned(),
            plan: json!({"tool_plan": []}),
            asks: false,
            deny: Vec::new(),
            masked: false,
        },
        Event::Node(Box::new(NodeEvent {
            node: "sum".to_owned(),
            state: NodeState::Failed {
                code: "JS_RUNTIME".to_owned(),
                message: "no".to_owned(),
            },
            inputs: Some(json!({"code": "throw 1"})),
            logs: vec!["a line".to_owned()],
            ms: Some(3),
            ..NodeEvent::default()
        })),
        Event::Reply {
            text: "It is [… 9000 bytes left out …]".to_owned(),
            blob: Some(BlobId::of(b"It is ...")),
        },
    ]
}
