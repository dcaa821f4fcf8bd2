//! Random graphs with random failures and interruptions, compared with what they must come to.

use std::collections::BTreeSet;

use cogtools_executor::{Need, SkipReason};

use super::*;

/// The number of graphs that a run tries.
const GRAPHS: u64 = 400;

/// Numbers that are the same in each run.
struct Random(u64);

/// The work of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Behaviour {
    Succeeds,
    /// Its condition does not hold.
    Skips,
    /// It fails for good.
    FailsFinally,
    /// It fails for good, and nothing that needs it may run.
    Blocks,
    /// It fails this often, then succeeds.
    Fails(u32),
}

#[derive(Clone, Debug)]
struct Case {
    nodes: Vec<Node>,
    behaviours: Vec<Behaviour>,
    max_parallel: usize,
}

/// The end that a node must have: with this value after so many attempts, or otherwise.
#[derive(Clone, Debug, PartialEq)]
enum Expected {
    Succeeded(u64, u32),
    Failed(u32),
    Skipped(SkipReason),
}

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        // Xorshift: three shifts with a full period.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn case(&mut self) -> Case {
        let count = 1 + self.below(14);
        let mut case = Case {
            nodes: Vec::new(),
            behaviours: Vec::new(),
            max_parallel: 1 + usize::try_from(self.below(4)).unwrap_or_default(),
        };
        for index in 0..count {
            let mut node = Node::new(format!("n{index}"));
            for other in 0..index {
                match self.below(7) {
                    2 => node = after_skipped(node, format!("n{other}")),
                    0 => node = node.after(format!("n{other}")),
                    1 => node = after_any(node, format!("n{other}")),
                    _ => {}
                }
            }
            node.retry.times = u32::try_from(self.below(3)).unwrap_or_default();
            case.nodes.push(node);
            case.behaviours.push(match self.below(9) {
                8 => Behaviour::Blocks,
                0 => Behaviour::Skips,
                1 => Behaviour::FailsFinally,
                2 | 3 => Behaviour::Fails(1 + u32::try_from(self.below(3)).unwrap_or_default()),
                _ => Behaviour::Succeeds,
            });
        }
        case
    }
}

/// Returns the end of each node: needs only lead backwards, so one pass suffices.
fn oracle(case: &Case) -> Vec<Expected> {
    let mut ends: Vec<Expected> = Vec::new();
    // How bad the end of each node is: 1 if it was skipped, 2 if it has failed, 3 if it blocks.
    let mut badness: Vec<u8> = Vec::new();
    for (node, behaviour) in case.nodes.iter().zip(&case.behaviours) {
        let index = |need: &str| need[1..].parse::<usize>().unwrap_or_default();
        let tolerated = |need: &Need| u8::from(need.is_optional) + u8::from(need.may_fail);
        let is_missing = |need: &&Need| badness[index(&need.node)] > tolerated(need);
        let missing: Vec<&Need> = node.needs.iter().filter(is_missing).collect();
        let inherited = missing.iter().map(|need| badness[index(&need.node)]).max();
        let value = || {
            let results = node
                .needs
                .iter()
                .filter_map(|need| match ends[index(&need.node)] {
                    Expected::Succeeded(value, _) => Some(value),
                    _ => None,
                });
            1 + results.max().unwrap_or_default()
        };
        let times = node.retry.times;
        let end = match (missing.first(), *behaviour) {
            (Some(need), _) => Expected::Skipped(SkipReason::Needs(need.node.clone())),
            (None, Behaviour::Skips) => Expected::Skipped(SkipReason::Condition),
            (None, Behaviour::FailsFinally | Behaviour::Blocks) => Expected::Failed(1),
            (None, Behaviour::Succeeds) => Expected::Succeeded(value(), 1),
            (None, Behaviour::Fails(often)) if often <= times => {
                Expected::Succeeded(value(), often + 1)
            }
            (None, Behaviour::Fails(_)) => Expected::Failed(times + 1),
        };
        badness.push(match (&end, behaviour) {
            (Expected::Succeeded(..), _) => 0,
            (Expected::Failed(_), Behaviour::Blocks) => 3,
            (Expected::Failed(_), _) => 2,
            (Expected::Skipped(_), _) => inherited.unwrap_or(1),
        });
        ends.push(end);
    }
    ends
}

/// Runs a case, with what is done already, until so many events are recorded.
fn execute_case(
    case: &Case,
    done: BTreeMap<String, Value>,
    capacity: Option<usize>,
) -> (Vec<String>, Execution) {
    let (behaviours, nodes) = (case.behaviours.clone(), case.nodes.clone());
    let work = move |attempt: &Attempt| {
        let index: usize = attempt.node()[1..].parse().unwrap_or_default();
        let needs = nodes[index].needs.iter();
        let results = needs.filter_map(|need| attempt.result(&need.node)?.as_u64());
        let value = 1 + results.max().unwrap_or_default();
        match behaviours[index] {
            Behaviour::Skips => Ok(Completion::Skip),
            Behaviour::FailsFinally => Err(Failure::is_final(*failure("no").diagnostic)),
            Behaviour::Blocks => Err(blocking("no")),
            Behaviour::Fails(often) if attempt.number <= often => Err(failure("not yet")),
            _ => super::done(value),
        }
    };
    let graph = Graph::new(case.nodes.clone()).expect("a graph");
    let mut record = Record {
        capacity,
        ..Record::default()
    };
    let options = Options {
        max_parallel: case.max_parallel,
        on_failure: OnFailure::SkipDependents,
        interrupt: Cancel::default(),
        done,
        failed: BTreeMap::new(),
        cancel: Cancel::default(),
    };
    let execution = execute(graph, Arc::new(Script(work)), options, &mut record);
    (record.lines, execution)
}

