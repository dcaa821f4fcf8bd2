//! Macros and templates that others load: what they are called with, from everywhere.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::checker::{Checker, Loaded, Role, Scope};
use super::lattice::{Absent, Any, Object, Type};
use super::problem::Problem;
use crate::analysis::unguarded_reads;
use crate::ast::{Arguments, Expression, Function, Kind, Name, Statement, Value};
use crate::error::nearest;
use crate::walk;

/// The number of rounds after which unsettled types are unknown.
const MAX_ROUNDS: usize = 3;

/// A macro, and the types of its parameters in all calls.
pub(super) struct Macro<'a> {
    pub(super) template: usize,
    pub(super) name: &'a Name,
    pub(super) function: &'a Function,
    pub(super) parameters: Vec<Type>,
    pub(super) called: bool,
    /// The parameters that its body uses without a check.
    pub(super) needs: HashSet<String>,
}

/// A template that others include, and the types of the variables there.
#[derive(Default)]
pub(super) struct Included {
    pub(super) variables: HashMap<String, Type>,
    pub(super) sites: usize,
}

/// Variables are followed into templates that are included no more often.
pub(super) const MAX_SITES: usize = 32;

impl<'a> Checker<'a> {
    /// Numbers the macros of all templates.
    pub(super) fn collect_macros(&mut self) {
        let loaded: &'a [Loaded] = self.loaded;
        for (template, loaded) in loaded.iter().enumerate() {
            for statement in walk::each(&loaded.statements) {
                if let Statement::Macro { name, function } = statement {
                    let number = self.macros.len();
                    self.numbers.insert(address(function), number);
                    let count = function.parameters.len() + function.defaults.len();
                    self.macros.push(Macro {
                        template,
                        name,
                        function,
                        parameters: vec![Type::default(); count],
                        called: false,
                        needs: unguarded_reads(&function.body),
                    });
                }
            }
            let mut exports = HashMap::new();
            for statement in &loaded.statements {
                if let Statement::Macro { name, function } = statement
                    && let Some(number) = self.numbers.get(&address(function))
                {
                    exports.insert(name.text.as_str(), *number);
                }
            }
            self.exports.push(exports);
        }
    }

    /// Goes through all templates until the types of parameters are settled, and then once more,
    /// with reports.
    pub(super) fn run(&mut self) {
        self.quiet += 1;
        if !self.macros.is_empty() || self.loaded.len() > 1 {
            for round in 0..=MAX_ROUNDS {
                self.changed = false;
                self.round();
                if !self.changed {
                    break;
                }
                if round == MAX_ROUNDS {
                    self.give_up();
                }
            }
        }
        self.quiet -= 1;
        self.round();
    }

    fn give_up(&mut self) {
        let mut macros = std::mem::take(&mut self.macros);
        for ty in macros.iter_mut().flat_map(|one| &mut one.parameters) {
            *ty = self.lose(ty);
        }
        self.macros = macros;
        let mut included = std::mem::take(&mut self.included);
        for ty in included.iter_mut().flat_map(|it| it.variables.values_mut()) {
            *ty = self.lose(ty);
        }
        self.included = included;
    }

    fn round(&mut self) {
        let loaded = self.loaded;
        for (number, template) in loaded.iter().enumerate() {
            self.scope = self.fresh_scope(number, number > 0);
            self.here = number;
            self.lenient = number > 0;
            self.body(&template.statements);
        }
        let mut at = None;
        for number in 0..self.macros.len() {
            let template = self.macros[number].template;
            if at != Some(template) {
                self.here = template;
                self.lenient = true;
                self.scope = self.fresh_scope(template, true);
                for (name, role) in self.definitions(template) {
                    self.scope.bind_role(&name, role);
                }
                at = Some(template);
            }
            let mark = self.scope.mark();
            self.macro_body(number);
            self.scope.undo_to(mark);
        }
    }

