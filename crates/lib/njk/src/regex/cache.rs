//! The regular expressions of a rendering. Each is compiled once, because that takes much longer
//! than most searches, and is charged for the time and the memory that it may take.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use minijinja::value::Value;

use super::{Compiled, Regex};
use crate::error::Error;
use crate::runtime::Runtime;

/// The bytes that one is charged for, and with them the steps; few take as many.
const BYTES: usize = 1 << 18;

#[derive(Debug, Default)]
pub(crate) struct Regexes(RefCell<HashMap<String, Arc<Compiled>>>);

impl Regexes {
    /// A new value of an expression.
    pub(crate) fn value(&self, body: &str, flags: &str, runtime: &Runtime) -> Result<Value, Error> {
        // No flag is a slash.
        let key = format!("{flags}/{body}");
        let known = self.0.borrow().get(&key).cloned();
        let compiled = match known {
            Some(compiled) => compiled,
            None => self.compile(key, body, flags, runtime)?,
        };
        let last = AtomicUsize::new(0);
        Ok(Value::from_object(Regex { compiled, last }))
    }

    fn compile(
        &self,
        key: String,
        body: &str,
        flags: &str,
        runtime: &Runtime,
    ) -> Result<Arc<Compiled>, Error> {
        runtime.grow(BYTES)?;
        let compiled = Arc::new(Compiled::new(body, flags)?);
        self.0.borrow_mut().insert(key, Arc::clone(&compiled));
        Ok(compiled)
    }
}