/// The lines about `node`.
fn about<'l>(lines: &'l [String], node: &str) -> Vec<&'l str> {
    let prefix = format!("{node} ");
    let own = lines.iter().filter(|line| line.starts_with(&prefix));
    own.map(|line| &line[prefix.len()..]).collect()
}

/// Checks the states, and that each node ran in its time and as often as it must.
fn check(case: &Case, expected: &[Expected], lines: &[String], execution: &Execution) {
    assert!(!execution.is_stopped);
    let ended = |line: &&str| !line.starts_with("started") && !line.starts_with("again");
    for (node, expected) in case.nodes.iter().zip(expected) {
        let own = about(lines, &node.id);
        let attempts = own
            .iter()
            .filter(|line| line.starts_with("started"))
            .count();
        let (state, number) = match expected {
            Expected::Succeeded(value, attempts) => {
                (State::Succeeded(Arc::new(json!(value))), *attempts)
            }
            Expected::Failed(attempts) => (execution.states[&node.id].clone(), *attempts),
            Expected::Skipped(reason) => {
                let runs = u32::from(*reason == SkipReason::Condition);
                (State::Skipped(reason.clone()), runs)
            }
        };
        let context = || format!("{}: {case:#?}\n{lines:#?}", node.id);
        assert_eq!(execution.states[&node.id], state, "{}", context());
        let is_failed = matches!(execution.states[&node.id], State::Failed(_));
        assert_eq!(
            is_failed,
            matches!(expected, Expected::Failed(_)),
            "{}",
            context()
        );
        assert_eq!(
            attempts,
            usize::try_from(number).unwrap_or_default(),
            "{}",
            context()
        );
        assert_eq!(
            own.iter().filter(|line| ended(line)).count(),
            1,
            "{}",
            context()
        );
        for need in &node.needs {
            let started = lines
                .iter()
                .position(|line| *line == format!("{} started 1", node.id));
            let is_end = |line: &String| {
                line.strip_prefix(&format!("{} ", need.node))
                    .is_some_and(|line| ended(&line))
            };
            let end = lines.iter().position(is_end);
            assert!(
                started.is_none_or(|started| end.is_some_and(|end| end < started)),
                "{}",
                context()
            );
        }
    }
    check_parallel(case, lines);
}

/// Checks that no more nodes ran at the same time than may.
fn check_parallel(case: &Case, lines: &[String]) {
    let mut running = BTreeSet::new();
    for line in lines {
        let (node, event) = line.split_once(' ').expect("a node");
        if event.starts_with("started") {
            running.insert(node);
        } else {
            running.remove(node);
        }
        assert!(running.len() <= case.max_parallel, "{lines:#?}");
    }
}

#[test]
fn random_graphs_come_to_what_they_must() {
    let mut random = Random(0x5eed);
    for _ in 0..GRAPHS {
        let case = random.case();
        let (lines, execution) = execute_case(&case, BTreeMap::new(), None);
        check(&case, &oracle(&case), &lines, &execution);
    }
}

#[test]
fn a_run_that_is_interrupted_anywhere_goes_on_without_repeating_what_is_done() {
    let mut random = Random(0xdead_beef);
    for _ in 0..GRAPHS {
        let case = random.case();
        let expected = oracle(&case);
        let events = execute_case(&case, BTreeMap::new(), None).0.len();
        let limit = random.below(u64::try_from(events).unwrap_or_default() + 1);
        let limit = usize::try_from(limit).unwrap_or_default();
        let (before, _) = execute_case(&case, BTreeMap::new(), Some(limit));
        let done: BTreeMap<String, Value> = before
            .iter()
            .filter_map(|line| line.split_once(" succeeded "))
            .map(|(node, value)| (node.to_owned(), serde_json::from_str(value).expect("JSON")))
            .collect();
        let (after, execution) = execute_case(&case, done.clone(), None);
        for node in done.keys() {
            assert_eq!(about(&after, node), [""; 0], "{case:#?}");
        }
        for (node, expected) in case.nodes.iter().zip(&expected) {
            let state = &execution.states[&node.id];
            let is_same = match (expected, state) {
                (Expected::Succeeded(value, _), State::Succeeded(found)) => **found == json!(value),
                (Expected::Failed(_), State::Failed(_)) => true,
                (Expected::Skipped(reason), State::Skipped(found)) => reason == found,
                _ => false,
            };
            assert!(
                is_same,
                "{}: {expected:?}, but {state:?}: {case:#?}",
                node.id
            );
        }
    }
}
