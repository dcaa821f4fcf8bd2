//! The names under which steps save their results. Each is of one step only, or a
//! reference would not say which result it means.

use std::collections::HashSet;

use serde_json::Value;

/// The names of a plan.
#[derive(Debug)]
pub(crate) struct Names {
    /// The names that steps ask for.
    wanted: HashSet<String>,
    taken: HashSet<String>,
    /// The first number that may be free for the next step without a name.
    next: usize,
}

impl Names {
    /// The names that `steps` ask for; none is taken yet.
    pub(crate) fn of(steps: &[Value]) -> Self {
        let names = steps
            .iter()
            .filter_map(|step| step.get("save_as")?.as_str());
        Self {
            wanted: names.map(|name| name.trim().to_owned()).collect(),
            taken: HashSet::new(),
            next: 0,
        }
    }

    /// The name for the result of the step at `index`: the one it asks for, unless an earlier
    /// step has taken it, or else `_stepN`, where N is its number or the next one that is free.
    pub(crate) fn take(&mut self, name: Option<&str>, index: usize) -> String {
        if let Some(name) = name
            && self.taken.insert(name.to_owned())
        {
            return name.to_owned();
        }
        self.next = self.next.max(index);
        loop {
            self.next += 1;
            let name = format!("_step{}", self.next);
            if !self.wanted.contains(&name) && self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(wanted: &[Option<&str>], expected: &[&str]) {
        let steps: Vec<Value> = wanted
            .iter()
            .map(|name| name.map_or_else(|| json!({}), |name| json!({"save_as": name})))
            .collect();
        let mut names = Names::of(&steps);
        let taken = wanted.iter().enumerate();
        let taken: Vec<String> = taken
            .map(|(index, name)| names.take(*name, index))
            .collect();
        assert_eq!(taken, expected);
    }

    #[test]
    fn each_name_is_of_one_step() {
        check(&[None, None], &["_step1", "_step2"]);
        check(&[Some("a"), None], &["a", "_step2"]);
        check(&[Some("_step1"), None], &["_step1", "_step2"]);
        check(&[Some("_step2"), None], &["_step2", "_step3"]);
        check(&[None, Some("_step1")], &["_step2", "_step1"]);
        check(&[Some("a"), Some("a"), None], &["a", "_step2", "_step3"]);
        check(
            &[None, None, Some("_step2"), None],
            &["_step1", "_step3", "_step2", "_step4"],
        );
    }
}
