//! The sections of the manual page that no command line has.

/// The sections.
pub(super) const MANUAL: &[(&str, &str)] = &[
    (
        "PROGRAM",
        "The body of an async function with the parameter `args`, in JavaScript or TypeScript. It has:\n\n`tools.NAME(args)`\n  Calls a tool and returns its result: the value of a tool that declares JSON, else the text without its last newline. A name that is no identifier is quoted, `tools[\"my-tool\"]`, or written with `_`, `tools.my_tool`.\n\n`parallel(functions, {limit, errors})`\n  Runs functions whose calls run at the same time, 8 at once, and returns their results in order. Calls that may change something run one after the other. In such a function the result of a call must be returned or awaited. All functions end, then the first error is thrown; with `errors: \"keep\"`, errors are results.\n\n`print(…values)`\n  Prints a line: texts as they are, other values as JSON. A returned value is printed last.\n\n`store.NAME`\n  A JSON value that later programs of the session find.\n\n`search_tools(query, limit)`, `describe(…names)`\n  Find tools, and return their TypeScript.\n\nA call that fails throws a `ToolError` with `code`, `tool`, `violations` and `hints`. The code is SCHEMA_VIOLATION, TOOL_NOT_FOUND, TOOL_FAILED, TIMEOUT or DENIED. A program that catches it goes on. What the code does not await runs to its end, too, and an error of that which nothing handles is JS_RUNTIME, as in Node.js. Otherwise the language is that of `cogtools-js(1)`: no network, no files, no clock but the recorded one.",
    ),
    (
        "LIMITS",
        "32,768 UTF-16 units of code; 5 s for the code itself and 60 s for the whole program, without the time that you take to answer; 1,000 calls (`--calls`); 1 MiB of arguments and 16 MiB of result for a call; 64 MiB of memory; 1 MiB of `store`.",
    ),
    (
        "APPROVAL",
        "The rules are those of `cogtools-ask(1)`: templates, JavaScript and read-only tools of your own run; other calls need a yes. At a terminal you are asked once, before the program starts: the question shows the code and the calls. `run` agrees to them; a call that destroys something or reaches an open world, and whose arguments the code computes, is still asked about when it comes. `run, and ask at each of them` asks about every call. `edit` opens the code in the editor that VISUAL or EDITOR names, and you are asked about the edited program. Without a terminal such calls are DENIED in the program. With `--pause` the program ends with APPROVAL_WANTED, and `resume --approve STEP` or `--reject STEP=WHY` goes on.",
    ),
    (
        "SESSIONS",
        "Each call is written to the session before it runs, and its result before the program sees it. `resume` runs the program again: calls that the session has, in the same order with the same arguments, return the recorded results, with the same random numbers and times. A program that takes another way is CODE_DIVERGED. A call that was interrupted runs again if it changes nothing or is idempotent; any other is CODE_INTERRUPTED until you decide, with `--repeat STEP`, which is an approval as well, or `--result STEP=JSON`. A program whose code or `args` have a secret, which the session masks, is not resumed: run it anew. Without SESSION, `resume` takes the newest one with a program. With `--session FILE`, several programs share a session and its `store`.",
    ),
    (
        "JSON",
        "`run` and `resume` print {status, output, result, calls, program, session, ms, error}. `status` is completed, failed, waiting or stopped; `calls` is an array of {step, tool, arguments, status, ms}; `error` is {code, message, line, column, hints} and only there after a failure. `explain` prints {tools, computed}: for each tool {tool, changes, approval, calls}, where `approval` is allow, ask or deny, and `calls` is an array of {line, arguments}. Arguments that are not literal are null.",
    ),
    (
        "EXAMPLES",
        "    echo 'return tools.tax({amount: 100})' | cogtools code run\n\n    cogtools code explain program.ts\n\n    cogtools code run --dry-run program.ts\n\n    cogtools code types --tools 'user*'\n\n    cogtools code resume --approve 3",
    ),
];
