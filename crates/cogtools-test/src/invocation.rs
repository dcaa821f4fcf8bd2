//! How hosts invoke a tool, each as a real call does.

use std::sync::Arc;

use cogtools_core::arguments::Arguments;
use cogtools_core::{Candidate, Context, Diagnostic, Tool, shebang};
use cogtools_program::call::call;
use cogtools_program::{Failure, Syntax};
use serde_json::{Map, Value};

use crate::diff::diff;
use crate::failure::{FailureKind, TestFailure};

/// The bytes of the result of an invocation, or why there are none.
pub(crate) type Answer = Result<Vec<u8>, InvocationError>;

/// Why an invocation gave no result.
#[derive(Debug)]
pub(crate) enum InvocationError {
    /// It could not be made, for this reason.
    NotMade(String),
    /// It failed with these faults.
    Failed(Vec<Diagnostic>),
    /// The program that was started failed, and this is what it left: lines that
    /// end with a line feed.
    Exited(String),
}

/// The arguments of an example as hosts send them.
pub(crate) struct EncodedArguments {
    /// As JSON.
    pub(crate) json: Vec<u8>,
    /// As YAML, or why that cannot be.
    pub(crate) yaml: Result<Vec<u8>, String>,
}

impl EncodedArguments {
    pub(crate) fn new(example: &Map<String, Value>) -> Self {
        let value = Value::Object(example.clone());
        Self {
            json: value.to_string().into_bytes(),
            yaml: yaml(&value),
        }
    }
}

/// The value as YAML that reads back as the same value.
fn yaml(value: &Value) -> Result<Vec<u8>, String> {
    let block = serde_yaml::to_string(value).map_err(|error| error.to_string())?;
    // The writer leaves `<<` as a key, and line separators, as no reader takes
    // them; quoted as in JSON, which is YAML too, they can be sent.
    same(value, block).or_else(|_| same(value, value.to_string()))
}

fn same(value: &Value, text: String) -> Result<Vec<u8>, String> {
    let bytes = text.into_bytes();
    let read = Arguments::read(bytes.clone(), Syntax::Yaml).map_err(|error| error.to_string())?;
    if Value::Object(read.into_object()) == *value {
        Ok(bytes)
    } else {
        Err("it reads back as something else".to_owned())
    }
}

/// The answer of `tool`, in this process.
pub(crate) fn answer(
    tool: &Arc<Tool>,
    bytes: &[u8],
    syntax: Syntax,
    cx: &Context,
) -> Result<Vec<u8>, Failure> {
    let answer = call(tool, bytes.to_vec(), syntax, cx.clone())?;
    Ok(answer.text.into_bytes())
}

/// What the arguments as YAML and the tool's own file give, in this process.
pub(crate) fn other_invocations(
    tool: &Arc<Tool>,
    loaded_by_path: &Result<Arc<Tool>, Vec<Diagnostic>>,
    arguments: &EncodedArguments,
    cx: &Context,
) -> Vec<(String, Answer)> {
    let failed = |failure: Failure| InvocationError::Failed(failure.diagnostics().to_vec());
    let yaml = match &arguments.yaml {
        Ok(bytes) => answer(tool, bytes, Syntax::Yaml, cx).map_err(failed),
        Err(why) => Err(InvocationError::NotMade(format!(
            "the example cannot be written as YAML: {why}"
        ))),
    };
    let file = match loaded_by_path {
        Ok(tool) => answer(tool, &arguments.json, Syntax::Json, cx).map_err(failed),
        Err(diagnostics) => Err(InvocationError::Failed(diagnostics.clone())),
    };
    vec![
        ("as YAML".to_owned(), yaml),
        ("by the tool's own file".to_owned(), file),
    ]
}

/// What is wrong with the invocation `name` that gave `answer` where JSON gave
/// `expected`.
pub(crate) fn compare(name: &str, answer: Answer, expected: &[u8]) -> Option<TestFailure> {
    let failure = |message: String| TestFailure::new(FailureKind::Invocation, message);
    let fails = || {
        failure(format!(
            "called {name}, it fails; called as JSON, it does not"
        ))
    };
    Some(match answer {
        Ok(bytes) if bytes == expected => return None,
        Ok(bytes) => {
            let message = format!("called {name}, the result is another than called as JSON");
            let detail = diff("as JSON", expected, name, &bytes);
            failure(message).detail(detail).hint(
                "a tool that says something else each time cannot be tested with a golden file",
            )
        }
        Err(InvocationError::NotMade(why)) => failure(why),
        Err(InvocationError::Failed(diagnostics)) => fails().diagnostics(diagnostics),
        Err(InvocationError::Exited(detail)) => fails().detail(detail),
    })
}

/// What keeps the file from being run as a program, though its first line says so.
pub(crate) fn shebang_problem(tool: &Tool, file: &Candidate) -> Option<TestFailure> {
    let line = shebang::of(tool.source())?;
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
    fn what_yaml_holds() {
        let words = r#" ~ null true yes 010 0x1f 1_000 1e3 .inf - a: # #b ' " é 😀 --- ... !x &x *x
            %x @ ` { [ | > ? << 2001-01-01 12:30 = , \ : -1 +1 ${x} {{x}} "#;
        let odd = [
            "", " ", "- a", "a: b", "a #b", "a\nb", "a\n", "\n", "\n\na ", " a\nb", "\t", "a\tb",
            "\r", "a\r\nb", "\0", "\u{1b}", "\u{85}", "\u{2028}", "\u{feff}", "\u{fffe}", "\u{a0}",
        ];
        for word in words.split_whitespace().chain(odd) {
            let value = json!({"plain": word, word: [word, {word: word}]});
            assert!(yaml(&value).is_ok(), "{word:?}: {:?}", yaml(&value));
        }
        let numbers = json!([0, -1, 1.5, -0.0, 1e300, 1e-300, 100.0, u64::MAX, i64::MIN]);
        let others = json!({"numbers": numbers, "words": [true, null, {}, [], [[]]]});
        assert!(yaml(&others).is_ok(), "{:?}", yaml(&others));
    }

    #[test]
    fn each_kind_of_error_has_its_message() {
        let fails = "called by hand, it fails; called as JSON, it does not";
        for (error, message, detail) in [
            (InvocationError::NotMade(String::new()), "", ""),
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
