//! The calls of a trial beside those that are expected: the assignment that matches most.

use cogtools_core::{pluralize, pointer};
use serde_json::Value;

use crate::case::{Argument, ExpectedCall, Order};
use crate::matcher::at;
use crate::trial::{Call, Failed};

impl Argument {
    fn holds(&self, call: &Call) -> bool {
        let resolved = call.resolved.as_ref().unwrap_or(&call.args);
        self.matcher
            .holds(at(&call.args, &self.key), at(resolved, &self.key))
    }
}

/// Returns true if a call has the arguments that all of `args` describe.
pub(crate) fn all_hold(args: &[Argument], call: &Call) -> bool {
    args.iter().all(|argument| argument.holds(call))
}

impl ExpectedCall {
    /// The least and the largest number of calls that it takes.
    fn times(&self, order: Order) -> (u64, u64) {
        self.times.unwrap_or(match order {
            Order::Subset | Order::InOrder => (1, u64::MAX),
            Order::Exact | Order::AnyOrder => (1, 1),
        })
    }
}

/// The differences between the calls that are expected and those that were made.
pub(crate) fn compare(expected: &[ExpectedCall], order: Order, calls: &[&Call]) -> Vec<Failed> {
    let matches = |one: &ExpectedCall| {
        let matches = |call: &&Call| call.tool == one.tool && all_hold(&one.args, call);
        calls.iter().map(matches).collect()
    };
    let matches: Vec<Vec<bool>> = expected.iter().map(matches).collect();
    let times: Vec<(u64, u64)> = expected.iter().map(|one| one.times(order)).collect();
    let assigned = Assignment::find(&matches, &times, calls.len());
    let mut failed = Vec::new();
    for (index, one) in expected.iter().enumerate() {
        let own = assigned.of_call.iter().filter(|of| **of == Some(index));
        let got = own.count() as u64;
        if got < times[index].0 {
            failed.extend(missing(index, one, (got, times[index].0), calls, &assigned));
        }
    }
    let is_closed = matches!(order, Order::Exact | Order::AnyOrder);
    // A call with other arguments was reported already.
    let is_reported = !failed.is_empty();
    for (position, call) in calls.iter().enumerate() {
        if assigned.of_call[position].is_some() {
            continue;
        }
        let limited = (0..expected.len())
            .find(|index| matches[*index][position] && expected[*index].times.is_some());
        let (tool, args) = (&call.tool, &call.args);
        if let Some(index) = limited {
            let most = pluralize(times[index].1, "time");
            let message = format!("`{tool}` was called more than {most}");
            failed.push(Failed::new(format!("/calls/{index}/times"), message));
        } else if is_closed && !is_reported {
            let message = format!("nothing else is expected, but `{tool}` was called with {args}");
            failed.push(Failed::new("/order", message));
        }
    }
    let is_ordered = matches!(order, Order::Exact | Order::InOrder);
    if failed.is_empty() && is_ordered && !fits_in_order(&matches, &times, calls.len(), is_closed) {
        let names: Vec<&str> = calls.iter().map(|call| &*call.tool).collect();
        let message = format!("the calls are in another order: {}", names.join(", "));
        failed.push(Failed::new("/order", message));
    }
    failed
}

/// The failures of an expected call that was made too seldom: its arguments that do not hold in
/// the most similar call, or that there is none.
fn missing(
    index: usize,
    expected: &ExpectedCall,
    (got, least): (u64, u64),
    calls: &[&Call],
    assigned: &Assignment,
) -> Vec<Failed> {
    let free = calls.iter().zip(&assigned.of_call);
    let free = free.filter(|(call, of)| of.is_none() && call.tool == expected.tool);
    let unmet = |call| expected.args.iter().filter(move |it| !it.holds(call));
    let nearest = free
        .map(|(call, _)| *call)
        .min_by_key(|call| unmet(call).count());
    let pointer = format!("/calls/{index}");
    let Some(nearest) = nearest else {
        let times = pluralize(least, "time");
        let message = match got {
            0 if least == 1 => format!("`{}` was not called", expected.tool),
            got => format!("`{}` was called {got} of {times}", expected.tool),
        };
        return vec![Failed::new(pointer, message)];
    };
    let failed = unmet(nearest).map(|argument| {
        let sent = at(&nearest.args, &argument.key).map_or("nothing".to_owned(), Value::to_string);
        let pointer = pointer::child(&format!("{pointer}/args"), &argument.key);
        Failed::new(
            pointer,
            format!("{} is expected, {sent} was sent", argument.shown),
        )
    });
    failed.collect()
}

