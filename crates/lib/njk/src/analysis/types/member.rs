//! Members and indexes of values.

use super::checker::{Checker, Role};
use super::lattice::{Absent, Any, FALSE, LOOP, NULL, Object, SAFE, TRUE, Type};
use super::problem::{Habit, Problem};
use crate::ast::{Arguments, Expression, Kind, Name, Unary};
use crate::error::{FUNCTIONS, METHODS, Span, instead, nearest};
use crate::globals;
use crate::methods::{self, Owner};
use crate::runtime::frames;

impl Checker<'_> {
    /// The type of `target.name`; reports a member that no value of the type has.
    pub(super) fn member(
        &mut self,
        target: &Expression,
        owner: &Type,
        name: &str,
        span: Span,
    ) -> Type {
        if owner.any != Any::No {
            self.escape(owner);
            return Type {
                any: owner.any,
                absent: owner.absent.or(Absent::Perhaps),
                ..Type::default()
            };
        }
        let mut found: Vec<Type> = Vec::new();
        if let Some(object) = &owner.object {
            if let Some(property) = object.properties.get(name) {
                self.used.extend(property.origins.iter().cloned());
                found.push(property.ty.clone());
            } else if object.open {
                found.push(object.other());
            }
        }
        if owner.simple & LOOP != 0 {
            found.extend(loop_member(name));
        }
        if is_index(name) {
            let item = owner.list.as_deref().cloned();
            let character = owner.string.as_ref().map(|_| Type::string());
            let items = item.into_iter().chain(character);
            found.extend(items.map(Type::lenient_item));
        }
        found.extend(built_in(owner, name));
        let Some(mut ty) = found.into_iter().reduce(|all, ty| all.union(&ty)) else {
            self.lacks(target, owner, name, span);
            return Type::unknown();
        };
        ty.absent = absent_in(owner, ty.absent);
        ty
    }

    fn lacks(&mut self, target: &Expression, owner: &Type, name: &str, span: Span) {
        if owner.is_nothing() {
            // The conditions around it say that it is missing.
            self.need(target, owner);
            return;
        }
        if owner.simple & SAFE != 0 {
            return;
        }
        let member = name.to_owned();
        let text = self.text(target.span);
        let problem = if let Some(object) = &owner.object {
            let known = object.properties.keys().map(String::as_str);
            let meant = nearest(name, known).map(str::to_owned);
            let owner = text;
            Problem::UnknownMember {
                owner,
                member,
                meant,
            }
        } else if owner.simple & LOOP != 0 {
            let meant = nearest(name, frames::LOOP).map(str::to_owned);
            Problem::LoopMember { member, meant }
        } else {
            Problem::ScalarMember {
                owner: text,
                kind: owner.kind(),
                instead: instead(&METHODS, name),
                member,
            }
        };
        self.report(span, problem);
    }

    /// The type of `target[index]`.
    pub(super) fn index(&mut self, target: &Expression, index: &Expression) -> Type {
        let owner = self.expression(target);
        match &index.kind {
            Kind::Str(name) => return self.member(target, &owner, name, index.span),
            Kind::Unary(Unary::Minus, number)
                if matches!(number.kind, Kind::Number(number) if number != 0.0)
                    && owner.any == Any::No
                    && owner.object.is_none()
                    && (owner.list.is_some() || owner.string.is_some()) =>
            {
                self.report(index.span, Problem::Habit(Habit::NegativeIndex));
                return Type::unknown();
            }
            _ => {}
        }
        let key = self.expression(index);
        self.need(index, &key);
        if owner.object.is_some() {
            // Any member of it may be read.
            self.escape(&owner);
        }
        match &owner.list {
            Some(item) if owner.any == Any::No && owner.object.is_none() => {
                let item = item.as_ref().clone().lenient_item();
                match owner.absent {
                    Absent::Declared => item.optional(),
                    _ => item,
                }
            }
            _ => Type::unknown(),
        }
    }

    /// The types of the keys and the values of an object.
    pub(super) fn pairs(&mut self, object: &Object) -> (Type, Type) {
        for property in object.properties.values() {
            self.used.extend(property.origins.iter().cloned());
        }
        let types = object.properties.values().map(|it| it.ty.defined());
        let values = types.reduce(|all, ty| self.union(&all, &ty));
        let values = values.unwrap_or_default();
        if let (Some(rest), true) = (&object.rest, object.properties.is_empty()) {
            return (Type::string(), rest.clone());
        }
        if object.open || object.properties.is_empty() {
            self.escape(&values);
            return (Type::string(), Type::unknown());
        }
        let unclear = |ty: &Type| ty.absent != Absent::Never;
        let names = object.properties.keys().map(String::as_str);
        let keys = if object.properties.values().any(|it| unclear(&it.ty)) {
            Type::string()
        } else {
            Type::strings(names)
        };
        (keys, values)
    }
}

