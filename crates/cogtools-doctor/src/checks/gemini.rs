//! Which Gemini CLI starts from here, and which keys of the settings it reads.

use cogtools_gemini_cli::Version;
use cogtools_gemini_cli::install::Installation;

use crate::context::Context;
use crate::finding::Finding;

const INSTALL: &str = "npm install --global @google/gemini-cli";

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    if cx.gemini.installations.is_empty() {
        let message = format!(
            "no `gemini` is on PATH or in node_modules; the rest is told for version {}",
            Version::KNOWN
        );
        return vec![Finding::warning(message).fix(INSTALL)];
    }
    cx.gemini
        .installations
        .iter()
        .enumerate()
        .map(|(index, one)| describe_found(index, one, cx))
        .collect()
}

fn describe_found(index: usize, one: &Installation, cx: &Context) -> Finding {
    let program = cx.gemini.places.shown(&one.program);
    let Some(version) = one.version else {
        let message = format!("`{program}` does not tell its version");
        return Finding::warning(message).fix(INSTALL);
    };
    let [discovery, call] = version.generation().keys();
    let role = match (index, one.on_path) {
        (0, true) => "",
        (_, true) => ", hidden by an earlier one on PATH",
        (_, false) => ", started by `npx gemini`",
    };
    Finding::ok(format!(
        "Gemini CLI {version} is `{program}`{role}; it reads `{discovery}` and `{call}`"
    ))
}
