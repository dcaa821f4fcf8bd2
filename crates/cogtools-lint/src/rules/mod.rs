//! The rules, in the order of the reference.

mod description;
mod example;
mod file;
mod gemini;
mod host;
mod layout;
mod name;
mod pattern;
mod safety;
mod schema;
mod source;
mod template;
mod validity;

use crate::rule::Rule;

/// The rule that stands for every refusal of the loader.
pub(crate) const INVALID_TOOL: &str = "invalid-tool";

/// The rules that say more than the loader's own refusal of the same thing.
pub(crate) const REFUSALS: [&str; 4] = [
    "type-spelling",
    "array-without-items",
    "unportable-name",
    "stem-differs",
];

/// All rules.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let groups: [&'static [Rule]; 13] = [
        validity::RULES,
        name::RULES,
        source::RULES,
        description::RULES,
        safety::RULES,
        schema::RULES,
        gemini::RULES,
        pattern::RULES,
        host::RULES,
        example::RULES,
        template::RULES,
        file::RULES,
        layout::RULES,
    ];
    groups.into_iter().flatten()
}

/// The rule of that name.
pub fn find(name: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.name == name)
}
