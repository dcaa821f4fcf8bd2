//! The sections of the manual page.

use crate::{documents, guidance, interview, print};

pub(crate) const MANUAL: &[(&str, &str)] = &[
    ("QUESTIONS", interview::MANUAL),
    ("FILES", FILES),
    ("HOSTS", guidance::HOSTS),
    ("TABLE OF TOOLS", documents::MANUAL),
    ("PRINT", print::MANUAL),
    ("HEADLESS USE", guidance::HEADLESS),
    ("JSON", JSON),
    ("ENVIRONMENT", ENVIRONMENT),
];

const FILES: &str = "\
.cogtoolrc.yaml configures where the project's tools come from. It is created if it does not \
exist, unless package.json or .gemini/cogtoolrc.yaml has tool_sources already. An invalid \
configuration is reported, and nothing is written.\n\n\
tools/ contains the tools, one file each, or else the first folder that tool_sources names. An \
example is added if there are no tools yet. If tools/ has YAML files of another kind, the folder \
is ai-tools.\n\n\
.gemini/settings.json tells Gemini CLI how to reach the tools. What is missing is added; every \
other byte is preserved, including comments. If a key has a conflicting value, nothing at all is \
written. Other hosts have other files. A file that belongs to the user rather \
than the project is changed only if its host was named with --host, and is always shown with its \
full path.";

const JSON: &str = "\
With --format json, no questions are asked. One object: written, false with --dry-run; and \
files, an array of objects with file, action (created, updated or unchanged) and, with --dry-run, \
diff.";

const ENVIRONMENT: &str = "\
HOME
  The home directory, which contains the files of claude-desktop, codex and goose.

XDG_CONFIG_HOME, CODEX_HOME
  If set, the directories of these files instead: ~/.config and ~/.codex.

GOOSE_PATH_ROOT
  If set, the configuration of Goose is config/config.yaml below it.";
