//! The names of the tools that hosts have themselves, from their documentation.

use crate::program::is_in;

/// A host's own tools.
struct BuiltinTools {
    host: &'static str,
    /// Where they are listed, and when that was read.
    source: &'static str,
    names: &'static str,
}

/// The hosts.
const HOSTS: [BuiltinTools; 2] = [
    BuiltinTools {
        host: "Gemini CLI",
        source: "packages/core/src/tools/tool-names.ts of google-gemini/gemini-cli, 2026-10",
        names: "activate_skill ask_user complete_task delegate_to_agent edit enter_plan_mode \
            exit_plan_mode get_internal_docs glob google_web_search grep_search list_directory \
            read_file read_many_files replace run_shell_command save_memory \
            search_file_content web_fetch write_file write_todos",
    },
    BuiltinTools {
        host: "Claude Code",
        source: "https://code.claude.com/docs/en/tools-reference, 2026-10",
        // With names that models do not tell from those of the host.
        names: "Agent AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit \
            EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep KillShell \
            ListMcpResourcesTool LS LSP MultiEdit NotebookEdit NotebookRead Read \
            ReadMcpResourceTool Skill SlashCommand Task TaskCreate TaskGet TaskList TaskOutput \
            TaskStop TaskUpdate TodoRead TodoWrite ToolSearch WebFetch WebSearch Write bash \
            grep read write web_search",
    },
];

/// The host that has a tool of this name, if there is one.
pub(crate) fn host_of(name: &str) -> Option<&'static str> {
    let host = HOSTS.iter().find(|host| is_in(name, host.names));
    host.map(|host| host.host)
}

/// Where the names are from, for the reference.
pub(crate) fn sources() -> impl Iterator<Item = (&'static str, &'static str)> {
    HOSTS.iter().map(|host| (host.host, host.source))
}
