//! cogtools-errors(7): the codes and the remedy for each, from their comments in the core.

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
Every failure of every program has a code. Codes, exit statuses and the format of messages \
are stable, so that scripts and models can rely on them. A program that succeeds prints nothing \
on standard error, because some hosts treat any output there as a failure. The exceptions are output \
that an option requests, and warnings about omitted items: `cogtools-discover` warns of invalid \
tools, and exits with status 0.";

const MESSAGES: &str = "\
A message is one line: the program, the code in brackets, the subject (a tool, or \
file:line:column), a JSON pointer to the value, and a description of the error. Lines that begin \
with hint: give the next step. All violations of a call are reported at once, one per line; the \
first violation determines the exit status.

    cogtools-call: error[SCHEMA_VIOLATION]: facepalm: /therefore: required but missing
    hint: send therefore (string): Provide constructive outlook on the situation

An error in a file is shown with its line, marked by carets:

    cogtools-discover: warning[INVALID_TOOL]: tools/a.yaml:3:1: unknown key `desciption`
       |
     3 | desciption: Say it
       | ^^^^^^^^^^
    hint: did you mean `description`?

If the program can continue, it prints warning instead of error; --quiet leaves out warnings. On a \
terminal, messages are coloured unless NO_COLOR is set; --color always and --color never override \
both.";

const JSON: &str = "\
With `--error-format json`, each failure is one JSON object on one line:

severity
  error, or warning if the program continues.

code
  One of the codes below.

program
  The name of the program.

subject
  The item with the error, such as the name of a tool. Optional.

file, line, column
  The position in a file, counted from 1, columns in characters. Optional.

pointer
  A JSON pointer (RFC 6901) into the arguments or the file. Optional.

message
  A description of the error.

details
  Further output on the failure, such as the standard error of a tool's program. Optional.

logs
  The log of JavaScript code until its failure, an array of strings. Only `cogtools-js` prints it.

hints
  The next steps, an array of strings.";

fn codes() -> String {
    let mut text = String::new();
    for code in Code::ALL {
        let _ = writeln!(text, "{} (exit status {})", code.name(), code.status());
        let _ = writeln!(
            text,
            "  {}. {}\n",
            sentence(&code.description()),
            code.remedy()
        );
    }
    text
}

fn sentence(description: &str) -> String {
    let mut letters = description.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_belongs_to_one_code_or_to_two_of_a_kind() {
        let mut remedies = Code::ALL.map(Code::remedy);
        remedies.sort_unstable();
        assert_ne!(remedies[0], "");
        let mut groups = remedies.chunk_by(|one, other| one == other);
        assert!(groups.all(|group| group.len() <= 2));
    }

    #[test]
    fn no_description_begins_with_the_program_name() {
        for code in Code::ALL {
            assert!(
                !code.description().starts_with("cogtools"),
                "{}",
                code.name()
            );
        }
    }
}
