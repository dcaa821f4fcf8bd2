//! Operations that can fail at a position of the template: calls, loops,
//! containment, regular expressions and other templates.

use std::sync::Arc;

use minijinja::value::Value;

use super::{Helper, argument, count, name};
use crate::error::{Error, ErrorKind};
use crate::globals;
use crate::methods;
use crate::mistake::Mistake;
use crate::regex::Regex;
use crate::runtime::{Runtime, iteration};
use crate::suggest;
use crate::value::compare::strict;
use crate::value::dict::Dict;
use crate::value::text::to_text;
use crate::value::{View, type_name, view};

pub(super) fn find(name: &str) -> Option<Helper> {
    Some(match name {
        "call" => call,
        "method" => method,
        "in" => contains,
        "for" => begin,
        "regex" => |_, body, flags| {
            let flags = argument(flags, 0).as_str().unwrap_or_default();
            Regex::value(body.as_str().unwrap_or_default(), flags)
        },
        "block" => |runtime, block, within| {
            runtime.block(
                block.as_str().unwrap_or_default(),
                argument(within, 0).is_true(),
            )
        },
        "super" => |runtime, block, function| {
            let block = block.as_str().unwrap_or_default();
            runtime.bind_super(block, count(function, 0))?;
            Ok(Value::UNDEFINED)
        },
        "extends" => |runtime, template, _| {
            runtime.extend(template)?;
            Ok(Value::UNDEFINED)
        },
        "include" => {
            |runtime, template, ignore| runtime.include(template, argument(ignore, 0).is_true())
        }
        "import" => |runtime, template, with| runtime.import(template, argument(with, 0).is_true()),
        "imported" => imported,
        "no_filter" => |runtime, _, _| Err(super::no_filter(&runtime.here())),
        "no_test" => |runtime, _, _| Err(super::no_test(&runtime.here())),
        _ => return None,
    })
}

fn call(runtime: &Arc<Runtime>, target: &Value, arguments: &[Value]) -> Result<Value, Error> {
    match view(target) {
        View::Function(function) => function.call(runtime, arguments),
        _ => Err(not_callable(runtime, target)),
    }
}

fn method(runtime: &Arc<Runtime>, target: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let (name, arguments) = arguments.split_first().unwrap_or((&super::UNDEFINED, &[]));
    let own = match view(target) {
        View::Dict(dict) => dict.get(&to_text(name, &runtime.budget)?).cloned(),
        _ => None,
    };
    if own.is_none()
        && let Some(name) = name.as_str()
        && let Some(result) = methods::call(runtime, target, name, arguments)
    {
        return result;
    }
    let function = match own {
        Some(own) => own,
        None => methods::member(runtime, target, name)?,
    };
    call(runtime, &function, arguments)
}

fn not_callable(runtime: &Runtime, target: &Value) -> Error {
    let name = runtime.here();
    let message = match view(target) {
        View::Undefined | View::Null => {
            format!("`{name}` is {} and cannot be called", type_name(target))
        }
        _ => format!("`{name}` is {}, not a function", type_name(target)),
    };
    let error = Error::new(ErrorKind::NotCallable, message);
    if let Some(mistake) = Mistake::callee(&name) {
        return error.with_mistake(mistake);
    }
    match suggest::nearest(&name, globals::NAMES) {
        Some(near) => error.with_hint(format!("did you mean `{near}`?")),
        None => error,
    }
}

fn contains(runtime: &Arc<Runtime>, item: &Value, container: &[Value]) -> Result<Value, Error> {
    let container = argument(container, 0);
    let budget = &runtime.budget;
    let found = match view(container) {
        View::Array(array) => {
            let items = array.items();
            budget.spend(items.len())?;
            items.iter().any(|other| strict(other, item))
        }
        View::Text(text) | View::Safe(text) => {
            budget.spend(text.len() / 16)?;
            text.contains(&*to_text(item, budget)?)
        }
        View::Dict(_) | View::Object => methods::has(runtime, container, item)?,
        _ => {
            let message = format!(
                "`in` needs an array, a string or an object, not {}",
                type_name(container)
            );
            return Err(Error::bad_value(message));
        }
    };
    Ok(Value::from(found))
}

fn begin(runtime: &Arc<Runtime>, iterable: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let names = (1..arguments.len())
        .map(|index| name(arguments, index))
        .collect();
    let weight = count(arguments, 0);
    iteration::begin(runtime, iterable, runtime.place(), weight, names)
}

fn imported(_: &Arc<Runtime>, module: &Value, names: &[Value]) -> Result<Value, Error> {
    let name = name(names, 0);
    let dict = module.downcast_object_ref::<Dict>();
    let value = dict.and_then(|dict| dict.get(&name));
    value.cloned().ok_or_else(|| {
        let error = Error::new(ErrorKind::BadValue, format!("cannot import `{name}`"));
        let known = dict.map(|dict| dict.entries().keys().map(|key| &**key));
        match suggest::nearest(&name, known.into_iter().flatten()) {
            Some(near) => error.with_hint(format!("did you mean `{near}`?")),
            None => error,
        }
    })
}
