//! The sections of the manual page that no command line has.

/// The sections.
pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "CONTRACT",
        "`check` reads a model's text, finds the JSON object in it and repairs that as `cogtools json` does. The object has `restatement` and `visible_reply`, which are strings and not empty; `thinking_log`, an array of strings; and `tool_plan`, an array of at least one step. A step has `need_tool`, a boolean, and `reason`, a string; it may have `tool`, `args`, an object, and `save_as`. A step that needs a tool names it; no tool is ever guessed.\n\nThe contract is printed in one line and always in the same form: no blanks around strings, no unknown keys, the own names of built-in tools (`clock.now`, `time.now` and `get_time` are `get_current_date`, `js.run_sandbox` is `run_js`, whatever the case of the letters), and for each step a name of its own in `save_as`: `_stepN`, where N is the number of the step, or the next one that is free, if it has none or an earlier step has the same.",
    ),
    (
        "QUESTION",
        "With words that are no command, a model plans: it gets every rule of the contract and the declarations of the project's tools. An answer that breaks the contract, or names a tool that is not there, goes back once, with every violation. The options about the model, its limits and recorded responses are those of `cogtools-ask(1)`, and so is the configuration `ask`.\n\nWhat may run is decided as in `cogtools-ask(1)`: templates, JavaScript and tools that only read need no approval. For anything else the plan is shown at a terminal, and you are asked once; without a terminal, the plan waits in its session (`APPROVAL_WANTED`) until `cogtools plan resume`. `--yes` approves the plan, `--allow` single tools, `--no-run` prints the plan instead.",
    ),
    (
        "RUN",
        "`run` checks the plan in FILE, or on standard input, and calls the tools of the project, one step after the other, with the results of earlier steps in the arguments. Each call is checked and approved as by `cogtools-call(1)`. The result of a step is JSON if its tool declares that, and else text; that of a step without a tool is its reason. When a step fails, those after it are skipped. The reply, with its placeholders filled in, is printed in any case.\n\nWith `--stream-json`, each line is an object: `{\"event\": \"plan\", \"steps\"}`; `{\"event\": \"step\", \"save_as\", \"state\"}`, where the state is executing, executed, failed or skipped, with `args`, `result` or `error`, `startedAt`, `endedAt` and `ms` where there are any; `{\"event\": \"log\", \"text\"}`, a line that a tool's program has written to standard error; and at the end `{\"event\": \"reply\", \"text\"}`. A step executes when its references are replaced and its call is checked; one that cannot be called fails at once.",
    ),
    (
        "SESSIONS",
        "A run is kept in a session: the plan, each state of each step, the arguments of its call, logs, duration and result, of which a long one is a file beside the session. `cogtools-session(1)` shows it. `--session` names its file; `--no-session` keeps none, and neither does a user without a home directory.\n\n`resume` goes on with a plan that has failed, that was interrupted, or that waits for an approval: results that are there are used again, the step that failed is run again. A step that was executing when the run ended may have had an effect. If its tool is a template, only reads, or is idempotent, it is run again; otherwise it is reported, and `--repeat STEP` runs it.",
    ),
    (
        "SHOW AND EXPLAIN",
        "`show` draws a plan: its steps, their tools, states and what they need. `explain` says what it will do before it does: what each step calls, what kind of tool that is, whether it may run, and what will fail. Both take a file, a session or standard input or, if that is empty or a terminal, the newest session.",
    ),
    (
        "REFERENCES",
        "`resolve` reads `{\"args\": …, \"results\": {NAME: RECORD}}` and prints the arguments. A string that is a reference as a whole, `$tool.NAME` or `$tool.NAME.PATH`, is replaced by a value of any type; other text stays. Names and paths that are not there, and steps that failed or were skipped, are errors.",
    ),
    (
        "PLACEHOLDERS",
        "`hydrate` reads `{\"template\": \"…\", \"last\": …, \"results\": {NAME: RECORD}}` and prints the text. `{{tool.NAME}}` and `{{tool.NAME.PATH}}` lead into a record, `{{tool_result.PATH}}` into the last result. Scalars are printed as text, arrays and objects as compact JSON, and `unavailable` stands for what is not there. Steps that failed can be read, too.",
    ),
    (
        "RECORDS",
        "A record has `result`, `status`, which is `failed` or `skipped` if there is no result, and perhaps `tool` and `error`. Without a path, a name stands for the result. The segments of a path are keys, indexes, and `length` of an array; the first one leads into the record, or into its result if the record lacks it. What every object of JavaScript inherits, such as `__proto__`, is never there.",
    ),
    (
        "EXAMPLES",
        "    cogtools plan \"Which day is it in 100 days?\"\n\n    cogtools plan check < answer.txt\n\n    cogtools plan explain plan.json && cogtools plan run plan.json\n\n    cogtools plan resume\n\n    cogtools plan resolve < step.json\n\n    cogtools plan hydrate < reply.json",
    ),
];
