//! Templates that nest: each must end within the small stacks of test threads, with an
//! error of the right kind or the right answer.

use std::time::{Duration, Instant};

use njk::{Engine, ErrorKind, Limits};
use serde_json::json;

/// The error of a template, `None` if it renders.
fn check(source: &str, expected: Option<ErrorKind>) {
    let start = Instant::now();
    let template = Engine::new().compile("enemy", source);
    let result = template.and_then(|template| template.render(&json!({})));
    let shown: String = source.chars().take(80).collect();
    let kind = result.err().map(|error| error.kind());
    assert_eq!(kind, expected, "{shown}");
    let time = start.elapsed();
    assert!(time < Duration::from_mins(1), "{shown}: took {time:?}");
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

/// A macro that calls itself from deep within tags and brackets ends before the stack does, however
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
