//! Contradictions of the types of a template's variables. A problem is a value, which hosts can
//! match; its message and its hint are derived from it.

use std::fmt;

use super::narrow::Kind;
use crate::error::Foreign;

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

/// A problem of an expression or a statement. Texts in it are parts of the template.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// An object does not have the member.
    UnknownMember {
        /// The object.
        owner: String,
        /// The member.
        member: String,
        /// The similar one that it has.
        meant: Option<String>,
    },
    /// A value that is not an object does not have the member.
    ScalarMember {
        /// The value.
        owner: String,
        /// Its kind.
        kind: Kind,
        /// The member.
        member: String,
        /// The replacement.
        instead: Option<&'static Foreign>,
    },
    /// `loop` does not have the member.
    LoopMember {
        /// The member.
        member: String,
        /// The similar one that it has.
        meant: Option<String>,
    },
    /// The callee is not a function.
    NotCallable {
        /// The callee.
        callee: String,
        /// The replacement.
        instead: Option<&'static Foreign>,
    },
    /// An object, or a list of objects, prints as `[object Object]`.
    PrintedObject {
        /// The value.
        value: String,
        /// True if it is a list.
        list: bool,
    },
    /// A loop over a number or a boolean does nothing; one over a string goes through its
    /// characters.
    LoopOverScalar {
        /// The value.
        value: String,
        /// Its kind.
        kind: Kind,
    },
    /// A loop with one variable over an object does nothing.
    LoopOverObject {
        /// The value.
        value: String,
    },
    /// A loop with several variables over what cannot be taken apart.
    Unpacked {
        /// The value.
        value: String,
        /// The kind of its items.
        kind: Kind,
    },
    /// A comparison that can never hold.
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
    Unguarded {
        /// The value.
        value: String,
    },
    /// A macro is called without an argument that it uses.
    MissingArgument {
        /// The macro.
        name: String,
        /// The parameter.
        parameter: String,
    },
    /// A macro is called with more arguments than it has parameters.
    ExtraArgument {
        /// The macro.
        name: String,
        /// The number of its parameters.
        max: usize,
    },
    /// A macro is called with an argument by a name that it does not have.
    UnknownArgument {
        /// The macro.
        name: String,
        /// The name of the argument.
        argument: String,
        /// The similar parameter.
        meant: Option<String>,
    },
    /// Nothing uses what is defined.
    Unused {
        /// The kind of definition.
        definition: Definition,
        /// Its name.
        name: String,
    },
    /// A branch is never taken.
    NeverTaken {
        /// Its condition.
        condition: String,
        /// True if the condition always holds, so that the branches after it are dead.
        holds: bool,
    },
    /// A template includes itself.
    Recursive {
        /// Its name.
        name: String,
    },
    /// An argument decides which template is loaded.
    FromArgument {
        /// The argument.
        name: String,
    },
    /// A template does not define what is imported from it.
    MissingExport {
        /// The template.
        template: String,
        /// The name.
        name: String,
        /// The similar one that it defines.
        meant: Option<String>,
    },
    /// A filter or an operator is applied to an operand with which it fails.
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
    ComparedList {
        /// The list.
        value: String,
    },
    /// A text is compared with a number by its order.
    ComparedText {
        /// The text.
        value: String,
    },
    /// A habit of another language of templates.
    Habit(Habit),
}

/// A definition of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Definition {
    /// A macro.
    Macro,
    /// A parameter of a macro.
    Parameter,
    /// A variable.
    Variable,
    /// A block that the extended template does not have.
    Block,
    /// A name that is imported.
    Import,
}

/// A form that Nunjucks takes in silence and reads differently from Jinja.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Habit {
    /// `selectattr("a", "equalto", b)`: the test is ignored.
    TestOfAttribute,
    /// `not a == b` is `(not a) == b`.
    NotComparison,
    /// `for x in xs if x.a`: the condition is evaluated once, before the loop.
    LoopCondition,
    /// `sort("name")`: the first argument is whether to reverse.
    SortArgument,
    /// `xs[-1]` is undefined.
    NegativeIndex,
    /// `"a" ~ b + 1` joins the number to the text.
    SumOfText,
    /// `xs + ys` is text.
    SumOfLists,
    /// `"-" * 3` is not a number.
    RepeatedText,
    /// `a == b is c` tests the comparison.
    TestOfComparison,
    /// `1 < a < 5` compares a boolean with 5.
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

