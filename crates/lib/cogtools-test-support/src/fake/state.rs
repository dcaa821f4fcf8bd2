//! The memory of a fake between requests, and its answer to each.

use std::collections::VecDeque;
use std::time::Instant;

use serde_json::{Value, json};

use super::answer::{self, Header};
use super::cache::Caches;
use super::error::ApiError;
use super::field::field;
use super::model::Model;
use super::options::Options;
use super::prefix::Prefixes;
use super::prompt::Prompt;
use super::reply::{Answer, Format, Reply};
use super::request::{Kind, Request};
use super::route::{Operation, Route};
use super::signature::Signatures;
use super::tokens::{self, Usage};
use super::turn::{Says, Turn};
use super::unfinished::Unfinished;
use super::{authority, message, side};
use crate::http::Incoming;

/// The memory of a fake.
#[derive(Debug)]
pub(super) struct State {
    pub(super) options: Options,
    pub(super) requests: Vec<Request>,
    /// The reasons for which the API would have refused requests.
    pub(super) refused: Vec<String>,
    turns: VecDeque<Turn>,
    beyond: Vec<usize>,
    impossible: Vec<String>,
    begin: Instant,
    signatures: Signatures,
    caches: Caches,
    prefixes: Prefixes,
}

impl State {
    pub(super) fn new(options: Options, turns: VecDeque<Turn>, salt: u16) -> Self {
        Self {
            options,
            turns,
            requests: Vec::new(),
            refused: Vec::new(),
            beyond: Vec::new(),
            impossible: Vec::new(),
            begin: Instant::now(),
            signatures: Signatures::new(salt),
            caches: Caches::default(),
            prefixes: Prefixes::default(),
        }
    }

    /// Records a request and answers it.
    pub(super) fn answer(&mut self, incoming: &Incoming) -> Answer {
        let mut request = Request::new(incoming, self.begin.elapsed());
        let answer = self.respond(incoming, &mut request);
        let answer = answer.unwrap_or_else(|error| Answer::from(error.outgoing()));
        if let Reply::Response(outgoing) = &answer.reply {
            request.status = outgoing.status;
        }
        self.requests.push(request);
        answer
    }

    /// The faults of the conversation, once the script has ended.
    pub(super) fn unfinished(&self) -> Option<Unfinished> {
        if !self.refused.is_empty() {
            return Some(Unfinished::Refused(self.refused.clone()));
        }
        if !self.beyond.is_empty() {
            return Some(Unfinished::Beyond(self.beyond.clone()));
        }
        if !self.impossible.is_empty() {
            return Some(Unfinished::Impossible(self.impossible.clone()));
        }
        let turns = self.turns.iter().map(|turn| format!("{turn:#?}"));
        (!self.turns.is_empty()).then(|| Unfinished::Unplayed {
            requests: self.requests.len(),
            turns: turns.collect(),
        })
    }

    fn respond(&mut self, incoming: &Incoming, request: &mut Request) -> Result<Answer, ApiError> {
        let Some(route) = Route::read(&incoming.method, incoming.path()) else {
            let reason = format!("no such thing: {} {}", request.method, request.target);
            self.refused.push(reason.clone());
            return Err(ApiError::new(404).message(reason));
        };
        request.kind = kind(&route.operation);
        authority::check(incoming, &route, self.options.key.as_deref())?;
        let project = route.project.as_deref();
        let (clock, models) = (&self.options.clock, &self.options.models);
        let shown = match route.operation {
            Operation::Generate { model, is_stream } => {
                let format = match is_stream {
                    false => Format::Whole,
                    true if incoming.target.contains("alt=sse") => Format::Events,
                    true => Format::List,
                };
                let model = self.model(&model, &route.version)?.clone();
                return self.generate(&model, format, request);
            }
            Operation::Count { model } => self.count(&model, &route.version, request)?,
            Operation::Models => {
                let models = models.iter().map(Model::shown);
                json!({ "models": models.collect::<Vec<_>>() })
            }
            Operation::Model { model } => self.model(&model, &route.version)?.shown(),
            Operation::CreateCache => self.caches.create(&request.body, project, models, clock)?,
            Operation::ListCaches => self.caches.list(clock),
            Operation::GetCache(name) => self.caches.get(&name, clock)?.shown(),
            Operation::UpdateCache(name) => self.caches.update(&name, &request.body, clock)?,
            Operation::DeleteCache(name) => self.caches.delete(&name, clock)?,
        };
        Ok(Answer::from(answer::object(&shown)))
    }

