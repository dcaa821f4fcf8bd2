//! A prompt: four layers, whose order is a type, and the templates of the first two.
//!
//! Providers cache the beginning of a request, so rarely changing layers come first. The text that
//! the model should react to comes last.

use std::sync::Arc;

use cogtools_core::text::Text;
use cogtools_core::{Code, Diagnostic, digest};
use cogtools_log::{Blobs, Entry, Event, LayerSize};
use cogtools_model::{Content, Generation, Part, Request, ToolMode};
use cogtools_program::Failure;
use njk::Engine;
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::Tools;

/// Number of contents of a layer in one part of its text.
const GROUP: usize = 64;

/// The first layer: instructions, tools, and the turns that are old enough to be cached.
#[derive(Clone, Debug, Default)]
pub struct StaticLayer {
    /// Instructions, roles, rules.
    pub system: Option<Arc<Content>>,
    /// The declarations of the tools.
    pub tools: Arc<Vec<Value>>,
    /// The turns before the buffered layer.
    pub history: Vec<Arc<Content>>,
}

/// All layers.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The layer that rarely changes.
    pub fixed: StaticLayer,
    /// The second layer: the state of the world when the session began, as JSON.
    pub dynamic: Option<Arc<Content>>,
    /// The third layer: recent turns, exactly as they were.
    pub buffered: Vec<Arc<Content>>,
    /// The layer to react to: a task, or the results of calls.
    pub trigger: Arc<Content>,
}

/// The options of a request.
#[derive(Clone, Debug, Default)]
pub struct RequestOptions {
    /// The model.
    pub model: String,
    /// The settings of the answer.
    pub generation: Generation,
    /// The mode in which tools may be used.
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

    /// Key of a cache: the hash of the model and of everything that it would hold.
    pub fn key(&self, model: &str) -> String {
        self.cache_request(model).hash()
    }
}

impl Prompt {
    /// The request, in which the cache `cached` holds the first layer if there is one. Without
    /// it, the layer is sent in full.
    pub fn request(&self, options: &RequestOptions, cached: Option<&str>) -> Request {
        let history = self.fixed.history.iter().filter(|_| cached.is_none());
        let contents = history.chain(&self.dynamic).chain(&self.buffered);
        let contents = contents.chain([&self.trigger]);
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

    /// The approximate number of tokens of a request, after one that had `sent` tokens, or none.
    /// Files are not counted.
    pub(crate) fn estimated_tokens(&self, sent: u64) -> u64 {
        if sent > 0 {
            return sent.saturating_add(estimate_tokens(bytes(&self.trigger)));
        }
        let tools = json(&self.fixed.tools).len();
        let contents = self.fixed.system.iter().chain(&self.fixed.history);
        let contents = contents.chain(&self.dynamic).chain(&self.buffered);
        let contents = contents.chain([&self.trigger]);
        estimate_tokens(tools + contents.map(|content| bytes(content)).sum::<usize>())
    }

    /// The name, the size and the hash of each layer.
    pub fn sizes(&self, is_cached: bool) -> Vec<LayerSize> {
        let fixed = (&self.fixed.system, &self.fixed.tools, &self.fixed.history);
        vec![
            size("static", &fixed, is_cached),
            size("dynamic", &self.dynamic, false),
            size("buffered", &self.buffered, false),
            size("trigger", &self.trigger, false),
        ]
    }

    /// The text of each layer, in the order of [`Prompt::sizes`], in parts that later requests
    /// repeat.
    pub fn texts(&self) -> [Vec<String>; 4] {
        let tools = Some(&self.fixed.tools).filter(|tools| !tools.is_empty());
        let mut fixed: Vec<String> = self.fixed.system.iter().map(json).collect();
        fixed.extend(tools.map(json));
        fixed.extend(parts(&self.fixed.history));
        [
            fixed,
            self.dynamic.iter().map(json).collect(),
            parts(&self.buffered),
            vec![json(&self.trigger)],
        ]
    }
}

fn size(name: &str, layer: &impl Serialize, cached: bool) -> LayerSize {
    let json = serde_json::to_vec(layer).unwrap_or_default();
    let is_empty = matches!(json.as_slice(), b"null" | b"[]" | b"[null,[],[]]");
    let size = if is_empty { 0 } else { json.len() };
    LayerSize {
        name: name.to_owned(),
        tokens: estimate_tokens(size),
        hash: digest::bytes(&json).to_string(),
        cached,
        parts: Vec::new(),
    }
}

/// Contents as parts: full groups are one part each, so that a long history has few, and the others
/// are alone, so that what a request adds to them is all that is new.
fn parts(contents: &[Arc<Content>]) -> Vec<String> {
    let groups = contents.chunks_exact(GROUP);
    let rest = groups.remainder().iter().map(json);
    groups.map(json).chain(rest).collect()
}

fn json(value: impl Serialize) -> String {
    serde_json::to_string(&value).unwrap_or_default()
}

/// The size of the texts, calls and results of `content`. Of other data it says nothing about the
/// tokens.
fn bytes(content: &Content) -> usize {
    let parts = content.parts().iter().map(|part| {
        let text = part.text().map_or(0, str::len);
        let arguments = part.call().and_then(|call| call.args);
        let result = part.result().map(|(_, response)| response);
        let values = arguments.into_iter().chain(result);
        text + values.map(|it| it.to_string().len()).sum::<usize>()
    });
    parts.sum()
}

/// The approximate number of tokens of `bytes` bytes of JSON.
fn estimate_tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}

