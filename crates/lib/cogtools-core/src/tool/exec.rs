//! `implementation: {exec: […]}`: a program and its arguments, which are templates,
//! without a shell.
//!
//! An element is one argument, as many as an array has items, or arguments that are left out
//! unless a condition holds.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::containment::{self, Line};
use crate::process::TempFolder;
use crate::shebang::is_executable;
use crate::text::Text;
use crate::tool::call::{CommandLine, RunError, ToolOutput, Word};
use crate::tool::command::{CommandCall, CommandError, ProgramSearch};
use crate::tool::reader::Reader;
use crate::tool::template::{TOOL_DIR, Template, TemplateScope, TemplateSource};
use crate::tool::{Definition, DefinitionError};
use crate::yaml::{Entry, Node};
use crate::{Actual, Context, Expected};

/// The keys of an element that is a map.
const WHEN: &str = "when";
const ARGS: &str = "args";

/// The program and the elements after it.
#[derive(Debug)]
pub(crate) struct Exec {
    /// One argument in every call: no element after it can take its place.
    program: ElementWord,
    elements: Vec<Element>,
}

/// An element of the list: words that are left out unless the condition holds, if there is one.
#[derive(Debug)]
struct Element {
    condition: Option<Template>,
    words: Vec<ElementWord>,
}

/// Text in the list: one argument of the program, or as many as an array has items.
#[derive(Debug)]
pub(super) struct ElementWord {
    pub(super) template: Template,
    /// The path in `{{ path }}`, if the template is nothing else.
    path: Option<Vec<String>>,
}

/// The arguments of the program in a call.
struct Rendering<'r> {
    tool: &'r Definition,
    scope: TemplateScope<'r>,
    arguments: &'r Map<String, Value>,
    folder: String,
    command: Vec<String>,
    /// For each argument, true if it is the same in every call.
    are_literal: Vec<bool>,
}

impl Exec {
    /// Reads the list; errors go to the reader.
    pub(super) fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Self> {
        let split = entry.value.items().unwrap_or_default().split_first();
        let (first, rest) = reader.expect(entry, Expected::Command, split)?;
        let program = if first.entries().is_some() {
            reader.report_kind(&entry.key, Expected::Program, first);
            None
        } else {
            ElementWord::read(&entry.key, first, reader)
        };
        let elements = rest
            .iter()
            .map(|item| Element::read(&entry.key, item, reader));
        let elements: Vec<Option<Element>> = elements.collect();
        Some(Self {
            program: program?,
            elements: elements.into_iter().collect::<Option<_>>()?,
        })
    }

    /// Returns all words, whether or not a call leaves them out.
    pub(super) fn words(&self) -> impl Iterator<Item = &ElementWord> {
        let words = self.elements.iter().flat_map(|element| &element.words);
        std::iter::once(&self.program).chain(words)
    }

    /// Runs the program with its arguments, rendered over `arguments`.
    pub(super) fn call(
        &self,
        tool: &Definition,
        arguments: &Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        let call = CommandCall::new(tool, arguments, cx);
        let mut rendering = Rendering {
            tool,
            scope: TemplateScope::of(&tool.text),
            arguments,
            folder: call.folder().display().to_string(),
            command: Vec::with_capacity(1 + self.elements.len()),
            are_literal: Vec::new(),
        };
        rendering.add_one(&self.program)?;
        for element in &self.elements {
            rendering.add(element)?;
        }
        let Rendering {
            command,
            are_literal,
            ..
        } = rendering;
        if let Some(index) = command.iter().position(|word| word.contains('\0')) {
            return Err(call.diagnostic(&CommandError::Nul(index + 1)));
        }
        let mut command = call
            .contain(command, arguments, |index| are_literal[index])?
            .into_iter();
        let variables = call.variables()?;
        let search = call.search(&variables);
        let program = command
            .next()
            .ok_or(CommandError::NoProgram)
            .and_then(|name| search.find(&name))
            .map_err(|error| call.diagnostic(&error))?;
        let sandbox = call.sandbox()?;
        call.run(program, command.collect(), variables, sandbox)
    }

    /// Returns the command line for a tool whose file is `text`.
    pub(super) fn command_line(&self, text: &Text) -> CommandLine {
        let scope = TemplateScope::of(text);
        let words = self
            .words()
            .map(|word| match word.template.constant(&scope) {
                Some(text) => Word::Literal(text),
                None => Word::Template(word.template.source().to_owned()),
            });
        CommandLine {
            words: words.collect(),
            script: None,
        }
    }

