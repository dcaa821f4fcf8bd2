//! Lines that a user types, with history, completion and several lines in one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use cogtools_core::{Code, Diagnostic};
use cogtools_program::terminal::Stream;
use cogtools_program::{Failure, Io};
use reedline::{
    ColumnarMenu, Completer, CompletionResult, Emacs, FileBackedHistory, History as _, HistoryItem,
    KeyCode, KeyModifiers, MenuBuilder as _, Reedline, ReedlineEvent, ReedlineMenu, Signal, Span,
    Suggestion, ValidationResult, Validator, default_emacs_keybindings,
};

use crate::Prompt;
use crate::screen::{Indicator, Visible};

/// The name of the menu with completions.
const MENU: &str = "completion";
/// How often signals are looked for.
const POLL: Duration = Duration::from_millis(100);

/// What can be typed for the word before the cursor.
pub trait Complete: Send {
    /// The completions of `line`, of which `end` bytes are before the cursor.
    fn complete(&self, line: &str, end: usize) -> Vec<Completion>;
}

/// One completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Where the word begins that it replaces, in bytes.
    pub start: usize,
    /// What replaces it: without control characters.
    pub text: String,
    /// Whether the word is complete, and a space follows.
    pub is_whole: bool,
}

/// How a [`LineEditor`] begins.
pub struct LineOptions {
    /// Earlier lines, the oldest first.
    pub history: Vec<String>,
    /// How many lines can be gone back to.
    pub capacity: usize,
    /// What completes words.
    pub complete: Box<dyn Complete>,
    /// What ends the typing of a line: set by signals, and reset.
    pub broken: Arc<AtomicBool>,
}

/// A terminal at which a user types lines. It is drawn on standard error.
pub struct LineEditor {
    editor: Reedline,
}

/// What a user has typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line, or several.
    Text(String),
    /// Ctrl-C: the line does not count.
    Cleared,
    /// A signal has come.
    Broken,
    /// Ctrl-D: there are no more lines.
    End,
}

impl LineEditor {
    /// An editor at the terminal of `io`, if [`Prompt::of`] finds one.
    pub fn new(io: &Io<'_>, options: LineOptions) -> Option<Self> {
        Prompt::of(io)?;
        let mut history = FileBackedHistory::new(options.capacity.max(1)).ok()?;
        for line in options.history {
            // It is in memory, where nothing fails.
            let _ = history.save(HistoryItem::from_command_line(line));
        }
        let mut keys = default_emacs_keybindings();
        let next = vec![
            ReedlineEvent::Menu(MENU.to_owned()),
            ReedlineEvent::MenuNext,
        ];
        keys.add_binding(
            KeyModifiers::NONE,
            KeyCode::Tab,
            ReedlineEvent::UntilFound(next),
        );
        keys.add_binding(
            KeyModifiers::SHIFT,
            KeyCode::BackTab,
            ReedlineEvent::MenuPrevious,
        );
        let menu = ColumnarMenu::default().with_name(MENU);
        let editor = Reedline::create()
            .with_ansi_colors(io.colour(Stream::Stderr))
            .with_history(Box::new(history))
            .with_history_exclusion_prefix(Some(" ".to_owned()))
            .with_edit_mode(Box::new(Emacs::new(keys)))
            .with_validator(Box::new(Continued))
            .with_highlighter(Box::new(Visible))
            .with_completer(Box::new(Words(options.complete)))
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
            .with_quick_completions(true)
            .with_partial_completions(true)
            .with_break_signal(options.broken)
            .with_poll_interval(POLL)
            .use_bracketed_paste(true);
        Some(Self { editor })
    }

    /// Waits for a line. Of a line that ends in a backslash, the next one is a part; the
    /// backslash is not.
    ///
    /// # Errors
    ///
    /// [`Code::IoFailed`] if the terminal does not answer.
    pub fn read(&mut self) -> Result<Line, Failure> {
        #[cfg(unix)]
        let _watch = crate::hangup::HangupWatch::begin();
        match self.editor.read_line(&Indicator) {
            Ok(Signal::Success(text)) => Ok(Line::Text(text.replace("\\\n", "\n"))),
            Ok(Signal::CtrlC) => Ok(Line::Cleared),
            Ok(Signal::CtrlD) => Ok(Line::End),
            Ok(_) => Ok(Line::Broken),
            Err(error) => {
                let message = format!("the terminal cannot be used: {error}");
                let diagnostic = Diagnostic::new(Code::IoFailed, message);
                let hint = "give the task on the command line, or on standard input";
                Err(diagnostic.hint(hint).into())
            }
        }
    }
}

/// A line that ends in a backslash goes on.
struct Continued;

impl Validator for Continued {
    fn validate(&self, line: &str) -> ValidationResult {
        if line.ends_with('\\') {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Complete
        }
    }
}

/// The completions of a program, for the library.
struct Words(Box<dyn Complete>);

impl Completer for Words {
    fn complete(&mut self, line: &str, end: usize) -> CompletionResult {
        let found = self.0.complete(line, end).into_iter();
        let suggestions = found.map(|found| Suggestion {
            span: Span::new(found.start.min(end), end),
            value: found.text,
            append_whitespace: found.is_whole,
            ..Suggestion::default()
        });
        CompletionResult::fresh(suggestions.collect::<Vec<_>>())
    }
}
