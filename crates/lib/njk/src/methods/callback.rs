//! The array methods that call a function, which in a template is a macro:
//! `names.map(bold)`.

use minijinja::value::Value;

use super::array::{index, items};
use crate::error::{Error, ErrorKind};
use crate::native::{Native, argument};
use crate::runtime::Runtime;
use crate::value::number::count;
use crate::value::{View, type_name, view};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "every" => |runtime, this, arguments| {
            let failing = position(runtime, this, arguments, false)?;
            Ok(Value::from(failing.is_none()))
        },
        "some" => |runtime, this, arguments| {
            let passing = position(runtime, this, arguments, true)?;
            Ok(Value::from(passing.is_some()))
        },
        "find" => |runtime, this, arguments| {
            let found = position(runtime, this, arguments, true)?;
            Ok(found
                .and_then(|at| items(this).get(at).cloned())
                .unwrap_or_default())
        },
        "findIndex" => {
            |runtime, this, arguments| position(runtime, this, arguments, true).map(index)
        }
        "filter" => |runtime, this, arguments| {
            let mut kept = Vec::new();
            for (at, item) in items(this).iter().enumerate() {
                if call(runtime, arguments, item, at, this)?.is_true() {
                    kept.push(item.clone());
                }
            }
            runtime.array(kept)
        },
        "map" => |runtime, this, arguments| {
            let mut mapped = Vec::new();
            for (at, item) in items(this).iter().enumerate() {
                mapped.push(call(runtime, arguments, item, at, this)?);
            }
            runtime.array(mapped)
        },
        "forEach" => |runtime, this, arguments| {
            for (at, item) in items(this).iter().enumerate() {
                call(runtime, arguments, item, at, this)?;
            }
            Ok(Value::UNDEFINED)
        },
        "reduce" => reduce,
        _ => return None,
    })
}

fn call(
    runtime: &Runtime,
    arguments: &[Value],
    item: &Value,
    at: usize,
    this: &Value,
) -> Result<Value, Error> {
    invoke(
        runtime,
        argument(arguments, 0),
        &[item.clone(), count(at), this.clone()],
    )
}

fn invoke(runtime: &Runtime, function: &Value, arguments: &[Value]) -> Result<Value, Error> {
    runtime.spend(1)?;
    if let View::Function(function) = view(function) {
        return function.call(runtime, arguments);
    }
    let message = format!("expected a function, not {}", type_name(function));
    Err(Error::new(ErrorKind::NotCallable, message))
}

/// The first item for which the function returns a value of that truth.
fn position(
    runtime: &Runtime,
    this: &Value,
    arguments: &[Value],
    wanted: bool,
) -> Result<Option<usize>, Error> {
    for (at, item) in items(this).iter().enumerate() {
        if call(runtime, arguments, item, at, this)?.is_true() == wanted {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

fn reduce(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let items = items(this);
    let mut rest = items.iter().enumerate();
    let start = arguments
        .get(1)
        .cloned()
        .or_else(|| rest.next().map(|(_, item)| item.clone()));
    let Some(mut result) = start else {
        return Err(Error::bad_value(
            "an empty array cannot be reduced without a first value",
        ));
    };
    for (at, item) in rest {
        let values = [result, item.clone(), count(at), this.clone()];
        result = invoke(runtime, argument(arguments, 0), &values)?;
    }
    Ok(result)
}