    /// Finds the reason why every call would fail.
    pub(super) fn check(&self, scope: &TemplateScope<'_>) -> Result<(), RunError> {
        self.program.template.check(scope)?;
        for element in &self.elements {
            if let Some(condition) = &element.condition {
                condition.check(scope)?;
                condition.output_of_condition().check(scope)?;
            }
            let mut words = element.words.iter();
            words.try_for_each(|word| word.template.check(scope))?;
        }
        Ok(())
    }

    /// Fails if the program is the same in every call and cannot be started.
    pub(super) fn check_program(&self, tool: &Definition, cx: &Context) -> Result<(), RunError> {
        let scope = TemplateScope::of(&tool.text);
        let Some(name) = self.program.template.constant(&scope) else {
            return Ok(());
        };
        let call = CommandCall::new(tool, &Map::new(), cx);
        let found = call.search(&call.variables()?).find(&name);
        let program = found.map_err(|error| call.diagnostic(&error))?;
        if is_executable(&program) {
            return Ok(());
        }
        let error = io::ErrorKind::PermissionDenied.into();
        Err(call.diagnostic(&CommandError::Start(program, error)))
    }

    /// Returns the templates, with what guards their reads, for a tool whose file is `text`.
    pub(super) fn templates(&self, text: &Text) -> Vec<TemplateSource> {
        let mut sources = vec![TemplateSource::inline(&self.program.template, text)];
        for element in &self.elements {
            let condition = element.condition.as_ref();
            sources.extend(condition.map(|it| TemplateSource::inline(it, text)));
            sources.extend(element.words.iter().map(|word| TemplateSource {
                condition: condition.cloned(),
                spread: word.path.clone(),
                ..TemplateSource::inline(&word.template, text)
            }));
        }
        sources
    }
}

impl Element {
    /// Reads one item of the list, text or `{when: EXPRESSION, args: [ARGUMENT...]}`; errors go to
    /// the reader.
    fn read(key: &str, item: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Some(entries) = item.entries() else {
            let word = ElementWord::read(key, item, reader)?;
            return Some(Self {
                condition: None,
                words: vec![word],
            });
        };
        for entry in entries {
            if ![WHEN, ARGS].contains(&entry.key.as_str()) {
                reader.report_unknown_key(entry, &[WHEN, ARGS]);
            }
        }
        let mut find = |key| {
            let entry = entries.iter().find(|entry| entry.key == key);
            if entry.is_none() {
                reader.report(&DefinitionError::Missing(key), item.span);
            }
            entry
        };
        let (when, args) = (find(WHEN), find(ARGS));
        let condition = when.and_then(|when| reader.when(when));
        let words = args.and_then(|args| read_args(args, reader));
        Some(Self {
            condition: Some(condition?),
            words: words?,
        })
    }
}

fn read_args(entry: &Entry, reader: &mut Reader<'_>) -> Option<Vec<ElementWord>> {
    let items = entry.value.items().filter(|items| !items.is_empty());
    let items = reader.expect(entry, Expected::Arguments, items)?;
    let words = items.iter().map(|item| {
        if item.entries().is_some() {
            reader.report_kind(ARGS, Expected::Arguments, item);
            return None;
        }
        ElementWord::read(ARGS, item, reader)
    });
    let words: Vec<Option<ElementWord>> = words.collect();
    words.into_iter().collect()
}

impl ElementWord {
    /// Reads text in the list; errors go to the reader.
    fn read(key: &str, item: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let template = reader.template(key, item, Expected::Strings)?;
        let path = lone_path(template.source());
        Some(Self { template, path })
    }
}

impl<'r> Rendering<'r> {
    /// Adds the arguments that `element` becomes.
    fn add(&mut self, element: &Element) -> Result<(), RunError> {
        if let Some(condition) = &element.condition
            && self.text_of(condition)?.is_empty()
        {
            return Ok(());
        }
        element.words.iter().try_for_each(|word| self.add_all(word))
    }

    /// Adds the one argument that the template of `word` renders to.
    fn add_one(&mut self, word: &ElementWord) -> Result<(), RunError> {
        self.command.push(self.text_of(&word.template)?);
        self.are_literal.push(word.template.is_plain());
        Ok(())
    }

