//! Macros, and the callers of call blocks.

use std::rc::Rc;
use std::sync::Arc;

use minijinja::value::Value;

use super::Evaluator;
use crate::ast::Function as Tree;
use crate::error::Error;
use crate::runtime::Runtime;
use crate::runtime::frames::{Frame, NONE};
use crate::runtime::scope::Activation;
use crate::value::dict::Dict;
use crate::value::function::Function;
use crate::value::safe::Safe;

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

/// The arguments of a macro.
struct Bound<'a> {
    positional: Vec<Value>,
    keyword: Vec<(&'a str, Value)>,
    caller: Option<Value>,
}

impl Evaluator<'_> {
    /// `{% macro %}` as a value.
    pub(super) fn make_macro(&self, function: &Arc<Tree>) -> Result<Value, Error> {
        self.make_function(function, None)
    }

    /// The body of a call block as a value.
    pub(super) fn make_caller(&self, function: &Arc<Tree>) -> Result<Value, Error> {
        self.make_function(function, Some(self.here.frame()))
    }

    fn make_function(&self, function: &Arc<Tree>, outer: Option<usize>) -> Result<Value, Error> {
        self.runtime.grow(SIZE)?;
        let macro_ = Macro {
            function: Arc::clone(function),
            activation: self.runtime.number(self.here),
            outer,
        };
        let call = move |runtime: &Runtime, arguments: &[Value]| macro_.call(runtime, arguments);
        Ok(Function::value(call))
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
        let frame = self.frame(&activation, bind(&self.function, arguments));
        let evaluator = Evaluator {
            runtime,
            here: &activation,
        };
        runtime.spend(1)?;
        let run = || runtime.nested(|| evaluator.call_function(&self.function));
        let text = runtime.within(&activation, frame, run)?;
        Ok(Safe::value(text))
    }

    fn frame(&self, activation: &Rc<Activation>, bound: Bound<'_>) -> Frame {
        let mut frame = match self.outer {
            None => Frame::new(NONE),
            Some(outer) => {
                let mut frame = Frame::new(activation.frame());
                frame.outer = outer;
                frame.isolated = true;
                frame
            }
        };
        if let Some(caller) = bound.caller {
            frame.bind("caller", caller);
        }
        for (name, value) in self.function.parameters.iter().zip(bound.positional) {
            frame.bind(&name.text, value);
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
fn bind<'a>(function: &'a Tree, arguments: &[Value]) -> Bound<'a> {
    let keywords = arguments
        .last()
        .and_then(|last| last.downcast_object_ref::<Dict>())
        .filter(|dict| dict.is_keywords());
    let given = arguments.len() - usize::from(keywords.is_some());
    let keyword = |name: &str| keywords.and_then(|dict| dict.get(name)).cloned();
    let count = function.parameters.len();
    let mut positional = arguments[..given.min(count)].to_vec();
    for name in function.parameters.iter().skip(given) {
        positional.push(keyword(&name.text).unwrap_or(Value::UNDEFINED));
    }
    let mut surplus: Vec<Option<Value>> = arguments[..given]
        .iter()
        .skip(count)
        .cloned()
        .map(Some)
        .collect();
    surplus.resize(function.defaults.len().max(surplus.len()), None);
    let names = function.defaults.iter().map(|(name, _)| name.text.as_str());
    Bound {
        positional,
        keyword: names
            .zip(surplus)
            .filter_map(|(name, value)| Some((name, value.or_else(|| keyword(name))?)))
            .collect(),
        caller: keyword("caller"),
    }
}
