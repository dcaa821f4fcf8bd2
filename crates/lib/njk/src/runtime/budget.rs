//! Counts the steps and bytes of a rendering, so that no template runs forever
//! or exhausts the memory. Everything that loops, grows or copies charges the
//! budget first.

use std::cell::Cell;

use minijinja::value::Value;

use super::Runtime;
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::value::array::Array;
use crate::value::depth;
use crate::value::dict::{Dict, Entries};

/// All strings and lists of a rendering may take this many times the limit of
/// its output.
const MEMORY_FACTOR: u64 = 32;

/// A rendering may always take this much, even with a small limit.
const MIN_MEMORY: u64 = 1 << 20;

/// The maximum nesting of arrays and objects in a value.
const MAX_DEPTH: u32 = 500;

impl Runtime {
    /// Charges `steps` to the fuel.
    pub(crate) fn spend(&self, steps: usize) -> Result<(), Error> {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        if take(&self.fuel, steps) {
            return Ok(());
        }
        let error = Error::new(ErrorKind::OutOfFuel, "the template runs too long");
        let fuel = self.shared.limits.fuel;
        Err(error.with_hint(format!("a template may run {fuel} steps")))
    }

    /// Charges `bytes` to the memory, and a step for every 64 of them.
    pub(crate) fn grow(&self, bytes: usize) -> Result<(), Error> {
        if bytes >= 64 {
            self.spend(bytes / 64)?;
        }
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        if take(&self.memory, bytes) {
            return Ok(());
        }
        let error = Error::new(ErrorKind::TooLarge, "the template builds too much data");
        let most = memory(self.shared.limits);
        Err(error.with_hint(format!("the values a template makes may take {most} bytes")))
    }

    /// Charges a text that is printed after `before` other bytes.
    pub(crate) fn print(&self, before: usize, text: &str) -> Result<(), Error> {
        if before.saturating_add(text.len()) > self.shared.limits.output {
            let limit = self.shared.limits.output;
            let error = Error::new(ErrorKind::TooLarge, "the template prints too much");
            return Err(error.with_hint(format!("a template may print {limit} bytes")));
        }
        self.grow(text.len())
    }

    /// Fails if `len` is more bytes than a template may print.
    pub(crate) fn check_len(&self, len: usize) -> Result<(), Error> {
        if len <= self.shared.limits.output {
            return Ok(());
        }
        let error = Error::new(ErrorKind::TooLarge, "the template builds too long a string");
        let most = self.shared.limits.output;
        Err(error.with_hint(format!("a string may have {most} bytes")))
    }

    /// Charges a string of `len` bytes before it is made.
    pub(crate) fn string(&self, len: usize) -> Result<(), Error> {
        self.check_len(len)?;
        self.grow(len)
    }

    /// A finished string as a value.
    pub(crate) fn text(&self, text: String) -> Result<Value, Error> {
        self.string(text.len())?;
        Ok(Value::from(text))
    }

    pub(crate) fn array(&self, items: Vec<Value>) -> Result<Value, Error> {
        self.grow(
            items
                .len()
                .saturating_mul(size_of::<Value>())
                .saturating_add(64),
        )?;
        self.spend(items.len())?;
        let array = Value::from_object(Array::new(items));
        Self::check_depth(&array)?;
        Ok(array)
    }

    pub(crate) fn dict(&self, entries: Entries) -> Result<Value, Error> {
        let size = entries.keys().map(|key| key.len() + 96).sum::<usize>();
        self.grow(size.saturating_add(64))?;
        self.spend(entries.len())?;
        let dict = Value::from_object(Dict::new(entries));
        Self::check_depth(&dict)?;
        Ok(dict)
    }

    /// Fails if a value is nested too deeply.
    pub(crate) fn check_depth(value: &Value) -> Result<(), Error> {
        if depth(value) > MAX_DEPTH {
            return Err(Error::new(
                ErrorKind::TooDeep,
                "the value is nested too deeply",
            ));
        }
        Ok(())
    }
}

/// The number of bytes that the values of a rendering may take.
pub(super) fn memory(limits: Limits) -> u64 {
    let output = u64::try_from(limits.output).unwrap_or(u64::MAX);
    output.saturating_mul(MEMORY_FACTOR).max(MIN_MEMORY)
}

fn take(store: &Cell<u64>, amount: u64) -> bool {
    let left = store.get().checked_sub(amount);
    if let Some(left) = left {
        store.set(left);
    }
    left.is_some()
}