    /// Adds the arguments that `word` becomes: one for each item of an array.
    fn add_all(&mut self, word: &ElementWord) -> Result<(), RunError> {
        let is_array = |path: &&Vec<String>| self.tool.schema.is_array_at(path);
        let Some(path) = word.path.as_ref().filter(is_array) else {
            return self.add_one(word);
        };
        // An optional array that a call leaves out has no items.
        let items = self.value_at(path).and_then(Value::as_array);
        for (index, item) in items.into_iter().flatten().enumerate() {
            if contains_object(item) {
                let error = CommandError::Object(path.join("."), index + 1);
                let mut diagnostic = error.diagnostic(self.tool.name.as_str());
                diagnostic.location = Some(word.template.whole(self.scope.text));
                return Err(diagnostic);
            }
            self.command.push(word.template.print(item, &self.scope)?);
            self.are_literal.push(false);
        }
        Ok(())
    }

    fn text_of(&self, template: &Template) -> Result<String, RunError> {
        let mut arguments = self.arguments.clone();
        let declared = self.tool.schema.as_object().get("properties");
        if declared.is_none_or(|declared| declared.get(TOOL_DIR).is_none()) {
            // An undeclared argument of a caller does not take its place.
            arguments.insert(TOOL_DIR.to_owned(), self.folder.as_str().into());
        }
        template.render(&self.scope, arguments)
    }

    fn value_at(&self, path: &[String]) -> Option<&'r Value> {
        let (first, rest) = path.split_first()?;
        rest.iter()
            .try_fold(self.arguments.get(first)?, |value, name| value.get(name))
    }
}

/// Returns the names in `{{ a.b }}`, if `source` is nothing else.
fn lone_path(source: &str) -> Option<Vec<String>> {
    let inner = source.strip_prefix("{{")?.strip_suffix("}}")?;
    let inner = inner.strip_prefix('-').unwrap_or(inner);
    let inner = inner.strip_suffix('-').unwrap_or(inner).trim();
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'))
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    };
    let names: Vec<&str> = inner.split('.').collect();
    let all_names = names.iter().all(|name| is_name(name));
    all_names.then(|| names.into_iter().map(str::to_owned).collect())
}

fn contains_object(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(contains_object),
        _ => false,
    }
}

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
        let error = DefinitionError::Kind {
            key: entry.key.clone(),
            expected: Expected::Script,
            actual: Actual::Other("other text"),
        };
        reader.report(&error, entry.value.span);
        None
    }

    /// Runs the script with the interpreter of its first line.
    pub(super) fn call(
        &self,
        tool: &Definition,
        arguments: &Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        let call = CommandCall::new(tool, arguments, cx);
        let variables = call.variables()?;
        call.check_words(&first_line(&self.0).words())?;
        let interpreter = Interpreter::of(&self.0, &call.search(&variables))
            .map_err(|error| call.diagnostic(&error))?;
        let sandbox = call.sandbox()?;
        let folder = sandbox.as_ref().map(|run| run.folder().to_path_buf());
        let folder = folder.unwrap_or_else(|| cx.environment.temp_dir());
        // The folder exists until the script has ended.
        let (_folder, file) = write(&self.0, tool.name.as_str(), &folder)
            .map_err(|error| call.diagnostic(&CommandError::Script(error)))?;
        let mut args = interpreter.args;
        args.push(file.to_string_lossy().into_owned());
        call.run(interpreter.program, args, variables, sandbox)
    }

    /// Returns the interpreter, its arguments and the script.
    pub(super) fn command_line(&self) -> CommandLine {
        let words = first_line(&self.0).words().into_iter();
        CommandLine {
            words: words.map(Word::Literal).collect(),
            script: Some(self.0.clone()),
        }
    }

    /// Fails if the interpreter is not found.
    pub(super) fn check_program(&self, tool: &Definition, cx: &Context) -> Result<(), RunError> {
        let call = CommandCall::new(tool, &Map::new(), cx);
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
        let line = first_line(script);
        let (name, rest) = (line.program.as_str(), line.rest.as_str());
        if Path::new(name)
            .file_name()
            .is_some_and(|file| file == "env")
            && let Some(words) = env_command(rest)
            && let Some((name, args)) = words.split_first()
        {
            return Ok(Self {
                program: search.find(name)?,
                args: args.to_vec(),
            });
        }
        let program = match search.find(name) {
            // Without `/bin/sh`, a `sh` on PATH will do.
            Err(CommandError::NoSuchFile(path)) if !cfg!(unix) => {
                let file = path.file_name().and_then(|file| file.to_str());
                let found = file.and_then(|file| search.search(file));
                found.ok_or(CommandError::NoSuchFile(path))?
            }
            found => found?,
        };
        let args = (!rest.is_empty()).then(|| rest.to_owned());
        Ok(Self {
            program,
            args: args.into_iter().collect(),
        })
    }
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
mod script_tests {
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
