//! The state of one rendering: its remaining budget, its variables, and the templates
//! that it has loaded. The evaluator runs templates with it, and filters, tests, methods and
//! functions are given it. It stays on one thread; values hold nothing of it, because they
//! may not.

pub(crate) mod frames;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use frames::{Frame, Frames};
use indexmap::IndexSet;

use crate::coverage::{BranchKind, Coverage};
use crate::engine::{self, Limits, Program, Shared};
use crate::error::{Error, ErrorKind, Span};
use crate::globals;
use crate::regex::Regexes;
use crate::value::{Array, Dict, Entries, Value, utf16};

/// The maximum nesting of all that runs at once: tags, expressions, and what they call. It
/// bounds the stack, where `Limits::recursion` bounds the levels of macros and templates: the
/// threads of tests have 2 MiB, and each of these may take 1.6 KiB, without optimization.
const MAX_NESTING: usize = 1_000;

/// The cost of a macro, a block or a template there, besides its content.
const LEVEL: usize = 2;

#[derive(Debug)]
pub(crate) struct Runtime {
    pub(crate) shared: Arc<Shared>,
    fuel: Cell<u64>,
    memory: Cell<u64>,
    pub(crate) regexes: Regexes,
    frames: RefCell<Frames>,
    /// The levels of macros, blocks and templates.
    depth: Cell<usize>,
    /// The levels of tags and expressions.
    nesting: Cell<usize>,
    seed: Cell<usize>,
    programs: RefCell<HashMap<String, Arc<Program>>>,
    /// The frames that macros refer to.
    activations: RefCell<Vec<Rc<Activation>>>,
    /// The values that may contain themselves, to be taken apart at the end.
    changed: RefCell<Vec<Value>>,
    /// True if branches are recorded.
    records: bool,
    /// The branches that were taken: their templates and their numbers.
    taken: RefCell<BTreeSet<(String, usize)>>,
}

impl Runtime {
    /// The state of a rendering, which `records` the branches that it takes.
    pub(crate) fn new(shared: &Arc<Shared>, records: bool) -> Self {
        Self {
            shared: Arc::clone(shared),
            records,
            fuel: Cell::new(shared.limits.fuel),
            memory: Cell::new(memory(shared.limits)),
            regexes: Regexes::default(),
            frames: RefCell::default(),
            depth: Cell::new(0),
            nesting: Cell::new(0),
            seed: Cell::new(0x5eed),
            programs: RefCell::default(),
            activations: RefCell::default(),
            changed: RefCell::default(),
            taken: RefCell::default(),
        }
    }

    /// The next number of a fixed pseudo-random sequence.
    pub(crate) fn random(&self) -> usize {
        let seed = self.seed.get();
        let next = seed.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        self.seed.set(next);
        seed >> 8
    }

    /// Runs `work` one level of macros, blocks and templates deeper. What fails ends the
    /// rendering, so that the level need not be right afterwards.
    pub(crate) fn nested<T>(&self, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let depth = self.depth.get();
        let most = self.shared.limits.recursion;
        if depth >= most {
            let hint = format!("macros, blocks and templates may nest {most} levels");
            return Err(too_deep().with_hint(hint));
        }
        self.depth.set(depth + 1);
        let level = self.deepen(LEVEL)?;
        let result = work()?;
        self.leave(level);
        self.depth.set(depth);
        Ok(result)
    }

    /// Charges a step, and goes one level of tags and expressions deeper. The result is the
    /// level to return to with [`Runtime::leave`].
    pub(crate) fn enter(&self) -> Result<usize, Error> {
        self.spend(1)?;
        self.deepen(1)
    }

    fn deepen(&self, levels: usize) -> Result<usize, Error> {
        let nesting = self.nesting.get();
        if nesting + levels > MAX_NESTING {
            return Err(too_deep());
        }
        self.nesting.set(nesting + levels);
        Ok(nesting)
    }

    /// Returns to the level that [`Runtime::enter`] left.
    pub(crate) fn leave(&self, level: usize) {
        self.nesting.set(level);
    }

    /// The number by which macros refer to their activation.
    pub(crate) fn number(&self, activation: &Rc<Activation>) -> usize {
        *activation.number.get_or_init(|| {
            let mut activations = self.activations.borrow_mut();
            activations.push(Rc::clone(activation));
            activations.len() - 1
        })
    }

    /// The activation of that number.
    pub(crate) fn activation(&self, number: usize) -> Option<Rc<Activation>> {
        self.activations.borrow().get(number).cloned()
    }

    /// The template of that name, as `from` refers to it, compiled.
    pub(crate) fn load(&self, from: &Program, name: &Value) -> Result<Option<Arc<Program>>, Error> {
        let Some(name) = name.as_text() else {
            let message = format!(
                "the name of a template must be a string, not {}",
                name.type_name()
            );
            return Err(Error::bad_value(message));
        };
        let Some(full) = engine::resolve(&from.name, name) else {
            return Ok(None);
        };
        let mut programs = self.programs.borrow_mut();
        if let Some(program) = programs.get(&full) {
            return Ok(Some(Arc::clone(program)));
        }
        let source = self.shared.loader.load(&full).map_err(|error| {
            let message = format!("template `{full}` cannot be loaded: {error}");
            Error::new(ErrorKind::TemplateNotFound, message)
        })?;
        let Some(source) = source else {
            return Ok(None);
        };
        self.spend(source.len() / 16)?;
        let program = Program::compile(&full, &source)?;
        programs.insert(full, Arc::clone(&program));
        Ok(Some(program))
    }

