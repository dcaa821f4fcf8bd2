//! `implementation: {exec: […]}`: a program and its arguments, which are templates,
//! without a shell.
//!
//! An element is one argument, as many as an array has items, arguments that are left out
//! unless a condition holds, or arguments for each item of a list.

use std::env::consts::OS;
use std::io;

use serde_json::Value;

use crate::shebang::is_executable;
use crate::text::Text;
use crate::tool::DefinitionError;
use crate::tool::call::{CommandLine, RunError, ToolCall, ToolOutput, Word};
use crate::tool::command::{CommandCall, CommandError};
use crate::tool::reader::Reader;
use crate::tool::template::{TOOL_DIR, Template, TemplateScope, TemplateSource};
use crate::yaml::{Entry, Node};
use crate::{Actual, Expected};

/// The keys of an element that is a map.
const FOR: &str = "for";
const WHEN: &str = "when";
const ARGS: &str = "args";
/// The keys beside `exec`.
const STDIN: &str = "stdin";
const CWD: &str = "cwd";
/// The variable with an argument, in the template of a loop.
const ARGUMENT: &str = "__argument";

/// The commands of a tool, and the surroundings of the program.
#[derive(Debug, Default)]
pub(crate) struct Exec {
    /// Each with its platform; a command without one is for all.
    commands: Vec<(Option<String>, Command)>,
    /// The text on standard input, instead of the arguments as JSON.
    stdin: Option<Template>,
    /// True if the program runs in the tool's folder, not in the project's root.
    is_in_folder: bool,
}

/// The program and the elements after it.
#[derive(Debug)]
struct Command {
    /// One argument in every call: no element after it can take its place.
    program: ElementWord,
    elements: Vec<Element>,
}

/// An element of the list: words that are left out unless the condition holds, if there is one,
/// and that are repeated for each item of a list, if there is one.
#[derive(Debug)]
struct Element {
    /// The text after `for`, such as `label in labels`, in the form of a condition.
    each: Option<Template>,
    condition: Option<Template>,
    words: Vec<ElementWord>,
}

/// Text in the list: one argument of the program, or as many as an array has items.
#[derive(Debug)]
struct ElementWord {
    template: Template,
    /// The path in `{{ path }}`, if the template is nothing else.
    path: Option<Vec<String>>,
}

/// The arguments of the program in a call.
struct Rendering<'r> {
    call: &'r ToolCall<'r>,
    scope: TemplateScope<'r>,
    folder: String,
    /// Each argument, and true if it is the same in every call.
    command: Vec<(String, bool)>,
}

impl Exec {
    /// The platforms that a command can be for, as the system names them.
    const PLATFORMS: [&str; 3] = ["linux", "macos", "windows"];

    /// Reads the value of `exec`, and the entries beside it; errors go to the reader.
    pub(super) fn read(entry: &Entry, beside: &[&Entry], reader: &mut Reader<'_>) -> Option<Self> {
        let mut exec = Self::default();
        for entry in beside {
            match (entry.key.as_str(), entry.value.text()) {
                (STDIN, _) => {
                    exec.stdin = reader.template(STDIN, &entry.value, Expected::String);
                }
                (CWD, Some("project")) => {}
                (CWD, Some("tool")) => exec.is_in_folder = true,
                (CWD, _) => reader.report_kind(CWD, Expected::Folder, &entry.value),
                _ => reader.report_unknown_key(entry, &["exec", STDIN, CWD]),
            }
        }
        let Some(entries) = entry.value.entries().filter(|it| !it.is_empty()) else {
            exec.commands = vec![(None, Command::read(entry, reader)?)];
            return Some(exec);
        };
        let mut is_valid = true;
        for entry in entries {
            if !Self::PLATFORMS.contains(&entry.key.as_str()) {
                reader.report_unknown_key(entry, &Self::PLATFORMS);
            }
            match Command::read(entry, reader) {
                Some(command) => exec.commands.push((Some(entry.key.clone()), command)),
                None => is_valid = false,
            }
        }
        is_valid.then_some(exec)
    }

