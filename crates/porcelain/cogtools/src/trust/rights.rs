//! What a program may reach, in words, and what no sandbox stops.

use std::fmt::Write as _;

use cogtools_core::approval::{Kind, TrustableSource};
use cogtools_core::sandbox::{LIMITATIONS, Sandbox};
use cogtools_core::tool::Author;
use cogtools_core::{Context, Tool};

use crate::trust::review::{Line, labelled, line};

/// The sandbox of a call of `tool`, if it has one: a package's tool always does.
pub(crate) fn of_tool(tool: &Tool) -> Option<Sandbox> {
    let is_package = matches!(tool.provenance().author, Author::Package(_));
    let default = || is_package.then(Sandbox::default);
    tool.sandbox().cloned().or_else(default)
}

/// What a program in `sandbox` may reach.
pub(crate) fn lines(sandbox: Option<&Sandbox>) -> Vec<Line> {
    let Some(sandbox) = sandbox else {
        let all = "do all that you may: it has no sandbox";
        return vec![line("may", all)];
    };
    labelled("may", &sandbox.describe().join("; "))
}

/// Whether something of `source` has a sandbox.
pub(crate) fn is_confined(source: &TrustableSource, cx: &Context) -> bool {
    match &source.kind {
        Kind::Project { tools } | Kind::Package { tools, .. } => {
            tools.iter().any(|tool| of_tool(tool).is_some())
        }
        Kind::Provider(provider) => provider.effective_sandbox(cx).is_some(),
    }
}

/// The table of what no sandbox stops.
pub(crate) fn limitations() -> String {
    let mut text = "a program in a sandbox can still\n".to_owned();
    for one in LIMITATIONS {
        let _ = writeln!(text, "  {} ({})", one.what, one.note);
    }
    text.push('\n');
    text
}
