//! The next steps for the user.
//!
//! The advice on Gemini CLI was verified with version 0.61: its policies support
//! only the wildcard `*` and wildcards of MCP servers, so discovered tools are named
//! individually, although its own rules contain `discovered_tool_*`.

use cogtools_program::packages::UnusedPackages;

use crate::host::Host;

/// Advice on allowing tools in headless mode, as a section of the man page.
pub(crate) const HEADLESS: &str = "Without a terminal (gemini -p), Gemini CLI denies every tool that no policy allows, and \
     the model does not see it. Allow tools in a user-level file such as \
     ~/.gemini/policies/cogtools.toml; policies in the project's .gemini are not read. For the \
     MCP server:\n\n    \
     [[rule]]\n    \
     toolName = \"mcp_cogtools_*\"\n    \
     decision = \"allow\"\n    \
     priority = 100\n\n\
     For the discovery and call commands, name each tool, prefixed with discovered_tool_; a \
     wildcard after this prefix matches nothing:\n\n    \
     toolName = [\"discovered_tool_hello\", \"discovered_tool_facepalm\"]\n\n\
     gemini --allowed-tools discovered_tool_hello does the same for one run, as does \
     tools.allowed in settings.json; both are deprecated.\n\n\
     The folder must also be trusted, or its settings are not read: trust it once in a \
     terminal, or set GEMINI_CLI_TRUST_WORKSPACE=true. The option --skip-trust starts \
     Gemini CLI without the project's tools.";

/// The files that `--host` writes, as a section of the man page.
pub(crate) const HOSTS: &str = "\
gemini
  The default: whichever of the next two .gemini/settings.json has already; if it has neither, \
gemini-mcp for Gemini CLI 0.35 and later, or if none is installed, and else gemini-commands.

gemini-commands
  Gemini CLI runs cogtools-discover and cogtools-call: .gemini/settings.json. This works with \
every version; a changed tool needs a restart.

gemini-mcp
  Gemini CLI starts the MCP server: mcpServers in .gemini/settings.json. From 0.35 on a changed \
tool is seen at once.

gemini-extension
  Makes the project a Gemini CLI extension, which is available in every folder once installed: \
gemini-extension.json and COGTOOLS.md.

claude-code
  mcpServers in .mcp.json.

claude-desktop
  mcpServers in the user's claude_desktop_config.json, with absolute paths.

cursor
  mcpServers in .cursor/mcp.json.

vscode
  servers in .vscode/mcp.json.

codex
  A table of mcp_servers in the user's ~/.codex/config.toml (or that of CODEX_HOME), one for \
all projects: Codex starts the server in the directory of the session. A session waits for the \
server, and does not begin without it.

opencode
  mcp in opencode.json, or in opencode.jsonc or the files of .opencode if one of these exists.

qwen
  mcpServers in .qwen/settings.json.

copilot
  mcpServers in .mcp.json, or in .github/mcp.json if only that exists.

goose
  extensions in the user's ~/.config/goose/config.yaml.

crush
  mcp in .crush.json, or in crush.json if it exists.

zed
  context_servers in .zed/settings.json.

antigravity
  mcpServers in .agents/mcp_config.json.

agents
  For every agent that reads them: the tools as skills in .agents/skills, as cogtools-skill(1) \
writes them, and the table of cogtools-docs(1) in AGENTS.md, which is created or gets the table at its \
end. No server is needed: the agent calls the tools in a shell.

An existing entry that starts cogtools is left unchanged; an entry of the same name that does \
something else is an error. The files of claude-desktop and goose are shared by all projects of a \
user: give each project its own --name.";

/// The advice for a project whose packages have tools.
pub(crate) fn packages(unused: &UnusedPackages) -> String {
    let names = unused.names.join(", ");
    format!(
        "- use the tools of the packages {names}:\n    {}\n",
        unused
            .command
            .clone()
            .unwrap_or_else(UnusedPackages::advice)
    )
}

/// The advice for a project whose `documents` have no table of tools.
pub(crate) fn table(documents: &[&str]) -> String {
    if documents.is_empty() {
        return String::new();
    }
    let files = documents.join(" ");
    format!(
        "- show people and models the tools in a table, and renew it whenever they change
  (cogtools init --docs --docs-refresh git-hook does both):
    cogtools docs {files}\n"
    )
}

