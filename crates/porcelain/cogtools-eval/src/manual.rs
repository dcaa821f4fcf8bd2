//! The sections of the manual page that no command line has.

/// The sections.
pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "CASES",
        "A case is a task with expectations. Cases of one tool are in `NAME.evals.yaml` beside `NAME.yaml`, those of several tools in `evals/*.yaml` of the project; `evals/evals.json` of a skill is read, too.\n\n    cases:\n      - name: converts\n        task: How many miles are 5 kilometres?\n        expect:\n          calls:\n            - tool: convert\n              args: {amount: 5, unit: {one_of: [km, kilometre]}}\n          first_try: true\n\nThe keys of a file are trials (5), threshold (1), tools and cases; those of a case are name, task, tools, files, with, trials, threshold, tags and expect. docs/reference/evals.md describes each.",
    ),
    (
        "EXPECTATIONS",
        "calls\n  The calls to make, with `tool`, `args` and `times`. `order` is subset (these, among others), in_order, exact or any_order.\n\nnever\n  Tools that are not called.\n\nfirst_try\n  The first call of each tool is accepted.\n\nanswer\n  `contains`, `matches`, `schema` and `says`, a statement that the model of --judge finds in it.\n\nat_most\n  turns, calls, tokens, money and seconds.\n\nThe matchers of arguments are equals, contains, matches, near, schema, one_of and absent; any other value is equals.",
    ),
    (
        "TRIALS",
        "A trial is a session of the project, which `cogtools session show` shows by the name that the report has; `cogtools session list` leaves it out. A trial that ended is done, whatever stopped the run: the next run judges it anew by the expectations, and does not ask the model again, unless the task, its files or fixtures, a declaration, the file of a tool that it called, the instructions, the settings, the model or its base URL have changed, or a looser limit, --allow or an approval lets it go on now. An error, such as a service that cannot be reached, is no failure: it is outside every rate, and the next run tries again.\n\nTools run as in `cogtools ask` without a terminal; --allow lets calls run that would need an approval. A tool under `with` does not run. With --code, the calls that programs make are the calls of the trial; those of run_code itself are none. A trial has 20 turns, 50 calls and 300 seconds unless at_most says otherwise.",
    ),
    (
        "FIGURES",
        "The interval is Wilson's, of 95 %. pass_k has the chance that k trials drawn at random all pass. Comparisons are of pairs of trials: for a case McNemar's exact test with Holm's correction, for all cases the flips of the signs of their differences. `not_shown` says how many trials would show the difference with a power of 80 %: five trials never show one.\n\n--statistics answers JSON lines on standard input: {passed, trials, k}, {b, c}, {differences} and {discordant, difference}.",
    ),
    (
        "RECORDINGS",
        "--record keeps trials in NAME.evals/tapes.jsonl beside the cases, long results in NAME.evals/blobs. --replay judges them without a model and without running a tool. A recording is stale when the task, its files, fixtures or settings, a declaration in scope, or the file of a tool that it called has changed; expectations, comments and the order of keys change nothing. --accept takes stale recordings as they are.",
    ),
    (
        "MODELS",
        "--models names models of the provider. --model-command runs a command for each request, by the shell: it reads a request of the Gemini API as JSON, and prints the response, or plain text. COGTOOLS_EVAL_MODEL has the name of the model.\n\n--host runs claude, codex or gemini without a terminal, as you would start it, with your login, in a folder of the trial, with the tools of the case over MCP. `codex:MODEL` asks it for a model. Its column has its name and version, such as `codex@0.169.0`, with which --models selects recorded trials. Tokens, turns and money are what the host says; a limit in at_most of what it does not say is an error.",
    ),
    (
        "AUTHORING",
        "--from-examples lets a model phrase the request that leads to each example of a tool, and writes it as a case, with the arguments of the example, into NAME.evals.yaml beside the tool. An example has a case already if a call of a case, in which arguments are named, takes its arguments. A request that names the tool, or a parameter as code would, is asked for once more, and then a failure. Read the cases, and loosen what a request leaves open.\n\n--improve lets a model rewrite the description of a tool by the cases whose name's SHA-256 begins with an even hexadecimal digit. It is kept only if the trials of the other cases, at least 6, show that it is better. Its budget is --description-tokens.\n\nBoth show a diff, which `git apply` takes, ask before they write, and leave every other byte as it is. Without a terminal they write only with --yes. --writer names the model that writes.",
    ),
    (
        "FORMATS",
        "human, json, junit (a suite is a model) and markdown, for a pull request. The exit status is 0 if every case is ok; with --compare, if none is shown to be worse.",
    ),
    (
        "EXAMPLES",
        "    cogtools eval\n\n    cogtools eval convert --models gemini-flash-latest --trials 20\n\n    cogtools eval --record\n\n    cogtools eval --replay --format junit > evals.xml\n\n    cogtools eval convert --compare HEAD~1 --trials 20\n\n    cogtools eval --from-examples convert\n\n    cogtools eval --improve convert --trials 20",
    ),
];
