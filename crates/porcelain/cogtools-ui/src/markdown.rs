//! Texts as HTML: Markdown, JSON that can be folded, and differences between files.
//!
//! Only this module makes HTML of texts. It escapes all of them, so that markup in a text is text;
//! a link is a button that shows its address, which alone can be followed.

use std::fmt::Write as _;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use serde::Serialize;
use serde_json::Value;

/// HTML without anything but the elements of this module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Html(String);

/// The number of entries of an object or a list that is open from the start.
const MAX_OPEN: usize = 20;
/// The depth to which objects and lists are open from the start.
const MAX_OPEN_DEPTH: usize = 2;

impl Html {
    /// Renders the Markdown `text`. `name` makes the links different from others on the page.
    pub(crate) fn markdown(text: &str, name: &str) -> Self {
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        let mut renderer = Renderer {
            name,
            ..Renderer::default()
        };
        Parser::new_ext(text, options).for_each(|event| renderer.event(event));
        Self(renderer.html)
    }

    /// Renders JSON or a difference between files; `None` if `text` is neither.
    pub(crate) fn structured(text: &str) -> Option<Self> {
        let trimmed = text.trim();
        let mut html = String::new();
        if trimmed.starts_with(['{', '[']) {
            let value: Value = serde_json::from_str(trimmed).ok()?;
            tree(&mut html, &value, 0);
            return Some(Self(format!("<div class=\"json\">{html}</div>")));
        }
        let is_diff = trimmed.starts_with("diff --git ")
            || (trimmed.starts_with("--- ") && trimmed.contains("\n+++ "));
        (is_diff && trimmed.contains("\n@@ ")).then(|| Self::difference(text))
    }

    /// Renders a difference between texts.
    pub(crate) fn difference(text: &str) -> Self {
        let mut html = String::new();
        difference(&mut html, text);
        Self(pre(&html, "Differences"))
    }

    /// Renders a part of a page: structured if it can be, else as it is.
    pub(crate) fn block(text: &str, label: &str) -> Self {
        Self::structured(text).unwrap_or_else(|| Self(pre(&escape(text), label)))
    }
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            char => escaped.push(char),
        }
    }
    escaped
}

/// A block of escaped text that scrolls, also by keyboard.
fn pre(html: &str, label: &str) -> String {
    let label = escape(label);
    format!("<pre tabindex=\"0\" role=\"group\" aria-label=\"{label}\">{html}</pre>")
}

/// Writes a difference between files, with what is added and what is removed.
fn difference(html: &mut String, text: &str) {
    for line in text.lines() {
        let element = match line.as_bytes().first() {
            Some(b'+') => "ins",
            Some(b'-') => "del",
            _ => "span",
        };
        let _ = writeln!(html, "<{element}>{}</{element}>", escape(line));
    }
}

/// Writes a value of JSON; objects and lists can be folded.
fn tree(html: &mut String, value: &Value, depth: usize) {
    let entries: Vec<(Option<&str>, &Value)> = match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(key, one)| (Some(&**key), one))
            .collect(),
        Value::Array(items) => items.iter().map(|one| (None, one)).collect(),
        scalar => {
            let kind = match scalar {
                Value::String(_) => "string",
                Value::Number(_) => "number",
                _ => "word",
            };
            let text = escape(&scalar.to_string());
            let _ = write!(html, "<span class=\"{kind}\">{text}</span>");
            return;
        }
    };
    let (start, end) = if value.is_object() {
        ('{', '}')
    } else {
        ('[', ']')
    };
    if entries.is_empty() {
        let _ = write!(html, "{start}{end}");
        return;
    }
    let is_open = depth < MAX_OPEN_DEPTH && entries.len() <= MAX_OPEN;
    let open = if is_open { " open" } else { "" };
    let count = entries.len();
    let _ = write!(
        html,
        "<details{open}><summary>{start} {count} {end}</summary><ul>"
    );
    for (key, one) in entries {
        html.push_str("<li>");
        if let Some(key) = key {
            let _ = write!(html, "<span class=\"key\">{}</span>: ", escape(key));
        }
        tree(html, one, depth + 1);
        html.push_str("</li>");
    }
    html.push_str("</ul></details>");
}

