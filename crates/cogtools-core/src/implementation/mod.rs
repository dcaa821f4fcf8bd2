//! What a tool does when it is called.

mod answer;
mod command;
mod error;
mod locate;
mod partials;
mod parts;
mod script;
mod template;
mod written;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

pub use answer::Answer;
use command::Call;
use partials::{Partials, stays_inside};
pub use template::Template;
pub use written::Written;

use crate::index::Index;
use crate::source::{Declared, Provider};
use crate::text::Text;
use crate::tool::Reader;
use crate::tool::ToolFault;
use crate::yaml::{Data, Entry, Node};
use crate::{Actual, Code, Expected, Fault, Surroundings, Tool};

/// The ways in which a tool can be implemented.
#[derive(Debug)]
pub enum Implementation {
    /// A template in the tool file itself.
    Template(Template),
    /// A template in a file below the tool's own folder.
    TemplateFile(PathBuf),
    /// A program with its arguments, each a template; no shell.
    Exec(Vec<Template>),
    /// A script that begins with `#!`.
    Script(String),
    /// A provider that has declared it.
    Provider(Provider, Declared),
    /// Built in: it leads to the other tools.
    Index(Arc<Index>),
}

/// Why a tool that was accepted did not answer.
pub type RunError = Box<Fault>;

/// The keys of an implementation that is a map.
const WAYS: [&str; 3] = ["njk_file", "exec", "script"];

impl Implementation {
    /// The keys of an implementation that is a map, one of which it has.
    pub const WAYS: [&'static str; 3] = WAYS;

    /// Reads the value of `implementation`.
    pub(crate) fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Self> {
        let node = &entry.value;
        match &node.data {
            Data::Text { text, .. } if text.trim().is_empty() => {
                reader.refuse(&ToolFault::Empty("implementation"), entry.span);
                None
            }
            Data::Null => {
                reader.refuse(&ToolFault::Empty("implementation"), entry.span);
                None
            }
            Data::Text { .. } => {
                if let Some((language, span)) = template::language(entry, reader.text()) {
                    reader.refuse(&ToolFault::Language(language), span);
                }
                Template::read(node, reader.text()).map(Self::Template)
            }
            Data::Map(entries) => {
                if let [way] = entries.as_slice() {
                    Self::way(way, reader)
                } else {
                    reader.refuse(&ToolFault::OneWay, entry.span);
                    None
                }
            }
            _ => {
                reader.kind("implementation", Expected::Implementation, node);
                None
            }
        }
    }

    fn way(entry: &Entry, reader: &mut Reader<'_>) -> Option<Self> {
        let node = &entry.value;
        match entry.key.as_str() {
            "njk_file" => match node.text() {
                Some(path) if stays_inside(Path::new(path)) => {
                    Some(Self::TemplateFile(PathBuf::from(path)))
                }
                Some(path) => {
                    reader.refuse(&ToolFault::Outside(path.to_owned()), node.span);
                    None
                }
                None => {
                    reader.kind("njk_file", Expected::Path, node);
                    None
                }
            },
            "exec" => match node.items() {
                Some(items) if !items.is_empty() => Self::exec(items, reader),
                _ => {
                    reader.kind("exec", Expected::Command, node);
                    None
                }
            },
            "script" => match node.text() {
                Some(text) if text.starts_with("#!") => Some(Self::Script(text.to_owned())),
                Some(_) => {
                    let fault = ToolFault::Kind {
                        key: "script".to_owned(),
                        expected: Expected::Script,
                        actual: Actual::Other("other text"),
                    };
                    reader.refuse(&fault, node.span);
                    None
                }
                None => {
                    reader.kind("script", Expected::Script, node);
                    None
                }
            },
            other => {
                let meant = crate::suggest::did_you_mean(other, WAYS);
                let fault = ToolFault::UnknownKey {
                    key: other.to_owned(),
                    meant,
                };
                reader.refuse(&fault, entry.span);
                None
            }
        }
    }

    fn exec(items: &[Node], reader: &mut Reader<'_>) -> Option<Self> {
        for item in items.iter().filter(|item| item.text().is_none()) {
            reader.kind("exec", Expected::Strings, item);
        }
        let templates = items.iter().map(|item| Template::read(item, reader.text()));
        templates.collect::<Option<_>>().map(Self::Exec)
    }

    /// Whether a call of it runs programs.
    pub const fn runs_programs(&self) -> bool {
        match self {
            Self::Template(_) | Self::TemplateFile(_) => false,
            // What is called through it may.
            Self::Exec(_) | Self::Script(_) | Self::Provider(..) | Self::Index(_) => true,
        }
    }

    /// Runs it for `tool`.
    pub(crate) fn run(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        surroundings: &Surroundings,
    ) -> Result<Answer, RunError> {
        let text = tool.text();
        match self {
            Self::Template(template) => {
                let partials = Partials::beside(text);
                template.render(text, &partials, arguments).map(Answer::new)
            }
            Self::TemplateFile(path) => {
                let (template, file) = beside(text, path)?;
                let partials = Partials::beside(text);
                let rendered = template.render(&file, &partials, arguments);
                rendered.map(Answer::new)
            }
            Self::Exec(templates) => {
                Call::new(tool, &arguments, surroundings).exec(templates, &arguments)
            }
            Self::Script(script) => Call::new(tool, &arguments, surroundings).script(script),
            Self::Provider(provider, declared) => {
                Call::new(tool, &arguments, surroundings).provider(provider, declared)
            }
            Self::Index(index) => index.find(&arguments),
        }
    }

    /// Compiles what a call would compile.
    pub(crate) fn check(&self, text: &Text) -> Result<(), Box<Fault>> {
        match self {
            Self::Template(template) => template.check(text, &Partials::beside(text)),
            Self::TemplateFile(path) => {
                let (template, file) = beside(text, path)?;
                template.check(&file, &Partials::beside(text))
            }
            Self::Exec(templates) => templates
                .iter()
                .try_for_each(|template| template.check(text, &Partials::beside(text))),
            Self::Script(_) | Self::Provider(..) | Self::Index(_) => Ok(()),
        }
    }
}

/// The template in the file at `path` below the folder of the tool in `text`.
fn beside(text: &Text, path: &Path) -> Result<(Template, Text), Box<Fault>> {
    let file = Partials::beside(text).read(path).map_err(|error| {
        let fault = Fault::new(Code::InvalidTool, error.to_string());
        let fault = fault.about(text.name().display().to_string());
        Box::new(fault.hint("`njk_file` names a file in the folder of the tool, or below it"))
    })?;
    Ok((Template::whole(path, &file), file))
}
