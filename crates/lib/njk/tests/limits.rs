//! The bounds that a host sets, and templates that reach for themselves
//! through its loader.

use std::collections::HashMap;

use njk::{Engine, ErrorKind, Limits};
use serde_json::json;

#[test]
fn templates_that_reach_for_themselves_end() {
    let files: HashMap<String, String> = [
        ("include", "{% include 'include' %}"),
        ("extends", "{% extends 'extends' %}"),
        ("import", "{% import 'import' as m %}"),
        ("parent", "{% extends 'child' %}"),
        ("child", "{% extends 'parent' %}"),
    ]
    .into_iter()
    .map(|(name, source)| (name.to_owned(), source.to_owned()))
    .collect();
    let engine = Engine::builder().loader(files.clone()).build();
    for (name, source) in files {
        let error = engine
            .compile(&name, &source)
            .expect("it compiles")
            .render(&json!({}))
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooDeep, "{name}: {error}");
    }
}

#[test]
fn the_bounds_are_the_hosts_to_set() {
    let limits = Limits {
        fuel: 100,
        recursion: 3,
        output: 10,
    };
    let engine = Engine::builder().limits(limits).build();
    let kind = |source: &str| {
        let template = engine.compile("bounded", source).expect("it compiles");
        template.render(&json!({})).map_err(|error| error.kind())
    };
    assert_eq!(kind("0123456789"), Ok("0123456789".to_owned()));
    assert_eq!(kind("0123456789."), Err(ErrorKind::TooLarge));
    assert_eq!(kind("{{ '0123456789.' }}"), Err(ErrorKind::TooLarge));
    assert_eq!(
        kind("{% for i in range(50) %}{% endfor %}"),
        Err(ErrorKind::OutOfFuel)
    );
    assert_eq!(
        kind("{% macro m(n) %}{{ m(n - 1) if n }}{% endmacro %}{{ m(2) }}"),
        Ok(String::new())
    );
    assert_eq!(
        kind("{% macro m(n) %}{{ m(n - 1) if n }}{% endmacro %}{{ m(3) }}"),
        Err(ErrorKind::TooDeep)
    );
}
