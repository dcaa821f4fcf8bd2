//! Valid graphs and invalid ones.

use cogtools_executor::GraphError;

use super::*;

fn error(nodes: Vec<Node>) -> Option<GraphError> {
    Graph::new(nodes).err()
}

#[test]
fn nodes_that_are_no_graph_are_rejected() {
    let (a, b) = (|| Node::new("a"), || Node::new("b"));
    assert_eq!(
        error(vec![a(), a()]),
        Some(GraphError::Duplicate("a".to_owned()))
    );
    let unknown = GraphError::Unknown {
        node: "a".to_owned(),
        need: "x".to_owned(),
    };
    assert_eq!(error(vec![a().after("x")]), Some(unknown));
    let cycle = |names: &[&str]| {
        Some(GraphError::Cycle(
            names.iter().map(|name| (*name).to_owned()).collect(),
        ))
    };
    assert_eq!(error(vec![a().after("a")]), cycle(&["a"]));
    assert_eq!(
        error(vec![a().after("b"), after_any(b(), "a")]),
        cycle(&["a", "b"])
    );
    // The node that leads to the cycle is not in it.
    let c = Node::new("c").after("a");
    assert_eq!(
        error(vec![c, a().after("b"), b().after("a")]),
        cycle(&["a", "b"])
    );
    let many = (0..=Graph::MAX_NODES).map(|index| Node::new(index.to_string()));
    assert_eq!(error(many.collect()), Some(GraphError::TooMany(1_001)));
    assert_eq!(error(Vec::new()), None);
}

#[test]
fn errors_name_the_nodes() {
    let cycle = GraphError::Cycle(vec!["a".to_owned(), "b".to_owned()]);
    assert_eq!(cycle.to_string(), "nodes need each other: a -> b");
    assert_eq!(
        GraphError::TooMany(2_000).to_string(),
        "2000 nodes; a graph has at most 1000"
    );
}

#[test]
fn in_a_chain_each_node_needs_the_one_before() {
    let nodes = ["a", "b", "c"].map(Node::new).to_vec();
    let chain = Graph::chain(nodes).expect("a chain");
    let needs: Vec<Vec<&str>> = chain
        .nodes()
        .iter()
        .map(|node| node.needs.iter().map(|need| need.node.as_str()).collect())
        .collect();
    assert_eq!(needs, [vec![], vec!["a"], vec!["b"]]);
}

#[test]
fn the_largest_chain_is_fast() {
    let nodes = (0..Graph::MAX_NODES).map(|index| Node::new(index.to_string()));
    let chain = Graph::chain(nodes.collect()).expect("a chain");
    let execution = execute(
        chain,
        Arc::new(Script(|_: &Attempt| done(1))),
        options(),
        &mut Record::default(),
    );
    assert_eq!(execution.states.len(), Graph::MAX_NODES);
}
