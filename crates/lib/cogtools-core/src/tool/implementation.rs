//! The kinds of implementation: how the calls of a tool are answered.
//!
//! A tool file names one of them. A new kind is a variant, its key, and a file with its reader and
//! its call. A tool without a file has a [`Foreign`] one.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde_json::Map;

use crate::text::Text;
use crate::tool::agent::{Agent, tool_failure};
use crate::tool::call::{CommandLine, Foreign, RunError, ToolCall, ToolOutput, Word};
use crate::tool::exec::Exec;
use crate::tool::flow::Flow;
use crate::tool::http::Http;
use crate::tool::js::Js;
use crate::tool::reader::Reader;
use crate::tool::script::Script;
use crate::tool::template::{Template, TemplateScope, TemplateSource, language, stays_inside};
use crate::tool::{DefinitionError, Key, Tool};
use crate::yaml::{Data, Entry};
use crate::{Context, Diagnostic, Expected};

/// The implementation of a tool. Only [`Approved`](crate::approval::Approved) calls it.
#[derive(Debug)]
pub(crate) enum Implementation {
    /// A template in the tool file itself, and its compiled form once a call has needed it.
    Template(Template, OnceLock<njk::Template>),
    /// A template in this file below the tool's folder.
    TemplateFile(PathBuf),
    /// JavaScript over the arguments, in a confined process. It reaches nothing else, so it needs
    /// no approval, like a template.
    Js(Js),
    /// A program and its arguments, which are templates, without a shell.
    Exec(Exec),
    /// A script that begins with `#!`.
    Script(Script),
    /// A model with instructions and tools.
    Agent(Box<Agent>),
    /// Nodes that use each other's results.
    Flow(Flow),
    /// A request and its response.
    Http(Box<Http>),
    /// The calls of a tool without a file.
    Foreign(Arc<dyn Foreign>),
}

/// The keys of an implementation that is a map; it must have exactly one.
pub const IMPLEMENTATION_KEYS: [&str; 7] =
    ["njk_file", "js", "exec", "script", "http", "agent", "flow"];

/// The key of code, and of the tools that it calls.
const JS_KEYS: (&str, &str) = ("js", "tools");

impl Implementation {
    /// Reads the value of `implementation`; errors go to the reader.
    pub(super) fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Self> {
        let node = &entry.value;
        match &node.data {
            Data::Text { text, .. } if !text.trim().is_empty() => {
                if let Some((language, span)) = language(entry, reader.text()) {
                    reader.report(DefinitionError::Language(language), span);
                }
                let template = Template::read(node, reader.text())?;
                return Some(Self::Template(template, OnceLock::new()));
            }
            Data::Text { .. } | Data::Null => {
                let error = DefinitionError::Empty(Key::Implementation.as_str());
                reader.report(error, entry.span);
            }
            Data::Map(entries) => {
                match entries.as_slice() {
                    [only] => return Self::read_kind(only, reader),
                    [js, tools] | [tools, js]
                        if (js.key.as_str(), tools.key.as_str()) == JS_KEYS =>
                    {
                        return Js::read(js, Some(tools), reader).map(Self::Js);
                    }
                    _ => {}
                }
                let is_kind = |it: &&Entry| IMPLEMENTATION_KEYS.contains(&it.key.as_str());
                let (kinds, beside): (Vec<&Entry>, Vec<&Entry>) = entries.iter().partition(is_kind);
                if let [exec] = kinds.as_slice()
                    && exec.key == "exec"
                {
                    return Exec::read(exec, &beside, reader).map(Self::Exec);
                }
                let keys = crate::quoted_or(&IMPLEMENTATION_KEYS);
                reader.report(DefinitionError::OneImplementation(keys), entry.span);
            }
            _ => {
                let key = Key::Implementation.as_str();
                reader.report_kind(key, Expected::Implementation, node);
            }
        }
        None
    }

    /// Reads the only entry of the map.
    fn read_kind(entry: &Entry, reader: &mut Reader<'_>) -> Option<Self> {
        match entry.key.as_str() {
            "njk_file" => {
                let path = reader.expect(entry, Expected::Path, entry.value.text())?;
                if !stays_inside(Path::new(path)) {
                    let error = DefinitionError::Outside(path.to_owned());
                    reader.report(error, entry.value.span);
                    return None;
                }
                Some(Self::TemplateFile(PathBuf::from(path)))
            }
            "js" => Js::read(entry, None, reader).map(Self::Js),
            "exec" => Exec::read(entry, &[], reader).map(Self::Exec),
            "script" => Script::read(entry, reader).map(Self::Script),
            "agent" => Agent::read(entry, reader).map(|agent| Self::Agent(Box::new(agent))),
            "flow" => Flow::read(entry, reader).map(Self::Flow),
            "http" => Http::read(entry, reader).map(|http| Self::Http(Box::new(http))),
            _ => {
                reader.report_unknown_key(entry, &IMPLEMENTATION_KEYS);
                None
            }
        }
    }

