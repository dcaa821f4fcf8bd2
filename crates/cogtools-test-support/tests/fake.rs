//! The fake Gemini API, with handwritten requests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cogtools_test_support::{FakeGemini, Kind, Turn};
use serde_json::{Value, json};

const GENERATE: &str = "/v1beta/models/m:generateContent";

/// A client with a persistent connection.
struct Client(BufReader<TcpStream>);

impl Client {
    fn new(fake: &FakeGemini) -> Self {
        let url = fake.url();
        let address = url.strip_prefix("http://").expect("a plain URL");
        Self(BufReader::new(
            TcpStream::connect(address).expect("the fake listens"),
        ))
    }

    fn post(&mut self, target: &str, body: &Value) -> (u16, String) {
        let body = body.to_string();
        let head = format!("Content-Length: {}\r\n\r\n", body.len());
        self.send(&format!("POST {target}"), &(head + &body))
    }

    /// Sends a request and reads the status and body of the response.
    fn send(&mut self, line: &str, rest: &str) -> (u16, String) {
        let request = format!("{line} HTTP/1.1\r\nHost: x\r\nX-Goog-Api-Key: x\r\n{rest}");
        let stream = self.0.get_mut();
        stream.write_all(request.as_bytes()).expect("sent");
        let status = self.line();
        let status = status.split(' ').nth(1).and_then(|code| code.parse().ok());
        let mut length = None;
        loop {
            let header = self.line().to_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length: ") {
                length = value.parse().ok();
            }
        }
        let mut body = String::new();
        if let Some(length) = length {
            body = self.text(length);
        } else {
            while let size @ 1.. = usize::from_str_radix(&self.line(), 16).expect("a chunk") {
                body += &self.text(size);
                self.line();
            }
            self.line();
        }
        (status.expect("a status"), body)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    fn text(&mut self, length: usize) -> String {
        let mut bytes = vec![0; length];
        self.0.read_exact(&mut bytes).expect("a whole body");
        String::from_utf8(bytes).expect("text")
    }
}

/// A request with these contents and a declared function `f`.
fn request(contents: &Value) -> Value {
    json!({
        "contents": contents,
        "tools": [{ "functionDeclarations": [{ "name": "f", "description": "F" }] }],
    })
}

fn said(role: &str, part: &Value) -> Value {
    json!({ "role": role, "parts": [part] })
}

fn part(body: &str) -> Value {
    let response: Value = serde_json::from_str(body).expect("JSON");
    response["candidates"][0]["content"]["parts"][0].clone()
}

#[test]
fn script_is_played_on_one_connection() {
    let fake = FakeGemini::start([
        Turn::call("f", json!({ "a": 1 })),
        Turn::text("größer"),
        Turn::error(503, "UNAVAILABLE", "later"),
    ]);
    let mut client = Client::new(&fake);
    let mut contents = vec![said("user", &json!({ "text": "hi" }))];
    let (status, body) = client.post(GENERATE, &request(&json!(contents)));
    let call = part(&body);
    assert_eq!(status, 200);
    assert_eq!(
        call,
        json!({ "functionCall": { "id": "call-1-1", "name": "f", "args": { "a": 1 } } })
    );

    let response = json!({ "id": "call-1-1", "name": "f", "response": { "output": "x" } });
    contents.push(said("model", &call));
    contents.push(said("user", &json!({ "functionResponse": response })));
    let target = "POST /v1beta/models/m:streamGenerateContent?alt=sse";
    let text = request(&json!(contents)).to_string();
    let (head, tail) = text.split_at(20);
    let chunks = format!("14\r\n{head}\r\n{:x}\r\n{tail}\r\n0\r\n\r\n", tail.len());
    let chunked = format!("Transfer-Encoding: chunked\r\n\r\n{chunks}");
    let (_, body) = client.send(target, &chunked);
    let event = body.strip_prefix("data: ").expect("an event");
    assert_eq!(part(event), json!({ "text": "größer" }));

    let (status, body) = client.post(GENERATE, &request(&json!(contents)));
    assert_eq!(status, 503);
    let error = json!({ "error": { "code": 503, "message": "later", "status": "UNAVAILABLE" } });
    assert_eq!(serde_json::from_str::<Value>(&body).ok(), Some(error));

    let conversation = fake.finish();
    assert_eq!(conversation.main().len(), 3);
    assert_eq!(conversation.main()[1].responses(), [&response]);
}

#[test]
fn side_requests_do_not_advance_the_script() {
    let fake = FakeGemini::start([]);
    let mut client = Client::new(&fake);
    let side = json!({
        "contents": [said("user", &json!({ "text": "who speaks next?" }))],
        "generationConfig": { "responseJsonSchema": { "type": "object", "properties": {
            "why": { "type": "string" },
            "next_speaker": { "type": "string", "enum": ["model", "user"] },
            "confidence": { "type": "number" },
        } } },
    });
    let (_, body) = client.post(GENERATE, &side);
    let text = json!({ "why": "", "next_speaker": "user", "confidence": 0 }).to_string();
    assert_eq!(part(&body), json!({ "text": text }));
    let (_, body) = client.post("/v1beta/models/m:countTokens", &json!({}));
    assert_eq!(body, r#"{"totalTokens":10}"#);
    let (status, _) = client.send("GET /v1beta/models", "\r\n");
    assert_eq!(status, 200);
    let kinds: Vec<Kind> = fake.finish().requests.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [Kind::Side, Kind::Count, Kind::Models]);
}

