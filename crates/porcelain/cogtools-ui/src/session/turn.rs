//! A turn of a session, from the wish of the user to its end, as a page shows it.

use cogtools_log::{Blobs, LayerSize};
use serde::Serialize;

use crate::cut;

/// A turn.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Turn {
    /// The number of its first line, which names it in URLs.
    pub(crate) line: usize,
    pub(crate) time: String,
    pub(crate) intent: Intent,
    pub(crate) status: Badge,
    /// The number of calls of each tool.
    pub(crate) tools: Vec<ToolCount>,
    /// The duration of all calls in words.
    pub(crate) duration: String,
    #[serde(skip)]
    pub(crate) ms: u64,
    pub(crate) tokens: u64,
    pub(crate) cached_percent: u64,
    pub(crate) messages: Vec<Message>,
    pub(crate) board: Vec<Step>,
    /// The flow that runs.
    pub(crate) flow: Option<FlowOf>,
    pub(crate) log: Vec<LogRow>,
    pub(crate) details: Vec<Detail>,
    pub(crate) requests: Vec<Request>,
    /// Calls that wait for the user.
    pub(crate) questions: Vec<Question>,
    /// Which message is the reply of the plan.
    #[serde(skip)]
    pub(crate) reply: Option<usize>,
}

/// The subject of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Intent {
    /// A page begins inside this turn.
    #[default]
    Earlier,
    Conversation,
    Clock,
    Arithmetic,
    General,
    Flow,
}

/// A state, as a badge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Badge {
    #[default]
    Planned,
    Executing,
    Executed,
    Failed,
    Skipped,
    /// No tool can do it.
    Unsupported,
    NoTool,
    /// It waits for the user.
    Waiting,
    /// Its process is gone.
    Interrupted,
}

/// The number of calls of a tool.
#[derive(Debug, Serialize)]
pub(crate) struct ToolCount {
    pub(crate) name: String,
    pub(crate) count: usize,
}

/// A message of the conversation.
#[derive(Debug, Serialize)]
pub(crate) struct Message {
    pub(crate) line: usize,
    pub(crate) from: From,
    /// The text before it: `Step 1/2 · Result`.
    pub(crate) label: String,
    /// The number of the step that it is about.
    #[serde(skip)]
    pub(crate) step: Option<usize>,
    pub(crate) text: String,
    /// True if the text is only a part of what the line has.
    pub(crate) is_cut: bool,
    /// True if it is so long that it scrolls by itself.
    pub(crate) is_long: bool,
    /// The whole text, if the line has only a part of it.
    pub(crate) blob: String,
    pub(crate) time: String,
    pub(crate) hints: Vec<String>,
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum From {
    User,
    Model,
    Step,
    Note,
    Error,
}

/// A flow, as a log names it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FlowOf {
    pub(crate) tool: String,
    /// The digest of its file.
    pub(crate) digest: String,
}

/// A step of a plan, a call, or a node of a flow, on the board.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Step {
    /// Its name in the log.
    pub(crate) key: String,
    pub(crate) tool: String,
    pub(crate) reason: String,
    pub(crate) badge: Badge,
    pub(crate) time: String,
    /// Why it failed.
    pub(crate) message: String,
}

/// A row of the thinking log.
#[derive(Debug, Serialize)]
pub(crate) struct LogRow {
    pub(crate) line: usize,
    pub(crate) time: String,
    pub(crate) kind: &'static str,
    /// The number of the step that it is about.
    #[serde(skip)]
    pub(crate) step: Option<usize>,
    pub(crate) text: String,
    pub(crate) badge: Option<Badge>,
}

/// The facts about a call.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Detail {
    pub(crate) key: String,
    pub(crate) line: usize,
    pub(crate) tool: String,
    pub(crate) badge: Badge,
    pub(crate) code: String,
    pub(crate) arguments: String,
    /// The arguments that the tool got, if others were sent.
    pub(crate) resolved: String,
    /// All arguments that the tool gets, however long they are.
    #[serde(skip)]
    pub(crate) whole: String,
    pub(crate) result: String,
    pub(crate) result_is_cut: bool,
    /// The number of the line with the result.
    pub(crate) result_line: usize,
    /// The whole result, if the line has only a part of it.
    pub(crate) blob: String,
    pub(crate) logs: Vec<String>,
    /// The remarks of a guard: references that are missing, results that became text.
    pub(crate) notes: Vec<String>,
    pub(crate) approval: String,
    pub(crate) time: String,
    pub(crate) message: String,
}

/// A request to the model, by layers.
#[derive(Debug, Serialize)]
pub(crate) struct Request {
    pub(crate) turn: u32,
    pub(crate) model: String,
    pub(crate) line: usize,
    pub(crate) layers: Vec<Layer>,
}

/// A question to the user, with everything that is decided about.
#[derive(Debug, Serialize)]
pub(crate) struct Question {
    pub(crate) kind: QuestionKind,
    /// The call, or the node.
    pub(crate) key: String,
    /// The question of a node.
    pub(crate) text: String,
    /// The tool of a call.
    pub(crate) tool: String,
    pub(crate) description: String,
    /// All arguments of the call.
    pub(crate) arguments: String,
    /// The command or the URL of the call.
    pub(crate) runs: String,
    /// Why there is a question.
    pub(crate) why: String,
}

