//! The lexical elements of minijinja source: names, strings, numbers, text.

use super::Emitter;

/// Whether minijinja reads `name` as one identifier.
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

impl Emitter {
    pub(super) fn string(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    pub(super) fn number(&mut self, number: f64) {
        if number.fract() == 0.0 && number.abs() < 1e15 {
            self.out.push_str(&number.to_string());
        } else {
            self.string(&crate::value::number::print(number));
            self.open("num");
            self.close();
        }
    }

    /// Text between tags.
    pub(super) fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if !self.counted && !text.contains('{') {
            self.out.push_str(text);
            return;
        }
        self.out.push_str("{{ ");
        self.string(text);
        if self.autoescape {
            self.open("markup");
            self.close();
        }
        self.out.push_str(" }}");
    }

    /// Begins the application of a helper to the expression just written.
    pub(super) fn open(&mut self, helper: &str) {
        self.helper(helper);
        self.out.push('|');
        self.out.push_str(helper);
        self.out.push('(');
    }

    /// Like `open`, for a helper that takes its position in the template.
    pub(super) fn open_at(&mut self, helper: &str, span: crate::error::Span) {
        let place = self.place(span);
        self.open(helper);
        self.out.push_str(&place.to_string());
    }

    pub(super) fn comma(&mut self) {
        if !self.out.ends_with(['(', '[']) {
            self.out.push_str(", ");
        }
    }

    pub(super) fn close(&mut self) {
        self.out.push(')');
    }
}
