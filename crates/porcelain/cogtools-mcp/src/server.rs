//! The handler of requests, the same over every transport, for stateful and
//! stateless clients.
//!
//! `rmcp` implements the protocol. Nothing here depends on the client: a list is
//! the same for all.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use cogtools_core::{CallContext, Diagnostic, PausedFlow, Progress, ProgressUpdate, ToolOutput};
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CompleteRequestParams,
    CompleteResult, ConstString as _, CustomRequest, CustomResult, DiscoverResult, ErrorCode,
    GetPromptRequestMethod, GetPromptRequestParams, GetPromptResponse, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProgressToken,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::call::{self, CodeCall, Workers, in_pool};
use crate::catalogue::{CallError, Catalogue, Listing};
use crate::code::{CodeMode, Later};
use crate::command::{ClientArguments, RawArguments};
use crate::declarations::PublishedTool;
use crate::observe::Observers;
use crate::prompt::{self, Introduction};
use crate::questions::{Pause, Questions};
use crate::serve::{self, Outgoing};
use crate::sources::host::{Abilities, SetLevel};
use crate::stdio::RawToolList;

/// The number of updates of a call that may wait for the client; further ones are dropped.
const MAX_UPDATES: usize = 64;
/// The time that waiting updates may take to be sent.
const UPDATE_GRACE: Duration = Duration::from_millis(100);

/// The state that all connections share.
pub(crate) struct AppState {
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) workers: Workers,
    pub(crate) questions: Questions,
    /// The three tools of `--code`.
    pub(crate) code: Option<Arc<CodeMode>>,
    /// Changes of the list of tools.
    pub(crate) list_changed: watch::Sender<()>,
    pub(crate) outgoing: Sender<Outgoing>,
    pub(crate) observers: Observers,
    /// Cancelled when the first client has its introduction.
    pub(crate) introduced: CancellationToken,
    /// Cancelled when no further request is accepted.
    pub(crate) closing: CancellationToken,
    /// Cancelled when the server shuts down: calls end.
    pub(crate) stop: CancellationToken,
}

/// The server of one connection.
#[derive(Clone)]
pub(crate) struct Server {
    state: Arc<AppState>,
    /// True if stateful clients can be notified of changes: over HTTP they have no
    /// stream that stays open.
    stateful: bool,
}

impl Server {
    pub(crate) const fn new(state: Arc<AppState>, stateful: bool) -> Self {
        Self { state, stateful }
    }

    fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.state.catalogue)
    }

    /// Lists the tools and prompts there are now. There is one page, so no cursor is known.
    async fn listing(&self, request: Option<PaginatedRequestParams>) -> Result<Listing, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            let message = "there is only one page; cursors are not supported";
            return Err(ErrorData::invalid_params(message, None));
        }
        let (catalogue, code) = (self.catalogue(), self.state.code.clone());
        catalogue.workspace().known().await;
        let list = move || {
            let (mut listing, warnings) = catalogue.list()?;
            if let Some(code) = code {
                listing.tools = code.declarations(&catalogue)?;
                listing.prompts = Vec::new();
            }
            Ok((listing, warnings))
        };
        let listed: Result<_, Vec<Diagnostic>> = in_pool(list).await?;
        let (listing, warnings) = listed.map_err(|it| call::internal_error(&it))?;
        self.warn(warnings).await;
        Ok(listing)
    }

    /// Lists the tools that clients show in `menu`, too.
    async fn menu(
        &self,
        menu: &'static str,
        request: Option<PaginatedRequestParams>,
    ) -> Result<Vec<Arc<PublishedTool>>, ErrorData> {
        let published = self.listing(request).await?.prompts;
        let catalogue = self.catalogue();
        let is_shown = in_pool(move || catalogue.shows(menu)).await?;
        Ok(if is_shown { published } else { Vec::new() })
    }

    /// Returns the words for a client that connects.
    async fn introduction(&self) -> Introduction {
        let catalogue = self.catalogue();
        let introduction = in_pool(move || Introduction::of(&catalogue)).await;
        self.state.introduced.cancel();
        introduction.unwrap_or_default()
    }

    /// Asks a stateful client where its user works; the configuration there may filter the tools.
    async fn follow_roots(&self, peer: &Peer<RoleServer>) {
        let catalogue = &self.state.catalogue;
        if self.stateful && catalogue.workspace().ask(peer).await {
            catalogue.source_changed().notify_one();
        }
    }

    async fn warn(&self, diagnostics: Vec<Diagnostic>) {
        if !diagnostics.is_empty() {
            let warnings = Outgoing::Warnings(diagnostics);
            let _ = self.state.outgoing.send(warnings).await;
        }
    }

    /// Calls the tool `name` in another thread, observes it, and reports new warnings.
    async fn call(
        &self,
        name: &str,
        arguments: ClientArguments,
        request: &RequestContext<RoleServer>,
        mut parts: CallContext,
    ) -> Result<ToolOutput, CallError> {
        let state = &*self.state;
        let observed = state.observers.begin(name, request);
        let (progress, forwarder) = forwarder(request).unzip();
        parts.progress = progress;
        let cancelled = async {
            tokio::select! {
                () = request.ct.cancelled() => {}
                () = state.stop.cancelled() => {}
            }
        };
        let workers = &state.workers;
        let call = workers.call(&state.catalogue, name, arguments, parts, cancelled);
        // A future that is moved often moves this only once.
        let outcome = Box::pin(call).await;
        if let Some(forwarder) = forwarder {
            // No update may follow the response. The tool no longer reports any, or no one waits.
            let abort = forwarder.abort_handle();
            let _ = tokio::time::timeout(UPDATE_GRACE, forwarder).await;
            abort.abort();
        }
        self.warn(state.catalogue.new_call_warnings()).await;
        observed.end(&outcome).await;
        outcome
    }
}

