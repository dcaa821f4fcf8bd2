//! The ways in which hosts invoke a tool.

use std::sync::Arc;

use cogtools_core::arguments::Arguments;
use cogtools_core::{Candidate, Context, Diagnostic, Tool, shebang};
use cogtools_program::call::call;
use cogtools_program::{Failure, Syntax};
use serde_json::{Map, Value};

use crate::diff::diff;
use crate::failure::{FailureKind, TestFailure};

/// The result of an invocation, as bytes.
pub(crate) type InvocationResult = Result<Vec<u8>, InvocationError>;

/// Why an invocation gave no result.
#[derive(Debug)]
pub(crate) enum InvocationError {
    /// It is not possible, for this reason.
    Impossible(String),
    /// It failed with these diagnostics.
    Failed(Vec<Diagnostic>),
    /// The program that was started failed, with this output: lines that end with a line feed.
    Exited(String),
}

/// The arguments of an example as hosts send them.
pub(crate) struct EncodedArguments {
    /// As JSON.
    pub(crate) json: Vec<u8>,
    /// As YAML, or why that is not possible.
    pub(crate) yaml: Result<Vec<u8>, String>,
}

impl EncodedArguments {
    pub(crate) fn new(example: &Map<String, Value>) -> Self {
        let value = Value::Object(example.clone());
        Self {
            json: value.to_string().into_bytes(),
            yaml: encode_yaml(&value),
        }
    }
}

/// The value as YAML that parses as the same value.
fn encode_yaml(value: &Value) -> Result<Vec<u8>, String> {
    let block = serde_yaml::to_string(value).map_err(|error| error.to_string())?;
    // The serializer does not quote the key `<<` and line separators, which the parser rejects.
    // JSON is YAML too, and quotes them.
    check_round_trip(value, block).or_else(|_| check_round_trip(value, value.to_string()))
}

fn check_round_trip(value: &Value, text: String) -> Result<Vec<u8>, String> {
    let bytes = text.into_bytes();
    let parsed = Arguments::read(bytes.clone(), Syntax::Yaml).map_err(|error| error.to_string())?;
    if Value::Object(parsed.into_object()) == *value {
        Ok(bytes)
    } else {
        Err("it parses as a different value".to_owned())
    }
}

/// Calls `tool` in this process.
pub(crate) fn call_in_process(
    tool: &Arc<Tool>,
    bytes: &[u8],
    syntax: Syntax,
    cx: &Context,
) -> Result<Vec<u8>, Failure> {
    let output = call(tool, bytes.to_vec(), syntax, cx.clone())?;
    Ok(output.text.into_bytes())
}

/// The results of the call with YAML, and through the tool's file, in this process.
pub(crate) fn other_invocations(
    tool: &Arc<Tool>,
    loaded_by_path: &Result<Arc<Tool>, Vec<Diagnostic>>,
    arguments: &EncodedArguments,
    cx: &Context,
) -> Vec<(String, InvocationResult)> {
    let failed = |failure: Failure| InvocationError::Failed(failure.diagnostics().to_vec());
    let yaml = match &arguments.yaml {
        Ok(bytes) => call_in_process(tool, bytes, Syntax::Yaml, cx).map_err(failed),
        Err(why) => Err(InvocationError::Impossible(format!(
            "the example cannot be written as YAML: {why}"
        ))),
    };
    let file = match loaded_by_path {
        Ok(tool) => call_in_process(tool, &arguments.json, Syntax::Json, cx).map_err(failed),
        Err(diagnostics) => Err(InvocationError::Failed(diagnostics.clone())),
    };
    vec![
        ("as YAML".to_owned(), yaml),
        ("through the tool's file".to_owned(), file),
    ]
}

/// Whether an example is called only once: the tool runs a program that may change something, or
/// asks a model.
pub(crate) fn runs_once(tool: &Tool) -> bool {
    tool.runs_programs() && tool.annotations().read_only != Some(true) || tool.is_agent()
}

