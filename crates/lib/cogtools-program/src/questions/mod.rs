//! Questions and lines at a terminal: the only module that knows the libraries which draw them.
//! The questions, and the meaning of a line, belong to the programs.
//!
//! The questions are drawn on standard error, so that standard output stays data.

use std::borrow::Cow;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use cogtools_core::{Code, Diagnostic};
use inquire::ui::{RenderConfig, Styled};
use inquire::{Confirm, InquireError, MultiSelect, Select, Text};
use reedline::{
    Color, ColumnarMenu, Completer, CompletionResult, Emacs, FileBackedHistory, Highlighter,
    History as _, HistoryItem, KeyCode, KeyModifiers, MenuBuilder as _, PromptEditMode,
    PromptHistorySearch, PromptHistorySearchStatus, Reedline, ReedlineEvent, ReedlineMenu, Signal,
    Span, StyledText, Suggestion, ValidationResult, Validator, default_emacs_keybindings,
};

use crate::terminal::{Stream, sanitize, sanitize_lines};
use crate::{Failure, Io};

#[cfg(unix)]
mod hangup;

/// A terminal that can be asked.
#[derive(Clone, Debug)]
pub struct Prompt {
    config: RenderConfig<'static>,
    discard: fn(),
}

/// The exit status of a process that Ctrl-C has ended.
const INTERRUPTED: u8 = 130;

impl Prompt {
    /// The terminal of `io`, if its input and both outputs are one that can move the cursor.
    pub fn of(io: &Io<'_>) -> Option<Self> {
        let is_terminal = io.stdin.is_terminal() && io.terminals.stdout && io.terminals.stderr;
        (is_terminal && io.moves_cursor()).then(|| Self {
            config: if io.colour(Stream::Stderr) {
                RenderConfig::default_colored()
            } else {
                RenderConfig::empty()
            }
            .with_canceled_prompt_indicator(Styled::new("<cancelled>")),
            discard: io.stdin.discard(),
        })
    }

    /// Asks for a decision, below `lines` about it. Keys that were typed before cannot be an answer.
    /// Returns the index of one of `options`.
    pub fn decide(
        &self,
        lines: &str,
        question: &str,
        options: &[impl AsRef<str>],
    ) -> Result<usize, Failure> {
        // Without a terminal, the question fails, too.
        let _ = std::io::stderr().write_all(sanitize_lines(lines).as_bytes());
        (self.discard)();
        let options: Vec<String> = options.iter().map(|it| it.as_ref().to_owned()).collect();
        self.select(&sanitize(question), &options)
    }