    /// The command for this platform.
    fn command(&self) -> Result<&Command, CommandError> {
        let is_own = |platform: &Option<String>| platform.as_ref().is_none_or(|it| it == OS);
        let mut commands = self.commands.iter();
        let own = commands.find_map(|(platform, command)| is_own(platform).then_some(command));
        own.ok_or(CommandError::Platform)
    }

    /// Runs the program with its arguments, rendered over the arguments of `call`.
    pub(super) fn call(&self, call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
        let (inputs, mut call) = (call, CommandCall::new(call));
        call.is_in_folder = self.is_in_folder;
        let own = self.command().map_err(|error| call.diagnostic(&error))?;
        let mut rendering = Rendering {
            call: inputs,
            scope: TemplateScope::of(&inputs.tool.text),
            folder: call.folder().display().to_string(),
            command: Vec::with_capacity(1 + own.elements.len()),
        };
        rendering.add_one(&own.program)?;
        for element in &own.elements {
            rendering.add(element)?;
        }
        if let Some(stdin) = &self.stdin {
            call.input = rendering.text_of(stdin)?.into_bytes();
        }
        let words = rendering.command.into_iter();
        let (command, are_literal): (Vec<String>, Vec<bool>) = words.unzip();
        if let Some(index) = command.iter().position(|word| word.contains('\0')) {
            return Err(call.diagnostic(&CommandError::Nul(index + 1)));
        }
        let command = call.contain(command, |index| are_literal[index])?;
        let mut command = command.into_iter();
        let variables = call.variables()?;
        let search = call.search(&variables);
        let program = command.next().ok_or(CommandError::NoProgram);
        let program = program.and_then(|name| search.find(&name));
        let program = program.map_err(|error| call.diagnostic(&error))?;
        let sandbox = call.sandbox()?;
        call.run(program, command.collect(), variables, sandbox)
    }

    /// Returns the command line for a tool whose file is `text`.
    pub(super) fn command_line(&self, text: &Text) -> CommandLine {
        let scope = TemplateScope::of(text);
        let mut line = CommandLine {
            stdin: self.stdin.as_ref().map(|stdin| word(stdin, &scope)),
            is_in_folder: self.is_in_folder,
            ..CommandLine::default()
        };
        if let Ok(command) = self.command() {
            line.words.push(word(&command.program.template, &scope));
            for element in &command.elements {
                let start = line.words.len();
                let words = element.words.iter();
                line.words
                    .extend(words.map(|it| word(&it.template, &scope)));
                let condition = element.head().map(|head| (start..line.words.len(), head));
                line.conditions.extend(condition);
            }
        }
        line
    }

    /// Returns the words that are the same in every call, of all platforms.
    pub(super) fn literals(&self, text: &Text) -> Vec<String> {
        let scope = TemplateScope::of(text);
        let words = self.commands.iter().flat_map(|(_, it)| it.words());
        words
            .filter_map(|it| it.template.constant(&scope))
            .collect()
    }

    /// Finds the reason why every call would fail.
    pub(super) fn check(&self, scope: &TemplateScope<'_>) -> Result<(), RunError> {
        if let Some(stdin) = &self.stdin {
            stdin.check(scope)?;
        }
        self.commands.iter().try_for_each(|(_, it)| it.check(scope))
    }

    /// Fails if the program is the same in every call and cannot be started.
    pub(super) fn check_program(&self, call: &ToolCall<'_>) -> Result<(), RunError> {
        let scope = TemplateScope::of(&call.tool.text);
        let call = CommandCall::new(call);
        let command = self.command().map_err(|error| call.diagnostic(&error))?;
        let Some(name) = command.program.template.constant(&scope) else {
            return Ok(());
        };
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
        let stdin = self.stdin.iter();
        let mut sources: Vec<TemplateSource> =
            stdin.map(|it| TemplateSource::inline(it, text)).collect();
        for (_, command) in &self.commands {
            sources.push(TemplateSource::inline(&command.program.template, text));
            for element in &command.elements {
                element.add_templates(text, &mut sources);
            }
        }
        sources
    }
}

