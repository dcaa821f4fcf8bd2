//! Templates made at random by a grammar, the same ones for the same seed.

use serde_json::{Value, json};

use super::grammar::Grammar;
use super::random::Random;

/// The nesting of the parts of a template.
const MAX_DEPTH: usize = 4;

/// `count` cases of a seed.
pub(super) fn cases(seed: u64, count: usize) -> Vec<Value> {
    let grammar = Grammar::read();
    let mut random = Random::new(seed);
    let cases = (0..count).map(|number| {
        let mut template = String::new();
        let depth = 1 + random.below(MAX_DEPTH);
        expand(&grammar, "%x", depth, &mut random, &mut template);
        json!({
            "id": format!("generated/{seed}/{number}"),
            "template": template,
            "context": context(),
            "autoescape": random.chance(50),
            "templates": templates(),
        })
    });
    cases.collect()
}

/// Appends a production with its parts.
fn expand(
    grammar: &Grammar,
    production: &str,
    depth: usize,
    random: &mut Random,
    out: &mut String,
) {
    let mut rest = production;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let letter = after.chars().next().unwrap_or(' ');
        if !letter.is_ascii_lowercase() {
            out.push('%');
            rest = after;
            continue;
        }
        // A value of another kind now and then: what is wrong must fail as in Nunjucks.
        let strange = "nsaobv".contains(letter) && random.chance(4);
        let kind = grammar.kind(if strange { 'v' } else { letter });
        let is_leaf = kind.branches.is_empty() || depth == 0 || random.chance(30);
        let chosen = random.pick(if is_leaf {
            &kind.leaves
        } else {
            &kind.branches
        });
        rest = &after[letter.len_utf8()..];
        let mut part = String::new();
        expand(grammar, chosen, depth.saturating_sub(1), random, &mut part);
        // A member of what a filter returns: njk refuses what Nunjucks makes of it.
        if rest.starts_with(['.', '[']) && part.contains('|') {
            part = format!("({part})");
        }
        out.push_str(&part);
    }
    out.push_str(rest);
}

/// The variables of all cases.
fn context() -> Value {
    json!({
        "n": 5, "f": 2.675, "neg": -7, "big": 1.5e300, "tiny": 1.25e-7, "half": 0.000_5,
        "nil": null, "minus": -0.0, "yes": true, "no": false,
        "word": "Word", "phrase": "the quick brown fox", "html": "<b class=\"x\">bold</b> & more",
        "digits": "1,234.5", "accents": "Éa ßé", "empty": "", "lines": "a\n\n\nb\r\n c",
        "mail": "write to (me@example.org) or www.example.com.",
        "items": ["pear", "Apple", "fig", "apple"],
        "mixed": [3, "10", null, 2.5, "b", true, "B"],
        "nested": [[1, 2], ["x"], []],
        "none_in": [null, 0, ""],
        "pairs": [["a", 1], ["b", 2, 3]],
        "rows": [{"k": 2, "name": "b"}, {"k": 1}, {"k": 2, "name": "a"}, {"name": "C", "k": 0}],
        "thing": {"name": "Thing", "k": 4, "inner": {"k": 1, "name": "i"}, "length": 2, "1,2": "pair"},
        "likes": {"length": 3, "0": "zero", "1": "one"},
    })
}

/// The templates that all cases can load.
fn templates() -> Value {
    json!({
        "part": "<part>{{ word }}{% set seven = 7 %}{% macro m(x) %}[{{ x }}]{% endmacro %}",
    })
}
