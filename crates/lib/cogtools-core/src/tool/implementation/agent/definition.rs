//! The keys of an agent.

use serde_json::{Map, Value};

use crate::Expected;
use crate::schema::Schema;
use crate::tool::agent::{AgentBudget, AgentTask};
use crate::tool::handler::RunError;
use crate::tool::reader::Reader;
use crate::tool::template::{Partials, Template};
use crate::tool::{DefinitionError, Tool};
use crate::yaml::{Data, Entry, Node};

/// An agent, as its tool file describes it.
#[derive(Debug, Default)]
pub(super) struct Definition {
    system: Option<Template>,
    behaviour: Option<Template>,
    rules: Vec<Template>,
    prompt: Option<Template>,
    tools: Vec<String>,
    model: Option<String>,
    temperature: Option<f64>,
    seed: Option<i32>,
    max_tokens: Option<u32>,
    stop: Vec<String>,
    budget: AgentBudget,
    schema: Option<Schema>,
}

/// The keys of the map.
const KEYS: [&str; 12] = [
    "system",
    "behaviour",
    "rules",
    "prompt",
    "tools",
    "model",
    "temperature",
    "seed",
    "max_tokens",
    "stop",
    "budget",
    "output",
];
/// The key of a node with its reply, which is written as `parameters` are.
const REPLY: &str = "reply";
/// What an agent is asked that gets no arguments.
const BEGIN: &str = "Begin.";

impl Definition {
    /// Reads the map; errors go to the reader.
    pub(super) fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = entries(entry, reader)?;
        let mut definition = Self::default();
        for entry in entries {
            definition.read_key(entry, reader);
        }
        if definition.system.is_none() && definition.behaviour.is_none() {
            reader.report(&DefinitionError::Missing("system"), entry.span);
        }
        Some(definition)
    }

    /// Reads the map of a node, whose rules can stand alone, and the schema of its reply.
    pub(super) fn read_node(
        entry: &Entry,
        reader: &mut Reader<'_>,
    ) -> Option<(Self, Option<Schema>)> {
        let entries = entries(entry, reader)?;
        let (mut definition, mut reply) = (Self::default(), None);
        for entry in entries {
            if entry.key == REPLY {
                let schema = Schema::expand(&entry.value);
                reply = schema.map_err(|errors| reader.report_schema(&errors)).ok();
            } else {
                definition.read_key(entry, reader);
            }
        }
        let has_system = definition.system.is_some() || definition.behaviour.is_some();
        if definition.rules.is_empty() && !has_system {
            reader.report(&DefinitionError::Missing("rules"), entry.span);
        }
        Some((definition, reply))
    }

    fn read_key(&mut self, entry: &Entry, reader: &mut Reader<'_>) {
        match entry.key.as_str() {
            "system" => self.system = template(&entry.key, &entry.value, reader),
            "behaviour" => self.behaviour = template(&entry.key, &entry.value, reader),
            "prompt" => self.prompt = template(&entry.key, &entry.value, reader),
            "rules" => self.rules = rules(entry, reader),
            "tools" => self.tools = texts(entry, reader),
            "stop" => self.stop = texts(entry, reader),
            "budget" => self.budget = budget(entry, reader),
            "output" => self.schema = schema(entry, reader),
            "model" => {
                let text = entry.value.text().filter(|text| !text.trim().is_empty());
                self.model = value(entry, reader, Expected::String, text.map(str::to_owned));
            }
            "temperature" => {
                let number = number(&entry.value).filter(|number| (0.0..=2.0).contains(number));
                self.temperature = value(entry, reader, Expected::Temperature, number);
            }
            "seed" => {
                let seed = entry.value.to_json().as_i64();
                let seed = seed.and_then(|seed| i32::try_from(seed).ok());
                self.seed = value(entry, reader, Expected::Number, seed);
            }
            "max_tokens" => {
                let tokens = entry.value.to_json().as_u64().filter(|tokens| *tokens > 0);
                let tokens = tokens.and_then(|tokens| u32::try_from(tokens).ok());
                self.max_tokens = value(entry, reader, Expected::Positive, tokens);
            }
            _ => reader.report_unknown_key(entry, &KEYS),
        }
    }

    /// A call of `tool` with `arguments`.
    pub(super) fn task(
        &self,
        tool: &Tool,
        arguments: &Map<String, Value>,
    ) -> Result<AgentTask, RunError> {
        let text = tool.text();
        let partials = Partials::of(text);
        let render = |template: &Template| template.render(text, &partials, arguments.clone());
        let optional = |template: &Option<Template>| template.as_ref().map(render).transpose();
        let prompt = match &self.prompt {
            Some(template) => render(template)?,
            None if arguments.is_empty() => BEGIN.to_owned(),
            None => Value::Object(arguments.clone()).to_string(),
        };
        let schema = self.schema.as_ref().or(tool.output_schema());
        Ok(AgentTask {
            tool: tool.name().to_string(),
            system: optional(&self.system)?,
            behaviour: optional(&self.behaviour)?,
            rules: self.rules.iter().map(render).collect::<Result<_, _>>()?,
            prompt,
            tools: self.tools.clone(),
            model: self.model.clone(),
            temperature: self.temperature,
            seed: self.seed,
            max_tokens: self.max_tokens,
            stop: self.stop.clone(),
            budget: self.budget,
            schema: schema.map(Schema::to_json_schema),
            answers_by_call: false,
        })
    }

    /// All templates.
    pub(super) fn templates(&self) -> impl Iterator<Item = &Template> {
        let texts = self.system.iter().chain(&self.behaviour);
        texts.chain(&self.rules).chain(&self.prompt)
    }
}