impl Server {
    /// Calls one of the three tools of `code`.
    async fn call_code(
        &self,
        code: &Arc<CodeMode>,
        (name, arguments): (&str, RawArguments),
        answered: Option<PausedFlow>,
        request: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let state = &*self.state;
        let later = asks_by_result(request).then(|| Arc::new(Later::new(answered)));
        let observed = state.observers.begin(name, request);
        let cancelled = async {
            tokio::select! {
                () = request.ct.cancelled() => {}
                () = state.stop.cancelled() => {}
            }
        };
        let call = CodeCall {
            code: Arc::clone(code),
            catalogue: self.catalogue(),
            name: name.to_owned(),
            arguments: arguments.clone(),
            ask: state.catalogue.sessions().host().asker(),
            later: later.clone(),
        };
        let outcome = state.workers.run_code(call, cancelled).await;
        self.warn(state.catalogue.new_call_warnings()).await;
        let has_failed = outcome.as_ref().is_ok_and(|(_, has_failed)| *has_failed);
        let outcome = outcome.map(|(output, _)| output);
        observed.end(&outcome).await;
        let asked = later.and_then(|later| later.take());
        if let Some(question) = asked.and_then(|it| state.questions.ask(name, arguments, it)) {
            return Ok(CallToolResponse::InputRequired(question));
        }
        let mut result = call::to_call(outcome)?;
        if has_failed {
            result.is_error = Some(true);
        }
        Ok(CallToolResponse::Complete(result))
    }
}

/// Returns true if a result may ask the user: the client of this request shows forms, and repeats
/// the request with the answer.
fn asks_by_result(request: &RequestContext<RoleServer>) -> bool {
    let capabilities = request.meta.client_capabilities();
    let elicitation = capabilities.and_then(|it| it.elicitation);
    elicitation.is_some_and(|it| Abilities::of(&it).form)
}

