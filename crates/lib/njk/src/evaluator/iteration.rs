//! `{% for %}`.

use std::sync::Arc;

use minijinja::value::{DynObject, Value};

use super::Evaluator;
use crate::ast::{Expression, Name, Statement};
use crate::coverage::BranchKind;
use crate::error::Error;
use crate::methods;
use crate::runtime::Runtime;
use crate::runtime::frames::Loop;
use crate::value::array::Array;
use crate::value::{View, entries, is_present, number, type_name, utf16, view};

/// The items of a loop.
enum Items {
    /// Read again at each step, because the loop's body may change it.
    Array(Value),
    List(Vec<Value>),
    Pairs(Vec<(Value, Value)>),
}

/// The values of one step.
enum Item {
    One(Value),
    Pair(Value, Value),
}

impl Evaluator<'_> {
    pub(super) fn for_loop(
        &self,
        names: &[Name],
        iterable: &Expression,
        body: &[Statement],
        otherwise: &[Statement],
        out: &mut String,
    ) -> Result<(), Error> {
        let value = self.expression(iterable)?;
        let items = self.at(
            iterable.span,
            Items::of(self.runtime, &value, names.len() > 1),
        )?;
        self.runtime.open(self.here);
        for name in names {
            self.bind(name, Value::UNDEFINED);
        }
        let count = items.len();
        if count == 0 {
            if !otherwise.is_empty() {
                self.take(iterable.span, BranchKind::Empty);
                self.body(otherwise, out)?;
            }
        } else {
            let result = self.steps(names, iterable, &items, count, body, out);
            self.at(iterable.span, result)?;
        }
        self.runtime.close(self.here);
        Ok(())
    }

    fn steps(
        &self,
        names: &[Name],
        iterable: &Expression,
        items: &Items,
        count: usize,
        body: &[Statement],
        out: &mut String,
    ) -> Result<(), Error> {
        let loop_ = Loop::new(count);
        let value = Value::from_dyn_object(DynObject::new(Arc::clone(&loop_)));
        self.runtime.bind(self.here, "loop", value);
        let mut index = 0;
        while let Some(item) = items.get(index) {
            self.runtime.spend(1)?;
            loop_.advance(index);
            self.unpack(names, item)?;
            self.take(iterable.span, BranchKind::For);
            self.body(body, out)?;
            index += 1;
        }
        Ok(())
    }

    /// Sets the variables of one step.
    fn unpack(&self, names: &[Name], item: Item) -> Result<(), Error> {
        match (item, names) {
            (Item::One(item), [name]) => self.bind(name, item),
            (Item::One(item), names) => {
                if !is_present(&item) {
                    let message = format!("{} cannot be unpacked into variables", type_name(&item));
                    return Err(Error::bad_value(message));
                }
                for (position, name) in names.iter().enumerate() {
                    let key = number::count(position);
                    self.bind(name, methods::member(self.runtime, &item, &key)?);
                }
            }
            (Item::Pair(key, value), names) => {
                for (name, value) in names.iter().zip([key, value]) {
                    self.bind(name, value);
                }
            }
        }
        Ok(())
    }

    fn bind(&self, name: &Name, value: Value) {
        self.runtime.bind(self.here, &name.text, value);
    }
}

impl Items {
    /// The items of a value, as pairs of a key and a value if those are asked for.
    fn of(runtime: &Runtime, value: &Value, pairs: bool) -> Result<Self, Error> {
        Ok(match view(value) {
            View::Array(_) => Self::Array(value.clone()),
            View::Text(text) if pairs => {
                let characters = characters(runtime, text)?.into_iter().enumerate();
                let pair = |(index, unit): (usize, Value)| (Value::from(index.to_string()), unit);
                Self::Pairs(characters.map(pair).collect())
            }
            View::Text(text) | View::Safe(text) => Self::List(characters(runtime, text)?),
            View::Dict(_) | View::Object if pairs => {
                let entries = entries(value);
                runtime.spend(entries.len())?;
                let pair = |(key, value): (Arc<str>, Value)| (Value::from(&*key), value);
                Self::Pairs(entries.into_iter().map(pair).collect())
            }
            // Any value with a length is treated as an array.
            View::Dict(_) | View::Object => Self::List(methods::elements(runtime, value)?),
            _ => Self::List(Vec::new()),
        })
    }

    fn len(&self) -> usize {
        match self {
            Self::Array(array) => array.downcast_object_ref::<Array>().map_or(0, Array::len),
            Self::List(items) => items.len(),
            Self::Pairs(pairs) => pairs.len(),
        }
    }

    fn get(&self, index: usize) -> Option<Item> {
        match self {
            Self::Array(array) => {
                let array = array.downcast_object_ref::<Array>()?;
                array.get(index).map(Item::One)
            }
            Self::List(items) => items.get(index).cloned().map(Item::One),
            Self::Pairs(pairs) => {
                let (key, value) = pairs.get(index)?;
                Some(Item::Pair(key.clone(), value.clone()))
            }
        }
    }
}

fn characters(runtime: &Runtime, text: &str) -> Result<Vec<Value>, Error> {
    let size = text.len().saturating_mul(size_of::<Value>());
    runtime.spend(text.len())?;
    runtime.grow(size)?;
    Ok(utf16::characters(text)
        .into_iter()
        .map(Value::from)
        .collect())
}
