//! An answer that is the arguments of a call, which the model has to make: models keep to a
//! declaration better than to a request for JSON.

use std::sync::Arc;
use std::time::Instant;

use cogtools_log::{EndStatus, LogError, Outcome};
use cogtools_model::{ApiErrorKind, ModelError, Response, ToolMode};
use serde_json::{Value, json};

use crate::agent::{Agent, RunEnd};
use crate::answered::Answered;
use crate::observer::Activity;
use crate::{AgentTool, Settings, declarations};

/// The tool that takes the answer.
const NAME: &str = "answer";

/// The declarations of `tools`, and that of the tool that takes the answer if `settings` ask for
/// one: the model has to call it then.
pub(crate) fn declare(tools: &[AgentTool], settings: &mut Settings) -> Arc<Vec<Value>> {
    let mut declared = declarations(tools);
    if let Some(schema) = &settings.answer_call {
        settings.request.mode = ToolMode::Any(vec![NAME.to_owned()]);
        Arc::make_mut(&mut declared).push(json!({
            "name": NAME,
            "description": "Give the answer.",
            "parametersJsonSchema": schema,
        }));
    }
    declared
}

impl Agent<'_> {
    /// Ends the run if `response` calls the tool that takes the answer.
    pub(crate) fn end_with_answer(
        &mut self,
        response: &Response,
    ) -> Result<Option<RunEnd>, LogError> {
        let calls = response.calls();
        let mut calls = calls.iter().filter(|call| call.name == NAME);
        let (Some(call), true) = (calls.next(), self.settings.answer_call.is_some()) else {
            return Ok(None);
        };
        let answer = call.args.cloned().unwrap_or_else(|| json!({})).to_string();
        for call in self.journal.conversation().open_calls().to_vec() {
            self.finish_call(Answered {
                call,
                outcome: Outcome::Succeeded,
                response: json!({"output": "accepted"}),
                started: Instant::now(),
            })?;
        }
        self.observer.on(&Activity::Text(&answer));
        self.last_text = answer;
        self.end(EndStatus::Completed, None).map(Some)
    }

    /// Asks for JSON from now on, if the model has rejected a request because it cannot make
    /// calls. Returns whether it is worth asking again.
    pub(crate) fn ask_without_call(&mut self, error: &ModelError) -> bool {
        let is_rejected = matches!(
            error,
            ModelError::Api(error) if error.kind == ApiErrorKind::InvalidRequest
        );
        let Some(schema) = self.settings.answer_call.take_if(|_| is_rejected) else {
            return false;
        };
        let request = &mut self.settings.request;
        request.mode = ToolMode::Auto;
        request.generation.response_json_schema = Some(schema);
        self.fixed.tools = declarations(&self.tools.list());
        true
    }
}
