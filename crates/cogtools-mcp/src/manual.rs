//! The sections of the manual page.

use cogtools_program::{budget, man};

pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "PROTOCOL",
        "Clients of both eras of the protocol are served: those that say initialize, up to revision 2025-11-25, and those that do not, from 2026-07-28 on. Tools and prompts are offered; there are no resources.\n\nA tool's inputSchema is JSON Schema 2020-12 and holds the tool's examples; title, annotations and, for a tool that declares the schema of an object under output, outputSchema are as the tool says. A call is held to what `cogtools-call(1)` holds it to. What the model can mend is a result with isError and the words of `cogtools-errors(7)`; an unknown tool or a request that is none is an error of the protocol. Tools are looked up afresh for each call and each list. When files change so that the list does, clients are told: over standard streams in both eras, over HTTP those that subscribe.\n\nA tool whose answer is a template and that has an example is a prompt too, of the same name. What a person writes for an argument that is no string is read as JSON.",
    ),
    (
        "LIFE",
        "Over standard streams the server ends with its client: at the end of standard input, when what was asked before has been answered or after a second. SIGTERM, SIGINT, SIGHUP and the death of the process that started it end it at once. In each case, and when a call is cancelled or takes too long, the programs that tools have started are ended first.\n\nStandard output has messages only. Standard error has words for whoever reads the client's log: tools that are left out because they are broken, for one.",
    ),
    (
        "HTTP",
        "With --http the server listens on an address of this machine and prints its URL, which ends in /mcp. Port 0 takes any that is free. Requests that name another host, or come from a page of another origin, are refused with 403. When MCP_SERVER_TOKEN is set, so is everybody who does not send it as Authorization: Bearer, with 401. A client that closes the connection cancels its call.",
    ),
    (
        "BOUNDS",
        "A message has at most 16 MiB. 64 tools work at once and 1,000 requests may wait, further ones are not read yet. A tool works no longer than its timeout says.",
    ),
    (
        "ENVIRONMENT",
        "MCP_SERVER_TOKEN\n  What clients have to send over HTTP.",
    ),
    ("BUDGET", budget::MANUAL),
    ("FILES", man::FILES),
    (
        "EXAMPLES",
        "In the configuration of a client:\n\n    {\"mcpServers\": {\"cogtools\": {\"command\": \"cogtools\", \"args\": [\"mcp\"]}}}\n\nOver HTTP:\n\n    cogtools mcp --project ~/project --http 127.0.0.1:8765",
    ),
];
