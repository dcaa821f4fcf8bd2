//! cogtools-tool(5): the format of tool files.

use std::fmt::Write as _;

use cogtools_core::process::Process;
use cogtools_core::text::Text;
use cogtools_core::tool::Key;
use cogtools_core::{Name, Tool, ToolOutput, media, yaml};
use cogtools_program::Input;

use super::Section;
use crate::schema::tool_shape::{Agent, Http};

pub(super) fn sections() -> Vec<Section> {
    vec![
        ("DESCRIPTION", DESCRIPTION.to_owned()),
        ("KEYS", keys()),
        ("PARAMETERS", PARAMETERS.to_owned()),
        ("ARGUMENTS", ARGUMENTS.to_owned()),
        ("IMPLEMENTATION", IMPLEMENTATION.to_owned()),
        ("COMMANDS", commands()),
        ("SANDBOX", super::sandbox::section()),
        ("REQUESTS", requests()),
        ("AGENTS", agents()),
        ("YAML", yaml_rules()),
        ("LIMITS", limits()),
        ("EXAMPLES", EXAMPLES.to_owned()),
    ]
}

const DESCRIPTION: &str = "\
A tool file is one YAML document that defines one tool for an AI agent. It is in a folder that \
`cogtoolrc(5)` names, and its name without .yaml is the name of the tool, so that a call opens only \
this file.

The name, the description and the parameters are declared to hosts. The arguments of a call are \
validated against the parameters, and the implementation then produces the result.

A file that begins with the line `#! /usr/bin/env cogtools-yaml` and is executable is also a \
program; see `cogtools-yaml(1)`.";

fn keys() -> String {
    let mut text = String::new();
    for key in Key::ALL {
        let _ = writeln!(text, "{}\n  {}\n", key.as_str(), key.description());
    }
    text.push_str("Any other key is an error; the hint suggests similar keys.");
    text
}

const PARAMETERS: &str = "\
The map under parameters has one entry per parameter. It is short for an OpenAPI 3.0 Schema \
Object of type object with these properties, in this order; hosts receive this schema, or its \
translation to JSON Schema.

type, description, and every other keyword of OpenAPI 3.0.3
  As in OpenAPI: format, pattern, minimum, maximum, exclusiveMinimum, \
exclusiveMaximum, multipleOf, minLength, maxLength, minItems, maxItems, uniqueItems, \
minProperties, maxProperties, additionalProperties, nullable, title, example, allOf, \
oneOf, anyOf, not, $ref and so on. Custom keywords begin with x-.

optional: true
  The parameter may be omitted; all others are required. This does not make it nullable: use \
nullable: true for that.

deprecated: TEXT
  What to use instead, such as use city. It becomes deprecated: true, and the description says it.

default: VALUE
  The parameter is optional, and the tool sees this value if a call omits it. The value must be \
valid. In an alternative of oneOf or anyOf, or where $ref: '#/POINTER' leads, it only describes.

city: string
  Short for city: {type: string}. A description is more helpful to the model.

type: string[]
  Short for type: array with items: {type: string}. It can be nested: integer[][].

enum: [a, b] without type
  Short for the same with type: string, if all values are strings.

$ref: ./FILE#/POINTER
  A part of another file, in YAML or JSON, in the tool's folder or below it, relative to the file \
that names it: $ref: ./shared.yaml#/parameters/city. Keys beside it win over those of the part, and \
a part may name others. shared.yaml, unless it is a tool, and files that end in .shared.yaml are no \
tools. parameters_schema and the schema under output can name parts, too.

