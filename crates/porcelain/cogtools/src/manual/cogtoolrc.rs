//! cogtoolrc(5).

use cogtools_core::Config;
use cogtools_core::config::options::{CommandOptions, ServerOptions, SpecificationOptions};

use super::Section;

pub(super) fn sections() -> Vec<Section> {
    vec![
        ("DESCRIPTION", DESCRIPTION.to_owned()),
        ("KEYS", keys()),
        ("SOURCES", SOURCES.to_owned()),
        ("COMMANDS", super::keys_of::<CommandOptions>()),
        ("SERVERS", super::keys_of::<ServerOptions>()),
        ("SPECIFICATIONS", super::keys_of::<SpecificationOptions>()),
        ("ENVIRONMENT", VARIABLES.to_owned()),
        ("FILES", FILES.to_owned()),
        ("EXAMPLES", EXAMPLES.to_owned()),
    ]
}

const DESCRIPTION: &str = "\
The file .cogtoolrc.yaml configures where a project's tools come from and which of them are \
available. The directory that contains it is the project's root, and its paths are relative to \
that directory. The file is optional: without it, tools are in the folder tools.

It is one YAML document under the rules of tool files (see `cogtools-tool(5)`): a map of \
keys. An unknown key or a source of an unknown kind is an error with the code \
INVALID_CONFIG, and no tool is declared or called until it is fixed.

The same keys can be set elsewhere. Later entries of this list take precedence, key by key \
(each lint rule and each list of a filter is a separate key):

1. the built-in defaults;

2. the system's file, cogtoolrc.yaml beside the system settings of Gemini CLI: in \
/etc/gemini-cli on Linux, /Library/Application Support/GeminiCli on macOS, \
C:\\ProgramData\\gemini-cli on Windows, or in the folder of the file that \
GEMINI_CLI_SYSTEM_SETTINGS_PATH names;

3. the user's file, ~/.gemini/cogtoolrc.yaml;

4. the project's .gemini/cogtoolrc.yaml, unless it is the user's file;

5. the key cogtools of the project's package.json (except its key tools, which is for projects \
that install the package);

6. .cogtoolrc.yaml;

7. the variables COGTOOLS_MODEL, COGTOOLS_PROVIDER, COGTOOLS_BASE_URL
  Like the keys model, provider and base_url of ask.

COGTOOLS_TOOLS, COGTOOLS_EXCLUDE and COGTOOLS_TOOLSETS in the project's .env, the \
nearest one from the current directory up to the root;

8. environment variables, see below;

9. command-line options.

tool_sources of the user's file, or else of the system's, adds to that of the project; see inherit.

Keys that protect the user are combined as well: the system, the user's file and the variables on \
one side, the project (4 to 7, and variables that a host loaded from its .env) on the other. The project may restrict \
what the user allows, and loosens nothing. The stricter env_priority counts (process), the stricter \
sandbox, and the smaller budget; the names in exclude, and those in ask.ask and ask.deny, are added up; of a limit \
in ask.budget, the smaller one counts; a tool must match tools and toolsets of both. \
Options replace both for one run.

`cogtools config list --show-origin` shows where each value comes from.";

/// The keys, from the doc comments of the structs that read them.
fn keys() -> String {
    let keys = Config::keys().into_iter();
    // The keys of each host are the same.
    let keys = keys.filter(|key| !key.name.starts_with("hosts."));
    let terms = keys.map(|key| {
        let description = key.description.join("\n  ");
        format!("{}\n  {description}", key.name)
    });
    terms.collect::<Vec<_>>().join("\n\n")
}

const SOURCES: &str = "\
builtin
  Tools for agents that come with cogtools: list_files, read_file and search_files read the \
project's text files, without what git ignores (except read_file), and without files that may \
contain secrets: .env, .env.*, .git, .git-credentials, .netrc, .npmrc, .pgpass, .pypirc, *.key, \
*.pem, and keys of SSH. No path or link may lead out of the project. todo_read and todo_write have \
a list of things to do; in a session of `cogtools-ask(1)` it is part of the session, otherwise a \
file below $XDG_STATE_HOME/cogtools/todos, one for each project. run_js evaluates JavaScript as \
`cogtools-js(1)` does; get_current_date returns the time in the zone of TZ, or of the system.

editor
  Tools that ask the editor around the terminal: get_selected_text, get_current_file (with changes \
that are not saved), get_open_files, get_diagnostics, and propose_edit, with which a model shows a \
change that you accept or reject. They are safe without an editor. Files that may contain secrets \
are not read, by the names above. `cogtools-editor(1)` says which editors are asked, and how.

local: FOLDER
  The tool files in FOLDER: every NAME.yaml that does not begin with a dot. A subfolder is a \
toolset of that name (nested ones such as a/b too, up to eight levels), unless its name begins \
with a dot or an underscore, or is node_modules. Symbolic links are followed inside the \
project; one that leads out of it is an error, unless your own file names the folder. No folder is \
read twice. ~ and ~/FOLDER are below the home directory. If two tools have the same name, one in FOLDER itself wins, then the toolset whose \
name sorts first. An unreadable subfolder does not affect the others. FOLDER must exist, unless it \
is the default.

