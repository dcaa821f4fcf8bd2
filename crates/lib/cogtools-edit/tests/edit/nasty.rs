//! For every accepted file: existing values are preserved, nothing else changes, and a
//! second merge finds nothing to do.

use std::path::Path;

use cogtools_edit::jsonc;
use serde_json::Value;

use crate::merge::wanted;

/// Fragments of a file, each valid at its position, to be combined in all ways.
const HEADS: &[&str] = &["", "\u{feff}", "// a\n", "/*{*/", "\r\n\t", "/**/ // \"\n"];
const OPENS: &[&str] = &[
    "{",
    "{ ",
    "{\n",
    "{\r\n\t",
    "{ // \"tools\": {}\n  ",
    "{/*}*/",
];
const MEMBERS: &[&str] = &[
    "",
    "\"a\":1",
    "\"ä\\\"\\\\\" : \"} // no /* comment */\"",
    "\"a\": [{\"b\": {}}, [],], \n\n  \"tools\": {\"x\": 1,}",
    "\"tools\": { // c\n  }",
    "\"tools\":{\"callCommand\":\"C\"} /* , */",
    "\n\t\"toolCallCommand\": \"C\",\n\t\t\"n\": -1.5e+3 // last",
    "\"\": null,\"\u{2028}\":\"😀\"",
];
const CLOSES: &[&str] = &[
    "}",
    " }",
    "\n}\n",
    ",}",
    "\n,\n}",
    "/* e */}//",
    "// e\r\n}\r\n/* end",
];

fn check(before: &str) {
    let file = Path::new("settings.json");
    let Ok(insertions) = jsonc::insertions(file, before, &wanted()) else {
        return;
    };
    let after = jsonc::merge(file, before, &wanted()).unwrap();
    let mut rest = after.clone();
    for insertion in insertions.iter().rev() {
        let shift: usize = insertions
            .iter()
            .take_while(|other| !std::ptr::eq(*other, insertion))
            .map(|other| other.text.len())
            .sum();
        let at = insertion.at + shift;
        assert_eq!(&rest[at..at + insertion.text.len()], insertion.text);
        rest.replace_range(at..at + insertion.text.len(), "");
    }
    assert_eq!(rest, before, "without our bytes");
    let again = jsonc::insertions(file, &after, &wanted());
    assert_eq!(
        again,
        Ok(Vec::new()),
        "merging twice into {before:?}, now {after:?}"
    );
    assert_eq!(
        value(&after),
        merged(value(before)),
        "{before:?} became {after:?}"
    );
}

/// The value of a file, by a separate parser: comments and trailing commas are blanked.
fn value(text: &str) -> Value {
    let text = text.trim_start_matches('\u{feff}');
    let mut plain = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find(['\n', '\r']).unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if c == '"' {
            let end = string(rest);
            plain.push_str(&rest[..end]);
            end
        } else {
            if matches!(c, '}' | ']') && plain.ends_with(',') {
                plain.pop();
            }
            if !c.is_whitespace() {
                plain.push(c);
            }
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    if plain.is_empty() {
        return Value::Null;
    }
    serde_json::from_str(&plain).unwrap_or_else(|error| panic!("{error}: {text:?}"))
}

/// The length of the string literal at the start of `text`.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

fn merged(before: Value) -> Value {
    let mut before = match before {
        Value::Object(members) => members,
        _ => serde_json::Map::new(),
    };
    for (key, value) in wanted() {
        match (before.get_mut(&key), value) {
            (Some(Value::Object(present)), Value::Object(wanted)) => present.extend(wanted),
            (_, value) => {
                before.insert(key, value);
            }
        }
    }
    Value::Object(before)
}

#[test]
fn every_combination() {
    let mut accepted = 0;
    for head in HEADS {
        for open in OPENS {
            for members in MEMBERS {
                for close in CLOSES {
                    let before = format!("{head}{open}{members}{close}");
                    accepted += u32::from(jsonc::merge(Path::new("s"), &before, &wanted()).is_ok());
                    check(&before);
                }
            }
        }
    }
    assert!(accepted > 1000, "only {accepted} files were accepted");
}

#[test]
fn every_prefix_of_a_file() {
    let whole =
        "\u{feff}// c\r\n{\"ä\": [1, {\"b\": \"\\u00e4\"},], /* c */ \"tools\": {}, } // end\n";
    for (at, _) in whole.char_indices() {
        check(&whole[..at]);
        check(&whole[at..]);
    }
}

#[test]
fn deep_and_wide() {
    let deep = |depth: usize| format!("{{\"a\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
    check(&deep(100));
    assert!(jsonc::merge(Path::new("s"), &deep(400), &wanted()).is_ok());
    // Refused, without a stack overflow.
    check(&deep(100_000));
    check(&"{\"a\":".repeat(100_000));
    let wide: Vec<String> = (0..20_000).map(|n| format!("\"k{n}\": {n}")).collect();
    check(&format!("{{{}}}", wide.join(", ")));
}
