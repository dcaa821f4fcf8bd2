//! Large graphs.

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
