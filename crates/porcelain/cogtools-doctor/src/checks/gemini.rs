//! Which Gemini CLI starts here, and which settings keys it reads.

use cogtools_edit::host::Version;
use cogtools_edit::host::install::Installation;

use crate::context::Context;
use crate::finding::Finding;

/// The command that installs Gemini CLI.
const INSTALL: &str = "npm install --global @google/gemini-cli";

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    if !cx.is_for_gemini() {
        let message = "not checked: other hosts have the tools (`cogtools init --host gemini` adds \
                       Gemini CLI)";
        return vec![Finding::ok(message)];
    }
    if cx.gemini.installations.is_empty() {
        let message = format!(
            "no `gemini` is on PATH, in node_modules or in npx's cache; the other checks assume version {}",
            Version::KNOWN
        );
        return vec![Finding::warning(message).fix(INSTALL)];
    }
    cx.gemini
        .installations
        .iter()
        .enumerate()
        .map(|(index, installation)| describe(index, installation, cx))
        .collect()
}

fn describe(index: usize, installation: &Installation, cx: &Context) -> Finding {
    let program = cx.gemini.paths.display_path(&installation.program);
    let Some(version) = installation.version else {
        let message = format!("`{program}` does not report its version");
        return Finding::warning(message).fix(INSTALL);
    };
    let [discovery, call] = version.generation().keys();
    let role = match (index, installation.on_path) {
        (0, true) => "",
        (_, true) => ", hidden by an earlier one on PATH",
        (_, false) => ", started by `npx gemini`",
    };
    Finding::ok(format!(
        "Gemini CLI {version} is `{program}`{role}; it reads `{discovery}` and `{call}`"
    ))
}
