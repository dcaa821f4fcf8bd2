//! The handler of requests, the same over every transport, for stateful and
//! stateless clients.
//!
//! `rmcp` implements the protocol. Nothing here depends on the client: a list is
//! the same for all.
//!
//! The revision 2026-07-28 deprecates `resources/subscribe`, and so does the SDK; stateful clients
//! have nothing else.
#![allow(deprecated, reason = "stateful clients still subscribe so")]

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cogtools_core::{CallContext, Diagnostic, PausedFlow, ToolOutput};
use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CompleteRequestParams,
    CompleteResult, ConstString as _, CustomRequest, CustomResult, DiscoverResult, ErrorCode,
    GetPromptRequestMethod, GetPromptRequestParams, GetPromptResponse, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, Prompt, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, Reference, Resource, ResourceTemplate,
    ServerCapabilities, ServerConfig, ServerNotification, ServerResult, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use tokio::sync::mpsc::Sender;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::call::{self, Workers, in_pool};
use crate::catalogue::{CallError, Catalogue, Listing};
use crate::code::{CodeMode, Later, User};
use crate::command::ClientArguments;
use crate::declarations::PublishedTool;
use crate::forward::{end_updates, forwarder, meta};
use crate::link::{Habits, Link, StatelessClients};
use crate::observe::Observers;
use crate::offers::{self, Offered, Subject};
use crate::page::page;
use crate::prompt::{self, Introduction};
use crate::questions::{self, Questions, asks_by_result};
use crate::serve::Outgoing;
use crate::sources::host::{OWN_STREAM, SetLevel};
use crate::stdio::RawToolList;

/// The state that all connections share.
pub(crate) struct AppState {
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) workers: Workers,
    pub(crate) questions: Questions,
    /// The stateless clients over HTTP.
    pub(crate) clients: StatelessClients,
    /// The three tools of `--code`.
    pub(crate) code: Option<Arc<CodeMode>>,
    /// Changes of the lists.
    pub(crate) list_changed: watch::Sender<Changes>,
    /// The last list of tools that has several pages, and its time.
    pub(crate) paged: Mutex<Option<(Instant, Vec<Arc<PublishedTool>>)>>,
    pub(crate) outgoing: Sender<Outgoing>,
    pub(crate) observers: Observers,
    /// Cancelled when the first client has its introduction.
    pub(crate) introduced: CancellationToken,
    /// Cancelled when no further request is accepted.
    pub(crate) closing: CancellationToken,
    /// Cancelled when the server shuts down: calls end.
    pub(crate) stop: CancellationToken,
}

impl AppState {
    /// Waits until a request is `cancelled`, or the server shuts down.
    pub(crate) async fn ended(&self, cancelled: impl Future<Output = ()>) {
        tokio::select! {
            () = cancelled => {}
            () = self.stop.cancelled() => {}
        }
    }
}

/// The time for which further pages are of the list that the first one is of.
const MAX_PAGED_AGE: Duration = Duration::from_secs(10);

/// The numbers of changes of the lists.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Changes {
    pub(crate) tools: u64,
    /// Of prompts, resources and templates of sources.
    pub(crate) offers: u64,
}

/// The server of one connection.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) state: Arc<AppState>,
    pub(crate) link: Link,
}

