//! Rendering with small bounds: any text ends soon, with output within the
//! bounds or an error that is not a fault of the crate.

#![no_main]

use std::collections::HashMap;

use libfuzzer_sys::fuzz_target;
use njk::{Engine, ErrorKind, Limits};

fuzz_target!(|source: &str| {
    let limits = Limits {
        fuel: 20_000,
        recursion: 20,
        output: 50_000,
    };
    let files: HashMap<String, String> = [
        ("p", "{{ i }}{% set z = s %}"),
        ("m", "{% macro m(x, y=1) %}{{ x }}{{ y }}{{ caller() if caller }}{% endmacro %}{% set v = 2 %}"),
        ("b", "{% block a %}{{ n }}{% endblock %}{% block b %}{% endblock %}"),
    ]
    .into_iter()
    .map(|(name, source)| (name.to_owned(), source.to_owned()))
    .collect();
    let engine = Engine::builder().limits(limits).loader(files).build();
    let context = serde_json::json!({
        "s": "Hello, wörld 😀 <b>x</b>", "n": 4.5, "i": 3, "t": true, "z": null, "e": "",
        "a": [3, 1, 2], "o": {"b": 1, "a": {"c": [1, {"d": "x"}]}, "2": 3},
        "r": [{"k": "x", "v": 1}, {"k": "y", "v": 2}],
    });
    let result = engine.compile("fuzz", source).and_then(|template| template.render(&context));
    match result {
        Ok(text) => assert!(text.len() <= limits.output),
        Err(error) => assert_ne!(error.kind(), ErrorKind::Internal, "{error}"),
    }
});
