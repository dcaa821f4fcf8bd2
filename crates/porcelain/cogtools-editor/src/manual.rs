//! The sections of the manual page that no command line has.

/// The sections.
pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "THE SOURCE",
        "`tool_sources: [editor]` in `cogtoolrc(5)`, or `cogtools ask --editor`, brings the tools get_selected_text, get_current_file, get_open_files, get_diagnostics and propose_edit. They print one JSON object, with `source` for the editor that has answered; without one, the text is empty and `source` is `none`. A text has at most 1 MiB, then `truncated` is true. Paths in the project are relative to it; lines and columns are counted from 1, in characters. Files that may contain secrets, such as .env, are not read.",
    ),
    (
        "WHICH EDITOR ANSWERS",
        "The first of these that answers within a second:\n\n1. The socket in COGTOOLS_EDITOR, unless its window has only other folders than the current one; `none` turns all editors off.\n\n2. The window whose folder contains the current one, by the discovery files in $XDG_RUNTIME_DIR/cogtools/editor (or /tmp/cogtools-UID/editor). The deepest folder wins; two windows with the same one are an error that names both.\n\n3. Neovim, by NVIM, which it sets in its terminals.\n\n4. Emacs, if INSIDE_EMACS is set and its server runs.\n\n5. The environment: COGTOOLS_SELECTED_TEXT and COGTOOLS_CURRENT_FILE, ZED_SELECTED_TEXT and ZED_FILE, kak_selection and kak_buffile, as they were when the program was started.\n\nSockets and files must belong to the user, and the variables must be the user's own: what an .env of the project sets does not count. Nothing listens on a port. `status` says which one answers, and why the others do not.",
    ),
    (
        "INSTALL",
        "`install` writes the extension to cogtools.vsix in the user's state directory and runs `PROGRAM --install-extension` for code, code-insiders, code-server, codium, cursor, positron and windsurf, as far as they are on PATH outside the project. In a window on a remote host or in a container, run it in a terminal of that window: the extension has to run where the terminal does.",
    ),
    (
        "JSON",
        "`status --json` prints one object: `editor` is the name of the editor that answers, or null; `by` is the variable or discovery file by which it was found; `attempts` has `by` and `reason` for each one that did not answer.",
    ),
    (
        "FILES",
        "$XDG_RUNTIME_DIR/cogtools/editor/PID.json\n  A window: its socket, its folders, its name. It is written by the editor, and counts only as long as the process PID runs.",
    ),
    (
        "EXAMPLES",
        "    cogtools editor status\n\n    cogtools editor install\n\n    cogtools editor install --to cogtools.vsix\n\n    cogtools editor print zed > .zed/tasks.json",
    ),
];
