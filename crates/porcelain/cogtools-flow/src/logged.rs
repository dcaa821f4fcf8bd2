//! The flow in a session, and how far it came.

use std::collections::{BTreeMap, HashMap};

use cogtools_core::{Code, Diagnostic};
use cogtools_log::{BlobId, Event, NodeState, Route, Session, SessionFile};
use cogtools_program::Failure;
use serde_json::{Map, Value};

/// A flow with the states of its nodes.
#[derive(Clone, Debug)]
pub(crate) struct LoggedFlow {
    pub(crate) tool: String,
    pub(crate) digest: String,
    /// The arguments, as the line has them.
    pub(crate) arguments: Map<String, Value>,
    /// The whole arguments, if those are masked.
    blob: Option<BlobId>,
    /// The nodes and items that have started or were skipped, in the order of their first line:
    /// how long others took makes no difference.
    pub(crate) nodes: Vec<LoggedNode>,
    /// Where each is among them.
    places: HashMap<String, usize>,
}

/// What has a result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    /// Nodes, by name.
    pub(crate) nodes: BTreeMap<String, Value>,
    /// Items, by `NODE.INDEX`.
    pub(crate) items: BTreeMap<String, Value>,
}

/// A node, or an item of one, as the session has it.
#[derive(Clone, Debug)]
pub(crate) struct LoggedNode {
    pub(crate) id: String,
    pub(crate) state: NodeState,
    pub(crate) inputs: Option<Value>,
    pub(crate) route: Option<Route>,
    pub(crate) output: Option<Value>,
    pub(crate) ms: Option<u64>,
    pub(crate) is_cached: bool,
    /// Whether a secret in its result is masked.
    is_masked: bool,
    key: Option<String>,
    blob: Option<BlobId>,
}

impl LoggedFlow {
    /// The last flow of `session`.
    ///
    /// # Errors
    ///
    /// There is none.
    pub(crate) fn read(session: &Session, file: &SessionFile) -> Result<Self, Failure> {
        let path = session.head().map(|head| session.path_to(head));
        let mut found: Option<Self> = None;
        for entry in path.unwrap_or_default() {
            match (&entry.event, &mut found) {
                (
                    Event::Flow {
                        tool,
                        digest,
                        arguments,
                        blob,
                    },
                    _,
                ) => {
                    found = Some(Self {
                        tool: tool.clone(),
                        digest: digest.clone(),
                        arguments: arguments.as_object().cloned().unwrap_or_default(),
                        blob: blob.clone(),
                        nodes: Vec::new(),
                        places: HashMap::new(),
                    });
                }
                (event @ Event::Node { .. }, Some(flow)) => flow.add(event),
                _ => {}
            }
        }
        found.ok_or_else(|| {
            let message = format!("the session `{}` has no flow", session.header.session);
            Diagnostic::new(Code::SessionNotFound, message)
                .with_subject(file.display_path().display().to_string())
                .hint("`cogtools session list` shows the sessions of this project")
                .into()
        })
    }

    fn add(&mut self, event: &Event) {
        let Event::Node {
            node,
            state,
            inputs,
            route,
            output,
            blob,
            masked,
            key,
            cached,
            ms,
        } = event
        else {
            return;
        };
        let node = LoggedNode {
            id: node.clone(),
            state: state.clone(),
            inputs: inputs.clone(),
            route: route.clone(),
            output: output.clone(),
            ms: *ms,
            is_cached: *cached,
            is_masked: *masked,
            key: key.clone(),
            blob: blob.clone(),
        };
        if let Some(place) = self.places.get(&node.id) {
            self.nodes[*place] = node;
        } else {
            self.places.insert(node.id.clone(), self.nodes.len());
            self.nodes.push(node);
        }
    }

    /// The results that later runs may use, by the digests of their calls. What cannot be read is
    /// left out.
    pub(crate) fn keyed_results(&self, file: &SessionFile) -> Vec<(String, Value)> {
        let ended = self.nodes.iter();
        let ended = ended.filter(|node| node.has_result());
        let keyed = ended.filter_map(|node| Some((node.key.clone()?, node.whole(file).ok()?)));
        keyed.collect()
    }

    /// The whole arguments.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub(crate) fn whole_arguments(
        &self,
        file: &SessionFile,
    ) -> Result<Map<String, Value>, Failure> {
        let Some(blob) = &self.blob else {
            return Ok(self.arguments.clone());
        };
        match read_blob(blob, file) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            Ok(_) => Err(unreadable(&self.tool, "argument map", "it is no object")),
            Err(reason) => Err(unreadable(&self.tool, "argument map", &reason)),
        }
    }

    /// The results of nodes, and of items, by their names.
    ///
    /// # Errors
    ///
    /// A result cannot be read.
    pub(crate) fn results(&self, file: &SessionFile) -> Result<Results, Failure> {
        let mut results = Results::default();
        for node in &self.nodes {
            if !node.has_result() {
                continue;
            }
            let value = node
                .whole(file)
                .map_err(|reason| unreadable(&node.id, "result", &reason))?;
            let of_kind = if node.id.contains('.') {
                &mut results.items
            } else {
                &mut results.nodes
            };
            of_kind.insert(node.id.clone(), value);
        }
        Ok(results)
    }
}

impl LoggedNode {
    /// The whole result.
    fn whole(&self, file: &SessionFile) -> Result<Value, String> {
        let Some(blob) = &self.blob else {
            return Ok(self.output.clone().unwrap_or_default());
        };
        read_blob(blob, file)
    }

    /// Whether it has ended with a result from which a run can go on.
    const fn has_result(&self) -> bool {
        matches!(self.state, NodeState::Succeeded) && !self.is_masked
    }

    /// Whether it may have done something, and there is no result from which a run can go on.
    pub(crate) const fn has_no_result(&self) -> bool {
        match self.state {
            NodeState::Started => true,
            NodeState::Succeeded => self.is_masked,
            _ => false,
        }
    }

    /// Whether it has ended, and a secret in its result is masked.
    pub(crate) const fn is_masked(&self) -> bool {
        self.is_masked
    }
}

fn read_blob(blob: &BlobId, file: &SessionFile) -> Result<Value, String> {
    let bytes = file.blobs().read(blob).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map_err(|error| error.to_string())
}

fn unreadable(subject: &str, what: &str, reason: &str) -> Failure {
    let message = format!("its {what} cannot be read: {reason}");
    Diagnostic::new(Code::InvalidSession, message)
        .with_subject(subject)
        .hint("`cogtools session verify` checks the session")
        .into()
}
