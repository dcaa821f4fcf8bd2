//! `{% for %}`: the items of a loop. minijinja runs the loop; each step binds
//! Nunjucks' variables and is charged here.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use minijinja::value::{DynObject, Enumerator, Object, ObjectRepr, Value};

use super::Runtime;
use super::frames::Loop;
use crate::error::Error;
use crate::value::array::Array;
use crate::value::{View, entries, is_present, number, type_name, utf16, view};

enum Source {
    /// Read again at each step, because the loop's body may change it.
    Array(Value),
    Items(Vec<Value>),
    Pairs(Vec<(Value, Value)>),
}

struct Steps {
    runtime: Arc<Runtime>,
    source: Source,
    names: Vec<Arc<str>>,
    loop_: Arc<Loop>,
    place: usize,
    weight: usize,
    next: usize,
}

/// Yields its steps to minijinja, once.
struct Iteration(Mutex<Option<Steps>>);

impl fmt::Debug for Iteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Iteration")
    }
}

impl Object for Iteration {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Iterable
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(steps) => Enumerator::Iter(Box::new(steps)),
            None => Enumerator::Empty,
        }
    }
}

/// Begins a loop over `value` that binds `names`; opens its frame.
pub(crate) fn begin(
    runtime: &Arc<Runtime>,
    value: &Value,
    place: usize,
    weight: usize,
    names: Vec<Arc<str>>,
) -> Result<Value, Error> {
    let source = source(runtime, value, names.len() > 1)?;
    let len = match &source {
        Source::Array(array) => array.downcast_object_ref::<Array>().map_or(0, Array::len),
        Source::Items(items) => items.len(),
        Source::Pairs(pairs) => pairs.len(),
    };
    runtime.enter();
    for name in &names {
        runtime.bind(name, Value::UNDEFINED);
    }
    let loop_ = Loop::new(len);
    if len > 0 {
        let value = Value::from_dyn_object(DynObject::new(Arc::clone(&loop_)));
        runtime.bind(&Arc::from("loop"), value);
    }
    let steps = Steps {
        runtime: Arc::clone(runtime),
        source,
        names,
        loop_,
        place,
        weight,
        next: 0,
    };
    Ok(Value::from_object(Iteration(Mutex::new(Some(steps)))))
}

fn source(runtime: &Runtime, value: &Value, pairs: bool) -> Result<Source, Error> {
    let units = |text: &str| -> Result<Vec<Value>, Error> {
        runtime.budget.spend(text.len())?;
        runtime
            .budget
            .grow(text.len().saturating_mul(size_of::<Value>()))?;
        Ok(utf16::characters(text)
            .into_iter()
            .map(Value::from)
            .collect())
    };
    Ok(match view(value) {
        View::Array(_) => Source::Array(value.clone()),
        View::Text(text) if pairs => {
            let units = units(text)?.into_iter().enumerate();
            Source::Pairs(
                units
                    .map(|(index, unit)| (Value::from(index.to_string()), unit))
                    .collect(),
            )
        }
        View::Text(text) | View::Safe(text) => Source::Items(units(text)?),
        View::Dict(_) | View::Object if pairs => {
            let entries = entries(value);
            runtime.budget.spend(entries.len())?;
            let pair = |(key, value): (Arc<str>, Value)| (Value::from(&*key), value);
            Source::Pairs(entries.into_iter().map(pair).collect())
        }
        View::Dict(_) | View::Object => {
            // Any value with a length is treated as an array.
            Source::Items(crate::methods::elements(runtime, value)?)
        }
        _ => Source::Items(Vec::new()),
    })
}

impl Steps {
    fn step(&mut self) -> Result<Option<Value>, Error> {
        let index = self.next;
        let item = match &self.source {
            Source::Array(array) => array
                .downcast_object_ref::<Array>()
                .and_then(|array| array.get(index)),
            Source::Items(items) => items.get(index).cloned(),
            Source::Pairs(pairs) => {
                let Some((key, value)) = pairs.get(index) else {
                    return Ok(None);
                };
                let (key, value) = (key.clone(), value.clone());
                self.advance(index)?;
                for (name, value) in self.names.iter().zip([key, value]) {
                    self.runtime.bind(name, value);
                }
                return Ok(Some(Value::from(())));
            }
        };
        let Some(item) = item else {
            return Ok(None);
        };
        self.advance(index)?;
        match self.names.as_slice() {
            [name] => self.runtime.bind(name, item),
            names => {
                if !is_present(&item) {
                    let message = format!("{} cannot be unpacked into variables", type_name(&item));
                    return Err(Error::bad_value(message));
                }
                for (position, name) in names.iter().enumerate() {
                    let key = number::count(position);
                    let part = crate::methods::member(&self.runtime, &item, &key)?;
                    self.runtime.bind(name, part);
                }
            }
        }
        Ok(Some(Value::from(())))
    }

    fn advance(&mut self, index: usize) -> Result<(), Error> {
        self.runtime.pass(self.place);
        self.runtime.budget.spend(self.weight)?;
        self.loop_.advance(index);
        self.next += 1;
        Ok(())
    }
}

impl Iterator for Steps {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        match self.step() {
            Ok(step) => step,
            Err(error) => Some(Value::from(self.runtime.fail(error))),
        }
    }
}
