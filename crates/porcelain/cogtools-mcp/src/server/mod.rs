//! The handler of requests, the same over every transport, for stateful and
//! stateless clients.
//!
//! `rmcp` implements the protocol. Nothing here depends on the client: a list is
//! the same for all.

mod call;

use std::borrow::Cow;
use std::sync::Arc;

use cogtools_core::Diagnostic;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, DiscoverResult, GetPromptRequestParams, GetPromptResponse,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;

use crate::call::Workers;
use crate::catalogue::{Catalogue, Listing};
use crate::change::ListChanged;
use crate::client_arguments::ClientArguments;
use crate::instructions::Introduction;
use crate::logging::{self, SetLevel};
use crate::observe::Observers;
use crate::output::Outgoing;
use crate::raw_arguments::RawArguments;
use crate::raw_list::RawToolList;
use crate::{answer, capabilities, completion, document, http, malformed};

/// The state that all connections share.
pub(crate) struct AppState {
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) workers: Workers,
    pub(crate) list_changed: ListChanged,
    pub(crate) outgoing: Sender<Outgoing>,
    /// What is observed of calls.
    pub(crate) observers: Observers,
    /// Cancelled when no further request is accepted.
    pub(crate) closing: CancellationToken,
    /// Cancelled when the server shuts down: calls end.
    pub(crate) stop: CancellationToken,
}

/// One connection's server.
#[derive(Clone)]
pub(crate) struct Server {
    state: Arc<AppState>,
    /// Whether stateful clients can be notified of changes: over HTTP they have no
    /// stream that stays open.
    stateful: bool,
}

impl Server {
    pub(crate) const fn new(state: Arc<AppState>, stateful: bool) -> Self {
        Self { state, stateful }
    }

    /// The current list of tools and prompts.
    async fn listing(&self) -> Result<Listing, ErrorData> {
        let catalogue = Arc::clone(&self.state.catalogue);
        let (listing, warnings) = tokio::task::spawn_blocking(move || catalogue.list())
            .await
            .map_err(|_| ErrorData::internal_error("unexpected failure while listing", None))?
            .map_err(|diagnostics| answer::internal_error(&diagnostics))?;
        self.warn(warnings).await;
        Ok(listing)
    }

    /// What to say to a client that connects.
    async fn introduction(&self) -> Introduction {
        let catalogue = Arc::clone(&self.state.catalogue);
        let introduction = tokio::task::spawn_blocking(move || Introduction::of(&catalogue));
        introduction.await.unwrap_or_default()
    }

    async fn warn(&self, diagnostics: Vec<Diagnostic>) {
        if !diagnostics.is_empty() {
            let warnings = Outgoing::Warnings(diagnostics);
            let _ = self.state.outgoing.send(warnings).await;
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        // Stateless clients subscribe to changes, over every transport.
        capabilities::config(true)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.negotiate_initialize(&request)?;
        result.capabilities = capabilities::stateful(self.stateful);
        if self.stateful {
            let host = self.state.catalogue.sessions().host();
            host.connect(context.peer.clone(), &request.capabilities);
        }
        context.peer.set_peer_info(request);
        let introduction = self.introduction().await;
        result.server_info.title = introduction.title;
        result.instructions = introduction.instructions;
        Ok(result)
    }

    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
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
        malformed::reject_cursor(request)?;
        let published = self.listing().await?.tools;
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
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = context
            .extensions
            .get::<RawArguments>()
            .or_else(|| http::raw_arguments(&context))
            .cloned()
            .unwrap_or_else(|| RawArguments::from_object(request.arguments));
        let arguments = ClientArguments::OfCall(arguments);
        let outcome = self.call(&request.name, arguments, &context);
        answer::to_call(outcome.await).map(CallToolResponse::Complete)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        malformed::reject_cursor(request)?;
        let published = self.listing().await?.prompts;
        let prompts = published.iter().filter_map(|tool| tool.prompt());
        Ok(ListPromptsResult::with_all_items(prompts.collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = ClientArguments::OfPrompt(request.arguments.unwrap_or_default());
        let outcome = self.call(&request.name, arguments, &context);
        answer::to_prompt(outcome.await).map(GetPromptResponse::Complete)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        completion::complete(Arc::clone(&self.state.catalogue), request).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        malformed::reject_cursor(request)?;
        let published = self.listing().await?.prompts;
        let resources = published.iter().filter_map(|tool| document::resource(tool));
        Ok(ListResourcesResult::with_all_items(resources.collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = document::read(Arc::clone(&self.state.catalogue), request.uri);
        read.await.map(ReadResourceResponse::Complete)
    }

    async fn set_level(
        &self,
        request: SetLevel,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let catalogue = Arc::clone(&self.state.catalogue);
        let set = move || catalogue.sessions().set_level(logging::level(&request));
        tokio::task::spawn_blocking(set)
            .await
            .map_err(|_| ErrorData::internal_error("the level cannot be set", None))
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
                () = list_changed.changed() => {}
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
        Err(malformed::error(&request.method, is_stateless))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }
}