/// The template of instructions if the project has none.
const STATIC_TEMPLATE: &str = include_str!("../prompts/static.njk");

/// The ingredients of instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Instructions {
    /// The description of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Roles that it takes.
    pub roles: Vec<String>,
    /// Rules that it follows.
    pub rules: Vec<String>,
    /// The steps of its procedure.
    pub procedure: Vec<String>,
    /// Things that it must not do.
    pub constraints: Vec<String>,
    /// The goal of the whole session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_goal: Option<String>,
    /// Files such as `AGENTS.md`.
    pub instructions: Vec<InstructionFile>,
}

/// A file with instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InstructionFile {
    /// Its name.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// A file and what it contains now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileReference {
    /// Its path.
    pub path: String,
    /// Its content; absent if it does not exist yet, or is not text.
    pub content: Option<String>,
}

/// The state of the world, for a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Situation {
    /// The current time, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_datetime: Option<String>,
    /// Files that the model should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub file_references: Vec<FileReference>,
    /// Files that the session is to make.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<FileReference>,
    /// The list of things to do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub todos: Vec<Value>,
}

/// Renders instructions, with the usual template if there is none. `None` if nothing comes out.
///
/// # Errors
/// The template fails.
pub fn render_static(
    template: Option<&Text>,
    instructions: &Instructions,
) -> Result<Option<Arc<Content>>, Failure> {
    let context = serde_json::to_value(instructions).unwrap_or_default();
    let text = render(template, &context)?;
    let text = text.trim();
    Ok((!text.is_empty()).then(|| Arc::new(Content::system(text))))
}

/// The dynamic layer: `situation` as JSON, or what the template makes of it. `None` if nothing
/// is known.
///
/// # Errors
/// The template fails, or does not render JSON.
pub fn render_dynamic(
    template: Option<&Text>,
    situation: &Situation,
) -> Result<Option<Arc<Content>>, Failure> {
    let context = serde_json::to_value(situation).unwrap_or_default();
    let json = match template {
        None => context,
        Some(text) => serde_json::from_str(&render(template, &context)?).map_err(|error| {
            let message = format!("the template does not render JSON: {error}");
            Diagnostic::new(Code::TemplateFailed, message)
                .with_subject(text.display_path().display().to_string())
                .hint("write texts as {{ text | dump }}")
        })?,
    };
    let is_empty = json.as_object().is_some_and(Map::is_empty) || json.is_null();
    let content = || {
        let text = serde_json::to_string_pretty(&json).unwrap_or_default();
        Arc::new(Content::user(vec![Part::text_of(text)]))
    };
    Ok((!is_empty).then(content))
}

/// The dynamic layer of the session on `path`: the first that was sent, so that all requests begin
/// alike. `None` if none was sent, or its text is gone.
pub fn sent_dynamic<'e>(
    path: impl IntoIterator<Item = &'e Entry>,
    blobs: &Blobs,
) -> Option<Arc<Content>> {
    path.into_iter().find_map(|entry| {
        let Event::Request { layers, .. } = &entry.event else {
            return None;
        };
        let layer = layers.iter().find(|layer| layer.name == "dynamic")?;
        let bytes = blobs.read(layer.parts.first()?).ok()?;
        Content::from_wire(serde_json::from_slice(&bytes).ok()?).map(Arc::new)
    })
}

