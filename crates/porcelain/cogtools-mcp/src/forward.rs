//! Requests about prompts and resources of sources, which their owners answer, and the progress of
//! all.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cogtools_core::{CallContext, Diagnostic, Progress, ProgressUpdate};
use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, ConstString as _, ErrorCode,
    GetPromptRequestMethod, GetPromptRequestParams, GetPromptResponse, GetPromptResult, JsonObject,
    ProgressNotificationParam, ProgressToken, ReadResourceRequestMethod, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerNotification, ServerResult, SubscriptionFilter,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::call::{self, in_pool};
use crate::catalogue::{CallError, Catalogue};
use crate::client::session::{SUBSCRIBE, UNSUBSCRIBE};
use crate::command::{ClientArguments, RawArguments};
use crate::offers::{Offers, Route, Subject};
use crate::prompt;
use crate::questions::{self, Answered, Given, unexpected};
use crate::server::Server;
use crate::sources::host::{OWN_STREAM, Subscriber};

/// The number of updates that may wait for a client; further ones are dropped.
const MAX_UPDATES: usize = 1024;

/// The time that waiting updates may take to be sent.
const UPDATE_GRACE: Duration = Duration::from_millis(100);

/// The resources that a stream of a stateless client watches.
pub(crate) struct Watched {
    stream: u64,
    uris: Vec<String>,
    /// The updates of these resources.
    pub(crate) updates: Receiver<ServerNotification>,
}

impl Server {
    /// Returns everything besides tools that sources offer now, for a list.
    pub(crate) async fn offers(&self) -> Result<Offers, ErrorData> {
        let offers = self.of_sources(Catalogue::offers).await?;
        Ok(offers.unwrap_or_default())
    }

    /// Returns the way to `subject`, if exactly one source may have it.
    pub(crate) async fn route(&self, subject: Subject) -> Result<Option<Route>, ErrorData> {
        let routes: Result<[Route; 1], _> = self.routes(subject).await?.try_into();
        Ok(routes.ok().map(|[route]| route))
    }

    /// Returns the ways to `subject`, to one source or to several that may have it.
    pub(crate) async fn routes(&self, subject: Subject) -> Result<Vec<Route>, ErrorData> {
        let routes = self.of_sources(move |catalogue| catalogue.routes(&subject));
        Ok(routes.await?.unwrap_or_default())
    }

