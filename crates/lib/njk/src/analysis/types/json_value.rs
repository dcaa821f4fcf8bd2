//! Values that are printed as a part of JSON.

use super::checker::Checker;
use super::json::Last;
use super::lattice::{Absent, Any, Type};
use super::literal::Strings;
use super::problem::{JsonFlaw, Problem};
use crate::ast::{Binary, Expression, Kind};

/// The filters after which a text can still have any characters.
const PASSING: [&str; 14] = [
    "trim",
    "upper",
    "lower",
    "title",
    "capitalize",
    "truncate",
    "default",
    "d",
    "string",
    "indent",
    "join",
    "first",
    "last",
    "center",
];

impl Checker<'_> {
    /// Reads a printed value as part of JSON.
    pub(super) fn json_value(&mut self, value: &Expression, ty: &Type) {
        let Some(mut json) = self.json.take() else {
            return;
        };
        if !json.lost {
            let flaw = if json.string {
                self.quoted(value, ty)
            } else {
                let before = json.last;
                json.last = match dumped(value) {
                    Some(_) if ty.absent == Absent::Never => Last::Value,
                    _ => Last::Unknown,
                };
                let is_second = before == Last::Value && dumped(value).is_some();
                self.unquoted(value, ty)
                    .or(is_second.then_some(JsonFlaw::Text))
            };
            if let Some(flaw) = flaw {
                self.report(value.span, Problem::NotJson(flaw));
            }
        }
        self.json = Some(json);
    }

    fn quoted(&mut self, value: &Expression, ty: &Type) -> Option<JsonFlaw> {
        if let Some(target) = dumped(value) {
            let inner = self.quietly(|this| this.expression(target));
            let quotes = inner.string.is_some() || inner.object.is_some();
            return (inner.any == Any::No && quotes).then_some(JsonFlaw::DumpInQuotes);
        }
        self.is_free_text(value, ty).then_some(JsonFlaw::Quoted)
    }

    fn unquoted(&mut self, value: &Expression, ty: &Type) -> Option<JsonFlaw> {
        if dumped(value).is_some() {
            return None;
        }
        let is_text = ty.is_scalar() && ty.string.is_some();
        let of_texts = ty
            .list
            .as_ref()
            .is_some_and(|item| ty.is_only_list() && item.is_scalar() && item.string.is_some());
        let known = ty.string.as_ref().and_then(Strings::of_enum);
        let is_json = known.is_some_and(|known| known.iter().all(|text| is_json(text)));
        let wrong = (is_text && !is_json) || of_texts;
        (wrong && self.is_of_argument(value)).then_some(JsonFlaw::Unquoted)
    }

    /// Whether the value is a text with any characters, as an argument has it.
    fn is_free_text(&mut self, value: &Expression, ty: &Type) -> bool {
        let free = |strings: &Strings| !strings.plain && strings.known.is_none();
        let item = ty.list.as_ref().filter(|_| ty.is_only_list());
        let strings = item.map_or(&ty.string, |item| &item.string);
        ty.any == Any::No && strings.as_ref().is_some_and(free) && self.is_of_argument(value)
    }

    /// Whether the value is that of an argument, perhaps filtered.
    fn is_of_argument(&mut self, value: &Expression) -> bool {
        match &value.kind {
            Kind::Group(items) if items.len() == 1 => self.is_of_argument(&items[0]),
            Kind::Filter(target, name, _) if PASSING.contains(&name.text.as_str()) => {
                let inner = self.quietly(|this| this.expression(target));
                let plain = inner.string.as_ref().is_some_and(|it| it.plain);
                let item = inner.list.as_deref().unwrap_or(&inner);
                let number = item.any == Any::No && item.string.is_none();
                !plain && !number && self.is_of_argument(target)
            }
            Kind::Filter(target, name, arguments) if name.text == "replace" => {
                let first = arguments.positional.first().map(|it| &it.kind);
                let keeps = matches!(first, Some(Kind::Str(text)) if !text.contains(['"', '\\']));
                keeps && self.is_of_argument(target)
            }
            Kind::Binary(Binary::Or, left, _) => self.is_of_argument(left),
            Kind::Member(target, _) | Kind::Index(target, _) => self.is_of_argument(target),
            Kind::Name(name) => !self.assigned.contains(name) && self.scope.get(name).is_some(),
            _ => false,
        }
    }
}

fn dumped(value: &Expression) -> Option<&Expression> {
    match &value.kind {
        Kind::Group(items) if items.len() == 1 => dumped(&items[0]),
        Kind::Filter(target, name, _) if name.text == "dump" => Some(target),
        Kind::Filter(target, name, _) if matches!(name.text.as_str(), "safe" | "trim") => {
            dumped(target)
        }
        _ => None,
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok()
}
