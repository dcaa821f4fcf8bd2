//! The globals of Nunjucks: `range`, `cycler` and `joiner`.

use std::cell::Cell;
use std::cmp::Ordering;
use std::rc::Rc;

use crate::error::Error;
use crate::evaluator::add;
use crate::native::argument;
use crate::runtime::Runtime;
use crate::value::compare::order;
use crate::value::text::to_text;
use crate::value::{Special, Value};

pub(crate) const NAMES: [&str; 3] = ["range", "cycler", "joiner"];

/// The global of that name.
pub(crate) fn find(name: &str) -> Option<Value> {
    match name {
        "range" => Some(Value::function(range)),
        "cycler" => Some(Value::function(cycler)),
        "joiner" => Some(Value::function(joiner)),
        _ => None,
    }
}

fn range(runtime: &Runtime, arguments: &[Value]) -> Result<Value, Error> {
    let (zero, one) = (Value::from(0.0), Value::from(1.0));
    let (start, stop) = match argument(arguments, 1) {
        Value::Undefined => (&zero, argument(arguments, 0)),
        stop => (argument(arguments, 0), stop),
    };
    let step = match argument(arguments, 2) {
        step if step.is_true() && !argument(arguments, 1).is_undefined() => step,
        _ => &one,
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
struct Cycler {
    items: Vec<Value>,
    /// The number of steps since the start.
    at: Cell<Option<usize>>,
}

fn cycler(_: &Runtime, arguments: &[Value]) -> Result<Value, Error> {
    let cycler = Value::Special(Rc::new(Cycler {
        items: arguments.to_vec(),
        at: Cell::new(None),
    }));
    Runtime::check_depth(&cycler)?;
    Ok(cycler)
}

impl Cycler {
    fn current(&self) -> Value {
        match self.at.get() {
            None => Value::Null,
            Some(at) => self.items.get(at).cloned().unwrap_or_default(),
        }
    }

    fn next(&self) -> Value {
        let next = self.at.get().map_or(0, |at| at + 1);
        self.at
            .set(Some(if next >= self.items.len() { 0 } else { next }));
        self.current()
    }
}

impl Special for Cycler {
    fn member(self: Rc<Self>, name: &str) -> Option<Value> {
        match name {
            "current" => Some(self.current()),
            "next" => Some(Value::function(move |_, _| Ok(self.next()))),
            "reset" => Some(Value::function(move |_, _| {
                self.at.set(None);
                Ok(Value::Undefined)
            })),
            _ => None,
        }
    }

    fn names(&self) -> &'static [&'static str] {
        &["current", "reset", "next"]
    }

    fn depth(&self) -> u32 {
        let inner = self.items.iter().map(Value::depth).max();
        inner.unwrap_or_default().saturating_add(1)
    }
}

fn joiner(runtime: &Runtime, arguments: &[Value]) -> Result<Value, Error> {
    let separator = match argument(arguments, 0) {
        separator if separator.is_true() => Value::from(to_text(separator, runtime)?),
        _ => Value::from(","),
    };
    let first = Cell::new(true);
    Ok(Value::function(move |_, _| {
        Ok(if first.replace(false) {
            Value::from("")
        } else {
            separator.clone()
        })
    }))
}
