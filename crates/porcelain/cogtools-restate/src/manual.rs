//! The sections of the manual page that no command line has.

/// The sections.
pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "WORKERS",
        "`serve` runs a worker in a project. Restate calls it for each run, and for each node of a run; the worker starts `cogtools flow show`, `node` and `output` for that, so only what the user of the worker has approved runs. Workers that listen at the same address share the work, and take over from each other. All of them need the same files: a run names the digests of its flow and of `cogtools.lock`, and ends with `INVALID_TOOL` where they differ.",
    ),
    (
        "INTERRUPTIONS",
        "What has a result is in the journal of Restate, and does not run again. A node whose worker has ended before that runs again if it calls no tool, or one that is a template, only reads or is idempotent. Any other node waits: `waiting` lists it, and `resume` decides whether it runs again (`--repeat`), or what its result is (`--result`). A node that asks waits for `--answer`.\n\nA child of a worker that is killed ends within a second.",
    ),
    (
        "SECURITY",
        "With access to the ports of Restate or of a worker, anyone can run the flows of the project, with any arguments. A worker listens on this machine alone, unless `--identity-key` names the Restate that may call it. Arguments, results and answers are in the journal of Restate.",
    ),
    (
        "EXAMPLES",
        "    cogtools-restate serve --register http://127.0.0.1:9070\n\n    cogtools-restate run find_time --name monday question=\"When can we meet?\"\n\n    cogtools-restate waiting monday\n\n    cogtools-restate resume monday publish --answer yes",
    ),
];
