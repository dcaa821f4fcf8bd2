//! The scope of a running piece of a template: its context and its position in
//! the frames.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use minijinja::value::Value;

use crate::program::Program;

/// One body of a block: its template and its function there.
pub(crate) type Block = (Arc<Program>, usize);

/// The variables and blocks of a template and those it extends.
#[derive(Debug, Default)]
pub(crate) struct Context {
    variables: Mutex<HashMap<Arc<str>, Value>>,
    exports: Mutex<Vec<Arc<str>>>,
    blocks: Mutex<HashMap<String, Vec<Block>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Context {
    pub(crate) fn new(variables: HashMap<Arc<str>, Value>) -> Arc<Self> {
        let variables = Mutex::new(variables);
        Arc::new(Self {
            variables,
            ..Self::default()
        })
    }

    pub(crate) fn get(&self, name: &str) -> Option<Value> {
        lock(&self.variables).get(name).cloned()
    }

    pub(crate) fn set(&self, name: &Arc<str>, value: Value) {
        let old = lock(&self.variables).insert(Arc::clone(name), value);
        drop(old);
    }

    pub(crate) fn variables(&self) -> HashMap<Arc<str>, Value> {
        lock(&self.variables).clone()
    }

    pub(crate) fn export(&self, name: &Arc<str>) {
        let mut exports = lock(&self.exports);
        if !name.starts_with('_') && !exports.contains(name) {
            exports.push(Arc::clone(name));
        }
    }

    /// The exported names and their values.
    pub(crate) fn exported(&self) -> Vec<(Arc<str>, Value)> {
        let names = lock(&self.exports).clone();
        let value = |name: &Arc<str>| self.get(name).unwrap_or(Value::UNDEFINED);
        names
            .into_iter()
            .map(|name| (Arc::clone(&name), value(&name)))
            .collect()
    }

    /// Adds the blocks of `program` after the existing ones.
    pub(crate) fn add_blocks(&self, program: &Arc<Program>) {
        let mut blocks = lock(&self.blocks);
        for (name, function) in program.blocks() {
            let bodies = blocks.entry(name.clone()).or_default();
            bodies.push((Arc::clone(program), *function));
        }
    }

    /// The body of a block that takes precedence.
    pub(crate) fn block(&self, name: &str) -> Option<Block> {
        lock(&self.blocks).get(name)?.first().cloned()
    }

    /// The body that the given one overrides.
    pub(crate) fn overridden(
        &self,
        name: &str,
        program: &Arc<Program>,
        function: usize,
    ) -> Option<Block> {
        let blocks = lock(&self.blocks);
        let bodies = blocks.get(name)?;
        let own = bodies
            .iter()
            .position(|(other, body)| Arc::ptr_eq(other, program) && *body == function)?;
        bodies.get(own + 1).cloned()
    }

    /// Releases everything: macros refer to their context, which refers to
    /// them.
    pub(crate) fn clear(&self) {
        let variables = std::mem::take(&mut *lock(&self.variables));
        drop(variables);
        lock(&self.blocks).clear();
    }
}

/// One run of a template's body or of a block, with the macros defined in it.
#[derive(Debug)]
pub(crate) struct Activation {
    pub(crate) program: Arc<Program>,
    pub(crate) context: Arc<Context>,
    frame: AtomicUsize,
    parent: Mutex<Option<Arc<Program>>>,
}

impl Activation {
    pub(crate) fn new(program: &Arc<Program>, context: &Arc<Context>, frame: usize) -> Arc<Self> {
        Arc::new(Self {
            program: Arc::clone(program),
            context: Arc::clone(context),
            frame: AtomicUsize::new(frame),
            parent: Mutex::default(),
        })
    }

    pub(crate) fn frame(&self) -> usize {
        self.frame.load(Ordering::Relaxed)
    }

    pub(crate) fn set_frame(&self, frame: usize) {
        self.frame.store(frame, Ordering::Relaxed);
    }

    /// The template that this one extends, once known.
    pub(crate) fn parent(&self) -> Option<Arc<Program>> {
        lock(&self.parent).clone()
    }

    pub(crate) fn set_parent(&self, parent: Arc<Program>) {
        *lock(&self.parent) = Some(parent);
    }
}
