//! The types of filtered values, and filters that fail with theirs.

use super::checker::Checker;
use super::lattice::{Absent, Any, FALSE, Object, SAFE, Strings, TRUE, Type};
use super::problem::{Habit, Problem};
use crate::ast::{Arguments, Expression, Kind, Name};

impl Checker<'_> {
    pub(super) fn filter(
        &mut self,
        one: &Expression,
        target: &Expression,
        name: &Name,
        arguments: &Arguments,
    ) -> Type {
        match name.text.as_str() {
            "default" | "d" => return self.default(target, arguments),
            "length" => {
                let ty = self.expression(target);
                self.arguments(arguments);
                self.operand(one, target, &ty, name, arguments);
                return ty.length();
            }
            _ => {}
        }
        let ty = self.expression(target);
        let printing = std::mem::replace(&mut self.printing, false);
        self.need(target, &ty);
        self.arguments(arguments);
        self.filter_habits(name, arguments);
        self.printing = printing;
        self.operand(one, target, &ty, name, arguments);
        self.filtered(target, &ty, &name.text, arguments)
    }

    fn default(&mut self, target: &Expression, arguments: &Arguments) -> Type {
        let ty = self.expression(target);
        let mut others = arguments.iter();
        let other = match others.next() {
            Some(other) => self.expression(other),
            None => Type::unknown(),
        };
        let falsy = match others.next() {
            Some(flag) => self.expression(flag).may_hold(),
            None => false,
        };
        if !falsy && self.is_declared(target) && ty.absent == Absent::Never && ty.any == Any::No {
            self.never_other(target);
            return ty;
        }
        let kept = if falsy { ty.truthy() } else { ty.defined() };
        self.union(&kept, &other)
    }

    /// Reports arguments that other languages of templates take.
    fn filter_habits(&mut self, name: &Name, arguments: &Arguments) {
        let habit = match (name.text.as_str(), arguments.positional.as_slice()) {
            ("selectattr" | "rejectattr", [_, _, ..]) => Habit::TestOfAttribute,
            ("sort", [first, ..]) if matches!(first.kind, Kind::Str(_)) => Habit::SortArgument,
            _ => return,
        };
        self.report(name.span, Problem::Habit(habit));
    }

    /// Reports an operand that the filter fails with.
    pub(super) fn operand(
        &mut self,
        one: &Expression,
        target: &Expression,
        ty: &Type,
        name: &Name,
        arguments: &Arguments,
    ) {
        if ty.any != Any::No || ty.is_never() {
            return;
        }
        let attribute = arguments.positional.get(1).is_some();
        match name.text.as_str() {
            "join" if !attribute && ty.is_only_list() && ty.prints_as_object() => {
                self.printed(target, ty);
                return;
            }
            "string" | "escape" | "e" | "forceescape" | "safe" | "urlize" => {
                self.printed(target, ty);
                return;
            }
            _ => {}
        }
        let has_length = |object: &Object| object.open || object.properties.contains_key("length");
        if ty.object.as_deref().is_some_and(has_length) {
            return;
        }
        let Some((expected, accepts)) = accepted(ty, &name.text, arguments) else {
            return;
        };
        let is_list = ty.list.is_some();
        let is_something = ty.is_scalar() || is_list || ty.object.is_some();
        if !accepts && is_something {
            let problem = Problem::WrongOperand {
                operation: name.text.clone(),
                value: self.text(target.span),
                kind: ty.kind(),
                expected,
            };
            self.report(one.span, problem);
        }
    }

    /// The type of the result.
    pub(super) fn filtered(
        &mut self,
        target: &Expression,
        ty: &Type,
        name: &str,
        arguments: &Arguments,
    ) -> Type {
        let attribute = match name {
            "join" => arguments.positional.get(1),
            "sum" | "groupby" | "selectattr" | "rejectattr" => arguments.positional.first(),
            "sort" => sort_attribute(arguments),
            _ => None,
        };
        if let Some(attribute) = attribute {
            self.attribute(target, ty, attribute);
        }
        let item = || {
            let item = ty.list.as_ref().filter(|_| ty.is_only_list());
            item.map_or_else(Type::unknown, |item| item.as_ref().clone())
        };
        match name {
            "first" | "last" | "random" => {
                if !ty.is_only_list() {
                    self.escape(ty);
                }
                item().lenient_item()
            }
            "sort" | "reverse" | "list" | "select" | "reject" | "selectattr" | "rejectattr"
                if ty.is_only_list() =>
            {
                ty.present()
            }
            "batch" | "slice" if ty.is_only_list() => Type::list(ty.present()),
            "join" if attribute.is_some() => Type::string(),
            "sum" if attribute.is_some() => Type::unknown().defined(),
            "int" | "float" | "abs" | "round" | "wordcount" => {
                self.escape(ty);
                Type::number().lenient_item()
            }
            "upper" | "lower" | "trim" if ty.is_scalar() && ty.number.is_none() && !is_flag(ty) => {
                self.escape(ty);
                let change = |text: &str| match name {
                    "upper" => text.to_uppercase(),
                    "lower" => text.to_lowercase(),
                    _ => text.trim().to_owned(),
                };
                let strings = ty.string.as_ref().and_then(|strings| strings.map(change));
                strings.map_or_else(Type::string, Type::text)
            }
            "upper" | "lower" | "capitalize" | "title" | "trim" | "indent" | "truncate"
            | "join" | "string" | "center" | "urlencode" | "striptags" | "nl2br" => {
                self.escape(ty);
                // Safe text remains safe.
                Type::string().union(&Type::simple(ty.simple & SAFE))
            }
            "dump" => {
                self.escape(ty);
                if ty.absent == Absent::Never && ty.any != Any::Anything {
                    Type::string()
                } else {
                    Type::string().lenient_item()
                }
            }
            _ => {
                self.escape(ty);
                Type::unknown()
            }
        }
    }

    /// Checks the attribute of a filter.
    fn attribute(&mut self, target: &Expression, ty: &Type, attribute: &Expression) {
        let list = ty.list.clone().filter(|_| ty.is_only_list());
        let (Kind::Str(path), Some(list)) = (&attribute.kind, list) else {
            self.escape(ty);
            return;
        };
        let mut at = list.as_ref().clone();
        for name in path.split('.') {
            if at.any != Any::No || !at.is_only_object() {
                self.escape(&at);
                return;
            }
            at = self.member(target, &at, name, attribute.span);
        }
    }
}

