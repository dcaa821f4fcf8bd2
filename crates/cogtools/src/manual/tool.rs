//! cogtools-tool(5): the format of tool files.

use std::fmt::Write as _;

use cogtools_core::process::Process;
use cogtools_core::text::Text;
use cogtools_core::tool::Key;
use cogtools_core::{Name, Tool, yaml};
use cogtools_program::Input;

use super::Section;

pub(super) fn sections() -> Vec<Section> {
    vec![
        ("DESCRIPTION", DESCRIPTION.to_owned()),
        ("KEYS", keys()),
        ("PARAMETERS", PARAMETERS.to_owned()),
        ("ARGUMENTS", ARGUMENTS.to_owned()),
        ("IMPLEMENTATION", IMPLEMENTATION.to_owned()),
        ("COMMANDS", commands()),
        ("YAML", yaml_rules()),
        ("LIMITS", limits()),
        ("EXAMPLES", EXAMPLES.to_owned()),
    ]
}

const DESCRIPTION: &str = "\
A tool file is one YAML document that is one tool for an AI agent. It lies in a folder that \
`cogtoolrc(5)` names, and its name without .yaml is the tool's name: a call opens this one \
file, and nothing can be defined twice in one place.

Hosts are told the name, the description and the parameters. A call's arguments are \
checked against the parameters; then the implementation makes the answer of them.

A file that begins with the line `#! /usr/bin/env cogtools-yaml` and is executable is a \
program too; see `cogtools-yaml(1)`.";

fn keys() -> String {
    let mut text = String::new();
    for key in Key::ALL {
        let _ = writeln!(text, "{}\n  {}\n", key.as_str(), key.meaning());
    }
    text.push_str("Any other key is an error, with the nearest of these in the hint.");
    text
}

const PARAMETERS: &str = "\
The map under parameters has one entry a parameter. It stands for an OpenAPI 3.0 Schema \
Object of type object with these properties, in this order; hosts are told this schema, \
or its translation to JSON Schema.

type, description, and every other keyword of OpenAPI 3.0.3
  The same, as it stands: format, pattern, minimum, maximum, exclusiveMinimum, \
exclusiveMaximum, multipleOf, minLength, maxLength, minItems, maxItems, uniqueItems, \
minProperties, maxProperties, additionalProperties, nullable, title, example, allOf, \
oneOf, anyOf, not, $ref and so on. Words of one's own begin with x-.

optional: true
  The parameter may be left out; every other one is required. It is not nullable: that is \
nullable: true.

default: VALUE
  The parameter is optional, and has this value for the tool when a call leaves it out. \
The value must itself be valid.

city: string
  The same as city: {type: string}. A description tells the model more.

type: string[]
  The same as type: array with items: {type: string}; integer[][] nests.

enum: [a, b] without type
  The same with type: string, when all values are strings.

properties and items inside of an entry
  The same rules, all the way down.

parameters_schema instead of parameters
  A Schema Object word for word, of type object, with required as OpenAPI has it and no sugar.

Each thing has one spelling. The names int, str, bool and float, a type such as string?, \
and a list under required are errors, and the hint says what to write instead. So are \
words of later versions of JSON Schema, such as const or a list of types.";

const ARGUMENTS: &str = "\
A call brings one object. Every violation is reported, each with its JSON pointer.

An argument that the tool does not declare is a violation, unless a parameters_schema says \
what becomes of further ones with additionalProperties. The argument wait_for_previous, \
which some hosts add of their own accord, is dropped where it is not declared.

Nothing is converted: \"5\" is no number. Defaults are filled in before the tool runs.";

const IMPLEMENTATION: &str = "\
a string
  A Nunjucks template over the arguments. What it renders is the result, byte for byte. \
Write it as a block, `implementation: |`; the comment # njk behind the bar names the language.

{njk_file: PATH}
  The template is a file in the tool's own folder or below it.

{exec: [PROGRAM, ARGUMENT...]}, {script: TEXT}
  A program with its arguments, each a template, without a shell between; or a script that \
begins with #! and its interpreter. See COMMANDS.

