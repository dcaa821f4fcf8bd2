//! `Array.prototype.sort`: in place, by a function or as strings.

use minijinja::value::Value;
use std::cmp::Ordering;

use super::array::{change, items};
use crate::error::Error;
use crate::native::argument;
use crate::runtime::Runtime;
use crate::value::compare::texts;
use crate::value::text::{self, to_text};
use crate::value::{View, view};

/// Sorts in place, by a function of two items or as strings.
pub(super) fn sort(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let mut items = items(this).to_vec();
    runtime.array(items.clone())?;
    if let View::Function(function) = view(argument(arguments, 0)) {
        let sorted = sort_by(items, &mut |left, right| {
            let order = function.call(runtime, &[left.clone(), right.clone()])?;
            Ok(text::to_number(&order, runtime)?
                .partial_cmp(&0.0)
                .unwrap_or(Ordering::Equal))
        })?;
        change(this, |items| *items = sorted);
        return Ok(this.clone());
    }
    let mut keyed = Vec::with_capacity(items.len());
    for item in items.drain(..) {
        let key = if item.is_undefined() {
            None
        } else {
            Some(to_text(&item, runtime)?.into_owned())
        };
        runtime.spend(4)?;
        keyed.push((key, item));
    }
    keyed.sort_by(|(left, _), (right, _)| match (left, right) {
        (Some(left), Some(right)) => texts(left, right),
        (left, right) => right.is_some().cmp(&left.is_some()),
    });
    change(this, |items| {
        *items = keyed.into_iter().map(|(_, item)| item).collect();
    });
    Ok(this.clone())
}

/// So many items are sorted by insertion, as V8 does, so that an order that contradicts itself
/// has the same result.
const INSERTED: usize = 63;

type Compare<'a> = dyn FnMut(&Value, &Value) -> Result<Ordering, Error> + 'a;

/// A stable sort that tolerates inconsistent results of `compare`, which fails if that does.
/// Undefined values come last and are not compared.
pub(crate) fn sort_by(items: Vec<Value>, compare: &mut Compare<'_>) -> Result<Vec<Value>, Error> {
    let (mut sorted, undefined): (Vec<Value>, Vec<Value>) =
        items.into_iter().partition(|item| !item.is_undefined());
    sorted = merge_sort(sorted, compare)?;
    sorted.extend(undefined);
    Ok(sorted)
}

fn merge_sort(mut items: Vec<Value>, compare: &mut Compare<'_>) -> Result<Vec<Value>, Error> {
    if items.len() <= INSERTED {
        insert_all(&mut items, compare)?;
        return Ok(items);
    }
    let right = items.split_off(items.len() / 2);
    let left = merge_sort(items, compare)?;
    let right = merge_sort(right, compare)?;
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = if compare(b, a)?.is_lt() {
            right.next()
        } else {
            left.next()
        };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

/// Keeps the run at the start, reversed if it descends, and inserts the others into it.
fn insert_all(items: &mut [Value], compare: &mut Compare<'_>) -> Result<(), Error> {
    let mut run = 1;
    let mut descends = false;
    while run < items.len() {
        let falls = compare(&items[run], &items[run - 1])?.is_lt();
        if run == 1 {
            descends = falls;
        } else if falls != descends {
            break;
        }
        run += 1;
    }
    if descends {
        items[..run].reverse();
    }
    for at in run..items.len() {
        let (mut low, mut high) = (0, at);
        while low < high {
            let middle = usize::midpoint(low, high);
            if compare(&items[at], &items[middle])?.is_lt() {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        items[low..=at].rotate_right(1);
    }
    Ok(())
}
