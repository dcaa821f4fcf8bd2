//! Contradictions of the types of a template's variables. A problem is a value, which hosts can
//! match; its message and its hint are derived from it.

use thiserror::Error;

use super::narrow::Kind;

/// A problem, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeProblem {
    /// The name of the template.
    pub template: String,
    /// The line in it, from 1.
    pub line: usize,
    /// The column, from 1 and in characters.
    pub column: usize,
    /// The number of characters from there, on that line.
    pub length: usize,
    /// The problem.
    pub problem: Problem,
}

/// A problem of an expression or a statement, and its message. Texts in it are parts of the template.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// An object does not have the member.
    #[error("`{owner}` has no member `{member}`")]
    UnknownMember {
        /// The object.
        owner: String,
        /// The member.
        member: String,
        /// The similar one that it has.
        meant: Option<String>,
    },
    /// A value that is not an object does not have the member.
    #[error("`{owner}` is {kind}, which has no member `{member}`")]
    ScalarMember {
        /// The value.
        owner: String,
        /// Its kind.
        kind: Kind,
        /// The member.
        member: String,
        /// The replacement.
        instead: Option<&'static str>,
    },
    /// `loop` does not have the member.
    #[error("`loop` has no member `{member}`")]
    LoopMember {
        /// The member.
        member: String,
        /// The similar one that it has.
        meant: Option<String>,
    },
    /// The callee is not a function.
    #[error("`{callee}` is not a function")]
    NotCallable {
        /// The callee.
        callee: String,
        /// The replacement.
        instead: Option<&'static str>,
    },
    /// An object, or a list of objects, prints as `[object Object]`.
    #[error(
        "`{value}` is {}",
        if *list {
            "a list of objects, which print as `[object Object]`"
        } else {
            "an object, which prints as `[object Object]`"
        }
    )]
    PrintedObject {
        /// The value.
        value: String,
        /// True if it is a list.
        list: bool,
    },
    /// A loop over a number or a boolean does nothing; one over a string goes through its
    /// characters.
    #[error("`{value}` is {kind}, not a list")]
    LoopOverScalar {
        /// The value.
        value: String,
        /// Its kind.
        kind: Kind,
    },
    /// A loop with one variable over an object does nothing.
    #[error("`{value}` is an object, and a loop with one variable skips it")]
    LoopOverObject {
        /// The value.
        value: String,
    },
    /// A loop with several variables over what cannot be taken apart.
    #[error("an item of `{value}` is {kind}, which cannot be unpacked into variables")]
    Unpacked {
        /// The value.
        value: String,
        /// The kind of its items.
        kind: Kind,
    },
    /// A comparison that can never hold.
    #[error("`{value}` is never `{other}`")]
    Impossible {
        /// The value.
        value: String,
        /// The other side of the comparison.
        other: String,
        /// The values that it can have, if it has few.
        known: Vec<String>,
        /// The similar one among them.
        meant: Option<String>,
    },
    /// A value that may be missing is used.
    #[error("`{value}` may be missing, and the template does not check")]
    Unguarded {
        /// The value.
        value: String,
    },
    /// A macro is called without an argument that it uses.
    #[error("`{name}` is called without `{parameter}`, which it uses")]
    MissingArgument {
        /// The macro.
        name: String,
        /// The parameter.
        parameter: String,
    },
    /// A macro is called with more arguments than it has parameters.
    #[error("`{name}` is called with more than its {max} parameters")]
    ExtraArgument {
        /// The macro.
        name: String,
        /// The number of its parameters.
        max: usize,
    },
    /// A macro is called with an argument by a name that it does not have.
    #[error("`{name}` has no parameter `{argument}`")]
    UnknownArgument {
        /// The macro.
        name: String,
        /// The name of the argument.
        argument: String,
        /// The similar parameter.
        meant: Option<String>,
    },
    /// Nothing uses what is defined.
    #[error("the {definition} `{name}` is unused")]
    Unused {
        /// The kind of definition.
        definition: Definition,
        /// Its name.
        name: String,
    },
    /// A branch is never taken.
    #[error(
        "`{condition}` {}",
        if *holds { "always holds, so nothing after it is used" } else { "never holds" }
    )]
    NeverTaken {
        /// Its condition.
        condition: String,
        /// True if the condition always holds, so that the branches after it are dead.
        holds: bool,
    },
    /// A template includes itself.
    #[error("`{name}` loads itself without end")]
    Recursive {
        /// Its name.
        name: String,
    },
    /// An argument decides which template is loaded.
    #[error("the argument `{name}` decides which file is loaded")]
    FromArgument {
        /// The argument.
        name: String,
    },
    /// A template does not define what is imported from it.
    #[error("`{template}` does not define `{name}`")]
    MissingExport {
        /// The template.
        template: String,
        /// The name.
        name: String,
        /// The similar one that it defines.
        meant: Option<String>,
    },
    /// A filter or an operator is applied to an operand with which it fails.
    #[error("`{operation}` is applied to `{value}`, which is {kind}")]
    WrongOperand {
        /// The filter or operator.
        operation: String,
        /// The value.
        value: String,
        /// Its kind.
        kind: Kind,
        /// The operand that it takes.
        expected: &'static str,
    },
    /// A list is compared with one value.
    #[error("`{value}`, a list, is compared with one value")]
    ComparedList {
        /// The list.
        value: String,
    },
    /// A text is compared with a number by its order.
    #[error("`{value}`, a string, is compared with a number")]
    ComparedText {
        /// The text.
        value: String,
    },
    /// A habit of another language of templates.
    #[error("{0}")]
    Habit(Habit),
}