impl Server {
    pub(crate) const fn new(state: Arc<AppState>, link: Link) -> Self {
        Self { state, link }
    }

    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.state.catalogue)
    }

    /// Lists the tools and prompts there are now.
    async fn listing(&self) -> Result<Listing, ErrorData> {
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

    /// Returns the name of the client, if it has said who it is.
    fn client_name(&self, request: &RequestContext<RoleServer>) -> Option<String> {
        let initialized = request.peer.peer_info().filter(|_| self.is_stateful());
        match (request.meta.client_info(), initialized) {
            (Some(client), _) => Some(client.name),
            (None, client) => client.map(|client| client.client_info.name.clone()),
        }
    }

    /// Lists the tools that clients show in `menu`, too.
    async fn menu(&self, menu: &'static str) -> Result<Vec<Arc<PublishedTool>>, ErrorData> {
        let published = self.listing().await?.prompts;
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
        if self.is_stateful() && catalogue.workspace().ask(peer).await {
            catalogue.source_changed().notify_one();
        }
    }

    pub(crate) async fn warn(&self, diagnostics: Vec<Diagnostic>) {
        if !diagnostics.is_empty() {
            let warnings = Outgoing::Warnings(diagnostics);
            let _ = self.state.outgoing.send(warnings).await;
        }
    }

    /// Calls the tool `name` in another thread, observes it, and reports new warnings.
    pub(crate) async fn call(
        &self,
        name: &str,
        arguments: ClientArguments,
        request: &RequestContext<RoleServer>,
        mut parts: CallContext,
    ) -> Result<ToolOutput, CallError> {
        let state = &*self.state;
        let _serving = self.host().serve(&request.id);
        let text = arguments.text();
        let observed = state.observers.begin(name, &text, request);
        let mut called = None;
        let (progress, forwarder) = forwarder(request).unzip();
        parts.progress = progress;
        parts.meta = meta(request);
        let cancelled = state.ended(request.ct.cancelled());
        let workers = &state.workers;
        let about = (self.host().id, &mut called);
        let call = workers.call(&state.catalogue, name, arguments, parts, about, cancelled);
        // A future that is moved often moves this only once.
        let outcome = Box::pin(call).await;
        if let Some(forwarder) = forwarder {
            end_updates(forwarder).await;
        }
        self.warn(state.catalogue.new_call_warnings()).await;
        observed.end(&outcome, called.as_ref()).await;
        outcome
    }
}

