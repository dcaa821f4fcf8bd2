//! The sections of the manual page that no command line has.

/// The sections.
pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "SEARCH",
        "A text that is JSON is the value, whatever its strings contain. Otherwise fences are searched, and their contents are the values if each is one as a whole; then prose, where the values are the outermost objects and arrays; then lines that consist of a scalar, such as a number or `true`. The first of these that has a value decides, also for --first and --all. Of several values, an object or array is preferred to a scalar.\n\nValid JSON is never altered: its numbers keep their spelling, and nothing is searched inside of it. Of a key that occurs again, the last value is taken, and a surrogate without its partner becomes U+FFFD, because no UTF-8 text can have one.",
    ),
    (
        "REPAIRS",
        "Only what does not parse is repaired: commas, colons, quotes and brackets that are missing, too many, or of another kind, such as curly quotes and full-width punctuation; keys and text without quotes; quotes and line ends inside strings that are not escaped; comments and ellipses; None, True, False, undefined and NaN; numbers such as .5 or 0x1f; strings joined with +; calls around a value, such as ObjectId(\"1\"); JSON with escaped quotes; and a text that was cut off. What has leading zeros becomes a string, since it is an identifier as often as a number. A backslash that escapes nothing is kept.\n\n--explain names each repair with its line and column.",
    ),
    (
        "GROWING TEXTS",
        "--partial is for a text that a model is still writing. The value is what is certain of it: strings that are cut off end where the text ends, a key without a value is left out, and `tr` can only be `true`. Each such value grows with the text; only the last number may get more digits. Together with --no-repair, nothing but the end is completed.",
    ),
    (
        "SCHEMA",
        "FILE is a JSON Schema, draft 2020-12. Each violation is reported with a JSON pointer to the value. With --all, the schema describes the array of all values.",
    ),
    (
        "LIMITS",
        "Standard input is read to its end, at most 16 MiB of it. A value may nest 128 levels and have 4,000,000 values in it. A number that a double cannot hold is no value. The time is linear in the length of the text.",
    ),
    (
        "EXAMPLES",
        "    cogtools json < answer.txt\n\n    cogtools json --schema invoice.schema.json --explain < answer.txt\n\n    cogtools json --all --no-repair < lines.jsonl",
    ),
];
