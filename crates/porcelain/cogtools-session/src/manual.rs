//! The sections of the manual page that no command line has.

/// The sections.
pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "SESSIONS",
        "A session is a file of JSON lines: a header, then one line for each thing that happened, such as a task, a request, a response, a call and its result. Each line names the one that it follows, so that a session is a tree, and what the model has seen is the path from a leaf to the root. Nothing in a file is ever changed: `cogtools ask` only appends, and a fork is a new file.\n\nSESSION is the name of a session of this project, the beginning of a name if no other begins so, or the path of a file; a text with a dot or a slash is a path. Without it, the session that was written to last is used.\n\nA process that is killed may leave a last line that was cut off. It is left out with a warning, and the session can be resumed; the next line in the file then says how many lines before it do not count. Any other line that is not valid is an error.",
    ),
    (
        "OUTPUT",
        "`show --json` and `export --format json` print one object: `header` and `entries`, as they are in the file, and `summary` with the model, turns, calls, milliseconds, usage and end. `cogtools schema session` prints the JSON Schema of the lines. `list --json` prints an array of objects with `session`, `file`, `began`, `modified`, `model`, `turns`, `calls`, `usage`, `task` and `end`.\n\n`export --format gemini` prints `contents` for the Gemini API, with each answer of the model exactly as it was received, and with compaction and expiry applied. `export --format openai` prints `messages` for any compatible server; signatures and thoughts have no place there and are left out.\n\n`prompt` prints what a request sent: the layers of the prompt, with their tokens, and what each content says. `fork` prints the name of the new session, or its path.",
    ),
    (
        "SECRETS",
        "The values of the variables that hold the keys of providers are masked before anything is written. What tools print is not secret to the model, and is in the file: read a session before you send it to others.",
    ),
    (
        "FILES",
        "~/.local/state/cogtools/sessions/PROJECT/SESSION.jsonl\n  The sessions of a project, below XDG_STATE_HOME if that is set; below LOCALAPPDATA on Windows. Only their user can read them.\n\nSESSION.blobs\n  A folder beside a session, with results that are too large for a line, and with what was sent to the model, once each. Each file is named by the SHA-256 of its content.",
    ),
    (
        "EXAMPLES",
        "    cogtools session list\n\n    cogtools session show\n\n    cogtools session show 7f3a --from 12\n\n    cogtools session prompt 7f3a\n\n    cogtools session fork 7f3a --from 12 --to experiment.jsonl\n\n    cogtools session export --format gemini run.jsonl\n\n    cogtools session prune --older-than 30d --keep 20",
    ),
];