    /// Notes that a branch of a template is taken, if branches are recorded.
    pub(crate) fn take(&self, program: &Program, span: Span, kind: BranchKind) {
        if self.records
            && let Some(number) = program.resolved.branches.get_index_of(&(span, kind))
        {
            let mut taken = self.taken.borrow_mut();
            taken.insert((program.name.clone(), number));
        }
    }

    /// Adds the templates that were loaded, and the branches that were taken.
    pub(crate) fn record(&self, coverage: &mut Coverage) {
        for program in self.programs.borrow().values() {
            coverage.add(program);
        }
        for key in self.taken.borrow().iter() {
            coverage.take(key);
        }
    }

    /// Records an array that was changed and so may contain itself.
    pub(crate) fn changed(&self, array: &Value) {
        self.changed.borrow_mut().push(array.clone());
    }

    /// Takes apart the values that may contain themselves. Nothing can be rendered
    /// afterwards.
    pub(crate) fn finish(&self) {
        for array in self.changed.take() {
            if let Value::Array(array) = array {
                drop(array.update(std::mem::take));
            }
        }
    }
}

pub(crate) fn too_deep() -> Error {
    Error::new(ErrorKind::TooDeep, "the template calls itself too deeply")
}

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

    /// Every character of a text as a value.
    pub(crate) fn characters(&self, text: &str) -> Result<Vec<Value>, Error> {
        self.grow(text.len().saturating_mul(size_of::<Value>()))?;
        Ok(utf16::characters(text).map(Value::from).collect())
    }

    pub(crate) fn array(&self, items: Vec<Value>) -> Result<Value, Error> {
        self.grow(
            items
                .len()
                .saturating_mul(size_of::<Value>())
                .saturating_add(64),
        )?;
        self.spend(items.len())?;
        let array = Value::Array(Rc::new(Array::new(items)));
        Self::check_depth(&array)?;
        Ok(array)
    }

    pub(crate) fn dict(&self, entries: Entries) -> Result<Value, Error> {
        let size = entries.keys().map(|key| key.len() + 96).sum::<usize>();
        self.grow(size.saturating_add(64))?;
        self.spend(entries.len())?;
        let dict = Value::Dict(Rc::new(Dict::new(entries, false)));
        Self::check_depth(&dict)?;
        Ok(dict)
    }

    /// Fails if a value is nested too deeply.
    pub(crate) fn check_depth(value: &Value) -> Result<(), Error> {
        if value.depth() > MAX_DEPTH {
            return Err(Error::new(
                ErrorKind::TooDeep,
                "the value is nested too deeply",
            ));
        }
        Ok(())
    }
}

/// The number of bytes that the values of a rendering may take.
fn memory(limits: Limits) -> u64 {
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

/// The variable with the result of `super()`; no template can name it.
pub(crate) const SUPER: &str = "super()";

/// One body of a block: its template and its number there.
pub(crate) type Body = (Arc<Program>, usize);

/// The variables and blocks of a template and those it extends.
#[derive(Debug, Default)]
pub(crate) struct Context {
    variables: RefCell<HashMap<Rc<str>, Value>>,
    exports: RefCell<IndexSet<Rc<str>>>,
    blocks: RefCell<HashMap<String, Vec<Body>>>,
}

impl Context {
    pub(crate) fn new(variables: HashMap<Rc<str>, Value>) -> Rc<Self> {
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
                variables.insert(Rc::from(name), value);
            }
        }
    }

    pub(crate) fn variables(&self) -> HashMap<Rc<str>, Value> {
        self.variables.borrow().clone()
    }

    pub(crate) fn export(&self, name: &str) {
        if !name.starts_with('_') && !self.exports.borrow().contains(name) {
            self.exports.borrow_mut().insert(Rc::from(name));
        }
    }

    /// The exported names and their values.
    pub(crate) fn exported(&self) -> Vec<(Rc<str>, Value)> {
        let value = |name: &Rc<str>| self.get(name).unwrap_or(Value::Undefined);
        let exports = self.exports.borrow();
        exports
            .iter()
            .map(|name| (Rc::clone(name), value(name)))
            .collect()
    }

    /// Adds the blocks of `program` after the existing ones.
    pub(crate) fn add_blocks(&self, program: &Arc<Program>) {
        let mut blocks = self.blocks.borrow_mut();
        for (number, name) in program.resolved.blocks.keys().enumerate() {
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
    number: OnceCell<usize>,
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
            .unwrap_or(Value::Undefined)
    }

    /// A variable that is known to be in one of the enclosing frames.
    pub(crate) fn local(&self, here: &Activation, name: &str) -> Value {
        let found = self.frames.borrow().enclosed(here.frame(), name);
        found.unwrap_or(Value::Undefined)
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
        !self.current(here, |frame| frame.has(name))
    }

    /// Returns true if definitions go into the context here.
    pub(crate) fn is_outermost(&self, here: &Activation) -> bool {
        self.current(here, |frame| frame.outermost)
    }

    /// Returns true if there is a current frame, of which `holds` is true.
    fn current(&self, here: &Activation, holds: impl Fn(&Frame) -> bool) -> bool {
        let frames = self.frames.borrow();
        frames.get(here.frame()).is_some_and(holds)
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
