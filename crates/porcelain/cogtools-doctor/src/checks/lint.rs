//! Asks the linter for fixes of a tool file that no host sees.

use serde_json::Value;

use crate::host::Host;
use crate::process;

/// Returns true if `cogtools lint --fix` removes every error of `file`.
pub(super) fn fixes_all(file: &str, host: &Host) -> bool {
    let program = format!("cogtools{}", std::env::consts::EXE_SUFFIX);
    let program = host.programs.join(program);
    let args = ["lint", "--format", "json", "--", file];
    let Ok(output) = process::run(&program, &args, b"", host) else {
        return false;
    };
    let Ok(Value::Array(findings)) = serde_json::from_slice(&output.stdout) else {
        return false;
    };
    let is_error = |finding: &&Value| finding["severity"] == "error";
    let mut errors = findings.iter().filter(is_error).peekable();
    errors.peek().is_some() && errors.all(|finding| finding["fixable"] == true)
}
