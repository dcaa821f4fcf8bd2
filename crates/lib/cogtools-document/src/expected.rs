//! The expected kind of a value, the actual one, and a hint.

use serde_json::Number;

use crate::yaml::{Data, Node};

/// The kind of value that a key of a tool file or a keyword of a schema takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Expected {
    /// A string.
    #[strum(to_string = "a string")]
    String,
    /// `true` or `false`.
    #[strum(to_string = "true or false")]
    Bool,
    /// A number.
    #[strum(to_string = "a number")]
    Number,
    /// A number greater than 0.
    #[strum(to_string = "a number greater than 0")]
    Positive,
    /// A non-negative integer.
    #[strum(to_string = "a non-negative integer")]
    Count,
    /// A number of seconds greater than 0.
    #[strum(to_string = "a number of seconds greater than 0")]
    Seconds,
    /// A path.
    #[strum(to_string = "a path")]
    Path,
    /// The text of a script, with its first line.
    #[strum(to_string = "text that begins with `#!`")]
    Script,
    /// The text of a body of JavaScript.
    #[strum(to_string = "code in JavaScript")]
    JavaScript,
    /// A template, or a map with another kind of implementation.
    #[strum(to_string = "a template or a map")]
    Implementation,
    /// A program and its arguments.
    #[strum(to_string = "a list of a program and its arguments")]
    Command,
    /// The map under `agent`.
    #[strum(to_string = "a map that describes an agent")]
    Agent,
    /// The map under `flow`.
    #[strum(to_string = "a map with `nodes`")]
    Flow,
    /// The map under `nodes`.
    #[strum(to_string = "a map from names to nodes")]
    Nodes,
    /// A node of a flow.
    #[strum(to_string = "a map with what the node does")]
    Node,
    /// The choices of a router.
    #[strum(to_string = "a list of choices")]
    Routes,
    /// A number from 0 to 2.
    #[strum(to_string = "a number from 0 to 2")]
    Temperature,
    /// The first element of a command.
    #[strum(to_string = "a program's name as its first element")]
    Program,
    /// The arguments that a condition governs.
    #[strum(to_string = "a list of arguments")]
    Arguments,
    /// An expression over the arguments of a call.
    #[strum(to_string = "an expression over the arguments")]
    Condition,
    /// The name of an item, and a list.
    #[strum(to_string = "a name and a list")]
    Loop,
    /// The working directory of a program.
    #[strum(to_string = "`tool` or `project`")]
    Folder,
    /// The map under `output`.
    #[strum(to_string = "a map of `type` and `schema`")]
    Output,
    /// The type of an output.
    #[strum(to_string = "`text`, `json`, `content` or a media type such as `image/png`")]
    OutputType,
    /// The map under `annotations`.
    #[strum(to_string = "a map of hints")]
    Annotations,
    /// A list of argument maps.
    #[strum(to_string = "a list of argument maps")]
    Examples,
    /// The name of a type.
    #[strum(to_string = "one type's name")]
    Type,
    /// Any map.
    #[strum(to_string = "a map")]
    Map,
    /// A map from names to schemas.
    #[strum(to_string = "a map from names to schemas")]
    Properties,
    /// A list of strings.
    #[strum(to_string = "a list of strings")]
    Strings,
    /// A string or a list of strings, none of them empty.
    #[strum(to_string = "text or a list of texts")]
    Texts,
    /// A list of names.
    #[strum(to_string = "a list of names")]
    Names,
    /// A list of values.
    #[strum(to_string = "a list of values")]
    Values,
    /// A list of schemas.
    #[strum(to_string = "a list of schemas")]
    Schemas,
}

