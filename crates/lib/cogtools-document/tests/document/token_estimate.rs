//! The estimates of tokens, against the true counts of the tokenizer o200k, which were recorded
//! once.

use std::collections::BTreeMap;

use cogtools_document::estimate_tokens;
use serde_json::Value;

/// Texts of our own, each with its kind and its count.
const CORPUS: &str = include_str!("token_estimate.json");

/// At least nine tenths of the truth, and at most this many.
const MAX_TENTHS: usize = 16;

#[test]
fn an_estimate_is_hardly_below_the_truth() {
    let texts: Vec<Value> = serde_json::from_str(CORPUS).unwrap();
    let mut wrong = Vec::new();
    let mut sums: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for one in &texts {
        let (kind, text) = (one["kind"].as_str().unwrap(), one["text"].as_str().unwrap());
        let tokens = usize::try_from(one["tokens"].as_u64().unwrap()).unwrap();
        let estimate = estimate_tokens(text);
        if estimate * 10 < tokens * 9 || estimate * 10 > tokens * MAX_TENTHS {
            wrong.push(format!("{kind}: {estimate} instead of {tokens}: {text}"));
        }
        let sum = sums.entry(kind).or_default();
        *sum = (sum.0 + estimate, sum.1 + tokens);
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(texts.len(), 170);
    // All texts of a kind together are estimated more closely.
    for (kind, (estimate, tokens)) in sums {
        assert!(
            estimate * 100 >= tokens * 91,
            "{kind}: {estimate} of {tokens}"
        );
        assert!(
            estimate * 100 <= tokens * 140,
            "{kind}: {estimate} of {tokens}"
        );
    }
}

#[test]
fn more_text_never_costs_less() {
    assert_eq!(estimate_tokens(""), 0);
    for text in ["a", " ", "7", "京", "😀", "\n", "\u{301}", "\u{10ffff}"] {
        let mut last = 0;
        for length in 1..20 {
            let found = estimate_tokens(&text.repeat(length));
            assert!(
                found >= last.max(usize::from(text != " ")),
                "{text} {length}"
            );
            last = found;
        }
    }
}