enum: {from: ./FILE}
  The lines of a text (.txt), or a list: {from: ./shared.yaml#/cities}.

enum: {from: {exec: [PROGRAM, ARGUMENT...]}}
  The lines that a command prints, at most 1000, within 10 seconds. It takes cwd and platforms as \
the implementation does, but no arguments of the call; it has the rights of the tool, and needs the \
approval of a tool that runs programs. The values are cached for 5 minutes. Those that \
cogtools.lock pins count instead, and then the command runs for cogtools-lock only.

properties and items inside an entry
  The same rules, at every level.

parameters_schema instead of parameters
  A plain Schema Object of type object, with required as in OpenAPI and no short forms.

There is one spelling for everything. The names int, str, bool and float, a type such as string?, \
and a list under required are errors, and the hint says what to write instead. So are keywords \
of later versions of JSON Schema, such as const or a list of types.";

const ARGUMENTS: &str = "\
The arguments of a call are one object. Every violation is reported, each with its JSON pointer.

An argument that the tool does not declare is a violation, unless a parameters_schema allows \
others with additionalProperties. So is a key of a nested object whose properties are declared, at \
any depth, unless its schema has additionalProperties; a key that any branch of anyOf, oneOf or \
allOf declares is declared. An object without properties takes any keys. The argument wait_for_previous, which some hosts add to every \
call, is dropped if it is not declared.

Values are not converted: \"5\" is not a number. Defaults are filled in before the tool runs.";

const IMPLEMENTATION: &str = "\
a string
  A Nunjucks template over the arguments. Its output is the result, byte for byte. Write it as a \
block, `implementation: |`; the comment # njk after the bar names the language.

{njk_file: PATH}
  The template is a file in the tool's own folder or below it.

{http: {url: TEMPLATE, ...}}
  A request, whose response is the result. See REQUESTS.

{agent: {system: TEMPLATE, ...}}
  A model with instructions and tools, which `cogtools-ask(1)` runs. See AGENTS.

{flow: {nodes: {NAME: {...}, ...}, output: VALUE}}
  Nodes that use each other's results; NODES in `cogtools-flow(1)` describes them.

{js: TEXT}
  JavaScript, of at most 64 KiB: the body of a function that takes `args`, the arguments of the \
call. A string that it returns is the result as it is; anything else is the result as JSON. What \
it logs with `console.log` is shown with --verbose, or with the error. It runs in a process that \
may use nothing but 64 MiB of memory and its time: at most 60 s, or less by `timeout`. So it needs \
no approval. `cogtools-js(1)` describes the language. `Date` shows the real time in UTC.

{js: TEXT, tools: [NAME...]}
  JavaScript that calls tools: those with these names, or names that match these patterns, or in \
these toolsets, and no others. The code, of at most 32,768 characters, is the body of an async \
function, as `cogtools-code(1)` describes it; what it prints is the result if it returns nothing. A \
call that needs an approval by the rules of the user is denied. The tool itself needs one, as a \
program does, and may take as long as `timeout` says.

{exec: [PROGRAM, ARGUMENT...]}, {script: TEXT}
  A program with its arguments, each a template, which is run without a shell; or a script that \
begins with #! and its interpreter. See COMMANDS.

`cogtools-templates(7)` lists all filters, tests and statements. Templates have no side effects: they see the arguments, but neither the environment nor files \
other than templates in the tool's own folder. Their steps, depth and output are limited.";

fn requests() -> String {
    format!(
        "\
A tool with http makes one request, or one for each page. Every text may be a template over the \
arguments; one that is nothing but {{{{ NAME }}}} keeps the type of its value. The keys under http:

{}

The timeout of the tool holds for the whole call. A request requires the same approval as a \
program. GET and HEAD are read_only, PUT and DELETE idempotent, and DELETE destructive, unless \
annotations say otherwise. Proxies and certificates are those of the user's variables. \
`cogtools-test(1)` tests examples with responses under `with: {{http: {{status, headers, body}}}}`, or \
with recorded ones, TOOL.N.tape beside the tool.",
        super::keys_of::<Http>()
    )
}

fn agents() -> String {
    format!(
        "\
An agent is a model that gets instructions and a prompt, may call tools of the project, and whose \
answer is the result. The keys under agent:

{}

A call requires the same approval as a program. Within a session of `cogtools-ask(1)`, the agent \
runs in that session: it uses its budget and its log, and the user answers its questions. Otherwise \
it has a session of its own, and calls that need an answer are denied unless the configuration \
allows them. At most four agents and flows run within each other. The timeout of the tool holds for \
the whole call, tools and retries included: 60 s, unless the tool says more. `cogtools-test(1)` tests \
examples with recorded responses, TOOL.N.tape beside the tool.",
        super::keys_of::<Agent>()
    )
}

fn commands() -> String {
    format!(
        "\
A tool with exec or script runs a program. The program receives the arguments of the call as \
one line of JSON on standard input, which it need not read. Its standard output is the result, \
verbatim; it must be UTF-8.

the program
  The first element of exec: a name, which is searched for in the absolute directories of PATH; a \
path that begins with ./ or ../, relative to the tool's folder; or an absolute path. In every element, {{{{ tool_dir \
}}}} is the tool's folder.

its arguments
  Each further element of exec is one argument, even if its template renders nothing. There are \
these exceptions. An element that is nothing but {{{{ NAME }}}}, where NAME is declared with type: \
array, becomes an argument for each item, and none if the array is empty or left out; an item \
cannot be an object. An element that is a map, {{when: EXPRESSION, args: [ARGUMENT...]}}, becomes the \
arguments in args if the expression, which is written without braces, holds, and none otherwise. As in \
templates, a missing value, null, false, 0 and the empty string do not hold; everything else does, \
an empty array too: write when: NAME.length for that. {{for: NAME in LIST, args: [ARGUMENT...]}} becomes \
the arguments in args for each item of the list, each of them one argument; members of an item are \
{{{{ NAME.MEMBER }}}}, and with when, only those of which the expression holds.
  Put the values of a call after -- or after an option that takes a value; otherwise the program may \
interpret them as options.

its platforms
  {{linux: LIST, macos: LIST, windows: LIST}} in place of the list has a command for each platform.

its input
  The arguments as JSON or, with stdin beside exec, the output of that template.

a script
  The script is written to a private temporary file and passed to the interpreter named in its \
first line, with at most one argument; `#!/usr/bin/env NAME` and `env -S` are supported. It is not \
a template.

its environment
  PATH and the variables under env; on Windows also those that programs need to start. Values \
come from the nearest .env, from the current directory up to the project's root, and from the \
environment of the call. A variable that is not set is an error.

its working directory
  The project's root; with cwd: tool beside exec, the tool's folder.

its progress
  A line cogtools-progress DONE/TOTAL MESSAGE, PERCENT% or DONE on standard error, or the sequence \
ESC ] 9;4;1;PERCENT BEL, is the progress of the call, for hosts over MCP and for a terminal. Until a \
program says its progress, each line that it writes there counts as one.

termination
  Status 0 means success, and standard error is then shown only with --verbose. A non-zero status \
or a signal is the failure TOOL_FAILED, which shows the end of standard error. On a timeout, or \
when the call is cancelled, the program and all processes that it started are terminated by \
SIGTERM and, half a second later, SIGKILL. So are background processes half a second after the \
program has exited, or at once if they have closed its standard output and error.

its limits
  It has no terminal, no open files but the standard streams, and cannot gain privileges, as by \
sudo. What it may use is set by the key limits of `cogtoolrc(5)`. On Linux, nothing that it has \
started outlives the call, not even a daemon. See `cogtools-confine(1)`.

its output
  A result is limited to {stdout_limit} MiB; it is truncated beyond that, and the last line says so. A \
program that prints more than {kill_limit} MiB is terminated.

With output: {{type: json}}, the result must be one JSON value that matches the schema, or the \
call fails with TOOL_FAILED; such a result is never truncated. This applies to templates too.

With output: {{type: MEDIA}}, such as image/png, a program prints the bytes of a file of that type, of \
at most {block_limit} MiB. Clients of MCP and models that can see it get the file; so does standard \
output that is a file with an extension of that type. Elsewhere a line says what it is. The types \
are {media}.

With output: {{type: content}}, the result is JSON with the key content, a list of content blocks of \
MCP, and structuredContent, an object, if you want.",
        block_limit = ToolOutput::MAX_BLOCK_BYTES >> 20,
        media = media::names().join(", "),
        stdout_limit = Process::STDOUT_LIMIT >> 20,
        kill_limit = Process::KILL_LIMIT >> 20,
    )
}

