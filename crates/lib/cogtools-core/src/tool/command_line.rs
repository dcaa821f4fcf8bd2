//! The command line of a tool, as far as it is known before a call.

/// What a call runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// The text of a script.
    pub script: Option<String>,
}

/// An element of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// Text that is the same in every call.
    Literal(String),
    /// A template that reads arguments of the call.
    Template(String),
}

impl CommandLine {
    /// The elements that are the same in every call.
    pub fn literals(&self) -> Vec<String> {
        let literals = self.words.iter().filter_map(|word| match word {
            Word::Literal(text) => Some(text.clone()),
            Word::Template(_) => None,
        });
        literals.collect()
    }
}
