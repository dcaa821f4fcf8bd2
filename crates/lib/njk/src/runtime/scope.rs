//! The scope of a running piece of a template: its context and its position in
//! the frames.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexSet;
use minijinja::value::Value;

use super::Runtime;
use super::frames::{self, Frame};
use crate::error::Error;
use crate::globals;
use crate::program::Program;

/// The variable with the result of `super()`; no template can name it.
pub(crate) const SUPER: &str = "super()";

/// One body of a block: its template and its number there.
pub(crate) type Body = (Arc<Program>, usize);

/// The variables and blocks of a template and those it extends.
#[derive(Debug, Default)]
pub(crate) struct Context {
    variables: RefCell<HashMap<Arc<str>, Value>>,
    exports: RefCell<IndexSet<Arc<str>>>,
    blocks: RefCell<HashMap<String, Vec<Body>>>,
}

impl Context {
    pub(crate) fn new(variables: HashMap<Arc<str>, Value>) -> Rc<Self> {
        Rc::new(Self {
            variables: RefCell::new(variables),
            ..Self::default()
        })
    }

    pub(crate) fn get(&self, name: &str) -> Option<Value> {
        self.variables.borrow().get(name).cloned()
    }

    pub(crate) fn set(&self, name: &str, value: Value) {
        let mut variables = self.variables.borrow_mut();
        match variables.get_mut(name) {
            Some(variable) => *variable = value,
            None => {
                variables.insert(Arc::from(name), value);
            }
        }
    }

    pub(crate) fn variables(&self) -> HashMap<Arc<str>, Value> {
        self.variables.borrow().clone()
    }

    pub(crate) fn export(&self, name: &str) {
        if !name.starts_with('_') && !self.exports.borrow().contains(name) {
            self.exports.borrow_mut().insert(Arc::from(name));
        }
    }

    /// The exported names and their values.
    pub(crate) fn exported(&self) -> Vec<(Arc<str>, Value)> {
        let value = |name: &Arc<str>| self.get(name).unwrap_or(Value::UNDEFINED);
        let exports = self.exports.borrow();
        exports
            .iter()
            .map(|name| (Arc::clone(name), value(name)))
            .collect()
    }

    /// Adds the blocks of `program` after the existing ones.
    pub(crate) fn add_blocks(&self, program: &Arc<Program>) {
        let mut blocks = self.blocks.borrow_mut();
        for (number, name) in program.blocks().keys().enumerate() {
            let bodies = blocks.entry(name.clone()).or_default();
            bodies.push((Arc::clone(program), number));
        }
    }

    /// The body of a block that takes precedence.
    pub(crate) fn block(&self, name: &str) -> Option<Body> {
        self.blocks.borrow().get(name)?.first().cloned()
    }

    /// The body that the given one overrides.
    pub(crate) fn overridden(
        &self,
        name: &str,
        program: &Arc<Program>,
        number: usize,
    ) -> Option<Body> {
        let blocks = self.blocks.borrow();
        let bodies = blocks.get(name)?;
        let own = bodies
            .iter()
            .position(|(other, body)| Arc::ptr_eq(other, program) && *body == number)?;
        bodies.get(own + 1).cloned()
    }
}

/// One run of a template's body or of a block, with the macros defined in it.
#[derive(Debug)]
pub(crate) struct Activation {
    pub(crate) program: Arc<Program>,
    pub(crate) context: Rc<Context>,
    /// True if it runs a block.
    pub(crate) in_block: bool,
    frame: Cell<usize>,
    parent: RefCell<Option<Arc<Program>>>,
    /// The number by which its macros refer to it, if there are any.
    pub(super) number: OnceCell<usize>,
}

impl Activation {
    pub(crate) fn new(
        program: &Arc<Program>,
        context: &Rc<Context>,
        in_block: bool,
        frame: usize,
    ) -> Rc<Self> {
        Rc::new(Self {
            program: Arc::clone(program),
            context: Rc::clone(context),
            in_block,
            frame: Cell::new(frame),
            parent: RefCell::default(),
            number: OnceCell::new(),
        })
    }

    pub(crate) fn frame(&self) -> usize {
        self.frame.get()
    }

    pub(crate) fn set_frame(&self, frame: usize) {
        self.frame.set(frame);
    }

    /// The template that this one extends, once known.
    pub(crate) fn parent(&self) -> Option<Arc<Program>> {
        self.parent.borrow().clone()
    }

    pub(crate) fn set_parent(&self, parent: Arc<Program>) {
        *self.parent.borrow_mut() = Some(parent);
    }
}

impl Runtime {
    /// A variable as `contextOrFrameLookup` finds it.
    pub(crate) fn variable(&self, here: &Activation, name: &str) -> Value {
        let found = self.frames.borrow().lookup(here.frame(), name);
        found
            .or_else(|| here.context.get(name))
            .or_else(|| globals::find(name))
            .unwrap_or(Value::UNDEFINED)
    }

    /// A variable that is known to be in one of the enclosing frames.
    pub(crate) fn local(&self, here: &Activation, name: &str) -> Value {
        let found = self.frames.borrow().enclosed(here.frame(), name);
        found.unwrap_or(Value::UNDEFINED)
    }

    /// `{% set %}`. `local` is whether it is a variable of an enclosing frame.
    pub(crate) fn set(&self, here: &Activation, name: &str, value: &Value, local: bool) {
        let mut frames = self.frames.borrow_mut();
        let current = here.frame();
        let target = frames.target(current, name);
        frames.bind(target, name, value.clone());
        if frames.get(current).is_some_and(|frame| frame.top) {
            here.context.set(name, value.clone());
            here.context.export(name);
        }
        if local && let Some(target) = frames.encloser(current, name) {
            frames.bind(target, name, value.clone());
        }
    }

    /// Sets a variable in the current frame.
    pub(crate) fn bind(&self, here: &Activation, name: &str, value: Value) {
        self.frames.borrow_mut().bind(here.frame(), name, value);
    }

    /// Returns true if the current frame has no variable of that name.
    pub(crate) fn is_absent(&self, here: &Activation, name: &str) -> bool {
        let frames = self.frames.borrow();
        !frames
            .get(here.frame())
            .is_some_and(|frame| frame.has(name))
    }

    /// Returns true if definitions go into the context here.
    pub(crate) fn is_outermost(&self, here: &Activation) -> bool {
        let frames = self.frames.borrow();
        frames
            .get(here.frame())
            .is_some_and(|frame| frame.outermost)
    }

    /// Opens a frame in which a loop runs.
    pub(crate) fn open(&self, here: &Activation) {
        let frame = Frame::new(here.frame());
        here.set_frame(self.frames.borrow_mut().push(frame));
    }

    /// Closes the frame that `open` opened.
    pub(crate) fn close(&self, here: &Activation) {
        let mut frames = self.frames.borrow_mut();
        let index = here.frame();
        let parent = frames.get(index).map_or(frames::NONE, |frame| frame.parent);
        frames.drop_from(index);
        here.set_frame(parent);
    }

    /// Runs `work` in an activation, with a new frame on top.
    pub(crate) fn within<T>(
        &self,
        activation: &Activation,
        frame: Frame,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let before = activation.frame();
        let index = self.frames.borrow_mut().push(frame);
        activation.set_frame(index);
        let result = work()?;
        activation.set_frame(before);
        self.frames.borrow_mut().drop_from(index);
        Ok(result)
    }
}
