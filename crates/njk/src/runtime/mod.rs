//! The state of one rendering. The runtime is the root context of every piece
//! of minijinja source, so it resolves plain names in that source: `v_name` in
//! Nunjucks' frames and context, `l_name` in the enclosing frames. Helpers find
//! the runtime under the name `runtime`.

pub(crate) mod calls;
pub(crate) mod frames;
pub(crate) mod iteration;
pub(crate) mod scope;
pub(crate) mod templates;

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use minijinja::State;
use minijinja::value::{DynObject, Enumerator, Object, ObjectRepr, Value};

use crate::budget::Budget;
use crate::engine::Shared;
use crate::error::{Error, ErrorKind};
use crate::globals;
use crate::program::Program;
use frames::Frames;
use scope::{Activation, Context};

/// The current activation.
#[derive(Debug)]
struct Core {
    frames: Frames,
    activation: Arc<Activation>,
}

#[derive(Debug)]
pub(crate) struct Runtime {
    shared: Arc<Shared>,
    pub(crate) budget: Budget,
    core: Mutex<Core>,
    /// The first error; minijinja's own errors only say that there was one.
    failure: Mutex<Option<Error>>,
    /// The last known position, for errors without one.
    place: AtomicUsize,
    depth: AtomicUsize,
    seed: AtomicUsize,
    programs: Mutex<HashMap<String, Arc<Program>>>,
    /// The values that may contain themselves, to be taken apart at the end.
    contexts: Mutex<Vec<Arc<Context>>>,
    changed: Mutex<Vec<Value>>,
    /// The branches that were taken: their templates and their numbers.
    taken: Mutex<BTreeSet<(String, usize)>>,
}

