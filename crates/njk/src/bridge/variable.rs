//! Variables and literals.

use std::sync::Arc;

use minijinja::value::Value;

use super::{Helper, argument, count, name};
use crate::error::Error;
use crate::methods;
use crate::runtime::Runtime;
use crate::value::dict::{Dict, Entries};
use crate::value::number;
use crate::value::safe::Safe;
use crate::value::text::to_text;

pub(super) fn find(name: &str) -> Option<Helper> {
    Some(match name {
        "variable" => |runtime, key, _| Ok(runtime.variable(key.as_str().unwrap_or_default())),
        "enclosed" => |runtime, key, _| Ok(runtime.enclosed(key.as_str().unwrap_or_default())),
        "set" => set,
        "set_enclosed" => set_enclosed,
        "bind" => bind,
        "define" => define,
        "export" => export,
        "absent" => |runtime, key, _| {
            Ok(Value::from(
                runtime.is_absent(key.as_str().unwrap_or_default()),
            ))
        },
        "end" => |runtime, _, _| {
            runtime.leave();
            Ok(Value::UNDEFINED)
        },
        "taken" => |runtime, value, number| {
            runtime.take(count(number, 0));
            Ok(value.clone())
        },
        "macro" => |runtime, function, _| Ok(runtime.make_macro(function_of(function), false)),
        "caller" => |runtime, function, _| Ok(runtime.make_macro(function_of(function), true)),
        "member" => |runtime, target, key| methods::member(runtime, target, argument(key, 0)),
        "array" => |runtime, items, _| runtime.budget.array(list(items)),
        "last" => |_, items, _| Ok(list(items).pop().unwrap_or_default()),
        "dict" => |runtime, pairs, _| runtime.budget.dict(entries(runtime, pairs)?),
        "keywords" => keywords,
        "markup" => |_, text, _| Ok(Safe::value(text.as_str().unwrap_or_default())),
        "num" => |_, text, _| {
            Ok(number::make(number::parse(
                text.as_str().unwrap_or_default(),
            )))
        },
        _ => return None,
    })
}

fn function_of(value: &Value) -> usize {
    count(std::slice::from_ref(value), 0)
}

#[allow(clippy::unnecessary_wraps, reason = "all helpers have one signature")]
fn set(runtime: &Arc<Runtime>, value: &Value, names: &[Value]) -> Result<Value, Error> {
    runtime.set(&name(names, 0), value);
    Ok(value.clone())
}

#[allow(clippy::unnecessary_wraps, reason = "all helpers have one signature")]
fn set_enclosed(runtime: &Arc<Runtime>, value: &Value, names: &[Value]) -> Result<Value, Error> {
    runtime.set_enclosed(&name(names, 0), value);
    Ok(value.clone())
}

#[allow(clippy::unnecessary_wraps, reason = "all helpers have one signature")]
fn bind(runtime: &Arc<Runtime>, value: &Value, names: &[Value]) -> Result<Value, Error> {
    runtime.bind(&name(names, 0), value.clone());
    Ok(Value::UNDEFINED)
}

#[allow(clippy::unnecessary_wraps, reason = "all helpers have one signature")]
fn define(runtime: &Arc<Runtime>, value: &Value, names: &[Value]) -> Result<Value, Error> {
    runtime
        .activation()
        .context
        .set(&name(names, 0), value.clone());
    Ok(Value::UNDEFINED)
}

#[allow(clippy::unnecessary_wraps, reason = "all helpers have one signature")]
fn export(runtime: &Arc<Runtime>, value: &Value, names: &[Value]) -> Result<Value, Error> {
    let name = name(names, 0);
    let context = Arc::clone(&runtime.activation().context);
    context.set(&name, value.clone());
    context.export(&name);
    Ok(Value::UNDEFINED)
}

/// The items of one of minijinja's own lists.
fn list(value: &Value) -> Vec<Value> {
    value
        .downcast_object_ref::<Vec<Value>>()
        .cloned()
        .unwrap_or_default()
}

fn entries(runtime: &Runtime, pairs: &Value) -> Result<Entries, Error> {
    let mut entries = Entries::new();
    let mut items = list(pairs).into_iter();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        entries.insert(Arc::from(to_text(&key, &runtime.budget)?), value);
    }
    Ok(entries)
}

fn keywords(runtime: &Arc<Runtime>, pairs: &Value, _: &[Value]) -> Result<Value, Error> {
    let entries = entries(runtime, pairs)?;
    runtime.budget.spend(entries.len())?;
    Ok(Value::from_object(Dict::keywords(entries)))
}
