//! `Array.prototype.sort`: in place, by a function or as strings.

use std::sync::Arc;

use minijinja::value::Value;

use super::array::{change, items};
use crate::bridge::argument;
use crate::error::Error;
use crate::runtime::Runtime;
use crate::value::compare::texts;
use crate::value::text::{self, to_text};
use crate::value::{View, view};

/// Sorts in place, by a function of two items or as strings.
pub(super) fn sort(
    runtime: &Arc<Runtime>,
    this: &Value,
    arguments: &[Value],
) -> Result<Value, Error> {
    let mut items = items(this).to_vec();
    runtime.budget.array(items.clone())?;
    if let View::Function(function) = view(argument(arguments, 0)) {
        let mut failure = None;
        let sorted = merge_sort(items, &mut |left, right| {
            let order = function
                .call(runtime, &[left.clone(), right.clone()])
                .and_then(|order| text::to_number(&order, &runtime.budget));
            order.unwrap_or_else(|error| {
                failure.get_or_insert(error);
                0.0
            }) <= 0.0
        });
        if let Some(error) = failure {
            return Err(error);
        }
        change(this, |items| *items = sorted);
        return Ok(this.clone());
    }
    let mut keyed = Vec::with_capacity(items.len());
    for item in items.drain(..) {
        let key = if item.is_undefined() {
            None
        } else {
            Some(to_text(&item, &runtime.budget)?.into_owned())
        };
        runtime.budget.spend(4)?;
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

/// A stable sort that tolerates inconsistent results of `in_order`.
pub(crate) fn merge_sort(
    mut items: Vec<Value>,
    in_order: &mut dyn FnMut(&Value, &Value) -> bool,
) -> Vec<Value> {
    if items.len() < 2 {
        return items;
    }
    let right = items.split_off(items.len() / 2);
    let left = merge_sort(items, in_order);
    let right = merge_sort(right, in_order);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = if in_order(a, b) {
            left.next()
        } else {
            right.next()
        };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    merged
}