/// Returns true if it is a text of which nothing is known.
pub(super) fn is_free_text(ty: &Type) -> bool {
    let free = |strings: &Strings| strings.known.is_none() && !strings.plain;
    ty.is_scalar() && ty.number.is_none() && !is_flag(ty) && ty.string.as_ref().is_some_and(free)
}

pub(super) fn is_flag(ty: &Type) -> bool {
    ty.simple & (TRUE | FALSE) != 0
}

fn sort_attribute(arguments: &Arguments) -> Option<&Expression> {
    let keyword = arguments
        .keyword
        .iter()
        .find(|(name, _)| name.text == "attribute");
    keyword
        .map(|(_, value)| value)
        .or_else(|| arguments.positional.get(2))
}

/// The operand of a filter in words, and true if the type can be one; none if it takes all.
pub(super) fn accepted(
    ty: &Type,
    name: &str,
    arguments: &Arguments,
) -> Option<(&'static str, bool)> {
    let attribute = arguments.positional.get(1).is_some();
    let is_text = ty.string.is_some() || ty.simple & SAFE != 0;
    let is_list = ty.list.is_some();
    Some(match name {
        "trim" | "nl2br" | "wordcount" => ("a string", is_text),
        "upper" | "lower" | "capitalize" | "title" | "indent" | "truncate" | "striptags" => (
            "a string",
            is_text || ty.simple & FALSE != 0 && !is_flag(ty),
        ),
        "join" if !attribute => ("a list", is_list),
        "sum" if arguments.positional.is_empty() => ("a list", is_list),
        "selectattr" | "rejectattr" => ("a list", is_list),
        "length" => (
            "a list, a string or an object",
            is_list || is_text || ty.object.is_some() || ty.simple & FALSE != 0,
        ),
        "dictsort" => ("an object", ty.object.is_some()),
        "first" | "last" | "reverse" => ("a list or a string", is_list || is_text),
        "sort" | "groupby" | "batch" => ("a list", is_list || ty.object.is_some()),
        "select" | "reject" | "random" => ("a list", is_list || is_text || ty.object.is_some()),
        "round" | "abs" => (
            "a number",
            ty.number.is_some() || !is_free_text(ty) && is_text,
        ),
        "int" | "float" => ("a number or a string", ty.number.is_some() || is_text),
        "list" => (
            "a list, an object or a string",
            is_list || is_text || ty.object.is_some(),
        ),
        _ => return None,
    })
}
