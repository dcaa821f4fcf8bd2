//! The program that users and other programs start: its command line, and what it prints.

use clap::{ArgMatches, Command};
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::javascript::Script;
use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_program::call::input_diagnostic;
use cogtools_program::{Failure, Io, Program, SignalGuard, Stdin};

/// The program.
pub const PROGRAM: Program = Program {
    name: Script::PROGRAM,
    command,
    run,
    stdin: Stdin::Read,
    codes: &[
        Program::JS_CODES,
        &[
            Code::InvalidArgumentsSyntax,
            Code::SchemaViolation,
            Code::Timeout,
        ],
    ],
    variables: &[],
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    ("INPUT", INPUT),
    ("OUTPUT", OUTPUT),
    ("LANGUAGE", LANGUAGE),
    ("LIMITS", LIMITS),
    ("CONFINEMENT", CONFINEMENT),
    ("WORKER", WORKER),
    (
        "EXAMPLES",
        "    echo '{\"code\": \"return args.a + 1\", \"args\": {\"a\": 1}}' | cogtools-js",
    ),
];

const INPUT: &str = "\
One JSON object. Unknown keys are ignored.

`code`
  The body of a strict function with the parameter `args`; it is trimmed, must not be empty, and \
has at most 1,000 UTF-16 units. It is not async.

`args`
  The value of `args`: an object. If it is absent or null, it is `{}`.

`timeoutMs`
  How long the code may run, in milliseconds: 50 to 1,500; values outside are clamped. 500 if it \
is absent or not a number.

`now`
  The time that `Date` shows, in milliseconds since 1970. If it is absent or not a number, `Date` \
shows the real time.";

const OUTPUT: &str = "\
    {\"result\": 2, \"logs\": [], \"stringified\": false, \"ms\": 1}

`result` is what the code returned, as `JSON.stringify` writes it. undefined, a bigint, NaN, an \
infinity and a value with a cycle become text, and `stringified` is then true. Functions, symbols \
and promises, wherever they are, and a bigint inside of an array or an object are `JS_RESULT`. \
Half of a surrogate pair becomes U+FFFD.

`logs` has a text for each call of `console.log`, `info`, `warn`, `error` and `debug`. `ms` is how \
long it ran.

The object of a failure has the `logs` so far, too: see `--error-format json`.";

const LANGUAGE: &str = "\
ECMAScript 2025, as QuickJS implements it, without `Atomics`, `SharedArrayBuffer`, `WeakRef`, \
`FinalizationRegistry` and modules. `eval` and `Function` work. Jobs of promises never \
run. Built-in objects and prototypes are frozen; the global object, also named `self`, is not.

Code that is not JavaScript may be TypeScript: its types are replaced by blanks, and not checked. \
`enum`, `namespace`, `import =`, decorators, parameter properties and `<Type>value` are `JS_SYNTAX`.

Of the web there are `URL`, `URLSearchParams`, `TextEncoder`, `TextDecoder`, `atob`, `btoa`, \
`structuredClone`, `crypto.randomUUID`, `crypto.getRandomValues` and \
`crypto.subtle.digestSync`, which returns the hash at once.

`Intl.NumberFormat`, `Intl.DateTimeFormat`, `Intl.Collator` and the methods `toLocale…` write \
en-US, with every time zone. Any other locale, and an option that is not there, is an error. \
Without `timeZone`, dates are in UTC. `Math.random` gives the same numbers for the same code and \
arguments.

`fetch`, `XMLHttpRequest`, `WebSocket`, `importScripts`, `indexedDB` and `caches` exist, and fail \
with `JS_FORBIDDEN` when they are called. Nothing else of a browser or of Node.js exists.";

const LIMITS: &str = "\
64 MiB of memory, 1 MiB of result with at most 100 levels of nesting, 64 KiB of logs; further logs \
are left out, and a last one says so. The program ends within the time limit and 250 ms, whatever \
the code does: it kills the process that evaluates.";

const CONFINEMENT: &str = "\
The process that evaluates gives up its rights before it reads the code. On Linux: it gains no \
privileges (no_new_privs), may use no file and no network (Landlock, as far as the kernel has it), \
and is killed at any system call but those for memory, time, its standard streams and its end \
(seccomp); where seccomp is missing, nothing is evaluated. It has limits for its address space, \
its processor time, processes and open files (setrlimit), and ends with its parent. On other Unix \
systems only these limits exist, on Windows none of this; there, the engine, which has no access \
to anything, is the only barrier.";

const WORKER: &str = "\
`cogtools-js --worker MS` is that process. The programs that run tools start it, with a request \
of their own and the time limit of the tool, and kill it when that is over. What it reads and \
prints may change with every version.";

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Evaluate JavaScript: a request on stdin, the result on stdout")
        .long_about(
            "Evaluate a body of JavaScript that a model wrote, with arguments and without access \
             to anything else. The request is read from standard input; the result is printed on \
             standard output as JSON.",
        )
}

fn run(_: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let bytes = io.stdin.read().map_err(|error| {
        let example = || Some(r#"{"code": "return 1 + 1"}"#.to_owned());
        input_diagnostic(&error, "request", example, PROGRAM.name)
    })?;
    let script = read_request(bytes).map_err(Failure::from)?;
    let code = script.code.clone();
    let cancel = Cancel::default();
    let signals = SignalGuard::begin(&cancel);
    let result = script.run(io.program.parent(), &cancel);
    if let Some(status) = signals.status() {
        return Err(Failure::Reported(status));
    }
    let evaluation = result.map_err(|error| error.diagnostic(&code))?;
    io.show_json(&format!("{}\n", evaluation.render()))
}

/// Name of the input in messages.
const SUBJECT: &str = "request";

/// Reads the script in `bytes`; every violation is reported.
fn read_request(bytes: Vec<u8>) -> Result<Script, Vec<Diagnostic>> {
    let object = Arguments::read(bytes, Syntax::Json)
        .map_err(|error| vec![error.diagnostic().with_subject(SUBJECT)])?;
    let violations = |diagnostics: Vec<Diagnostic>| {
        let diagnostics = diagnostics.into_iter();
        diagnostics
            .map(|diagnostic| diagnostic.with_subject(SUBJECT))
            .collect()
    };
    Script::requested(&object.into_object()).map_err(violations)
}
