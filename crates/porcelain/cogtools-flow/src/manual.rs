//! The sections of the manual page that no command line has.

/// The sections.
pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "NODES",
        "A flow is a tool whose `implementation` is `{flow: {nodes, output}}`. Each node has a name, which is the variable with its result, and exactly one of these keys:\n\n`text`: a value. A text that is one expression in braces keeps the type of its value.\n\n`js`: the body of a JavaScript function over `args`, which has the parameters and the results of the nodes under `needs`.\n\n`tool`: a call of a tool, by `name` or by `capability`, with `arguments`. `among` lists the capabilities that count; `preset` is a result that is used without a call.\n\n`agent`: a question to a model, with the keys of an agent. Rules win over `system` and `behaviour`. `reply`, written as `parameters` are, makes the answer JSON: without `tools`, the model has to call a function with it, and one that cannot is asked for JSON. With `then` and `else` the answer chooses between two nodes; an answer that is not true is `else`.\n\n`router`: a list of `{when, to}`; the first whose condition holds chooses a node, and the others are skipped.\n\n`each`: `{in, as, max}` and one of `tool`, `agent`, `text` and `js`, done for each item of a list, `max` of them at the same time.\n\n`ask`: a question to the user.",
    ),
    (
        "ORDER",
        "A node starts when the nodes that it needs have ended: those that its templates mention, those under `needs`, and the routers that choose it. Independent nodes run at the same time. A node that needs one without a result is skipped, unless the need is optional: written `NAME?`, or mentioned where its value is tested. The variable is null then. `when` is a condition. `retry: {times, delay, backoff, until}` says how often a node is run again when it fails; with `until`, an expression over its result or a list of them, it also fails when its result does not meet them. `timeout` says how many seconds it may take. Both hold for each item of a list. With `cache: true`, the result of the same call in an earlier run is used, if the tool only reads or is idempotent and has not changed.\n\nThe output is what `output` says, or else the last result that is not empty.",
    ),
    (
        "CAPABILITIES",
        "A capability is the name of what a tool does, such as `calendar.list_events`; tools declare theirs. Exactly one tool is called: the one that has the capability after `capability_aliases` of the configuration. If none has it, or several do, the node fails, and the message names what there is. `route` prints the tool.",
    ),
    (
        "SESSIONS",
        "A run is kept in a session: the arguments, each start and end of each node, how its tool was chosen, its result. `trace` shows it, and so does `cogtools-session(1)`; `trace --panel` shows which tool the last capability led to, and from what the model said. `resume` goes on with a flow that has failed, that waits for an answer, or that was interrupted; what has a result does not run again. Personal data in lines is masked: addresses of e-mail, telephone numbers with a country code, payment cards, IBANs. The whole values are in the folder beside the session, which only the user can read. A node that was running when the run ended may have had an effect: unless its tool is a template, only reads or is idempotent, it is reported, and `--repeat NODE` runs it.\n\n`run --record FILE` keeps what models answer, and `--replay FILE` runs without them.",
    ),
    (
        "ENGINES",
        "An engine that runs flows itself, on one machine or many, has three commands. `show --json` prints the graph: for each node what it needs, how often it is tried again (`retry`, after the codes in `retryable`), whether it may run twice (`repeatable`), and the digest of what it runs.\n\n`node` runs exactly one node. Its inputs are a JSON object with the arguments of the flow and the results of the nodes that it needs, null for one without a result; it prints its result, null if it is skipped. Its events are written to the descriptor 3, if it is open. With `--digest` it runs only what the digest is of. It ends with the process that started it.\n\n`output` prints the output of the flow, from all results.",
    ),
    (
        "TESTS",
        "`cogtools-test(1)` runs the examples of a flow like those of any tool, and needs no model: what one has answered is in `FLOW.EXAMPLE.tape`, which `cogtools test --update` records. A `preset` stands for a call, and so does what `with` of an example says, by the name of the tool or its capability. `test` compares the way that each example takes, the state of each node and the tool that was chosen, with `FLOW.EXAMPLE.trace.golden`.",
    ),
    (
        "EXAMPLES",
        "    cogtools flow run find_time question=\"find 30 minutes free\"\n\n    cogtools flow show find_time --svg > find_time.svg\n\n    cogtools flow trace\n\n    cogtools flow resume --answer publish=yes\n\n    echo yes | cogtools flow resume --answer publish=@-\n\n    cogtools flow route calendar.list_events",
    ),
];
