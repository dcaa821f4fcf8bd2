//! `.env` files are read as npm's `dotenv` reads them, or refused with a message.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use cogtools_core::environment::DotEnv;
use cogtools_core::text::Text;
use cogtools_test_support::{conformance, install};
use serde_json::Value;

use crate::clients::cache;

/// The newest version.
const DOTENV: &str = "dotenv@18.0.10";
/// The number of generated files.
const GENERATED: usize = 20_000;

/// Variables by name.
type Variables = BTreeMap<String, String>;

/// The variables that we read from a file, or why it is refused.
fn ours(content: &str) -> Result<Variables, String> {
    let text = Text::new(".env", content.as_bytes().to_vec()).expect("text");
    let file = DotEnv::parse(text).map_err(|error| error.to_string())?;
    let variables = file.variables().iter();
    Ok(variables
        .map(|variable| (variable.name.clone(), variable.value.clone()))
        .collect())
}

/// Reads each file with `dotenv`.
fn theirs(files: &[String]) -> Vec<Variables> {
    let place = install::npm(&cache(), "dotenv-1", &[DOTENV]);
    let mut child = Command::new("node")
        .args(["--eval", include_str!("dotenv/parse.cjs")])
        .current_dir(place)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node runs");
    let input = child.stdin.take().expect("a pipe");
    // It reads all input before it answers.
    serde_json::to_writer(input, files).expect("node takes the files");
    let output = child.wait_with_output().expect("node ends");
    assert!(output.status.success(), "{}", output.status);
    let parsed: Vec<Vec<(String, String)>> =
        serde_json::from_slice(&output.stdout).expect("node answers in JSON");
    let parsed = parsed.into_iter();
    parsed.map(|file| file.into_iter().collect()).collect()
}

/// A file written by hand.
struct Case {
    content: String,
    /// Reads a file with `dotenv`.
    variables: Variables,
    /// Our message, if we refuse it.
    refused: Option<String>,
}

fn cases() -> Vec<Case> {
    let file = crate::repository().join("tests/dotenv/cases.jsonl");
    let cases = conformance::cases(&file).into_iter().map(|case| {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let variables = case["variables"].as_object().expect("variables");
        let variables = variables.iter();
        Case {
            content: text(&case["file"]),
            variables: variables
                .map(|(name, value)| (name.clone(), text(value)))
                .collect(),
            refused: case.get("refused").map(text),
        }
    });
    cases.collect()
}

/// Files of random pieces that matter to the syntax; the same ones in each run.
fn generated() -> Vec<String> {
    const PIECES: [&str; 34] = [
        "A", "B", "export", "export ", "=", "=", "=", ": ", ":", " ", " ", "\t", "\n", "\n", "\n",
        "\r\n", "\r", "'", "'", "\"", "\"", "`", "\\", "\\n", "\\'", "\\\"", "#", "b", "$", "1",
        "\u{feff}", "\u{2028}", "\u{a0}", "ü",
    ];
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % limit as u64).unwrap_or(0)
    };
    let mut file = |_| {
        let length = 1 + next(14);
        let pieces: Vec<&str> = (0..length).map(|_| PIECES[next(PIECES.len())]).collect();
        // Most random texts would be refused in the first line.
        let start = ["", "A=", "A='", "A=\""][next(4)];
        format!("{start}{}", pieces.concat())
    };
    (0..GENERATED).map(&mut file).collect()
}

#[test]
fn recorded_files() {
    let mut wrong = Vec::new();
    for case in cases() {
        let expected = match case.refused {
            Some(message) => Err(message),
            None => Ok(case.variables),
        };
        let found = ours(&case.content);
        if found != expected {
            wrong.push(format!("{:?}: {found:?}, not {expected:?}", case.content));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn recorded_files_are_what_dotenv_reads() {
    let cases = cases();
    let files: Vec<String> = cases.iter().map(|case| case.content.clone()).collect();
    for (case, theirs) in cases.iter().zip(theirs(&files)) {
        assert_eq!(case.variables, theirs, "{:?}", case.content);
    }
}

#[test]
fn generated_files_are_read_as_dotenv_reads_them_or_refused() {
    let files = generated();
    let mut taken = 0;
    let mut wrong = Vec::new();
    for (content, theirs) in files.iter().zip(theirs(&files)) {
        match ours(content) {
            Ok(ours) if ours == theirs => taken += 1,
            Ok(ours) => wrong.push(format!("{content:?}: {ours:?}, not {theirs:?}")),
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(taken > GENERATED / 10, "only {taken} were not refused");
}
