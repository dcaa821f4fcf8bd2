//! The state of one rendering: its remaining budget, its variables, and the templates
//! that it has loaded. The evaluator runs templates with it, and filters, tests, methods and
//! functions are given it. It stays on one thread; values hold nothing of it, because they
//! may not.

mod budget;
pub(crate) mod frames;
pub(crate) mod scope;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use minijinja::value::Value;

use frames::Frames;
use scope::Activation;

use crate::coverage::{BranchKind, Coverage};
use crate::engine::Shared;
use crate::error::{Error, ErrorKind, Span};
use crate::loader;
use crate::program::Program;
use crate::regex::Regexes;
use crate::value::array::Array;
use crate::value::{as_text, type_name};

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
    /// The branches that were taken: their templates and their numbers.
    taken: RefCell<BTreeSet<(String, usize)>>,
}

impl Runtime {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: Arc::clone(shared),
            fuel: Cell::new(shared.limits.fuel),
            memory: Cell::new(budget::memory(shared.limits)),
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
        let Some(name) = as_text(name) else {
            let message = format!(
                "the name of a template must be a string, not {}",
                type_name(name)
            );
            return Err(Error::bad_value(message));
        };
        let Some(full) = loader::resolve(from.name(), name) else {
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
        let program = Program::compile(&full, &source, self.shared.coverage)?;
        programs.insert(full, Arc::clone(&program));
        Ok(Some(program))
    }

    /// Notes that a branch of a template is taken, if branches are recorded.
    pub(crate) fn take(&self, program: &Program, span: Span, kind: BranchKind) {
        if let Some(number) = program.branches().get_index_of(&(span, kind)) {
            let mut taken = self.taken.borrow_mut();
            taken.insert((program.name().to_owned(), number));
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
            if let Some(array) = array.downcast_object_ref::<Array>() {
                drop(array.update(std::mem::take));
            }
        }
    }
}

pub(crate) fn too_deep() -> Error {
    Error::new(ErrorKind::TooDeep, "the template calls itself too deeply")
}
