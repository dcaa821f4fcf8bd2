//! Code in colours, for a person who decides about it.

use std::ops::Range;

use cogtools_js_syntax::{MAX_NESTING, body_parser, nesting, on_large_stack};
use cogtools_program::terminal::{sanitize_lines, style};
use oxc_allocator::Allocator;
use oxc_parser::Kind;
use oxc_parser::config::TokensParserConfig;
use oxc_span::SourceType;

/// `code` as a terminal shows it: control characters are escaped, and keywords, strings, comments and
/// calls have colours if `colour` is true. Without the colours, the text is the same.
pub(crate) fn highlight(code: &str, colour: bool) -> String {
    let text = sanitize_lines(code);
    // The places of escaped code are others.
    if !colour || text != code || nesting(code) > MAX_NESTING {
        return text.into_owned();
    }
    let spans = on_large_stack(|| spans(code));
    let mut painted = String::with_capacity(code.len() * 2);
    let mut last = 0;
    for (span, style) in spans.unwrap_or_default() {
        let (Some(before), Some(token)) = (code.get(last..span.start), code.get(span.clone()))
        else {
            continue;
        };
        painted.push_str(before);
        // A style does not go over the end of a line.
        let lines = token
            .split('\n')
            .map(|line| style::paint(line, style, !line.is_empty()));
        painted.push_str(&lines.collect::<Vec<_>>().join("\n"));
        last = span.end;
    }
    painted + code.get(last..).unwrap_or_default()
}

/// The parts of `code` that have a colour, in order. Code that does not parse has none.
fn spans(code: &str) -> Vec<(Range<usize>, style::Style)> {
    let allocator = Allocator::default();
    let parser = body_parser(&allocator, code, SourceType::ts());
    let parsed = parser.with_config(TokensParserConfig).parse();
    let range = |start: u32, end: u32| {
        usize::try_from(start).unwrap_or_default()..usize::try_from(end).unwrap_or_default()
    };
    let comments = parsed.program.comments.iter();
    let comments = comments.map(|it| (range(it.span.start, it.span.end), style::DIM));
    let following = parsed.tokens.iter().skip(1).map(|token| Some(token.kind()));
    let tokens = parsed.tokens.iter().zip(following.chain([None]));
    let tokens = tokens.filter_map(|(token, next)| {
        let style = match token.kind() {
            Kind::Str
            | Kind::RegExp
            | Kind::NoSubstitutionTemplate
            | Kind::TemplateHead
            | Kind::TemplateMiddle
            | Kind::TemplateTail => style::GREEN,
            Kind::Ident if next == Some(Kind::LParen) => style::CYAN,
            kind if kind.is_reserved_keyword()
                || matches!(kind, Kind::Let | Kind::Async | Kind::Of) =>
            {
                style::YELLOW
            }
            _ => return None,
        };
        Some((range(token.start(), token.end()), style))
    });
    let mut all: Vec<_> = comments.chain(tokens).collect();
    all.sort_by_key(|(span, _)| span.start);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_change_nothing_but_colours() {
        let code = "// all\nfor (const n of [1]) {\n  tools.mail({to: `a ${n}\nb`, at: \"x\"}); /* c */ return /r/ }\n";
        let painted = highlight(code, true);
        for part in [
            "\u{1b}[2m// all\u{1b}[0m\n",
            "\u{1b}[33mfor\u{1b}[0m (\u{1b}[33mconst\u{1b}[0m n \u{1b}[33mof\u{1b}[0m",
            "tools.\u{1b}[36mmail\u{1b}[0m(",
            "\u{1b}[32m`a ${\u{1b}[0mn\u{1b}[32m}\u{1b}[0m\n\u{1b}[32mb`\u{1b}[0m",
            "\u{1b}[32m\"x\"\u{1b}[0m",
        ] {
            assert!(painted.contains(part), "{part:?} in {painted:?}");
        }
        let styles = ["0", "2", "32", "33", "36"].map(|code| format!("\u{1b}[{code}m"));
        let plain = styles
            .iter()
            .fold(painted, |text, style| text.replace(style, ""));
        assert_eq!(plain, code);
        assert_eq!(highlight(code, false), code);
        // An escape in the code is one in no colour; nor is there a colour without a program.
        assert_eq!(highlight("return '\u{1b}[2J'", true), "return '\\u{1b}[2J'");
        for code in ["return {", &"[".repeat(5_000)] {
            assert_eq!(highlight(code, true), code);
        }
    }
}