Templates are pure: they see the arguments and nothing else, neither files nor the \
environment, and their steps, depth and output are bounded.";

fn commands() -> String {
    format!(
        "\
A tool with exec or script runs a program. The program gets the arguments of the call as one \
line of JSON on standard input, which it need not read. What it prints on standard output is the \
result, as it stands; it must be UTF-8.

the program
  The first element of exec: a name, which is looked for in the absolute directories of PATH; a \
path that begins with ./ or ../, which starts from the tool's own folder; or an absolute path.

its arguments
  Each further element of exec is one argument, whatever its template comes to hold, also when \
that is nothing. Put an argument of the call behind -- or behind an option that takes a value, or \
the program may take it for an option.

a script
  It is written to a private temporary file and given to the interpreter of its first line, with \
the one argument that may stand there; `#!/usr/bin/env NAME` and `env -S` are understood. It is no \
template.

its environment
  PATH and the variables under env; on Windows also those that no program can start without. They \
come from the project's .env, the nearest one from the current directory up to the project's root, \
and from the environment of the call. A variable that is not set is an error.

its working directory
  The project's root.

its end
  Status 0 is success, and standard error is then shown with --verbose only. Any other status, or a \
signal, is the failure TOOL_FAILED, which shows the end of standard error. A program that takes too \
long, or whose call is ended, is ended with all that it started: first by SIGTERM, half a second \
later by SIGKILL. What it leaves behind in the background lives on only if it holds none of its \
outputs.

its output
  A result has at most {most} bytes; what is more is left out, and the last line says so. A program \
that prints more than {flood} MiB is ended.

With output: {{type: json}} the result must be one JSON value that fits the schema, or the call fails \
with TOOL_FAILED; such a result is never cut. That holds for templates too.",
        most = Process::MOST,
        flood = Process::FLOOD >> 20,
    )
}

fn yaml_rules() -> String {
    format!(
        "\
Tool files are read as YAML 1.2 with its core schema: yes, no, on and off are strings, and \
a date is a string. A byte order mark is dropped; line ends may be CRLF.

What two readers would understand differently is an error with its place, not a guess: a \
key that stands twice in a map, a key that is not a string, a second document, a tag such \
as !!set, the merge key <<, .inf and .nan, an integer that does not fit 64 bits, a number \
with a leading zero such as 017, and indentation with tabs. Text that is not UTF-8 is an \
error, as is a file that is not a regular one.

Anchors and aliases stand for whole values. Each use counts in full towards the {nodes} \
values that a document may have, and none may contain itself.",
        nodes = yaml::MAX_NODES
    )
}

fn limits() -> String {
    format!(
        "\
a tool file
  {file} KiB

nesting
  {depth} levels

values in a document
  {nodes}, uses of aliases counted in full

a name
  {name} characters

arguments
  {input} MiB

the run
  {timeout} s unless the key timeout says otherwise",
        file = Text::LIMIT >> 10,
        depth = yaml::MAX_DEPTH,
        nodes = yaml::MAX_NODES,
        name = Name::LENGTH,
        input = Input::LIMIT >> 20,
        timeout = Tool::TIMEOUT.as_secs(),
    )
}

const EXAMPLES: &str = "    #! /usr/bin/env cogtools-yaml
    $schema: schema:agladysh-research.org,2025/cogtools:tool

    name: weigh

    description: |
      Weigh a decision before you take it.

    parameters:
      decision:
        type: string
        description: What you are about to do
      options:
        type: string[]
        description: What else you could do
      confidence:
        type: number
        minimum: 0
        maximum: 1
        default: 0.5
        description: How sure you are

    examples:
      - decision: Rewrite the parser
        options: [Mend the parser, Leave it]

    implementation: | # njk
      # {{ decision }}
      {% for option in options %}
      - instead: {{ option }}
      {% endfor %}

The file is named weigh.yaml. `cogtools-discover` declares it, `cogtools-discover --strict` \
checks its examples and its template too, and `cogtools-call` calls it:

    echo '{\"decision\": \"Go\", \"options\": []}' | cogtools-call weigh";
