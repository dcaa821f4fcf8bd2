//! Markdown at a terminal: blocks are shown styled as soon as they are whole.
//!
//! A pipe gets the text of the model. Characters that control a terminal are escaped after the
//! text is parsed, because entities such as `&#27;` stand for them.

use anstyle::Style;
use cogtools_program::terminal::sanitize_lines;
use cogtools_program::terminal::style::{BOLD, CYAN, DIM, paint};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthStr as _;

/// The marks of a fence.
const FENCES: [&str; 2] = ["```", "~~~"];

/// A text in Markdown that arrives in pieces.
#[derive(Debug, Default)]
pub(crate) struct Markdown {
    /// The part that is not shown yet.
    pending: String,
    has_output: bool,
}

impl Markdown {
    /// Adds the next piece. Returns the blocks that are whole now, ready to print.
    pub(crate) fn push(&mut self, text: &str) -> String {
        self.pending.push_str(text);
        let end = self.end_of_blocks();
        let whole: String = self.pending.drain(..end).collect();
        self.show(&whole)
    }

    /// Ends the text. Returns what is left of it, ready to print.
    pub(crate) fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.pending);
        let shown = self.show(&rest);
        self.has_output = false;
        shown
    }

    fn show(&mut self, text: &str) -> String {
        let shown = render(text);
        if shown.is_empty() {
            return shown;
        }
        let gap = if std::mem::replace(&mut self.has_output, true) {
            "\n"
        } else {
            ""
        };
        format!("{gap}{shown}")
    }

    /// The end of the last block after which a line begins that belongs to no block before it. The
    /// last line may go on.
    fn end_of_blocks(&self) -> usize {
        let (mut end, mut at, mut is_fenced, mut is_blank) = (0, 0, false, false);
        for line in self.pending.split_inclusive('\n') {
            let start = line.trim_start();
            let begins_block =
                |c: char| !c.is_whitespace() && !"-*+".contains(c) && !c.is_numeric();
            if is_blank && !is_fenced && line.starts_with(begins_block) {
                end = at;
            }
            let is_whole = line.ends_with('\n');
            is_fenced ^= is_whole && FENCES.iter().any(|fence| start.starts_with(fence));
            is_blank = is_whole && start.is_empty();
            at += line.len();
        }
        end
    }
}

/// Blocks as text for a terminal. Each ends its last line.
fn render(text: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut page = Page::default();
    for event in Parser::new_ext(text, options) {
        page.add(event);
    }
    page.end_line();
    page.out
}

/// The text so far, and what surrounds the next word.
#[derive(Default)]
struct Page {
    out: String,
    /// True if the line has text.
    is_within_line: bool,
    /// True right after the mark of an item.
    is_after_mark: bool,
    /// The beginnings of lines: indentation and bars of quotations.
    prefix: Vec<String>,
    styles: Vec<Style>,
    /// The open lists, with the number of the next item.
    lists: Vec<Option<u64>>,
    /// The addresses of open links; empty if the text is the address.
    links: Vec<String>,
    /// The rows of the open table: cells with their widths.
    table: Vec<Vec<(String, usize)>>,
    is_in_table: bool,
}