/// The message: lower case, no full stop.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownMember { owner, member, .. } => {
                write!(f, "`{owner}` has no member `{member}`")
            }
            Self::ScalarMember {
                owner,
                kind,
                member,
                ..
            } => write!(f, "`{owner}` is {kind}, which has no member `{member}`"),
            Self::LoopMember { member, .. } => write!(f, "`loop` has no member `{member}`"),
            Self::NotCallable { callee, .. } => write!(f, "`{callee}` is not a function"),
            Self::PrintedObject { value, list: false } => {
                write!(
                    f,
                    "`{value}` is an object, which prints as `[object Object]`"
                )
            }
            Self::PrintedObject { value, list: true } => write!(
                f,
                "`{value}` is a list of objects, which print as `[object Object]`"
            ),
            Self::LoopOverScalar { value, kind } => write!(f, "`{value}` is {kind}, not a list"),
            Self::LoopOverObject { value } => write!(
                f,
                "`{value}` is an object, and a loop with one variable skips it"
            ),
            Self::Unpacked { value, kind } => write!(
                f,
                "an item of `{value}` is {kind}, which cannot be unpacked into variables"
            ),
            Self::Impossible { value, other, .. } => write!(f, "`{value}` is never `{other}`"),
            Self::Unguarded { value } => write!(
                f,
                "`{value}` may be missing, and the template does not check"
            ),
            Self::MissingArgument { name, parameter } => {
                write!(f, "`{name}` is called without `{parameter}`, which it uses")
            }
            Self::ExtraArgument { name, max } => {
                write!(f, "`{name}` is called with more than its {max} parameters")
            }
            Self::UnknownArgument { name, argument, .. } => {
                write!(f, "`{name}` has no parameter `{argument}`")
            }
            _ => self.statement(f),
        }
    }
}

impl Problem {
    fn statement(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unused { definition, name } => write!(f, "the {definition} `{name}` is unused"),
            Self::NeverTaken {
                condition,
                holds: false,
            } => write!(f, "`{condition}` never holds"),
            Self::NeverTaken { condition, .. } => {
                write!(f, "`{condition}` always holds, so nothing after it is used")
            }
            Self::Recursive { name } => write!(f, "`{name}` loads itself without end"),
            Self::FromArgument { name } => {
                write!(f, "the argument `{name}` decides which file is loaded")
            }
            Self::MissingExport { template, name, .. } => {
                write!(f, "`{template}` does not define `{name}`")
            }
            Self::WrongOperand {
                operation,
                value,
                kind,
                ..
            } => write!(f, "`{operation}` is applied to `{value}`, which is {kind}"),
            Self::ComparedList { value } => {
                write!(f, "`{value}`, a list, is compared with one value")
            }
            Self::ComparedText { value } => {
                write!(f, "`{value}`, a string, is compared with a number")
            }
            Self::Habit(habit) => f.write_str(habit.message()),
            _ => Ok(()),
        }
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
                instead.map(|foreign| foreign.instead.to_owned())
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

impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Macro => "macro",
            Self::Parameter => "macro parameter",
            Self::Variable => "variable",
            Self::Block => "block",
            Self::Import => "import",
        })
    }
}

impl Habit {
    fn message(self) -> &'static str {
        match self {
            Self::TestOfAttribute => "the filter takes one argument, and ignores the test",
            Self::NotComparison => "`not a == b` compares `not a` with `b`",
            Self::LoopCondition => "the condition is evaluated once, before the loop",
            Self::SortArgument => "the first argument of `sort` is whether to reverse",
            Self::NegativeIndex => "a negative index is undefined",
            Self::SumOfText => "`+` after text joins the number to the text",
            Self::SumOfLists => "`+` joins two lists to one text",
            Self::RepeatedText => "text in arithmetic is not a number",
            Self::Chained => "the second comparison is of true or false",
            Self::TestOfComparison => "the test is applied to the comparison, not to its operand",
        }
    }

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
