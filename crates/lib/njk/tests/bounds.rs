//! Templates from an enemy: each must end soon, in little memory, with an
//! error of the right kind or the right answer. They run on the small stacks
//! of test threads.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use njk::{Engine, ErrorKind};
use serde_json::json;

/// The error of a template, `None` if it renders.
fn check(source: &str, expected: Option<ErrorKind>) {
    let start = Instant::now();
    let engine = Engine::new();
    let result = engine
        .compile("enemy", source)
        .and_then(|template| template.render(&json!({"s": "x".repeat(1000), "list": [1, 2, 3]})));
    let shown: String = source.chars().take(80).collect();
    match (&result, expected) {
        (Err(error), Some(kind)) => assert_eq!(error.kind(), kind, "{shown}: {error}"),
        (Ok(_), None) => {}
        (Ok(text), Some(_)) => panic!("{shown}: gave {} bytes", text.len()),
        (Err(error), None) => panic!("{shown}: {error}"),
    }
    assert!(
        start.elapsed() < Duration::from_mins(1),
        "{shown}: took {:?}",
        start.elapsed()
    );
}

#[test]
fn endless_work_runs_out_of_fuel() {
    let out = Some(ErrorKind::OutOfFuel);
    check(
        "{% set a = [1] %}{% for i in a %}{% set _ = a.push(i) %}{% endfor %}",
        out,
    );
    check(
        "{% for i in range(3000) %}{% for j in range(3000) %}.{% endfor %}{% endfor %}",
        out,
    );
    check(
        "{{ range(1e99) | length }}{{ range(0, 100000000) | length }}",
        out,
    );
    check("{{ range(0, 1, 0.00000000001) | length }}", out);
    check(
        "{% macro m(n) %}{% for i in range(50) %}{{ m(n + 1) }}{% endfor %}{% endmacro %}{% for i in range(99999) %}{% for j in range(999) %}{{ s | upper | length }}{% endfor %}{% endfor %}",
        out,
    );
    check("{{ s.repeat(5000) | replace(r/(x+x+)+y/, '') }}", None);
    check("{{ s | replace(r/(x+x+)+\\1y/g, '') }}", out);
    check(
        "{% for i in range(100000) %}{% for j in list %}{{ i ~ j }}{% endfor %}{% for k in range(1000) %}{{ k }}{% endfor %}{% endfor %}",
        out,
    );
}

#[test]
fn what_grows_is_bounded() {
    let large = Some(ErrorKind::TooLarge);
    check(
        "{% set s = 'x' %}{% for i in range(60) %}{% set s = s + s %}{% endfor %}",
        large,
    );
    check(
        "{% set s = 'x' %}{% for i in range(60) %}{% set s = s ~ s %}{% endfor %}",
        large,
    );
    check("{{ 'x'.repeat(1000000000) }}", large);
    check("{{ 'x'.padEnd(1000000000) }}", large);
    check("{{ 'x'.padStart(1000000000, 'ab') }}", large);
    check("{{ 'x' | center(1000000000) }}", large);
    check("{{ 'x\\ny' | indent(1000000000) }}", large);
    check("{{ s | replace('', s) | replace('x', s) }}", large);
    check("{{ s.repeat(5) | replace(r/x/g, s.repeat(10)) }}", large);
    check(
        "{{ s.split('').join(s.repeat(100)) | list | join(s) }}",
        large,
    );
    check(
        "{% for i in range(1000) %}{{ s.repeat(1000) }}{% endfor %}",
        large,
    );
    check(
        "{% set b %}{% for i in range(1000) %}{{ s.repeat(1000) }}{% endfor %}{% endset %}",
        large,
    );
    check(
        "{% macro m() %}{% for i in range(1000) %}{{ s.repeat(1000) }}{% endfor %}{% endmacro %}{{ m() }}",
        large,
    );
    check(
        "{% set a = [s, s, s, s, s, s, s, s, s, s] %}{% set a = [a, a, a, a, a, a, a, a, a, a] %}{% set a = [a, a, a, a, a, a, a, a, a, a] %}{% set a = [a, a, a, a, a, a, a, a, a, a] %}{% set a = [a, a, a, a, a, a, a, a, a, a] %}{{ a }}",
        large,
    );
    check(
        "{% set a = [s, s, s, s, s, s, s, s, s, s] %}{% set a = [a, a, a, a, a, a, a, a, a, a] %}{% set a = [a, a, a, a, a, a, a, a, a, a] %}{% set a = [a, a, a, a, a, a, a, a, a, a] %}{% set a = [a, a, a, a, a, a, a, a, a, a] %}{{ a | dump }}",
        large,
    );
    check(
        "{% set a = [1] %}{% for i in range(60) %}{% set a = a.concat(a) %}{% endfor %}",
        Some(ErrorKind::OutOfFuel),
    );
    check(
        "{{ [1] | batch(1000000000, 'x') }}",
        Some(ErrorKind::OutOfFuel),
    );
    check("{{ [[1]] | dump('          ') }}", None);
    let text = "z".repeat(100_000);
    check(
        &format!("{{% for i in range(1000) %}}{text}{{% endfor %}}"),
        large,
    );
    check(
        &format!(
            "{{% macro m() %}}{text}{{% endmacro %}}{{% set a %}}{{% for i in range(10000) %}}{{{{ m() }}}}{{% endfor %}}{{% endset %}}"
        ),
        large,
    );
}