/// A definition of a template.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Definition {
    /// A macro.
    #[error("macro")]
    Macro,
    /// A parameter of a macro.
    #[error("macro parameter")]
    Parameter,
    /// A variable.
    #[error("variable")]
    Variable,
    /// A block that the extended template does not have.
    #[error("block")]
    Block,
    /// A name that is imported.
    #[error("import")]
    Import,
}

/// A form that Nunjucks takes in silence and reads differently from Jinja.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Habit {
    /// `selectattr("a", "equalto", b)`: the test is ignored.
    #[error("the filter takes one argument, and ignores the test")]
    TestOfAttribute,
    /// `not a == b` is `(not a) == b`.
    #[error("`not a == b` compares `not a` with `b`")]
    NotComparison,
    /// `for x in xs if x.a`: the condition is evaluated once, before the loop.
    #[error("the condition is evaluated once, before the loop")]
    LoopCondition,
    /// `sort("name")`: the first argument is whether to reverse.
    #[error("the first argument of `sort` is whether to reverse")]
    SortArgument,
    /// `xs[-1]` is undefined.
    #[error("a negative index is undefined")]
    NegativeIndex,
    /// `"a" ~ b + 1` joins the number to the text.
    #[error("`+` after text joins the number to the text")]
    SumOfText,
    /// `xs + ys` is text.
    #[error("`+` joins two lists to one text")]
    SumOfLists,
    /// `"-" * 3` is not a number.
    #[error("text in arithmetic is not a number")]
    RepeatedText,
    /// `a == b is c` tests the comparison.
    #[error("the test is applied to the comparison, not to its operand")]
    TestOfComparison,
    /// `1 < a < 5` compares a boolean with 5.
    #[error("the second comparison is of true or false")]
    Chained,
}

/// The number of values that a message lists.
const MAX_LISTED: usize = 8;

fn listed(values: &[String]) -> String {
    let shown: Vec<String> = values
        .iter()
        .take(MAX_LISTED)
        .map(|value| format!("`{value}`"))
        .collect();
    let more = if values.len() > MAX_LISTED {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", shown.join(", "))
}

impl Problem {
    /// An unknown name or text, and the one that is meant perhaps.
    pub fn meant(&self) -> Option<[&str; 2]> {
        let (unknown, meant) = match self {
            Self::UnknownMember { member, meant, .. } | Self::LoopMember { member, meant } => {
                (member.as_str(), meant)
            }
            Self::UnknownArgument {
                argument, meant, ..
            } => (argument.as_str(), meant),
            Self::MissingExport { name, meant, .. } => (name.as_str(), meant),
            Self::Impossible { other, meant, .. } => (other.trim_matches(['"', '\'']), meant),
            _ => return None,
        };
        Some([unknown, meant.as_deref()?])
    }

    /// The hint, if more is known than the message says.
    pub fn hint(&self) -> Option<String> {
        let meant = |meant: &Option<String>| {
            let meant = meant.as_ref()?;
            Some(format!("did you mean `{meant}`?"))
        };
        match self {
            Self::UnknownMember { meant: name, .. }
            | Self::LoopMember { meant: name, .. }
            | Self::UnknownArgument { meant: name, .. }
            | Self::MissingExport { meant: name, .. } => meant(name),
            Self::Impossible {
                meant: name, known, ..
            } => meant(name)
                .or_else(|| (!known.is_empty()).then(|| format!("it can be {}", listed(known)))),
            Self::ScalarMember { instead, .. } | Self::NotCallable { instead, .. } => {
                instead.map(str::to_owned)
            }
            Self::PrintedObject { value, list: false } => Some(format!(
                "print its members, or write `{{{{ {value} | dump }}}}`"
            )),
            Self::PrintedObject { value, list: true } => Some(format!(
                "write `{{% for item in {value} %}}`, `| join(\", \", \"member\")` or `| dump`"
            )),
            Self::LoopOverScalar { value, kind } => match kind {
                Kind::Text => Some(format!(
                    "print `{value}` as it is, or write `{value} | list` for its characters"
                )),
                _ => Some("write `range(…)` to count, or declare an array".to_owned()),
            },
            Self::LoopOverObject { value } => {
                Some(format!("write `{{% for key, value in {value} %}}`"))
            }
            Self::Unpacked { .. } => {
                Some("name one variable, and write `loop.index` for the position".to_owned())
            }
            Self::Unguarded { value } => Some(format!(
                "put it under `{{% if {value} %}}`, write `{{{{ {value} or \"…\" }}}}`, or give it a default"
            )),
            Self::WrongOperand { expected, .. } => Some(format!("it takes {expected}")),
            Self::ComparedList { value } => Some(format!(
                "write `x in {value}`, or compare `{value} | length`"
            )),
            Self::ComparedText { value } => Some(format!(
                "write `{value} | length`, or `{value} | float` for a number in the text"
            )),
            Self::Habit(habit) => Some(habit.hint().to_owned()),
            _ => None,
        }
    }
}

impl Habit {
    fn hint(self) -> &'static str {
        match self {
            Self::TestOfAttribute => "put `{% if %}` into a `for` loop",
            Self::NotComparison => "write `a != b` or `not (a == b)`",
            Self::LoopCondition => "put `{% if %}` into the loop",
            Self::SortArgument => "write `sort(false, false, \"name\")`",
            Self::NegativeIndex => "write `| last`, or `.at(-1)`",
            Self::SumOfText => "put the sum in parentheses",
            Self::SumOfLists => "write `.concat(…)`",
            Self::RepeatedText => "write `.repeat(…)`, or `| int`",
            Self::Chained => "join two comparisons with `and`",
            Self::TestOfComparison => "put the test in parentheses",
        }
    }
}
