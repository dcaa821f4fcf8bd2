//! `implementation: {exec: […]}`: a program and its arguments, which are templates,
//! without a shell.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Kind;
use super::command::CommandCall;
use super::contained::UserText;
use super::element::{Argument, Element, ElementWord, Rendering};
use super::error::CommandError;
use crate::shebang::is_executable;
use crate::text::Text;
use crate::tool::handler::{Handler, Invocation, RunError};
use crate::tool::reader::Reader;
use crate::tool::template::{Partials, TemplateSource};
use crate::tool::{CommandLine, Tool, ToolOutput, Word};
use crate::yaml::Entry;
use crate::{Context, Diagnostic, Expected};

/// This kind's entry in the table.
pub(super) const KIND: Kind = Kind {
    key: Some("exec"),
    read,
};

/// The program and the elements after it.
#[derive(Debug)]
struct Exec {
    /// One argument in every call: no element after it can take its place.
    program: ElementWord,
    elements: Vec<Element>,
}

fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Arc<dyn Handler>> {
    let items = entry.value.items().unwrap_or_default();
    let Some((first, rest)) = items.split_first() else {
        reader.report_kind(&entry.key, Expected::Command, &entry.value);
        return None;
    };
    let program = if first.entries().is_some() {
        reader.report_kind(&entry.key, Expected::Program, first);
        None
    } else {
        ElementWord::read(&entry.key, first, reader)
    };
    let elements: Vec<Option<Element>> = rest
        .iter()
        .map(|item| Element::read(&entry.key, item, reader))
        .collect();
    Some(Arc::new(Exec {
        program: program?,
        elements: elements.into_iter().collect::<Option<_>>()?,
    }))
}

impl Exec {
    /// The program and its arguments, rendered over `arguments`.
    fn render(
        &self,
        call: &CommandCall<'_>,
        arguments: &Map<String, Value>,
    ) -> Result<Vec<Argument>, RunError> {
        let tool = call.tool();
        let rendering = Rendering {
            tool: tool.name().as_str(),
            schema: tool.schema(),
            text: tool.text(),
            partials: Partials::of(tool.text()),
            arguments,
        };
        let mut command = Vec::with_capacity(1 + self.elements.len());
        self.program.render_one(&rendering, &mut command)?;
        for element in &self.elements {
            element.render(&rendering, &mut command)?;
        }
        let nul = command.iter().position(|word| word.text.contains('\0'));
        match nul {
            Some(index) => Err(call.diagnostic(&CommandError::Nul(index + 1))),
            None => Ok(command),
        }
    }

    /// All words, whether or not a call leaves them out.
    fn words(&self) -> impl Iterator<Item = &ElementWord> {
        let words = self.elements.iter().flat_map(Element::words);
        std::iter::once(&self.program).chain(words)
    }
}

impl Handler for Exec {
    /// Runs the program with its arguments, rendered over `arguments`.
    fn call(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        let call = CommandCall::new(tool, &arguments, cx);
        let command = self.render(&call, &arguments)?;
        let is_literal: Vec<bool> = command.iter().map(|word| word.is_literal).collect();
        let mut command: Vec<String> = command.into_iter().map(|word| word.text).collect();
        if tool.boundary().is_some() {
            let user = UserText::of(tool, &arguments);
            command = call.contain(command, &user, |index| is_literal[index])?;
        }
        let variables = call.variables()?;
        let search = call.search(&variables);
        let mut command = command.into_iter();
        let program = command
            .next()
            .ok_or(CommandError::NoProgram)
            .and_then(|name| search.find(&name))
            .map_err(|error| call.diagnostic(&error))?;
        let sandbox = call.sandbox()?;
        call.run(program, command.collect(), variables, sandbox)
    }

    fn runs_programs(&self) -> bool {
        true
    }

    fn command_line(&self, text: &Text) -> Option<CommandLine> {
        let words = self
            .words()
            .map(|word| match word.template().constant(text) {
                Some(text) => Word::Literal(text),
                None => Word::Template(word.template().source().to_owned()),
            });
        Some(CommandLine {
            words: words.collect(),
            script: None,
        })
    }

    fn invocation(&self) -> Option<Invocation<'_>> {
        let words = self.words().map(|word| word.template().source());
        Some(Invocation::Command(words.collect()))
    }

    fn check(&self, text: &Text) -> Result<(), Box<Diagnostic>> {
        self.program.check(text)?;
        let mut elements = self.elements.iter();
        elements.try_for_each(|element| element.check(text))
    }

    fn check_program(&self, tool: &Tool, cx: &Context) -> Result<(), RunError> {
        let Some(name) = self.program.template().constant(tool.text()) else {
            return Ok(());
        };
        let call = CommandCall::new(tool, &Map::new(), cx);
        let found = call.search(&call.variables()?).find(&name);
        let program = found.map_err(|error| call.diagnostic(&error))?;
        if is_executable(&program) {
            return Ok(());
        }
        let error = std::io::ErrorKind::PermissionDenied.into();
        Err(call.diagnostic(&CommandError::Start(program, error)))
    }

    fn templates(&self, text: &Text) -> Vec<TemplateSource> {
        let program = TemplateSource::inline(self.program.template(), text);
        let elements = self.elements.iter().flat_map(|it| it.sources(text));
        std::iter::once(program).chain(elements).collect()
    }
}