    /// Asks the sources, if one is a server, and reports warnings.
    async fn of_sources<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Catalogue) -> Result<(T, Vec<Diagnostic>), Vec<Diagnostic>> + Send + 'static,
    ) -> Result<Option<T>, ErrorData> {
        let catalogue = self.catalogue();
        if !catalogue.has_servers() {
            return Ok(None);
        }
        catalogue.workspace().known().await;
        let answer = in_pool(move || ask(&catalogue)).await?;
        let (answer, warnings) = answer.map_err(|it| call::internal_error(&it))?;
        self.warn(warnings).await;
        Ok(Some(answer))
    }

    /// Answers `prompts/get`.
    pub(crate) async fn answer_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.clone();
        let subject = questions::Subject {
            method: GetPromptRequestMethod::VALUE,
            name: request.name.clone(),
            arguments: RawArguments::from_object(arguments.clone()),
        };
        let given = (request.request_state, request.input_responses);
        let offered = Subject::Prompt(request.name);
        let result = if let Some(route) = self.route(offered).await? {
            let get = async move |server: Self, request, parts| {
                let got = server.get_offered_prompt(&route, arguments, &request, parts);
                got.await.map(ServerResult::GetPromptResult)
            };
            self.forward_and_ask(subject, given, context, get).await?
        } else {
            let arguments = ClientArguments::OfPrompt(arguments.unwrap_or_default());
            let call = (subject, arguments, given);
            let finish = |outcome| call::to_prompt(outcome).map(ServerResult::GetPromptResult);
            self.call_and_ask(call, context, finish).await?
        };
        match result {
            ServerResult::GetPromptResult(result) => Ok(GetPromptResponse::Complete(result)),
            ServerResult::InputRequiredResult(asked) => Ok(GetPromptResponse::InputRequired(asked)),
            _ => Err(unexpected()),
        }
    }

    /// Answers `resources/read`.
    pub(crate) async fn answer_read(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let routes = self.routes(Subject::Resource(uri.clone())).await?;
        let subject = questions::Subject {
            method: ReadResourceRequestMethod::VALUE,
            name: uri.clone(),
            arguments: RawArguments::from_object(None),
        };
        let given = (request.request_state, request.input_responses);
        let read = async move |server: Self, request, parts| {
            let read = match server.read_offered(&routes, &uri, &request, parts).await {
                Some(read) => read,
                None => prompt::read_document(server.catalogue(), uri).await,
            };
            read.map(ServerResult::ReadResourceResult)
        };
        match self.forward_and_ask(subject, given, context, read).await? {
            ServerResult::ReadResourceResult(result) => Ok(ReadResourceResponse::Complete(result)),
            ServerResult::InputRequiredResult(asked) => {
                Ok(ReadResourceResponse::InputRequired(asked))
            }
            _ => Err(unexpected()),
        }
    }

    /// Sends a request to a source, or goes on with the one that this request answers.
    async fn forward_and_ask<
        F: Future<Output = Result<ServerResult, ErrorData>> + Send + 'static,
    >(
        &self,
        subject: questions::Subject,
        given: Given,
        context: RequestContext<RoleServer>,
        work: impl FnOnce(Self, RequestContext<RoleServer>, CallContext) -> F + Send,
    ) -> Result<ServerResult, ErrorData> {
        self.learn(&context);
        let questions = &self.state.questions;
        match questions.answer(&subject, given, self.host().id)? {
            Some(Answered::Call(running)) => self.follow(running, subject, &context.ct).await,
            _ => self.run_and_ask(subject, context, work).await,
        }
    }

    /// Gets the prompt at the end of `route`.
    pub(crate) async fn get_offered_prompt(
        &self,
        route: &Route,
        arguments: Option<JsonObject>,
        request: &RequestContext<RoleServer>,
        parts: CallContext,
    ) -> Result<GetPromptResult, ErrorData> {
        let mut params = Map::from_iter([("name".to_owned(), route.own.clone().into())]);
        params.extend(arguments.map(|it| ("arguments".to_owned(), it.into())));
        let answer = self.request(route, ("prompts/get", params), request, parts);
        typed(answer.await?)
    }

    /// Completes an argument of the prompt or the template at the end of `route`.
    pub(crate) async fn complete_offered(
        &self,
        route: &Route,
        params: &CompleteRequestParams,
        request: &RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let mut params = serde_json::to_value(params).unwrap_or_default();
        let key = match params["ref"].get("uri") {
            Some(_) => "uri",
            None => "name",
        };
        params["ref"][key] = route.own.clone().into();
        let params = params.as_object().cloned().unwrap_or_default();
        let complete = ("completion/complete", params);
        match self.request(route, complete, request, self.parts()).await {
            // A source without completions completes nothing.
            Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                Ok(CompleteResult::default())
            }
            answer => {
                let mut result: CompleteResult = typed(answer?)?;
                let values = &mut result.completion.values;
                if values.len() > CompletionInfo::MAX_VALUES {
                    values.truncate(CompletionInfo::MAX_VALUES);
                    result.completion.has_more = Some(true);
                }
                Ok(result)
            }
        }
    }

    /// Reads the resource `uri` from the first source in `routes` that has it. If none has it, the
    /// error is the one of the first source. Returns `None` if `routes` is empty.
    pub(crate) async fn read_offered(
        &self,
        routes: &[Route],
        uri: &str,
        request: &RequestContext<RoleServer>,
        parts: CallContext,
    ) -> Option<Result<ReadResourceResult, ErrorData>> {
        let mut failed = None;
        for route in routes {
            let read = ("resources/read", route.of_uri());
            match self.request(route, read, request, parts.clone()).await {
                Ok(mut result) => {
                    route.rename(&mut result, uri);
                    return Some(typed(result));
                }
                Err(error) => drop(failed.get_or_insert(error)),
            }
            if request.ct.is_cancelled() {
                break;
            }
        }
        failed.map(Err)
    }

    /// Sends a request, with its progress and its cancellation.
    async fn request(
        &self,
        route: &Route,
        (method, params): (&'static str, Map<String, Value>),
        request: &RequestContext<RoleServer>,
        parts: CallContext,
    ) -> Result<Value, ErrorData> {
        let _serving = self.host().serve(&request.id);
        let (progress, forwarder) = forwarder(request).unzip();
        let parts = CallContext {
            progress,
            meta: meta(request),
            ..parts
        };
        let answer = self.ask(route, (method, params), parts, request.ct.cancelled());
        let answer = answer.await;
        if let Some(forwarder) = forwarder {
            end_updates(forwarder).await;
        }
        answer
    }

    /// Sends a request, and returns the source's result or error.
    async fn ask(
        &self,
        route: &Route,
        (method, params): (&'static str, Map<String, Value>),
        parts: CallContext,
        cancelled: impl Future<Output = ()>,
    ) -> Result<Value, ErrorData> {
        let (catalogue, provider) = (self.catalogue(), route.provider.clone());
        let holder = (self.host().id, provider.settings().name.clone());
        let work = move |cancel| {
            let mut cx = catalogue.context(cancel).map_err(CallError::Failed)?;
            cx.call = parts;
            let answer = provider.ask(method, params, &cx);
            answer.map_err(|error| CallError::Failed(vec![error.diagnostic()]))
        };
        let state = &*self.state;
        let ended = state.ended(cancelled);
        match state.workers.run_slow(holder, work, ended).await {
            Ok(mut answer) => {
                if let Some(error) = answer.get_mut("error") {
                    return Err(typed(error.take())?);
                }
                let mut result = answer["result"].take();
                if let Some(object) = result.as_object_mut() {
                    // A stateful source leaves it out, and so does the server to its likes.
                    let kind = object.entry("resultType");
                    kind.or_insert_with(|| "complete".into());
                }
                Ok(result)
            }
            Err(CallError::Cancelled) => Err(call::cancelled()),
            Err(CallError::Failed(diagnostics) | CallError::NotFound(diagnostics)) => {
                Err(call::internal_error(&diagnostics))
            }
        }
    }

    /// Adds a subscriber to a resource of a source.
    pub(crate) async fn add_subscriber(
        &self,
        subscriber: Subscriber,
        cancelled: impl Future<Output = ()>,
    ) -> Result<(), ErrorData> {
        let uri = subscriber.uri.clone();
        let Some(route) = self.route(Subject::Resource(uri.clone())).await? else {
            let data = json!({"uri": uri});
            return Err(ErrorData::resource_not_found(
                "there is no such resource",
                Some(data),
            ));
        };
        let (host, stream) = (Arc::clone(self.host()), subscriber.stream);
        host.subscribe(route.key.clone(), route.own.clone(), subscriber);
        let request = (SUBSCRIBE, route.of_uri());
        let answer = self.ask(&route, request, self.parts(), cancelled).await;
        if answer.is_err() {
            host.unsubscribe(&route.key, &route.own, stream);
        }
        answer.map(drop)
    }

    /// Removes the subscriber of `stream`; the source is told when it was the last one.
    pub(crate) async fn remove_subscriber(
        &self,
        stream: u64,
        uri: &str,
        cancelled: impl Future<Output = ()>,
    ) -> Result<(), ErrorData> {
        let Some(route) = self.route(Subject::Resource(uri.to_owned())).await? else {
            return Ok(());
        };
        if self.host().unsubscribe(&route.key, &route.own, stream) {
            let request = (UNSUBSCRIBE, route.of_uri());
            self.ask(&route, request, self.parts(), cancelled).await?;
        }
        Ok(())
    }

    /// Watches the resources that a stateless client has asked for.
    pub(crate) async fn watch(&self, accepted: &SubscriptionFilter) -> Watched {
        static NEXT: AtomicU64 = AtomicU64::new(OWN_STREAM + 1);
        let stream = NEXT.fetch_add(1, Ordering::Relaxed);
        let (sender, updates) = channel(MAX_UPDATES);
        let uris = accepted.resource_subscriptions.clone().unwrap_or_default();
        for uri in &uris {
            let subscriber = Subscriber {
                stream,
                uri: uri.clone(),
                updates: sender.clone(),
            };
            // One that does not exist is never updated.
            let _ = self
                .add_subscriber(subscriber, std::future::pending())
                .await;
        }
        Watched {
            stream,
            uris,
            updates,
        }
    }

    /// Ends that.
    pub(crate) async fn unwatch(&self, watched: Watched) {
        for uri in &watched.uris {
            let removed = self.remove_subscriber(watched.stream, uri, std::future::pending());
            let _ = removed.await;
        }
    }
}

/// Returns the metadata of a request that is for the source, too: not what is the protocol's own.
pub(crate) fn meta(request: &RequestContext<RoleServer>) -> Arc<Map<String, Value>> {
    let is_passed =
        |key: &str| key != "progressToken" && !key.starts_with("io.modelcontextprotocol/");
    let all = request.meta.0.0.iter();
    let passed = all.filter(|(key, _)| is_passed(key));
    Arc::new(
        passed
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    )
}

/// Returns the receiver of a tool's progress and its task, if the client has asked for progress.
pub(crate) fn forwarder(
    request: &RequestContext<RoleServer>,
) -> Option<(Progress, JoinHandle<()>)> {
    let token = request.meta.get_progress_token()?;
    let (sender, updates) = channel(MAX_UPDATES);
    let progress = Progress::new(move |update| drop(sender.try_send(update)));
    let task = tokio::spawn(forward(request.peer.clone(), token, updates));
    Some((progress, task))
}

/// Waits for the updates that were reported before the response: none may follow it.
pub(crate) async fn end_updates(forwarder: JoinHandle<()>) {
    let abort = forwarder.abort_handle();
    let _ = timeout(UPDATE_GRACE, forwarder).await;
    abort.abort();
}

async fn forward(
    peer: Peer<RoleServer>,
    token: ProgressToken,
    mut updates: Receiver<ProgressUpdate>,
) {
    // Clients expect progress to grow.
    let mut last = f64::NEG_INFINITY;
    while let Some(update) = updates.recv().await {
        if update.progress <= last {
            continue;
        }
        last = update.progress;
        let mut params = ProgressNotificationParam::new(token.clone(), update.progress);
        params.total = update.total;
        params.message = update.message;
        let _ = peer.notify_progress(params).await;
    }
}

/// Returns the value in the protocol's own type.
fn typed<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| {
        let message = format!("the source has sent an unexpected answer: {error}");
        ErrorData::internal_error(message, None)
    })
}
