//! The sections of the manual page that no command line has.

/// The sections.
pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "CONTRACT",
        "`check` reads a model's text, finds the JSON object in it and repairs that as `cogtools json` does. The object has `restatement` and `visible_reply`, which are strings and not empty; `thinking_log`, an array of strings; and `tool_plan`, an array of at least one step. A step has `need_tool`, a boolean, and `reason`, a string; it may have `tool`, `args`, an object, and `save_as`. A step that needs a tool names it; no tool is ever guessed.\n\nThe contract is printed in one line and always in the same form: no blanks around strings, no unknown keys, the own names of built-in tools (`clock.now`, `time.now` and `get_time` are `get_current_date`, `js.run_sandbox` is `run_js`, whatever the case of the letters), and for each step a name of its own in `save_as`: `_stepN`, where N is the number of the step, or the next one that is free, if it has none or an earlier step has the same.",
    ),
    (
        "RUN",
        "`run` checks the plan in FILE, or on standard input, and calls the tools of the project, one step after the other, with the results of earlier steps in the arguments. Each call is checked and approved as by `cogtools-call(1)`. The result of a step is JSON if its tool declares that, and else text; that of a step without a tool is its reason. When a step fails, those after it are skipped. The reply, with its placeholders filled in, is printed in any case.\n\nWith `--stream-json`, each line is an object: `{\"event\": \"plan\", \"steps\"}`; `{\"event\": \"step\", \"save_as\", \"state\"}`, where the state is executing, executed, failed or skipped, with `args`, `result` or `error`, `startedAt`, `endedAt` and `ms` where there are any; `{\"event\": \"log\", \"text\"}`, a line that a tool's program has written to standard error; and at the end `{\"event\": \"reply\", \"text\"}`.",
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
        "    cogtools plan check < answer.txt\n\n    cogtools plan resolve < step.json\n\n    cogtools plan hydrate < reply.json",
    ),
];