/// The next steps for `hosts`, with a call of the example if it was just written; `server`
/// is the name of the MCP server.
pub(crate) fn next_steps(example: bool, hosts: &[Host], server: &str) -> String {
    const CALL: &str = "- call the example:
    echo '{\"person\": \"Ada\"}' | cogtools-call hello
";
    let mut text = "\nnext steps:\n".to_owned();
    if hosts.contains(&Host::GeminiCommands) {
        text.push_str(SEE);
    }
    if example {
        text.push_str(CALL);
    }
    for host in hosts {
        match host {
            Host::GeminiCommands => {
                text.push_str(&discovered(if example { "hello" } else { "NAME" }));
            }
            Host::Gemini | Host::GeminiMcp => text.push_str(&served(server)),
            other => text.push_str(start(*other)),
        }
    }
    text
}

const SEE: &str = "\
- print the tools as Gemini CLI will see them (cogtools-discover and cogtools-call
  must be on PATH, or Gemini CLI cannot start here):
    cogtools-discover
";

/// The steps that make the discovered `tool` available in Gemini CLI.
fn discovered(tool: &str) -> String {
    format!(
        "\
- start gemini in this directory, and trust the folder when it asks
- in headless mode (gemini -p), trust the folder with the environment variable
  GEMINI_CLI_TRUST_WORKSPACE=true (--skip-trust leaves the settings unread), and
  allow each tool by name in a user-level policy file, such as
  ~/.gemini/policies/cogtools.toml, or Gemini CLI denies its calls:
    [[rule]]
    toolName = [\"discovered_tool_{tool}\"]
    decision = \"allow\"
    priority = 100
  or, for a single run: gemini --allowed-tools discovered_tool_{tool} -p '...'
"
    )
}

/// The steps that make the tools of the MCP server `server` available in Gemini CLI.
fn served(server: &str) -> String {
    format!(
        "\
- start gemini in this directory, trust the folder when it asks, and check /mcp
  (cogtools must be on PATH; for the discovery and call commands instead of the MCP
  server, run cogtools init --host gemini-commands in a new project)
- in headless mode (gemini -p), trust the folder with the environment variable
  GEMINI_CLI_TRUST_WORKSPACE=true (--skip-trust leaves the settings unread), and
  allow the tools in a user-level policy file, such as
  ~/.gemini/policies/cogtools.toml, or Gemini CLI denies their calls:
    [[rule]]
    toolName = \"mcp_{server}_*\"
    decision = \"allow\"
    priority = 100
"
    )
}

/// The steps for another host that uses MCP; `cogtools` must be on `PATH`.
fn start(host: Host) -> &'static str {
    match host {
        Host::GeminiExtension => {
            "\
- install the extension with gemini extensions install . (or link . while you are
  developing it); others install it from its repository
"
        }
        Host::Client("claude-code") => {
            "- start claude in this directory, approve the server when it asks, and check /mcp\n"
        }
        Host::Client("claude-desktop") => "- quit and restart Claude Desktop\n",
        Host::Client("cursor") => {
            "- open this directory in Cursor and enable the server under Tools & MCP\n"
        }
        Host::Client("vscode") => {
            "- open this directory in Visual Studio Code and start the server with MCP: List Servers\n"
        }
        Host::Client("codex") => "- start codex in this directory and check /mcp\n",
        Host::Client("opencode") => "- check the server with opencode mcp list in this directory\n",
        Host::Client("qwen") => {
            "- start qwen in this directory, trust the folder if it asks, and check /mcp\n"
        }
        Host::Client("copilot") => {
            "- start copilot in this directory, trust the folder when it asks, and check /mcp\n"
        }
        Host::Client("goose") => {
            "- start goose in any directory; goose configure shows the extension\n"
        }
        Host::Client("crush") => "- start crush in this directory\n",
        Host::Client("antigravity") => {
            "\
- start agy in this directory; it accepts at most 100 tools of all servers, so ours
  declares as many, and finds the others; cogtools skill describes all of them
"
        }
        Host::Agents => {
            "\
- start an agent that reads AGENTS.md or .agents/skills in this directory; it calls
  the tools in a shell (cogtools must be on PATH). After a change of the tools:
    cogtools skill && cogtools docs
"
        }
        Host::Client("zed") => {
            "- open this directory in Zed, trust it, and check the server in the settings of the agent\n"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_has_a_next_step() {
        for host in Host::all() {
            let text = next_steps(false, &[host], "cogtools");
            assert_ne!(text, "\nnext steps:\n", "{host:?}");
        }
    }
}
