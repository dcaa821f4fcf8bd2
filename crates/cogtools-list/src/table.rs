//! The list as a table: columns of spaces, the same on a terminal and a pipe.

use crate::row::{self, Row};
use crate::shown;

const HEAD: [&str; COLUMNS] = ["NAME", "TOOLSET", "SOURCE", "FILE", "TOKENS", "NOTES"];
const COLUMNS: usize = 6;
/// The column that is left out where no tool is in a toolset.
const TOOLSET: usize = 1;
/// The column of numbers, which are set to the right.
const TOKENS: usize = 4;

const BOLD: &str = "1";
const RED: &str = "31";

/// The table with what all of it costs below.
pub(crate) fn render(rows: &[Row], colour: bool) -> String {
    let cells: Vec<[String; COLUMNS]> = rows.iter().map(cells).collect();
    let mut widths = HEAD.map(str::len);
    for line in &cells {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = cell.chars().count().max(*width);
        }
    }
    if rows.iter().all(|row| row.toolset.is_none()) {
        widths[TOOLSET] = 0;
    }
    let paint = |line: String, style: Option<&str>| match style {
        Some(style) if colour => format!("\u{1b}[{style}m{line}\u{1b}[0m\n"),
        _ => line + "\n",
    };
    let mut text = paint(line(&HEAD.map(str::to_owned), widths), Some(BOLD));
    for (row, cells) in rows.iter().zip(&cells) {
        text.push_str(&paint(
            line(cells, widths),
            row.cost.is_err().then_some(RED),
        ));
    }
    text.push('\n');
    text.push_str(&summary(rows));
    text
}

fn cells(row: &Row) -> [String; COLUMNS] {
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
    .map(|cell| plain(&cell))
}

/// `cell` on one line, whatever is in a file's name.
fn plain(cell: &str) -> String {
    cell.chars()
        .map(|c| if c.is_control() { '·' } else { c })
        .collect()
}

fn line(cells: &[String; COLUMNS], widths: [usize; COLUMNS]) -> String {
    let mut line = String::new();
    for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
        if column == TOOLSET && width == 0 {
            continue;
        }
        let gap = " ".repeat(width - cell.chars().count());
        if column == TOKENS {
            line.push_str(&gap);
            line.push_str(cell);
        } else {
            line.push_str(cell);
            line.push_str(&gap);
        }
        line.push_str("  ");
    }
    line.trim_end().to_owned()
}

fn summary(rows: &[Row]) -> String {
    let broken = rows.iter().filter(|row| row.cost.is_err()).count();
    let sound = rows.len() - broken;
    let tools = if sound == 1 { "tool" } else { "tools" };
    let tokens = row::total(rows);
    let broken = match broken {
        0 => String::new(),
        broken => format!("; {broken} broken"),
    };
    format!("{sound} {tools}, about {tokens} tokens with every request{broken}\n")
}
