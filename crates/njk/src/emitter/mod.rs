//! Turns the tree into minijinja source. Operators, members, filters and tests
//! become custom minijinja filters, written after their operand, so that long
//! chains stay flat. Variables become names that the runtime resolves. Macros,
//! callers and blocks become functions: separate sources, which the runtime
//! renders when they are called.

mod expression;
mod operator;
mod scope;
mod source;
mod statement;
mod tags;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ast::{self, Name, Statement};
use crate::coverage::BranchKind;
use crate::error::{Error, Span};
use crate::program::Signature;
use scope::Scope;

/// One function as minijinja source.
pub(crate) struct Function {
    pub(crate) source: String,
    pub(crate) signature: Signature,
}

/// A template as minijinja source; the first function is its body.
pub(crate) struct Emitted {
    pub(crate) functions: Vec<Function>,
    /// The helpers that the source calls.
    pub(crate) helpers: BTreeSet<String>,
    /// The positions in the template that the source refers to by number.
    pub(crate) spans: Vec<Span>,
    /// The blocks and their functions.
    pub(crate) blocks: Vec<(String, usize)>,
    pub(crate) extends: bool,
    /// The conditions of branches, numbered as the source does, if they are recorded.
    pub(crate) branches: Option<Vec<(Span, BranchKind)>>,
}

type Failure = (Error, Span);

struct Emitter {
    out: String,
    weight: usize,
    /// Whether text must be counted when it is printed, because it is in a loop
    /// or function.
    counted: bool,
    /// Whether what is printed is escaped, which counted text must not be.
    autoescape: bool,
    /// The number of `switch` subjects named so far.
    switches: usize,
    in_block: bool,
    scope: Scope,
    emitted: Emitted,
    /// The bodies of blocks, to be emitted after the main body.
    pending: Vec<(usize, Name, Vec<Statement>)>,
}

/// The minijinja source of a template of `size` bytes, for an engine that escapes what it
/// prints or not, and that records the branches that it takes or not.
pub(crate) fn emit(
    statements: &[Statement],
    size: usize,
    (autoescape, coverage): (bool, bool),
) -> Result<Emitted, Failure> {
    let mut emitter = Emitter {
        out: String::with_capacity(size + size / 4 + 64),
        weight: 0,
        counted: false,
        autoescape,
        switches: 0,
        in_block: false,
        scope: Scope::default(),
        emitted: Emitted {
            functions: Vec::new(),
            helpers: BTreeSet::new(),
            spans: Vec::new(),
            blocks: Vec::new(),
            extends: false,
            branches: coverage.then(Vec::new),
        },
        pending: Vec::new(),
    };
    let root = emitter.reserve();
    emitter.body(statements)?;
    emitter.finish(root, Signature::default());
    emitter.in_block = true;
    emitter.counted = true;
    while let Some((function, name, body)) = emitter.pending.pop() {
        emitter.scope = Scope::default();
        emitter.block(function, &name, &body)?;
    }
    Ok(emitter.emitted)
}

impl Emitter {
    fn reserve(&mut self) -> usize {
        self.emitted.functions.push(Function {
            source: String::new(),
            signature: Signature::default(),
        });
        self.emitted.functions.len() - 1
    }

    /// Makes everything written since the last function the source of this one.
    fn finish(&mut self, function: usize, signature: Signature) {
        // minijinja drops one newline at the very end of a source.
        self.out.push_str("{##}");
        let source = std::mem::take(&mut self.out);
        let weight = std::mem::take(&mut self.weight).saturating_add(1);
        self.emitted.functions[function] = Function {
            source,
            signature: Signature {
                weight,
                ..signature
            },
        };
    }

    /// Writes the output of `write` into a separate function.
    fn function(
        &mut self,
        signature: Signature,
        write: impl FnOnce(&mut Self) -> Result<(), Failure>,
    ) -> Result<usize, Failure> {
        let function = self.reserve();
        let out = std::mem::take(&mut self.out);
        let weight = std::mem::take(&mut self.weight);
        let counted = std::mem::replace(&mut self.counted, true);
        write(self)?;
        self.finish(function, signature);
        self.out = out;
        self.weight = weight;
        self.counted = counted;
        Ok(function)
    }

    /// The function of a macro or a caller.
    fn callable(&mut self, function: &ast::Function, caller: bool) -> Result<usize, Failure> {
        let names = |names: &mut dyn Iterator<Item = &Name>| -> Vec<Arc<str>> {
            names.map(|name| Arc::from(name.text.as_str())).collect()
        };
        let signature = Signature {
            parameters: names(&mut function.parameters.iter()),
            defaults: names(&mut function.defaults.iter().map(|(name, _)| name)),
            weight: 0,
        };
        let outer = if caller {
            self.scope.push();
            None
        } else {
            Some(std::mem::replace(&mut self.scope, Scope::inner()))
        };
        for parameter in &function.parameters {
            self.scope.declare(&parameter.text);
        }
        let number = self.function(signature, |this| {
            for (name, value) in &function.defaults {
                this.default(name, value)?;
            }
            this.body(&function.body)
        })?;
        match outer {
            Some(outer) => self.scope = outer,
            None => self.scope.pop(),
        }
        Ok(number)
    }

    fn block(&mut self, function: usize, name: &Name, body: &[Statement]) -> Result<(), Failure> {
        self.super_value(function, name, body);
        self.body(body)?;
        self.finish(function, Signature::default());
        Ok(())
    }

    fn place(&mut self, span: Span) -> usize {
        self.emitted.spans.push(span);
        self.emitted.spans.len() - 1
    }

    fn helper(&mut self, name: &str) {
        if !self.emitted.helpers.contains(name) {
            self.emitted.helpers.insert(name.to_owned());
        }
    }
}
