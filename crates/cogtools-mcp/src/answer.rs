//! What comes of a call, in the words of the protocol.
//!
//! A model reads the text of a result, and clients hide errors of the protocol
//! from it. So whatever it can repair is a result that is marked as an error.

use cogtools_core::hint::{Command, Hint};
use cogtools_core::{Diagnostic, ToolOutput};
use cogtools_program::{Format, Reporter, Severity, render_hint};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, GetPromptResult, PromptMessage, Role};

use crate::call::Called;
use crate::command::NAME;

/// The answer to `tools/call`.
pub(crate) fn to_call(called: Called) -> Result<CallToolResult, ErrorData> {
    let error = |text: String| CallToolResult::error(vec![ContentBlock::text(text)]);
    match called {
        Called::Done(answer) => Ok(result(answer)),
        Called::Failed(diagnostics) => Ok(error(words(&diagnostics))),
        Called::Cancelled => Ok(error("the call was cancelled\n".to_owned())),
        Called::Unknown(diagnostics) => Err(unknown(&diagnostics)),
    }
}

/// The answer to `prompts/get`, which has no results that are errors.
pub(crate) fn to_prompt(called: Called) -> Result<GetPromptResult, ErrorData> {
    match called {
        Called::Done(answer) => {
            let message = PromptMessage::new_text(Role::User, answer.text);
            Ok(GetPromptResult::new(vec![message]))
        }
        Called::Failed(diagnostics) => Err(ErrorData::invalid_params(words(&diagnostics), None)),
        Called::Cancelled => Err(ErrorData::internal_error("the request was cancelled", None)),
        Called::Unknown(diagnostics) => Err(unknown(&diagnostics)),
    }
}

/// The text, or all the parts of a server's answer that the protocol knows; and
/// beside it the value, if there is one. Clients know only objects there.
fn result(answer: ToolOutput) -> CallToolResult {
    let parts = answer.content.into_iter().map(serde_json::from_value);
    let parts: Result<Vec<ContentBlock>, _> = parts.collect();
    let parts = parts.ok().filter(|parts| !parts.is_empty());
    let parts = parts.unwrap_or_else(|| vec![ContentBlock::text(answer.text)]);
    let mut result = CallToolResult::success(parts);
    result.structured_content = answer.value.filter(serde_json::Value::is_object);
    result
}

/// The answer to a request that needs a configuration which is not valid.
pub(crate) fn broken(diagnostics: &[Diagnostic]) -> ErrorData {
    ErrorData::internal_error(words(diagnostics), None)
}

/// The error of a name that stands for nothing, on one line.
fn unknown(diagnostics: &[Diagnostic]) -> ErrorData {
    let parts = diagnostics.iter().flat_map(|diagnostic| {
        let hints = diagnostic.hints.iter().filter(|hint| !lists_tools(hint));
        std::iter::once(diagnostic.summary())
            .chain(hints.map(|hint| render_hint(hint).into_owned()))
    });
    let message = parts.collect::<Vec<_>>().join("; ");
    ErrorData::invalid_params(message, None)
}

/// Whether a hint is to list the tools, which the protocol has a method for.
const fn lists_tools(hint: &Hint) -> bool {
    matches!(
        hint,
        Hint::Run {
            command: Command::Discover,
            ..
        }
    )
}

/// All that is wrong, as every program says it.
fn words(diagnostics: &[Diagnostic]) -> String {
    let reporter = Reporter::new(NAME, Format::Human, false);
    let words = diagnostics
        .iter()
        .map(|diagnostic| reporter.render(Severity::Error, diagnostic));
    words.collect()
}

#[cfg(test)]
mod tests {
    use cogtools_core::Code;

    use super::*;

    #[test]
    fn hints_are_left_out_by_their_kind() {
        let diagnostic = Diagnostic::new(Code::ToolNotFound, "no tool of that name is here")
            .with_subject("tel")
            .hint("did you mean `tell`?")
            .hint("text may name cogtools-discover")
            .hint(Hint::run("allow it: ", Command::Trust("team".into()), ""))
            .hint(Hint::run(
                "",
                Command::Discover,
                " prints the tools there are",
            ));
        assert_eq!(
            unknown(&[diagnostic]).message,
            "tel: no tool of that name is here; did you mean `tell`?; text may name \
             cogtools-discover; allow it: cogtools trust team"
        );
    }
}