/// Returns the receiver of a tool's progress and its task, if the client has asked for progress.
fn forwarder(request: &RequestContext<RoleServer>) -> Option<(Progress, JoinHandle<()>)> {
    let token = request.meta.get_progress_token()?;
    let (sender, updates) = channel(MAX_UPDATES);
    let progress = Progress::new(move |update| drop(sender.try_send(update)));
    let task = tokio::spawn(forward(request.peer.clone(), token, updates));
    Some((progress, task))
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

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        // Stateless clients subscribe to changes, over every transport.
        config(true)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.negotiate_initialize(&request)?;
        result.capabilities = config(self.stateful).capabilities;
        if self.stateful {
            // Logs are of the revisions for stateful clients alone.
            result.capabilities.logging = Some(serde_json::Map::new());
            let host = self.state.catalogue.sessions().host();
            host.connect(context.peer.clone(), &request.capabilities);
            let has_roots = request.capabilities.roots.is_some();
            self.state.catalogue.workspace().expect(has_roots);
        }
        context.peer.set_peer_info(request);
        let introduction = self.introduction().await;
        result.server_info.title = introduction.title;
        result.instructions = introduction.instructions;
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.follow_roots(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.follow_roots(&context.peer).await;
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info();
        let introduction = self.introduction().await;
        info.server_info.title = introduction.title;
        info.instructions = introduction.instructions;
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, info))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let published = self.listing(request).await?.tools;
        let tools = match context.extensions.get::<RawToolList>() {
            Some(raw_list) => {
                raw_list.set(published);
                Vec::new()
            }
            None => published.iter().filter_map(|tool| tool.tool()).collect(),
        };
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = context
            .extensions
            .get::<RawArguments>()
            .or_else(|| serve::raw_arguments(&context))
            .cloned()
            .unwrap_or_else(|| RawArguments::from_object(request.arguments.take()));
        self.state.catalogue.workspace().known().await;
        let questions = &self.state.questions;
        let paused = match questions.answer(&request, &arguments)?.transpose() {
            Ok(paused) => paused,
            Err(unanswered) => {
                let failed = Err(CallError::Failed(vec![unanswered]));
                return call::to_call(failed).map(CallToolResponse::Complete);
            }
        };
        if let Some(code) = &self.state.code {
            let call = (&*request.name, arguments);
            return self.call_code(code, call, paused, &context).await;
        }
        let pause = asks_by_result(&context).then(Pause::default);
        let parts = CallContext {
            person: pause.as_ref().map(Pause::person),
            paused,
            ..CallContext::default()
        };
        let of_call = ClientArguments::OfCall(arguments.clone());
        let outcome = self.call(&request.name, of_call, &context, parts).await;
        let flow = pause.and_then(|pause| pause.take());
        let question = flow.and_then(|flow| questions.ask(&request.name, arguments, flow));
        match question {
            Some(question) => Ok(CallToolResponse::InputRequired(question)),
            None => call::to_call(outcome).map(CallToolResponse::Complete),
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let published = self.menu("prompts", request).await?;
        let prompts = published.iter().filter_map(|tool| tool.prompt());
        Ok(ListPromptsResult::with_all_items(prompts.collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = ClientArguments::OfPrompt(request.arguments.unwrap_or_default());
        let parts = CallContext::default();
        let outcome = self.call(&request.name, arguments, &context, parts);
        call::to_prompt(outcome.await).map(GetPromptResponse::Complete)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        prompt::complete(self.catalogue(), request).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let published = self.menu("resources", request).await?;
        let resources = published.iter().filter_map(|tool| prompt::document(tool));
        Ok(ListResourcesResult::with_all_items(resources.collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = prompt::read_document(self.catalogue(), request.uri);
        read.await.map(ReadResourceResponse::Complete)
    }

    async fn set_level(
        &self,
        request: SetLevel,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let catalogue = self.catalogue();
        in_pool(move || catalogue.sessions().set_level(&request)).await
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut list_changed = self.state.list_changed.subscribe();
        let sink = context.sink();
        loop {
            tokio::select! {
                _ = list_changed.changed() => {}
                () = context.cancelled() => return Ok(()),
                () = self.state.stop.cancelled() => return Ok(()),
            }
            // Clients receive only the notifications that they subscribed to.
            if sink.accepted().tools_list_changed == Some(true) {
                let _ = sink.notify_tool_list_changed().await;
            }
            if sink.accepted().prompts_list_changed == Some(true) {
                let _ = sink.notify_prompt_list_changed().await;
            }
        }
    }

    /// Reports an unknown method, or invalid parameters of a known one.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let is_stateless = context.meta.protocol_version().is_some();
        Err(unknown_request(&request.method, is_stateless))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }
}

/// Returns the name and the capabilities of the server, which can announce changes or not.
fn config(announces: bool) -> ServerConfig {
    let capabilities = ServerCapabilities::builder()
        .enable_tools()
        .enable_prompts();
    let capabilities = capabilities.enable_resources().enable_completions();
    let mut capabilities = capabilities.build();
    if announces && let Some(tools) = &mut capabilities.tools {
        tools.list_changed = Some(true);
    }
    if announces && let Some(prompts) = &mut capabilities.prompts {
        prompts.list_changed = Some(true);
    }
    let name = Implementation::new("cogtools", env!("CARGO_PKG_VERSION"));
    ServerConfig::new(capabilities).with_server_info(name)
}

/// Returns the error of a request for `method` that the types of the protocol do not describe, of
/// a client that is stateless or not.
fn unknown_request(method: &str, is_stateless: bool) -> ErrorData {
    let expected = match method {
        CallToolRequestMethod::VALUE => {
            "`tools/call` takes `name`, a string, and `arguments`, an object"
        }
        GetPromptRequestMethod::VALUE => {
            "`prompts/get` takes `name`, a string, and `arguments`, an object of strings"
        }
        "resources/read" => "`resources/read` takes `uri`, a string",
        "completion/complete" => {
            "`completion/complete` takes `ref`, a prompt, and `argument`, its name and value"
        }
        "tools/list" | "prompts/list" | "resources/list" | "subscriptions/listen" => INVALID_PARAMS,
        // Stateless MCP has no such method.
        "initialize" if !is_stateless => INVALID_PARAMS,
        _ => {
            let message = format!("unknown method `{method}`");
            return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None);
        }
    };
    ErrorData::invalid_params(expected, None)
}

const INVALID_PARAMS: &str = "invalid parameters for this method";
