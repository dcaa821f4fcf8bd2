//! Which branches of templates renderings take: for tests that ask whether their examples reach
//! all of a template.

use std::collections::BTreeMap;

use crate::engine::{Program, Template};
use crate::error::{Error, ErrorKind, Span};

/// A branch of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The template that it is in.
    pub template: String,
    /// The line of its condition, from 1.
    pub line: usize,
    /// The column of its condition, from 1 and in characters.
    pub column: usize,
    /// The number of characters of the condition in that line.
    pub length: usize,
    /// Its description, such as `if note` or `else of if note`.
    pub condition: String,
    /// True if a rendering has taken it.
    pub taken: bool,
}

/// The kind of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BranchKind {
    If,
    Elif,
    /// Of the condition that is named.
    Else,
    Case,
    Default,
    /// The body of a loop.
    For,
    /// The output instead of an empty list.
    Empty,
}

/// The branches of the templates that some renderings have loaded.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    branches: BTreeMap<(String, usize), Branch>,
}

impl Coverage {
    /// All branches, by template, in the order of the templates' names and then of the text.
    pub fn branches(&self) -> impl Iterator<Item = &Branch> {
        self.branches.values()
    }

    /// Adds the branches of a template of which no rendering is recorded yet.
    pub fn extend(&mut self, template: &Template) {
        self.add(&template.program);
    }

    /// Adds the branches of a template.
    pub(crate) fn add(&mut self, program: &Program) {
        for (index, (span, kind)) in program.resolved.branches.iter().enumerate() {
            let key = (program.name.clone(), index);
            self.branches
                .entry(key)
                .or_insert_with(|| branch(program, *span, *kind));
        }
    }

    /// Notes that a branch was taken.
    pub(crate) fn take(&mut self, key: &(String, usize)) {
        if let Some(branch) = self.branches.get_mut(key) {
            branch.taken = true;
        }
    }
}

fn branch(program: &Program, span: Span, kind: BranchKind) -> Branch {
    let place = program.locate(Error::new(ErrorKind::Syntax, ""), span);
    let words: Vec<&str> = program.text(span).split_whitespace().collect();
    let text = words.join(" ");
    let condition = match kind {
        BranchKind::If => format!("if {text}"),
        BranchKind::Elif => format!("elif {text}"),
        BranchKind::Else => format!("else of if {text}"),
        BranchKind::Case => format!("case {text}"),
        BranchKind::Default => format!("default of switch {text}"),
        BranchKind::For => format!("for … in {text}"),
        BranchKind::Empty => format!("else of for … in {text}"),
    };
    Branch {
        template: program.name.clone(),
        line: place.line(),
        column: place.column(),
        length: place.length(),
        condition,
        taken: false,
    }
}
