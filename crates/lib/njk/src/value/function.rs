//! Functions: macros, callers, globals and detached methods.

use std::fmt;
use std::sync::Arc;

use minijinja::value::{Object, ObjectRepr, Value};

use super::depth;
use crate::error::Error;
use crate::native::Native;
use crate::runtime::Runtime;

type Body = dyn Fn(&Runtime, &[Value]) -> Result<Value, Error> + Send + Sync;

pub(crate) struct Function {
    body: Box<Body>,
    /// The nesting of the value to which a method is bound; 0 for other
    /// functions.
    depth: u32,
}

impl Function {
    pub(crate) fn value(
        body: impl Fn(&Runtime, &[Value]) -> Result<Value, Error> + Send + Sync + 'static,
    ) -> Value {
        Value::from_object(Self {
            body: Box::new(body),
            depth: 0,
        })
    }

    /// A method, bound to its value.
    pub(crate) fn method(this: &Value, method: Native) -> Result<Value, Error> {
        let depth = depth(this).saturating_add(1);
        let this = this.clone();
        let method = Value::from_object(Self {
            body: Box::new(move |runtime, arguments| method(runtime, &this, arguments)),
            depth,
        });
        Runtime::check_depth(&method)?;
        Ok(method)
    }

    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    pub(crate) fn call(&self, runtime: &Runtime, arguments: &[Value]) -> Result<Value, Error> {
        if self.depth == 0 {
            return (self.body)(runtime, arguments);
        }
        // A method can be passed to itself; macros are counted when they run.
        runtime.nested(|| (self.body)(runtime, arguments))
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Function")
    }
}

impl Object for Function {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }
}
