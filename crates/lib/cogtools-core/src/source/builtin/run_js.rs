//! `run_js`: JavaScript that a model wrote, evaluated as `cogtools-js` does.

use serde_json::{Map, Value, json};

use super::{BuiltIn, READ_ONLY, files};
use crate::javascript::Script;
use crate::tool::{RunError, ToolOutput};
use crate::{Code, Context, Diagnostic};

/// The tool.
pub(super) const TOOL: BuiltIn = BuiltIn {
    name: "run_js",
    title: "Run JavaScript",
    description: "Evaluates JavaScript in a sandbox and returns its result. Use it to compute: \
                  the code is the body of a function of `args`, and returns JSON. It has no \
                  files, no network and no modules.",
    parameters,
    annotations: READ_ONLY,
    run: evaluate,
};

/// Values out of the limits of time are clamped, so the schema has no bounds for it; what models
/// send besides is ignored.
fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "code": {
                "type": "string",
                "description": "The body of a function with the parameter args, such as \
                                `return args.a + 1`",
                "minLength": 1,
                "maxLength": 1000,
            },
            "args": {
                "type": "object",
                "description": "The value of args; `{}` if it is left out",
                "additionalProperties": true,
                "nullable": true,
            },
            "timeoutMs": {
                "type": "number",
                "description": "How long the code may run, from 50 to 1,500 ms; 500 if it is \
                                left out",
                "nullable": true,
            },
        },
        "required": ["code"],
        "additionalProperties": true,
    })
}

fn evaluate(
    tool: &str,
    arguments: &Map<String, Value>,
    cx: &Context,
) -> Result<ToolOutput, RunError> {
    let script = Script {
        now: None,
        ..Script::requested(arguments).map_err(|violations| {
            let mut violations = violations.into_iter();
            let first = violations.next();
            let first = first.unwrap_or_else(|| Diagnostic::new(Code::Internal, "no reason"));
            files::failed(tool, first)
        })?
    };
    let code = script.code.clone();
    let evaluation = script
        .run(cx.programs.as_deref(), &cx.cancel)
        .map_err(|error| files::failed(tool, error.diagnostic(&code)))?;
    Ok(ToolOutput {
        text: format!("{}\n", evaluation.render()),
        stderr: evaluation.logs.join("\n"),
        value: Some(json!({
            "result": evaluation.value,
            "logs": evaluation.logs,
            "stringified": evaluation.stringified,
            "ms": evaluation.ms,
        })),
        ..ToolOutput::default()
    })
}
