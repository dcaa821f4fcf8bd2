//! The expected kind of a value, the actual one, and a hint.

use std::fmt::{self, Display, Formatter};

use serde_json::Number;

use crate::yaml::{Data, Node};

/// The kind of value that a key of a tool file or a keyword of a schema takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A string.
    String,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A number greater than 0.
    Positive,
    /// A non-negative integer.
    Count,
    /// A number of seconds greater than 0.
    Seconds,
    /// A path.
    Path,
    /// The text of a script, with its first line.
    Script,
    /// The text of a body of JavaScript.
    JavaScript,
    /// A template, or a map with another kind of implementation.
    Implementation,
    /// A program and its arguments.
    Command,
    /// The map under `agent`.
    Agent,
    /// The map under `flow`.
    Flow,
    /// The map under `nodes`.
    Nodes,
    /// A node of a flow.
    Node,
    /// The choices of a router.
    Routes,
    /// A number from 0 to 2.
    Temperature,
    /// The first element of a command.
    Program,
    /// The arguments that a condition governs.
    Arguments,
    /// An expression over the arguments of a call.
    Condition,
    /// The name of an item, and a list.
    Loop,
    /// The working directory of a program.
    Folder,
    /// The map under `output`.
    Output,
    /// The type of an output.
    OutputType,
    /// The map under `annotations`.
    Annotations,
    /// A list of argument maps.
    Examples,
    /// The name of a type.
    Type,
    /// Any map.
    Map,
    /// A map from names to schemas.
    Properties,
    /// A list of strings.
    Strings,
    /// A string or a list of strings, none of them empty.
    Texts,
    /// A list of names.
    Names,
    /// A list of values.
    Values,
    /// A list of schemas.
    Schemas,
}

/// The value found where another kind is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actual {
    /// `true` or `false`.
    Bool,
    /// A number, shown by its value.
    Number(Number),
    /// A string, shown by its value.
    String(String),
    /// Anything else, by its name; nothing may depend on the wording.
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

impl Display for Expected {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::String => "a string",
            Self::Bool => "true or false",
            Self::Number => "a number",
            Self::Positive => "a number greater than 0",
            Self::Count => "a non-negative integer",
            Self::Seconds => "a number of seconds greater than 0",
            Self::Path => "a path",
            Self::Script => "text that begins with `#!`",
            Self::JavaScript => "code in JavaScript",
            Self::Implementation => "a template or a map",
            Self::Command => "a list of a program and its arguments",
            Self::Agent => "a map that describes an agent",
            Self::Flow => "a map with `nodes`",
            Self::Nodes => "a map from names to nodes",
            Self::Node => "a map with what the node does",
            Self::Routes => "a list of choices",
            Self::Temperature => "a number from 0 to 2",
            Self::Program => "a program's name as its first element",
            Self::Arguments => "a list of arguments",
            Self::Condition => "an expression over the arguments",
            Self::Loop => "a name and a list",
            Self::Folder => "`tool` or `project`",
            Self::Output => "a map of `type` and `schema`",
            Self::OutputType => "`text`, `json`, `content` or a media type such as `image/png`",
            Self::Annotations => "a map of hints",
            Self::Examples => "a list of argument maps",
            Self::Type => "one type's name",
            Self::Map => "a map",
            Self::Properties => "a map from names to schemas",
            Self::Strings => "a list of strings",
            Self::Texts => "text or a list of texts",
            Self::Names => "a list of names",
            Self::Values => "a list of values",
            Self::Schemas => "a list of schemas",
        })
    }
}

impl Display for Actual {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("a boolean"),
            Self::Number(number) => write!(f, "{number}"),
            Self::String(text) => write!(f, "`{text}`"),
            Self::Other(name) => f.write_str(name),
        }
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
