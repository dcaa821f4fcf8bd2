//! Macros and templates that others load: what they are called with, from everywhere.

use std::collections::{HashMap, HashSet};

use super::checker::Checker;
use super::json::Json;
use super::lattice::{Any, Type};
use super::load::Loaded;
use super::scope::{Role, Scope};
use crate::analysis::unguarded_reads;
use crate::ast::{Function, Kind, Name, Statement};
use crate::walk;

/// How many times a template is gone through before what is not settled is unknown.
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
            walk::each(&loaded.statements, &mut |statement| {
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
            });
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
    pub(super) fn run(&mut self, json: bool) {
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
        self.json = json.then(Json::new);
        self.round();
    }

    fn give_up(&mut self) {
        let mut macros = std::mem::take(&mut self.macros);
        for one in &mut macros {
            for ty in &mut one.parameters {
                self.escape(ty);
                *ty = Type::unknown();
            }
        }
        self.macros = macros;
        let mut included = std::mem::take(&mut self.included);
        for one in &mut included {
            for ty in one.variables.values_mut() {
                self.escape(ty);
                *ty = Type::unknown();
            }
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
            self.json_end();
        }
        let mut at = None;
        for number in 0..self.macros.len() {
            let template = self.macros[number].template;
            if at != Some(template) {
                self.here = template;
                self.lenient = true;
                self.scope = self.fresh_scope(template, true);
                for (name, role) in self.definitions(template) {
                    self.scope.bind_as(&name, Type::unknown(), role, true, None);
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
    fn fresh_scope(&mut self, template: usize, lenient: bool) -> Scope {
        let mut scope = Scope::default();
        for (name, ty) in self.variables {
            let is_set = lenient && self.assigned.contains(name);
            let mut ty = ty.clone();
            if is_set || self.tainted.contains(name) {
                self.escape(&ty);
                ty = Type::unknown();
            } else if lenient {
                ty = ty.lenient();
            }
            let volatile = ty.any == Any::Anything;
            scope.bind_as(name, ty, Role::Value, volatile, None);
        }
        if lenient {
            for (name, ty) in &self.included[template].variables {
                let volatile = ty.any == Any::Anything;
                scope.bind_as(name, ty.clone(), Role::Value, volatile, None);
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
                self.escape(&ty);
                ty = Type::unknown();
            }
            let volatile = ty.any == Any::Anything || self.assigned.contains(&name.text);
            self.scope
                .bind_as(&name.text, ty, Role::Value, volatile, None);
        }
        let foreign = template > 0 && !called;
        self.branch(foreign, |this| this.body(&function.body));
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
                Statement::Import {
                    template, target, ..
                } => {
                    if let Kind::Str(name) = &template.kind
                        && let Some(module) = loaded.named.get(name)
                    {
                        found.push((target.text.clone(), Role::Module(*module)));
                    }
                }
                Statement::From {
                    template, names, ..
                } => {
                    if let Kind::Str(name) = &template.kind
                        && let Some(module) = loaded.named.get(name)
                    {
                        for (name, alias) in names {
                            let number = self.exported(*module, &name.text);
                            found.extend(number.map(|it| (alias.text.clone(), Role::Macro(it))));
                        }
                    }
                }
                _ => {}
            }
        }
        found
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
