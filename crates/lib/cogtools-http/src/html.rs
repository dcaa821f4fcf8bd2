//! The Markdown of a page in HTML: headings, paragraphs, lists, links, code and tables of text.
//!
//! It is for models that read a page, so what is not text is left out, and no page is an error.

use html_escape::decode_html_entities;

/// The deepest indentation of a list: pages of strangers nest without an end.
const MAX_DEPTH: usize = 12;

/// Returns true if the content of an element is not text of the page.
fn is_hidden(name: &str) -> bool {
    matches!(
        name,
        "script" | "style" | "head" | "noscript" | "template" | "svg" | "iframe" | "object"
    )
}

/// Returns true if an element begins a new paragraph.
fn is_block(name: &str) -> bool {
    const BLOCKS: &str = "p div section article header footer main nav aside ul ol dl table form \
                          figure blockquote pre h1 h2 h3 h4 h5 h6 hr";
    BLOCKS.split(' ').any(|block| block == name)
}

/// Converts a page.
pub(crate) fn markdown(html: &str) -> String {
    let mut page = Page::default();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        page.text(&rest[..start]);
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let is_tag = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
        if !is_tag {
            page.text("<");
            rest = &rest[1..];
            continue;
        }
        let end = end_of_tag(rest);
        let tag = &rest[1..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        let name = |tag: &str| {
            let end = tag
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(tag.len());
            tag[..end].to_ascii_lowercase()
        };
        if let Some(closed) = tag.strip_prefix('/') {
            page.close(&name(closed));
            continue;
        }
        let name = name(tag);
        if is_hidden(&name) && !tag.ends_with('/') {
            let closing = format!("</{name}");
            let found = find_ignoring_case(rest, &closing);
            rest = found.map_or("", |at| &rest[at..]);
            rest = rest.find('>').map_or("", |at| &rest[at + 1..]);
        } else {
            page.open(&name, tag);
        }
    }
    page.text(rest);
    let lines: Vec<&str> = page.out.lines().map(str::trim_end).collect();
    let mut text = lines.join("\n").trim().to_owned();
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text.push('\n');
    text
}

fn find_ignoring_case(text: &str, wanted: &str) -> Option<usize> {
    let (text, wanted) = (text.as_bytes(), wanted.as_bytes());
    text.windows(wanted.len())
        .position(|part| part.eq_ignore_ascii_case(wanted))
}

/// Returns the place of the `>` that ends a tag; one in quotes does not.
fn end_of_tag(tag: &str) -> usize {
    let mut quote = None;
    for (at, c) in tag.char_indices() {
        match (quote, c) {
            (None, '>') => return at,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    tag.len()
}

/// A page while it is converted.
#[derive(Default)]
struct Page {
    out: String,
    /// The targets of open links.
    links: Vec<Option<String>>,
    /// The open lists, each with the number of its next item; 0 for one without numbers.
    lists: Vec<usize>,
    is_code: bool,
}

impl Page {
    fn text(&mut self, text: &str) {
        let text = decode_html_entities(text);
        if self.is_code {
            self.out.push_str(&text);
            return;
        }
        for (index, word) in text.split_whitespace().enumerate() {
            let has_space = index > 0 || text.starts_with(char::is_whitespace);
            let at_start = self.out.is_empty() || self.out.ends_with(['\n', ' ', '[']);
            if has_space && !at_start {
                self.out.push(' ');
            }
            self.out.push_str(word);
        }
        if text.ends_with(char::is_whitespace) && !self.out.ends_with(['\n', ' ']) {
            self.out.push(' ');
        }
    }

    fn paragraph(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push_str("\n\n");
        }
    }

    fn open(&mut self, name: &str, tag: &str) {
        if is_block(name) && (self.lists.is_empty() || !matches!(name, "p" | "div")) {
            let is_nested = matches!(name, "ul" | "ol") && !self.lists.is_empty();
            if !is_nested {
                self.paragraph();
            }
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name[1..].parse().unwrap_or(1);
                self.out.push_str(&"#".repeat(level));
                self.out.push(' ');
            }
            "br" => self.out.push('\n'),
            "hr" => self.out.push_str("---"),
            "blockquote" => self.out.push_str("> "),
            "b" | "strong" => self.out.push_str("**"),
            "i" | "em" => self.out.push('*'),
            "code" if !self.is_code => self.out.push('`'),
            "pre" => {
                self.out.push_str("```\n");
                self.is_code = true;
            }
            "ul" => self.lists.push(0),
            "ol" => self.lists.push(1),
            "li" => {
                let depth = self.lists.len().saturating_sub(1).min(MAX_DEPTH);
                self.out.push('\n');
                self.out.push_str(&"  ".repeat(depth));
                match self.lists.last_mut() {
                    Some(number) if *number > 0 => {
                        self.out.push_str(&number.to_string());
                        self.out.push_str(". ");
                        *number += 1;
                    }
                    _ => self.out.push_str("- "),
                }
            }
            "tr" => self.out.push_str("\n| "),
            "a" => {
                let target = attribute(tag, "href").filter(|it| !it.starts_with('#'));
                if target.is_some() {
                    self.out.push('[');
                }
                self.links.push(target);
            }
            "img" => {
                let text = attribute(tag, "alt").filter(|text| !text.trim().is_empty());
                self.text(&text.unwrap_or_default());
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "b" | "strong" => self.out.push_str("**"),
            "i" | "em" => self.out.push('*'),
            "code" if !self.is_code => self.out.push('`'),
            "pre" => {
                self.is_code = false;
                self.out.push_str("\n```");
            }
            "ul" | "ol" => drop(self.lists.pop()),
            "td" | "th" => self.out.push_str(" | "),
            "a" => {
                if let Some(Some(target)) = self.links.pop() {
                    self.out.extend(["](", &target, ")"]);
                }
            }
            _ => {}
        }
        if is_block(name) && self.lists.is_empty() {
            self.paragraph();
        }
    }
}

/// Returns the value of an attribute.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let at = find_ignoring_case(tag, &format!(" {name}="))?;
    let value = &tag[at + name.len() + 2..];
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let value = match quote {
        Some(quote) => value[1..].split(quote).next(),
        None => value.split([' ', '>']).next(),
    };
    value.map(|value| decode_html_entities(value).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_nothing_but_tags_stays_small() {
        let nested = markdown(&("<ul>".repeat(10_000) + &"<li>".repeat(10_000)));
        assert!(nested.len() < 300_000, "{}", nested.len());
        assert_eq!(markdown(&"<p>".repeat(100_000)), "\n");
    }

    #[test]
    fn a_page_becomes_text_for_a_model() {
        for (html, expected) in [
            ("<h1>A &amp; B</h1><p>One\n two</p>", "# A & B\n\nOne two\n"),
            ("<script>if (a<b) {}</script>x", "x\n"),
            ("<ul><li>a<li>b</ul>c", "- a\n- b\n\nc\n"),
            (
                "<p>See <a href=\"/x?a=1&amp;b=2\">this</a>.",
                "See [this](/x?a=1&b=2).\n",
            ),
            ("<pre>a\n  b</pre>", "```\na\n  b\n```\n"),
            ("a < b <!-- c --> d", "a < b d\n"),
            ("<b>bold</b> <em>it</em>", "**bold** *it*\n"),
            ("<p title='>'>t &#x41;&#66; &bogus; &", "t AB &bogus; &\n"),
            ("<script>", "\n"),
            ("<é", "<é\n"),
        ] {
            assert_eq!(markdown(html), expected, "{html}");
        }
    }
}
