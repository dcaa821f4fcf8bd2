//! The sections of the manual page that no command line has.

/// The sections.
pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "ACCESS",
        "The server listens on 127.0.0.1 only, and serves requests whose Host is this machine and whose Origin, if there is one, is its own. The URL that it prints has a token that is good for one use: the browser gets a cookie for it, and everything else is refused. Whatever starts something also needs a token of the page. Another browser needs another `cogtools ui`.\n\nNo page loads anything from another host, and no key of a provider is ever in a page.",
    ),
    (
        "PAGES",
        "/sessions\n  The sessions of the project, and those of `--session`, the one that was written to last first.\n\n/sessions/SESSION\n  What happened in one: the conversation, the plan and its steps, the calls with their arguments and results. A session that runs is followed.\n\n/tools\n  The tools of the project, with their cost in tokens and their approval.\n\n/tools/TOOL\n  What a tool declares, and a form to call it. The call is one of `cogtools call`: a tool that is not approved is denied.",
    ),
    (
        "EXAMPLES",
        "    cogtools ui --open\n\n    cogtools ui --port 8765\n\n    cogtools ui --session run.jsonl",
    ),
];