/// The value found where another kind is expected.
#[derive(Clone, Debug, PartialEq, Eq, strum::Display)]
pub enum Actual {
    /// `true` or `false`.
    #[strum(to_string = "a boolean")]
    Bool,
    /// A number, shown by its value.
    #[strum(transparent)]
    Number(Number),
    /// A string, shown by its value.
    #[strum(to_string = "`{0}`")]
    String(String),
    /// Anything else, by its name; nothing may depend on the wording.
    #[strum(transparent)]
    Other(&'static str),
}

impl Expected {
    /// Suggests a replacement for `actual`.
    pub const fn hint(self, actual: &Actual) -> &'static str {
        match self {
            Self::String | Self::Implementation if actual.is_scalar() => {
                "put it in quotes to make it a string"
            }
            Self::String => "write text, in quotes or under `|`",
            Self::Implementation => "write the template under `implementation: | # njk`",
            Self::Bool => "write `true` or `false`, without quotes",
            Self::Number | Self::Positive | Self::Count => {
                "write a number such as `1`, without quotes"
            }
            Self::Seconds => "write seconds as a number, such as `timeout: 60`",
            Self::Type => "write one type, and `nullable: true` if null is valid, too",
            Self::Annotations => "write a map such as `{read_only: true}`",
            Self::Output => "write a map such as `{type: json}`",
            Self::OutputType => {
                "write `type: json` when the result is JSON, and `type: text` for SVG and HTML"
            }
            Self::Map => "write a map such as `{key: value}`",
            Self::Properties => "write a map such as `{city: {type: string}}`",
            Self::Names => "write a list of strings, as in `[one, two]`",
            Self::Values => "write a list, as in `[one, two]`",
            Self::Schemas => "write a list of maps, as in `[{type: string}, {type: number}]`",
            Self::Examples => "write a list of maps, each with the arguments of a call",
            Self::Texts => "write text in quotes, or a list such as `['one', 'two']`",
            Self::Strings => "put it in quotes to make it a string",
            Self::Command => "write a list such as `[echo, \"{{ text }}\"]`",
            Self::Agent => "write a map such as `{system: You review changes., tools: [git_*]}`",
            Self::Flow | Self::Nodes | Self::Node => {
                "write a map such as `nodes: {greet: {text: \"Hello {{ person }}\"}}`"
            }
            Self::Routes => "write a list such as `[{when: found, to: answer}, {to: search}]`",
            Self::Temperature => "write a number such as `0.2`, without quotes",
            Self::Program => "begin the list with the program, as in `[git, log]`",
            Self::Arguments => "write a list such as `[--, \"{{ path }}\"]`",
            Self::Condition => "write an expression such as `path` or `count > 1`",
            Self::Loop => "write `NAME in LIST`, such as `label in labels`",
            Self::Folder => "write `cwd: tool` or `cwd: project`",
            Self::Script => "begin the script with a line such as `#!/bin/sh`",
            Self::JavaScript => "write the code under `js: |`, such as `return args.a + 1`",
            Self::Path => "name a file next to the tool, such as `facts.njk`",
        }
    }
}

impl Actual {
    /// The kind of `node`; numbers by their value.
    pub fn of(node: &Node) -> Self {
        match &node.data {
            Data::Bool(_) => Self::Bool,
            Data::Number(number) => Self::Number(number.clone()),
            _ => Self::Other(node.kind()),
        }
    }

    const fn is_scalar(&self) -> bool {
        matches!(self, Self::Bool | Self::Number(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_for_a_scalar_where_text_is_expected_is_quotes() {
        let quote = "put it in quotes to make it a string";
        for (expected, actual, hint) in [
            (Expected::String, Actual::Bool, quote),
            (Expected::String, Actual::Number(7.into()), quote),
            (Expected::Implementation, Actual::Bool, quote),
            (
                Expected::String,
                // The name alone does not make it a boolean.
                Actual::Other("a boolean"),
                "write text, in quotes or under `|`",
            ),
            (
                Expected::Implementation,
                Actual::Other("a list"),
                "write the template under `implementation: | # njk`",
            ),
            (
                Expected::Bool,
                Actual::Number(1.into()),
                "write `true` or `false`, without quotes",
            ),
        ] {
            assert_eq!(expected.hint(&actual), hint, "{expected:?}, {actual:?}");
        }
    }
}
