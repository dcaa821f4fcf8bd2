//! Nunjucks' variables. Frames form a stack; each has the frame that is
//! searched after it and, because Nunjucks compiles loop variables and
//! parameters to JavaScript variables, the one that encloses it in the source.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::value::{Special, Value};

/// No frame.
pub(crate) const NONE: usize = usize::MAX;

#[derive(Debug)]
pub(crate) struct Frame {
    variables: HashMap<String, Value>,
    /// The frame that is searched next.
    pub(crate) parent: usize,
    /// The frame that encloses this one in the source.
    pub(crate) outer: usize,
    /// `set` does not reach beyond this frame.
    pub(crate) isolated: bool,
    /// `set` also changes the template's context.
    pub(crate) top: bool,
    /// Macros and imports are defined in the template's context.
    pub(crate) outermost: bool,
}

impl Frame {
    pub(crate) fn new(parent: usize) -> Self {
        Self {
            variables: HashMap::new(),
            parent,
            outer: parent,
            isolated: false,
            top: false,
            outermost: false,
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.variables.get(name)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    fn defines(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !value.is_undefined())
    }

    pub(crate) fn bind(&mut self, name: &str, value: Value) {
        match self.variables.get_mut(name) {
            Some(slot) => *slot = value,
            None => {
                self.variables.insert(name.to_owned(), value);
            }
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Frames(Vec<Frame>);

impl Frames {
    pub(crate) fn push(&mut self, frame: Frame) -> usize {
        self.0.push(frame);
        self.0.len() - 1
    }

    /// Drops the frame `index` and all above it.
    pub(crate) fn drop_from(&mut self, index: usize) {
        self.0.truncate(index);
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Frame> {
        self.0.get(index)
    }

    /// Sets a variable of the frame `index`.
    pub(crate) fn bind(&mut self, index: usize, name: &str, value: Value) {
        if let Some(frame) = self.0.get_mut(index) {
            frame.bind(name, value);
        }
    }

    /// The first defined variable of that name from the frame `index` on.
    pub(crate) fn lookup(&self, mut index: usize, name: &str) -> Option<Value> {
        while let Some(frame) = self.0.get(index) {
            if let Some(value) = frame.get(name)
                && !value.is_undefined()
            {
                return Some(value.clone());
            }
            index = frame.parent;
        }
        None
    }

    /// The variable of that name, defined or not, in the frames that enclose
    /// the frame `index`.
    pub(crate) fn enclosed(&self, index: usize, name: &str) -> Option<Value> {
        let frame = self.0.get(self.encloser(index, name)?)?;
        frame.get(name).cloned()
    }

    /// The nearest enclosing frame with the variable, defined or not.
    pub(crate) fn encloser(&self, mut index: usize, name: &str) -> Option<usize> {
        while let Some(frame) = self.0.get(index) {
            if frame.has(name) {
                return Some(index);
            }
            index = frame.outer;
        }
        None
    }

    /// The frame that `set` changes: the one that defines the name, unless the
    /// frame `index` is isolated; otherwise the frame `index` itself.
    pub(crate) fn target(&self, index: usize, name: &str) -> usize {
        let mut at = index;
        while let Some(frame) = self.0.get(at) {
            if frame.defines(name) {
                return at;
            }
            if at == index && frame.isolated {
                break;
            }
            at = frame.parent;
        }
        index
    }
}

/// `loop`: one object per loop, whose members change with each step.
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) index: Cell<usize>,
    pub(crate) len: usize,
}

impl Special for Loop {
    fn member(self: Rc<Self>, name: &str) -> Option<Value> {
        let index = self.index.get();
        let left = self.len.saturating_sub(index);
        Some(match name {
            "index" => Value::from(index + 1),
            "index0" => Value::from(index),
            "revindex" => Value::from(left),
            "revindex0" => Value::from(left.saturating_sub(1)),
            "first" => Value::from(index == 0),
            "last" => Value::from(index + 1 == self.len),
            "length" => Value::from(self.len),
            _ => return None,
        })
    }

    fn names(&self) -> &'static [&'static str] {
        &LOOP
    }
}

/// The members of `loop`.
pub(crate) const LOOP: [&str; 7] = [
    "index",
    "index0",
    "revindex",
    "revindex0",
    "first",
    "last",
    "length",
];