fn yaml_rules() -> String {
    format!(
        "\
Tool files are read as YAML 1.2 with its core schema: yes, no, on and off are strings, and \
a date is a string. A byte order mark is dropped; line ends may be CRLF.

Anything that YAML readers interpret differently is an error, which names its location: a \
key that occurs twice in a map, a key that is not a string, a second document, a tag such \
as !!set, the merge key <<, .inf and .nan, an integer that does not fit 64 bits, a number \
with a leading zero such as 017, and indentation with tabs. Text that is not UTF-8 is an \
error, as is a file that is not a regular file.

Anchors and aliases stand for whole values. Each use counts in full towards the limit of {nodes} \
values per document, and no value may contain itself.",
        nodes = yaml::MAX_NODES
    )
}

fn limits() -> String {
    format!(
        "\
a tool file
  {file} MiB

nesting
  {depth} levels

values in a document
  {nodes}, with each use of an alias counted in full

a name
  {name} characters

arguments
  {input} MiB

run time
  {timeout} s, unless the key timeout is set",
        file = Text::MAX_BYTES >> 20,
        depth = yaml::MAX_DEPTH,
        nodes = yaml::MAX_NODES,
        name = Name::MAX_LENGTH,
        input = Input::MAX_BYTES >> 20,
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
        options: [Fix the parser, Leave it]

    implementation: | # njk
      # {{ decision }}
      {% for option in options %}
      - instead: {{ option }}
      {% endfor %}

The file is named weigh.yaml. `cogtools-discover` declares it, `cogtools-discover --strict` \
also checks its examples and its template, and `cogtools-call` calls it:

    echo '{\"decision\": \"Go\", \"options\": []}' | cogtools-call weigh";
