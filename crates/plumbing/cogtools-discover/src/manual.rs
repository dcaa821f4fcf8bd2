//! The sections of the manual page.

use cogtools_program::{budget, man};

pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "BROKEN TOOLS",
        "An invalid tool file is skipped and reported on standard error, and the exit status is 0: some hosts treat a failed discovery as fatal, and this way they keep all other tools. With --strict, every tool is also checked for what only a call would reveal (invalid examples, templates that do not compile), and an invalid tool is an error.\n\nThe same applies to a tool that the API behind --format rejects, such as one with the parameter `who?` for gemini: the API would reject the whole request. Only that format is affected.",
    ),
    (
        "FORMATS",
        "gemini: name, description, parameters (OpenAPI 3.0) and parametersJsonSchema (the same as JSON Schema); each release of Gemini CLI reads one or the other.\n\nopenai, anthropic, mcp: the format of tools in these APIs, with JSON Schema.",
    ),
    (
        "LOCKED",
        "With --locked, or `locked: true` in the configuration, the declarations are first compared with cogtools.lock, which `cogtools lock` writes. A tool that was added, removed or changed, and a source that was removed or is unavailable, are errors that describe the difference; nothing is then declared. Filters do not affect the comparison.",
    ),
    ("BUDGET", budget::MANUAL),
    ("FILES", man::FILES),
    (
        "EXAMPLES",
        "    cogtools-discover\n\n    cogtools-discover --yaml -C ../other-project\n\n    cogtools-discover --strict > /dev/null\n\n    cogtools-discover --budget 4000",
    ),
];