/// The assignment of calls to expected calls that matches most.
struct Assignment {
    /// The expected call of each call.
    of_call: Vec<Option<usize>>,
}

impl Assignment {
    /// Fills the least numbers first; calls that are left then take what is free up to the most.
    /// Paths that change sides lose nothing that was assigned before.
    fn find(matches: &[Vec<bool>], times: &[(u64, u64)], calls: usize) -> Self {
        let mut assignment = Self {
            of_call: vec![None; calls],
        };
        for (index, (least, _)) in times.iter().enumerate() {
            for _ in 0..*least {
                if !assignment.fill(index, matches, &mut vec![false; matches.len()]) {
                    break;
                }
            }
        }
        for call in 0..calls {
            if assignment.of_call[call].is_none() {
                assignment.place(call, matches, times, &mut vec![false; matches.len()]);
            }
        }
        assignment
    }

    /// Finds one more call for the expected call `index`; others may change theirs.
    fn fill(&mut self, index: usize, matches: &[Vec<bool>], seen: &mut [bool]) -> bool {
        seen[index] = true;
        for call in 0..self.of_call.len() {
            if !matches[index][call] {
                continue;
            }
            let is_free = match self.of_call[call] {
                None => true,
                Some(owner) => !seen[owner] && self.fill(owner, matches, seen),
            };
            if is_free {
                self.of_call[call] = Some(index);
                return true;
            }
        }
        false
    }

    /// Finds an expected call for `call`; other calls may change theirs.
    fn place(
        &mut self,
        call: usize,
        matches: &[Vec<bool>],
        times: &[(u64, u64)],
        seen: &mut [bool],
    ) -> bool {
        for index in 0..matches.len() {
            if !matches[index][call] || seen[index] {
                continue;
            }
            seen[index] = true;
            let owned: Vec<usize> = (0..self.of_call.len())
                .filter(|other| self.of_call[*other] == Some(index))
                .collect();
            let has_room = (owned.len() as u64) < times[index].1;
            if has_room
                || owned
                    .into_iter()
                    .any(|other| self.place(other, matches, times, seen))
            {
                self.of_call[call] = Some(index);
                return true;
            }
        }
        false
    }
}

