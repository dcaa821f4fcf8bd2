//! The globals of Nunjucks: `range`, `cycler` and `joiner`.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicBool, Ordering as Order};
use std::sync::{Arc, Mutex, PoisonError};

use minijinja::value::{Enumerator, Object, ObjectRepr, Value};

use crate::error::Error;
use crate::evaluator::add;
use crate::native::argument;
use crate::runtime::Runtime;
use crate::value::compare::order;
use crate::value::text::to_text;
use crate::value::{Function, depth};

pub(crate) const NAMES: [&str; 3] = ["range", "cycler", "joiner"];

/// The global of that name.
pub(crate) fn find(name: &str) -> Option<Value> {
    match name {
        "range" => Some(Function::value(range)),
        "cycler" => Some(Function::value(cycler)),
        "joiner" => Some(Function::value(joiner)),
        _ => None,
    }
}

fn range(runtime: &Runtime, arguments: &[Value]) -> Result<Value, Error> {
    let zero = Value::from(0);
    let (start, stop) = match argument(arguments, 1) {
        stop if stop.is_undefined() => (&zero, argument(arguments, 0)),
        stop => (argument(arguments, 0), stop),
    };
    let step = argument(arguments, 2);
    let one = Value::from(1);
    let step = if argument(arguments, 1).is_undefined() || !step.is_true() {
        &one
    } else {
        step
    };
    let wanted = if order(step, &zero, runtime)? == Some(Ordering::Greater) {
        Ordering::Less
    } else {
        Ordering::Greater
    };
    let mut items = Vec::new();
    // The start stays what it is, and the step is added as by `+`: a string is extended.
    let mut at = start.clone();
    while order(&at, stop, runtime)? == Some(wanted) {
        runtime.spend(1)?;
        runtime.grow(size_of::<Value>())?;
        let next = add(runtime, &at, step)?;
        items.push(std::mem::replace(&mut at, next));
    }
    runtime.array(items)
}

/// The result of `cycler`: it repeats its items endlessly.
#[derive(Debug)]
pub(crate) struct Cycler {
    items: Vec<Value>,
    /// The number of steps since the start.
    at: Mutex<Option<usize>>,
}

fn cycler(_: &Runtime, arguments: &[Value]) -> Result<Value, Error> {
    let cycler = Value::from_object(Cycler {
        items: arguments.to_vec(),
        at: Mutex::default(),
    });
    Runtime::check_depth(&cycler)?;
    Ok(cycler)
}

impl Cycler {
    pub(crate) fn depth(&self) -> u32 {
        let inner = self.items.iter().map(depth).max();
        inner.unwrap_or_default().saturating_add(1)
    }

    fn current(&self) -> Value {
        let at = *self.at.lock().unwrap_or_else(PoisonError::into_inner);
        match at {
            None => Value::from(()),
            Some(at) => self.items.get(at).cloned().unwrap_or_default(),
        }
    }

    fn next(&self) -> Value {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        let next = at.map_or(0, |at| at + 1);
        *at = Some(if next >= self.items.len() { 0 } else { next });
        drop(at);
        self.current()
    }

    fn reset(&self) {
        *self.at.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Object for Cycler {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let this = Arc::clone(self);
        match key.as_str()? {
            "current" => Some(self.current()),
            "next" => Some(Function::value(move |_, _| Ok(this.next()))),
            "reset" => Some(Function::value(move |_, _| {
                this.reset();
                Ok(Value::UNDEFINED)
            })),
            _ => None,
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Str(&["current", "reset", "next"])
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }
}

fn joiner(runtime: &Runtime, arguments: &[Value]) -> Result<Value, Error> {
    let separator = argument(arguments, 0);
    let separator = if separator.is_true() {
        Value::from(to_text(separator, runtime)?.into_owned())
    } else {
        Value::from(",")
    };
    let first = AtomicBool::new(true);
    Ok(Function::value(move |_, _| {
        Ok(if first.swap(false, Order::Relaxed) {
            Value::from("")
        } else {
            separator.clone()
        })
    }))
}
