//! Repairs, and the notes about them.

use cogtools_lenient_json::{MAX_REPAIRS, Position, RepairKind, last};

use crate::check;

#[test]
fn quotes_inside_strings_are_told_from_those_around_them() {
    check(
        r#"{"a":"He said "Hello", then left"}"#,
        r#"{"a":"He said \"Hello\", then left"}"#,
    );
    check(r#"{"a":"say "hi"","b":1}"#, r#"{"a":"say \"hi\"","b":1}"#);
    check(
        r#"["He said "hi" there", "b"]"#,
        r#"["He said \"hi\" there","b"]"#,
    );
    check(
        r#"{"a":"<b class="x">y</b>","c":1}"#,
        r#"{"a":"<b class=\"x\">y</b>","c":1}"#,
    );
    check(
        r#"{"q":"SELECT "id", "name" FROM t","n":1}"#,
        r#"{"q":"SELECT \"id\", \"name\" FROM t","n":1}"#,
    );
    check(r#"{"time":"at "10": am"}"#, r#"{"time":"at \"10\": am"}"#);
    check(
        "{'text': 'it's fine', 'b': 2}",
        r#"{"text":"it's fine","b":2}"#,
    );
    check(
        "{\"a b: 1,\n \"c: {\"d: true}, \"e\": \"f: 1\"}",
        r#"{"a b":1,"c":{"d":true},"e":"f: 1"}"#,
    );
    check("x {，\"a\": 1}, {a＂: 2}", r#"{"a":2}"#);
    check(r#"["a""b"]"#, r#"["a","b"]"#);
    check("{\"a\": \"b,\n \"c\": \"d\"}", r#"{"a":"b","c":"d"}"#);
    check(r#"{"a":"b\"}"#, r#"{"a":"b\""}"#);
}

#[test]
fn punctuation_that_is_missing_or_wrong_is_repaired() {
    check(r#"{"a":[1,2,"b":3}"#, r#"{"a":[1,2],"b":3}"#);
    check(r#"{"a":{"c":1} "b":2}"#, r#"{"a":{"c":1},"b":2}"#);
    check(
        r#"{"a":["x" -1 null {"b":1} {"c":2}]}"#,
        r#"{"a":["x",-1,null,{"b":1},{"c":2}]}"#,
    );
    check(r#"{"a":"b";"c":"d"}"#, r#"{"a":"b","c":"d"}"#);
    check("{\"a\"：\"x\"，\"b\":［1、2］｝", r#"{"a":"x","b":[1,2]}"#);
    check("{a => 1, b = 2}", r#"{"a":1,"b":2}"#);
    check(r#"[,1,,2,]"#, "[1,2]");
    check(
        "{\"a\": 1 # one\n, \"b\": \"#2\" # two\n}",
        r##"{"a":1,"b":"#2"}"##,
    );
    check("{\"a\": \"http://x\" // c\n}", r#"{"a":"http://x"}"#);
}

#[test]
fn a_word_behind_a_mark_of_comments_is_kept_where_a_value_is_missing() {
    check(
        "{\"color\": #ff0000, \"b\": 1\n}",
        r##"{"color":"#ff0000","b":1}"##,
    );
    check("{\"channel\": #general}", r##"{"channel":"#general"}"##);
    check(
        "{\"path\": //srv/share, \"b\": 1}",
        r#"{"path":"//srv/share","b":1}"#,
    );
    check("[#a\n, #b]", r##"["#a","#b"]"##);
    check("{\"a\": #one\n 1, \"b\": 2}", r#"{"a":1,"b":2}"#);
    check("[1, #one\n 2, //last\n]", "[1,2]");
    check("{\"a\": // none\n}", r#"{"a":null}"#);
}

#[test]
fn values_of_other_languages_are_rewritten() {
    check(
        "{a: NaN, b: -Infinity, c: nil, d: TRUE}",
        r#"{"a":null,"b":null,"c":null,"d":true}"#,
    );
    check(
        "[+1, .5, -.5, 1., 1_000, 0xff, 7n]",
        "[1,0.5,-0.5,1.0,1000,255,7]",
    );
    check(
        "[01, 2020-01-01, 12:30, 10%, 5 apples]",
        r#"["01","2020-01-01","12:30","10%","5 apples"]"#,
    );
    check(
        r#"["C:\Users", "\d+\.", "it\'s", "\x41"]"#,
        r#"["C:\\Users","\\d+\\.","it's","A"]"#,
    );
    check("{a: new Date(\"2020\"), b: f(1)}", r#"{"a":"2020","b":1}"#);
    check(r#"x {\"a\": \"b\\nc\"} y"#, r#"{"a":"b\nc"}"#);
}

/// The kind of a repair, its line and its column.
type Explained = (RepairKind, usize, usize);

/// Texts that need repairs, and the repairs.
const EXPLAINED: [(&str, &[Explained]); 13] = [
    ("{\"a\": -}", &[(RepairKind::LoneMinus, 1, 7)]),
    (
        "{\"a\":1,\n  // why\n}",
        &[(RepairKind::ExtraComma, 1, 7), (RepairKind::Comment, 2, 3)],
    ),
    ("é {'a':1}", &[(RepairKind::Quote, 1, 4)]),
    (
        "{a:1 \"b\":None}",
        &[
            (RepairKind::UnquotedKey, 1, 2),
            (RepairKind::MissingComma, 1, 6),
            (RepairKind::Keyword, 1, 10),
        ],
    ),
    ("[1,\n2", &[(RepairKind::Cut, 2, 2)]),
    (
        "[\"a\nb\",\u{a0}...]",
        &[
            (RepairKind::ControlCharacter, 1, 4),
            (RepairKind::Space, 2, 4),
            (RepairKind::Ellipsis, 2, 5),
        ],
    ),
    (
        "{\"a\" 1, \"b\":}",
        &[
            (RepairKind::MissingColon, 1, 6),
            (RepairKind::MissingValue, 1, 13),
        ],
    ),
    ("[{\"a\":1]", &[(RepairKind::MissingBracket, 1, 8)]),
    ("{\"a\":1]", &[(RepairKind::ExtraBracket, 1, 7)]),
    (
        "[\"a\" + \"b\", N(1), .5]",
        &[
            (RepairKind::Concatenation, 1, 6),
            (RepairKind::Call, 1, 13),
            (RepairKind::Number, 1, 19),
        ],
    ),
    (
        "[\"a\\d\", \"b]",
        &[
            (RepairKind::Escape, 1, 4),
            (RepairKind::MissingQuote, 1, 11),
        ],
    ),
    (
        "[x，\"a \"b\" c\"]",
        &[
            (RepairKind::UnquotedText, 1, 2),
            (RepairKind::Punctuation, 1, 3),
            (RepairKind::InnerQuote, 1, 7),
            (RepairKind::InnerQuote, 1, 9),
        ],
    ),
    (
        "\n[\\\"a\\\",]",
        &[
            (RepairKind::EscapedJson, 2, 1),
            (RepairKind::ExtraComma, 2, 7),
        ],
    ),
];

#[test]
fn each_repair_has_a_kind_and_a_position() {
    for (text, expected) in EXPLAINED {
        let found = last(text).expect(text);
        let repairs: Vec<Explained> = found
            .repairs
            .positions(text)
            .map(|(repair, Position { line, column })| (repair.kind, line, column))
            .collect();
        assert_eq!(repairs, expected, "{text}");
        assert_eq!(found.repairs.count, expected.len());
        for (kind, ..) in expected {
            assert!(!kind.is_valid() && !kind.to_string().is_empty());
        }
    }
}

#[test]
fn only_so_many_repairs_are_listed() {
    let text = format!("[{}1]", "1 ".repeat(2 * MAX_REPAIRS));
    let found = last(&text).expect("a value");
    assert_eq!(found.repairs.listed.len(), MAX_REPAIRS);
    assert_eq!(found.repairs.count, 2 * MAX_REPAIRS);
}

/// A mark of several bytes after a bracket, found by fuzzing.
#[test]
fn an_ellipsis_after_the_value_is_no_part_of_it() {
    check(
        r#"{"a": [0, -0.5e1,""x\u{"a": [0,iiii]}…"#,
        r#"{"a":[0,-0.5e1],"\"x\\u{\"a":[0,"iiii"]}"#,
    );
}
