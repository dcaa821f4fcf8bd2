//! What the types of a template's variables contradict. A problem is a value, which hosts can
//! match; its message and its hint are derived from it.

use super::narrow::Kind;
use crate::mistake::Foreign;

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
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with an expression or a statement. Texts in it are parts of the template.
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
        /// What to write instead.
        instead: Option<&'static Foreign>,
    },
    /// `loop` does not have the member.
    LoopMember {
        /// The member.
        member: String,
        /// The similar one that it has.
        meant: Option<String>,
    },
    /// What is called is not a function.
    NotCallable {
        /// What is called.
        callee: String,
        /// What to write instead.
        instead: Option<&'static Foreign>,
    },
    /// An object, or a list of objects, prints as `[object Object]`.
    PrintedObject {
        /// The value.
        value: String,
        /// Whether it is a list.
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
        /// What it is compared with.
        other: String,
        /// The values that it can have, if it has few.
        known: Vec<String>,
        /// The similar one among them.
        meant: Option<String>,
    },
    /// Branches over the values of an enum leave out some of them.
    MissingCase {
        /// The value.
        value: String,
        /// Those that are left out.
        missing: Vec<String>,
    },
    /// A value that may be missing is used.
    Unguarded {
        /// The value.
        value: String,
    },
    /// A condition that asks whether a value is there also drops one that it can have.
    Dropped {
        /// The value.
        value: String,
        /// What is dropped: `0` or `false`.
        dropped: &'static str,
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
        /// What it is.
        definition: Definition,
        /// Its name.
        name: String,
    },
    /// A branch is never taken.
    NeverTaken {
        /// Its condition.
        condition: String,
        /// Whether the condition always holds, so that the branches after it are dead.
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
    /// A filter or an operator is applied to what it fails with.
    WrongOperand {
        /// The filter or operator.
        operation: String,
        /// The value.
        value: String,
        /// Its kind.
        kind: Kind,
        /// What it takes.
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
    /// What another language of templates does differently.
    Habit(Habit),
    /// The output is not JSON.
    NotJson(JsonFlaw),
}

/// What a template defines.
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

/// What Nunjucks takes in silence and does differently from Jinja.
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

/// Why an output is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonFlaw {
    /// Text inside quotes without `dump`: a quote in it ends the string.
    Quoted,
    /// `dump` inside quotes, which adds its own.
    DumpInQuotes,
    /// Text outside quotes without `dump`.
    Unquoted,
    /// Text of the template that JSON does not have.
    Text,
    /// A comma before the end of a list or an object.
    Comma,
    /// A list, an object or a string that does not end.
    Open,
}
