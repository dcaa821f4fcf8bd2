//! cogtoolrc(5).

use super::Section;

pub(super) fn sections() -> Vec<Section> {
    let sections = [
        ("DESCRIPTION", DESCRIPTION),
        ("KEYS", KEYS),
        ("SOURCES", SOURCES),
        ("ENVIRONMENT", VARIABLES),
        ("FILES", FILES),
        ("EXAMPLES", EXAMPLES),
    ];
    sections
        .map(|(title, text)| (title, text.to_owned()))
        .to_vec()
}

const DESCRIPTION: &str = "\
The file .cogtoolrc.yaml says where a project's tools come from, and which of them there \
are. The directory it lies in is the project's root, and its paths are relative to that \
directory. It may be missing: the tools are then in the folder tools.

It is one YAML document under the rules of tool files (see `cogtools-tool(5)`): a map of \
keys. An unknown key or a source of an unknown kind is an error with the code \
INVALID_CONFIG, and nothing is declared or called until it is mended.

The same keys can stand elsewhere. What is written later in this list wins, key by key \
(each rule of the linter and each list of a filter is a key of its own):

1. what is built in;

2. the machine's file, cogtoolrc.yaml beside Gemini CLI's own settings: /etc/gemini-cli on \
Linux, /Library/Application Support/GeminiCli on macOS, C:\\ProgramData\\gemini-cli on \
Windows, or the folder of the file that GEMINI_CLI_SYSTEM_SETTINGS_PATH names;

3. ~/.gemini/cogtoolrc.yaml, the user's;

4. the key cogtools of the project's package.json (whose key tools is for those who install \
the package);

5. .cogtoolrc.yaml;

6. the environment, see below;

7. options of the command line.

`cogtools config list --show-origin` tells where each value comes from.";

const KEYS: &str = "\
tool_sources
  A list of sources, asked in this order: when two have a tool of the same name, the first \
one wins, and `cogtools-discover --verbose` names what it shadows. An empty list means no \
tools at all.

env_priority
  Whose value counts when a tool declares an environment variable that both the project's \
.env and the environment of the process have: project or process; project when left out. The \
option --system-env of a call leaves .env unread.

filter
  Which of the tools there are: a map with tools and exclude (lists of names) and toolsets. \
In a name, * stands for any characters and ? for one. A tool must match one of tools, none of \
exclude, and be in one of toolsets or in a toolset in one; an empty list leaves everything in. \
The options --tools, --exclude and --toolset replace the key of their name for one run. A filter \
brings no shadowed tool back: a name means the same tool for everybody.

budget
  How many tokens all declarations together may cost with every request, as cogtools list counts \
them. When the tools do not fit, those that do are declared with find_tool and call_tool, which \
lead to the others; see cogtools-discover(1). The option --budget says the same for one run.

hosts
  The same for one host: a map from gemini, openai, anthropic or mcp to such a filter, which \
holds beside the one for all: a tool must pass both. Its budget holds in place \
of the one for all. `cogtools-discover` takes the host from \
--format; `cogtools-call` and `cogtools list` know none unless --host names one.

lint
  A map with the one key rules: a map from the linter's rules to off, warn or error. \
`cogtools lint --explain all` lists the rules with their own words. A name that is no \
rule is an error of the linter alone.";

const SOURCES: &str = "\
local: FOLDER
  The tool files in FOLDER: every NAME.yaml that does not begin with a dot. A folder in it is \
a toolset of that name (and a/b one in another, eight levels deep), unless its name begins with \
a dot or an underscore, or is node_modules. A link to a folder is one too; no folder is looked at \
twice. Of two tools of one name, that in FOLDER itself wins, then the toolset whose name comes \
first. One that cannot be read costs its own tools only. FOLDER must exist, unless it is the \
default one.

node_modules
  The npm packages whose package.json has \"cogtools\": {\"tools\": [\"FOLDER\"]}. Looked at are, \
from the project's root upward, those that a package.json there depends on and those that are \
linked from outside of node_modules, as workspaces and `npm link` make them; then those that are \
installed for everybody (below the prefix in npm_config_prefix or ~/.npmrc, else beside node). \
The nearest of one name wins. Each package is a toolset of its own name, and its folders toolsets \
in that. Neither a path nor a link may lead out of a package. A package with a fault is named and \
costs only itself.

command: {discover: LINE, call: LINE}
  Another program that has tools and speaks the protocol of `cogtools-discover` and \
`cogtools-call`: the first line prints a JSON array of declarations, the second, with the \
name of a tool behind it, reads arguments as JSON and prints the result. LINE is a list of \
the program and its arguments, or a string that is split as a shell splits it; no shell runs \
it. Further keys: name (in messages, and the toolset; that of the program when left out), prefix \
(what the names of its tools begin with here), env (the variables that it may see, besides \
PATH), timeout (seconds; 10 to declare and 60 to answer when left out) and cache (how \
many seconds its declarations may be kept on disk; not at all when left out). A provider that \
fails costs no tools but its own. Two of them cannot have the same name. One that leads back to \
this project finds the tools of its files and packages there, and no further providers. One that \
a project names runs only after the user has allowed it: see `cogtools-trust(1)`.

mcp: {command: PROGRAM, args: [ARG, …]} or mcp: {url: URL}
  A server of the Model Context Protocol, of either era, which `cogtools-mcp-client(1)` asks. \
command is a program, or a list of one and its arguments; a URL begins with https:// or http://. \
Further keys: headers (what is sent to the URL besides; ${NAME} is the value of a variable that \
env names), name (in messages, and the toolset; that of the package, the script, the program or \
the host when left out), prefix, env (the variables that it may see, besides PATH, HOME, USER and \
LOGNAME; behind a URL SSL_CERT_FILE and SSL_CERT_DIR too), timeout (seconds; 30 to declare and 60 to answer when left out) and cache (how many \
seconds its declarations are kept on disk; a day when left out, 0 for not at all). What is kept \
belongs to just this description, the files that its command names, the values of its variables \
and this version of cogtools; `cogtools-discover --refresh` asks anew, and a call of a tool \
that the server has no more forgets it. A server is started when it is asked for its tools or one \
of them is called, and ends with that. One that fails costs no tools but its own. One that a \
project names runs only after the user has allowed it, as any other program.";

const VARIABLES: &str = "\
COGTOOLS_TOOL_SOURCES
  Like tool_sources, in YAML: [node_modules, {local: ./tools}].

COGTOOLS_ENV_PRIORITY
  Like env_priority.

COGTOOLS_BUDGET
  Like budget.

COGTOOLS_TOOLS, COGTOOLS_EXCLUDE, COGTOOLS_TOOLSETS
  Like the keys of filter: names with commas between them, or a list in YAML.

A variable without a value sets nothing. Any other whose name begins with COGTOOLS_ is an \
error. A host may have taken a variable from an .env of the project: a provider in \
COGTOOLS_TOOL_SOURCES needs the user's word if an .env from the current directory upward, outside \
of the home directory, names that variable, and GEMINI_CLI_SYSTEM_SETTINGS_PATH is then passed over.";

const FILES: &str = "\
.cogtoolrc.yaml
  At the root of a project. The root is the nearest directory, from the current one \
upward, that has this file, a package.json with the key cogtools, a folder .gemini or a \
.git; else the current directory itself. The .gemini in the home directory marks no project.";

const EXAMPLES: &str = "    tool_sources:
      - local: ./tools
      - local: ../shared-tools
      - node_modules
    filter:
      exclude: [deploy_*]
    budget: 4000
    lint:
      rules: {no-examples: error}";
