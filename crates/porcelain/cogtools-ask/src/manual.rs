//! The sections of the manual page.

use cogtools_program::man;

pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "TASK",
        "The task is the words of the command line, followed by standard input unless that is a \
terminal. A word that begins with @ is a file, as with --file: text is quoted, an image, a PDF, \
audio file or video is sent unchanged. A URL that begins with https:// is sent as a URL, which the \
provider reads if it can. An image, a PDF, audio or video on standard input is sent, too. Without a \
task, at a terminal, a conversation begins.

The model gets the task, the time, and the declarations of the project's tools. It calls tools, \
reads their results, and answers. Arguments are checked as in every call; a violation goes back to \
the model, which repairs its call.",
    ),
    (
        "CONVERSATION",
        "Each line is a task, in the same session and within the same budget. A line that ends in a \
backslash continues on the next line, and Alt-Enter inserts a line break; pasted text may have \
several lines. A word that begins with @ and names a file below the working directory sends that \
file. Tab completes commands, tools and files. The arrow keys recall earlier lines, except lines \
that begin with a space.

Ctrl-C clears the line; while a task runs, it stops the task, and a second one ends the program. \
Ctrl-D ends the conversation. With --continue, an interrupted task is finished first.

/tools [PATTERN]
  List the tools whose names match.

/session
  Show the session, its turns, calls and tokens.

/undo
  Undo the last task: the next task continues from the state before it. The session keeps both.

/retry
  Undo the last task and give it again, with another seed.

/model [NAME]
  Show the model, or use another one of the same provider from now on.

/compact
  Replace old turns by a summary before the next task.

/budget, /cost
  Show how much of each limit is used.

/help, /quit
  List the commands; end the conversation.",
    ),
    (
        "MODELS",
        "The default is the Gemini API, with a key in GEMINI_API_KEY or GOOGLE_API_KEY; the second \
wins. With GOOGLE_GENAI_USE_VERTEXAI=true it is Vertex AI, with a token in \
GOOGLE_OAUTH_ACCESS_TOKEN, a project in GOOGLE_CLOUD_PROJECT and a region in \
GOOGLE_CLOUD_LOCATION; without a project, with the key in GOOGLE_API_KEY. GOOGLE_GEMINI_BASE_URL \
names another server of the same protocol. A project's .env never sets any of these. --models lists \
the models of the provider.

With --provider openai, the model is on a server with the API of OpenAI: the one at \
OPENAI_BASE_URL, with a key in OPENAI_API_KEY. With --provider anthropic, it is on a server with the \
Messages API of Anthropic: the one at ANTHROPIC_BASE_URL, with a key in ANTHROPIC_API_KEY. A server \
on this machine needs no key. --model names the model. --option \
passes a key to the API as it is, such as topP=0.9 to Gemini or top_p=0.9 to the others; \
thinking=LEVEL sets the level of thinking of any, and thinking=TOKENS the tokens for thoughts of a \
Claude that takes a number. ask.aliases in the configuration has \
short names of models, for --model, /model and the files of agents. The keys of \
ask in the configuration are the defaults of the options; see `cogtoolrc(5)`.",
    ),
    (
        "APPROVAL",
        "Templates and tools of the project that declare read_only run without approval. Calls of \
other tools need approval: at a terminal you are asked, and without a terminal the call is denied \
and the model is told. The question shows the reason, the command or the URL, and all arguments. \
Your answer is for one call, for the run, or for always, which shows a rule and writes it to \
ask.allow in your own configuration. If you say why not, the model reads it, as it does with --reject CALL=WHY. --allow and --deny decide by patterns of names, in which * matches any \
characters. With --pause, the run stops instead with status 75, and --approve or --reject continues \
it, even hours later; if more than one session waits, --session says which. A call of an agent that \
is a tool cannot wait: the run ends with status 75, and the hint names --allow. An approval in a file \
of --session counts only for calls that have begun, because others may have written it. A call whose \
arguments have a secret, which the session masks, has to be made again. A plain --continue asks at a terminal, and stops again without one. A rule that denies holds against an approval. The message about the pause shows the same as the question. An approval covers the tool as it was shown: if its file has changed since, --approve refuses. Tools that run programs also need a folder that the user trusts; see \
`cogtools-trust(1)`.",
    ),
    (
        "SKILLS",
        "The instructions name the skills in .agents/skills of the home directory and, if the project is \
trusted, of the project and of plugins in tool_sources, by name and description, in at most 4,000 \
tokens. The model reads the rest with read_skill: the text, and files of the skill, which no link \
leaves. It runs a file in scripts with run_skill_script, in a sandbox that reads the project, and \
neither writes there nor reaches the network; a script of a plugin needs an approval. Skills that \
`cogtools-skill(1)` has written are left out: the tools themselves are declared.",
    ),
    (
        "PROGRAMS",
        "With --code, the model gets the tool run_code instead of all tools: it writes programs that call \
them, as `cogtools-code(1)` describes, and reads what they print. The types of the tools are part of \
its description, if they are short. Otherwise the types of those that fit come with your task, and \
the model has search_tools, which answers with types, and describe_tools as well. \
With --code=TOKENS, or ask.code in the configuration, it gets run_code only if the declarations of \
the tools have as many tokens. A session that has run a program stays in this mode.

The calls of a program follow the rules of APPROVAL, and count in the budget. If some need approval, \
you are asked once before the program starts. The question shows the whole code, these calls with \
their literal arguments, and the reasons:

run
  Approve these calls. A call that destroys something or reaches an open world, and whose arguments \
the code computes, is still asked about when it comes.

run, and ask at each of them
  Ask about every call when it comes.

edit
  Open the code in the editor that VISUAL or EDITOR names, then ask about the edited program. The \
model reads it.

no, because …
  Do not run it. The model reads the reason, if you give one.

With --pause, the run stops at the question: --approve, --approve-each, --edit (with the code on \
standard input) or --reject continues it. A call of a program that waits has a name such as p1.3: the \
program, and the step.

If the run is interrupted, --continue runs the program again with the recorded results. A call that \
was interrupted and may have had an effect does not run again by itself: the run stops with status \
75, and --repeat p1.3 or --result p1.3=JSON continues it.",
    ),
    (
        "BUDGET",
        "A run ends before it exceeds a limit, with status 4, and can be continued. The defaults are \
50 turns, which are requests to the model, and 200 calls. A request that would exceed the limit of \
tokens is not sent: its size is that of the previous request plus an estimate of what is new; the size of \
the first request is an estimate. Agents that run at the same time share the limits of their caller, \
and the agents of a flow share the limit of money: a request reserves what it may use. If the model repeats the same calls with the same results, it is warned \
once; after that, the run ends with status 5.",
    ),
    (
        "SESSION",
        "Every event is a line in the session's file, which is in the user's state folder, or is \
the file that --session names. --continue continues a session, --from begins a new branch. The values of \
variables whose names contain KEY, TOKEN, SECRET or PASSWORD are masked. See \
`cogtools-session(1)`.

--record writes a tape: the responses of the model and the results of calls. It replaces a tape, and \
no other file. --replay answers from it, without a network, and runs no tool. With both, `--record missing` asks the model, and runs \
tools, only for what the tape of --replay lacks, and adds that.",
    ),
    (
        "OUTPUT",
        "The answer is printed on standard output as it arrives, activity on standard error. A \
terminal with colours shows Markdown styled, block by block; a pipe gets it as it is. --json \
prints one object with text, session, status, turns, calls and usage, and files if the answer has \
any: files are not printed, but named on standard error; --stream-json prints one \
object per line: request, text, file, thought, call, result, usage, and end with the summary. Ctrl-C ends \
the turn and keeps the partial answer. If a run waits for longer than a second, a terminal shows \
the reason, unless --quiet is given.

With --schema, the answer is printed only when it is complete and matches the schema. An answer \
that does not match is returned to the model once, with the violations. If the second answer does \
not match either, the run fails with INVALID_ANSWER and status 1: nothing is printed, and the answer \
is in the session. --json always prints its object.",
    ),
    (
        "ENVIRONMENT",
        "GEMINI_API_KEY, GOOGLE_API_KEY
  The key for the Gemini API.

OPENAI_API_KEY
  The key for a server with the API of OpenAI.

ANTHROPIC_API_KEY
  The key for a server with the API of Anthropic.

GOOGLE_GEMINI_BASE_URL, OPENAI_BASE_URL, ANTHROPIC_BASE_URL
  The address of the API.

HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE
  The proxies and certificates to use, as in curl.",
    ),
    ("FILES", man::FILES),
    (
        "EXAMPLES",
        "    cogtools ask \"Why does this fail?\" @error.log

    git diff | cogtools ask \"Review this change\"

    cogtools ask --continue \"And in one sentence?\"

    cogtools ask --json --budget turns=5 --allow 'git_*' \"What changed today?\" | jq -r .text",
    ),
];