/// Returns true if a member of `owner` can be undefined.
fn absent_in(owner: &Type, member: Absent) -> Absent {
    if owner.absent == Absent::Declared {
        Absent::Declared
    } else if member == Absent::Declared {
        // What may lack it may itself be missing.
        member
    } else if owner.absent == Absent::Perhaps || owner.simple & NULL != 0 {
        Absent::Perhaps
    } else {
        member
    }
}

fn is_index(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// A member of `loop`.
fn loop_member(name: &str) -> Option<Type> {
    Some(match name {
        "index" | "revindex" | "length" => Type::number_between(1.0, f64::INFINITY, true),
        "index0" | "revindex0" => Type::number_between(0.0, f64::INFINITY, true),
        "first" | "last" => Type::boolean(),
        _ => return None,
    })
}

/// A member that JavaScript gives to a value.
fn built_in(owner: &Type, name: &str) -> Option<Type> {
    let has_length = owner.list.is_some() || owner.string.is_some() || owner.simple & SAFE != 0;
    if name == "length" && has_length {
        return Some(owner.length());
    }
    let scalar = owner.number.is_some() || owner.simple & (TRUE | FALSE | LOOP) != 0;
    let is_object = scalar || has_length || owner.object.is_some();
    has_method(owner, is_object, name).then(|| Type::unknown().defined())
}

impl Type {
    /// An item of a list that may be shorter.
    pub(super) fn lenient_item(self) -> Self {
        Self {
            absent: Absent::Perhaps,
            ..self
        }
    }
}

impl Checker<'_> {
    pub(super) fn call(
        &mut self,
        one: &Expression,
        target: &Expression,
        arguments: &Arguments,
    ) -> Type {
        if let Some(number) = self.callee(target) {
            self.printing = false;
            self.call_macro(number, one, arguments, false);
            return Type::simple(SAFE);
        }
        match &target.kind {
            Kind::Name(name) => self.call_name(target, name, arguments),
            Kind::Member(owner, name) => self.call_method(target, owner, name, arguments),
            _ => {
                self.quietly(|this| {
                    let ty = this.expression(target);
                    this.escape(&ty);
                });
                self.arguments(arguments);
                Type::unknown()
            }
        }
    }

    /// The macro that an expression names.
    pub(super) fn callee(&mut self, target: &Expression) -> Option<usize> {
        match &target.kind {
            Kind::Name(name) => match self.scope.get(name)?.role {
                Role::Macro(number) => Some(number),
                _ => None,
            },
            Kind::Member(owner, name) => {
                let Kind::Name(module) = &owner.kind else {
                    return None;
                };
                let Role::Module(template) = self.scope.get(module)?.role else {
                    return None;
                };
                let number = self.exported(template, &name.text);
                if number.is_none() {
                    self.missing_export(template, name);
                }
                number
            }
            _ => None,
        }
    }

    fn call_name(&mut self, target: &Expression, name: &str, arguments: &Arguments) -> Type {
        let types = self.arguments(arguments);
        let Some(binding) = self.scope.get(name) else {
            return match name {
                "range" => {
                    for (bound, ty) in arguments.positional.iter().zip(&types) {
                        self.number_operand(name, bound, ty);
                    }
                    Type::list(Type::number())
                }
                "super" | "caller" => Type::simple(SAFE),
                _ => Type::unknown(),
            };
        };
        let ty = binding.ty.clone();
        let is_value = binding.role == Role::Value;
        if is_value && is_data(&ty) && !globals::NAMES.contains(&name) {
            let problem = Problem::NotCallable {
                callee: self.text(target.span),
                instead: instead(&FUNCTIONS, name),
            };
            self.report(target.span, problem);
        }
        Type::unknown()
    }

    fn call_method(
        &mut self,
        target: &Expression,
        owner: &Expression,
        name: &Name,
        arguments: &Arguments,
    ) -> Type {
        let ty = self.expression(owner);
        self.need(owner, &ty);
        if ty.simple & NULL != 0 && ty.absent == Absent::Never && self.is_declared(owner) {
            // A method of null ends the call.
            self.need(owner, &ty.clone().optional());
        }
        let printing = std::mem::replace(&mut self.printing, false);
        let types = self.arguments(arguments);
        self.printing = printing;
        let is_printing = match name.text.as_str() {
            "join" => ty.is_only_list(),
            "toString" | "concat" => ty.is_only_object(),
            _ => false,
        };
        if is_printing {
            self.printed(owner, &ty);
        }
        if is_data(&ty) && !has_method(&ty, true, &name.text) {
            let callee = self.text(target.span);
            let instead = instead(&METHODS, &name.text);
            self.report(name.span, Problem::NotCallable { callee, instead });
        }
        self.escape(&ty);
        method_result(&ty, &name.text, &types)
    }
}

