//! Calls that wait for the user, and what the user decides.

use cogtools_log::CallId;

use super::turn::{Badge, Question, QuestionKind, Turn};
use super::turns::{At, Turns};
use crate::cut;

impl Turns {
    /// The run ends until the user has decided about these calls.
    pub(super) fn pause(&mut self, at: At<'_>, calls: &[CallId]) {
        for call in calls {
            self.ask(at, QuestionKind::Approval, call.as_str());
            self.current(at).set(call.as_str(), Badge::Waiting);
        }
        self.current(at).status = Badge::Waiting;
    }

    /// The user has decided about a call.
    pub(super) fn decide(&mut self, at: At<'_>, call: &CallId) {
        let turn = self.current(at);
        turn.questions
            .retain(|question| question.key != call.as_str());
        turn.set(call.as_str(), Badge::Executing);
        if turn.questions.is_empty() {
            turn.status = Badge::Executing;
        }
        let text = format!("the user has decided about {call}");
        self.row(at, "decision", &text, None);
    }

    fn ask(&mut self, at: At<'_>, kind: QuestionKind, key: &str) {
        let turn = self.current(at);
        let text = turn.detail(key).map(|detail| {
            let arguments = cut::row(&detail.arguments.replace('\n', " "));
            format!("{} {arguments}", detail.tool)
        });
        let question = Question {
            kind,
            key: key.to_owned(),
            text: text.unwrap_or_default(),
        };
        turn.questions.push(question);
    }
}

impl Turn {
    /// Says of a step, and of what is known about it, that it is in this state.
    fn set(&mut self, key: &str, badge: Badge) {
        if let Some((_, step)) = self.step(key) {
            step.badge = badge;
        }
        if let Some(detail) = self.detail(key) {
            detail.badge = badge;
        }
    }
}
