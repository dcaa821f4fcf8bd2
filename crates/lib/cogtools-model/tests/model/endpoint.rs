//! Where the API is: variables, addresses, names in them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cogtools_model::gemini::{DEFAULT_MODEL, Endpoint, Gemini};
use cogtools_model::{Key, Model as _, ModelError, Request};
use cogtools_test_support::{assert_text, str};

use crate::server::{Server, events};
use crate::{block_on, gemini, request};

fn endpoint(vars: &[(&str, &str)]) -> Result<Endpoint, ModelError> {
    let vars: BTreeMap<&str, &str> = vars.iter().copied().collect();
    Endpoint::from_vars(|name| vars.get(name).map(|value| (*value).to_owned()))
}

/// The request line and the credentials that a server sees.
fn seen(vars: &[(&str, &str)], model: &str) -> (String, Vec<String>) {
    let server = Server::answering(events(&[]));
    let url = format!("{}/base/", server.url());
    let mut vars = vars.to_vec();
    vars.push(("GOOGLE_GEMINI_BASE_URL", &url));
    let client = cogtools_http::Client::new(cogtools_http::ClientOptions::default());
    let gemini = Gemini::new(client, endpoint(&vars).expect("an endpoint"));
    let request = Request {
        model: model.to_owned(),
        ..request()
    };
    block_on(async { gemini.send(&request).await.map(drop) }).expect("an answer");
    let seen = server.seen().remove(0);
    let is_credential = |header: &String| {
        header.starts_with("x-goog-api-key") || header.starts_with("authorization")
    };
    (
        seen.line,
        seen.headers.into_iter().filter(is_credential).collect(),
    )
}

#[test]
fn first_key_wins() {
    let both = [("GEMINI_API_KEY", "second"), ("GOOGLE_API_KEY", "first")];
    let (_, credentials) = seen(&both, "m");
    assert_eq!(credentials, ["x-goog-api-key: first"]);
    for single in [[("GEMINI_API_KEY", "k")], [("GOOGLE_API_KEY", "k")]] {
        assert_eq!(seen(&single, "m").1, ["x-goog-api-key: k"]);
    }
    let empty = [("GOOGLE_API_KEY", " "), ("GEMINI_API_KEY", " k\r\n")];
    assert_eq!(seen(&empty, "m").1, ["x-goog-api-key: k"]);
}

