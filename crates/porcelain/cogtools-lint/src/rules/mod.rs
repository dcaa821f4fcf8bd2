//! The rules, in the order of the reference.

mod agent;
mod annotation;
mod argument;
mod description;
mod example;
mod file;
mod flow;
mod gemini;
mod host;
mod hostile;
mod js;
mod name;
mod pattern;
mod program;
mod result;
mod safety;
mod schema;
mod script;
mod skill;
mod template;
mod types;
mod usage;
mod validity;

use crate::linter::Rule;
pub(crate) use js::FAILING;

/// The rule for every error of the loader that has no specific rule.
pub(crate) const INVALID_TOOL: &str = "invalid-tool";

/// The rules that explain an error of the loader better than the loader does.
pub(crate) const LOADER_RULES: [&str; 4] = [
    "type-spelling",
    "array-without-items",
    "unportable-name",
    "stem-differs",
];

/// Rules that no longer exist. Configurations and comments that still name one stay valid.
pub const RETIRED_RULES: [&str; 5] = [
    "dropped-value",
    "missing-case",
    "order-to-model",
    "slow-pattern",
    "wrong-modeline",
];

/// All rules.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let groups: [&'static [Rule]; 23] = [
        validity::RULES,
        name::RULES,
        description::RULES,
        safety::RULES,
        hostile::RULES,
        argument::RULES,
        program::RULES,
        script::RULES,
        annotation::RULES,
        schema::RULES,
        gemini::RULES,
        pattern::RULES,
        host::RULES,
        example::RULES,
        template::RULES,
        types::RULES,
        result::RULES,
        js::RULES,
        agent::RULES,
        flow::RULES,
        file::RULES,
        skill::RULES,
        usage::RULES,
    ];
    groups.into_iter().flatten()
}

/// The rule named `name`.
pub fn find(name: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.name == name)
}
