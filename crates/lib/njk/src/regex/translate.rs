//! Translates JavaScript's syntax of regular expressions to Rust's: constructs
//! with the same syntax but another meaning are rewritten.

use std::iter::Peekable;
use std::str::Chars;

const WORD: &str = "A-Za-z0-9_";
const DIGIT: &str = "0-9";
const SPACE: &str = r"\t\n\x0B\x0C\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";

pub(super) struct Translated {
    pub(super) source: String,
    /// The expression has look-around or back-references, and so has to
    /// backtrack.
    pub(super) hard: bool,
}

struct Translator<'a> {
    rest: Peekable<Chars<'a>>,
    out: String,
    hard: bool,
}

pub(super) fn translate(body: &str, flags: &str) -> Translated {
    let mut translator = Translator {
        rest: body.chars().peekable(),
        out: String::new(),
        hard: false,
    };
    let flags: String = flags
        .chars()
        .filter(|flag| matches!(flag, 'i' | 'm'))
        .collect();
    if !flags.is_empty() {
        translator.out = format!("(?{flags})");
    }
    translator.pattern();
    Translated {
        source: translator.out,
        hard: translator.hard,
    }
}

impl Translator<'_> {
    fn pattern(&mut self) {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => self.escape(false),
                '[' => self.class(),
                '.' => self.out.push_str(r"[^\n\r\u{2028}\u{2029}]"),
                '(' => self.group(),
                '{' => self.braces(),
                '}' | ']' => self.literal(c),
                _ => self.out.push(c),
            }
        }
    }

    fn literal(&mut self, c: char) {
        if !c.is_alphanumeric() && c.is_ascii() && !c.is_ascii_whitespace() && c != '_' {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    fn group(&mut self) {
        self.out.push('(');
        let mut ahead = self.rest.clone();
        if ahead.next() != Some('?') {
            return;
        }
        match (ahead.next(), ahead.next()) {
            (Some('=' | '!'), _) | (Some('<'), Some('=' | '!')) => self.hard = true,
            _ => {}
        }
    }

    /// `{` begins a count only if a valid one follows; otherwise it is literal.
    fn braces(&mut self) {
        let count: String = self
            .rest
            .clone()
            .take_while(|c| *c != '}')
            .take(16)
            .collect();
        let closed = self.rest.clone().nth(count.chars().count()) == Some('}');
        let (low, high) = count.split_once(',').unwrap_or((&count, "0"));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let legal = closed && !low.is_empty() && digits(low) && digits(high);
        self.out.push_str(if legal { "{" } else { r"\{" });
        if legal {
            for _ in 0..=count.chars().count() {
                self.out.extend(self.rest.next());
            }
        }
    }

    fn class(&mut self) {
        let negated = self.rest.next_if_eq(&'^').is_some();
        if self.rest.next_if_eq(&']').is_some() {
            self.out
                .push_str(if negated { r"[\s\S]" } else { r"[^\s\S]" });
            return;
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        while let Some(c) = self.rest.next() {
            match c {
                ']' => break,
                '\\' => self.escape(true),
                '-' if self.rest.peek() == Some(&']') => self.out.push_str(r"\-"),
                '[' | '&' | '~' | '^' => self.literal(c),
                '-' if self.out.ends_with(['[', '^']) => self.out.push_str(r"\-"),
                _ => self.out.push(c),
            }
        }
        self.out.push(']');
    }

    fn escape(&mut self, in_class: bool) {
        let Some(c) = self.rest.next() else {
            self.out.push('\\');
            return;
        };
        match c {
            'd' => self.set(DIGIT, false, in_class),
            'D' => self.set(DIGIT, true, in_class),
            'w' => self.set(WORD, false, in_class),
            'W' => self.set(WORD, true, in_class),
            's' => self.set(SPACE, false, in_class),
            'S' => self.set(SPACE, true, in_class),
            'b' if in_class => self.out.push_str(r"\x08"),
            'b' | 'B' | 'n' | 'r' | 't' => {
                self.out.push('\\');
                self.out.push(c);
            }
            'f' => self.out.push_str(r"\x0C"),
            'v' => self.out.push_str(r"\x0B"),
            '0' => self.out.push_str(r"\x00"),
            'x' => self.code(2, c),
            'u' => self.code(4, c),
            'k' if !in_class && self.rest.peek() == Some(&'<') => {
                self.hard = true;
                self.out.push_str(r"\k");
            }
            '1'..='9' if !in_class => {
                self.hard = true;
                self.out.push('\\');
                self.out.push(c);
            }
            _ => self.literal(c),
        }
    }

    fn set(&mut self, set: &str, negated: bool, in_class: bool) {
        if in_class && !negated {
            self.out.push_str(set);
            return;
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        self.out.push_str(set);
        self.out.push(']');
    }

    /// `\xHH` or `\uHHHH`; without the digits it is the literal letter.
    fn code(&mut self, digits: usize, letter: char) {
        let code: String = self.rest.clone().take(digits).collect();
        let legal = code.chars().count() == digits && code.chars().all(|c| c.is_ascii_hexdigit());
        let number = u32::from_str_radix(&code, 16).unwrap_or_default();
        if !legal || char::from_u32(number).is_none() {
            self.out.push(letter);
            return;
        }
        self.rest.nth(digits - 1);
        self.out.extend([r"\x{", &code, "}"]);
    }
}