    /// Runs a call of its tool.
    pub(crate) fn call(&self, call: ToolCall<'_>) -> Result<ToolOutput, RunError> {
        match self {
            Self::Template(template, compiled) => {
                let scope = TemplateScope::of(&call.tool.text);
                let compiled = if let Some(compiled) = compiled.get() {
                    compiled
                } else {
                    let template = template.compile(&scope)?;
                    compiled.get_or_init(|| template)
                };
                let text = template.render_compiled(compiled, &scope, call.arguments);
                text.map(ToolOutput::new)
            }
            Self::TemplateFile(path) => {
                let (template, file) = Template::load(&call.tool.text, path)?;
                let scope = TemplateScope::beside(&file, &call.tool.text);
                template.render(&scope, call.arguments).map(ToolOutput::new)
            }
            Self::Js(js) => js.call(call),
            Self::Exec(exec) => exec.call(&call),
            Self::Script(script) => script.call(&call),
            Self::Agent(agent) => {
                let task = agent.task(call.tool, &call.arguments)?;
                let answer = task.run(call.tool.timeout, call.cx);
                answer
                    .map(ToolOutput::new)
                    .map_err(|failure| tool_failure(failure, call.cx))
            }
            Self::Flow(flow) => flow.call(call),
            Self::Http(http) => http.call(&call),
            Self::Foreign(foreign) => foreign.call(call),
        }
    }

    /// Returns true if the tool file says which program or script a call starts.
    pub(super) const fn is_program(&self) -> bool {
        matches!(self, Self::Exec(_) | Self::Script(_))
    }

    /// Finds the reason why every call of a tool whose file is `text` would fail.
    pub(super) fn check(&self, text: &Text) -> Result<(), RunError> {
        let scope = TemplateScope::of(text);
        match self {
            Self::Template(template, _) => template.check(&scope),
            Self::TemplateFile(path) => {
                let (template, file) = Template::load(text, path)?;
                template.check(&TemplateScope::beside(&file, text))
            }
            Self::Exec(exec) => exec.check(&scope),
            Self::Agent(agent) => agent.check(&scope),
            Self::Flow(flow) => flow.check(&scope),
            Self::Http(http) => http.check(&scope),
            Self::Js(_) | Self::Script(_) | Self::Foreign(_) => Ok(()),
        }
    }
}

impl Tool {
    /// Returns true if a call runs programs, which have the rights of the user. If not, the result
    /// depends only on the arguments and the tool's folder, and nothing needs approval.
    pub fn runs_programs(&self) -> bool {
        match &self.implementation {
            Implementation::Template(..) | Implementation::TemplateFile(_) => false,
            Implementation::Js(js) => js.calls_tools(),
            Implementation::Flow(flow) => flow.asks_a_model(),
            Implementation::Foreign(foreign) => foreign.runs_programs(),
            _ => true,
        }
    }

    /// Returns true if a call uses its context: templates need none.
    pub fn needs_context(&self) -> bool {
        match &self.implementation {
            Implementation::Template(..) | Implementation::TemplateFile(_) => false,
            Implementation::Js(js) => js.calls_tools(),
            _ => true,
        }
    }

    /// Returns true if a call starts a process. It then ends that itself when the time is over.
    pub fn starts_process(&self) -> bool {
        match &self.implementation {
            Implementation::Js(_) | Implementation::Flow(_) => true,
            Implementation::Foreign(foreign) => foreign.starts_process(),
            _ => self.runs_programs(),
        }
    }

    /// Returns the command line of a call, as far as it is known before: none for a template.
    pub fn command_line(&self) -> Option<CommandLine> {
        match &self.implementation {
            Implementation::Exec(exec) => Some(exec.command_line(&self.text)),
            Implementation::Script(script) => Some(script.command_line()),
            Implementation::Agent(_) => {
                let words = ["cogtools", "ask", "--agent"].map(str::to_owned);
                Some(CommandLine {
                    words: words.map(Word::literal).to_vec(),
                    ..CommandLine::default()
                })
            }
            _ => None,
        }
    }

    /// Returns the words of command lines that are the same in every call, of all platforms.
    pub(crate) fn literals(&self) -> Option<Vec<String>> {
        match &self.implementation {
            Implementation::Exec(exec) => Some(exec.literals(&self.text)),
            _ => self.command_line().map(|line| line.literals()),
        }
    }

    /// Returns why every call in `cx` would fail to start its program, as far as it is known before.
    pub fn check_program(&self, cx: &Context) -> Option<Diagnostic> {
        let call = ToolCall {
            tool: self,
            arguments: Map::new(),
            cx,
        };
        let checked = match &self.implementation {
            Implementation::Js(js) => js.check_program(self, cx),
            Implementation::Exec(exec) => exec.check_program(&call),
            Implementation::Script(script) => script.check_program(&call),
            _ => Ok(()),
        };
        checked.err().map(|diagnostic| *diagnostic)
    }

    /// Returns the templates of its implementation, as they are in the files; a template file
    /// that cannot be read is left out.
    pub fn templates(&self) -> Vec<TemplateSource> {
        let text = &self.text;
        match &self.implementation {
            Implementation::Template(template, _) => vec![TemplateSource::inline(template, text)],
            Implementation::TemplateFile(path) => {
                let loaded = Template::load(text, path).into_iter();
                let inline = |(template, text)| TemplateSource::inline(&template, &text);
                loaded.map(inline).collect()
            }
            Implementation::Exec(exec) => exec.templates(text),
            Implementation::Agent(agent) => agent.sources(text),
            Implementation::Http(http) => http.sources(text),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_reference_names_every_kind() {
        let description = Key::Implementation.description();
        let words: Vec<&str> = description.split([' ', ',', '.']).collect();
        for key in IMPLEMENTATION_KEYS {
            assert!(words.contains(&key), "{key}: {description}");
        }
    }
}