/// Returns true if a value is one of JSON, and so no function.
fn is_data(ty: &Type) -> bool {
    match ty.any {
        Any::Anything => false,
        Any::Data => true,
        Any::No => !ty.is_nothing() && ty.simple & SAFE == 0,
    }
}

/// Returns true if some value of the type has the method; `is_object` says that there are values with
/// the methods of objects.
fn has_method(ty: &Type, is_object: bool, name: &str) -> bool {
    let any = ty.any != Any::No;
    let owners = [
        (
            any || ty.string.is_some() || ty.simple & SAFE != 0,
            Owner::Text,
        ),
        (any || ty.list.is_some(), Owner::Array),
        (any || ty.number.is_some(), Owner::Number),
        (is_object, Owner::Object),
    ];
    owners
        .iter()
        .any(|(is, owner)| *is && methods::exists(*owner, name))
}

fn method_result(ty: &Type, name: &str, arguments: &[Type]) -> Type {
    if ty.any != Any::No || ty.simple & (SAFE | LOOP | TRUE | FALSE) != 0 {
        return Type::unknown().defined();
    }
    let is_text = ty.string.is_some() && ty.list.is_none() && ty.object.is_none();
    match name {
        "split" if is_text => Type::list(Type::string()),
        "toUpperCase" | "toLowerCase" | "trim" | "trimStart" | "trimEnd" | "padStart"
        | "padEnd" | "repeat" | "replace" | "replaceAll" | "substring" | "charAt"
            if is_text =>
        {
            Type::string()
        }
        "slice" if is_text => Type::string(),
        "slice" | "reverse" if ty.is_only_list() => ty.present(),
        "concat" if ty.is_only_list() && arguments.iter().all(Type::is_only_list) => {
            let all = arguments
                .iter()
                .fold(ty.present(), |all, one| all.union(one));
            all.present()
        }
        "includes" | "startsWith" | "endsWith" if arguments.len() == 1 => Type::boolean(),
        "indexOf" | "lastIndexOf" | "search" => Type::number(),
        "join" | "toFixed" | "toString" => Type::string(),
        _ => Type::unknown(),
    }
}
