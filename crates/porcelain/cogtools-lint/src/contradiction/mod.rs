//! Contradictions in a schema: values, properties and whole schemas that no call can have.
//!
//! One decider serves all rules about them. It says no only if that is certain; it tries
//! values where there are few, and otherwise compares bounds, and the automata of patterns.

mod acceptor;
mod alternative;
mod decider;
mod implied;
mod number;
mod sample;
mod search;
mod text;

use serde_json::{Map, Value};

pub(crate) use search::contradictions;

type Object = Map<String, Value>;

/// A contradiction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contradiction {
    pub(crate) kind: ContradictionKind,
    /// The JSON pointer of what is wrong.
    pub(crate) pointer: String,
    /// What is wrong: lower case, no full stop.
    pub(crate) message: String,
}

/// What a contradiction affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContradictionKind {
    /// A schema that no value satisfies.
    Schema,
    /// A value, a branch or a property that no call can have, though others can.
    Choice,
    /// Branches of `oneOf` that take the same value.
    Overlap,
    /// `nullable` that permits nothing.
    Nullable,
}

/// Why no value is left.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reason {
    keyword: &'static str,
    text: String,
}

impl Reason {
    fn new(keyword: &'static str, text: impl Into<String>) -> Self {
        Self {
            keyword,
            text: text.into(),
        }
    }
}

/// The values that are left.
#[derive(Debug)]
enum Outcome {
    /// None, for certain.
    Empty(Reason),
    /// At most these.
    Values(Vec<Value>),
    /// Too many to count, or it is not known.
    Open,
}

/// The greatest lower and the least upper limit that `parts` set.
fn limits(parts: &[&Object], least: &str, most: &str) -> (usize, Option<usize>) {
    let number = |part: &&Object, keyword: &str| usize::try_from(part.get(keyword)?.as_u64()?).ok();
    let least = parts.iter().filter_map(|part| number(part, least)).max();
    let most = parts.iter().filter_map(|part| number(part, most)).min();
    (least.unwrap_or(0), most)
}

/// Some arguments that a schema may permit: those that it needs, and all of them.
pub(crate) fn arguments(root: &Object) -> Vec<Object> {
    let samples = sample::samples(root, root, root).into_iter();
    let objects = samples.filter_map(|value| match value {
        Value::Object(arguments) => Some(arguments),
        _ => None,
    });
    objects.collect()
}
