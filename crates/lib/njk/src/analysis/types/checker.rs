//! The state of a check: the templates, the scope at the current point, and what was found.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::condition::Judged;
use super::function::{Included, Macro};
use super::lattice::{Absent, Any, Type};
use super::problem::Problem;
use crate::ast::{Expression, Import, Kind, Statement};
use crate::engine::resolve;
use crate::error::{Error, Span};
use crate::{parser, walk};

/// The number of problems that are reported in one template.
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
    /// The parameters of a macro have changed since its body was checked.
    pub(super) changed: bool,
    pub(super) problems: Vec<(usize, Span, Problem)>,
    seen: HashSet<(usize, u32, u32)>,
    unguarded: HashSet<(usize, String)>,
    /// The origins of the properties that are read.
    pub(super) used: BTreeSet<Arc<str>>,
    escaped: HashSet<usize>,
    /// The types whose addresses are in `escaped`, so that nothing else gets them.
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
            tainted: super::unused::tainted(loaded),
            assigned: super::unused::assigned(loaded),
            scope: Scope::default(),
            here: 0,
            lenient: false,
            printing: false,
            quiet: 0,
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

    /// Takes a value out of sight, and its type for unknown.
    pub(super) fn lose(&mut self, ty: &Type) -> Type {
        self.escape(ty);
        Type::unknown()
    }

    /// The type of the variable `name`, which is unknown for a list that the templates change.
    pub(super) fn unless_tainted(&mut self, name: &str, ty: Type) -> Type {
        if self.tainted.contains(name) {
            self.lose(&ty)
        } else {
            ty
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

/// A variable, or a member of one, that nothing can change while it is in scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    /// The binding that it begins with.
    pub(super) root: usize,
    /// The members, each after a separator that no name contains.
    pub(super) path: String,
}

impl Place {
    /// The place of a member.
    pub(super) fn member(&self, name: &str) -> Self {
        Self {
            root: self.root,
            path: format!("{}\u{1}{name}", self.path),
        }
    }
}

/// The types that conditions show places to have.
pub(super) type Facts = Vec<(Place, Type)>;

/// The referent of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Value,
    /// The macro of that number.
    Macro(usize),
    /// The template of that number.
    Module(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) id: usize,
    pub(super) ty: Type,
    pub(super) role: Role,
    /// Conditions show nothing about it: it may change.
    pub(super) volatile: bool,
    /// The value as a condition: the facts that follow from it.
    pub(super) implied: Option<Rc<Judged>>,
}

/// Bindings and facts, with what to restore at the end of a scope.
#[derive(Debug, Default)]
pub(super) struct Scope {
    bindings: HashMap<String, Binding>,
    facts: HashMap<Place, Type>,
    bound: Vec<(String, Option<Binding>)>,
    learnt: Vec<(Place, Option<Type>)>,
    next: usize,
    /// Bindings up to here are variables of the context.
    context: usize,
}

impl Scope {
    /// Ends the variables of the context.
    pub(super) fn end_context(&mut self) {
        self.context = self.next;
    }

    /// Returns true if a place begins with a variable of the context.
    pub(super) fn is_context(&self, place: &Place) -> bool {
        place.root <= self.context
    }

