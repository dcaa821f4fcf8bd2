//! Questions and lines at a terminal: the only crate that knows the libraries which draw them.
//! What is asked, and what a line means, belongs to the programs.
//!
//! The questions are drawn on standard error, so that standard output stays data.

#[cfg(unix)]
mod hangup;
mod line;
mod screen;

use cogtools_core::{Code, Diagnostic};
use cogtools_program::terminal::{Stream, sanitize};
use cogtools_program::{Failure, Io};
use inquire::ui::{RenderConfig, Styled};
use inquire::{Confirm, InquireError, MultiSelect, Select, Text};

pub use line::{Complete, Completion, Line, LineEditor, LineOptions};

/// A terminal that can be asked.
#[derive(Clone, Debug)]
pub struct Prompt {
    config: RenderConfig<'static>,
}

/// The exit status of a process that Ctrl-C has ended.
const INTERRUPTED: u8 = 130;

impl Prompt {
    /// The terminal of `io`, if its input and both outputs are one that can move the cursor.
    pub fn of(io: &Io<'_>) -> Option<Self> {
        let is_terminal = io.stdin.is_terminal() && io.terminals.stdout && io.terminals.stderr;
        let is_dumb = io.var("TERM").is_some_and(|name| name == "dumb");
        (is_terminal && !is_dumb).then(|| Self {
            config: if io.colour(Stream::Stderr) {
                RenderConfig::default_colored()
            } else {
                RenderConfig::empty()
            }
            .with_canceled_prompt_indicator(Styled::new("<cancelled>")),
        })
    }

    /// Asks which of `options` apply, at first those at the indexes `chosen`. Returns the
    /// indexes of the answer.
    pub fn select_many(
        &self,
        question: &str,
        options: &[String],
        chosen: &[usize],
    ) -> Result<Vec<usize>, Failure> {
        let options = options
            .iter()
            .map(|option| sanitize(option).into_owned())
            .collect();
        MultiSelect::<String>::new(question, options)
            .with_default(chosen)
            .with_help_message("arrow keys to move, space to choose, enter to confirm")
            .with_render_config(self.config)
            .raw_prompt()
            .map(|all| all.into_iter().map(|one| one.index).collect())
            .map_err(failure)
    }

    /// Asks for one of `options`, and returns its index.
    pub fn select(&self, question: &str, options: &[String]) -> Result<usize, Failure> {
        let options = options
            .iter()
            .map(|option| sanitize(option).into_owned())
            .collect();
        Select::<String>::new(question, options)
            .with_help_message("arrow keys to move, letters to filter, enter to choose")
            .with_render_config(self.config)
            .raw_prompt()
            .map(|one| one.index)
            .map_err(failure)
    }

    /// Asks for a line of text, at first `value`.
    pub fn text(&self, question: &str, value: &str, help: &str) -> Result<String, Failure> {
        Text::new(question)
            .with_initial_value(&sanitize(value))
            .with_help_message(help)
            .with_render_config(self.config)
            .prompt()
            .map_err(failure)
    }

    /// Asks a question whose default answer is yes.
    pub fn confirm(&self, question: &str) -> Result<bool, Failure> {
        Confirm::new(question)
            .with_default(true)
            .with_render_config(self.config)
            .prompt()
            .map_err(failure)
    }
}

/// Nothing was answered: by Escape, by Ctrl-C, or because the terminal is gone.
fn failure(error: InquireError) -> Failure {
    match error {
        InquireError::OperationInterrupted => Failure::Reported(INTERRUPTED),
        InquireError::OperationCanceled => Failure::Reported(1),
        error => Diagnostic::new(Code::IoFailed, format!("the question failed: {error}"))
            .hint("answer on the command line; --help explains every option")
            .into(),
    }
}