    /// A scope with the variables of the context, and for what is called with its own variables
    /// with the macros of the template.
    pub(super) fn fresh_scope(&mut self, template: usize, lenient: bool) -> Scope {
        let mut scope = Scope::default();
        for (name, ty) in self.variables {
            let is_set = lenient && self.assigned.contains(name);
            let mut ty = ty.clone();
            if is_set || self.tainted.contains(name) {
                ty = self.lose(&ty);
            } else if lenient {
                ty = ty.lenient();
            }
            scope.bind(name, ty, false);
        }
        if lenient {
            for (name, ty) in &self.included[template].variables {
                scope.bind(name, ty.clone(), false);
            }
        }
        scope.end_context();
        scope
    }

    fn macro_body(&mut self, number: usize) {
        let Macro {
            template, function, ..
        } = self.macros[number];
        let called = self.macros[number].called;
        self.here = template;
        self.lenient = true;
        self.scope = self.fresh_scope(template, true);
        for (index, name) in parameters(function).enumerate() {
            let mut ty = self.macros[number].parameters[index].clone();
            if let Some((_, value)) = index
                .checked_sub(function.parameters.len())
                .and_then(|at| function.defaults.get(at))
            {
                let default = self.expression(value).widened();
                ty = if called { ty.union(&default) } else { default };
            }
            if !called || ty.is_never() || self.tainted.contains(&name.text) {
                ty = self.lose(&ty);
            }
            let volatile = self.assigned.contains(&name.text);
            self.scope.bind(&name.text, ty, volatile);
        }
        let foreign = template > 0 && !called;
        self.quiet += usize::from(foreign);
        self.body(&function.body);
        self.quiet -= usize::from(foreign);
    }

