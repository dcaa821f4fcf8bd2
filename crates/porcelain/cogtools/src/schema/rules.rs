//! The shape of the key `lint.rules`: a property for each rule, so that editors complete their
//! names.

use std::borrow::Cow;
use std::collections::BTreeMap;

use cogtools_core::{LINT_RULES, RETIRED_LINT_RULES};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Map;

use crate::schema::shape::Level;

/// The levels of rules, by their names.
#[derive(Clone, Debug)]
pub struct Rules(pub BTreeMap<String, Level>);

impl JsonSchema for Rules {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Rules".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let level = generator.subschema_for::<Level>().to_value();
        let described = |name: &str, text: String| {
            let mut rule = level.clone();
            rule["description"] = text.into();
            (name.to_owned(), rule)
        };
        let rules = LINT_RULES.map(|name| {
            let text = format!("The level of {name}; cogtools lint --explain {name} describes it.");
            described(name, text)
        });
        let retired = RETIRED_LINT_RULES
            .map(|name| described(name, "A retired rule; its level has no effect.".to_owned()));
        json_schema!({
            "type": "object",
            "properties": rules.into_iter().chain(retired).collect::<Map<_, _>>(),
            "additionalProperties": false,
        })
    }
}