fn word(template: &Template, scope: &TemplateScope<'_>) -> Word {
    Word {
        source: template.source().to_owned(),
        literal: template.constant(scope),
    }
}

impl Command {
    /// Reads the list; errors go to the reader.
    fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Self> {
        let split = entry.value.items().unwrap_or_default().split_first();
        let (first, rest) = reader.expect(entry, Expected::Command, split)?;
        let is_blank = first.text().is_some_and(|text| text.trim().is_empty());
        let program = if is_blank {
            let actual = Actual::Other("blank text");
            reader.report_actual(&entry.key, Expected::Program, actual, first.span);
            None
        } else if first.entries().is_some() {
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

    fn words(&self) -> impl Iterator<Item = &ElementWord> {
        let words = self.elements.iter().flat_map(|element| &element.words);
        std::iter::once(&self.program).chain(words)
    }

    fn check(&self, scope: &TemplateScope<'_>) -> Result<(), RunError> {
        self.program.template.check(scope)?;
        for element in &self.elements {
            if let Some(each) = &element.each {
                each.loop_over("").check(scope)?;
            }
            if let Some(condition) = &element.condition {
                condition.check(scope)?;
                condition.output_of_condition().check(scope)?;
            }
            let mut words = element.words.iter();
            words.try_for_each(|word| word.template.check(scope))?;
        }
        Ok(())
    }
}

impl Element {
    /// Reads one item of the list, text or `{for: NAME in LIST, when: EXPRESSION, args:
    /// [ARGUMENT...]}`; errors go to the reader.
    fn read(key: &str, item: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Some(entries) = item.entries() else {
            let word = ElementWord::read(key, item, reader)?;
            return Some(Self {
                each: None,
                condition: None,
                words: vec![word],
            });
        };
        for entry in entries {
            if ![FOR, WHEN, ARGS].contains(&entry.key.as_str()) {
                reader.report_unknown_key(entry, &[FOR, WHEN, ARGS]);
            }
        }
        let find = |key| entries.iter().find(|entry| entry.key == key);
        let (each, when, args) = (find(FOR), find(WHEN), find(ARGS));
        for (key, is_there) in [(WHEN, each.or(when).is_some()), (ARGS, args.is_some())] {
            if !is_there {
                reader.report(DefinitionError::Missing(key), item.span);
            }
        }
        let condition = when.map(|when| reader.when(when));
        let each = each.map(|each| {
            let read = reader.condition(FOR, &each.value);
            let is_loop = |it: &Template| it.condition().contains(" in ");
            if read.as_ref().is_some_and(|it| !is_loop(it)) {
                reader.report_kind(FOR, Expected::Loop, &each.value);
            }
            read.filter(is_loop)
        });
        let words = args.and_then(|args| read_args(args, reader));
        if each.is_none() {
            when?;
        }
        Some(Self {
            each: each.map_or(Some(None), |it| it.map(Some))?,
            condition: condition.map_or(Some(None), |it| it.map(Some))?,
            words: words?,
        })
    }

    /// Returns the text that says when its words are repeated or left out.
    fn head(&self) -> Option<String> {
        let each = self.each.iter().map(|it| (FOR, it));
        let heads = each.chain(self.condition.iter().map(|it| (WHEN, it)));
        let heads = heads.map(|(key, it)| format!("{key} {}", it.condition().trim()));
        let heads: Vec<String> = heads.collect();
        (!heads.is_empty()).then(|| heads.join(" "))
    }

    /// Adds the templates, with what guards their reads.
    fn add_templates(&self, text: &Text, sources: &mut Vec<TemplateSource>) {
        let looped = |template: &Template| match &self.each {
            Some(each) => template.looped(each),
            None => template.clone(),
        };
        let each = self.each.iter().map(|each| each.loop_over(""));
        let heads = each.chain(self.condition.iter().map(looped));
        sources.extend(heads.map(|it| TemplateSource::inline(&it, text)));
        sources.extend(self.words.iter().map(|word| TemplateSource {
            condition: self.condition.clone(),
            spread: word.path.clone().filter(|_| self.each.is_none()),
            ..TemplateSource::inline(&looped(&word.template), text)
        }));
    }

    /// Makes the template that prints the arguments of all items of `each`, as JSON texts with
    /// commas after them.
    fn loop_template(&self, each: &Template) -> Template {
        let words = self.words.iter().map(|word| {
            let source = word.template.source();
            format!("{{% set {ARGUMENT} %}}{source}{{% endset %}}{{{{ {ARGUMENT} | dump }}}},")
        });
        let mut body: String = words.collect();
        if let Some(condition) = &self.condition {
            body = format!("{{% if {} %}}{body}{{% endif %}}", condition.condition());
        }
        each.loop_over(&body)
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
        if let Some(each) = &element.each {
            return self.add_loop(element, each);
        }
        if let Some(condition) = &element.condition
            && self.text_of(condition)?.is_empty()
        {
            return Ok(());
        }
        element.words.iter().try_for_each(|word| self.add_all(word))
    }

    /// Adds the arguments that `element` becomes for all items of `each`.
    fn add_loop(&mut self, element: &Element, each: &Template) -> Result<(), RunError> {
        for word in &element.words {
            word.template.compile(&self.scope)?;
        }
        let texts = self.text_of(&element.loop_template(each))?;
        let list = format!("[{}]", texts.strip_suffix(',').unwrap_or_default());
        let all = serde_json::from_str::<Vec<String>>(&list)
            .map_err(|_| CommandError::Loop.diagnostic(self.call.name()))?;
        let is_plain = element.words.iter().map(|word| word.template.is_plain());
        self.command.extend(all.into_iter().zip(is_plain.cycle()));
        Ok(())
    }

    /// Adds the one argument that the template of `word` renders to.
    fn add_one(&mut self, word: &ElementWord) -> Result<(), RunError> {
        let text = self.text_of(&word.template)?;
        self.command.push((text, word.template.is_plain()));
        Ok(())
    }

    /// Adds the arguments that `word` becomes: one for each item of an array.
    fn add_all(&mut self, word: &ElementWord) -> Result<(), RunError> {
        let is_array = |path: &&Vec<String>| self.call.tool.schema.is_array_at(path);
        let Some(path) = word.path.as_ref().filter(is_array) else {
            return self.add_one(word);
        };
        // An optional array that a call leaves out has no items.
        let items = self.value_at(path).and_then(Value::as_array);
        for (index, item) in items.into_iter().flatten().enumerate() {
            if contains_object(item) {
                let error = CommandError::Object(path.join("."), index + 1);
                let mut diagnostic = error.diagnostic(self.call.name());
                diagnostic.location = Some(word.template.whole(self.scope.text));
                return Err(diagnostic);
            }
            let text = word.template.print(item, &self.scope)?;
            self.command.push((text, false));
        }
        Ok(())
    }

    fn text_of(&self, template: &Template) -> Result<String, RunError> {
        let mut arguments = self.call.arguments.clone();
        let declared = self.call.tool.schema.as_object().get("properties");
        if declared.is_none_or(|declared| declared.get(TOOL_DIR).is_none()) {
            // An undeclared argument of a caller does not take its place.
            arguments.insert(TOOL_DIR.to_owned(), self.folder.as_str().into());
        }
        template.render(&self.scope, arguments)
    }

    fn value_at(&self, path: &[String]) -> Option<&'r Value> {
        let (first, rest) = path.split_first()?;
        rest.iter()
            .try_fold(self.call.arguments.get(first)?, |value, name| {
                value.get(name)
            })
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
