//! The values of single keywords, checked by what each keyword takes.

use std::collections::HashSet;

use serde_json::Value;

use super::error::SchemaFault;
use super::expand::{Expander, Object};
use super::keyword::{self, Takes};
use crate::suggest::did_you_mean;
use crate::yaml::{Data, Entry, Node};

impl Expander {
    /// A keyword whose value is checked by its kind alone.
    pub(super) fn simple(&mut self, entry: &Entry, takes: Takes) -> Value {
        let json = entry.value.to_json();
        let fine = match takes {
            Takes::Text | Takes::Pattern => json.is_string(),
            Takes::Flag => json.is_boolean(),
            Takes::Number => json.is_number(),
            Takes::Positive => json.as_f64().is_some_and(|number| number > 0.0),
            Takes::Count => json.as_u64().is_some(),
            _ => json.is_object(),
        };
        if !fine {
            self.kind_error(
                entry,
                match takes {
                    Takes::Text | Takes::Pattern => "a string",
                    Takes::Flag => "true or false",
                    Takes::Number => "a number",
                    Takes::Positive => "a number greater than 0",
                    Takes::Count => "a whole number from 0 up",
                    _ => "a map",
                },
            );
        }
        json
    }

    pub(super) fn names(&mut self, entry: &Entry, schema: &mut Object) {
        let Some(items) = self.some_items(entry, "a list of names") else {
            return;
        };
        let mut seen = HashSet::new();
        for item in items {
            let keyword = entry.key.clone();
            match item.text() {
                None => self.refuse(
                    SchemaFault::Kind {
                        keyword,
                        takes: "a list of names",
                        found: item.kind().into(),
                    },
                    item.span,
                ),
                Some(name) if !seen.insert(name) => {
                    let fault = SchemaFault::Repeated {
                        keyword,
                        value: format!("`{name}`"),
                    };
                    self.refuse(fault, item.span);
                }
                Some(_) => {}
            }
        }
        schema.insert(entry.key.clone(), entry.value.to_json());
    }

    pub(super) fn some_items<'n>(
        &mut self,
        entry: &'n Entry,
        takes: &'static str,
    ) -> Option<&'n [Node]> {
        match entry.value.items() {
            Some([]) => {
                self.refuse(SchemaFault::Empty(entry.key.clone()), entry.span);
                None
            }
            Some(items) => Some(items),
            None => {
                self.kind_error(entry, takes);
                None
            }
        }
    }

    pub(super) fn kind_error(&mut self, entry: &Entry, takes: &'static str) {
        let keyword = entry.key.clone();
        let found = match &entry.value.data {
            Data::Number(number) => number.to_string(),
            _ => entry.value.kind().to_owned(),
        };
        self.refuse(
            SchemaFault::Kind {
                keyword,
                takes,
                found,
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
            "optional" => Some("list the others under `required`".to_owned()),
            word => keyword::instead(word).map(str::to_owned),
        };
        let sugar = self.sugar.then_some("optional");
        let known = keyword::KEYWORDS.iter().map(|(name, _)| *name).chain(sugar);
        let fix = fix.or_else(|| did_you_mean(&keyword, known));
        self.refuse(SchemaFault::Unknown { keyword, fix }, entry.span);
    }
}
