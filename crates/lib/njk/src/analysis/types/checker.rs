//! The state of a check: the templates, the scope at the current point, and what was found.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::function::{Included, Macro};
use super::json::Json;
use super::lattice::{Absent, Any, Type};
use super::load::Loaded;
use super::problem::Problem;
use super::scope::Scope;
use crate::ast::Expression;
use crate::error::Span;

/// How many problems are reported in one template.
const MAX_PROBLEMS: usize = 200;

pub(super) struct Checker<'a> {
    pub(super) loaded: &'a [Loaded],
    pub(super) variables: &'a BTreeMap<String, Type>,
    pub(super) macros: Vec<Macro<'a>>,
    /// The numbers of the macros, by the address of their functions.
    pub(super) numbers: HashMap<usize, usize>,
    /// The macros at the top level of each template.
    pub(super) exports: Vec<HashMap<&'a str, usize>>,
    pub(super) included: Vec<Included>,
    /// The names of lists that the templates change.
    pub(super) tainted: HashSet<String>,
    /// The names that `set` gives to values anywhere.
    pub(super) assigned: HashSet<String>,
    pub(super) scope: Scope,
    /// The template that is checked now.
    pub(super) here: usize,
    /// Others may have checked the variables of the context.
    pub(super) lenient: bool,
    /// The value of the current expression is printed.
    pub(super) printing: bool,
    pub(super) quiet: usize,
    /// What was printed so far, if that must be JSON.
    pub(super) json: Option<Json>,
    /// The end of the last printed value.
    pub(super) reached: usize,
    /// The parameters of a macro have changed since its body was checked.
    pub(super) changed: bool,
    pub(super) problems: Vec<(usize, Span, Problem)>,
    seen: HashSet<(usize, u32, u32)>,
    unguarded: HashSet<(usize, String)>,
    /// What the owners of properties call those that are read.
    pub(super) used: BTreeSet<Arc<str>>,
    escaped: HashSet<usize>,
    /// What `escaped` has the addresses of, so that nothing else gets them.
    kept: Vec<Type>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(loaded: &'a [Loaded], variables: &'a BTreeMap<String, Type>) -> Self {
        let included = loaded.iter().map(|_| Included::default()).collect();
        let mut this = Self {
            loaded,
            variables,
            macros: Vec::new(),
            numbers: HashMap::new(),
            exports: Vec::new(),
            included,
            tainted: super::taint::tainted(loaded),
            assigned: super::taint::assigned(loaded),
            scope: Scope::default(),
            here: 0,
            lenient: false,
            printing: false,
            quiet: 0,
            json: None,
            reached: 0,
            changed: false,
            problems: Vec::new(),
            seen: HashSet::new(),
            unguarded: HashSet::new(),
            used: BTreeSet::new(),
            escaped: HashSet::new(),
            kept: Vec::new(),
        };
        this.collect_macros();
        this
    }

    /// Reports a problem, once at each position.
    pub(super) fn report(&mut self, span: Span, problem: Problem) {
        if self.quiet > 0 || self.problems.len() >= MAX_PROBLEMS {
            return;
        }
        if self.seen.insert((self.here, span.start, span.len)) {
            self.problems.push((self.here, span, problem));
        }
    }

    /// The text of a span, on one line.
    pub(super) fn text(&self, span: Span) -> String {
        let source = self.loaded.get(self.here).map(|it| it.source.as_str());
        let text = source.and_then(|source| source.get(span.start as usize..span.end()));
        let text = text.unwrap_or_default();
        if text.len() > 200 {
            let cut: String = text.chars().take(60).collect();
            return format!("{}…", cut.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Reports a value that may be undefined where it is used.
    pub(super) fn need(&mut self, expression: &Expression, ty: &Type) {
        if ty.absent != Absent::Declared || self.quiet > 0 {
            return;
        }
        let culprit = self.culprit(expression);
        let place = self.place(culprit);
        if self.lenient && place.is_none_or(|place| self.scope.is_context(&place)) {
            return;
        }
        if self.missing_entry(culprit) {
            return;
        }
        let value = self.text(culprit.span);
        if self.unguarded.insert((self.here, value.clone())) {
            self.report(culprit.span, Problem::Unguarded { value });
        }
    }

    /// Takes a value out of sight: all its properties may be read.
    pub(super) fn escape(&mut self, ty: &Type) {
        if let Some(list) = &ty.list
            && self.escaped.insert(Arc::as_ptr(list).addr())
        {
            self.kept.push(ty.clone());
            self.escape(list);
        }
        if let Some(object) = &ty.object
            && self.escaped.insert(Arc::as_ptr(object).addr())
        {
            self.kept.push(ty.clone());
            for property in object.properties.values() {
                self.used.extend(property.origins.iter().cloned());
                self.escape(&property.ty);
            }
            if let Some(rest) = &object.rest {
                self.escape(rest);
            }
        }
    }

    /// The type of a value that can be of either type.
    pub(super) fn union(&mut self, left: &Type, right: &Type) -> Type {
        let union = left.union(right);
        if union.any != Any::No {
            self.escape(left);
            self.escape(right);
        }
        union
    }

    /// Runs `work` without reports.
    pub(super) fn quietly<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.quiet += 1;
        let result = work(self);
        self.quiet -= 1;
        result
    }
}