    /// The macros and modules at the top level of a template.
    fn definitions(&self, template: usize) -> Vec<(String, Role)> {
        let mut found = Vec::new();
        let loaded = &self.loaded[template];
        for statement in &loaded.statements {
            match statement {
                Statement::Macro { name, function } => {
                    let number = self.numbers.get(&address(function));
                    found.extend(number.map(|it| (name.text.clone(), Role::Macro(*it))));
                }
                Statement::Import(one) => {
                    if let Some(module) = loaded.target(statement) {
                        for (name, alias) in &one.names {
                            let role = self.imported(module, name.as_ref());
                            found.extend(role.map(|it| (alias.text.clone(), it)));
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The referent of what is imported from a template, which is the whole of it without a name.
    fn imported(&self, template: usize, name: Option<&Name>) -> Option<Role> {
        match name {
            None => Some(Role::Module(template)),
            Some(name) => self.exported(template, &name.text).map(Role::Macro),
        }
    }

    /// The macro that a template defines at its top level.
    pub(super) fn exported(&self, template: usize, wanted: &str) -> Option<usize> {
        self.exports[template].get(wanted).copied()
    }
}

/// The parameters of a macro, those with a default last.
pub(super) fn parameters(function: &Function) -> impl Iterator<Item = &Name> {
    let defaults = function.defaults.iter().map(|(name, _)| name);
    function.parameters.iter().chain(defaults)
}

pub(super) fn address(function: &Function) -> usize {
    std::ptr::from_ref(function).addr()
}

impl Checker<'_> {
    /// Reports an import of what the template does not define.
    pub(super) fn missing_export(&mut self, template: usize, name: &Name) {
        let loaded = &self.loaded[template];
        let mut defined: HashSet<&str> = HashSet::new();
        for statement in walk::each(&loaded.statements) {
            match statement {
                Statement::Macro { name, .. } => {
                    defined.insert(&name.text);
                }
                Statement::Set { targets, .. } => {
                    defined.extend(targets.iter().map(|target| target.text.as_str()));
                }
                Statement::Import(one) => {
                    defined.extend(one.names.iter().map(|(_, alias)| alias.text.as_str()));
                }
                _ => {}
            }
        }
        if defined.contains(name.text.as_str()) || loaded.extends {
            return;
        }
        let mut sorted: Vec<&str> = defined.into_iter().collect();
        sorted.sort_unstable();
        let problem = Problem::MissingExport {
            template: loaded.name.clone(),
            meant: nearest(&name.text, sorted).map(str::to_owned),
            name: name.text.clone(),
        };
        self.report(name.span, problem);
    }

    /// Checks a call of a macro, and notes the types of its arguments.
    pub(super) fn call_macro(
        &mut self,
        number: usize,
        one: &Expression,
        arguments: &Arguments,
        block: bool,
    ) {
        let Macro { function, name, .. } = self.macros[number];
        let max = function.parameters.len() + function.defaults.len();
        let mut given: Vec<Option<Type>> = vec![None; max];
        for (index, argument) in arguments.positional.iter().enumerate() {
            let ty = self.argument(argument);
            if let Some(slot) = given.get_mut(index) {
                *slot = Some(ty);
            } else {
                let name = name.text.clone();
                self.report(argument.span, Problem::ExtraArgument { name, max });
            }
        }
        for (keyword, value) in &arguments.keyword {
            let ty = self.argument(value);
            let mut names = parameters(function);
            match names.position(|parameter| parameter.text == keyword.text) {
                Some(index) => given[index] = Some(ty),
                None if keyword.text == "caller" => {}
                None => {
                    let known = parameters(function).map(|it| it.text.as_str());
                    let problem = Problem::UnknownArgument {
                        name: name.text.clone(),
                        argument: keyword.text.clone(),
                        meant: nearest(&keyword.text, known).map(str::to_owned),
                    };
                    self.report(keyword.span, problem);
                }
            }
        }
        let missing = function
            .parameters
            .iter()
            .zip(&given)
            .find(|(parameter, ty)| {
                ty.is_none() && self.macros[number].needs.contains(&parameter.text)
            });
        if let Some((parameter, _)) = missing
            && !block
        {
            let problem = Problem::MissingArgument {
                name: name.text.clone(),
                parameter: parameter.text.clone(),
            };
            self.report(one.span, problem);
        }
        self.note_arguments(number, given);
    }

    /// The type of an argument, with what is known of its members.
    fn argument(&mut self, argument: &Expression) -> Type {
        let ty = self.expression(argument);
        if let (Kind::Dict(_), Some(object)) = (&argument.kind, &ty.object) {
            // An object of options need not have all of them.
            let object = Object {
                open: true,
                ..object.as_ref().clone()
            };
            return Type {
                object: Some(Arc::new(object)),
                ..ty
            };
        }
        let (Some(place), Some(object)) = (self.place(argument), &ty.object) else {
            return ty;
        };
        let mut object = object.as_ref().clone();
        let mut changed = false;
        for (name, property) in &mut object.properties {
            if let Some(fact) = self.scope.fact(&place.member(name)) {
                if fact.absent != Absent::Declared {
                    property.ty.absent = fact.absent;
                }
                changed = true;
            }
        }
        if !changed {
            return ty;
        }
        Type {
            object: Some(Arc::new(object)),
            ..ty
        }
    }

    fn note_arguments(&mut self, number: usize, given: Vec<Option<Type>>) {
        let before = std::mem::take(&mut self.macros[number].parameters);
        let mut after = Vec::with_capacity(before.len());
        for (known, ty) in before.iter().zip(given) {
            let ty = match ty {
                Some(ty) => ty.widened(),
                None => Type::absent(),
            };
            after.push(if known.is_never() {
                ty
            } else {
                self.union(known, &ty)
            });
        }
        self.changed |= before != after || !self.macros[number].called;
        self.macros[number].parameters = after;
        self.macros[number].called = true;
    }

    /// Notes the variables at a point where a template is included.
    pub(super) fn note_include(&mut self, template: usize) {
        let mut included = std::mem::take(&mut self.included[template]);
        included.sites += 1;
        if included.sites > MAX_SITES + 1 {
            self.included[template] = included;
            return;
        }
        let names: Vec<(String, Type)> = self
            .scope
            .names()
            .map(|(name, binding)| (name.clone(), binding.ty.clone()))
            .collect();
        let many = included.sites > MAX_SITES;
        for (name, ty) in names {
            let ty = ty.lenient();
            let before = included.variables.get(&name).cloned();
            let unsure = many || self.assigned.contains(&name) || self.tainted.contains(&name);
            let after = if unsure {
                self.lose(&ty)
            } else {
                match &before {
                    Some(before) => self.union(before, &ty),
                    None => ty,
                }
            };
            if before.as_ref() != Some(&after) {
                self.changed = true;
                included.variables.insert(name, after);
            }
            if many {
                break;
            }
        }
        for ty in included.variables.values_mut().filter(|_| many) {
            *ty = self.lose(ty);
        }
        self.included[template] = included;
    }
}

impl Checker<'_> {
    /// The statements that load other templates.
    pub(super) fn load(&mut self, statement: &Statement) {
        let Some(template) = super::checker::template(statement) else {
            return;
        };
        let found = if let Kind::Str(name) = &template.kind {
            self.loaded[self.here].named.get(name).copied()
        } else {
            self.named_by_argument(template);
            None
        };
        match (statement, found) {
            (Statement::Include { .. } | Statement::Extends(_), Some(found)) => {
                self.note_include(found);
            }
            (Statement::Import(one), found) => {
                for (name, alias) in &one.names {
                    let role = found.and_then(|found| self.imported(found, name.as_ref()));
                    if let (None, Some(found), Some(name)) = (role, found, name) {
                        self.missing_export(found, name);
                    }
                    self.scope
                        .bind_role(&alias.text, role.unwrap_or(Role::Value));
                }
            }
            _ => {}
        }
    }

    /// Reports the name of a template that an argument decides.
    fn named_by_argument(&mut self, template: &Expression) {
        let ty = self.expression(template);
        self.escape(&ty);
        let argument = walk::expression(template).find_map(|inner| {
            let name = inner.as_name()?;
            let is_argument = self.variables.contains_key(name) && !self.assigned.contains(name);
            is_argument.then(|| (name.to_owned(), inner))
        });
        let Some((name, inner)) = argument else {
            if ty.any == Any::No && self.is_made_of_arguments(template) {
                let name = self.text(template.span);
                self.report(template.span, Problem::FromArgument { name });
            }
            return;
        };
        let inner = match &template.kind {
            Kind::Member(..) | Kind::Index(..) => template,
            _ => inner,
        };
        let known = self.quietly(|this| this.expression(inner));
        let is_enum = known
            .string
            .as_ref()
            .is_some_and(|it| it.of_enum().is_some());
        if !is_enum && (known.string.is_some() || known.any == Any::Data) {
            self.report(template.span, Problem::FromArgument { name });
        }
    }

    /// Returns true if it is a variable that is set to, or loops over, what an argument decides.
    fn is_made_of_arguments(&self, template: &Expression) -> bool {
        let Some(wanted) = template.as_name() else {
            return false;
        };
        let is_wanted = |names: &[Name]| names.iter().any(|name| name.text == wanted);
        let statements = walk::each(&self.loaded[self.here].statements);
        let values = statements.filter_map(|statement| match statement {
            Statement::Set {
                targets,
                value: Value::Expression(value),
            } if is_wanted(targets) => Some(value),
            Statement::For(one) if is_wanted(&one.names) => Some(&one.iterable),
            _ => None,
        });
        let names = values.flat_map(walk::expression);
        let names = names.filter_map(Expression::as_name);
        let mut types = names.filter(|name| !self.assigned.contains(*name));
        types.any(|name| {
            let ty = self.variables.get(name);
            let item = ty.map(|ty| ty.list.as_deref().unwrap_or(ty));
            let strings = item.and_then(|item| item.string.as_ref());
            strings.is_some_and(|strings| strings.known.is_none())
        })
    }
}
