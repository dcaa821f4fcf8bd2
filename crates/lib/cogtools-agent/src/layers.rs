//! A prompt: four layers, whose order is a type.
//!
//! What rarely changes comes first, because providers cache the beginning of a request. What
//! the model should react to comes last.

use std::sync::Arc;

use cogtools_log::LayerSize;
use cogtools_model::{Content, Generation, Request, ToolMode, hex};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// How many contents of a layer are one part of its text.
const GROUP: usize = 64;

/// The first layer: instructions, tools, and the turns that are old enough to be cached.
#[derive(Clone, Debug, Default)]
pub struct StaticLayer {
    /// Instructions, roles, rules.
    pub system: Option<Arc<Content>>,
    /// The declarations of the tools.
    pub tools: Arc<Vec<Value>>,
    /// Turns before those of [`BufferedLayer`].
    pub history: Vec<Arc<Content>>,
}

/// The second layer: the state of the world, as JSON.
#[derive(Clone, Debug, Default)]
pub struct DynamicLayer(pub Option<Arc<Content>>);

/// The third layer: recent turns, exactly as they were.
#[derive(Clone, Debug, Default)]
pub struct BufferedLayer(pub Vec<Arc<Content>>);

/// The last layer: a task, or the results of calls.
#[derive(Clone, Debug)]
pub struct TriggerLayer(pub Arc<Content>);

/// All layers.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What rarely changes.
    pub fixed: StaticLayer,
    /// The state of the world.
    pub dynamic: DynamicLayer,
    /// Recent turns.
    pub buffered: BufferedLayer,
    /// What to react to.
    pub trigger: TriggerLayer,
}

/// How to ask.
#[derive(Clone, Debug, Default)]
pub struct RequestOptions {
    /// The model.
    pub model: String,
    /// How the answer is made.
    pub generation: Generation,
    /// How tools may be used.
    pub mode: ToolMode,
}

impl StaticLayer {
    /// The request that a cache of this layer is created with.
    pub fn cache_request(&self, model: &str) -> Request {
        Request {
            model: model.to_owned(),
            system: self.system.clone(),
            tools: Arc::clone(&self.tools),
            contents: self.history.clone(),
            ..Request::default()
        }
    }

    /// What a cache is found by: the hash of the model and of everything that it would hold.
    pub fn key(&self, model: &str) -> String {
        self.cache_request(model).hash()
    }
}

impl Prompt {
    /// The request, in which the cache `cached` holds the first layer if there is one. Without
    /// it, the layer is sent in full.
    pub fn request(&self, options: &RequestOptions, cached: Option<&str>) -> Request {
        let history = if cached.is_some() {
            &[]
        } else {
            self.fixed.history.as_slice()
        };
        let contents = history
            .iter()
            .chain(&self.dynamic.0)
            .chain(&self.buffered.0)
            .chain([&self.trigger.0]);
        Request {
            model: options.model.clone(),
            system: self.fixed.system.clone(),
            tools: Arc::clone(&self.fixed.tools),
            mode: options.mode.clone(),
            contents: contents.cloned().collect(),
            generation: options.generation.clone(),
            cached_content: cached.map(str::to_owned),
        }
    }

    /// The name, the size and the hash of each layer.
    pub fn sizes(&self, is_cached: bool) -> Vec<LayerSize> {
        let fixed = (&self.fixed.system, &self.fixed.tools, &self.fixed.history);
        vec![
            size("static", &fixed, is_cached),
            size("dynamic", &self.dynamic.0, false),
            size("buffered", &self.buffered.0, false),
            size("trigger", &self.trigger.0, false),
        ]
    }

    /// The text of each layer, in the order of [`Prompt::sizes`], in parts that later requests
    /// repeat.
    pub fn texts(&self) -> [Vec<Vec<u8>>; 4] {
        let tools = Some(&self.fixed.tools).filter(|tools| !tools.is_empty());
        let mut fixed: Vec<Vec<u8>> = self.fixed.system.iter().map(json).collect();
        fixed.extend(tools.map(json));
        fixed.extend(parts(&self.fixed.history));
        [
            fixed,
            self.dynamic.0.iter().map(json).collect(),
            parts(&self.buffered.0),
            vec![json(&self.trigger.0)],
        ]
    }
}

fn size(name: &str, layer: &impl Serialize, cached: bool) -> LayerSize {
    let json = serde_json::to_vec(layer).unwrap_or_default();
    let is_empty = matches!(json.as_slice(), b"null" | b"[]" | b"[null,[],[]]");
    LayerSize {
        name: name.to_owned(),
        tokens: if is_empty {
            0
        } else {
            estimate_tokens(json.len())
        },
        hash: hex(&Sha256::digest(&json)),
        cached,
        parts: Vec::new(),
    }
}

/// Contents as parts: full groups are one part each, so that a long history has few, and the others
/// are alone, so that what a request adds to them is all that is new.
fn parts(contents: &[Arc<Content>]) -> Vec<Vec<u8>> {
    let groups = contents.chunks_exact(GROUP);
    let rest = groups.remainder().iter().map(json);
    groups.map(json).chain(rest).collect()
}

fn json(value: impl Serialize) -> Vec<u8> {
    serde_json::to_vec(&value).unwrap_or_default()
}

/// The approximate number of tokens of `bytes` bytes of JSON.
fn estimate_tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}
