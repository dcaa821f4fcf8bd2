//! Templates from an enemy: each must end soon, in little memory, with an
//! error of the right kind or the right answer. They run on the small stacks
//! of test threads.

use std::time::{Duration, Instant};

use njk::{Engine, ErrorKind, Limits};
use serde_json::json;

/// What a template fails with, `None` if it renders.
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

/// Brackets and operators that nest, as what opens and what closes them.
const BRACKETS: [(&str, &str); 14] = [
    ("(", ")"),
    ("[", "]"),
    ("{a:", " }"),
    ("f(", ")"),
    ("not ", ""),
    ("-", ""),
    ("a[", "]"),
    ("1 if ", ""),
    ("(a or ", ")"),
    ("a in (", ")"),
    ("[a, ", "]"),
    ("x | f(", ")"),
    ("(not ", ")"),
    ("(1 if (", ") else 2)"),
];

const TAGS: [(&str, &str); 7] = [
    ("{% if 1 %}", "{% endif %}"),
    ("{% for i in [1] %}", "{% endfor %}"),
    ("{% macro m() %}", "{% endmacro %}"),
    ("{% set a %}", "{% endset %}"),
    ("{% call m() %}", "{% endcall %}"),
    ("{% filter upper %}", "{% endfilter %}"),
    ("{% switch 1 %}{% case 1 %}", "{% endswitch %}"),
];

/// Far beyond the bound there is an error, and up to it none that is a fault of the crate.
fn check_nesting(nested: impl Fn(usize) -> String) {
    let compile = |depth| Engine::new().compile("enemy", &nested(depth));
    assert!(compile(100_000).is_err(), "{}", nested(3));
    for depth in 1..80 {
        if let Err(error) = compile(depth) {
            assert_ne!(error.kind(), ErrorKind::Internal, "{}: {error}", nested(3));
        }
    }
}

#[test]
fn what_nests_is_bounded() {
    for (open, close) in BRACKETS {
        check_nesting(|depth| format!("{{{{ {}1{} }}}}", open.repeat(depth), close.repeat(depth)));
    }
    for (open, close) in TAGS {
        check_nesting(|depth| format!("{}{}", open.repeat(depth), close.repeat(depth)));
        for (inner, end) in BRACKETS {
            check_nesting(|depth| {
                let tags = depth / 2;
                let (inner, end) = (inner.repeat(depth - tags), end.repeat(depth - tags));
                format!(
                    "{}{{{{ {inner}1{end} }}}}{}",
                    open.repeat(tags),
                    close.repeat(tags)
                )
            });
        }
    }
}

/// What calls itself from deep within tags and brackets ends before the stack does, however
/// many levels of macros a host allows.
#[test]
fn what_nests_and_calls_itself_is_bounded() {
    let chains = [
        ("(", " + 1)"),
        ("", " ~ 1"),
        ("", " or 1"),
        ("", ".b"),
        ("", "[0]"),
        ("", " | default(1)"),
        ("", "()"),
        ("x | default(", ")"),
        ("[1].map(m, ", ")"),
        ("cycler(", ")"),
    ];
    let limits = Limits {
        recursion: 100_000,
        ..Limits::default()
    };
    let engine = Engine::builder().limits(limits).build();
    let check = |tag: (&str, &str), link: (&str, &str), tags: usize, links: usize| {
        let source = format!(
            "{{% macro m(x) %}}{}{{{{ {}m(x){} }}}}{}{{% endmacro %}}{{{{ m(1) }}}}",
            tag.0.repeat(tags),
            link.0.repeat(links),
            link.1.repeat(links),
            tag.1.repeat(tags)
        );
        let Ok(template) = engine.compile("enemy", &source) else {
            return;
        };
        if let Err(error) = template.render(&json!({"a": [1]})) {
            let known = matches!(
                error.kind(),
                ErrorKind::TooDeep | ErrorKind::NotCallable | ErrorKind::UnknownFilter
            );
            assert!(known, "{source}: {error}");
        }
    };
    for tag in TAGS {
        for link in BRACKETS.into_iter().chain(chains) {
            for (tags, links) in [
                (0, 1),
                (1, 1),
                (5, 10),
                (0, 38),
                (0, 110),
                (36, 0),
                (18, 18),
            ] {
                check(tag, link, tags, links);
            }
        }
    }
}

#[test]
fn chains_are_bounded() {
    let deep = Some(ErrorKind::TooDeep);
    for link in [
        " + 1", " ~ a", " or a", " and a", " | upper", ".a", "[0]", "()", " == 1", " ** 2", " - 1",
    ] {
        check(&format!("{{{{ a{} }}}}", link.repeat(100_000)), deep);
    }
    let branches = "{% elif a %}x".repeat(100_000);
    check(
        &format!("{{% if a %}}{branches}{{% endif %}}"),
        Some(ErrorKind::Syntax),
    );
    let arguments = "1,".repeat(100_000);
    check(
        &format!("{{{{ f({arguments}1) }}}}"),
        Some(ErrorKind::Syntax),
    );
    check(&format!("{{{{ [{arguments}1] | length }}}}"), None);
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
}
