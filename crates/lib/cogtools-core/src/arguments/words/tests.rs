//! Words, and the arguments that they are.

use serde_json::json;

use super::*;
use crate::Hint;
use crate::text::Text;
use crate::yaml;

fn schema() -> Schema {
    let text = "\
city: string
days: integer
share: number
wild: boolean
mood: {enum: [calm, 7]}
tags: 'string[]'
sizes: 'integer[]'
maybe: {type: integer, nullable: true}
a.b: integer
either: {anyOf: [{type: string}, {type: integer}]}
stop: {type: object, properties: {name: string, nights: integer}}
";
    let text = Text::new("PARAMETERS", text.into()).expect("text");
    let node = yaml::parse(&text).expect("a document");
    Schema::expand(&node).expect("parameters")
}

#[track_caller]
fn check(words: &[&str], expected: &Value) {
    let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    let found = Arguments::from_words(&words, &schema()).map(Arguments::into_object);
    let found = found.map(Value::Object).map_err(|errors| {
        let texts = errors.iter().map(|error| {
            let diagnostic = error.diagnostic("trip");
            format!("{} {}", diagnostic.code.name(), diagnostic.summary())
        });
        texts.collect::<Vec<_>>()
    });
    match found {
        Ok(found) => assert_eq!(found, *expected, "{words:?}"),
        Err(errors) => assert_eq!(json!(errors), *expected, "{words:?}"),
    }
}

#[test]
fn a_value_has_the_type_that_the_schema_declares() {
    check(
        &["city=3", "days=3", "share=1e2"],
        &json!({"city": "3", "days": 3, "share": 1e2}),
    );
    check(
        &["wild=true", "mood=calm"],
        &json!({"wild": true, "mood": "calm"}),
    );
    check(
        &["mood=7", "either=7", "maybe=null"],
        &json!({"mood": 7, "either": 7, "maybe": null}),
    );
    check(
        &["city=", "city2=null"],
        &json!({"city": "", "city2": "null"}),
    );
    check(
        &["city=a=b", "city2={}"],
        &json!({"city": "a=b", "city2": "{}"}),
    );
}

#[test]
fn a_value_of_another_type_stays_text() {
    check(
        &["days=three", "wild=yes"],
        &json!({"days": "three", "wild": "yes"}),
    );
    check(
        &["days=true", "stop=x"],
        &json!({"days": "true", "stop": "x"}),
    );
}

#[test]
fn arrays_are_repeated_or_json() {
    check(
        &["tags=a", "tags=2", "sizes=1"],
        &json!({"tags": ["a", "2"], "sizes": [1]}),
    );
    check(
        &["tags=[\"a\", \"b\"]", "tags=c"],
        &json!({"tags": ["a", "b", "c"]}),
    );
    check(
        &["sizes:=[1]", "tags=[a"],
        &json!({"sizes": [1], "tags": ["[a"]}),
    );
}

#[test]
fn dots_lead_into_objects() {
    check(
        &["stop.name=7", "stop.nights=7"],
        &json!({"stop": {"name": "7", "nights": 7}}),
    );
    check(&["a.b=1", "x.y=1"], &json!({"a.b": 1, "x": {"y": "1"}}));
    check(&["stop={\"name\": \"x\"}"], &json!({"stop": {"name": "x"}}));
    check(
        &["{\"city\": \"x\"}", "days:=1.5"],
        &json!({"city": "x", "days": 1.5}),
    );
}

#[test]
fn what_is_not_an_argument_is_an_error() {
    check(
        &[
            "Oslo",
            "=x",
            "days:=,",
            "city=a",
            "city=b",
            "stop=x",
            "stop.name=y",
            "{,",
        ],
        &json!([
            "USAGE trip: `Oslo =x` is not KEY=VALUE",
            "INVALID_ARGUMENTS_SYNTAX trip: /days: not valid JSON: expected value",
            "USAGE trip: /city: set more than once",
            "USAGE trip: /stop/name: set more than once",
            "INVALID_ARGUMENTS_SYNTAX trip: not valid JSON: key must be a string",
        ]),
    );
}

#[test]
fn a_word_without_a_key_is_answered_with_the_argument_that_was_meant() {
    let check = |words: &[&str], expected: &str| {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let errors = Arguments::from_words(&words, &schema()).expect_err("no arguments");
        let hints = errors
            .iter()
            .flat_map(|error| error.diagnostic("trip").hints);
        let hints: Vec<Hint> = hints.collect();
        assert_eq!(hints, [Hint::from(expected)], "{words:?}");
    };
    let meant = |argument: &str| format!("write it as one word: {argument}");
    check(&["Oslo"], &meant("city=Oslo"));
    check(&["New", "York"], &meant("'city=New York'"));
    check(
        &["city=New", "York,", "US", "days=2"],
        &meant("'city=New York, US'"),
    );
    check(&["city", "=", "Oslo", "days=2"], &meant("city=Oslo"));
    check(&["city=", "Oslo"], &meant("city=Oslo"));
    check(&["city:Oslo"], &meant("city=Oslo"));
    check(&["days:", "3"], &meant("days=3"));
    check(&["days:"], &meant("days=VALUE"));
    check(
        &["city=Oslo", "@trip.json"],
        "arguments in a file are read by cogtools-call trip < trip.json",
    );
}