    /// Asks for the reason of a no, which `reader` reads. Returns it unless it is blank.
    pub fn reason(&self, reader: &str) -> Result<Option<String>, Failure> {
        let reason = self.text("Why not?", "", &format!("{reader} reads it"))?;
        Ok(Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty()))
    }

    /// Asks which of `options` apply, at first those at the indexes `chosen`. Returns the
    /// indexes of the answer.
    pub fn select_many(
        &self,
        question: &str,
        options: &[String],
        chosen: &[usize],
    ) -> Result<Vec<usize>, Failure> {
        MultiSelect::<String>::new(question, sanitized(options))
            .with_default(chosen)
            .with_help_message("arrow keys to move, space to choose, enter to confirm")
            .with_scorer(&by_beginning)
            .with_render_config(self.config)
            .raw_prompt()
            .map(|all| all.into_iter().map(|one| one.index).collect())
            .map_err(failure)
    }

    /// Asks for one of `options`, and returns its index.
    pub fn select(&self, question: &str, options: &[String]) -> Result<usize, Failure> {
        Select::<String>::new(question, sanitized(options))
            .with_help_message("arrow keys to move, letters to filter, enter to choose")
            .with_scorer(&by_beginning)
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

fn sanitized(options: &[String]) -> Vec<String> {
    let options = options.iter();
    options
        .map(|option| sanitize(option).into_owned())
        .collect()
}

/// Filters answers by their beginning: `n` is not to choose `yes, once`. Control characters are no
/// letters of an answer.
fn by_beginning(typed: &str, _: &String, answer: &str, _: usize) -> Option<i64> {
    let typed = typed.trim_matches(char::is_control);
    let beginning = answer.get(..typed.len())?;
    beginning.eq_ignore_ascii_case(typed).then_some(0)
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

/// The name of the menu with completions.
const MENU: &str = "completion";
/// The interval of the checks for signals.
const POLL: Duration = Duration::from_millis(100);

/// A source of completions for the word before the cursor.
pub trait Complete: Send {
    /// The completions of `line`, of which `end` bytes are before the cursor.
    fn complete(&self, line: &str, end: usize) -> Vec<Completion>;
}

/// One completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The start of the word that it replaces, in bytes.
    pub start: usize,
    /// The replacement, without control characters.
    pub text: String,
    /// True if the word is complete, and a space follows.
    pub is_whole: bool,
}

/// The initial state of a [`LineEditor`].
pub struct LineOptions {
    /// Earlier lines, the oldest first.
    pub history: Vec<String>,
    /// The number of lines kept in the history.
    pub capacity: usize,
    /// The completions of words.
    pub complete: Box<dyn Complete>,
    /// A flag that ends the typing of a line: set by signals, and reset.
    pub broken: Arc<AtomicBool>,
}

/// A terminal at which a user types lines. It is drawn on standard error.
pub struct LineEditor {
    editor: Reedline,
}

/// Input of a user.
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
        let open = ReedlineEvent::Menu(MENU.to_owned());
        let next = ReedlineEvent::UntilFound(vec![open, ReedlineEvent::MenuNext]);
        let previous = ReedlineEvent::MenuPrevious;
        keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, next);
        keys.add_binding(KeyModifiers::SHIFT, KeyCode::BackTab, previous);
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
        let _watch = hangup::HangupWatch::begin();
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

/// The prompt: `> `, and two blanks before further lines.
struct Indicator;

impl reedline::Prompt for Indicator {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        "".into()
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        "".into()
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        "> ".into()
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        "  ".into()
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        let found = match search.status {
            PromptHistorySearchStatus::Passing => "search",
            PromptHistorySearchStatus::Failing => "not found",
        };
        format!("({found}: {}) ", visible(&search.term)).into()
    }
}

/// Draws a line as it is, except for characters that control the terminal or cannot be seen: text
/// is also pasted.
struct Visible;

impl Highlighter for Visible {
    fn highlight(&self, line: &str, _: usize) -> StyledText {
        let mut text = StyledText::new();
        text.push((Color::Default.normal(), visible(line)));
        text
    }
}

/// `text` with a sign of the same number of bytes for each unsafe character, so that positions in
/// both are the same.
fn visible(text: &str) -> String {
    let mut buffer = [0; 4];
    let sign = |letter: char| {
        let is_plain = letter == '\n' || {
            let one = letter.encode_utf8(&mut buffer);
            matches!(sanitize(one), Cow::Borrowed(_))
        };
        match letter {
            letter if is_plain => letter.to_string(),
            '\t' => " ".to_owned(),
            letter => match letter.len_utf8() {
                1 => "?".to_owned(),
                2 => "\u{b7}".to_owned(),
                3 => "\u{fffd}".to_owned(),
                bytes => "?".repeat(bytes),
            },
        }
    };
    text.chars().map(sign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_controls_a_terminal_is_not_drawn() {
        for (text, expected) in [
            ("Größe 🙂\n日本", "Größe 🙂\n日本"),
            ("a\tb", "a b"),
            ("\u{1b}]0;x\u{7}", "?]0;x?"),
            ("\u{9b}2J", "·2J"),
            ("a\u{202e}b\u{200b}", "a\u{fffd}b\u{fffd}"),
            ("\u{e0041}", "????"),
        ] {
            let drawn = visible(text);
            assert_eq!(drawn, expected);
            assert_eq!(drawn.len(), text.len(), "{text:?}");
        }
    }
}