impl Runtime {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        program: &Arc<Program>,
        context: &Arc<Context>,
    ) -> Arc<Self> {
        let mut frames = Frames::default();
        let mut top = frames::Frame::new(frames::NONE);
        top.top = true;
        let frame = frames.push(top);
        let activation = Activation::new(program, context, frame);
        Arc::new(Self {
            shared: Arc::clone(shared),
            budget: Budget::new(shared.limits),
            core: Mutex::new(Core { frames, activation }),
            failure: Mutex::default(),
            place: AtomicUsize::new(0),
            depth: AtomicUsize::new(0),
            seed: AtomicUsize::new(0x5eed),
            programs: Mutex::default(),
            contexts: Mutex::new(vec![Arc::clone(context)]),
            changed: Mutex::default(),
            taken: Mutex::default(),
        })
    }

    /// The runtime of a piece of minijinja source.
    pub(crate) fn of(state: &State<'_, '_>) -> Result<Arc<Self>, minijinja::Error> {
        let found = state.lookup("runtime");
        found
            .and_then(|value| value.downcast_object::<Self>())
            .ok_or_else(|| minijinja::ErrorKind::InvalidOperation.into())
    }

    fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn activation(&self) -> Arc<Activation> {
        Arc::clone(&self.core().activation)
    }

    /// The next number of a fixed pseudo-random sequence.
    pub(crate) fn random(&self) -> usize {
        let next = |seed: usize| Some(seed.wrapping_mul(1_103_515_245).wrapping_add(12_345));
        let seed = self
            .seed
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        seed.unwrap_or_default() >> 8
    }

    /// Records the current position in the template.
    pub(crate) fn pass(&self, place: usize) {
        self.place.store(place, Ordering::Relaxed);
    }

    /// The last known position.
    pub(crate) fn place(&self) -> usize {
        self.place.load(Ordering::Relaxed)
    }

    /// The source text at the last known position.
    pub(crate) fn here(&self) -> String {
        let text = self
            .activation()
            .program
            .text(self.place())
            .trim()
            .to_owned();
        if text.chars().count() > 60 {
            return text.chars().take(57).chain("...".chars()).collect();
        }
        text
    }

    /// Records the first error with its position.
    pub(crate) fn fail(&self, error: Error) -> minijinja::Error {
        let place = self.place();
        let error = self.activation().program.locate(error, place);
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        minijinja::Error::new(minijinja::ErrorKind::InvalidOperation, "njk")
    }

    /// The error behind one of minijinja's.
    pub(crate) fn failure(&self, error: &minijinja::Error) -> Error {
        let failure = self
            .failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        failure.unwrap_or_else(|| {
            let error = match error.detail() {
                Some(detail) if detail.contains("recursion") => too_deep(),
                _ => Error::internal(error),
            };
            let place = self.place();
            self.activation().program.locate(error, place)
        })
    }

    /// A variable as `contextOrFrameLookup` finds it.
    pub(crate) fn variable(&self, name: &str) -> Value {
        let core = self.core();
        if let Some(value) = core.frames.lookup(core.activation.frame(), name) {
            return value;
        }
        let context = Arc::clone(&core.activation.context);
        drop(core);
        context
            .get(name)
            .or_else(|| globals::find(name))
            .unwrap_or(Value::UNDEFINED)
    }

    /// A variable that is known to be in one of the enclosing frames.
    pub(crate) fn enclosed(&self, name: &str) -> Value {
        let core = self.core();
        let found = core.frames.enclosed(core.activation.frame(), name);
        drop(core);
        found.unwrap_or(Value::UNDEFINED)
    }

    /// `{% set %}`.
    pub(crate) fn set(&self, name: &Arc<str>, value: &Value) {
        let mut core = self.core();
        let current = core.activation.frame();
        let target = core.frames.target(current, name);
        if let Some(frame) = core.frames.get_mut(target) {
            frame.bind(name, value.clone());
        }
        let top = core.frames.get(current).is_some_and(|frame| frame.top);
        let context = Arc::clone(&core.activation.context);
        drop(core);
        if top {
            context.set(name, value.clone());
            context.export(name);
        }
    }

    /// `{% set %}` of a variable of an enclosing frame.
    pub(crate) fn set_enclosed(&self, name: &Arc<str>, value: &Value) {
        self.set(name, value);
        let mut core = self.core();
        let current = core.activation.frame();
        if let Some(target) = core.frames.encloser(current, name)
            && let Some(frame) = core.frames.get_mut(target)
        {
            frame.bind(name, value.clone());
        }
    }

    /// Sets a variable in the current frame.
    pub(crate) fn bind(&self, name: &Arc<str>, value: Value) {
        let mut core = self.core();
        let current = core.activation.frame();
        if let Some(frame) = core.frames.get_mut(current) {
            frame.bind(name, value);
        }
    }

    /// Whether the current frame has no variable of that name.
    pub(crate) fn is_absent(&self, name: &str) -> bool {
        let core = self.core();
        let frame = core.frames.get(core.activation.frame());
        !frame.is_some_and(|frame| frame.has(name))
    }

    /// Opens a frame in which a loop runs.
    pub(crate) fn enter(&self) {
        let mut core = self.core();
        let frame = frames::Frame::new(core.activation.frame());
        let index = core.frames.push(frame);
        core.activation.set_frame(index);
    }

    /// Closes the frame that `enter` opened.
    pub(crate) fn leave(&self) {
        let mut core = self.core();
        let index = core.activation.frame();
        let parent = core
            .frames
            .get(index)
            .map_or(frames::NONE, |frame| frame.parent);
        let dropped = core.frames.drop_from(index);
        core.activation.set_frame(parent);
        drop(core);
        drop(dropped);
    }

    /// Records an array that was changed and so may contain itself.
    pub(crate) fn changed(&self, array: &Value) {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        changed.push(array.clone());
    }

    /// Takes apart the values that may contain themselves. Nothing can be
    /// rendered afterwards.
    pub(crate) fn finish(&self) {
        let changed =
            std::mem::take(&mut *self.changed.lock().unwrap_or_else(PoisonError::into_inner));
        for array in &changed {
            if let Some(array) = array.downcast_object_ref::<crate::value::array::Array>() {
                drop(array.update(std::mem::take));
            }
        }
        let contexts =
            std::mem::take(&mut *self.contexts.lock().unwrap_or_else(PoisonError::into_inner));
        for context in contexts {
            context.clear();
        }
        let frames = self.core().frames.drop_from(0);
        drop(frames);
    }
}

pub(crate) fn too_deep() -> Error {
    Error::new(ErrorKind::TooDeep, "the template calls itself too deeply")
}

impl Object for Runtime {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        if let Some(name) = key.strip_prefix("v_") {
            return Some(self.variable(name));
        }
        if let Some(name) = key.strip_prefix("l_") {
            return Some(self.enclosed(name));
        }
        match key {
            "runtime" => Some(Value::from_dyn_object(DynObject::new(Arc::clone(self)))),
            "s_super" => Some(self.enclosed(calls::SUPER)),
            _ => None,
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}
