//! An upper bound of the depth to which a parser recurses in code, found without parsing it.

use std::thread;

/// Nesting of code that is still parsed: the parser recurses.
pub const MAX_NESTING: usize = 1_000;
/// The stack of a thread that parses code of that depth, mostly never touched.
const STACK_SIZE: usize = 128 << 20;

/// Words after which an expression goes on, and words that go on with the one before.
const PREFIXES: &str = "else do typeof void delete new await yield async return throw in of \
    instanceof case extends if for while with";
const INFIXES: &str = "else in of instanceof catch finally while";

/// Returns an upper bound of how deep a parser recurses in `code`: in each open bracket, the operators,
/// words and closed brackets since the last end of a statement or an item.
pub fn nesting(code: &str) -> usize {
    let bytes = code.as_bytes();
    let is_word =
        |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte > 127;
    // A level is that of a template if the flag is set.
    let mut open: Vec<(usize, bool)> = vec![(0, false)];
    let (mut sum, mut deepest, mut at) = (0_usize, 0, 0);
    let (mut last, mut word) = (b';', "");
    while at < bytes.len() {
        let byte = bytes[at];
        let start = at;
        at += 1;
        let mut ends = false;
        match byte {
            b'\n' => {
                let goes_on =
                    is_among(word, PREFIXES) || !(is_word(last) || b"\"'`]".contains(&last));
                ends = !goes_on && begins_statement(&code[at..]);
                if !ends {
                    continue;
                }
            }
            byte if byte.is_ascii_whitespace() => continue,
            b'/' if bytes.get(at) == Some(&b'/') => {
                at += bytes[at..]
                    .iter()
                    .position(|it| *it == b'\n')
                    .unwrap_or(bytes.len() - at);
                continue;
            }
            b'/' if bytes.get(at) == Some(&b'*') => {
                at = code[at..]
                    .find("*/")
                    .map_or(bytes.len(), |end| at + end + 2);
                continue;
            }
            b'"' | b'\'' => at = end_of_text(bytes, at, byte),
            b'/' if !(is_word(last) || b")]}\"'`".contains(&last)) || is_among(word, PREFIXES) => {
                at = end_of_text(bytes, at, byte);
            }
            b'`' => open.push((0, true)),
            b'(' | b'[' | b'{' => open.push((0, false)),
            b')' | b']' | b'}' => {
                if open.len() > 1 {
                    sum -= open.pop().map_or(0, |(count, _)| count);
                }
                ends = byte == b'}' && begins_statement(&code[at..]);
            }
            b';' => ends = begins_statement(&code[at..]),
            b',' => ends = true,
            byte if is_word(byte) => {
                at += bytes[at..].iter().take_while(|it| is_word(**it)).count();
            }
            _ => {}
        }
        word = if is_word(byte) { &code[start..at] } else { "" };
        last = byte;
        if let Some((count, is_template)) = open.last_mut() {
            if *is_template {
                // The text of a template, up to its end or the next value.
                let (end, is_value) = end_of_template(bytes, at);
                at = end;
                if is_value {
                    open.push((0, false));
                } else if open.len() > 1 {
                    sum -= open.pop().map_or(0, |(count, _)| count);
                    last = b'`';
                }
            } else if ends {
                sum -= std::mem::take(count);
            } else {
                *count += 1;
                sum += 1;
            }
        }
        deepest = deepest.max(sum + open.len());
    }
    deepest
}

/// Returns the result of `work`, which parses code of at most [`MAX_NESTING`], on a thread with a stack
/// for it; nothing if it panics, or there is no such thread.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK_SIZE);
        builder.spawn_scoped(scope, work).ok()?.join().ok()
    })
}

/// Returns true if a statement can begin here, rather than a part of the last one.
fn begins_statement(rest: &str) -> bool {
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    let word = &rest[..end.unwrap_or(rest.len())];
    (!word.is_empty() && !is_among(word, INFIXES)) || rest.is_empty() || rest.starts_with('}')
}

/// The offset after the text or regular expression that ends with `quote`, or of the
/// end of the line.
fn end_of_text(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    let mut in_class = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            b'[' if quote == b'/' => in_class = true,
            b']' => in_class = false,
            byte if byte == quote && !in_class => return at + 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// The offset after the text of a template, and true if a value comes next.
fn end_of_template(bytes: &[u8], mut at: usize) -> (usize, bool) {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'`' => return (at + 1, false),
            b'$' if bytes.get(at + 1) == Some(&b'{') => return (at + 2, true),
            _ => {}
        }
        at += 1;
    }
    (bytes.len(), false)
}

/// Returns true if `name` is one of `names`, which blanks separate.
fn is_among(name: &str, names: &str) -> bool {
    names.split_ascii_whitespace().any(|it| it == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_nesting_is_counted() {
        for (part, rest) in [
            ("(", ""),
            ("[", ""),
            ("{", ""),
            ("a(", ""),
            ("a=>", "a"),
            ("x=", "x"),
            ("!", "a"),
            ("-", "a"),
            ("typeof ", "a"),
            ("new ", "a"),
            ("a?b:", "c"),
            ("a?", ""),
            ("a.b", ""),
            ("a[0]", ""),
            (".b()", ""),
            ("a+", "a"),
            ("a**", "a"),
            ("`${", ""),
            ("a``", ""),
            ("function f(){", ""),
            ("if(a)", "b"),
            ("if(a);else ", "b"),
            ("if(a){}else ", "b"),
            ("for(;;)\n", "b"),
            ("l:", "b"),
            ("else\n", "b"),
            ("(\")\"+", ""),
            ("/[/(\"]/,[", ""),
            ("class A extends ", "B"),
        ] {
            let code = format!("{}{rest}", part.repeat(5_000));
            assert!(nesting(&code) > MAX_NESTING, "{part}");
        }
    }

    #[test]
    fn long_code_is_flat() {
        for part in [
            "const a = args.b + 1;\n",
            "const a = args.b\n",
            "if (a) { b(); } else { c(); }\n",
            "function f() { return `a ${b} c`; }\n",
            "// it's (a\n",
            "a = [1, 'x)', /['\"(]/, {b: [2]}];\n",
        ] {
            let code = part.repeat(5_000);
            assert!(nesting(&code) < 100, "{part}: {}", nesting(&code));
        }
        let items = format!("const a = [{}];", "{b: 'c', d: [1, 2]}, ".repeat(10_000));
        assert!(nesting(&items) < 100);
    }
}