node_modules
  The npm packages whose package.json contains \"cogtools\": {\"tools\": [\"FOLDER\"]}. From the \
project's root upward, these are the dependencies in each package.json and the packages linked \
from outside node_modules (by workspaces or `npm link`), followed by globally installed packages \
(below the prefix in npm_config_prefix or ~/.npmrc, or else beside node). Of packages with the \
same name, the nearest wins. Each package is a toolset of its name, and its subfolders are toolsets \
below it. Neither paths nor links may lead outside the package. An invalid package is reported and \
does not affect the others. With Yarn's Plug'n'Play there are no such folders, which is reported.

command: {discover: LINE, call: LINE}
  A provider: another program with tools, which implements the protocol of `cogtools-discover` \
and `cogtools-call`. The first command prints a JSON array of declarations; the second, followed by \
the name of a tool, reads arguments as JSON and prints the result. LINE is a list of the program \
and its arguments, or a string that is split like a shell command but not run by a shell. \
A provider that a list does not wait for is represented by what it declared before, or left out; one \
that has failed slowly is not asked again for a minute. A provider that fails does not affect other \
sources. Names of providers are unique. A provider that the user configured sees the user's variables \
only, neither those in the project's .env nor those that a host has loaded from it. It starts outside \
the project, in / or the system drive's root, with a PATH without entries that are relative, in the \
project or in node_modules; its own path must be absolute, or its name on that PATH. With the key \
cwd: project it starts in the project, once the user has approved it there. If a provider refers back \
to this project, it sees the tools of files and packages, but no providers. A provider named by the \
project runs only after the user has approved it: see `cogtools-trust(1)`. See COMMANDS.

mcp: {command: PROGRAM, args: [ARG, …]} or mcp: {url: URL}
  An MCP server, stateful or stateless, to which `cogtools-mcp-client(1)` connects. A \
cached declaration is used only with the same description, content of the files that its command \
names, values of its variables and version of cogtools. `cogtools-discover --refresh` bypasses the \
cache, and a call of a tool that the server no longer has invalidates it. A server is started for \
one discovery or call and stopped afterwards; under `cogtools-mcp(1)` it is started once, and again \
when it has ended. A server that fails does not affect other sources. A server named by the project \
runs only after the user has approved it, like other providers. See SERVERS.

openapi: FILE, openapi: URL or openapi: {file: FILE, …}
  A specification in OpenAPI 3 or Swagger 2, each of whose operations is a tool. With a URL instead of \
a file, nothing is requested before the user has approved its content and these options: see \
`cogtools-trust(1)`. An operation that cannot be a tool is left out with a warning. See \
SPECIFICATIONS.";

const VARIABLES: &str = "\
COGTOOLS_TOOL_SOURCES
  Like tool_sources, in YAML: [node_modules, {local: ./tools}].

COGTOOLS_INHERIT
  Like inherit.

COGTOOLS_ENV_PRIORITY
  Like env_priority.

COGTOOLS_SANDBOX
  Like sandbox.

COGTOOLS_BUDGET
  Like budget.

COGTOOLS_TOOLS, COGTOOLS_EXCLUDE, COGTOOLS_TOOLSETS
  Like the keys of filter: names separated by commas, or a YAML list.

COGTOOLS_TOOLS, COGTOOLS_EXCLUDE and COGTOOLS_TOOLSETS may also be in the project's .env, because they can only hide tools: what they name \
must match in addition to the filters of the user.

An empty variable counts as unset. Any other variable whose name begins with COGTOOLS_ sets \
nothing, and `cogtools doctor` and `cogtools config list` warn of it. Since hosts load .env files, a variable of cogtools that is mentioned in an .env from the \
current directory upward, outside the home directory, is not trusted: a provider in \
COGTOOLS_TOOL_SOURCES then requires approval. One that an .env sets to the same value is not \
the user's: GEMINI_CLI_SYSTEM_SETTINGS_PATH is ignored then.";

const FILES: &str = "\
.cogtoolrc.yaml
  At the root of a project, which is the nearest directory, from the current one upward, that \
contains this file, a package.json with the key cogtools, a .gemini folder or a .git; otherwise the \
current directory. The .gemini folder in the home directory does not mark a project.

.gemini/cogtoolrc.yaml
  In a project, a layer below the others; its paths are relative to .gemini. In the home directory, \
the user's file, which applies in all projects.";

const EXAMPLES: &str = "    tool_sources:
      - local: ./tools
      - local: ../shared-tools
      - node_modules
    filter:
      exclude: [deploy_*]
    budget: 4000
    lint:
      rules: {no-examples: error}
    ask:
      deny: [deploy_*]
      budget: {turns: 20}
    prompt:
      rules: [Answer in one sentence.]

The file that prices names:

    date: 2026-11-01
    currency: USD
    models:
      gemini-flash-*: {input: 0.30, cached: 0.03, output: 2.50, context: 1048576}
      claude-sonnet-*: {input: 2, cached: 0.20, written: 2.50, output: 10, context: 1000000}";