    pub(super) fn get(&self, name: &str) -> Option<&Binding> {
        self.bindings.get(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = (&String, &Binding)> {
        self.bindings.iter()
    }

    pub(super) fn fact(&self, place: &Place) -> Option<&Type> {
        self.facts.get(place)
    }

    pub(super) fn bind(&mut self, name: &str, ty: Type, volatile: bool) {
        self.bind_as(name, ty, Role::Value, volatile, None);
    }

    /// Binds what is not known, or is no value.
    pub(super) fn bind_role(&mut self, name: &str, role: Role) {
        self.bind_as(name, Type::unknown(), role, true, None);
    }

    /// Binds a value, which is volatile in any case if nothing is known of it.
    pub(super) fn bind_as(
        &mut self,
        name: &str,
        ty: Type,
        role: Role,
        volatile: bool,
        implied: Option<Rc<Judged>>,
    ) {
        self.next += 1;
        let binding = Binding {
            id: self.next,
            volatile: volatile || ty.any == Any::Anything,
            ty,
            role,
            implied,
        };
        self.restore(name.to_owned(), Some(binding));
    }

    /// Sets or removes a binding, and remembers the one before.
    pub(super) fn restore(&mut self, name: String, binding: Option<Binding>) {
        let before = match binding {
            Some(binding) => self.bindings.insert(name.clone(), binding),
            None => self.bindings.remove(&name),
        };
        self.bound.push((name, before));
    }

    pub(super) fn learn(&mut self, facts: &Facts) {
        for (place, ty) in facts {
            // Where all is excluded, nothing is certain.
            let ty = if ty.is_never() {
                Type::unknown()
            } else {
                ty.clone()
            };
            let before = self.facts.insert(place.clone(), ty);
            self.learnt.push((place.clone(), before));
        }
    }

    /// Takes all facts away, until they are put back.
    pub(super) fn take_facts(&mut self) -> HashMap<Place, Type> {
        std::mem::take(&mut self.facts)
    }

    pub(super) fn put_facts(&mut self, facts: HashMap<Place, Type>) {
        self.facts = facts;
    }

    /// Marks the facts known now.
    pub(super) fn facts_mark(&self) -> usize {
        self.learnt.len()
    }

    pub(super) fn forget_to(&mut self, mark: usize) {
        while self.learnt.len() > mark {
            if let Some((place, before)) = self.learnt.pop() {
                match before {
                    Some(fact) => self.facts.insert(place, fact),
                    None => self.facts.remove(&place),
                };
            }
        }
    }

    /// Marks the bindings of now.
    pub(super) fn mark(&self) -> usize {
        self.bound.len()
    }

    /// Undoes what was bound after a mark, and returns the names and what they were bound to.
    pub(super) fn undo_to(&mut self, mark: usize) -> HashMap<String, Option<Binding>> {
        let mut undone = HashMap::new();
        while self.bound.len() > mark {
            if let Some((name, before)) = self.bound.pop() {
                let last = match before {
                    Some(binding) => self.bindings.insert(name.clone(), binding),
                    None => self.bindings.remove(&name),
                };
                undone.entry(name).or_insert(last);
            }
        }
        undone
    }
}

/// The numbers of templates and of bytes that are read.
const MAX_TEMPLATES: usize = 100;
const MAX_BYTES: usize = 1 << 20;

/// A template that was parsed.
pub(super) struct Loaded {
    pub(super) name: String,
    pub(super) source: String,
    pub(super) statements: Vec<Statement>,
    /// The templates that it names, by the name that it uses.
    pub(super) named: HashMap<String, usize>,
    /// It extends another.
    pub(super) extends: bool,
    /// Everything that it names was found.
    pub(super) complete: bool,
}

/// The template `source` and those that it reaches. Those that do not exist or do not parse are
/// left out.
pub(super) fn load(
    name: &str,
    source: &str,
    find: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Loaded>, Error> {
    let mut loaded = vec![parse(name, source)?];
    let mut bytes = source.len();
    let mut at = 0;
    while at < loaded.len() {
        let mut named = HashMap::new();
        let mut complete = true;
        let templates = walk::each(&loaded[at].statements).filter_map(template);
        let templates: Vec<Expression> = templates.cloned().collect();
        for wanted in templates {
            let Kind::Str(wanted) = wanted.kind else {
                complete = false;
                continue;
            };
            let full = resolve(&loaded[at].name, &wanted);
            let known = full
                .as_ref()
                .and_then(|full| loaded.iter().position(|it| it.name == *full));
            let found = known.or_else(|| {
                let full = full.filter(|_| loaded.len() < MAX_TEMPLATES)?;
                let source = find(&full).filter(|it| it.len() + bytes <= MAX_BYTES)?;
                bytes += source.len();
                loaded.push(parse(&full, &source).ok()?);
                Some(loaded.len() - 1)
            });
            complete &= found.is_some();
            named.extend(found.map(|found| (wanted, found)));
        }
        loaded[at].named = named;
        loaded[at].complete = complete;
        at += 1;
    }
    Ok(loaded)
}

fn parse(name: &str, source: &str) -> Result<Loaded, Error> {
    let statements = parser::parse(name, source)?;
    let extends = |one: &Statement| matches!(one, Statement::Extends(_));
    Ok(Loaded {
        name: name.to_owned(),
        source: source.to_owned(),
        extends: statements.iter().any(extends),
        statements,
        named: HashMap::new(),
        complete: false,
    })
}

impl Loaded {
    /// The template that a statement loads, if it names one.
    pub(super) fn target(&self, statement: &Statement) -> Option<usize> {
        match &template(statement)?.kind {
            Kind::Str(name) => self.named.get(name).copied(),
            _ => None,
        }
    }
}

/// The expression with the name of the template that a statement loads.
pub(super) fn template(statement: &Statement) -> Option<&Expression> {
    match statement {
        Statement::Extends(template)
        | Statement::Include { template, .. }
        | Statement::Import(Import { template, .. }) => Some(template),
        _ => None,
    }
}