/// The invocations that would fail before the tool runs, for one that is called once.
pub(crate) fn impossible_invocations(
    loaded_by_path: &Result<Arc<Tool>, Vec<Diagnostic>>,
    arguments: &EncodedArguments,
) -> Vec<(String, InvocationResult)> {
    let yaml = arguments.yaml.as_ref().err().map(|why| {
        let why = format!("the example cannot be written as YAML: {why}");
        ("as YAML".to_owned(), Err(InvocationError::Impossible(why)))
    });
    let file = loaded_by_path.as_ref().err().map(|diagnostics| {
        let error = InvocationError::Failed(diagnostics.clone());
        ("through the tool's file".to_owned(), Err(error))
    });
    yaml.into_iter().chain(file).collect()
}

/// Compares the `result` of the invocation `name` with that of JSON, which is `expected`.
pub(crate) fn compare(
    name: &str,
    result: InvocationResult,
    expected: &[u8],
) -> Option<TestFailure> {
    let failure = |message: String| TestFailure::new(FailureKind::Invocation, message);
    let fails = || {
        failure(format!(
            "called {name}, it fails; called as JSON, it does not"
        ))
    };
    Some(match result {
        Ok(bytes) if bytes == expected => return None,
        Ok(bytes) => {
            let message = format!("called {name}, the result differs from that called as JSON");
            let detail = diff("as JSON", expected, name, &bytes);
            failure(message).detail(detail).hint(
                "a tool whose result differs between calls cannot be tested with a golden file",
            )
        }
        Err(InvocationError::Impossible(why)) => failure(why),
        Err(InvocationError::Failed(diagnostics)) => fails().diagnostics(diagnostics),
        Err(InvocationError::Exited(detail)) => fails().detail(detail),
    })
}

/// Why the file cannot be run as a program although it begins with `#!`.
pub(crate) fn shebang_problem(tool: &Tool, file: &Candidate) -> Option<TestFailure> {
    let line = shebang::parse(tool.source())?;
    if !shebang::runs_tools(line) {
        let interpreter = shebang::INTERPRETER;
        let message = format!("its first line does not name `{interpreter}`");
        let hint = format!("begin the file with `{}`", shebang::LINE.trim_end());
        return Some(TestFailure::new(FailureKind::Invocation, message).hint(hint));
    }
    if !shebang::is_executable(&file.path) {
        let message = "it begins with `#!` but is not executable";
        let hint = format!("chmod +x {}", file.display_path.display());
        return Some(TestFailure::new(FailureKind::Invocation, message).hint(hint));
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_round_trip_through_yaml() {
        let words = r#" ~ null true yes 010 0x1f 1_000 1e3 .inf - a: # #b ' " é 😀 --- ... !x &x *x
            %x @ ` { [ | > ? << 2001-01-01 12:30 = , \ : -1 +1 ${x} {{x}} "#;
        let odd = [
            "", " ", "- a", "a: b", "a #b", "a\nb", "a\n", "\n", "\n\na ", " a\nb", "\t", "a\tb",
            "\r", "a\r\nb", "\0", "\u{1b}", "\u{85}", "\u{2028}", "\u{feff}", "\u{fffe}", "\u{a0}",
        ];
        for word in words.split_whitespace().chain(odd) {
            let value = json!({"plain": word, word: [word, {word: word}]});
            assert!(
                encode_yaml(&value).is_ok(),
                "{word:?}: {:?}",
                encode_yaml(&value)
            );
        }
        let numbers = json!([0, -1, 1.5, -0.0, 1e300, 1e-300, 100.0, u64::MAX, i64::MIN]);
        let others = json!({"numbers": numbers, "words": [true, null, {}, [], [[]]]});
        assert!(encode_yaml(&others).is_ok(), "{:?}", encode_yaml(&others));
    }

    #[test]
    fn each_invocation_error_has_a_message() {
        let fails = "called by hand, it fails; called as JSON, it does not";
        for (error, message, detail) in [
            (InvocationError::Impossible(String::new()), "", ""),
            (InvocationError::Failed(Vec::new()), fails, ""),
            (
                InvocationError::Exited("it ended\n".into()),
                fails,
                "it ended\n",
            ),
        ] {
            let failure = compare("by hand", Err(error), b"").expect("it has failed");
            assert_eq!(failure.kind, FailureKind::Invocation);
            assert_eq!(
                (failure.message.as_str(), failure.detail.as_str()),
                (message, detail)
            );
        }
    }
}