impl Server {
    /// Calls one of the three tools of `code`.
    pub(crate) async fn call_code(
        &self,
        code: &Arc<CodeMode>,
        subject: questions::Subject,
        answered: Option<PausedFlow>,
        request: &RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let (name, arguments) = (subject.name.clone(), subject.arguments.clone());
        let state = &*self.state;
        let _serving = self.host().serve(&request.id);
        let later = asks_by_result(request).then(|| Arc::new(Later::new(answered)));
        let observed = state
            .observers
            .begin(&subject.name, arguments.text(), request);
        let (code, catalogue) = (Arc::clone(code), self.catalogue());
        let (client, ask) = (self.parts().client, self.host().asker());
        let (holder, asked) = ((self.host().id, name.clone()), later.clone());
        let work = move |cancel| {
            let user = match (&asked, &ask) {
                (Some(later), _) => User::Later(later),
                (None, Some(ask)) => User::Now(&**ask),
                (None, None) => User::Nobody,
            };
            code.call(&name, arguments, &catalogue, (user, (cancel, client)))
        };
        let cancelled = state.ended(request.ct.cancelled());
        let outcome = state.workers.run_slow(holder, work, cancelled).await;
        self.warn(state.catalogue.new_call_warnings()).await;
        let has_failed = outcome.as_ref().is_ok_and(|(_, has_failed)| *has_failed);
        let outcome = outcome.map(|(output, _)| output);
        let report = outcome
            .as_ref()
            .ok()
            .and_then(|output| output.value.as_ref());
        observed.log_program(report).await;
        observed.end(&outcome, None).await;
        let asked = later.and_then(|later| later.take());
        if let Some(question) = asked.and_then(|it| state.questions.ask(subject, it)) {
            return Ok(ServerResult::InputRequiredResult(question));
        }
        let mut result = call::to_call(outcome)?;
        if has_failed {
            result.is_error = Some(true);
        }
        Ok(ServerResult::CallToolResult(result))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        // Stateless clients subscribe to changes, over every transport.
        config(true, self.state.catalogue.has_servers())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.negotiate_initialize(&request)?;
        let has_servers = self.state.catalogue.has_servers();
        result.capabilities = config(self.is_stateful(), has_servers).capabilities;
        if self.is_stateful() {
            // Logs are of the revisions for stateful clients alone.
            result.capabilities.logging = Some(serde_json::Map::new());
            let host = self.host();
            host.connect(context.peer.clone(), &request.capabilities);
            self.announce(context.peer.clone());
            let has_roots = request.capabilities.roots.is_some();
            self.state.catalogue.workspace().expect(has_roots);
        }
        if matches!(self.link, Link::Stdio) {
            let habits = Habits::of(&request.client_info.name);
            self.state.catalogue.fit(habits);
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
        let (catalogue, host) = (self.catalogue(), Arc::clone(self.host()));
        let _ = in_pool(move || catalogue.sessions().roots_changed(&host)).await;
    }

    async fn discover(
        &self,
        request: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        self.learn(&request);
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
        self.learn(&context);
        let has_cursor = request.as_ref().is_some_and(|it| it.cursor.is_some());
        // Pages are of one list: files and specifications are not read again for each.
        let paged = self.state.paged.lock().clone();
        let paged = paged.filter(|(at, _)| has_cursor && at.elapsed() < MAX_PAGED_AGE);
        let published = match paged {
            Some((_, published)) => published,
            None => self.listing().await?.tools,
        };
        let client = self.client_name(&context);
        let reads_pages = client.is_some_and(|name| !Habits::of(&name).is_gemini_cli);
        let (published, next_cursor) = if has_cursor || reads_pages {
            let list = (!has_cursor).then(|| published.clone());
            let (page, next) = page(published, request, |tool| tool.name())?;
            if let (Some(list), Some(_)) = (list, &next) {
                *self.state.paged.lock() = Some((Instant::now(), list));
            }
            (page, next)
        } else {
            (published, None)
        };
        let tools = match context.extensions.get::<RawToolList>() {
            Some(raw_list) => {
                raw_list.set(published);
                Vec::new()
            }
            None => published.iter().filter_map(|tool| tool.tool()).collect(),
        };
        let mut result = ListToolsResult::with_all_items(tools);
        result.next_cursor = next_cursor;
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = self.client_name(&context);
        let mut response = self.answer_call(request, context).await?;
        if let CallToolResponse::Complete(result) = &mut response
            && client.is_some_and(|name| Habits::of(&name).is_gemini_cli)
        {
            call::structure_text(result);
        }
        Ok(response)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let published = self.menu("prompts").await?;
        let prompts = published.iter().filter_map(|tool| tool.prompt());
        let of_sources = typed(self.offers().await?.prompts);
        let prompts = prompts.chain(of_sources).collect();
        let (prompts, next_cursor) = page(prompts, request, |it: &Prompt| it.name.clone())?;
        let mut result = ListPromptsResult::with_all_items(prompts);
        result.next_cursor = next_cursor;
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.answer_prompt(request, context).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let subject = match &request.r#ref {
            Reference::Prompt(prompt) => Subject::Prompt(prompt.name.clone()),
            Reference::Resource(template) => Subject::Template(template.uri.clone()),
            _ => return Ok(CompleteResult::default()),
        };
        match self.route(subject).await? {
            Some(route) => self.complete_offered(&route, &request, &context).await,
            None => prompt::complete(self.catalogue(), request).await,
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let published = self.menu("resources").await?;
        let resources = published.iter().filter_map(|tool| prompt::document(tool));
        let of_sources = typed(self.offers().await?.resources);
        let resources = resources.chain(of_sources).collect();
        let (resources, next_cursor) = page(resources, request, |it: &Resource| it.uri.clone())?;
        let mut result = ListResourcesResult::with_all_items(resources);
        result.next_cursor = next_cursor;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = typed(self.offers().await?.templates).collect();
        let name = |it: &ResourceTemplate| it.uri_template.clone();
        let (templates, next_cursor) = page(templates, request, name)?;
        let mut result = ListResourceTemplatesResult::with_all_items(templates);
        result.next_cursor = next_cursor;
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.answer_read(request, context).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let subscriber = self.host().subscriber(request.uri);
        let subscriber = subscriber.filter(|_| self.is_stateful()).ok_or_else(|| {
            let message = "over HTTP, a client subscribes in a session";
            ErrorData::invalid_request(message, None)
        })?;
        self.add_subscriber(subscriber, context.ct.cancelled())
            .await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let cancelled = context.ct.cancelled();
        self.remove_subscriber(OWN_STREAM, &request.uri, cancelled)
            .await
    }

    async fn set_level(
        &self,
        request: SetLevel,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let (catalogue, host) = (self.catalogue(), Arc::clone(self.host()));
        in_pool(move || catalogue.sessions().set_level(&request, &host)).await
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut list_changed = self.state.list_changed.subscribe();
        let mut last = *list_changed.borrow_and_update();
        let sink = context.sink();
        let mut watched = self.watch(sink.accepted()).await;
        loop {
            tokio::select! {
                _ = list_changed.changed() => {}
                Some(ServerNotification::ResourceUpdatedNotification(update)) =
                    watched.updates.recv() =>
                {
                    let _ = sink.notify_resource_updated(update.params.uri).await;
                    continue;
                }
                () = context.cancelled() => break,
                () = self.state.stop.cancelled() => break,
            }
            let now = *list_changed.borrow_and_update();
            let before = std::mem::replace(&mut last, now);
            // Clients receive only the notifications that they subscribed to.
            if sink.accepted().tools_list_changed == Some(true) && now.tools != before.tools {
                let _ = sink.notify_tool_list_changed().await;
            }
            if sink.accepted().prompts_list_changed == Some(true) {
                let _ = sink.notify_prompt_list_changed().await;
            }
            // Tools are resources, too: their documents.
            if sink.accepted().resources_list_changed == Some(true) {
                let _ = sink.notify_resource_list_changed().await;
            }
        }
        self.unwatch(watched).await;
        Ok(())
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

/// Returns the values in the protocol's own type; others are left out.
fn typed<T: DeserializeOwned>(offered: Vec<Offered>) -> impl Iterator<Item = T> {
    let values = offered.into_iter().map(|it| it.value);
    values.filter_map(|value| offers::typed(&value))
}

/// Returns the name and the capabilities of the server, which can announce changes or not, and has
/// resources of sources or not.
fn config(announces: bool, has_servers: bool) -> ServerConfig {
    let capabilities = ServerCapabilities::builder()
        .enable_tools()
        .enable_prompts();
    let capabilities = capabilities.enable_resources().enable_completions();
    let mut capabilities = capabilities.build();
    let announced = announces.then_some(true);
    if let Some(tools) = &mut capabilities.tools {
        tools.list_changed = announced;
    }
    if let Some(prompts) = &mut capabilities.prompts {
        prompts.list_changed = announced;
    }
    if let Some(resources) = &mut capabilities.resources {
        resources.list_changed = announced.filter(|_| has_servers);
        resources.subscribe = announced.filter(|_| has_servers);
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
        "resources/subscribe" | "resources/unsubscribe" if !is_stateless => {
            "this method takes `uri`, a string"
        }
        "logging/setLevel" if !is_stateless => {
            "`logging/setLevel` takes `level`: debug, info, notice, warning, error, critical, alert \
             or emergency"
        }
        "completion/complete" => {
            "`completion/complete` takes `ref`, a prompt or a template, and `argument`, its name and \
             value"
        }
        "tools/list"
        | "prompts/list"
        | "resources/list"
        | "resources/templates/list"
        | "subscriptions/listen" => INVALID_PARAMS,
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
