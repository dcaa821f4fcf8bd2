//! Other templates: rendering the first one, include, import and extends.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, PoisonError};

use minijinja::value::{DynObject, Value};

use super::Runtime;
use super::frames::{Frame, NONE};
use super::scope::{Activation, Context};
use crate::coverage::Coverage;
use crate::error::{Error, ErrorKind};
use crate::loader;
use crate::program::Program;
use crate::value::dict::Entries;
use crate::value::safe::Safe;
use crate::value::{as_text, type_name};

/// Output up to the limit.
struct Bounded {
    bytes: Vec<u8>,
    limit: usize,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Runtime {
    /// Renders the main template.
    pub(crate) fn render(self: &Arc<Self>) -> Result<String, Error> {
        let activation = self.activation();
        let program = Arc::clone(&activation.program);
        activation.context.add_blocks(&program);
        let text = if program.extends() {
            self.run_all(&activation)?
        } else {
            self.run_bounded(&program)?
        };
        self.within_output(text.len()).map(|()| text)
    }

    fn within_output(&self, len: usize) -> Result<(), Error> {
        let limit = self.budget.limits().output;
        if len <= limit {
            return Ok(());
        }
        let error = Error::new(ErrorKind::TooLarge, "the template prints too much")
            .with_hint(format!("a template may print {limit} bytes"));
        let activation = self.activation();
        Err(activation.program.locate(error, self.place()))
    }

    fn run_bounded(self: &Arc<Self>, program: &Program) -> Result<String, Error> {
        let weight = program.signature(0).map_or(1, |signature| signature.weight);
        self.budget.spend(weight)?;
        let mut output = Bounded {
            bytes: Vec::new(),
            limit: self.budget.limits().output,
        };
        let root = Value::from_dyn_object(DynObject::new(Arc::clone(self)));
        let template = program.function(0)?;
        let rendered = template.render_captured_to(root, &mut output).map(drop);
        if let Err(error) = rendered {
            if error.kind() == minijinja::ErrorKind::WriteFailure {
                self.within_output(usize::MAX)?;
            }
            return Err(self.failure(&error));
        }
        String::from_utf8(output.bytes).map_err(Error::internal)
    }

    /// Renders a template and then the template it extends, if any, and so on;
    /// only the output of the last one is used.
    fn run_all(self: &Arc<Self>, first: &Arc<Activation>) -> Result<String, Error> {
        let mut activation = Arc::clone(first);
        let mut text = self.run(&activation.program, 0)?;
        let mut left = self.budget.limits().recursion;
        while let Some(parent) = activation.parent() {
            left = left.checked_sub(1).ok_or_else(super::too_deep)?;
            activation = Activation::new(&parent, &activation.context, activation.frame());
            self.core().activation = Arc::clone(&activation);
            text = self.run(&parent, 0)?;
        }
        Ok(text)
    }

    /// Renders another template in a separate context and frame.
    fn run_apart(
        self: &Arc<Self>,
        program: &Arc<Program>,
        context: &Arc<Context>,
        mut frame: Frame,
    ) -> Result<String, Error> {
        context.add_blocks(program);
        let mut contexts = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        contexts.push(Arc::clone(context));
        drop(contexts);
        frame.top = true;
        frame.outer = NONE;
        let activation = Activation::new(program, context, NONE);
        self.within(&activation, frame, || self.run_all(&activation))
    }

    /// The template of that name, compiled.
    fn load(&self, name: &Value) -> Result<Option<Arc<Program>>, Error> {
        let Some(name) = as_text(name) else {
            let message = format!(
                "the name of a template must be a string, not {}",
                type_name(name)
            );
            return Err(Error::bad_value(message));
        };
        let Some(full) = loader::resolve(self.activation().program.name(), name) else {
            return Ok(None);
        };
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = programs.get(&full) {
            return Ok(Some(Arc::clone(program)));
        }
        let source = self.shared.loader.load(&full).map_err(|error| {
            let message = format!("template `{full}` cannot be loaded: {error}");
            Error::new(ErrorKind::TemplateNotFound, message)
        })?;
        let Some(source) = source else {
            return Ok(None);
        };
        self.budget.spend(source.len() / 16)?;
        let program = Program::compile(&full, &source, self.shared.options())?;
        programs.insert(full, Arc::clone(&program));
        Ok(Some(program))
    }

    /// Notes that the current template takes a branch.
    pub(crate) fn take(&self, number: usize) {
        let name = self.activation().program.name().to_owned();
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.insert((name, number));
    }

    /// Adds the templates that were loaded, and the branches that were taken.
    pub(crate) fn record(&self, coverage: &mut Coverage) {
        let programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        for program in programs.values() {
            coverage.add(program);
        }
        drop(programs);
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        for key in taken.iter() {
            coverage.take(key);
        }
    }

    fn load_existing(&self, name: &Value) -> Result<Arc<Program>, Error> {
        self.load(name)?.ok_or_else(|| {
            let name = as_text(name).unwrap_or_default();
            Error::new(
                ErrorKind::TemplateNotFound,
                format!("template `{name}` not found"),
            )
        })
    }

    /// `{% include %}`.
    pub(crate) fn include(
        self: &Arc<Self>,
        name: &Value,
        ignore_missing: bool,
    ) -> Result<Value, Error> {
        let program = if ignore_missing {
            match self.load(name)? {
                Some(program) => program,
                None => return Ok(Value::from("")),
            }
        } else {
            self.load_existing(name)?
        };
        let here = self.activation();
        let context = Context::new(here.context.variables());
        let mut frame = Frame::new(here.frame());
        frame.isolated = true;
        self.run_apart(&program, &context, frame).map(Safe::value)
    }

    /// `{% import %}`: the exports of the template.
    pub(crate) fn import(
        self: &Arc<Self>,
        name: &Value,
        with_context: bool,
    ) -> Result<Value, Error> {
        let program = self.load_existing(name)?;
        let here = self.activation();
        let (variables, parent) = if with_context {
            (here.context.variables(), here.frame())
        } else {
            (HashMap::new(), NONE)
        };
        let context = Context::new(variables);
        self.run_apart(&program, &context, Frame::new(parent))?;
        let exported: Entries = context.exported().into_iter().collect();
        self.budget.dict(exported)
    }

    /// `{% extends %}`.
    pub(crate) fn extend(&self, name: &Value) -> Result<(), Error> {
        let parent = self.load_existing(name)?;
        let here = self.activation();
        here.context.add_blocks(&parent);
        here.set_parent(parent);
        Ok(())
    }
}
