//! The sections of the manual page.

use cogtools_program::man;

pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "TASK",
        "The task is the words of the command line, followed by standard input unless that is a \
terminal. A word that begins with @ is a file, as with --file: text is quoted, an image, a PDF, \
sound or a film is sent as it is. Without a task, at a terminal, a conversation begins.

The model gets the task, the time, and the declarations of the project's tools. It calls tools, \
reads their results, and answers. Arguments are checked as in every call; a violation goes back to \
the model, which repairs its call.",
    ),
    (
        "CONVERSATION",
        "Each line is a task, in the same session and within the same budget. A line that ends in a \
backslash goes on, and Alt-Enter begins a new one; text that is pasted may have any lines. A word \
that begins with @ and names a file below the working directory sends that file. Tab completes \
commands, tools and files, and the arrow keys bring earlier lines back, except for those that begin \
with a blank.

Ctrl-C clears the line; while a task runs, it stops the task, and a second one ends the program. \
Ctrl-D ends the conversation. With --continue, what was interrupted goes on first.

/tools [PATTERN]
  List the tools whose names match.

/session
  Show the session, its turns, calls and tokens.

/undo
  Take the last task back: the next one follows what was there before. The session only grows.

/budget
  Show what is spent of what.

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

With --provider openai, it is any server with the API of OpenAI: the one at OPENAI_BASE_URL, with a \
key in OPENAI_API_KEY. A server on this machine needs no key. --model names the model. The keys of \
ask in the configuration are the defaults of the options; see `cogtoolrc(5)`.",
    ),
    (
        "APPROVAL",
        "Templates run without a question, and so do tools of the project that declare read_only. \
Calls of other tools need an answer: at a terminal there is a question, and without one the call is \
denied, which the model reads. --allow and --deny decide by patterns of names, in which * matches \
any characters. With --pause, the run stops instead with status 75; --approve or --reject goes on, \
hours later if need be. Tools that run programs also need what every call of them needs: a folder \
that the user trusts; see `cogtools-trust(1)`.",
    ),
    (
        "BUDGET",
        "A run ends before it exceeds a limit, with status 4, and can be continued. The defaults are \
50 turns, which are requests to the model, and 200 calls. A run that repeats the same calls with the \
same results gets a note once, and then ends with status 5.",
    ),
    (
        "SESSION",
        "Everything that happens is a line in the session's file: in the user's state folder, or in \
the file that --session names. --continue goes on, --from begins a new branch. The values of \
variables whose names contain KEY, TOKEN, SECRET or PASSWORD are masked. See \
`cogtools-session(1)`.",
    ),
    (
        "OUTPUT",
        "The answer is printed on standard output as it arrives, activity on standard error. --json \
prints one object with text, session, status, turns, calls and usage; --stream-json prints one \
object per line: request, text, thought, call, result, usage, and end with the summary. Ctrl-C ends \
the turn; what there was is kept. While a run waits for longer than a second, a terminal shows what \
it waits for, unless --quiet is given.

With --schema the answer is printed when it is whole and matches. One that does not match goes back \
to the model once, with the violations; after that the run fails with INVALID_ANSWER and status 1, \
nothing is printed, and the answer is in the session. --json prints its object in any case.",
    ),
    (
        "ENVIRONMENT",
        "GEMINI_API_KEY, GOOGLE_API_KEY
  The key for the Gemini API.

OPENAI_API_KEY
  The key for a server with the API of OpenAI.

GOOGLE_GEMINI_BASE_URL, OPENAI_BASE_URL
  The address of the API.

HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE
  How the network is reached, as in curl.",
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
