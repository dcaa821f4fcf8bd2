//! The trust of Gemini CLI in the folder: it ignores the settings of an untrusted one.

use std::ffi::OsStr;

use cogtools_edit::host::Trust;

use crate::context::Context;
use crate::finding::Finding;

/// The command that trusts the folder for what the same shell starts.
const TRUST: &str = "export GEMINI_CLI_TRUST_WORKSPACE=true";
/// The command where nothing is trusted.
const UNRESTRICT: &str = "unset GEMINI_RESTRICTED_MODE; export GEMINI_CLI_TRUST_WORKSPACE=true";

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let version = cx.gemini.version();
    if !version.has_policies() {
        let message = format!("skipped: Gemini CLI {version} does not ask for trust");
        return vec![Finding::ok(message)];
    }
    vec![match &cx.gemini.trust {
        Trust::Trusted(why) => Finding::ok(format!("the folder is trusted: {why}")),
        Trust::Undecided => Finding::warning(
            "it is not set whether the folder is trusted: Gemini CLI asks on a terminal, and exits \
             with status 55 without one",
        )
        .fix(TRUST),
        Trust::Untrusted(why) => Finding::problem(format!(
            "the folder is not trusted ({why}), so Gemini CLI does not read the project's settings"
        ))
        .fix(if is_restricted(cx) { UNRESTRICT } else { TRUST }),
        Trust::Unreadable(why) => {
            let message = format!("{why}: Gemini CLI does not start");
            Finding::problem(message).hint("correct that file")
        }
    }]
}

/// Returns true if Gemini CLI trusts nothing.
fn is_restricted(cx: &Context) -> bool {
    let value = cx.host.vars.get(OsStr::new("GEMINI_RESTRICTED_MODE"));
    value.is_some_and(|value| value == "true")
}
