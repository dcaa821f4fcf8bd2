//! How variables are found and set, from where a template runs.

use minijinja::value::Value;

use super::Runtime;
use super::frames::{self, Frame};
use super::scope::Activation;
use crate::error::Error;
use crate::globals;

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

    /// Whether the current frame has no variable of that name.
    pub(crate) fn is_absent(&self, here: &Activation, name: &str) -> bool {
        let frames = self.frames.borrow();
        !frames
            .get(here.frame())
            .is_some_and(|frame| frame.has(name))
    }

    /// Whether definitions go into the context here.
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
