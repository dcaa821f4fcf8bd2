//! Large graphs.

use std::collections::HashSet;
use std::thread;
use std::time::Instant;

use super::*;

#[test]
fn a_thousand_nodes_cost_little() {
    for is_chain in [true, false] {
        let nodes: Vec<Node> = (0..Graph::MAX_NODES)
            .map(|index| {
                let node = Node::new(format!("n{index}"));
                match index.checked_sub(if is_chain { 1 } else { 100 }) {
                    Some(before) => node.after(format!("n{before}")),
                    None => node,
                }
            })
            .collect();
        let start = Instant::now();
        let options = Options {
            max_parallel: 8,
            ..options()
        };
        let (lines, _) = run(nodes, options, |_| done(1));
        let each = start.elapsed() / u32::try_from(Graph::MAX_NODES).unwrap_or(1);
        println!("1,000 nodes, chain: {is_chain}: {each:?} a node");
        assert_eq!(lines.len(), 2 * Graph::MAX_NODES);
        // A release build takes a twentieth of that on a quiet machine.
        assert!(each < Duration::from_millis(2), "{each:?}");
    }
}

#[test]
fn a_thread_makes_attempts_one_after_the_other() {
    for max_parallel in [1, 4] {
        let nodes = (0..200).map(|index: usize| {
            let node = Node::new(format!("n{index}"));
            match index.checked_sub(max_parallel) {
                Some(before) => node.after(format!("n{before}")),
                None => node,
            }
        });
        let threads = Arc::new(Mutex::new(HashSet::new()));
        let seen = Arc::clone(&threads);
        let options = Options {
            max_parallel,
            ..options()
        };
        let (lines, _) = run(nodes.collect(), options, move |_| {
            seen.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(thread::current().id());
            done(1)
        });
        assert_eq!(lines.len(), 2 * 200);
        let threads = threads.lock().unwrap_or_else(PoisonError::into_inner).len();
        assert!(threads <= max_parallel, "{threads} for {max_parallel}");
    }
}