#[test]
fn vertex() {
    let vars = [
        ("GOOGLE_GENAI_USE_VERTEXAI", "True"),
        ("GOOGLE_CLOUD_PROJECT", "p-1"),
        ("GOOGLE_CLOUD_LOCATION", "europe-west4"),
        ("GOOGLE_OAUTH_ACCESS_TOKEN", "token"),
        ("GEMINI_API_KEY", "ignored"),
    ];
    let (line, credentials) = seen(&vars, "models/gemini-3");
    assert_eq!(
        line,
        "POST /base/v1/projects/p-1/locations/europe-west4/publishers/google/models/\
         gemini-3:streamGenerateContent?alt=sse"
    );
    assert_eq!(credentials, ["authorization: Bearer token"]);
    let shown = |location: &str| {
        let mut vars = vars.to_vec();
        vars.push(("GOOGLE_CLOUD_LOCATION", location));
        format!("{:?}", endpoint(&vars).expect("an endpoint"))
    };
    assert_text(
        format!("{}\n{}\n", shown("global"), shown("us-east1")),
        str![[r#"
Endpoint { base: "https://aiplatform.googleapis.com", parent: "projects/p-1/locations/global/", .. }
Endpoint { base: "https://us-east1-aiplatform.googleapis.com", parent: "projects/p-1/locations/us-east1/", .. }

"#]],
    );
}

#[test]
fn names_of_models_reach_nothing_else() {
    let cases = [
        ("gemini-flash-latest", "models/gemini-flash-latest"),
        ("models/x", "models/x"),
        ("tunedModels/x", "tunedModels/x"),
        ("../../secret", "models/..%2F..%2Fsecret"),
        ("..", "models/.."),
        ("a b\tc\n", "models/a%20b%09c%0A"),
        ("a?key=1#x", "models/a%3Fkey%3D1%23x"),
        ("a:generate", "models/a%3Agenerate"),
        ("é%2F", "models/%C3%A9%252F"),
        ("", "models/"),
    ];
    for (name, path) in cases {
        let (line, _) = seen(&[("GEMINI_API_KEY", "k")], name);
        let expected = format!("POST /base/v1beta/{path}:streamGenerateContent?alt=sse");
        assert_eq!(line, expected, "{name:?}");
    }
    assert_eq!(DEFAULT_MODEL, "gemini-flash-latest");
}

#[test]
fn variables_that_cannot_be_used() {
    const VERTEX: (&str, &str) = ("GOOGLE_GENAI_USE_VERTEXAI", "1");
    const PROJECT: (&str, &str) = ("GOOGLE_CLOUD_PROJECT", "p");
    const LOCATION: (&str, &str) = ("GOOGLE_CLOUD_LOCATION", "global");
    const KEY: (&str, &str) = ("GEMINI_API_KEY", "k");
    const BASE: &str = "GOOGLE_GEMINI_BASE_URL";
    let cases: &[&[(&str, &str)]] = &[
        &[],
        &[("GEMINI_API_KEY", "secret\nX-Other: 1")],
        &[("GOOGLE_API_KEY", "secret\u{1}")],
        &[KEY, (BASE, "localhost:80")],
        &[KEY, (BASE, "ftp://localhost")],
        &[KEY, (BASE, "http://")],
        &[KEY, (BASE, "http://h/?x=1")],
        &[KEY, (BASE, "http://h/a b")],
        &[VERTEX],
        &[VERTEX, ("GOOGLE_CLOUD_PROJECT", "../p"), LOCATION],
        &[VERTEX, ("GOOGLE_CLOUD_PROJECT", ".."), LOCATION],
        &[VERTEX, PROJECT],
        &[VERTEX, PROJECT, ("GOOGLE_CLOUD_LOCATION", "evil.example/")],
        &[VERTEX, PROJECT, LOCATION],
        &[
            VERTEX,
            PROJECT,
            LOCATION,
            ("GOOGLE_OAUTH_ACCESS_TOKEN", "a\nb"),
        ],
    ];
    let mut messages = String::new();
    for vars in cases {
        let error = endpoint(vars).expect_err("cannot be used");
        writeln!(messages, "{error}").unwrap();
    }
    assert_text(
        &messages,
        str![[r#"
no API key: GOOGLE_API_KEY or GEMINI_API_KEY is not set
`GEMINI_API_KEY` is not valid: it has characters that a header cannot have
`GOOGLE_API_KEY` is not valid: it has characters that a header cannot have
`GOOGLE_GEMINI_BASE_URL` is not valid: it is not an http:// or https:// URL
`GOOGLE_GEMINI_BASE_URL` is not valid: it is not an http:// or https:// URL
`GOOGLE_GEMINI_BASE_URL` is not valid: it is not an http:// or https:// URL
`GOOGLE_GEMINI_BASE_URL` is not valid: it is not an http:// or https:// URL
`GOOGLE_GEMINI_BASE_URL` is not valid: it is not an http:// or https:// URL
`GOOGLE_CLOUD_PROJECT` is not valid: it is not set
`GOOGLE_CLOUD_PROJECT` is not valid: it is not a name
`GOOGLE_CLOUD_PROJECT` is not valid: it is not a name
`GOOGLE_CLOUD_LOCATION` is not valid: it is not set
`GOOGLE_CLOUD_LOCATION` is not valid: it is not a name
no API key: GOOGLE_OAUTH_ACCESS_TOKEN or CLOUDSDK_AUTH_ACCESS_TOKEN is not set
`GOOGLE_OAUTH_ACCESS_TOKEN` is not valid: it has characters that a header cannot have

"#]],
    );
}

#[test]
fn base_that_is_not_a_url() {
    for base in ["", "nothing", "http://h\n/", "http://user:pass word@h/"] {
        let gemini = gemini(base);
        let error = block_on(async { gemini.send(&request()).await.map(drop) });
        let error = error.expect_err("an address is needed").to_string();
        assert!(!error.contains("pass"), "{error}");
        let endpoint = Endpoint::google_ai("https://user:pass@h/p?key=1", Key::new("k"));
        assert_eq!(
            format!("{endpoint:?}"),
            "Endpoint { base: \"https://h/p\", parent: \"\", .. }"
        );
    }
}

#[test]
fn vertex_needs_no_project_with_a_key() {
    let express = [
        ("GOOGLE_GENAI_USE_VERTEXAI", "true"),
        ("GOOGLE_API_KEY", "k"),
        ("GOOGLE_OAUTH_ACCESS_TOKEN", "unused"),
    ];
    let (line, credentials) = seen(&express, "m");
    let path = "/base/v1/publishers/google/models/m:streamGenerateContent?alt=sse";
    assert_eq!(line, format!("POST {path}"));
    assert_eq!(credentials, ["x-goog-api-key: k"]);
    let shown = format!("{:?}", endpoint(&express).expect("an endpoint"));
    assert!(
        shown.contains("https://aiplatform.googleapis.com"),
        "{shown}"
    );
    // With a project, it is the project that is asked, with a token.
    let project = [
        ("GOOGLE_CLOUD_PROJECT", "p"),
        ("GOOGLE_CLOUD_LOCATION", "global"),
    ];
    let (line, credentials) = seen(&[&express[..], &project].concat(), "m");
    assert!(line.contains("/projects/p/locations/global/"), "{line}");
    assert_eq!(credentials, ["authorization: Bearer unused"]);
}
