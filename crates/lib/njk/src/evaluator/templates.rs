//! Whole templates: the one that is rendered, those that it includes, imports and extends,
//! and their blocks.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::ast::{Expression, Function as Tree, Import, Name, Statement};
use crate::engine::Program;
use crate::error::{self, Error, ErrorKind, Span};
use crate::evaluator::Evaluator;
use crate::native::keywords;
use crate::runtime::frames::{Frame, NONE};
use crate::runtime::{Activation, Body, Context, Runtime, SUPER, too_deep};
use crate::value::text::stringify;
use crate::value::{Entries, Value};

/// Renders a template with the variables of a host.
pub(crate) fn render(
    runtime: &Runtime,
    program: &Arc<Program>,
    variables: HashMap<Rc<str>, Value>,
) -> Result<String, Error> {
    let context = Context::new(variables);
    let text = run_apart(runtime, program, &context, Frame::new(NONE), run_all);
    text.map_err(|error| program.locate(error, Span::default()))
}

/// Evaluates a template that is one expression in braces, and returns its value as JSON; `None` for
/// a value that JSON does not have.
pub(crate) fn json(
    runtime: &Runtime,
    program: &Arc<Program>,
    variables: HashMap<Rc<str>, Value>,
) -> Result<Option<String>, Error> {
    let [Statement::Output(expression)] = program.body.as_slice() else {
        return Err(Error::bad_value("the template is not one expression"));
    };
    let context = Context::new(variables);
    let frame = Frame::new(NONE);
    let json = run_apart(runtime, program, &context, frame, |runtime, here| {
        let value = Evaluator::new(runtime, here).expression(expression)?;
        stringify(&value, "", true, runtime)
    });
    json.map_err(|error| program.locate(error, expression.span))
}

/// Runs a template in a context and a frame of its own.
fn run_apart<T>(
    runtime: &Runtime,
    program: &Arc<Program>,
    context: &Rc<Context>,
    mut frame: Frame,
    run: impl FnOnce(&Runtime, &Rc<Activation>) -> Result<T, Error>,
) -> Result<T, Error> {
    context.add_blocks(program);
    frame.top = true;
    frame.outermost = true;
    frame.outer = NONE;
    let activation = Activation::new(program, context, false, NONE);
    runtime.within(&activation, frame, || run(runtime, &activation))
}

/// Renders a template and then the template it extends, if any, and so on; only the output
/// of the last one is used.
fn run_all(runtime: &Runtime, first: &Rc<Activation>) -> Result<String, Error> {
    let mut here = Rc::clone(first);
    let mut left = runtime.shared.limits.recursion;
    loop {
        let evaluator = Evaluator::new(runtime, &here);
        runtime.spend(1)?;
        let text = evaluator.at(Span::default(), evaluator.capture(&here.program.body))?;
        let Some(parent) = here.parent() else {
            return Ok(text);
        };
        left = left.checked_sub(1).ok_or_else(too_deep)?;
        here = Activation::new(&parent, &here.context, false, here.frame());
    }
}

impl Evaluator<'_> {
    fn load(&self, name: &Value) -> Result<Arc<Program>, Error> {
        let found = self.runtime.load(&self.here.program, name)?;
        found.ok_or_else(|| {
            let name = name.as_text().unwrap_or_default();
            let message = format!("template `{name}` not found");
            Error::new(ErrorKind::TemplateNotFound, message)
        })
    }

    /// `{% include %}`.
    pub(super) fn include(
        &self,
        template: &Expression,
        ignore_missing: bool,
        out: &mut String,
    ) -> Result<(), Error> {
        let name = self.expression(template)?;
        let found = if ignore_missing {
            self.runtime.load(&self.here.program, &name)
        } else {
            self.load(&name).map(Some)
        };
        if let Some(program) = self.at(template.span, found)? {
            let text = self.at(template.span, self.included(&program))?;
            self.at(template.span, self.text(&text, out))?;
        }
        Ok(())
    }

    fn included(&self, program: &Arc<Program>) -> Result<String, Error> {
        let context = Context::new(self.variables()?);
        let mut frame = Frame::new(self.here.frame());
        frame.isolated = true;
        let run = || run_apart(self.runtime, program, &context, frame, run_all);
        self.runtime.nested(run)
    }

    /// A copy of the variables of the context, for another template.
    fn variables(&self) -> Result<HashMap<Rc<str>, Value>, Error> {
        let variables = self.here.context.variables();
        let count = variables.len();
        self.runtime.spend(count)?;
        let size = count.saturating_mul(size_of::<(Rc<str>, Value)>());
        self.runtime.grow(size)?;
        Ok(variables)
    }

    /// `{% import %}` and `{% from %}`: defines the exports of a template as one value, or some
    /// of them.
    pub(super) fn import(&self, one: &Import) -> Result<(), Error> {
        let name = self.expression(&one.template)?;
        let span = one.template.span;
        let program = self.at(span, self.load(&name))?;
        let module = self.at(span, self.exports(&program, one.with_context))?;
        for (name, alias) in &one.names {
            let value = match name {
                None => module.clone(),
                Some(name) => self.at(name.span, imported(&module, &name.text))?,
            };
            self.define(alias, value, false);
        }
        Ok(())
    }

    /// The exports of a template.
    fn exports(&self, program: &Arc<Program>, with_context: bool) -> Result<Value, Error> {
        let (variables, parent) = if with_context {
            (self.variables()?, self.here.frame())
        } else {
            (HashMap::new(), NONE)
        };
        let context = Context::new(variables);
        let frame = Frame::new(parent);
        let run = || run_apart(self.runtime, program, &context, frame, run_all);
        self.runtime.nested(run)?;
        let exported: Entries = context.exported().into_iter().collect();
        self.runtime.dict(exported)
    }

    /// `{% extends %}`.
    pub(super) fn extend(&self, template: &Expression) -> Result<(), Error> {
        let name = self.expression(template)?;
        let parent = self.at(template.span, self.load(&name))?;
        self.here.context.add_blocks(&parent);
        self.here.set_parent(parent);
        Ok(())
    }

    /// `{% block %}`: prints the body that takes precedence. At the top level of a template
    /// that extends another, that one prints the block.
    pub(super) fn block(&self, name: &Name, out: &mut String) -> Result<(), Error> {
        if !self.here.in_block && self.here.parent().is_some() {
            return Ok(());
        }
        let found = self.here.context.block(&name.text);
        let body = found.ok_or_else(|| {
            let message = format!("unknown block `{}`", name.text);
            Error::bad_value(message)
        });
        let text = body.and_then(|body| self.run_block(&body));
        let printed = text.and_then(|text| self.text(&text, out));
        self.at(name.span, printed)
    }

    fn run_block(&self, (program, number): &Body) -> Result<String, Error> {
        let Some((name, block)) = program.resolved.blocks.get_index(*number) else {
            return Err(Error::internal("a block that is not there"));
        };
        let mut frame = Frame::new(self.here.frame());
        frame.outer = NONE;
        frame.isolated = true;
        frame.outermost = true;
        let activation = Activation::new(program, &self.here.context, true, NONE);
        let inner = Evaluator::new(self.runtime, &activation);
        self.runtime.within(&activation, frame, || {
            self.runtime.spend(1)?;
            self.runtime.nested(|| {
                if let Some(span) = block.parent {
                    inner.at(span, inner.bind_super(name, *number))?;
                }
                inner.at(Span::default(), inner.capture(&block.body))
            })
        })
    }

    /// Computes the result of `super()`, once, before the block runs.
    fn bind_super(&self, name: &str, number: usize) -> Result<(), Error> {
        let program = &self.here.program;
        let Some(body) = self.here.context.overridden(name, program, number) else {
            let message = format!("there is no `super()` for block `{name}`: it overrides none");
            return Err(Error::bad_value(message));
        };
        let text = Value::safe(self.run_block(&body)?);
        self.runtime.bind(self.here, SUPER, text);
        Ok(())
    }
}

