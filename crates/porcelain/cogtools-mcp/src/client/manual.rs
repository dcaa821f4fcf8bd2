//! The sections of the manual page.

pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "PLUMBING",
        "Sources of the kind mcp (see `cogtoolrc(5)`) run this program; run it by hand to see what a server declares or returns.",
    ),
    (
        "COMMANDS",
        "discover [--server SERVER]\n  Print a JSON array: name, title, description, parametersJsonSchema, annotations, outputSchema, icons and _meta of each tool.\n\ncall [--server SERVER] [--json] TOOL\n  Call TOOL: read the arguments as one JSON object and print the result as text: text content verbatim, several parts separated by blank lines, resource links as NAME: URI, binary content (images, audio, other files) as a line with its type and size, and structured content if there is no text. With --json, the result is printed as the server returned it. A result that is an error fails with TOOL_FAILED and its text.\n\nlogin [--server SERVER] [--client-id ID] [--scope SCOPES] [--no-browser] [SOURCE]\n  Log in to the server of the source SOURCE by OAuth 2.1: print the URL of a page for the user to open, wait for the answer on a port of this machine, and keep the token. It is sent to exactly this URL, over https or to this machine, and renewed as long as possible. A source that requires approval must have it.\n\nlogout [--server SERVER] [SOURCE]\n  Revoke the token and forget it.",
    ),
    (
        "SERVER",
        "A JSON object with name, used in messages, and either command (an array: the program and its arguments) or url. headers are sent to the URL; ${NAME} in a value is replaced with the environment variable. timeout is in seconds and covers the whole run, or each request of `cogtools-mcp(1)`, which keeps one session with each server; the default is 30 for discover and 60 for call.",
    ),
    (
        "PROTOCOL",
        "Both stateful and stateless MCP are supported. Over standard streams the client tries initialize first and falls back to server/discover; over HTTP it is the other way round. Over HTTP, arguments are also sent as headers if the tool's schema says x-mcp-header; redirects are not followed. Requests from the server (roots, sampling) are rejected; elicitation is declined, except by `cogtools-mcp(1)` for a host that can show it. Messages are limited to 16 MiB, lists to 10 MiB and 1,000 pages. Lines on a server's standard output that are not messages are ignored, up to 1 MiB.\n\nA server that was started is stopped before the program exits: its standard input is closed; after a second its process group gets SIGTERM, then SIGKILL.",
    ),
    (
        "ENVIRONMENT",
        "COGTOOLS_MCP_SERVER\n  The server, if --server is not given. Unlike an option, it cannot be seen by other users of the machine.\n\nSSL_CERT_FILE, SSL_CERT_DIR\n  Certificates of trusted authorities for HTTPS, instead of the system's.\n\nHTTPS_PROXY, http_proxy, ALL_PROXY\n  The URL of a proxy, http:// or https://, for https: URLs, for http: URLs, or for both. Lower case is accepted for all of them, upper case for all but http_proxy. A user name and a password in the URL are sent to the proxy alone.\n\nNO_PROXY\n  Hosts that are reached directly, with commas between them: a.example also means its subdomains, a.example:8080 only for this port, and * for every host. This machine always is.\n\nCOGTOOLS_MCP_CLIENT_SECRET\n  For login, the secret of the client that --client-id names.\n\nThe server inherits every other variable of this program.",
    ),
    (
        "FILES",
        "~/.local/state/cogtools/logins\n  The tokens, in files that only the user can read, below XDG_STATE_HOME if that is set; below LOCALAPPDATA on Windows. If there is a keyring, the tokens are there, and the files say only so: the Secret Service that secret-tool(1) reaches, the Keychain of macOS, or the Credential Manager of Windows, unless a token is too long for it.",
    ),
    (
        "EXAMPLES",
        "    cogtools-mcp-client discover --server '{\"command\": [\"cogtools\", \"mcp\"]}'",
    ),
];
