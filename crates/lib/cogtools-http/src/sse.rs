//! Server-sent events, by the rules of the HTML standard (9.2.6).
//!
//! `sse-stream` fails on what the standard says to ignore, such as an unknown field,
//! and has no limit for an event.

use std::collections::VecDeque;

/// The default limit for an event.
pub const MAX_EVENT_BYTES: usize = 16 << 20;

/// An event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its type; `message` if it has none.
    pub event: Option<String>,
    /// Its data: the lines of `data`, joined by `\n`.
    pub data: String,
    /// The last ID of the stream, of this event or an earlier one.
    pub id: Option<String>,
    /// The number of milliseconds to wait before reconnecting, since the last event.
    pub retry: Option<u64>,
}

/// An event exceeds the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event is larger than {0} bytes")]
pub struct TooLarge(pub usize);

/// Reads events from pieces of a stream, wherever it is cut.
#[derive(Debug)]
pub struct SseParser {
    max_bytes: usize,
    events: VecDeque<Event>,
    /// The beginning of a line.
    line: Vec<u8>,
    event: Option<String>,
    data: Option<String>,
    id: Option<String>,
    retry: Option<u64>,
    /// True if the last piece ended in `\r`, whose `\n` may begin the next one.
    after_cr: bool,
    /// True if no line has ended yet: the first may begin with a byte order mark.
    is_first_line: bool,
}

impl Default for SseParser {
    fn default() -> Self {
        Self::new(MAX_EVENT_BYTES)
    }
}

impl SseParser {
    /// Returns a parser for events of at most `max_bytes`.
    pub const fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            events: VecDeque::new(),
            line: Vec::new(),
            event: None,
            data: None,
            id: None,
            retry: None,
            after_cr: false,
            is_first_line: true,
        }
    }

    /// Reads the next piece of the stream. After an error the stream is lost, but
    /// [`Self::next_event`] still returns the events before it.
    ///
    /// # Errors
    /// An event exceeds the limit.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        let mut rest = bytes;
        while let Some((&first, after_first)) = rest.split_first() {
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                rest = after_first;
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (line, after) = rest.split_at(end.unwrap_or(rest.len()));
            let held = self.line.len() + self.data.as_ref().map_or(0, String::len);
            if held + line.len() > self.max_bytes {
                return Err(TooLarge(self.max_bytes));
            }
            self.line.extend_from_slice(line);
            let Some((end, after)) = after.split_first() else {
                return Ok(());
            };
            self.after_cr = *end == b'\r';
            rest = after;
            self.end_line();
        }
        Ok(())
    }

    /// Takes the next event that has arrived completely.
    pub fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Returns the event at the end of the stream whose blank line is missing. The standard
    /// says to ignore it; some servers end so.
    pub fn finish(mut self) -> Option<Event> {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.dispatch();
        self.events.pop_front()
    }

    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_first_line) && line.starts_with(b"\xef\xbb\xbf") {
            line.drain(..3);
        }
        if line.is_empty() {
            self.dispatch();
        } else {
            let colon = line.iter().position(|byte| *byte == b':');
            let (name, value) = line.split_at(colon.unwrap_or(line.len()));
            let value = value.strip_prefix(b":").unwrap_or(value);
            let value = value.strip_prefix(b" ").unwrap_or(value);
            self.field(name, &String::from_utf8_lossy(value));
        }
        // Its memory is used again.
        line.clear();
        self.line = line;
    }

    fn field(&mut self, name: &[u8], value: &str) {
        match name {
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            b"event" => self.event = Some(value.to_owned()),
            b"id" if !value.contains('\0') => self.id = Some(value.to_owned()),
            b"retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry = value.parse().ok().or(self.retry);
            }
            // A comment, or a field of the future.
            _ => {}
        }
    }

    fn dispatch(&mut self) {
        let event = self.event.take().filter(|name| !name.is_empty());
        if let Some(data) = self.data.take() {
            self.events.push_back(Event {
                event,
                data,
                id: self.id.clone(),
                retry: self.retry.take(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(data: &str) -> Event {
        Event {
            data: data.to_owned(),
            ..Event::default()
        }
    }

    /// Parses `text` as one piece, byte by byte, and in pieces of every other size.
    #[track_caller]
    fn check(text: &str, expected: &[Event]) {
        for size in 1..=text.len() {
            let mut parser = SseParser::default();
            for piece in text.as_bytes().chunks(size) {
                parser.push(piece).expect("small events");
            }
            let events: Vec<Event> = std::iter::from_fn(|| parser.next_event()).collect();
            assert_eq!(events, expected, "{text:?} in pieces of {size}");
        }
    }

    #[test]
    fn lines_end_in_three_ways() {
        for end in ["\n", "\r", "\r\n"] {
            let text = format!("data: a{end}data:b{end}{end}data: é€😀{end}{end}");
            check(&text, &[event("a\nb"), event("é€😀")]);
        }
        check("data: a\r\n\ndata: b\n\r", &[event("a"), event("b")]);
    }

    #[test]
    fn fields_follow_the_standard() {
        check("\u{feff}data: a\n\n", &[event("a")]);
        check("\u{feff}\u{feff}data: a\n\ndata: b\n\n", &[event("b")]);
        check(": comment\n:\ndata\n\n", &[event("")]);
        check("data:  a: b \nunknown: x\nno colon\n\n", &[event(" a: b ")]);
        check("event: e\n\ndata: a\n\n", &[event("a")]);
        check("data: cut", &[]);
        let full = Event {
            event: Some("e".to_owned()),
            id: Some("1".to_owned()),
            retry: Some(20),
            ..event("a")
        };
        let next = Event {
            id: full.id.clone(),
            ..event("b")
        };
        check(
            "event: x\nevent: e\nid: 1\nid: 2\0\nretry: 20\nretry: soon\ndata: a\n\ndata: b\n\n",
            &[full, next],
        );
    }

    #[test]
    fn invalid_utf8_is_replaced() {
        let mut parser = SseParser::default();
        parser.push(b"data: a\xff\n\n").expect("a small event");
        assert_eq!(parser.next_event(), Some(event("a\u{fffd}")));
    }

    #[test]
    fn a_last_event_may_lack_its_blank_line() {
        for (text, expected) in [
            ("data: a", Some(event("a"))),
            ("data: a\n", Some(event("a"))),
            ("data: a\n\n: end", None),
            ("", None),
        ] {
            let mut parser = SseParser::default();
            parser.push(text.as_bytes()).expect("a small event");
            while parser.next_event().is_some() {}
            assert_eq!(parser.finish(), expected, "{text:?}");
        }
    }

    #[test]
    fn an_event_is_bounded() {
        let mut parser = SseParser::new(20);
        parser.push(b"data: 1\n\ndata: 2\n\n").expect("two events");
        assert_eq!(parser.push(b"data: 123456789012345"), Err(TooLarge(20)));
        assert_eq!(parser.next_event(), Some(event("1")));
        let mut parser = SseParser::new(20);
        let many = parser.push(b"data: 12345\ndata: 12345\ndata: 12345\ndata: 12345\n");
        assert_eq!(many, Err(TooLarge(20)));
    }
}
