//! Filters that sort, group and select.

use std::cmp::Ordering;
use std::rc::Rc;

use indexmap::IndexMap;

use super::list::{array, items, items_or_none, pluck};
use crate::error::Error;
use crate::methods::{self, sort_by};
use crate::native::{Native, argument, expected, keywords, require_members, string};
use crate::runtime::Runtime;
use crate::tests;
use crate::value::compare::{order, strict, texts};
use crate::value::text::to_text;
use crate::value::{Entries, Value};

pub(super) const FILTERS: &[(&str, Native)] = &[
    ("dictsort", dictsort),
    ("groupby", groupby),
    ("reject", tested::<false>),
    ("select", tested::<true>),
    ("rejectattr", with_attribute::<false>),
    ("selectattr", with_attribute::<true>),
    ("sort", sort),
];

/// The value at the end of a dotted path of own members.
fn path(runtime: &Runtime, item: &Value, attribute: &Value) -> Result<Value, Error> {
    if !attribute.is_true() {
        return Ok(item.clone());
    }
    let Some(names) = attribute.as_str() else {
        let key = to_text(attribute, runtime)?;
        return Ok(own(item, &key)?.unwrap_or_default());
    };
    let mut value = item.clone();
    for name in names.split('.') {
        match own(&value, name)? {
            Some(member) => value = member,
            None => return Ok(Value::Undefined),
        }
    }
    Ok(value)
}

/// An own member, not one of the prototype.
fn own(item: &Value, key: &str) -> Result<Option<Value>, Error> {
    require_members(item)?;
    if let Value::Dict(dict) = item {
        return Ok(dict.get(key).cloned());
    }
    let found = methods::named_member(item, key)?;
    let inherited = matches!(&found, Value::Undefined | Value::Function(_));
    Ok((!inherited).then_some(found))
}

fn dictsort(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    if !matches!(value, Value::Dict(_) | Value::Special(_)) {
        return Err(expected("an object", value));
    }
    let cased = argument(arguments, 0).is_true();
    let by = argument(arguments, 1);
    let by = match by.as_str() {
        None if by.is_undefined() => 0,
        Some("key") => 0,
        Some("value") => 1,
        _ => {
            return Err(Error::bad_value(
                "a dictionary is sorted by `key` or by `value`",
            ));
        }
    };
    let pair = |(key, value): (Rc<str>, Value)| runtime.array(vec![Value::from(&*key), value]);
    let pairs: Vec<Value> = value
        .entries()
        .into_iter()
        .map(pair)
        .collect::<Result<_, _>>()?;
    let key = |pair: &Value| -> Result<Value, Error> {
        let key = methods::element(runtime, pair, by)?;
        Ok(match key.as_text() {
            Some(text) if !cased => Value::from(text.to_uppercase()),
            _ => key,
        })
    };
    let sorted = sort_by(pairs, &mut |left, right| {
        let (left, right) = (key(left)?, key(right)?);
        runtime.spend(1)?;
        // What is neither greater nor the same counts as less, in both directions.
        Ok(match order(&left, &right, runtime)? {
            Some(Ordering::Greater) => Ordering::Greater,
            _ if strict(&left, &right) => Ordering::Equal,
            _ => Ordering::Less,
        })
    })?;
    runtime.array(sorted)
}

fn sort(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let (positional, named) = keywords(arguments);
    let given = |index: usize, name: &str| -> Value {
        let named = named.and_then(|named| named.get(name)).cloned();
        positional.get(index).cloned().or(named).unwrap_or_default()
    };
    let reversed = given(0, "reverse").is_true();
    let cased = given(1, "case_sensitive").is_true();
    let attribute = given(2, "attribute");
    let source = items_or_none(runtime, value)?;
    // Each key is computed once, not at every comparison, and only if it is compared.
    let count = source.iter().filter(|item| !item.is_undefined()).count();
    let mut keyed = Vec::with_capacity(source.len());
    for item in source.iter() {
        if item.is_undefined() {
            keyed.push(Value::Undefined);
            continue;
        }
        let key = if count > 1 {
            path(runtime, item, &attribute)?
        } else {
            Value::Undefined
        };
        keyed.push(runtime.array(vec![key, item.clone()])?);
    }
    let sorted = sort_by(keyed, &mut |left, right| {
        runtime.spend(1)?;
        let (left, right) = (part(left, 0), part(right, 0));
        let order = keys(runtime, &left, &right, cased)?.unwrap_or(Ordering::Equal);
        Ok(if reversed { order.reverse() } else { order })
    })?;
    runtime.array(sorted.iter().map(|pair| part(pair, 1)).collect())
}

/// An element of a pair; undefined of undefined.
fn part(pair: &Value, index: usize) -> Value {
    match pair {
        Value::Array(pair) => pair.get(index).unwrap_or_default(),
        _ => Value::Undefined,
    }
}

/// The order of two keys; two strings are compared without regard to case, unless `cased`.
fn keys(
    runtime: &Runtime,
    left: &Value,
    right: &Value,
    cased: bool,
) -> Result<Option<Ordering>, Error> {
    if !cased && let (Some(one), Some(other)) = (left.as_str(), right.as_str()) {
        let size = one.len().saturating_add(other.len());
        runtime.spend(size / 64)?;
        return Ok(Some(texts(&one.to_lowercase(), &other.to_lowercase())));
    }
    order(left, right, runtime)
}

fn groupby(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let attribute = argument(arguments, 0);
    let mut groups: IndexMap<Rc<str>, Vec<Value>> = IndexMap::new();
    for item in items(runtime, value)?.iter() {
        let key = match attribute {
            Value::Function(function) => function.call(runtime, std::slice::from_ref(item))?,
            _ => path(runtime, item, attribute)?,
        };
        let key = to_text(&key, runtime)?;
        groups
            .entry(Rc::from(&*key))
            .or_default()
            .push(item.clone());
    }
    let mut entries = Entries::new();
    for (key, items) in groups {
        entries.insert(key, runtime.array(items)?);
    }
    runtime.dict(entries)
}

/// Keeps the items of which a test says `WANTED`.
fn tested<const WANTED: bool>(
    runtime: &Runtime,
    value: &Value,
    arguments: &[Value],
) -> Result<Value, Error> {
    let name = string(runtime, arguments, 0, "truthy")?;
    let test = tests::named(&name)?;
    let other = std::slice::from_ref(argument(arguments, 1));
    let mut kept = Vec::new();
    for item in items(runtime, value)?.iter() {
        if test(runtime, item, other)?.is_true() == WANTED {
            kept.push(item.clone());
        }
    }
    runtime.array(kept)
}

/// Keeps the items with an attribute that is true, or not.
fn with_attribute<const WANTED: bool>(
    runtime: &Runtime,
    value: &Value,
    arguments: &[Value],
) -> Result<Value, Error> {
    let mut kept = Vec::new();
    for item in array(runtime, value)?.iter() {
        if pluck(runtime, item, argument(arguments, 0))?.is_true() == WANTED {
            kept.push(item.clone());
        }
    }
    runtime.array(kept)
}
