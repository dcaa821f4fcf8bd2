//! What is left for the user to do.
//!
//! What is said of Gemini CLI was tried with 0.61: its policies know the
//! wildcard `*` and those of MCP servers only, so discovered tools are named one
//! by one, although its own rules say `discovered_tool_*`.

/// What headless use needs, as a section of the man page.
pub(crate) const HEADLESS: &str = "Without a terminal (gemini -p) Gemini CLI denies every discovered tool that no \
     policy allows, and the model does not see it. Allow tools in a file of your own, \
     such as ~/.gemini/policies/cogtools.toml; policies in the project's .gemini are \
     not read.\n\n    \
     [[rule]]\n    \
     toolName = [\"discovered_tool_hello\", \"discovered_tool_facepalm\"]\n    \
     decision = \"allow\"\n    \
     priority = 100\n\n\
     Name each tool, after discovered_tool_; a wildcard there matches nothing. For one \
     run, gemini --allowed-tools discovered_tool_hello does the same, and so does the \
     list tools.allowed in settings.json; both are deprecated.\n\n\
     The folder must be trusted too, or its settings are not read: trust it once in a \
     terminal, or set GEMINI_CLI_TRUST_WORKSPACE=true. The option --skip-trust starts \
     Gemini CLI, but without the project's tools.";

/// The next steps; with a call of the example where it has just been written.
pub(crate) fn next_steps(example: bool) -> String {
    const CALL: &str = "- call the example:
    echo '{\"person\": \"Ada\"}' | cogtools-call hello
";
    let (call, tool) = if example {
        (CALL, "hello")
    } else {
        ("", "NAME")
    };
    format!(
        "
next steps:
- see what Gemini CLI will see (cogtools-discover and cogtools-call must be on
  PATH, or Gemini CLI cannot start here):
    cogtools-discover
{call}- start gemini in this directory and trust the folder when it asks; headless, set
  GEMINI_CLI_TRUST_WORKSPACE=true instead (--skip-trust leaves settings unread)
- headless, as in gemini -p, Gemini CLI denies discovered tools until you allow
  them by name in a policy file of yours, such as ~/.gemini/policies/cogtools.toml:
    [[rule]]
    toolName = [\"discovered_tool_{tool}\"]
    decision = \"allow\"
    priority = 100
  or, for one run: gemini --allowed-tools discovered_tool_{tool} -p '...'
"
    )
}
