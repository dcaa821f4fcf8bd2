//! cogtools-errors(7): the codes, from the table in the core, and what to do.

use std::fmt::Write as _;

use cogtools_core::Code;
use cogtools_program::man;

use super::Section;

pub(super) fn sections() -> Vec<Section> {
    vec![
        ("DESCRIPTION", DESCRIPTION.to_owned()),
        ("MESSAGES", MESSAGES.to_owned()),
        ("JSON", JSON.to_owned()),
        ("CODES", codes()),
        ("EXIT STATUS", man::exit_status(&Code::ALL)),
    ]
}

const DESCRIPTION: &str = "\
Every failure of every program has a code. Codes, exit statuses and the form of messages \
are stable: scripts and models rely on them. A program that succeeds prints nothing on \
standard error unless it is asked to, for some hosts take any output there for a failure. \
`cogtools-discover` alone warns of broken tools there and still ends with status 0.";

const MESSAGES: &str = "\
A message is one line: the program, the code in brackets, what it is about (a tool, or \
file:line:column), a JSON pointer to the value, and what is wrong with it. Lines that begin \
with hint: say what to do next. All violations of one call are reported at once, each with \
a line of its own; the first one decides the exit status.

    cogtools-call: error[SCHEMA_VIOLATION]: facepalm: /therefore: required but missing
    hint: send therefore (string): Provide constructive outlook on the situation

Where a line of a file is wrong it is shown, with carets below:

    cogtools-discover: warning[INVALID_TOOL]: tools/a.yaml:3:1: unknown key `desciption`
       |
     3 | desciption: Say it
       | ^^^^^^^^^^
    hint: did you mean `description`?

The word warning instead of error says that the program went on. On a terminal the words \
are coloured unless NO_COLOR is set.";

const JSON: &str = "\
With `--error-format json` each failure is one JSON object on a line of its own:

severity
  error, or warning where the program went on.

code
  One of the codes below.

program
  The program that speaks.

subject
  What it is about, such as the name of a tool. Left out when nothing is to be named.

file, line, column
  Where in a file, counted from 1, columns in characters. Left out when it is about no file.

pointer
  A JSON pointer (RFC 6901) into the arguments or the file. Left out when there is none.

message
  What is wrong.

details
  What somebody else said about it, in lines: the standard error of a program. Left out when \
nobody did.

hints
  A list of strings: what to do next.";

fn codes() -> String {
    let mut text = String::new();
    for code in Code::ALL {
        let _ = writeln!(text, "{} (exit status {})", code.name(), code.status());
        let _ = writeln!(text, "  {}. {}\n", sentence(code.meaning()), remedy(code));
    }
    text
}

/// What the one who reads of it can do.
const fn remedy(code: Code) -> &'static str {
    match code {
        Code::ToolFailed => {
            "Read what its program said, in the lines behind the bars, and call it otherwise."
        }
        Code::UnknownProgram => {
            "Take one of the names in the hint, or look at what cogtools help --all lists."
        }
        Code::Unhealthy => "Do what the report says behind fix:, or run cogtools doctor --fix.",
        Code::Stale => "Run the command in the hint, and commit what it writes.",
        Code::TestFailed => {
            "Mend what the report of cogtools test names, or accept the new results with --update."
        }
        Code::Usage => "Follow the usage line in the hints; --help explains every option.",
        Code::InvalidArgumentsSyntax => {
            "Send one object, in UTF-8, with no key twice; with YAML, add --yaml."
        }
        Code::SchemaViolation => {
            "Send the call again with every named argument mended; the hints say how."
        }
        Code::TemplateFailed => "Mend the template at the line that is shown.",
        Code::Internal => "Report it, with the command that was run.",
        Code::IoFailed => {
            "Check that the named file exists and is readable, and that the disk has room."
        }
        Code::Denied => "Allow it, or choose another tool.",
        Code::InvalidTool => {
            "Mend the file at the line that is shown; cogtools-discover --strict checks all tools."
        }
        Code::InvalidConfig => "Mend the file at the line that is shown; see `cogtoolrc(5)`.",
        Code::Locked => {
            "Look at what has changed and whether it should have; cogtools lock pins it anew."
        }
        Code::Timeout => "Close standard input after the arguments, or let the tool do less.",
        Code::ToolNotFound => {
            "Take one of the names in the hint; cogtools-discover prints the tools there are."
        }
    }
}

fn sentence(meaning: &str) -> String {
    let mut letters = meaning.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
