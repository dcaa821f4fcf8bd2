//! The order of words in English, as `localeCompare` has it: white space, punctuation, digits,
//! letters; the case of a letter counts only between words that are equal otherwise.

use minijinja::value::Value;
use std::cmp::Ordering;

use super::string::text;
use crate::error::Error;
use crate::native::argument;
use crate::runtime::Runtime;
use crate::value::text::to_text;

/// The characters before the letters, in order.
const FIRST: &str = "\t\n\u{b}\u{c}\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";

pub(super) fn compare(
    runtime: &Runtime,
    this: &Value,
    arguments: &[Value],
) -> Result<Value, Error> {
    let other = to_text(argument(arguments, 0), runtime)?;
    let (left, right) = (text(this), &*other);
    runtime.spend(left.len().min(right.len()))?;
    Ok(Value::from(order(left, right) as i32))
}

fn order(left: &str, right: &str) -> Ordering {
    let letters = letters(left).cmp(letters(right));
    letters.then_with(|| cases(left).cmp(cases(right)))
}

/// Characters that the order ignores.
fn is_ignored(c: char) -> bool {
    c.is_ascii_control() && !FIRST.contains(c)
}

fn letters(text: &str) -> impl Iterator<Item = (usize, char)> {
    let shown = text.chars().filter(|c| !is_ignored(*c));
    shown.flat_map(char::to_lowercase).map(|c| {
        let position = if c.is_ascii() { FIRST.find(c) } else { None };
        (position.unwrap_or(FIRST.len()), c)
    })
}

/// Returns true if each character is an upper-case letter.
fn cases(text: &str) -> impl Iterator<Item = bool> {
    let shown = text.chars().filter(|c| !is_ignored(*c));
    shown.map(char::is_uppercase)
}
