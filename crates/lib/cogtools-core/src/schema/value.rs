//! Checks of the values of single keywords.

use std::collections::HashSet;

use serde_json::Value;

use super::error::SchemaErrorKind;
use super::expand::{Expander, Object};
use super::keyword::{self, KeywordKind};
use crate::suggest::did_you_mean;
use crate::yaml::{Entry, Node};
use crate::{Actual, Expected};

impl Expander {
    /// Reads a keyword that only restricts the kind of its value.
    pub(super) fn simple(&mut self, entry: &Entry, takes: KeywordKind) -> Value {
        let json = entry.value.to_json();
        let is_valid = match takes {
            KeywordKind::Text | KeywordKind::Pattern => json.is_string(),
            KeywordKind::Flag => json.is_boolean(),
            KeywordKind::Number => json.is_number(),
            KeywordKind::Positive => json.as_f64().is_some_and(|number| number > 0.0),
            KeywordKind::Count => json.as_u64().is_some(),
            _ => json.is_object(),
        };
        if !is_valid {
            self.kind_error(
                entry,
                match takes {
                    KeywordKind::Text | KeywordKind::Pattern => Expected::String,
                    KeywordKind::Flag => Expected::Bool,
                    KeywordKind::Number => Expected::Number,
                    KeywordKind::Positive => Expected::Positive,
                    KeywordKind::Count => Expected::Count,
                    _ => Expected::Map,
                },
            );
        }
        json
    }

    pub(super) fn names(&mut self, entry: &Entry, schema: &mut Object) {
        let Some(items) = self.non_empty_items(entry, Expected::Names) else {
            return;
        };
        let mut seen = HashSet::new();
        for item in items {
            let keyword = entry.key.clone();
            match item.text() {
                None => self.report(
                    SchemaErrorKind::Kind {
                        keyword,
                        expected: Expected::Names,
                        actual: Actual::Other(item.kind()),
                    },
                    item.span,
                ),
                Some(name) if !seen.insert(name) => {
                    let kind = SchemaErrorKind::Repeated {
                        keyword,
                        value: format!("`{name}`"),
                    };
                    self.report(kind, item.span);
                }
                Some(_) => {}
            }
        }
        schema.insert(entry.key.clone(), entry.value.to_json());
    }

    pub(super) fn non_empty_items<'n>(
        &mut self,
        entry: &'n Entry,
        expected: Expected,
    ) -> Option<&'n [Node]> {
        match entry.value.items() {
            Some([]) => {
                self.report(SchemaErrorKind::Empty(entry.key.clone()), entry.span);
                None
            }
            Some(items) => Some(items),
            None => {
                self.kind_error(entry, expected);
                None
            }
        }
    }

    pub(super) fn kind_error(&mut self, entry: &Entry, expected: Expected) {
        let keyword = entry.key.clone();
        let actual = Actual::of(&entry.value);
        self.report(
            SchemaErrorKind::Kind {
                keyword,
                expected,
                actual,
            },
            entry.value.span,
        );
    }

    pub(super) fn unknown(&mut self, entry: &Entry) {
        if self.is_full() {
            return;
        }
        let keyword = entry.key.clone();
        let fix = match keyword.as_str() {
            _ if entry.is_bare() => Some("put text that contains a comma in quotes".to_owned()),
            "optional" => Some("list the others under `required`".to_owned()),
            word => keyword::suggestion(word).map(str::to_owned),
        };
        let sugar = self.sugar.then_some("optional");
        let known = keyword::KEYWORDS.iter().map(|(name, _)| *name).chain(sugar);
        let fix = fix.or_else(|| did_you_mean(&keyword, known));
        self.report(SchemaErrorKind::Unknown { keyword, fix }, entry.span);
    }
}