/// Returns the layer `dynamic` with the types of the `tools` that fit `task`, instead of those that it
/// has. If none fits, it stays as it is.
pub fn with_types(
    dynamic: Option<Arc<Content>>,
    tools: &dyn Tools,
    task: &[Part],
) -> Option<Arc<Content>> {
    let texts: Vec<&str> = task.iter().filter_map(Part::text).collect();
    let Some(types) = tools.types_for(&texts.join("\n")) else {
        return dynamic;
    };
    let known = dynamic.iter().flat_map(|content| content.parts());
    let known = known.filter(|part| !is_types(part)).cloned();
    let title = "Tools that may fit the task, for `run_code`:";
    let types = Part::text_of(format!("{title}\n{types}"));
    Some(Arc::new(Content::user(known.chain([types]).collect())))
}

/// Returns true if `part` of the dynamic layer has the types of tools: the state of the world is JSON.
fn is_types(part: &Part) -> bool {
    let is_json = |text| serde_json::from_str::<IgnoredAny>(text).is_ok();
    part.text().is_some_and(|text| !is_json(text))
}

/// The state of the world in the dynamic layer, and its part with types.
fn state_and_types(layer: &Content) -> (String, Option<&str>) {
    let (types, state): (Vec<&Part>, Vec<&Part>) =
        layer.parts().iter().partition(|part| is_types(part));
    let state = state.iter().filter_map(|part| part.text()).collect();
    (state, types.first().and_then(|part| part.text()))
}

/// The part of a task that says how the state of the world, `now`, differs from the dynamic layer
/// `sent`. `None` if it does not.
pub fn dynamic_changes(sent: &Content, now: &Content) -> Option<Part> {
    let ((sent, sent_types), (now, types)) = (state_and_types(sent), state_and_types(now));
    let types = types.filter(|types| Some(*types) != sent_types);
    if sent == now {
        return types.map(|types| Part::text_of(format!("{CHANGES}\n{types}")));
    }
    let read = |text: &str| serde_json::from_str::<Map<String, Value>>(text);
    let text = match (read(&sent), read(&now)) {
        (Ok(sent), Ok(now)) => {
            let changed = now
                .iter()
                .filter(|(key, value)| sent.get(*key) != Some(*value));
            let changed = changed.map(|(key, value)| (key, changed_items(sent.get(key), value)));
            let gone = sent.keys().filter(|key| !now.contains_key(*key));
            let all = changed.chain(gone.map(|key| (key, Value::Null)));
            all.collect::<Value>().to_string()
        }
        _ => now,
    };
    let types = types.map(|types| format!("\n{types}")).unwrap_or_default();
    Some(Part::text_of(format!("{CHANGES}\n{text}{types}")))
}

/// The parts of a logged task that the user has written: without the state of the world, which was
/// told with it.
pub fn task_of_user(parts: &[Value]) -> Vec<Part> {
    let parts = parts.iter().cloned();
    let parts = parts.filter_map(|part| serde_json::from_value::<Part>(part).ok());
    let is_state = |part: &Part| part.text().is_some_and(|text| text.starts_with(CHANGES));
    parts.filter(|part| !is_state(part)).collect()
}

/// The beginning of the text that says how the state of the world has changed.
const CHANGES: &str = "The state now, where it differs from the beginning of the session:";

/// Of a list of files, those that have changed; any other value whole.
fn changed_items(sent: Option<&Value>, now: &Value) -> Value {
    let (Some(Value::Array(sent)), Value::Array(items)) = (sent, now) else {
        return now.clone();
    };
    let is_new = |item: &&Value| !sent.contains(item);
    let changed: Vec<Value> = items.iter().filter(is_new).cloned().collect();
    let are_files = items.iter().all(|item| item.get("path").is_some());
    if changed.is_empty() || !are_files || sent.len() > items.len() {
        return now.clone();
    }
    changed.into()
}

fn render(template: Option<&Text>, context: &Value) -> Result<String, Failure> {
    let name = template.map(|text| text.display_path().display().to_string());
    let source = template.map_or(STATIC_TEMPLATE, Text::as_str);
    let compiled = Engine::new().compile(name.as_deref().unwrap_or("static.njk"), source);
    let rendered = compiled.and_then(|compiled| compiled.render(context));
    rendered.map_err(|error| {
        let mut diagnostic = Diagnostic::new(Code::TemplateFailed, error.message());
        diagnostic.location = template.map(|text| {
            let (line, column) = (error.line().max(1), error.column().max(1));
            text.location_at(line, column, error.length().max(1))
        });
        diagnostic.hints.extend(error.hint().map(Into::into));
        diagnostic.into()
    })
}
