//! One word that a shell can offer.

use cogtools_program::terminal::{sanitize, truncate};

use super::script::Shell;

/// How many characters of a description are shown.
const MAX_ABOUT_CHARS: usize = 60;

/// A candidate for the word at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    value: String,
    about: String,
}

impl Candidate {
    pub(super) fn new(value: impl Into<String>, about: &str) -> Self {
        let words: Vec<&str> = about.split_whitespace().collect();
        Self {
            value: value.into(),
            about: truncate(&words.join(" "), MAX_ABOUT_CHARS).into_owned(),
        }
    }

    /// The candidate with `prefix` before it.
    pub(super) fn after(self, prefix: &str) -> Self {
        Self {
            value: format!("{prefix}{}", self.value),
            ..self
        }
    }

    pub(super) fn starts_with(&self, typed: &str) -> bool {
        self.value.starts_with(typed)
    }

    /// Whether a shell takes the value literally, and a terminal shows it as it is: names of
    /// toolsets and parameters come from strangers.
    pub(super) fn is_safe(&self) -> bool {
        let is_safe = |c: char| {
            c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@' | '=' | ',' | '+')
        };
        !self.value.is_empty() && self.value.chars().all(is_safe)
    }

    /// The line that the script of `shell` reads.
    pub(super) fn line(&self, shell: Shell) -> String {
        match shell {
            Shell::Bash => format!("{}\n", self.value),
            Shell::Zsh | Shell::Fish => format!("{}\t{}\n", self.value, sanitize(&self.about)),
        }
    }
}
