//! Time is linear in the length of the text, whatever is in it.

use std::time::{Duration, Instant};

use cogtools_lenient_json::{Options, Which, find};

/// The size of a text, in bytes.
const SIZE: usize = 4_000;

/// Duration of the search in a text of `size` bytes.
fn time(prefix: &str, part: &str, size: usize, options: Options) -> Duration {
    let text = prefix.to_owned() + &part.repeat(size / part.len());
    let start = Instant::now();
    let _ = find(&text, options);
    start.elapsed()
}

/// Returns true if four times the text takes more than nine times as long; a quadratic search takes
/// sixteen times as long. What else the machine does is no reason: the best of some runs counts.
fn is_quadratic(prefix: &str, part: &str, options: Options) -> bool {
    let slower = || {
        let small = time(prefix, part, SIZE, options);
        time(prefix, part, 4 * SIZE, options) > small * 9 + Duration::from_millis(40)
    };
    (0..5).all(|_| slower())
}

#[test]
fn four_times_the_text_takes_about_four_times_as_long() {
    let mut complaints = Vec::new();
    for part in [
        "[",
        "{",
        "\"",
        "'",
        "`",
        "```",
        "```\n",
        "```json\n",
        "{\"a\":",
        "{\"a",
        "[\"",
        "{a:",
        "[1 ",
        "[1 a ",
        "[1 a b ",
        "[\"[",
        "[\"[\\\"",
        "[\"a ",
        "[\"a\" b ",
        "{\"a\":\"b \"c\", d ",
        "{}",
        "[],",
        "[a(",
        "f(",
        "{\\\"",
        "{\\\"a\\\":",
        "\\",
        "\\u",
        "/*",
        "//",
        "[/*",
        "{//\n",
        "[1,",
        "[1,]",
        "{a",
        "{a ",
        "\n",
        "1\n",
        "{\"a\":[",
        "[{\"a\":1,",
        "{\"a\":1 {",
        "{\"a\":1]",
        "……",
        "[...",
        "“",
        "{“a",
        "[“a” ",
        "，",
        "［",
        "\u{a0}",
        "[ ",
        "- [ ] \n",
        "{'a",
        "{'a':'b',",
        "[\"a\"+",
        "[\"a\n",
        "[\"a,\n\"b",
        "{\"a\":\"b,\"c",
        "[-",
        "[1e",
        "[tru",
        "{\"a\"",
        "{\"a\" \"b\" ",
        "[\"a\":",
        "{\"a\":[\"b\":",
        "\"{",
        "}",
        "]",
    ] {
        for prefix in ["", "x ", "{\"a\":\"", "```json\n"] {
            for (repair, partial) in [(true, false), (false, false), (true, true)] {
                let options = Options {
                    which: Which::Last,
                    repair,
                    partial,
                };
                if is_quadratic(prefix, part, options) {
                    complaints.push(format!("{prefix:?} {part:?} {options:?}"));
                }
            }
        }
    }
    assert_eq!(complaints, Vec::<String>::new());
}
