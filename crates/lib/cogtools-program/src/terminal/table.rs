//! A table with columns separated by spaces, the same on a terminal and a pipe.
//!
//! Widths are columns of a terminal: a Chinese character is two columns wide, and a combining
//! character none.

use unicode_width::UnicodeWidthStr as _;

use super::sanitize;
use super::style::{BOLD, PLAIN, Style, paint};

/// The space between two columns.
const GAP: &str = "  ";

/// A column of a [`Table`].
#[derive(Clone, Copy, Debug)]
pub struct Column {
    title: &'static str,
    right: bool,
    optional: bool,
}

impl Column {
    /// A column of text.
    pub const fn text(title: &'static str) -> Self {
        Self {
            title,
            right: false,
            optional: false,
        }
    }

    /// A column of numbers, aligned to the right.
    pub const fn number(title: &'static str) -> Self {
        Self {
            right: true,
            ..Self::text(title)
        }
    }

    /// Leaves the column out if all its cells are empty.
    #[must_use]
    pub const fn optional(self) -> Self {
        Self {
            optional: true,
            ..self
        }
    }
}

/// Rows below a header.
#[derive(Clone, Debug)]
pub struct Table<const N: usize> {
    columns: [Column; N],
    rows: Vec<(Style, [String; N])>,
}

impl<const N: usize> Table<N> {
    /// A table without rows.
    pub const fn new(columns: [Column; N]) -> Self {
        Self {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row; its `cells` are sanitized.
    pub fn row(&mut self, cells: [String; N]) {
        self.styled_row(PLAIN, cells);
    }

    /// Adds a row in the given style.
    pub fn styled_row(&mut self, style: Style, cells: [String; N]) {
        let cells = cells.map(|cell| sanitize(&cell).into_owned());
        self.rows.push((style, cells));
    }

    /// The lines of the table, with the header in bold if `colour` is set.
    pub fn render(&self, colour: bool) -> String {
        let widths = self.widths();
        let titles = self.columns.map(|column| column.title.to_owned());
        let rows = self.rows.iter().map(|(style, cells)| (*style, cells));
        std::iter::once((BOLD, &titles))
            .chain(rows)
            .map(|(style, cells)| {
                let line = self.line(cells, &widths);
                let colour = colour && style != PLAIN;
                paint(&line, style, colour) + "\n"
            })
            .collect()
    }

    /// The width of each column; `None` if it is left out.
    fn widths(&self) -> [Option<usize>; N] {
        std::array::from_fn(|index| {
            let column = self.columns[index];
            let cells = self.rows.iter().map(|(_, cells)| cells[index].width());
            match cells.max().unwrap_or(0) {
                0 if column.optional => None,
                widest => Some(widest.max(column.title.width())),
            }
        })
    }

    fn line(&self, cells: &[String; N], widths: &[Option<usize>; N]) -> String {
        let mut line = String::new();
        for ((column, cell), width) in self.columns.iter().zip(cells).zip(widths) {
            let Some(width) = *width else { continue };
            let space = " ".repeat(width.saturating_sub(cell.width()));
            let parts = if column.right {
                [&space, cell.as_str(), GAP]
            } else {
                [cell.as_str(), &space, GAP]
            };
            line.extend(parts);
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// `text`, padded with spaces to `width` columns of a terminal.
pub fn pad(text: &str, width: usize) -> String {
    let space = " ".repeat(width.saturating_sub(text.width()));
    format!("{text}{space}")
}

#[cfg(test)]
mod tests {
    use super::super::style::RED;
    use super::*;

    fn table() -> Table<4> {
        let mut table = Table::new([
            Column::text("NAME"),
            Column::text("SET").optional(),
            Column::number("N"),
            Column::text("NOTES"),
        ]);
        table.row(["天気".into(), String::new(), "10".into(), String::new()]);
        table.row([
            "e\u{301}".into(),
            String::new(),
            "7".into(),
            "a\u{202e}b\nc".into(),
        ]);
        table.styled_row(RED, ["five5".into(), String::new(), "-".into(), "x".into()]);
        table
    }

    #[test]
    fn columns_are_aligned_by_display_width() {
        assert_eq!(
            table().render(false),
            "NAME    N  NOTES\n\
             天気   10\n\
             e\u{301}       7  a\\u{202e}b\\nc\n\
             five5   -  x\n"
        );
    }

    #[test]
    fn styles_are_escape_sequences() {
        assert_eq!(
            table().render(true),
            "\u{1b}[1mNAME    N  NOTES\u{1b}[0m\n\
             天気   10\n\
             e\u{301}       7  a\\u{202e}b\\nc\n\
             \u{1b}[31mfive5   -  x\u{1b}[0m\n"
        );
    }

    #[test]
    fn an_optional_column_is_shown_if_a_cell_is_not_empty() {
        let mut table = table();
        table.row(["a".into(), "s".into(), "1".into(), String::new()]);
        assert_eq!(
            table.render(false),
            "NAME   SET   N  NOTES\n\
             天気        10\n\
             e\u{301}            7  a\\u{202e}b\\nc\n\
             five5        -  x\n\
             a      s     1\n"
        );
    }
}
