//! The manual sections.

use cogtools_program::man;

/// The sections after the options.
pub(crate) const SECTIONS: &[(&str, &str)] = &[
    (
        "EXPECTATIONS",
        "An example is a map of arguments, or a map with the key arguments and any of these keys. A tool with a parameter named arguments has only the first form.\n\nname\n  The example's name, which its golden file and reports use instead of its number. It is formed like a tool's name, and unique in the tool.\n\nwith\n  Of a flow: what the tools that it calls answer in this example without being called, a map by their names or capabilities.\n\nredact\n  A regular expression or a list of them. What they match in the result is replaced by [redacted] before it is compared and written: times, temporary paths, hashes.\n\ncontains\n  A text or a list of them, each of which is in the result.\n\nmatches\n  A regular expression or a list of them, each of which matches somewhere in the result.\n\nfails\n  The code that the call fails with: TOOL_FAILED, SCHEMA_VIOLATION, TEMPLATE_FAILED or TIMEOUT. With it, contains and matches are about the message. Hosts do not show such an example to a model.\n\nIn a regular expression ^ and $ match at the beginning and the end of a line. An example with contains, matches or fails has no golden file.",
    ),
    (
        "GOLDEN FILES",
        "The expected output of an example is in a golden file beside the tool: TOOL.1.golden for the first example of TOOL.yaml, TOOL.2.golden for the second, TOOL.NAME.golden for one with a name. It contains exactly the bytes that a call prints; commit it.\n\n--update writes the golden files that differ or are missing, removes those without an example, and names each of them. Review them before you commit. --review shows the differences one by one and asks: accept writes or removes the golden file, reject and skip leave it as it is, quit skips the rest. A result that differs between calls, and that of a call that fails, is never written.",
    ),
    (
        "INVOCATIONS",
        "Each example is called in three ways, as hosts do: with its arguments as JSON, with them as YAML, and through the tool file's own first line. All three must print the same bytes. A tool that runs a program and is not read_only in its annotations is called once, with JSON, because each call may change something; the same is true of an example with fails.\n\n--spawn also starts the programs: `cogtools-call` with the tool's name, with JSON and with YAML, and the tool file as a program; tools that are called once are left out. This takes a few milliseconds each, and proves that they are where hosts find them.",
    ),
    (
        "FAILURES",
        "The label after the example says what to fix:\n\nbroken\n  The tool file is invalid.\n\nschema\n  The example does not match the parameters.\n\ntemplate\n  The template does not render.\n\nimplementation\n  The program of the implementation cannot be started.\n\ntool\n  The tool returned no result: it failed, is not approved, or timed out. The lines that begin with a bar are the last that its program wrote to standard error or, if it wrote none there, to standard output.\n\nassertion\n  The result, or the failure, is not what the example expects.\n\ngolden\n  The result differs from the golden file. In the diff, - marks lines of the golden file and + lines of the result. Control characters are escaped, and spaces at the end of a line are shown as dots.\n\nmissing\n  The golden file does not exist.\n\nstale\n  The golden file has no example.\n\ninvocation\n  The invocations disagree, or the file cannot be run as a program although it begins with #!.",
    ),
    (
        "ORDER",
        "The tools that failed last are tested and reported first; the reports for programs have the order of the files, unless --fail-fast is given. The record is in the user's folder for state, not in the project.",
    ),
    (
        "COVERAGE",
        "--coverage shows what the examples reach: each branch of a template (if, elif, else, case, default, the body of a loop and what is printed for an empty list, and both sides of an inline if), also in templates that it includes, and each optional property. What no example reaches has a line: the file, the line of its condition, and the condition. The last line counts both. Examples with fails do not count, nor do branches that a tool without a template has in its command. It is a report, and changes no exit status.",
    ),
    (
        "FORMATS",
        "human: one line per tool, followed by its failures.\n\njson: one object: tools, an array of objects with name, file, status (passed, failed or empty), examples, failures and removed; and summary. An example has number, name, file, line, column, golden, status (passed or failed), written and failures. A failure has at, message, detail, faults and hints.\n\njunit: JUnit XML for continuous integration, with a testsuite per tool and a testcase per example. Each has its time in seconds; the other formats have no times, so that the same files give the same report.\n\nWith --coverage, each tool in json has coverage: branches, an array of objects with file, line, column, condition and taken; and properties, an array of objects with pointer, path and set. summary has their numbers: branches, taken, properties and set.\n\nThe exit status is 0 if everything passed; a tool without examples passes.",
    ),
    (
        "WATCHING",
        "--watch runs the tests, and runs them again whenever a file changes: a tool file, a golden file, a template in the folders of the tools, or the configuration. A change to one tool runs the tests of that tool; any other change runs all. Press Ctrl-C to stop.",
    ),
    ("FILES", man::FILES),
    (
        "EXAMPLES",
        "    cogtools test\n\n    cogtools test --update facepalm\n\n    cogtools test --review\n\n    cogtools test --watch\n\n    cogtools test --coverage\n\n    cogtools test -t facepalm --fail-fast\n\n    cogtools test --format junit > report.xml",
    ),
];
