//! The nodes of a flow, as steps of a turn.

use cogtools_log::{Event, NodeState};
use serde_json::Value;

use super::board::{End, failed};
use super::turn::{Badge, FlowOf, From, Intent, Question, QuestionKind};
use super::turns::{At, Turns};
use crate::cut;

impl Turns {
    /// A flow that is about to run.
    pub(super) fn flow(&mut self, at: At<'_>, tool: &str, digest: &str, arguments: &Value) {
        self.begin(at, Intent::Flow);
        self.current(at).flow = Some(FlowOf {
            tool: tool.to_owned(),
            digest: digest.to_owned(),
        });
        self.say(at, From::User, tool, &cut::value(arguments));
        self.current(at).count(tool);
    }

    /// A node of a flow.
    pub(super) fn node_event(&mut self, at: At<'_>) {
        let Event::Node {
            node,
            state,
            inputs,
            route,
            output,
            blob,
            ms,
            ..
        } = &at.entry.event
        else {
            return;
        };
        let (badge, message) = match state {
            NodeState::Started => {
                let tool = route.as_ref().and_then(|route| route.tool.as_deref());
                let inputs = inputs.as_ref().unwrap_or(&Value::Null);
                self.start(at, node, tool.unwrap_or_default(), inputs, false);
                return;
            }
            NodeState::Waiting { question } => {
                self.wait(at, node, question);
                return;
            }
            NodeState::Succeeded => (Badge::Executed, String::new()),
            NodeState::Failed { code, message } => (failed(code), format!("{code}: {message}")),
            NodeState::Skipped => (Badge::Skipped, String::new()),
        };
        let end = End {
            badge,
            message,
            result: output.as_ref(),
            blob: blob.as_ref(),
            logs: &[],
            ms: *ms,
        };
        self.current(at)
            .questions
            .retain(|question| question.key != *node);
        self.end(at, node, &end);
    }

    /// A node that waits for the user.
    fn wait(&mut self, at: At<'_>, node: &str, question: &str) {
        self.row(
            at,
            "question",
            &format!("{node}: {question}"),
            Some(Badge::Waiting),
        );
        let turn = self.current(at);
        turn.place(node);
        if let Some(detail) = turn.detail(node) {
            detail.badge = Badge::Waiting;
        }
        if let Some((_, step)) = turn.step(node) {
            step.badge = Badge::Waiting;
        }
        turn.status = Badge::Waiting;
        turn.questions.retain(|question| question.key != node);
        turn.questions.push(Question {
            kind: QuestionKind::Answer,
            key: node.to_owned(),
            text: question.to_owned(),
        });
    }
}
