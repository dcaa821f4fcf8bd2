//! The types of expressions: templates of all kinds are checked without a panic and in linear
//! time, and what is reported of real ones does go wrong.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Instant;

use cogtools_test_support::conformance;
use cogtools_test_support::nunjucks;
use njk::types::{Object, Problem, Property, Type, check};
use serde_json::Value;

/// The type of exactly such values.
fn type_of(value: &Value) -> Type {
    match value {
        Value::Null => Type::null(),
        Value::Bool(_) => Type::boolean(),
        Value::Number(_) => Type::number(),
        Value::String(_) => Type::string(),
        Value::Array(items) => {
            let types = items.iter().map(type_of);
            let union = types.reduce(|left, right| left.union(&right));
            Type::list(union.unwrap_or_else(Type::unknown))
        }
        Value::Object(members) => {
            let mut object = Object::default();
            for (name, value) in members {
                let property = Property {
                    ty: type_of(value),
                    origins: Vec::new(),
                };
                object.properties.insert(name.clone(), property);
            }
            Type::object(object)
        }
    }
}

fn check_case(case: &Value) -> Option<Vec<String>> {
    let source = case["template"].as_str().expect("a case has a template");
    let context = case["context"].as_object().cloned().unwrap_or_default();
    let variables: BTreeMap<String, Type> = context
        .iter()
        .map(|(name, value)| (name.clone(), type_of(value)))
        .collect();
    let templates = &case["templates"];
    let find = |name: &str| Some(templates.get(name)?.as_str()?.to_owned());
    let found = check("case", source, &variables, &find).ok()?;
    Some(
        found
            .problems
            .iter()
            .map(|it| it.problem.to_string())
            .collect(),
    )
}

#[test]
fn no_template_makes_the_check_panic() {
    let mut cases = nunjucks::own();
    cases.extend(
        conformance::recorded("njk/suite.jsonl", "types")
            .into_iter()
            .flatten(),
    );
    let checked = cases.iter().filter_map(check_case);
    assert!(checked.count() > 900, "most cases parse");
}

/// The time of a check, as a multiple of the time for half the template.
fn growth(part: &str, around: [&str; 2]) -> f64 {
    let variables = BTreeMap::from([
        ("text".to_owned(), Type::string().optional()),
        ("mode".to_owned(), Type::strings(["a", "b", "c"]).optional()),
        (
            "items".to_owned(),
            Type::list(Type::object(Object::default())),
        ),
    ]);
    let time = |size: usize| {
        let body = part.repeat(size / part.len());
        let source = format!("{}{body}{}", around[0], around[1]);
        let start = Instant::now();
        let found = check("t", &source, &variables, &|_| None);
        assert!(found.is_ok(), "{part}: {found:?}");
        start.elapsed().as_secs_f64()
    };
    time(2_000);
    let (half, whole) = (time(50_000), time(100_000));
    assert!(whole < 3.0, "{whole} s for {part}");
    whole / half
}

#[test]
fn the_time_is_linear_in_the_template() {
    let parts = [
        (
            "{{ text }}{% if text %}{{ text.length }}{% endif %}",
            ["", ""],
        ),
        (
            "{% if mode == 'a' %}x{% elif mode == 'b' %}{{ text }}{% endif %}",
            ["", ""],
        ),
        ("{% set x = text %}{% set y = x or mode %}{{ y }}", ["", ""]),
        ("{% set x = {a: x, b: x} %}", ["", ""]),
        ("{% set x = [x, x] %}", ["", ""]),
        (
            "{% set x = items %}{% for i in x %}{% set x = i %}{% endfor %}",
            ["", ""],
        ),
        ("{% macro m() %}{{ m(text) }}{% endmacro %}", ["", ""]),
        (
            "{{ m(text, mode) }}",
            [
                "{% macro m(a, b) %}{% if a %}{{ b }}{% endif %}{% endmacro %}",
                "",
            ],
        ),
        (
            "{% for i in items %}{{ i.x or text }}{% endfor %}",
            ["", ""],
        ),
        // An expression is no higher than its limit, but may be wide.
        (
            "[(text or mode and (mode.a is defined or text in ['a'])) and text],",
            ["{{ [", "1] }}"],
        ),
    ];
    for (part, around) in parts {
        let growth = growth(part, around);
        assert!(growth < 4.0, "{growth}: {part}");
    }
}

#[test]
fn nesting_is_no_multiple_of_the_work() {
    let variables = BTreeMap::from([("xs".to_owned(), Type::list(Type::data()))]);
    let mut source = "{{ x.y or x.z }}".to_owned();
    for depth in 0..38 {
        source =
            format!("{{% for x in x.items or xs %}}{{% set a{depth} = x %}}{source}{{% endfor %}}");
    }
    let start = Instant::now();
    check("t", &source, &variables, &|_| None).expect("it parses");
    let mut macros = String::new();
    for depth in 1..200 {
        let before = depth - 1;
        let _ = write!(
            macros,
            "{{% macro m{depth}(x) %}}{{{{ m{before}(x) }}}}{{{{ m{before}([x]) }}}}{{% endmacro %}}"
        );
    }
    let source =
        format!("{{% macro m0(x) %}}{{{{ x }}}}{{% endmacro %}}{macros}{{{{ m199(xs) }}}}");
    check("t", &source, &variables, &|_| None).expect("it parses");
    let inline = format!(
        "{{{{ {} }}}}",
        "(x if x else ".repeat(12) + "x" + &")".repeat(12)
    );
    check("t", &inline, &variables, &|_| None).expect("it parses");
    let took = start.elapsed().as_secs_f64();
    assert!(took < 3.0, "{took} s");
}

#[test]
fn a_problem_has_its_place_and_its_words() {
    let user = Type::object(Object {
        properties: BTreeMap::from([(
            "name".to_owned(),
            Property {
                ty: Type::string(),
                origins: Vec::new(),
            },
        )]),
        open: false,
        ..Object::default()
    });
    let variables = BTreeMap::from([("user".to_owned(), user)]);
    let found = check("note", "Hi\n  {{ user.nmae }}", &variables, &|_| None);
    let found = found.expect("it parses").problems;
    let [one] = found.as_slice() else {
        panic!("one problem: {found:?}");
    };
    assert_eq!(
        (one.template.as_str(), one.line, one.column, one.length),
        ("note", 2, 11, 4)
    );
    assert_eq!(
        one.problem,
        Problem::UnknownMember {
            owner: "user".to_owned(),
            member: "nmae".to_owned(),
            meant: Some("name".to_owned()),
        }
    );
    assert_eq!(one.problem.to_string(), "`user` has no member `nmae`");
    assert_eq!(one.problem.hint().as_deref(), Some("did you mean `name`?"));
}
