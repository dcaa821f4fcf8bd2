//! Running functions: macros, callers and blocks.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use minijinja::value::{DynObject, Value};

use super::frames::{Frame, NONE};
use super::scope::Activation;
use super::{Runtime, too_deep};
use crate::error::{Error, ErrorKind};
use crate::program::{Program, Signature};
use crate::value::dict::Dict;
use crate::value::function::Function;
use crate::value::safe::Safe;

/// The variable with the result of `super()`; no template can name it.
pub(crate) const SUPER: &str = "super()";

/// A macro, or the body of a call block.
#[derive(Debug)]
struct Macro {
    function: usize,
    activation: Arc<Activation>,
    /// For a caller, the frame of its call block.
    outer: Option<usize>,
}

/// The arguments of a macro.
struct Bound<'a> {
    positional: Vec<Value>,
    keyword: Vec<(&'a Arc<str>, Value)>,
    caller: Option<Value>,
}

impl Runtime {
    /// Renders one function of a program.
    pub(crate) fn run(
        self: &Arc<Self>,
        program: &Program,
        function: usize,
    ) -> Result<String, Error> {
        let weight = program
            .signature(function)
            .map_or(1, |signature| signature.weight);
        self.budget.spend(weight)?;
        self.nested(|| {
            let root = Value::from_dyn_object(DynObject::new(Arc::clone(self)));
            let rendered = program.function(function)?.render(root);
            rendered.map_err(|error| self.failure(&error))
        })
    }

    /// Runs `work` one level deeper.
    pub(crate) fn nested<T>(&self, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        if self.depth.fetch_add(1, Ordering::Relaxed) >= self.budget.limits().recursion {
            let most = self.budget.limits().recursion;
            let hint = format!("macros, blocks and templates may nest {most} levels");
            return Err(too_deep().with_hint(hint));
        }
        let result = work();
        self.depth.fetch_sub(1, Ordering::Relaxed);
        result
    }

    /// `{% macro %}`, or the caller of a call block, as a value.
    pub(crate) fn make_macro(&self, function: usize, caller: bool) -> Value {
        let activation = self.activation();
        let outer = caller.then(|| activation.frame());
        let macro_ = Macro {
            function,
            activation,
            outer,
        };
        Function::value(move |runtime, arguments| macro_.call(runtime, arguments))
    }

    /// Switches to another activation and returns the previous one.
    fn switch(&self, activation: &Arc<Activation>) -> Arc<Activation> {
        std::mem::replace(&mut self.core().activation, Arc::clone(activation))
    }

    fn push(&self, frame: Frame) -> usize {
        self.core().frames.push(frame)
    }

    fn drop_frames(&self, from: usize) {
        let dropped = self.core().frames.drop_from(from);
        drop(dropped);
    }

    /// Runs `work` in an activation, with a new frame on top.
    pub(super) fn within<T>(
        self: &Arc<Self>,
        activation: &Arc<Activation>,
        frame: Frame,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let before = activation.frame();
        let index = self.push(frame);
        activation.set_frame(index);
        let caller = self.switch(activation);
        let result = work()?;
        self.switch(&caller);
        activation.set_frame(before);
        self.drop_frames(index);
        Ok(result)
    }

    /// `{% block %}`: renders the body that takes precedence. At the top level
    /// of a template that extends another, that one renders the block.
    pub(crate) fn block(self: &Arc<Self>, name: &str, within_block: bool) -> Result<Value, Error> {
        let activation = self.activation();
        if !within_block && activation.parent().is_some() {
            return Ok(Value::from(""));
        }
        let Some((program, function)) = activation.context.block(name) else {
            return Err(Error::new(
                ErrorKind::BadValue,
                format!("unknown block `{name}`"),
            ));
        };
        self.run_block(&program, function)
    }

    fn run_block(
        self: &Arc<Self>,
        program: &Arc<Program>,
        function: usize,
    ) -> Result<Value, Error> {
        let here = self.activation();
        let mut frame = Frame::new(here.frame());
        frame.outer = NONE;
        frame.isolated = true;
        let activation = Activation::new(program, &here.context, NONE);
        let text = self.within(&activation, frame, || self.run(program, function))?;
        Ok(Safe::value(text))
    }

    /// Computes the result of `super()` in the current block.
    pub(crate) fn bind_super(self: &Arc<Self>, name: &str, function: usize) -> Result<(), Error> {
        let here = self.activation();
        let overridden = here.context.overridden(name, &here.program, function);
        let Some((program, function)) = overridden else {
            let message = format!("there is no `super()` for block `{name}`: it overrides none");
            return Err(Error::new(ErrorKind::BadValue, message));
        };
        let text = self.run_block(&program, function)?;
        self.bind(&Arc::from(SUPER), text);
        Ok(())
    }
}

impl Macro {
    fn call(&self, runtime: &Arc<Runtime>, arguments: &[Value]) -> Result<Value, Error> {
        let program = &self.activation.program;
        let Some(signature) = program.signature(self.function) else {
            return Err(Error::internal("a macro without a function"));
        };
        let bound = bind(signature, arguments);
        let frame = self.frame(signature, bound);
        let run = || runtime.run(program, self.function);
        let text = runtime.within(&self.activation, frame, run)?;
        Ok(Safe::value(text))
    }

    fn frame(&self, signature: &Signature, bound: Bound<'_>) -> Frame {
        let mut frame = match self.outer {
            None => Frame::new(NONE),
            Some(outer) => {
                let mut frame = Frame::new(self.activation.frame());
                frame.outer = outer;
                frame.isolated = true;
                frame
            }
        };
        if let Some(caller) = bound.caller {
            frame.bind(&Arc::from("caller"), caller);
        }
        for (name, value) in signature.parameters.iter().zip(bound.positional) {
            frame.bind(name, value);
        }
        for (name, value) in bound.keyword {
            frame.bind(name, value);
        }
        frame
    }
}

/// Distributes arguments over parameters as Nunjucks does: too many positional
/// ones become keyword ones, missing positional ones are taken from the keyword
/// ones, and the rest is dropped.
fn bind<'a>(signature: &'a Signature, arguments: &[Value]) -> Bound<'a> {
    let keywords = arguments
        .last()
        .and_then(|last| last.downcast_object_ref::<Dict>())
        .filter(|dict| dict.is_keywords());
    let given = arguments.len() - usize::from(keywords.is_some());
    let keyword = |name: &str| keywords.and_then(|dict| dict.get(name)).cloned();
    let count = signature.parameters.len();
    let mut positional = arguments[..given.min(count)].to_vec();
    for name in signature.parameters.iter().skip(given) {
        positional.push(keyword(name).unwrap_or(Value::UNDEFINED));
    }
    let mut surplus: Vec<Option<Value>> = arguments[..given]
        .iter()
        .skip(count)
        .cloned()
        .map(Some)
        .collect();
    surplus.resize(signature.defaults.len().max(surplus.len()), None);
    let named = signature.defaults.iter().zip(surplus);
    Bound {
        positional,
        keyword: named
            .filter_map(|(name, value)| Some((name, value.or_else(|| keyword(name))?)))
            .collect(),
        caller: keyword("caller"),
    }
}
