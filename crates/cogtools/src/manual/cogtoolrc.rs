//! cogtoolrc(5).

use super::Section;

pub(super) fn sections() -> Vec<Section> {
    let sections = [
        ("DESCRIPTION", DESCRIPTION),
        ("KEYS", KEYS),
        ("FILES", FILES),
        ("EXAMPLES", EXAMPLES),
    ];
    sections
        .map(|(title, text)| (title, text.to_owned()))
        .to_vec()
}

const DESCRIPTION: &str = "\
The file .cogtoolrc.yaml says where a project's tools come from. The directory it lies in \
is the project's root, and its paths are relative to that directory. It may be missing: \
the tools are then in the folder tools.

It is one YAML document under the rules of tool files (see `cogtools-tool(5)`): a map of \
keys. An unknown key or a source of an unknown kind is an error with the code \
INVALID_CONFIG, and nothing is declared or called until it is mended.";

const KEYS: &str = "\
tool_sources
  A list of sources, asked in this order: when two have a tool of the same name, the first \
one wins, and `cogtools-discover --verbose` names what it shadows. An empty list means no \
tools at all.

A source is a map with one key:

local: FOLDER
  The tool files directly in FOLDER: every NAME.yaml that does not begin with a dot. The \
folder must exist, unless it is the default one.

The kinds node_modules, command and mcp are reserved and refused by this version.

lint
  A map with the one key rules: a map from the linter's rules to off, warn or error. \
`cogtools lint --explain all` lists the rules with their own words. A name that is no \
rule is an error of the linter alone.";

const FILES: &str = "\
.cogtoolrc.yaml
  At the root of a project. The root is the nearest directory, from the current one \
upward, that has this file, a package.json with the key cogtools, a folder .gemini or a \
.git; else the current directory itself. The .gemini in the home directory marks no project.";

const EXAMPLES: &str = "    tool_sources:
      - local: ./tools
      - local: ../shared-tools
    lint:
      rules: {no-examples: error}";
