//! What the man pages of all programs say in the same words.
//!
//! These texts, like every `Program::manual`, are in the plain form that
//! `xtask/manual` sets: a blank line ends a paragraph, lines behind four spaces
//! stand as they are, a line followed by lines behind two spaces is a term and
//! what it means, and what stands in back-quotes is bold.

use std::fmt::Write as _;

use cogtools_core::Code;

/// The variables that every program looks at.
pub const ENVIRONMENT: &str = "\
NO_COLOR
  When it is set and not empty, messages have no colour, even on a terminal.

HOME
  The user's own .gemini folder is not taken for the mark of a project. It holds the user's \
configuration, ~/.gemini/cogtoolrc.yaml. What the user has allowed to run is recorded in \
~/.local/state/cogtools unless XDG_STATE_HOME says otherwise, and what sources have declared is \
kept in ~/.cache/cogtools unless XDG_CACHE_HOME does.";

/// The files of a project, for the programs that look for tools.
pub const FILES: &str = "\
.cogtoolrc.yaml
  Where the project's tools come from; see `cogtoolrc(5)`. Without it the tools are in \
the folder tools. The project is the nearest directory, from the current one upward, that \
has this file, a package.json with the key cogtools, a folder .gemini or a .git.

tools/NAME.yaml
  The tool of that name; see `cogtools-tool(5)`.";

/// Every exit status with the codes that leave it behind.
pub fn exit_status() -> String {
    let mut text = "0\n  Done.\n".to_owned();
    let mut statuses: Vec<u8> = Code::ALL.into_iter().map(Code::status).collect();
    statuses.dedup();
    for status in statuses {
        let _ = writeln!(text, "\n{status}");
        for code in Code::ALL.into_iter().filter(|code| code.status() == status) {
            let _ = writeln!(text, "  {}: {}.", code.name(), code.meaning());
        }
    }
    text.push_str(
        "\n128 + N\n  Signal N ended the program; 141 when nobody reads its output any more.\n\n",
    );
    text.push_str(
        "A status means the same in every program; `cogtools-errors(7)` says what to do.",
    );
    text
}
