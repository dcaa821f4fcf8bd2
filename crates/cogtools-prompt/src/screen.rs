//! How a line is drawn while it is typed: a prompt, and the text without what controls a terminal.

use std::borrow::Cow;

use cogtools_program::terminal::sanitize;
use reedline::{
    Color, Highlighter, Prompt, PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus,
    StyledText,
};

/// The prompt: `> `, and two blanks before further lines.
pub(crate) struct Indicator;

impl Prompt for Indicator {
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
pub(crate) struct Visible;

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