/// Writes HTML for the events of a parser.
#[derive(Default)]
struct Renderer<'n> {
    html: String,
    name: &'n str,
    /// The number of links so far.
    links: usize,
    /// The length of the HTML before the text of the link that is open.
    label_start: usize,
    /// The addresses of the links and pictures that are open.
    targets: Vec<String>,
    /// The language and the text of the code block that is open.
    code: Option<(String, String)>,
    /// True inside the head of a table.
    is_head: bool,
    /// The ends of the elements that are open.
    ends: Vec<&'static str>,
}

impl Renderer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.html.push_str(&escape(&text)),
            },
            Event::Code(text) => {
                let _ = write!(self.html, "<code>{}</code>", escape(&text));
            }
            Event::SoftBreak => self.html.push('\n'),
            Event::HardBreak => self.html.push_str("<br>"),
            Event::Rule => self.html.push_str("<hr>"),
            Event::TaskListMarker(is_done) => {
                self.html.push_str(if is_done { "☑ " } else { "☐ " });
            }
            Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.html.push_str(&escape(&text)),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let (start, end) = match tag {
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
                return;
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.targets.push(dest_url.into_string());
                if self.targets.len() == 1 {
                    self.links += 1;
                    let (name, number) = (self.name, self.links);
                    let _ = write!(
                        self.html,
                        "<button type=\"button\" class=\"link\" popovertarget=\"link-{name}-{number}\">"
                    );
                    self.label_start = self.html.len();
                }
                return;
            }
            Tag::List(Some(first)) => (&*format!("<ol start=\"{first}\">"), "</ol>"),
            Tag::List(None) => ("<ul>", "</ul>"),
            Tag::Item => ("<li>", "</li>"),
            // The headings of a text are not those of the page.
            Tag::Heading { .. } => ("<p class=\"heading\">", "</p>"),
            Tag::BlockQuote(_) => ("<blockquote>", "</blockquote>"),
            Tag::Table(_) => (
                "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table>",
                "</table></div>",
            ),
            Tag::TableHead => {
                self.is_head = true;
                ("<thead><tr>", "</tr></thead>")
            }
            Tag::TableRow => ("<tr>", "</tr>"),
            Tag::TableCell if self.is_head => ("<th scope=\"col\">", "</th>"),
            Tag::TableCell => ("<td>", "</td>"),
            Tag::Emphasis => ("<em>", "</em>"),
            Tag::Strong => ("<strong>", "</strong>"),
            Tag::Strikethrough => ("<del>", "</del>"),
            Tag::Paragraph | Tag::HtmlBlock => ("<p>", "</p>"),
            _ => ("<div>", "</div>"),
        };
        self.html.push_str(start);
        self.ends.push(end);
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => self.html.push_str(self.ends.pop().unwrap_or_default()),
        }
        self.is_head &= tag != TagEnd::TableHead;
    }

    fn end_code(&mut self) {
        let (language, code) = self.code.take().unwrap_or_default();
        let html = match language.split_whitespace().next().unwrap_or_default() {
            "diff" | "patch" => Html::difference(&code),
            "json" => Html::block(&code, "Code"),
            _ => Html(pre(&escape(&code), "Code")),
        };
        self.html.push_str(&html.0);
    }

    /// Ends a link: its address opens beside it, and only what a browser may open is a link there.
    fn end_link(&mut self) {
        let Some(target) = self.targets.pop().filter(|_| self.targets.is_empty()) else {
            return;
        };
        let address = escape(&target);
        if self.html.len() == self.label_start {
            self.html
                .push_str(if address.is_empty() { "link" } else { &address });
        }
        let lower = target.to_ascii_lowercase();
        let is_safe = ["https://", "http://", "mailto:"]
            .iter()
            .any(|scheme| lower.starts_with(scheme));
        let shown = if is_safe {
            format!(
                "<a href=\"{address}\" target=\"_blank\" rel=\"noopener noreferrer\">{address}</a>"
            )
        } else {
            format!("<code>{address}</code>")
        };
        let _ = write!(
            self.html,
            "</button><span class=\"address\" id=\"link-{}-{}\" popover>{shown}</span>",
            self.name, self.links
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(Html::markdown(text, "1").0, expected, "{text}");
    }

    #[test]
    fn markdown_keeps_its_structure() {
        check(
            "1. a\n\n   ```\n   x\n   ```\n2. b",
            "<ol start=\"1\"><li><p>a</p><pre tabindex=\"0\" role=\"group\" aria-label=\"Code\">x\n\
             </pre></li><li><p>b</p></li></ol>",
        );
        check("- a\n  - b", "<ul><li>a<ul><li>b</li></ul></li></ul>");
        check("- [x] a\n- [ ] b", "<ul><li>☑ a</li><li>☐ b</li></ul>");
        check("> a\n> b", "<blockquote><p>a\nb</p></blockquote>");
        check(
            r"\*a\* _b_ **c** `d`",
            "<p>*a* <em>b</em> <strong>c</strong> <code>d</code></p>",
        );
        check(
            "|a|\n|-|\n|b|",
            "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table>\
             <thead><tr><th scope=\"col\">a</th></tr></thead><tr><td>b</td></tr></table></div>",
        );
        check(
            "```diff\n+a\n-b\n```",
            "<pre tabindex=\"0\" role=\"group\" aria-label=\"Differences\"><ins>+a</ins>\n\
             <del>-b</del>\n</pre>",
        );
    }

    #[test]
    fn nothing_of_a_text_is_markup() {
        check("<b>\"x\"</b>", "<p>&lt;b&gt;&quot;x&quot;&lt;/b&gt;</p>");
        check(
            "<script>x</script>",
            "<p>&lt;script&gt;x&lt;/script&gt;</p>",
        );
        let code = Html::markdown("```<x>\n</pre><script>\n```", "1").0;
        assert!(!code.contains("<script") && !code.contains("<x"), "{code}");
        let json = Html::structured(r#"{"<b>": ["<i>"]}"#).expect("JSON").0;
        assert!(!json.contains("<b>") && !json.contains("<i>"), "{json}");
    }

    #[test]
    fn an_address_is_shown_before_it_is_followed() {
        let link = |address: &str, shown: &str| {
            check(
                &format!("[a]({address})"),
                &format!(
                    "<p><button type=\"button\" class=\"link\" popovertarget=\"link-1-1\">a</button>\
                     <span class=\"address\" id=\"link-1-1\" popover>{shown}</span></p>"
                ),
            );
        };
        link("javascript:x", "<code>javascript:x</code>");
        link("JaVaScRiPt:x", "<code>JaVaScRiPt:x</code>");
        link("data:text/html,x", "<code>data:text/html,x</code>");
        link("/tools", "<code>/tools</code>");
        link(
            "https://a.example/?a='&b",
            "<a href=\"https://a.example/?a=&#39;&amp;b\" target=\"_blank\" \
             rel=\"noopener noreferrer\">https://a.example/?a=&#39;&amp;b</a>",
        );
        let unnamed = Html::markdown("![](http://b.example/)", "1").0;
        assert!(unnamed.contains(">http://b.example/</button>"), "{unnamed}");
        let nested = Html::markdown("[![a](https://b.example/)](https://c.example/)", "1").0;
        assert_eq!(nested.matches("<button").count(), 1, "{nested}");
        assert!(!nested.contains("<img"), "{nested}");
    }

    #[test]
    fn json_is_folded_and_typed() {
        let html = Html::structured(r#"{"a": [1, "b", null], "c": {}}"#)
            .expect("JSON")
            .0;
        assert_eq!(
            html,
            "<div class=\"json\"><details open><summary>{ 2 }</summary><ul>\
             <li><span class=\"key\">a</span>: <details open><summary>[ 3 ]</summary><ul>\
             <li><span class=\"number\">1</span></li>\
             <li><span class=\"string\">&quot;b&quot;</span></li>\
             <li><span class=\"word\">null</span></li></ul></details></li>\
             <li><span class=\"key\">c</span>: {}</li></ul></details></div>"
        );
        assert_eq!(Html::structured("[not JSON"), None);
        assert_eq!(Html::structured("plain"), None);
        let diff = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n";
        assert!(Html::structured(diff).is_some_and(|html| html.0.contains("<ins>+y</ins>")));
    }
}
