//! The sections of the manual page.

use cogtools_program::{budget, man};

pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "PROTOCOL",
        "Both stateful and stateless MCP are supported: clients that send initialize, up to revision 2025-11-25, and clients that do not, from 2026-07-28 on. The server offers tools, prompts, and the documentation of each tool as a resource, cogtools://tools/NAME.\n\nA tool's inputSchema is JSON Schema 2020-12 and includes the tool's examples. title, annotations and, if output declares the schema of an object, outputSchema are taken from the tool file; those of a tool of another server, with its icons and _meta, from that server. Calls are validated as by `cogtools-call(1)`. An error that the model can fix is a result with isError and the text described in `cogtools-errors(7)`; an unknown tool or an invalid request is a protocol error. Tools are reloaded for each call and each list. When changes to files affect the list, clients are notified: always over standard streams, over HTTP if they subscribe.\n\nA tool that is implemented by a template and has an example is also offered as a prompt of the same name. A prompt argument whose parameter is not a string is parsed as JSON. Arguments with an enum, and booleans, are completed.",
    ),
    (
        "REJECTED TOOLS",
        "The API behind a client rejects a whole request because of one tool, such as one with the parameter `who?`. Which API that is, the server cannot know. So it leaves out, and names on standard error, every tool with a parameter or property whose name the Gemini API rejects, the strictest of the known ones. With --api anthropic or --api openai, only what that API rejects is left out. Calls are not affected.",
    ),
    (
        "LIFE",
        "Over standard streams, the server exits when standard input ends, after completing pending requests for at most one second. It exits at once on SIGTERM, SIGINT or SIGHUP, or when its parent process exits. In each case, and when a call is cancelled or times out, the programs that tools have started are terminated first.\n\nStandard output carries protocol messages only. Standard error is for the client's log: it names, for example, tools that are left out because they are invalid.",
    ),
    (
        "SOURCES",
        "A list waits 1.5 seconds for a source that is a program, or as long as wait of the source says. One that takes longer is represented by what it declared before, or left out and named; it is asked to the end, and the list is announced as changed if it declares something new. One that failed slowly is not asked again for a minute.\n\nEach MCP server among the sources has one session, which is kept until the server exits, until it has had no request for as long as idle of the source says (900 seconds by default), or until its approval is revoked. A server that has ended is started again by the next call. Cancellations are passed on to it, and its progress to clients that ask for it.",
    ),
    (
        "HTTP",
        "With --http, the server listens on a loopback address and prints its URL, which ends in /mcp. Port 0 selects a free port. Requests that name another host, or come from a page of another origin, are rejected with status 403. If MCP_SERVER_TOKEN is set, requests without it as Authorization: Bearer are rejected with status 401. Closing the connection cancels the call.\n\n/healthz says that the server runs, /readyz that it takes requests; neither needs the token. With --metrics, /metrics has the number and the duration of calls for each tool, as Prometheus reads them.\n\nAfter SIGTERM or SIGINT the server accepts no further connection, and lets calls continue for --drain seconds; a second signal ends them. A server that ignores SIGHUP from its start, as under nohup(1), outlives its terminal and its parent process; only Linux says so to the server.",
    ),
    (
        "LIMITS",
        "Messages are limited to 16 MiB. Up to 64 templates and 64 other tools run at once, 1,000 requests are in flight, and 1,000 wait behind them, in which cancellations are seen; further requests are not read until one completes. Over HTTP there are up to 512 connections; one that sends nothing for 10 seconds is closed. Each tool is limited by its timeout.",
    ),
    (
        "ENVIRONMENT",
        "MCP_SERVER_TOKEN\n  The token that clients must send over HTTP.",
    ),
    ("BUDGET", budget::MANUAL),
    ("FILES", man::FILES),
    (
        "EXAMPLES",
        "In the configuration of a client:\n\n    {\"mcpServers\": {\"cogtools\": {\"command\": \"cogtools\", \"args\": [\"mcp\"]}}}\n\nOver HTTP:\n\n    cogtools mcp --project ~/project --http 127.0.0.1:8765",
    ),
];
