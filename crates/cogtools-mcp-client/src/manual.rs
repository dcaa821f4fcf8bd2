//! The sections of the manual page.

pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "PLUMBING",
        "A source of the kind mcp (see `cogtoolrc(5)`) runs this program; people hardly need it but to see what a server says.\n\ndiscover prints a JSON array: name, title, description, parametersJsonSchema and annotations of each tool. call reads the arguments as one JSON object and prints the result as text: texts as they are, several parts with a blank line between them, resource links as NAME: URI, data (images, audio, other files) as a line with its type and size, and structured content where there is no text. With --json it prints the result as the server gives it. A result that is an error is a failure with TOOL_FAILED and the text of it.",
    ),
    (
        "SERVER",
        "A JSON object with name, for messages, and either command (a list: the program and its arguments) or url. headers are sent to the URL; ${NAME} in their values is the value of an environment variable. timeout is in seconds, for everything together: 30 for discover and 60 for call when left out.",
    ),
    (
        "PROTOCOL",
        "Servers of both eras are understood: initialize is tried first, server/discover after its refusal. Over HTTP, arguments are sent as headers too where a tool's schema says x-mcp-header; redirects are not followed. What a server asks of its client (roots, sampling, elicitation) is refused. A message has at most 16 MiB, a list at most 10 MiB and 1,000 pages. Lines on a server's standard output that are no messages are passed over, up to 1 MiB of them.\n\nA server that was started ends with the program: its standard input ends, after a second it gets SIGTERM, then SIGKILL, and all of its process group with it.",
    ),
    (
        "ENVIRONMENT",
        "COGTOOLS_MCP_SERVER\n  The server, when --server is not given. Unlike an option, no other user of the machine can read it.\n\nSSL_CERT_FILE, SSL_CERT_DIR\n  Certificates of the authorities that are trusted over HTTP, instead of the system's.\n\nThe server is given every other variable that this program has.",
    ),
    (
        "EXAMPLES",
        "    cogtools-mcp-client discover --server '{\"command\": [\"cogtools\", \"mcp\"]}'",
    ),
];
