//! The endpoint that the user's variables describe.

use cogtools_model::openai::SERVICE;
use cogtools_model::{Endpoint, Key};

fn endpoint(base: Option<&str>, key: Option<&str>) -> Result<Endpoint, String> {
    let endpoint = Endpoint::from_vars(&SERVICE, |name| {
        let value = match name {
            "OPENAI_BASE_URL" => base,
            "OPENAI_API_KEY" => key,
            other => panic!("{other} is not a variable of this provider"),
        };
        value.map(str::to_owned)
    });
    endpoint.map_err(|error| error.to_string())
}

#[test]
fn a_key_is_needed_except_on_this_machine() {
    let key = || Some(Key::new("k"));
    let openai = "https://api.openai.com/v1";
    assert_eq!(
        endpoint(None, Some("k")),
        Ok(Endpoint::new(&SERVICE, openai, key()))
    );
    assert_eq!(
        endpoint(Some(""), Some("k")),
        Ok(Endpoint::new(&SERVICE, openai, key()))
    );
    for local in [
        "http://localhost:11434/v1",
        "http://127.0.0.1:8080/v1/",
        "http://[::1]:1234/v1",
    ] {
        assert_eq!(
            endpoint(Some(local), None),
            Ok(Endpoint::new(&SERVICE, local, None))
        );
        assert_eq!(
            endpoint(Some(local), Some("k")),
            Ok(Endpoint::new(&SERVICE, local, key()))
        );
    }
    let missing = Err("no API key: OPENAI_API_KEY is not set".to_owned());
    assert_eq!(endpoint(None, None), missing);
    assert_eq!(endpoint(None, Some("")), missing);
    for remote in ["http://192.168.1.2:8000/v1", "http://localhost.example/v1"] {
        assert_eq!(endpoint(Some(remote), None), missing, "{remote}");
    }
}

#[test]
fn a_key_is_exposed_by_plain_http_to_another_machine() {
    for (base, key, is_exposed) in [
        ("http://192.168.1.2:8000/v1", Some("k"), true),
        ("http://localhost.example/v1", Some("k"), true),
        ("https://a.example/v1", Some("k"), false),
        ("http://localhost:11434/v1", Some("k"), false),
        ("http://localhost:11434/v1", None, false),
    ] {
        let endpoint = endpoint(Some(base), key).expect("an endpoint");
        assert_eq!(endpoint.exposes_key(), is_exposed, "{base}");
    }
}

#[test]
fn an_address_is_checked() {
    const NOT_HTTP: &str = "it is not a URL that begins with http:// or https://";
    for (base, reason) in [
        ("localhost:11434/v1", NOT_HTTP),
        ("/v1", NOT_HTTP),
        ("ftp://a.example", NOT_HTTP),
        ("http://a b", NOT_HTTP),
        ("https://a.example/v1?key=k", "it must not have a query"),
    ] {
        let message = format!("`OPENAI_BASE_URL` is not valid: {reason}");
        assert_eq!(endpoint(Some(base), Some("k")), Err(message), "{base}");
    }
}

#[test]
fn a_key_is_never_printed() {
    let endpoint = endpoint(None, Some("s3cr3t")).expect("an endpoint");
    assert!(!format!("{endpoint:?}").contains("s3cr3t"));
}
