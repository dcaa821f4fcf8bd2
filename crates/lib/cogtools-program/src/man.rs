//! Texts that the man pages of several programs share.
//!
//! These texts, like every `Program::manual`, are plain: a blank line ends a
//! paragraph; lines indented by four spaces are code; a line followed by lines
//! indented by two is a term and its description, a line of the page each; and
//! what is in back-quotes is bold.

use std::fmt::Write as _;

use cogtools_core::Code;

/// An environment variable that a program reads: its name, and a line with its description.
pub type Variable = &'static str;

/// The variables of a program that reads the configuration of a project.
pub const PROJECT: &[Variable] = &[HOME, CONFIGURATION];

/// The variables of a program that reads the sources of a project.
pub const SOURCES: &[Variable] = &[HOME, CONFIGURATION, XDG_STATE_HOME, XDG_CACHE_HOME];

/// The variables of a program that runs tools from files.
pub const TOOLS: &[Variable] = &[HOME, CONFIGURATION, XDG_STATE_HOME];

/// The variables of a program that reads the sources of a project without the user's
/// configuration.
pub const SHARED: &[Variable] = &[HOME, XDG_STATE_HOME, XDG_CACHE_HOME];

/// The variables of a program that reads the sessions of a project.
pub const SESSIONS: &[Variable] = &[HOME, SESSION_HOME];

const NO_COLOR: Variable = "NO_COLOR\n  \
    If set and not empty, output is not coloured, even on a terminal; --color always \
    overrides it.";

const HOME: Variable = "HOME\n  \
    The user's home directory. Its .gemini folder does not mark a project; it holds the \
    user's configuration, ~/.gemini/cogtoolrc.yaml.";

const CONFIGURATION: Variable = "COGTOOLS_*, GEMINI_CLI_SYSTEM_SETTINGS_PATH\n  \
    Configuration; see `cogtoolrc(5)`.";

const XDG_STATE_HOME: Variable = "XDG_STATE_HOME\n  \
    The directory below which cogtools/trust.json records what the user has approved; \
    ~/.local/state if unset.";

const SESSION_HOME: Variable = "XDG_STATE_HOME\n  \
    The directory below which cogtools/sessions holds the sessions of each project; \
    ~/.local/state if unset.";

const XDG_CACHE_HOME: Variable = "XDG_CACHE_HOME\n  \
    The directory below which cogtools caches the declarations of sources; ~/.cache if \
    unset.";

/// The files of a project, for the programs that look for tools.
pub const FILES: &str = "\
.cogtoolrc.yaml
  The configuration of the project: where its tools come from; see `cogtoolrc(5)`. Without it, \
tools are in the folder tools. The project is the nearest directory, from the current one upward, \
that contains this file, a package.json with the key cogtools, a .gemini folder or a .git.

tools/NAME.yaml
  The tool of that name; see `cogtools-tool(5)`.";

const COLOR: Variable = "FORCE_COLOR, CLICOLOR_FORCE\n  \
    If set, and not 0, output is coloured, even if it is not on a terminal.";

const PAGER: Variable = "PAGER\n  \
    The program that shows long output at a terminal; less if unset, none if empty or cat. \
    An .env of a project cannot set it.";

const LOG: Variable = "COGTOOLS_LOG\n  \
    If it is debug, each step of the run is printed on standard error with its time. An .env \
    of a project cannot set it.";

/// The environment section: `variables`, and those that all programs read.
pub fn environment(variables: &[Variable]) -> String {
    [&[NO_COLOR, COLOR, PAGER, LOG], variables]
        .concat()
        .join("\n\n")
}

/// The exit statuses of a program that fails with `codes`, in order of status.
pub fn exit_status(codes: &[Code]) -> String {
    let mut text = "0\n  Success.\n".to_owned();
    let mut last = 0;
    for code in codes {
        if code.status() != last {
            last = code.status();
            let _ = writeln!(text, "\n{last}");
        }
        let _ = writeln!(text, "  {}: {}.", code.name(), code.description());
    }
    text.push_str(
        "\n128 + N\n  Terminated by signal N; 141 if the reader of its output has gone away.\n\n\
         A status has the same description in every program.",
    );
    text
}