#[test]
fn script_must_be_played_to_its_end_and_no_further() {
    let unsaid = FakeGemini::start([Turn::text("never said")]);
    assert!(catch_unwind(AssertUnwindSafe(|| unsaid.finish())).is_err());

    let fake = FakeGemini::start([]);
    let hello = request(&json!([said("user", &json!({ "text": "hi" }))]));
    assert_eq!(Client::new(&fake).post(GENERATE, &hello).0, 400);
    assert_eq!(fake.complaints(), ["request 1 came after the last turn"]);
    assert!(catch_unwind(AssertUnwindSafe(|| fake.finish())).is_err());

    let undeclared = FakeGemini::start([Turn::call("g", json!({}))]);
    Client::new(&undeclared).post(GENERATE, &hello);
    assert_eq!(
        undeclared.complaints(),
        ["the script calls g, which request 1 does not declare"]
    );
    assert!(catch_unwind(AssertUnwindSafe(|| undeclared.finish())).is_err());
}

/// Sends one request, which must be refused for exactly these reasons.
#[track_caller]
fn refused(body: &Value, complaints: &[&str]) {
    let fake = FakeGemini::start([]);
    let (status, answer) = Client::new(&fake).post(GENERATE, body);
    assert_eq!(fake.complaints(), complaints);
    let error = json!({ "error": {
        "code": 400, "message": complaints.join("\n"), "status": "INVALID_ARGUMENT",
    } });
    assert_eq!(status, 400);
    assert_eq!(serde_json::from_str::<Value>(&answer).ok(), Some(error));
    assert!(catch_unwind(AssertUnwindSafe(|| fake.finish())).is_err());
}

#[test]
fn conversations_out_of_order_are_refused() {
    let hi = said("user", &json!({ "text": "hi" }));
    let call = |name| json!({ "functionCall": { "id": "1", "name": name, "args": {} } });
    let answer = |id, name| {
        let response = json!({ "id": id, "name": name, "response": {} });
        said("user", &json!({ "functionResponse": response }))
    };
    let asked = said("model", &call("f"));
    let order = "Please ensure that function call turn comes immediately after a user turn \
        or after a function response turn.";
    let count = |responses, calls| {
        format!(
            "Please ensure that the number of function response parts is equal to the number \
             of function call parts of the function call turn. ({responses} and {calls})"
        )
    };
    let check = |contents: Value, complaints: &[&str]| refused(&request(&contents), complaints);
    check(json!([]), &["contents is not specified"]);
    check(json!([asked, answer("1", "f")]), &[order]);
    check(json!([hi, asked, hi]), &[&count(0, 1)]);
    check(json!([hi, answer("1", "f")]), &[&count(1, 0)]);
    let both = json!({ "role": "model", "parts": [call("f"), call("f")] });
    check(json!([hi, both, answer("1", "f")]), &[&count(1, 2)]);
    check(
        json!([hi, asked, answer("1", "g")]),
        &[r#"a call of "f" is answered by "g""#],
    );
    check(
        json!([hi, asked, answer("2", "f")]),
        &[r#"call "1" is answered with id "2""#],
    );
    check(
        json!([said("system", &json!({ "text": "" }))]),
        &[r#"Please use a valid role: user, model. (contents[0].role is "system")"#],
    );
    check(
        json!([said("user", &json!({ "text": "a", "data": 1 }))]),
        &[r#"Unknown name "data" at 'contents[0].parts[0]'"#],
    );
}

#[test]
fn declarations_the_api_does_not_know_are_refused() {
    let check = |declaration: Value, complaint: &str| {
        let mut body = request(&json!([said("user", &json!({ "text": "hi" }))]));
        body["tools"][0]["functionDeclarations"] = json!([declaration]);
        refused(&body, &[complaint]);
    };
    let at = "tools[0].function_declarations[0]";
    let of = |schema: Value| json!({ "name": "f", "parameters": schema });
    check(
        json!({ "name": "f", "parameters": {}, "parametersJsonSchema": {} }),
        &format!("{at}: only one of parameters and parameters_json_schema may be set"),
    );
    check(
        json!({ "name": "1f" }),
        &format!(
            "Invalid value at '{at}.name': must start with a letter or an underscore, \
             then letters, digits, underscores, dots, colons and dashes, at most 64"
        ),
    );
    check(
        of(json!({ "type": "object", "additionalProperties": false })),
        &format!(
            "Invalid JSON payload received. Unknown name \"additionalProperties\" \
             at '{at}.parameters': Cannot find field."
        ),
    );
    check(
        of(json!({ "type": "object", "properties": {} })),
        &format!("{at}.parameters.properties: should be non-empty for OBJECT type"),
    );
    let property = |schema: Value| of(json!({ "type": "object", "properties": { "a": schema } }));
    check(
        property(json!({ "type": "integer", "enum": [1] })),
        &format!("{at}.parameters.properties[a].enum: only strings are allowed"),
    );
    check(
        property(json!({ "type": "string", "format": "email" })),
        &format!(
            "{at}.parameters.properties[a].format: \
             only 'enum' and 'date-time' are supported for STRING type"
        ),
    );
    check(
        json!({ "name": "f", "parametersJsonSchema": { "type": "object", "required": ["a"] } }),
        &format!("{at}.parameters_json_schema.required[0]: property is not defined"),
    );
}
