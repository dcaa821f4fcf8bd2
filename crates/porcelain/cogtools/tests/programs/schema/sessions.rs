//! The schema of a session accepts the lines that its reader accepts.

use cogtools::schema::Document;
use cogtools_log::Session;
use serde_json::Value;

const HEADER: &str = r#"{"kind":"session","format":1,"session":"a","time":"2026-11-22T09:00:00Z","project":"shop","program":"1","model":"m"}"#;
/// The approval of a call.
const APPROVAL: &str = r#""approval":{"decision":"denied","why":"telepathy"}"#;

/// Returns true if a line with these fields is valid.
#[track_caller]
fn check(fields: &str, expected: bool) {
    let fields = fields.replace("APPROVAL", APPROVAL);
    let fields = fields.replace("BLOB", &"0f".repeat(32));
    let line = format!(r#"{{"id":1,"parent":null,"time":"2026-11-22T09:00:00.5Z",{fields}}}"#);
    check_line(&line, expected);
    let session = Session::from_reader(format!("{HEADER}\n{line}\n").as_bytes(), "s".as_ref());
    assert_eq!(session.is_ok(), expected, "{line}: {session:?}");
}

#[track_caller]
fn check_line(line: &str, expected: bool) {
    let schema = Document::Session.schema();
    let validator = jsonschema::draft7::new(&schema).expect("a schema");
    let value: Value = serde_json::from_str(line).expect("JSON");
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(errors.is_empty(), expected, "{line}: {errors:?}");
}

#[test]
fn a_header_is_a_line() {
    check_line(HEADER, true);
    check_line(
        &HEADER.replace("session\",\"format", "sessions\",\"format"),
        false,
    );
    check_line(&HEADER.replace("\"a\"", "\"../a\""), false);
    check_line(&HEADER.replace("\"format\":1,", ""), false);
}

#[test]
fn every_kind_is_a_line() {
    for fields in [
        r#""kind":"task","parts":[{"text":"t"}],"later":1"#,
        r#""kind":"request","hash":"h","layers":[{"name":"static","tokens":1,"hash":"h","cached":true}],"model":"m","turn":1"#,
        r#""kind":"request","hash":"h","layers":[{"name":"trigger","tokens":1,"hash":"h","cached":false,"parts":["BLOB"]}],"model":"m","turn":1"#,
        r#""kind":"reply","text":"t""#,
        r#""kind":"reply","text":"t","blob":"BLOB""#,
        r#""kind":"response","content":null,"finish_reason":"STOP""#,
        r#""kind":"call","call":"c","tool":"t","arguments":[],APPROVAL"#,
        r#""kind":"result","call":"c","status":"succeeded","content":{},"ms":1"#,
        r#""kind":"result","call":"c","status":"failed","code":"X","content":{},"ms":1"#,
        r#""kind":"node","node":"n","state":"skipped""#,
        r#""kind":"plan","intent":"general","plan":{}"#,
        r#""kind":"cache","name":"n","state":"failed","reason":"r","tokens":0"#,
        r#""kind":"usage","total":1,"cost":{"amount":0.1,"currency":"EUR"}"#,
        r#""kind":"error","code":"X","message":"m""#,
        r#""kind":"paused","calls":["c"]"#,
        r#""kind":"decision","call":"c",APPROVAL"#,
        r#""kind":"end","status":"budget","limit":"money""#,
        r#""kind":"end","status":"approval_wanted""#,
        r#""kind":"torn","lines":0"#,
    ] {
        check(fields, true);
    }
    // These refer to entries before them.
    let entry = |fields: &str| format!(r#"{{"id":3,"time":"2026-11-22T09:00:00Z",{fields}}}"#);
    check_line(
        &entry(r#""kind":"compaction","up_to":1,"summary":"s""#),
        true,
    );
    check_line(&entry(r#""kind":"expired","results":[1]"#), true);
}

#[test]
fn what_the_reader_refuses_is_invalid() {
    for fields in [
        r#""kind":"task""#,
        r#""kind":"result","call":"c","status":"vanished","content":{},"ms":1"#,
        r#""kind":"result","call":"c","status":"failed","content":{},"ms":1"#,
        r#""kind":"end","status":"budget""#,
        r#""kind":"end","status":"budget","limit":"patience""#,
        r#""kind":"call","call":"c","tool":"t","arguments":{}"#,
        r#""kind":"torn","lines":-1"#,
        r#""parts":[]"#,
    ] {
        check(fields, false);
    }
}
