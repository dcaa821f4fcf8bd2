//! `implementation: {exec: […]}`: a program and its arguments, each a template,
//! without a shell.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Kind;
use super::command::CommandCall;
use super::contained::UserText;
use super::error::CommandError;
use crate::text::Text;
use crate::tool::handler::{Handler, Invocation, RunError};
use crate::tool::reader::Reader;
use crate::tool::template::{Partials, Template, TemplateSource};
use crate::tool::{CommandLine, Tool, ToolOutput, Word};
use crate::yaml::Entry;
use crate::{Context, Diagnostic, Expected};

/// This kind's entry in the table.
pub(super) const KIND: Kind = Kind {
    key: Some("exec"),
    read,
};

#[derive(Debug)]
struct Exec(Vec<Template>);

fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Arc<dyn Handler>> {
    let items = entry.value.items().unwrap_or_default();
    if items.is_empty() {
        reader.report_kind(&entry.key, Expected::Command, &entry.value);
        return None;
    }
    for item in items.iter().filter(|item| item.text().is_none()) {
        reader.report_kind(&entry.key, Expected::Strings, item);
    }
    let templates: Option<_> = items
        .iter()
        .map(|item| Template::read(item, reader.text()))
        .collect();
    Some(Arc::new(Exec(templates?)))
}

impl Handler for Exec {
    /// Runs the program with its arguments, each rendered over `arguments`. An element
    /// remains one argument, whatever it renders to.
    fn call(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        let call = CommandCall::new(tool, &arguments, cx);
        let text = tool.text();
        let partials = Partials::of(text);
        let mut command = Vec::with_capacity(self.0.len());
        for (index, element) in self.0.iter().enumerate() {
            let element = element.render(text, &partials, arguments.clone())?;
            if element.contains('\0') {
                return Err(call.diagnostic(&CommandError::Nul(index + 1)));
            }
            command.push(element);
        }
        if tool.boundary().is_some() {
            let user = UserText::of(tool, &arguments);
            command = call.contain(command, &user, |index| self.0[index].is_plain())?;
        }
        let variables = call.variables()?;
        let search = call.search(&variables);
        let mut command = command.into_iter();
        let program = command
            .next()
            .ok_or(CommandError::NoProgram)
            .and_then(|name| search.find(&name))
            .map_err(|error| call.diagnostic(&error))?;
        call.run(program, command.collect(), variables)
    }

    fn runs_programs(&self) -> bool {
        true
    }

    fn command_line(&self, text: &Text) -> Option<CommandLine> {
        let words = self.0.iter().map(|element| match element.constant(text) {
            Some(text) => Word::Literal(text),
            None => Word::Template(element.source().to_owned()),
        });
        Some(CommandLine {
            words: words.collect(),
            script: None,
        })
    }

    fn invocation(&self) -> Option<Invocation<'_>> {
        let elements = self.0.iter().map(Template::source);
        Some(Invocation::Command(elements.collect()))
    }

    fn check(&self, text: &Text) -> Result<(), Box<Diagnostic>> {
        let mut templates = self.0.iter();
        templates.try_for_each(|template| template.check(text, &Partials::of(text)))
    }

    fn templates(&self, text: &Text) -> Vec<TemplateSource> {
        let source = |template| TemplateSource::inline(template, text);
        self.0.iter().map(source).collect()
    }
}
