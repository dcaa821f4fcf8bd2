//! cogtools-errors(7): the codes, from the table in the core, and the remedy for each.

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
            remedy(code)
        );
    }
    text
}

/// The remedy for the reader of an error; a new code does not compile without one.
const fn remedy(code: Code) -> &'static str {
    match code {
        Code::ToolFailed => {
            "Read the output of the tool's program in the message, and change the call."
        }
        Code::UnknownProgram => {
            "Use one of the names in the hint, or one that cogtools help --all lists."
        }
        Code::Unhealthy => "Follow the fix: lines of the report, or run cogtools doctor --fix.",
        Code::Stale => "Run the command in the hint, and commit the result.",
        Code::TestFailed => {
            "Fix what the report of cogtools test names, or accept the new results with --update."
        }
        Code::EvalFailed => {
            "Read which expectations failed in which trials, and improve the tool or the case."
        }
        Code::StaleRecording => {
            "Record again: with --record, or for an agent with cogtools test --update. cogtools eval \
             --accept keeps a recording that is right."
        }
        Code::SessionDamaged => {
            "Remove the lines that the report names, or restore the file from a copy."
        }
        Code::ModelFailed => "Rephrase the task, or use another model.",
        Code::StepFailed => "Correct the plan or the tool, and run the plan again.",
        Code::NodeFailed => "Correct the node or its tool, and continue with cogtools flow resume.",
        Code::InvalidAnswer => "Change the task or the schema, or use another model.",
        Code::JsRuntime | Code::JsSyntax => "Correct the code; the position is in the message.",
        Code::JsForbidden => "Compute with the arguments alone.",
        Code::JsMemory => "Process the data in smaller parts, and keep no large values.",
        Code::JsTimeout => "Do less work in each call, or look for an endless loop.",
        Code::JsResult => "Return text, numbers, booleans, null, arrays or plain objects.",
        Code::Usage => "Follow the usage line in the hint; --help explains every option.",
        Code::ModelRefused => "Change the task, or use another model.",
        Code::AnswerCut => "Raise --max-tokens, or continue the session.",
        Code::BudgetSpent => "Continue the session with a larger --budget.",
        Code::Repetition => "Continue the session, and tell the model how to proceed.",
        Code::InvalidArgumentsSyntax => {
            "Send one object, in UTF-8, without duplicate keys; add --yaml to send YAML."
        }
        Code::SchemaViolation => {
            "Correct every named argument as the hints say, and repeat the call."
        }
        Code::InvalidSession => {
            "Name a session file; cogtools session verify lists what is wrong with one."
        }
        Code::InvalidRecording => {
            "Name a file that --record has written, or record it again under another name."
        }
        Code::NoJson => "Ask the model for JSON again; cogtools json --explain shows repairs.",
        Code::ContractViolation => {
            "Send every violation back to the model; the pointer names the value to correct."
        }
        Code::CodeTypes => "Correct the calls; cogtools code types prints the types of the tools.",
        Code::CodeDiverged => "Run the program anew; its code or its tools have changed.",
        Code::CodeInterrupted => {
            "Find out whether the call had an effect, and resume with --repeat or --result."
        }
        Code::MissingReference => {
            "Refer to a name and a path in the results; failed steps have no result."
        }
        Code::Unavailable => "Check the network, wait a while, and continue the session.",
        Code::TemplateFailed => "Correct the template at the line that the message shows.",
        Code::Internal => "Report the error, and include the command.",
        Code::IoFailed => {
            "Check that the named file exists and is readable, and that the disk is not full."
        }
        Code::SessionInUse => "Wait until it ends, or continue in a copy: cogtools session fork.",
        Code::ApprovalWanted => "Continue the session with --approve or --reject.",
        Code::OutputSkipped => {
            "`cogtools flow trace` says why each node was skipped. Change the condition or the \
             arguments, or give the output a value for that case: `{{ a or \"none\" }}`."
        }
        Code::AnswerWanted => {
            "Answer with the command in the hint; cogtools flow resume continues the flow."
        }
        Code::Denied => "Approve it, or use another tool.",
        Code::SandboxUnavailable => {
            "Run it on a system that has the sandbox; cogtools doctor shows what this one enforces."
        }
        Code::InvalidTool => {
            "Fix the file at the line shown; cogtools-discover --strict checks all tools."
        }
        Code::InvalidConfig => "Fix the file at the line shown; see `cogtoolrc(5)`.",
        Code::InvalidEvals => "Fix the file at the line shown; see `cogtools-eval(1)`.",
        Code::Locked => "Review the differences; cogtools lock pins the new declarations.",
        Code::AmbiguousCapability => {
            "Name the tool in the flow, or exclude all but one of the tools in the message."
        }
        Code::AmbiguousEditor => {
            "Close one of the windows, or set COGTOOLS_EDITOR to the socket of the other one."
        }
        Code::Timeout => "Close standard input after the arguments, or raise the tool's timeout.",
        Code::ToolNotFound => "Use one of the names in the hint; cogtools list lists all tools.",
        Code::SessionNotFound => {
            "Use a name that cogtools session list shows, or the path of a file."
        }
    }
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
        let mut remedies: Vec<&str> = Code::ALL.map(remedy).to_vec();
        remedies.sort_unstable();
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
