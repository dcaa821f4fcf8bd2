//! Functions: macros, callers, globals and methods taken off their value.

use std::fmt;
use std::sync::Arc;

use minijinja::value::{Object, ObjectRepr, Value};

use crate::error::Error;
use crate::runtime::Runtime;

type Body = dyn Fn(&Arc<Runtime>, &[Value]) -> Result<Value, Error> + Send + Sync;

pub(crate) struct Function(Box<Body>);

impl Function {
    pub(crate) fn value(
        body: impl Fn(&Arc<Runtime>, &[Value]) -> Result<Value, Error> + Send + Sync + 'static,
    ) -> Value {
        Value::from_object(Self(Box::new(body)))
    }

    pub(crate) fn call(&self, runtime: &Arc<Runtime>, arguments: &[Value]) -> Result<Value, Error> {
        (self.0)(runtime, arguments)
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
