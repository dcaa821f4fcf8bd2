//! Whether Gemini CLI trusts the folder: it ignores the settings of one it does not.

use cogtools_gemini_cli::Trust;

use crate::context::Context;
use crate::finding::Finding;

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
        .fix("run gemini and trust the folder; without a terminal, export GEMINI_CLI_TRUST_WORKSPACE=true"),
        Trust::Untrusted(why) => Finding::problem(format!(
            "the folder is not trusted ({why}), so Gemini CLI does not read the project's settings"
        ))
        .fix("export GEMINI_CLI_TRUST_WORKSPACE=true, or change that setting"),
        Trust::Unreadable(why) => {
            let message = format!("{why}: Gemini CLI does not start");
            Finding::problem(message).fix("edit that file")
        }
    }]
}
