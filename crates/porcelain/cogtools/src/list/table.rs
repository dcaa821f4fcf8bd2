//! The list as a table.

use cogtools_program::terminal::style::{PLAIN, RED};
use cogtools_program::terminal::{Column, Table, pluralize};

use crate::list::row::{self, Row};
use crate::list::shown;

/// The table, followed by the total cost.
pub(crate) fn render(rows: &[Row], colour: bool) -> String {
    let mut table = Table::new([
        Column::text("NAME"),
        Column::text("TOOLSET").optional(),
        Column::text("SOURCE"),
        Column::text("FILE"),
        Column::number("TOKENS"),
        Column::text("NOTES"),
    ]);
    for row in rows {
        let style = if row.cost.is_err() { RED } else { PLAIN };
        table.styled_row(style, cells(row));
    }
    format!("{}\n{}", table.render(colour), summary(rows))
}

fn cells(row: &Row) -> [String; 6] {
    let tokens = row
        .cost
        .as_ref()
        .map_or_else(|_| "-".to_owned(), usize::to_string);
    [
        row.name.clone(),
        row.toolset.clone().unwrap_or_default(),
        row.source.clone(),
        shown(&row.file),
        tokens,
        row.notes(),
    ]
}

fn summary(rows: &[Row]) -> String {
    let invalid = rows.iter().filter(|row| row.cost.is_err()).count();
    let tools = pluralize(rows.len() - invalid, "tool");
    let tokens = row::total(rows);
    let suffix = match invalid {
        0 => String::new(),
        invalid => format!("; {invalid} invalid"),
    };
    format!("{tools}, about {tokens} tokens with every request{suffix}\n")
}