    fn model(&self, name: &str, version: &str) -> Result<&Model, ApiError> {
        let mut models = self.options.models.iter();
        let found = models.find(|model| model.name() == name);
        found.ok_or_else(|| answer::unknown_model(name, version))
    }

    fn count(
        &mut self,
        model: &str,
        version: &str,
        request: &mut Request,
    ) -> Result<Value, ApiError> {
        self.model(model, version)?;
        let mut complaints = Vec::new();
        message::COUNT.check(&request.body, "", &mut complaints);
        self.refuse(complaints)?;
        let inner = field(&request.body, "generateContentRequest");
        let prompt = if inner.is_null() {
            &request.body
        } else {
            inner
        };
        let tokens = tokens::of_prompt(prompt);
        request.usage.prompt = tokens;
        let details = json!([{ "modality": "TEXT", "tokenCount": tokens }]);
        Ok(json!({ "totalTokens": tokens, "promptTokensDetails": details }))
    }

    /// Refuses a request that has complaints; the test will see them.
    fn refuse(&mut self, complaints: Vec<String>) -> Result<(), ApiError> {
        if complaints.is_empty() {
            return Ok(());
        }
        let message = complaints.join("\n");
        self.refused.extend(complaints);
        Err(ApiError::new(400).message(message))
    }

    fn generate(
        &mut self,
        model: &Model,
        format: Format,
        request: &mut Request,
    ) -> Result<Answer, ApiError> {
        let name = field(&request.body, "cachedContent").as_str();
        let cache = match name {
            Some(name) => Some(self.caches.get(name, &self.options.clock)?.clone()),
            None => None,
        };
        let prompt = Prompt::new(&request.body, model, cache.as_ref());
        let mut complaints = prompt.complaints();
        if model.signs() {
            let all_turns = self.options.checks_all_turns;
            self.signatures
                .check(&prompt.contents(), all_turns, &mut complaints);
        }
        self.refuse(complaints)?;
        let mut usage = Usage {
            prompt: prompt.tokens(),
            cached: prompt.cached(),
            ..Usage::default()
        };
        if cache.is_none() && self.options.caches_prefixes {
            usage.cached = self.prefixes.cached(model, tokens::pieces(&request.body));
        }
        let number = self.requests.len() + 1;
        let turn = if self.options.answers_side_requests && prompt.declared().is_empty() {
            request.kind = Kind::Side;
            Turn::text(side::text(&request.body))
        } else {
            self.turns.pop_front().ok_or_else(|| {
                self.beyond.push(number);
                ApiError::new(400).message("the script has ended")
            })?
        };
        if let Says::Content(content) = &turn.says
            && !turn.is_mistaken
        {
            let reasons = prompt.contradictions(&content.called()).into_iter();
            let reasons = reasons.map(|reason| format!("request {number}: the script {reason}"));
            self.impossible.extend(reasons);
        }
        let header = Header {
            model: model.name().to_owned(),
            number,
            usage,
        };
        let signatures = model.signs().then_some(&mut self.signatures);
        let (answer, usage) = turn.play(header, format, signatures);
        request.usage = usage;
        Ok(answer)
    }
}

fn kind(operation: &Operation) -> Kind {
    match operation {
        Operation::Generate { .. } => Kind::Main,
        Operation::Count { .. } => Kind::Count,
        Operation::Models | Operation::Model { .. } => Kind::Models,
        Operation::CreateCache
        | Operation::ListCaches
        | Operation::GetCache(_)
        | Operation::UpdateCache(_)
        | Operation::DeleteCache(_) => Kind::Caches,
    }
}
