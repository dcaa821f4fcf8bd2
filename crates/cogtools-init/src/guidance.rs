//! What is left for the user to do.

/// How Gemini CLI is told to run discovered tools without asking. Its own rule
/// for them stands in a lower tier, so that any priority does here.
pub(crate) const POLICY: &str = "    [[rule]]
    toolName = \"discovered_tool_*\"
    decision = \"allow\"
    priority = 100
";

/// The next steps; with a call of the example where it has just been written.
pub(crate) fn next_steps(example: bool) -> String {
    const CALL: &str = "- call the example:
    echo '{\"name\": \"Ada\"}' | cogtools-call hello
";
    let call = if example { CALL } else { "" };
    format!(
        "
next steps:
- see what Gemini CLI will see (cogtools-discover and cogtools-call must be on
  PATH, or Gemini CLI cannot start here):
    cogtools-discover
{call}- start gemini in this directory; if it asks, trust the folder: the settings of a
  folder that is not trusted are not read
- headless, as in gemini -p, Gemini CLI denies discovered tools until you allow
  them in a policy file of yours, such as ~/.gemini/policies/cogtools.toml:
{POLICY}  or for one run: gemini --allowed-tools 'discovered_tool_*' -p '...'
"
    )
}