/// Returns true if the calls follow the expected ones in order, with others between unless the
/// list `is_closed`.
#[expect(clippy::needless_range_loop, reason = "a column of the matrix")]
fn fits_in_order(
    matches: &[Vec<bool>],
    times: &[(u64, u64)],
    calls: usize,
    is_closed: bool,
) -> bool {
    // The pairs of an expected call and how often it was made so far.
    let mut states = vec![(0, 0)];
    let close = |states: &mut Vec<(usize, u64)>| {
        let mut next = 0;
        while let Some((index, count)) = states.get(next).copied() {
            let following = (index + 1, 0);
            if index < times.len() && count >= times[index].0 && !states.contains(&following) {
                states.push(following);
            }
            next += 1;
        }
    };
    close(&mut states);
    for call in 0..calls {
        let mut reached = Vec::new();
        for (index, count) in states {
            if index < times.len() && matches[index][call] && count < times[index].1 {
                let (least, most) = times[index];
                // Without a limit, nothing depends on the calls beyond the least number.
                let counted = if most == u64::MAX { least.max(1) } else { most };
                reached.push((index, (count + 1).min(counted.max(least))));
            }
            if !is_closed {
                reached.push((index, count));
            }
        }
        reached.sort_unstable();
        reached.dedup();
        close(&mut reached);
        states = reached;
    }
    states.iter().any(|(index, _)| *index == times.len())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cogtools_core::text::Text;
    use serde_json::json;

    use super::*;
    use crate::case;

    /// The pointers of what fails when calls `a(1)`, `b(2)` … are made, as `made` writes them.
    #[track_caller]
    fn check(expect: &str, made: &[(&str, i64)], failed: &[&str]) {
        let text = format!("cases: [{{name: x, task: t, expect: {expect}}}]");
        let text = Text::new("x.evals.yaml", text.into_bytes()).expect("text");
        let (cases, _) = case::read(&text, None, Path::new("x")).expect("cases");
        let call = |(tool, x): &(&str, i64)| Call::sent(tool, json!({ "x": x }), None);
        let calls: Vec<Call> = made.iter().map(call).collect();
        let expect = &cases[0].expect;
        let found = compare(
            expect.calls.as_deref().unwrap_or_default(),
            expect.order,
            &calls.iter().collect::<Vec<_>>(),
        );
        let pointers: Vec<&str> = found.iter().map(|failed| failed.expect.as_str()).collect();
        assert_eq!(pointers, failed, "{found:?}");
    }

    #[test]
    fn the_assignment_matches_most() {
        let two = "{calls: [{tool: a}, {tool: a, args: {x: 1}}], order: any_order}";
        check(two, &[("a", 1), ("a", 2)], &[]);
        check(two, &[("a", 2), ("a", 1)], &[]);
        check(two, &[("a", 2), ("a", 3)], &["/calls/1/args/x"]);
        check(two, &[("a", 1)], &["/calls/1"]);
    }

    #[test]
    fn orders_differ_in_what_may_be_between() {
        let with = |order: &str| format!("{{calls: [{{tool: a}}, {{tool: b}}], order: {order}}}");
        for (order, made, failed) in [
            (
                "subset",
                vec![("c", 1), ("b", 1), ("a", 1), ("a", 2)],
                vec![],
            ),
            ("in_order", vec![("a", 1), ("c", 1), ("b", 1)], vec![]),
            ("in_order", vec![("b", 1), ("a", 1)], vec!["/order"]),
            ("exact", vec![("a", 1), ("b", 1)], vec![]),
            ("exact", vec![("b", 1), ("a", 1)], vec!["/order"]),
            ("exact", vec![("a", 1), ("b", 1), ("c", 1)], vec!["/order"]),
            ("any_order", vec![("b", 1), ("a", 1)], vec![]),
            (
                "any_order",
                vec![("b", 1), ("a", 1), ("a", 1)],
                vec!["/order"],
            ),
            ("subset", vec![("b", 1)], vec!["/calls/0"]),
        ] {
            check(&with(order), &made, &failed);
        }
    }

    #[test]
    fn times_count_the_calls_that_match() {
        let with =
            |times: &str| format!("{{calls: [{{tool: a, args: {{x: 1}}, times: {times}}}]}}");
        check(&with("2"), &[("a", 1), ("a", 1), ("a", 2)], &[]);
        check(
            &with("2"),
            &[("a", 1), ("a", 1), ("a", 1)],
            &["/calls/0/times"],
        );
        check(&with("{max: 1}"), &[], &[]);
        check(&with("{min: 2}"), &[("a", 1)], &["/calls/0"]);
        check(&with("0"), &[("a", 1)], &["/calls/0/times"]);
    }

    #[test]
    fn in_order_is_not_greedy() {
        let expect = "{calls: [{tool: a, times: {min: 1}}, {tool: a, args: {x: 1}}], order: exact}";
        check(expect, &[("a", 1), ("a", 1)], &[]);
        check(expect, &[("a", 2), ("a", 3), ("a", 1)], &[]);
        check(expect, &[("a", 1), ("a", 2)], &["/order"]);
    }
}
