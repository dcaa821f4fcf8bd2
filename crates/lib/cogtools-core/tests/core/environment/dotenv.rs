//! The syntax of `.env` files.

use cogtools_core::environment::DotEnv;
use cogtools_core::text::Text;
use cogtools_test_support::{Snapshot, assert_text, str};

use crate::support::render;

/// The variables in a file as `NAME=value@line`, or the error.
fn read(content: &str) -> String {
    let text = Text::new(".env", content.as_bytes().to_vec()).expect("text");
    match DotEnv::parse(text) {
        Ok(file) => {
            let lines = file.variables().iter();
            let lines: Vec<String> = lines
                .map(|variable| format!("{}={:?}@{}", variable.name, variable.value, variable.line))
                .collect();
            lines.join(" ")
        }
        Err(error) => render(&[error.diagnostic()]),
    }
}

const FILES: &[(&str, Snapshot)] = &[
    ("", str![]),
    ("\n  \n# A=1\n", str![]),
    ("A=1", str![[r#"A="1"@1"#]]),
    ("A=1\nB=2\n", str![[r#"A="1"@1 B="2"@2"#]]),
    ("A=1\r\n\r\nB=2\r\n", str![[r#"A="1"@1 B="2"@3"#]]),
    ("\u{feff}A=1\n", str![[r#"A="1"@1"#]]),
    ("  A = 1  \n", str![[r#"A="1"@1"#]]),
    ("\tA=1\t\n", str![[r#"A="1"@1"#]]),
    ("A=\nB=\n", str![[r#"A=""@1 B=""@2"#]]),
    ("export A=1\nexport\tB=2", str![[r#"A="1"@1 B="2"@2"#]]),
    (
        "exported=1\nexport=2",
        str![[r#"exported="1"@1 export="2"@2"#]],
    ),
    ("A=b c", str![[r#"A="b c"@1"#]]),
    ("A=b # c", str![[r#"A="b"@1"#]]),
    ("A=b\t# c", str![[r#"A="b"@1"#]]),
    ("A=b#c", str![[r#"A="b"@1"#]]),
    ("A=#c", str![[r#"A=""@1"#]]),
    ("A= # c", str![[r#"A=""@1"#]]),
    ("A=b=c", str![[r#"A="b=c"@1"#]]),
    ("A=$B ${C} `d`", str![[r#"A="$B ${C} `d`"@1"#]]),
    ("A=it's", str![[r#"A="it's"@1"#]]),
    ("A='b # c'", str![[r#"A="b # c"@1"#]]),
    ("A='b' # c", str![[r#"A="b"@1"#]]),
    ("A=' b '", str![[r#"A=" b "@1"#]]),
    ("A='b\\nc'", str![[r#"A="b\\nc"@1"#]]),
    ("A=\"b\\nc\\td\\re\"", str![[r#"A="b\nc\\td\re"@1"#]]),
    (
        "A=\"b\\\"c\\\\d\\$e\\qf\"",
        str![[r#"A="b\\\"c\\\\d\\$e\\qf"@1"#]],
    ),
    ("A=`b'\"c`", str![[r#"A="b'\"c"@1"#]]),
    ("A='b\nc\n'\nB=1", str![[r#"A="b\nc\n"@1 B="1"@4"#]]),
    ("A=\"b\nc\"\nB=1", str![[r#"A="b\nc"@1 B="1"@3"#]]),
    ("A=''\nB=\"\"", str![[r#"A=""@1 B=""@2"#]]),
    ("A.B-c_1=2", str![[r#"A.B-c_1="2"@1"#]]),
    ("A=\u{e9}\u{1f600}", str![[r#"A="é😀"@1"#]]),
    (
        "A=1\nsecret words\n",
        str![[r#"
error[INVALID_CONFIG]: .env:2: not a line of the form NAME=value
hint: write NAME=value, or put a # before the line

"#]],
    ),
    ("1A=1", str![[r#"1A="1"@1"#]]),
    (
        "=secret",
        str![[r#"
error[INVALID_CONFIG]: .env:1: not a line of the form NAME=value
hint: write NAME=value, or put a # before the line

"#]],
    ),
    (
        "A B=secret",
        str![[r#"
error[INVALID_CONFIG]: .env:1: not a line of the form NAME=value
hint: write NAME=value, or put a # before the line

"#]],
    ),
    (
        "A=1\nB='secret\nC=2\n",
        str![[r#"
error[INVALID_CONFIG]: .env:2: the quote is never closed
hint: close it, or write the value without quotes

"#]],
    ),
    (
        "A=\"secret\\",
        str![[r#"
error[INVALID_CONFIG]: .env:1: the quote is never closed
hint: close it, or write the value without quotes

"#]],
    ),
    (
        "A='secret' word",
        str![[r#"
error[INVALID_CONFIG]: .env:1: only a comment may follow a quoted value
hint: put the whole value between the quotes

"#]],
    ),
];

#[test]
fn dotenv_files() {
    for (content, expected) in FILES {
        assert_text(read(content), *expected);
    }
}

#[test]
fn the_last_value_of_a_name_wins() {
    let text = Text::new(".env", b"A=1\nA=2\n".to_vec()).expect("text");
    let file = DotEnv::parse(text).expect("a file");
    let found = file
        .get("A")
        .map(|found| (found.value.as_str(), found.line));
    assert_eq!(found, Some(("2", 2)));
    assert!(file.get("a").is_none());
}

#[test]
fn errors_and_debug_output_contain_no_values() {
    for (content, _) in FILES
        .iter()
        .filter(|(content, _)| content.contains("secret"))
    {
        assert!(!read(content).contains("secret"), "{content}");
    }
    let text = Text::new(".env", b"A=secret\n".to_vec()).expect("text");
    let file = DotEnv::parse(text).expect("a file");
    assert_eq!(format!("{file:?}"), ".env: [A=… (line 1)]");
}