/// The value that a template exports under a name.
fn imported(module: &Value, name: &str) -> Result<Value, Error> {
    let dict = match module {
        Value::Dict(dict) => Some(dict),
        _ => None,
    };
    let value = dict.and_then(|dict| dict.get(name));
    value.cloned().ok_or_else(|| {
        let error = Error::bad_value(format!("cannot import `{name}`"));
        let known = dict.map(|dict| dict.entries.keys().map(|key| &**key));
        error.with_nearest(name, error::nearest(name, known.into_iter().flatten()))
    })
}

/// The bytes that a function is charged for: the activation that it refers to stays as long as
/// the rendering.
const SIZE: usize = 512;

/// A macro, or the body of a call block.
struct Macro {
    function: Arc<Tree>,
    /// The number of the activation that defined it.
    activation: usize,
    /// For a caller, the frame of its call block.
    outer: Option<usize>,
}

impl Evaluator<'_> {
    /// `{% macro %}` as a value, or the body of the call block with the frame `outer`.
    pub(super) fn make_function(
        &self,
        function: &Arc<Tree>,
        outer: Option<usize>,
    ) -> Result<Value, Error> {
        self.runtime.grow(SIZE)?;
        let macro_ = Macro {
            function: Arc::clone(function),
            activation: self.runtime.number(self.here),
            outer,
        };
        let call = move |runtime: &Runtime, arguments: &[Value]| macro_.call(runtime, arguments);
        Ok(Value::function(call))
    }

    fn call_function(&self, function: &Tree) -> Result<String, Error> {
        for (name, value) in &function.defaults {
            if self.runtime.is_absent(self.here, &name.text) {
                let value = self.expression(value)?;
                self.runtime.bind(self.here, &name.text, value);
            }
        }
        self.capture(&function.body)
    }
}

impl Macro {
    fn call(&self, runtime: &Runtime, arguments: &[Value]) -> Result<Value, Error> {
        let Some(activation) = runtime.activation(self.activation) else {
            return Err(Error::internal("a macro without its template"));
        };
        let frame = self.frame(&activation, arguments);
        let evaluator = Evaluator::new(runtime, &activation);
        runtime.spend(1)?;
        let run = || runtime.nested(|| evaluator.call_function(&self.function));
        let text = runtime.within(&activation, frame, run)?;
        Ok(Value::safe(text))
    }

    /// A frame with the arguments, distributed over the parameters as Nunjucks does: too many
    /// positional ones become keyword ones, missing positional ones are taken from the keyword ones,
    /// and the rest is dropped.
    fn frame(&self, activation: &Rc<Activation>, arguments: &[Value]) -> Frame {
        let mut frame = match self.outer {
            None => Frame::new(NONE),
            Some(outer) => {
                let mut frame = Frame::new(activation.frame());
                frame.outer = outer;
                frame.isolated = true;
                frame
            }
        };
        let (positional, keywords) = keywords(arguments);
        let keyword = |name: &str| keywords.and_then(|dict| dict.get(name)).cloned();
        let mut positional = positional.iter().cloned();
        if let Some(caller) = keyword("caller") {
            frame.bind("caller", caller);
        }
        for Name { text, .. } in &self.function.parameters {
            let value = positional.next().or_else(|| keyword(text));
            frame.bind(text, value.unwrap_or_default());
        }
        for (Name { text, .. }, _) in &self.function.defaults {
            if let Some(value) = positional.next().or_else(|| keyword(text)) {
                frame.bind(text, value);
            }
        }
        frame
    }
}
