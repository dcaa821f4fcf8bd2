//! The messages of problems, and their hints.

use std::fmt;

use super::problem::{Definition, Habit, JsonFlaw, Problem};

/// How many values a message lists.
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
            Self::MissingCase { value, missing } => {
                write!(f, "nothing is printed if `{value}` is {}", listed(missing))
            }
            Self::Unguarded { value } => write!(
                f,
                "`{value}` may be missing, and the template does not check"
            ),
            Self::Dropped { value, dropped } => {
                write!(f, "the condition also drops `{value}` if it is `{dropped}`")
            }
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
            Self::NotJson(flaw) => f.write_str(flaw.message()),
            _ => Ok(()),
        }
    }

    /// What to do about it, if more is known than what the message says.
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
                super::Kind::Text => Some(format!(
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
            Self::Dropped { value, .. } => Some(format!(
                "write `{value} is defined`, or `{value} | default(…)`"
            )),
            Self::WrongOperand { expected, .. } => Some(format!("it takes {expected}")),
            Self::ComparedList { value } => Some(format!(
                "write `x in {value}`, or compare `{value} | length`"
            )),
            Self::ComparedText { value } => Some(format!(
                "write `{value} | length`, or `{value} | float` for a number in the text"
            )),
            Self::Habit(habit) => Some(habit.hint().to_owned()),
            Self::NotJson(flaw) => Some(flaw.hint().to_owned()),
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

impl JsonFlaw {
    fn message(self) -> &'static str {
        match self {
            Self::Quoted => "text inside quotes without `dump`: a quote in it breaks the JSON",
            Self::DumpInQuotes => "`dump` inside quotes adds quotes of its own",
            Self::Unquoted => "text without quotes is not JSON",
            Self::Text => "the template prints what is not JSON, as `output` declares",
            Self::Open => "the output ends within a list, an object or a string",
            Self::Comma => "JSON has no comma before the end of a list or an object",
        }
    }

    fn hint(self) -> &'static str {
        match self {
            Self::Quoted | Self::DumpInQuotes => "write `{{ value | dump }}` without quotes",
            Self::Unquoted => "write `{{ value | dump }}`",
            Self::Text => "print one JSON value and nothing else, or remove `output`",
            Self::Open => "close it",
            Self::Comma => "write `{% if not loop.last %},{% endif %}`",
        }
    }
}
