//! The words of `exec` in the tool file, and what each means to the program before it.

use cogtools_core::text::Span;
use cogtools_core::yaml::Node;

use super::walk::assign_roles;
use crate::lint_file::LintFile;

/// A word of the command line.
#[derive(Debug)]
pub(crate) struct Word<'f> {
    pub(crate) text: &'f str,
    pub(crate) span: Span,
    pub(crate) role: Role,
    /// It reads arguments of the call.
    pub(crate) is_template: bool,
}

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A program, or a file that an interpreter runs.
    Program,
    /// Code of a language.
    Code,
    /// An argument that the program takes for an option if it begins with `-`.
    Argument,
    /// What cannot be mistaken: the value of an option, or what is after `--`.
    Value,
    /// A literal option.
    Option,
}

/// The words of `exec`; none for other implementations.
pub(crate) fn words(file: &LintFile) -> Vec<Word<'_>> {
    let list = file
        .value("implementation")
        .and_then(|node| node.get("exec"));
    let mut found = Vec::new();
    for node in list.and_then(Node::items).into_iter().flatten() {
        match node.get("args").and_then(Node::items) {
            Some(items) => found.extend(items.iter().filter_map(word)),
            None => found.extend(word(node)),
        }
    }
    assign_roles(&mut found);
    found
}

fn word(node: &Node) -> Option<Word<'_>> {
    let text = node.text()?;
    let analysis = njk::analyse(text);
    Some(Word {
        text,
        span: node.span,
        role: Role::Argument,
        is_template: analysis.is_ok_and(|found| !found.reads.is_empty()),
    })
}
