//! The sections of the manual page that no command line has.

/// The sections.
pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "ACCESS",
        "The server listens on 127.0.0.1 only, and serves requests whose Host is this machine and whose Origin, if there is one, is its own. The URL that it prints has a token that is good for one use: the browser gets a cookie for it and is led to the pages, and everything else is refused. The pages are below a random path, where alone a browser sends the cookie: no other server on this machine gets it. Whatever starts something also needs a token of the page. Another browser needs another `cogtools ui`.\n\nNo page loads anything from another host, and no key of a provider is ever in a page.",
    ),
    (
        "PAGES",
        "Below the random path:\n\n/sessions\n  The sessions of the project, and those of `--session`: those that wait for the user, those that run, then the one that was written to last. A search finds words in all of their texts, and takes tool:NAME, model:NAME, state:STATE and cost:>AMOUNT. A form begins a session.\n\n/sessions/SESSION\n  What happened in one: the conversation, and the timeline of a turn with its requests, calls and prompts. From each turn another branch can begin, and a call that succeeded can become an example of its tool. A session that runs is followed, and nothing can be sent to it meanwhile.\n\n/tools\n  The tools of the project, with their cost in tokens, their approval, and how their examples ended, if a page has run them.\n\n/tools/TOOL\n  What a tool declares, and a form to call it. The call is one of `cogtools call`: a tool that is not approved is denied.\n\n/evals\n  The cases of the last run of `cogtools eval` with each model, and earlier runs. A case leads to its trials, and a trial to its session.",
    ),
    (
        "EXAMPLES",
        "    cogtools ui --open\n\n    cogtools ui --port 8765\n\n    cogtools ui --session run.jsonl",
    ),
];