impl Page {
    fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Code(code) => self.styled(&sanitize_lines(&code), CYAN),
            Event::SoftBreak | Event::HardBreak if self.is_in_table => self.put(" "),
            Event::SoftBreak | Event::HardBreak => self.put("\n"),
            Event::Rule => {
                self.begin_block();
                self.styled(&"─".repeat(20), DIM);
                self.end_line();
            }
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.put(&sanitize_lines(&text));
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.begin_block(),
            Tag::Heading { .. } => {
                self.begin_block();
                self.styles.push(BOLD);
            }
            Tag::BlockQuote(_) => {
                self.begin_block();
                self.prefix.push("│ ".to_owned());
                self.is_after_mark = true;
            }
            Tag::CodeBlock(_) => {
                self.begin_block();
                self.prefix.push("    ".to_owned());
                self.styles.push(CYAN);
            }
            Tag::List(number) => {
                if self.lists.is_empty() {
                    self.begin_block();
                }
                self.lists.push(number);
            }
            Tag::Item => {
                self.end_line();
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                };
                self.put(&mark);
                self.prefix.push(" ".repeat(mark.width()));
                self.is_after_mark = true;
            }
            Tag::Emphasis => self.styles.push(Style::new().italic()),
            Tag::Strong => self.styles.push(BOLD),
            Tag::Strikethrough => self.styles.push(Style::new().strikethrough()),
            Tag::Link {
                link_type: LinkType::Autolink | LinkType::Email,
                ..
            } => self.links.push(String::new()),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push(sanitize_lines(&dest_url).into_owned());
            }
            Tag::Table(_) => {
                self.begin_block();
                self.is_in_table = true;
            }
            Tag::TableHead | Tag::TableRow => self.table.push(Vec::new()),
            Tag::TableCell => {
                if let Some(row) = self.table.last_mut() {
                    row.push((String::new(), 0));
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.end_line();
            }
            TagEnd::CodeBlock => {
                self.styles.pop();
                self.end_line();
                self.prefix.pop();
            }
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.end_line();
                self.prefix.pop();
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => {
                if let Some(url) = self.links.pop().filter(|url| !url.is_empty()) {
                    self.styled(&format!(" ({url})"), DIM);
                }
            }
            TagEnd::Table => self.end_table(),
            TagEnd::Paragraph => self.end_line(),
            _ => {}
        }
    }

    /// Goes to a new line for a block, below an empty one outside of lists.
    fn begin_block(&mut self) {
        if std::mem::take(&mut self.is_after_mark) {
            return;
        }
        self.end_line();
        if !self.out.is_empty() && self.lists.is_empty() {
            let prefix = self.prefix.concat();
            self.out.push_str(prefix.trim_end());
            self.out.push('\n');
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.is_within_line) {
            self.out.push('\n');
        }
    }

    fn styled(&mut self, text: &str, style: Style) {
        self.styles.push(style);
        self.put(text);
        self.styles.pop();
    }

    fn put(&mut self, text: &str) {
        self.is_after_mark = false;
        let style = self.styles.iter().fold(Style::new(), |sum, style| {
            sum.fg_color(style.get_fg_color().or(sum.get_fg_color()))
                .effects(sum.get_effects() | style.get_effects())
        });
        if self.is_in_table {
            if let Some((cell, width)) = self.table.last_mut().and_then(|row| row.last_mut()) {
                cell.push_str(&paint(text, style, true));
                *width += text.width();
            }
            return;
        }
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.out.push('\n');
                self.is_within_line = false;
            }
            if line.is_empty() {
                continue;
            }
            if !std::mem::replace(&mut self.is_within_line, true) {
                self.out.push_str(&self.prefix.concat());
            }
            self.out.push_str(&paint(line, style, true));
        }
    }

    /// Shows the rows of the table, with a line below its head.
    fn end_table(&mut self) {
        self.is_in_table = false;
        let rows = std::mem::take(&mut self.table);
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let of_column = |column: usize| rows.iter().filter_map(move |row| row.get(column));
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                of_column(column)
                    .map(|(_, width)| *width)
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        for (index, row) in rows.iter().enumerate() {
            let cells = row.iter().zip(&widths).map(|((cell, width), column)| {
                format!("{cell}{}", " ".repeat(column.saturating_sub(*width)))
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            self.put(line.trim_end());
            self.end_line();
            if index == 0 {
                let lines = widths.iter().map(|width| "─".repeat(*width));
                let line = lines.collect::<Vec<_>>().join("  ");
                self.styled(&line, DIM);
                self.end_line();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a text that arrives whole, and character by character.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let visible = |text: String| {
            let text = text.replace("\u{1b}[0m", "}");
            let marks = [
                ("[1m", "b"),
                ("[2m", "d"),
                ("[3m", "i"),
                ("[9m", "s"),
                ("[36m", "c"),
            ];
            marks.iter().fold(text, |text, (code, mark)| {
                text.replace(&format!("\u{1b}{code}"), &format!("{{{mark} "))
            })
        };
        for size in [1, text.len()] {
            let mut markdown = Markdown::default();
            let pieces: Vec<char> = text.chars().collect();
            let pieces = pieces
                .chunks(size)
                .map(|piece| piece.iter().collect::<String>());
            let mut shown: String = pieces.map(|piece| markdown.push(&piece)).collect();
            shown.push_str(&markdown.finish());
            assert_eq!(visible(shown), expected, "{text:?}, {size}");
        }
    }

    #[test]
    fn words_are_styled() {
        check("plain", "plain\n");
        check("a **b** *c* ~~d~~ `e`\nf", "a {b b} {i c} {s d} {c e}\nf\n");
        check("# Title\n\nText.", "{b Title}\n\nText.\n");
        check(
            "[a](https://b) <https://c>",
            "a{d  (https://b)} https://c\n",
        );
        check(
            "2 * 3 * 4 and snake_case_word",
            "2 * 3 * 4 and snake_case_word\n",
        );
    }

    #[test]
    fn nothing_controls_the_terminal() {
        for text in [
            "a &#27;[31m \u{1b}[31m",
            "`\u{1b}[31m`",
            "    \u{1b}[31m &#x9b;1m",
            "[a](<b&#27;c>)",
            "<b>&#27;</b> <x \u{1b}>",
            "| &#27; |\n|---|\n| &#x9d;0;t&#7; |\n",
            "&#8238;evil",
        ] {
            let mut markdown = Markdown::default();
            let mut shown = markdown.push(text);
            shown.push_str(&markdown.finish());
            for mark in ["\u{1b}[0m", "\u{1b}[2m", "\u{1b}[36m"] {
                shown = shown.replace(mark, "");
            }
            let is_hidden = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
            assert!(!shown.contains(is_hidden), "{text:?}: {shown:?}");
        }
    }

    #[test]
    fn blocks_keep_their_form() {
        check(
            "- a\n- b\n  - c\n- d\n\nEnd",
            "• a\n• b\n  • c\n• d\n\nEnd\n",
        );
        check("3. a\n4. b", "3. a\n4. b\n");
        check(
            "```sh\nls\n\npwd\n```\nEnd",
            "    {c ls}\n\n    {c pwd}\n\nEnd\n",
        );
        check("> a\n> b", "│ a\n│ b\n");
        check(
            "| a | bc |\n|---|---|\n| **1** | 2 |\n",
            "a  bc\n{d ─  ──}\n{b 1}  2\n",
        );
        check("a\n\n---\n\nb", "a\n\n{d ────────────────────}\n\nb\n");
    }

    #[test]
    fn a_block_is_shown_when_the_next_one_begins() {
        let mut markdown = Markdown::default();
        assert_eq!(markdown.push("One.\n\n"), "");
        assert_eq!(markdown.push("T"), "One.\n");
        assert_eq!(markdown.push("wo."), "");
        assert_eq!(markdown.finish(), "\nTwo.\n");
    }
}
