//! The syntax tree of a template, made by the parser, and walked by the evaluator
//! and the analysis. Every node that can fail or be reported has its position.

use std::sync::Arc;

use crate::error::Span;

/// Which operator of JavaScript joins two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Or,
    And,
    Equal,
    Unequal,
    StrictEqual,
    StrictUnequal,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Add,
    /// `~`, which puts an empty string between its operands.
    Concat,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    /// `//`, until precedence has determined its operands.
    Floor,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Minus,
    Plus,
    /// The result of `//`: the floor of a quotient.
    Floor,
}

/// A name and its position.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) positional: Vec<Expression>,
    pub(crate) keyword: Vec<(Name, Expression)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
    /// The number of nodes between this one and its deepest leaf.
    pub(crate) height: u16,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Str(String),
    Number(f64),
    Bool(bool),
    Null,
    Regex {
        body: String,
        flags: String,
    },
    /// A variable; [`crate::resolve`] finds the ones that loops and functions declare.
    Name(String),
    Member(Box<Expression>, Name),
    Index(Box<Expression>, Box<Expression>),
    Call(Box<Expression>, Arguments),
    Filter(Box<Expression>, Name, Arguments),
    Test(Box<Expression>, Name, Arguments),
    Array(Vec<Expression>),
    Dict(Vec<(Name, Expression)>),
    Group(Vec<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
    Unary(Unary, Box<Expression>),
    In(Box<Expression>, Box<Expression>),
    InlineIf(Box<InlineIf>),
}

#[derive(Clone, Debug)]
pub(crate) struct InlineIf {
    pub(crate) condition: Expression,
    pub(crate) then: Expression,
    pub(crate) otherwise: Option<Expression>,
}

impl Name {
    pub(crate) fn new(text: String, span: Span) -> Self {
        Self { text, span }
    }
}

impl Expression {
    pub(crate) fn new(kind: Kind, span: Span) -> Self {
        let height = match &kind {
            Kind::Name(_) | Kind::Str(_) => 0,
            kind => {
                let height = kind.children().map(|child| child.height).max();
                height.map_or(0, |height| height.saturating_add(1))
            }
        };
        Self { kind, span, height }
    }

    /// The expression without parentheses around it.
    pub(crate) fn ungrouped(&self) -> &Self {
        match &self.kind {
            Kind::Group(items) if items.len() == 1 => items[0].ungrouped(),
            _ => self,
        }
    }

    /// The name of the variable that it is.
    pub(crate) fn as_name(&self) -> Option<&str> {
        match &self.kind {
            Kind::Name(name) => Some(name),
            _ => None,
        }
    }
}

impl Arguments {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Expression> {
        let keyword = self.keyword.iter().map(|(_, value)| value);
        self.positional.iter().chain(keyword)
    }
}

impl Kind {
    /// The direct subexpressions, in the order of evaluation.
    pub(crate) fn children(&self) -> Box<dyn Iterator<Item = &Expression> + '_> {
        match self {
            Self::Str(_)
            | Self::Number(_)
            | Self::Bool(_)
            | Self::Null
            | Self::Regex { .. }
            | Self::Name(_) => Box::new(std::iter::empty()),
            Self::Member(one, _) | Self::Unary(_, one) => Box::new(std::iter::once(&**one)),
            Self::Index(left, right) | Self::Binary(_, left, right) | Self::In(left, right) => {
                Box::new([&**left, &**right].into_iter())
            }
            Self::Call(target, arguments)
            | Self::Filter(target, _, arguments)
            | Self::Test(target, _, arguments) => {
                Box::new(std::iter::once(&**target).chain(arguments.iter()))
            }
            Self::Array(items) | Self::Group(items) => Box::new(items.iter()),
            Self::Dict(pairs) => Box::new(pairs.iter().map(|(_, value)| value)),
            Self::InlineIf(one) => {
                let both = [&one.condition, &one.then].into_iter();
                Box::new(both.chain(&one.otherwise))
            }
        }
    }
}

/// The parameters and the body of a macro or a caller.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) parameters: Vec<Name>,
    pub(crate) defaults: Vec<(Name, Expression)>,
    pub(crate) body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Expression(Expression),
    Body(Vec<Statement>),
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Text(String),
    Output(Expression),
    If(If),
    For(For),
    Set {
        targets: Vec<Name>,
        value: Value,
    },
    Macro {
        name: Name,
        function: Arc<Function>,
    },
    Call {
        /// Always a [`Kind::Call`].
        call: Expression,
        caller: Arc<Function>,
    },
    Filter(FilterBlock),
    Switch(Switch),
    Block {
        name: Name,
        body: Arc<Vec<Self>>,
    },
    Extends(Expression),
    Include {
        template: Expression,
        ignore_missing: bool,
    },
    Import(Import),
}

#[derive(Clone, Debug)]
pub(crate) struct If {
    pub(crate) branches: Vec<(Expression, Vec<Statement>)>,
    pub(crate) otherwise: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) struct For {
    pub(crate) names: Vec<Name>,
    pub(crate) iterable: Expression,
    pub(crate) body: Vec<Statement>,
    pub(crate) otherwise: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) struct FilterBlock {
    pub(crate) name: Name,
    pub(crate) arguments: Arguments,
    pub(crate) body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) struct Switch {
    pub(crate) subject: Expression,
    pub(crate) cases: Vec<(Expression, Vec<Statement>)>,
    pub(crate) otherwise: Vec<Statement>,
}

/// `import` and `from`.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    pub(crate) template: Expression,
    /// Each export and its name here; the whole template is an export without a name.
    pub(crate) names: Vec<(Option<Name>, Name)>,
    pub(crate) with_context: bool,
}