fn entries<'e>(entry: &'e Entry, reader: &mut Reader<'_>) -> Option<&'e [Entry]> {
    let entries = entry.value.entries();
    if entries.is_none() {
        reader.report_kind(&entry.key, Expected::Agent, &entry.value);
    }
    entries
}

/// `found`, or an error that says what was expected.
fn value<T>(
    entry: &Entry,
    reader: &mut Reader<'_>,
    expected: Expected,
    found: Option<T>,
) -> Option<T> {
    if found.is_none() {
        reader.report_kind(&entry.key, expected, &entry.value);
    }
    found
}

fn template(key: &str, node: &Node, reader: &mut Reader<'_>) -> Option<Template> {
    let template = Template::read(node, reader.text());
    if template.is_none() {
        reader.report_kind(key, Expected::String, node);
    }
    template
}

fn rules(entry: &Entry, reader: &mut Reader<'_>) -> Vec<Template> {
    let nodes = match &entry.value.data {
        Data::List(items) => items.iter().collect(),
        _ => vec![&entry.value],
    };
    let mut read = |node: &Node| {
        let rule = Template::read(node, reader.text());
        if rule.is_none() {
            reader.report_kind(&entry.key, Expected::Texts, node);
        }
        rule
    };
    nodes.into_iter().filter_map(&mut read).collect()
}

fn texts(entry: &Entry, reader: &mut Reader<'_>) -> Vec<String> {
    let items = entry.value.items();
    let texts = items.and_then(|items| {
        let texts = items.iter().map(|item| item.text().map(str::to_owned));
        texts.collect::<Option<Vec<String>>>()
    });
    value(entry, reader, Expected::Names, texts).unwrap_or_default()
}

fn budget(entry: &Entry, reader: &mut Reader<'_>) -> AgentBudget {
    let mut budget = AgentBudget::default();
    let Some(entries) = entry.value.entries() else {
        reader.report_kind(&entry.key, Expected::Map, &entry.value);
        return budget;
    };
    for entry in entries {
        let count = entry.value.to_json().as_u64();
        let slot = match entry.key.as_str() {
            "turns" => &mut budget.turns,
            "calls" => &mut budget.calls,
            "tokens" => &mut budget.tokens,
            "seconds" => &mut budget.seconds,
            "money" => {
                let amount = number(&entry.value).filter(|amount| *amount >= 0.0);
                budget.money = value(entry, reader, Expected::Number, amount);
                continue;
            }
            _ => {
                reader.report_unknown_key(entry, &AgentBudget::KEYS);
                continue;
            }
        };
        *slot = value(entry, reader, Expected::Count, count);
    }
    budget
}

/// The schema in `output: {schema: …}`.
fn schema(entry: &Entry, reader: &mut Reader<'_>) -> Option<Schema> {
    let entries = value(entry, reader, Expected::Map, entry.value.entries())?;
    let mut schema = None;
    for entry in entries {
        if entry.key == "schema" {
            schema = Schema::any(&entry.value)
                .map_err(|errors| reader.report_schema(&errors))
                .ok();
        } else {
            reader.report_unknown_key(entry, &["schema"]);
        }
    }
    schema
}

fn number(node: &Node) -> Option<f64> {
    match &node.data {
        Data::Number(number) => number.as_f64(),
        _ => None,
    }
}
