//! The sections of the man page.

/// The sections, each with its title.
pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "WHAT REQUIRES APPROVAL",
        "The project, named `.`, before a tool in one of its folders runs a program. `cogtools init` and `cogtools new` trust a project that has no such tools yet, and a folder that is trusted in Gemini CLI (this very folder, not its parent) is trusted here, too.\n\nA provider (a source of the kind command or mcp) that the project names, before any of its programs is run. A provider named by the user's or the system's configuration requires no approval, unless its command line names a file inside the project.\n\nA package with tools that run programs, before one of them is run.\n\nTemplates require no approval.",
    ),
    (
        "WHAT IS APPROVED",
        "A project is trusted as a folder, together with its owner and the URL of git's remote `origin`: its tools can be edited without asking again, and another project that takes its place is not trusted.\n\nOf providers and packages, exactly the current content is approved, by SHA-256. For a provider: its command lines (for an MCP server, its description), the content of the files that they name and of those in the same folder, the names of the variables that it may see, and each declaration that its discovery then makes. For a package: all its files except those in node_modules and .git. For both: the files of the project that their programs load by themselves, such as a makefile. Any change requires a new approval.\n\nPackages and providers run from a private copy. A script of a provider in the project's root, or in a folder of more than 4,096 files or 64 MiB, is covered without the files beside it.",
    ),
    (
        "REVIEW",
        "Everything that an approval lets run is shown first: each command line, the program that it starts now, the text of scripts and of the files that are named, the templates that are included, the variables that it sees, what it may reach (may: its sandbox), the other files that are covered, and what is not covered by the approval (unhashed). What no sandbox stops comes first. Long lines are continued after a hook, blanks that could hide something are dots, and what is left out is counted. Then you are asked, and exactly what was shown is approved. Without a terminal nothing is approved, unless --yes says that you have reviewed it.\n\nWithout SOURCE, all sources are listed; at a terminal you are then asked about each that is not approved and would run something.",
    ),
    (
        "NAMES",
        "A SOURCE is `.` or a name in the list. If a package and a provider have the same name, write package:NAME or provider:NAME.",
    ),
    (
        "TABLE",
        "One row is printed for each source. STATE is approved, changed (other content was approved, or the project has another owner or origin) or not approved. An approved provider is queried to check whether its tools are approved too.",
    ),
    (
        "JSON",
        "One object: sources, an array of objects with name, kind (project, provider or package), state, runs (command lines, or the names of the tools that run programs), files, programs (what each of these tools starts: name, file, env, program, declares, sandbox, and command or script), for a provider sandbox (what its programs may reach, or null), uncovered (what and why: what runs without being covered) and, after an approval, tools. If something has a sandbox, limitations: an array of what and note, which no sandbox stops.",
    ),
    (
        "FILES",
        "~/.local/state/cogtools/trust.json\n  The record of approvals, below XDG_STATE_HOME if that is set; below LOCALAPPDATA on Windows. Since hosts load .env files, XDG_STATE_HOME is ignored if an .env in or above the project sets it. Nothing in a project can approve anything.\n\n~/.local/state/cogtools/packages, ~/.local/state/cogtools/providers\n  The private copies, in the same folder as the record.\n\n~/.gemini/trustedFolders.json\n  The folders that are trusted in Gemini CLI.",
    ),
    (
        "EXAMPLES",
        "    cogtools trust\n\n    cogtools trust .\n\n    cogtools trust --dry-run team-tools\n\n    cogtools trust --revoke team-tools",
    ),
];
