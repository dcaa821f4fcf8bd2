//! The styles that all programs share.

use anstyle::AnsiColor;
pub use anstyle::Style;

/// Unstyled text.
pub const PLAIN: Style = Style::new();
/// A heading.
pub const BOLD: Style = Style::new().bold();
/// Text that passes.
pub const DIM: Style = Style::new().dimmed();
/// Errors and failures.
pub const RED: Style = AnsiColor::Red.on_default();
/// Success.
pub const GREEN: Style = AnsiColor::Green.on_default();
/// Warnings.
pub const YELLOW: Style = AnsiColor::Yellow.on_default();
/// Hints.
pub const CYAN: Style = AnsiColor::Cyan.on_default();

/// `text` in `style` if there is `colour`.
pub fn paint(text: &str, style: Style, colour: bool) -> String {
    if colour {
        format!("{style}{text}{style:#}")
    } else {
        text.to_owned()
    }
}
