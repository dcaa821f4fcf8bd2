//! The colours of all programs.

use anstyle::AnsiColor;
pub use anstyle::Style;

/// Text as it is.
pub const PLAIN: Style = Style::new();
/// A heading.
pub const BOLD: Style = Style::new().bold();
/// What is wrong.
pub const RED: Style = AnsiColor::Red.on_default();
/// What is right.
pub const GREEN: Style = AnsiColor::Green.on_default();
/// What may be wrong.
pub const YELLOW: Style = AnsiColor::Yellow.on_default();
/// What to do next.
pub const CYAN: Style = AnsiColor::Cyan.on_default();

/// `text` in `style` if there is `colour`.
pub fn paint(text: &str, style: Style, colour: bool) -> String {
    if colour {
        format!("{style}{text}{style:#}")
    } else {
        text.to_owned()
    }
}
