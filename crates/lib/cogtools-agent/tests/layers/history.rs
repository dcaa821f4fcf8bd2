//! The rules over the kinds of turns, by cases recorded from another program.
//!
//! In these, u is a task, m an answer, f calls, t a result, x a failed result, c a summary.

use cogtools_agent::history::{
    SentTokens, Split, TurnKind, call_border, expired_results, history_len, is_whole, task_border,
};
use cogtools_test_support::conformance;
use serde_json::{Value, json};

fn turns(text: &str) -> Vec<TurnKind> {
    let kind = |letter| match letter {
        'u' => TurnKind::Task,
        'm' => TurnKind::Answer,
        'f' => TurnKind::Calls,
        't' => TurnKind::Result,
        'x' => TurnKind::FailedResult,
        'c' => TurnKind::Summary,
        _ => panic!("no kind of turn: {letter}"),
    };
    text.chars().map(kind).collect()
}

/// Runs `check` for the input and the expected value of each case.
fn all(name: &str, check: fn(&Value) -> Value) {
    let file = format!("agents/003_{name}.jsonl");
    for case in conformance::recorded(&file, name).unwrap_or_default() {
        let expected = ["expected_later", "expected", "expected_indices"];
        let expected = expected.into_iter().find_map(|key| case.get(key));
        let actual = check(&case["input"]);
        assert_eq!(Some(&actual), expected, "{}", case["id"]);
    }
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("a number")).expect("small")
}

fn kinds(input: &Value) -> Vec<TurnKind> {
    turns(input["turns"].as_str().expect("a text"))
}

#[test]
fn the_newest_results_are_whole() {
    all("history_filter", |input| {
        let whole = is_whole(&kinds(input), number(&input["tool_response_limit"]));
        let sent = whole.iter().enumerate().filter(|(_, whole)| **whole);
        sent.map(|(index, _)| index).collect()
    });
}

#[test]
fn old_results_expire() {
    all("expire", |input| {
        let expired = expired_results(&kinds(input), number(&input["threshold"]));
        json!({"modified": !expired.is_empty(), "expired": expired})
    });
}

#[test]
fn a_conversation_is_cut_into_cached_and_buffered_turns() {
    all("cache_split", |input| {
        let whole = is_whole(&kinds(input), number(&input["tool_response_limit"]));
        let sent = whole.iter().enumerate().filter(|(_, whole)| **whole);
        let sent: Vec<usize> = sent.map(|(index, _)| index).collect();
        let tokens = SentTokens {
            prompt: input["prompt_tokens"].as_u64().expect("a number"),
            cached: input["cached_tokens"].as_u64().expect("a number"),
        };
        let split = Split::new(sent.len(), tokens, input["threshold"].as_u64());
        let (cached, buffered) = sent.split_at(split.cached);
        let list = |turns: &[usize]| (!turns.is_empty()).then(|| turns.to_vec());
        json!({"cached": list(cached), "buffered": list(buffered), "update": split.is_due})
    });
}

#[test]
fn calls_and_their_results_are_not_parted() {
    for (text, cut, expected) in [
        ("", 0, 0),
        ("um", 1, 1),
        ("umu", 9, 3),
        ("uft", 2, 1),
        ("uftt", 3, 1),
        ("uftx", 3, 1),
        ("uftm", 3, 3),
        ("uftft", 4, 3),
        ("ttm", 1, 0),
    ] {
        assert_eq!(call_border(&turns(text), cut), expected, "{text} {cut}");
    }
}

#[test]
fn a_summary_replaces_whole_tasks() {
    for (text, cut, expected) in [("umum", 3, 2), ("uftm", 3, 0), ("cum", 2, 1), ("m", 1, 0)] {
        assert_eq!(task_border(&turns(text), cut), expected, "{text} {cut}");
    }
}

#[test]
fn a_task_at_the_end_is_not_history() {
    for (text, expected) in [("", 0), ("u", 0), ("um", 2), ("umu", 2), ("uft", 3)] {
        assert_eq!(history_len(&turns(text)), expected, "{text}");
    }
}
