//! The key `cogtools` of `package.json`, each value with its location.
//!
//! The JSON parser reports no locations, so the value is parsed again as YAML, a
//! superset of JSON, with everything around it blanked out.

use serde_json::Value;

use crate::text::{Span, Text};
use crate::yaml::{self, Data, Node};

/// The key that cogtools reads.
const KEY: &str = "\"cogtools\"";
/// The key for the users of the package, which the project ignores.
const EXPORTED_TOOLS: &str = "tools";

/// Converts `value`, the value of the key in `text`, to a document.
pub(super) fn document(text: &Text, mut value: Value) -> Node {
    let key = find_key(text.as_str()).unwrap_or(Span { start: 0, end: 0 });
    let located = parse_located(text, key, &value);
    if let Value::Object(object) = &mut value {
        object.shift_remove(EXPORTED_TOOLS);
    }
    let mut node = located.unwrap_or_else(|| Node::from_json(value, key));
    if let Data::Map(entries) = &mut node.data {
        entries.retain(|entry| entry.key != EXPORTED_TOOLS);
    }
    node
}

/// The value of `key` with locations, if YAML parses it to the same value as JSON.
fn parse_located(text: &Text, key: Span, value: &Value) -> Option<Node> {
    let rest = text.as_str().get(key.end..)?;
    let start = key.end + rest.find(':')? + 1;
    let end = start + value_length(&text.as_str()[start..])?;
    let blank = |(at, byte): (usize, &u8)| match byte {
        b'\n' | b'\r' => *byte,
        b'\t' => b' ',
        _ if (start..end).contains(&at) => *byte,
        _ => b' ',
    };
    let bytes = text.as_str().as_bytes().get(..end)?;
    let blanked = bytes.iter().enumerate().map(blank).collect();
    let node = yaml::parse(&Text::new(text.display_path(), blanked).ok()?).ok()?;
    (node.to_json() == *value).then_some(node)
}

/// The position of the key in the outermost object; of two, the last.
fn find_key(text: &str) -> Option<Span> {
    let mut found = None;
    for_each_string(text, |depth, span| {
        let follows = text[span.end..].trim_start().starts_with(':');
        if depth == 1 && follows && &text[span.start..span.end] == KEY {
            found = Some(span);
        }
    });
    found
}

/// The length of the first value of `text`, which ends at a comma or a bracket.
fn value_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quoted = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' if depth == 0 => return Some(at),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Calls `each` for every string of a JSON text, with its nesting depth.
fn for_each_string(text: &str, mut each: impl FnMut(usize, Span)) {
    let mut depth = 0_usize;
    let mut bytes = text.bytes().enumerate();
    while let Some((start, byte)) = bytes.next() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let mut end = start + 1;
                while let Some((at, byte)) = bytes.next() {
                    end = at + 1;
                    match byte {
                        b'\\' => drop(bytes.next()),
                        b'"' => break,
                        _ => {}
                    }
                }
                each(depth, Span { start, end });
            }
            _ => {}
        }
    }
}
