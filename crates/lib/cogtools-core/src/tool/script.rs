//! `implementation: {script: "#!…"}`: a script, and the interpreter of its first line.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::containment::{self, Line};
use crate::process::TempFolder;
use crate::tool::call::{CommandLine, RunError, ToolCall, ToolOutput, Word};
use crate::tool::command::{CommandCall, CommandError, ProgramSearch};
use crate::tool::reader::Reader;
use crate::yaml::Entry;
use crate::{Actual, Expected};

/// The text of the script.
#[derive(Debug)]
pub(crate) struct Script(pub(super) String);

/// The program that runs a script, and its arguments before the script's file.
#[derive(Debug, PartialEq, Eq)]
struct Interpreter {
    program: PathBuf,
    args: Vec<String>,
}

impl Script {
    /// Reads the text; errors go to the reader.
    pub(super) fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.expect(entry, Expected::Script, entry.value.text())?;
        if text.starts_with("#!") {
            return Some(Self(text.to_owned()));
        }
        let actual = Actual::Other("other text");
        reader.report_actual(&entry.key, Expected::Script, actual, entry.value.span);
        None
    }

    /// Runs the script with the interpreter of its first line.
    pub(super) fn call(&self, call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
        let (name, cx, call) = (call.name(), call.cx, CommandCall::new(call));
        let variables = call.variables()?;
        call.check_words(&first_line(&self.0).words())?;
        let interpreter = Interpreter::of(&self.0, &call.search(&variables))
            .map_err(|error| call.diagnostic(&error))?;
        let sandbox = call.sandbox()?;
        let folder = sandbox.as_ref().map(|run| run.folder().to_path_buf());
        let folder = folder.unwrap_or_else(|| cx.environment.temp_dir());
        // The folder exists until the script has ended.
        let (_folder, file) = write(&self.0, name, &folder)
            .map_err(|error| call.diagnostic(&CommandError::Script(error)))?;
        let mut args = interpreter.args;
        args.push(file.to_string_lossy().into_owned());
        call.run(interpreter.program, args, variables, sandbox)
    }

    /// Returns the interpreter, its arguments and the script.
    pub(super) fn command_line(&self) -> CommandLine {
        let words = first_line(&self.0).words().into_iter();
        CommandLine {
            words: words.map(Word::literal).collect(),
            script: Some(self.0.clone()),
            ..CommandLine::default()
        }
    }

    /// Fails if the interpreter is not found.
    pub(super) fn check_program(&self, call: &ToolCall<'_>) -> Result<(), RunError> {
        let call = CommandCall::new(call);
        let found = Interpreter::of(&self.0, &call.search(&call.variables()?));
        found.map(drop).map_err(|error| call.diagnostic(&error))
    }
}

/// Writes `script` to a file `name` in a new private folder below `folder`, which is removed on
/// drop.
fn write(script: &str, name: &str, folder: &Path) -> io::Result<(TempFolder, PathBuf)> {
    let folder = TempFolder::new(folder)?;
    let path = folder.path().join(name);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o700);
    options.open(&path)?.write_all(script.as_bytes())?;
    Ok((folder, path))
}

impl Interpreter {
    /// Finds the interpreter of the first line of `script`.
    fn of(script: &str, search: &ProgramSearch) -> Result<Self, CommandError> {
        let mut words = interpreter(&first_line(script)).into_iter();
        let program = match search.find(&words.next().unwrap_or_default()) {
            // Without `/bin/sh`, a `sh` on PATH will do.
            Err(CommandError::NoSuchFile(path)) if !cfg!(unix) => {
                let file = path.file_name().and_then(|file| file.to_str());
                let found = file.and_then(|file| search.search(file));
                found.ok_or(CommandError::NoSuchFile(path))?
            }
            found => found?,
        };
        Ok(Self {
            program,
            args: words.collect(),
        })
    }
}

/// Returns the interpreter in a first line, and its arguments before the script; `env` searches a
/// program on PATH, as runs of cogtools do.
pub(crate) fn interpreter(Line { program, rest }: &Line) -> Vec<String> {
    let is_env = Path::new(program).file_name().is_some_and(|it| it == "env");
    env_command(rest).filter(|_| is_env).unwrap_or_else(|| {
        let rest = Some(rest.clone()).filter(|rest| !rest.is_empty());
        std::iter::once(program.clone()).chain(rest).collect()
    })
}

/// Parses the first line of a script.
fn first_line(script: &str) -> Line {
    let line = script.lines().next().unwrap_or_default();
    containment::first_line(line.strip_prefix("#!").unwrap_or(line))
}

/// Returns the command that `env` would run, such as `python3` or `-S python3 -u`. With other
/// options or with variables there is none: `env` itself has to run.
fn env_command(rest: &str) -> Option<Vec<String>> {
    let split = rest
        .strip_prefix("-S")
        .or_else(|| rest.strip_prefix("--split-string="));
    let words = match split {
        Some(words) => shlex::split(words)?,
        // The kernel passes one argument: `env` would search for this very name.
        None => vec![rest.to_owned()],
    };
    let first = words.first()?;
    let is_program = !first.is_empty() && !first.starts_with('-') && !first.contains('=');
    let is_expanded = split.is_some_and(|words| words.contains(['$', '\\', '#']));
    (is_program && !is_expanded).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::{env_command, first_line};

    #[test]
    fn the_first_line_is_split_like_the_kernel_does() {
        for (script, expected) in [
            ("#!/bin/sh\ntrue", ("/bin/sh", "")),
            ("#! /bin/sh -e \ntrue", ("/bin/sh", "-e")),
            ("#!\t/bin/sh\t-e -u\r\ntrue", ("/bin/sh", "-e -u")),
            ("#!/usr/bin/env python3", ("/usr/bin/env", "python3")),
            ("#!", ("", "")),
            ("#!  \n", ("", "")),
        ] {
            let line = first_line(script);
            let found = (line.program.as_str(), line.rest.as_str());
            assert_eq!(found, expected, "{script:?}");
        }
    }

    #[test]
    fn the_command_behind_env_is_read_without_env() {
        for (rest, expected) in [
            ("python3", Some(vec!["python3"])),
            ("-S python3 -u", Some(vec!["python3", "-u"])),
            ("-Spython3 -u", Some(vec!["python3", "-u"])),
            ("--split-string=awk -f", Some(vec!["awk", "-f"])),
            ("-S sh -c 'a b'", Some(vec!["sh", "-c", "a b"])),
            ("python3 -u", Some(vec!["python3 -u"])),
            ("-S A=1 python3", None),
            ("-S python3 ${X}", None),
            ("-i python3", None),
            ("-S -i python3", None),
            ("-S 'python3", None),
            ("", None),
        ] {
            let expected = expected.map(|words| words.into_iter().map(str::to_owned).collect());
            assert_eq!(env_command(rest), expected, "{rest}");
        }
    }
}
