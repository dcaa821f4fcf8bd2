//! Nodes that ask a model.

use std::time::Duration;

use cogtools_core::tool::FlowQuestion;
use cogtools_core::{Cancel, Code, Diagnostic};
use serde_json::{Value, json};

use crate::tape::NodeTape;
use crate::work::FlowWork;

impl FlowWork {
    /// The answer of a model. That it gave none is a value, too: the flow decides what that means.
    pub(crate) fn ask_model(
        &self,
        id: &str,
        question: &FlowQuestion,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<Value, Box<Diagnostic>> {
        let tape = self.tape_of(id)?;
        if tape
            .as_ref()
            .is_some_and(|tape| !tape.is_known && tape.is_replay)
        {
            let message = "the recording has no answer for this node";
            return Err(Box::new(Diagnostic::new(Code::NodeFailed, message)));
        }
        let mut cx = self.context(cancel);
        cx.call.tape = tape.as_ref().map(NodeTape::tape);
        let answer = question.task.run(timeout, &cx);
        self.keep(tape.as_ref());
        Ok(value_of(answer, question))
    }

    /// The recording of the next run of a node, if there is one.
    pub(crate) fn tape_of(&self, id: &str) -> Result<Option<NodeTape>, Box<Diagnostic>> {
        let tape = self.tape.as_ref();
        tape.map(|tape| tape.of_node(id)).transpose()
    }

    /// Keeps what a node has recorded.
    pub(crate) fn keep(&self, node: Option<&NodeTape>) {
        if let Some((tape, node)) = self.tape.as_ref().zip(node) {
            tape.keep(node);
        }
    }
}

/// The value of a node that has asked `question`.
fn value_of(answer: Result<String, Box<Diagnostic>>, question: &FlowQuestion) -> Value {
    if let Some((yes, no)) = &question.branches {
        let is_true = answer.is_ok_and(|answer| says_true(&answer));
        return if is_true { yes } else { no }.as_str().into();
    }
    match answer {
        Ok(answer) if question.is_json => {
            let found = cogtools_lenient_json::last(&answer);
            let error = |_| json!({"error": "the answer is not JSON", "text": answer});
            found.map_or_else(error, |found| found.value.into())
        }
        Ok(answer) => answer.into(),
        Err(diagnostic) => json!({"error": diagnostic.summary()}),
    }
}

/// Whether an answer is the word "true".
fn says_true(answer: &str) -> bool {
    let word = answer
        .trim()
        .trim_matches(|c: char| c.is_ascii_punctuation());
    word.eq_ignore_ascii_case("true")
}