/// The kind of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QuestionKind {
    /// True if a call may run.
    Approval,
    /// The inputs of a node of a flow.
    Answer,
}

impl Message {
    /// A message without its text.
    pub(crate) fn new(line: usize, from: From, label: &str, time: String) -> Self {
        Self {
            line,
            from,
            label: label.to_owned(),
            step: None,
            text: String::new(),
            is_cut: false,
            is_long: false,
            blob: String::new(),
            time,
            hints: Vec::new(),
        }
    }
}

impl Turn {
    /// A turn that begins with the line `line`.
    pub(crate) fn new(line: usize, time: String, intent: Intent) -> Self {
        Self {
            line,
            time,
            intent,
            status: Badge::Executing,
            ..Self::default()
        }
    }

    /// Says of everything that was executing that it was interrupted.
    pub(crate) fn interrupt(&mut self) {
        let steps = self.board.iter_mut().map(|step| &mut step.badge);
        let details = self.details.iter_mut().map(|detail| &mut detail.badge);
        for badge in steps.chain(details).chain([&mut self.status]) {
            if *badge == Badge::Executing {
                *badge = Badge::Interrupted;
            }
        }
    }

    /// Says of each step how many there are, which is known at the end.
    pub(crate) fn number_steps(&mut self) {
        let total = self.board.len();
        for message in &mut self.messages {
            if let Some(number) = message.step {
                message.label = format!("Step {number}/{total} · {}", message.label);
            }
        }
        for row in &mut self.log {
            if let Some(number) = row.step {
                row.text = format!("Step {number}/{total} {}", row.text);
            }
        }
    }

    /// Says which messages are long, once all of them have their texts.
    pub(crate) fn mark_long(&mut self) {
        for message in &mut self.messages {
            message.is_long = cut::is_long(&message.text);
        }
    }

    /// Counts a call of `tool`.
    pub(crate) fn count(&mut self, tool: &str) {
        match self.tools.iter_mut().find(|count| count.name == tool) {
            Some(count) => count.count += 1,
            None => self.tools.push(ToolCount {
                name: tool.to_owned(),
                count: 1,
            }),
        }
    }

    /// The last step on the board with this name, and its number, from 1.
    pub(crate) fn step(&mut self, key: &str) -> Option<(usize, &mut Step)> {
        let mut steps = self.board.iter_mut().enumerate().rev();
        let (index, step) = steps.find(|(_, step)| step.key == key)?;
        Some((index + 1, step))
    }

    /// Puts a step with this name on the board, unless it is there.
    pub(crate) fn place(&mut self, key: &str) {
        if self.step(key).is_none() {
            self.board.push(Step {
                key: key.to_owned(),
                ..Step::default()
            });
        }
    }

    /// The last detail with this name.
    pub(crate) fn detail(&mut self, key: &str) -> Option<&mut Detail> {
        self.details.iter_mut().rev().find(|one| one.key == key)
    }
}

/// The number of layers of a page that have their text, beginning with the last requests.
const MAX_TEXTS: usize = 24;
/// The number of parts of a layer that are read at each of its ends.
const MAX_PARTS: usize = 6;

/// A layer of a request.
#[derive(Debug, Serialize)]
pub(crate) struct Layer {
    pub(crate) name: String,
    pub(crate) tokens: u64,
    pub(crate) hash: String,
    pub(crate) cached: bool,
    pub(crate) text: LayerText,
    #[serde(skip)]
    size: LayerSize,
}

/// The facts about the text of a layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", content = "text", rename_all = "snake_case")]
pub(crate) enum LayerText {
    /// The layer is empty.
    Empty,
    /// The log does not have it.
    NotKept,
    /// It is the same as in the request before this one.
    Unchanged,
    /// It can be read, but the page has enough of others.
    LeftOut,
    /// It cannot be read any more.
    Gone,
    /// It is this, with its middle left out if it is long.
    Shown(String),
}

impl Layer {
    /// A layer of the request after `before`, without its text.
    pub(crate) fn new(size: &LayerSize, before: Option<&Request>) -> Self {
        let mut others = before.iter().flat_map(|before| &before.layers);
        let is_same = |other: &Self| other.name == size.name && other.hash == size.hash;
        let text = match size.parts.is_empty() {
            true if size.tokens == 0 => LayerText::Empty,
            true => LayerText::NotKept,
            false if others.any(is_same) => LayerText::Unchanged,
            false => LayerText::LeftOut,
        };
        Self {
            name: size.name.clone(),
            tokens: size.tokens,
            hash: size.hash.clone(),
            cached: size.cached,
            text,
            size: size.clone(),
        }
    }

    /// Reads the text from `blobs`.
    fn read(&mut self, blobs: &Blobs) {
        let text = blobs.layer_ends(&self.size, MAX_PARTS);
        self.text = text.map_or(LayerText::Gone, |text| LayerText::Shown(cut::text(&text)));
    }
}

/// Reads the texts of the layers of `requests`, as many as a page shows.
pub(crate) fn read_texts(requests: &mut [Request], blobs: &Blobs) {
    let layers = requests.iter_mut().rev().flat_map(|one| &mut one.layers);
    let layers = layers.filter(|layer| layer.text == LayerText::LeftOut);
    layers.take(MAX_TEXTS).for_each(|layer| layer.read(blobs));
}