#[test]
fn recursion_is_bounded() {
    let deep = Some(ErrorKind::TooDeep);
    check("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", deep);
    check(
        "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{% call a() %}x{% endcall %}{% endmacro %}{{ a() }}",
        deep,
    );
    check(
        "{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{% endmacro %}{{ m() }}",
        deep,
    );
    check(
        "{% macro m(x) %}{{ [1].map(m) }}{% endmacro %}{{ m() }}",
        deep,
    );
    check(
        "{% set a = [] %}{% for i in range(100000) %}{% set a = [a] %}{% endfor %}",
        deep,
    );
    check(
        "{% set a = [1] %}{% for i in range(100000) %}{% set a = [a.push] %}{% endfor %}",
        deep,
    );
    check(
        "{% set a = [1] %}{% for i in range(100000) %}{% set a = a.push.b or cycler(a) %}{% endfor %}",
        deep,
    );
    check(
        "{% set a = [] %}{% set _ = a.push(a.forEach) %}{{ a.forEach(a.forEach) }}",
        deep,
    );
    check("{% set a = [] %}{% set _ = a.push(a.push) %}{{ a }}", None);
    let chain = "{% set a = [] %}{% set b = a %}{% for i in range(30000) %}{% set c = [] %}{% set _ = b.push(c) %}{% set b = c %}{% endfor %}";
    check(&format!("{chain}{{{{ a | length }}}}"), None);
    check(&format!("{chain}{{{{ a }}}}"), deep);
    check(&format!("{chain}{{{{ a | dump }}}}"), deep);
    check(&format!("{chain}{{{{ a.flat(99999) | length }}}}"), None);
    check(
        "{% set a = [1] %}{% set _ = a.push(a) %}{{ a | dump }}",
        deep,
    );
    check("{% set a = [1] %}{% set _ = a.push(a) %}{{ a }}", deep);
    check(
        "{% set a = [1] %}{% set _ = a.push(a) %}{{ a == 'x' }}",
        deep,
    );
}

#[test]
fn expressions_that_explode_are_refused() {
    let bad = Some(ErrorKind::BadValue);
    let regex = "(".repeat(1000);
    check(&format!("{{{{ r/{regex}/ }}}}"), bad);
    check(
        "{{ r/((((((((a{99}){99}){99}){99}){99}){99}){99}){99})/ }}",
        bad,
    );
    check(
        "{{ r/(?=((((((((a{99}){99}){99}){99}){99}){99}){99}){99}))/ }}",
        bad,
    );
    let heavy = "[a-z]{1,50}(foo|bar)+".repeat(40);
    check(
        &format!("{{% for i in range(10000) %}}{{{{ r/{heavy}/.test(s) }}}}{{% endfor %}}"),
        None,
    );
    check(
        "{% for i in range(100000) %}{{ s.match('[a-z]+' + i) }}{% endfor %}",
        Some(ErrorKind::TooLarge),
    );
}

/// Lookups, declarations and arguments of a template cost what they take.
#[test]
fn many_names_are_quick() {
    let many = |write: fn(usize) -> String| (0..20_000).map(write).collect::<String>();
    let sets = many(|number| format!("{{% set a{number} = 1 %}}"));
    check(
        &format!("{sets}{{% for i in range(100000) %}}{{{{ zz }}}}{{% endfor %}}"),
        None,
    );
    let names = many(|number| format!("a{number},"));
    let reads = many(|number| format!("{{{{ b{number} }}}}"));
    check(
        &format!("{{% for {names}a in [] %}}{reads}{{% endfor %}}"),
        None,
    );
    check(
        &many(|number| format!("{{% block a{number} %}}{{% endblock %}}")),
        None,
    );
    let files = HashMap::from([("part".to_owned(), "x".to_owned())]);
    let engine = Engine::builder().loader(files).build();
    let source =
        format!("{sets}{{% for i in range(100000) %}}{{% include 'part' %}}{{% endfor %}}");
    let template = engine.compile("enemy", &source).expect("it compiles");
    let error = template.render(&json!({})).expect_err("it ends");
    assert_eq!(error.kind(), ErrorKind::OutOfFuel);
}
