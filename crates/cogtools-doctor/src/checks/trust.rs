//! Whether Gemini CLI trusts the folder: settings of another one are not read.

use cogtools_gemini_cli::Trust;

use crate::context::Context;
use crate::finding::Finding;

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let version = cx.gemini.version();
    if !version.has_policies() {
        let message = format!("was not looked at: Gemini CLI {version} is too old to ask for it");
        return vec![Finding::ok(message)];
    }
    vec![match &cx.gemini.trust {
        Trust::Trusted(why) => Finding::ok(format!("the folder is trusted: {why}")),
        Trust::Unsaid => Finding::warning(
            "nobody has said that the folder is trusted: Gemini CLI asks at a terminal, and stops \
             with status 55 without one",
        )
        .fix("gemini, and trust the folder; without a terminal export GEMINI_CLI_TRUST_WORKSPACE=true"),
        Trust::Refused(why) => Finding::problem(format!(
            "the folder is not trusted ({why}), so Gemini CLI does not read the project's settings"
        ))
        .fix("export GEMINI_CLI_TRUST_WORKSPACE=true, or change what says so"),
        Trust::Unreadable(why) => {
            let message = format!("{why}: Gemini CLI does not start");
            Finding::problem(message).fix("mend that file by hand")
        }
    }]
}
