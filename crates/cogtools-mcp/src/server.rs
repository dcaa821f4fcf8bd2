//! The server of the protocol, the same over every transport and in both eras.
//!
//! `rmcp` speaks the protocol; this says what there is to say. Nothing here
//! depends on who asks: a list is the same for every client.

use std::borrow::Cow;
use std::sync::Arc;

use cogtools_core::Diagnostic;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, ConstString as _,
    CustomRequest, CustomResult, ErrorCode, GetPromptRequestMethod, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;

use crate::call::Workers;
use crate::catalogue::{Catalogue, Listing};
use crate::change::Changes;
use crate::given::Given;
use crate::page::Page;
use crate::speech::Speech;
use crate::{answer, http, prompt};

/// What every connection shares.
pub(crate) struct House {
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) workers: Workers,
    pub(crate) changes: Changes,
    pub(crate) speeches: Sender<Speech>,
    /// Everything ends.
    pub(crate) stop: CancellationToken,
}

/// One connection's server.
#[derive(Clone)]
pub(crate) struct Server {
    house: Arc<House>,
    /// Whether a client of the older era can be told of changes: over HTTP it has
    /// no stream that stays.
    stays: bool,
}

impl Server {
    pub(crate) const fn new(house: Arc<House>, stays: bool) -> Self {
        Self { house, stays }
    }

    /// Everything there is, read afresh.
    async fn listing(&self) -> Result<Listing, ErrorData> {
        let catalogue = Arc::clone(&self.house.catalogue);
        let listed = tokio::task::spawn_blocking(move || catalogue.list()).await;
        let listing = listed
            .map_err(|_| ErrorData::internal_error("unexpected failure while listing", None))?;
        let (listing, news) = listing.map_err(|diagnostics| answer::broken(&diagnostics))?;
        for diagnostic in news {
            self.warn(diagnostic).await;
        }
        Ok(listing)
    }

    async fn warn(&self, diagnostic: Diagnostic) {
        let _ = self
            .house
            .speeches
            .send(Speech::Warning(Box::new(diagnostic)))
            .await;
    }

    /// Comes when the client does not want an answer any more, or everything ends.
    async fn over(&self, request: &CancellationToken) {
        tokio::select! {
            () = request.cancelled() => {}
            () = self.house.stop.cancelled() => {}
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder();
        let capabilities = if self.stays {
            let tools = capabilities.enable_tools().enable_tool_list_changed();
            tools.enable_prompts().enable_prompts_list_changed().build()
        } else {
            capabilities.enable_tools().enable_prompts().build()
        };
        let name = Implementation::new("cogtools", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(name)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        whole(request)?;
        let offers = self.listing().await?.offers;
        let tools = match context.extensions.get::<Page>() {
            Some(page) => {
                page.fill(offers);
                Vec::new()
            }
            None => offers.iter().filter_map(|offer| offer.tool()).collect(),
        };
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = context
            .extensions
            .get::<Given>()
            .or_else(|| http::given(&context));
        let given = given.cloned();
        let given = given.unwrap_or_else(|| Given::from_object(request.arguments));
        let house = &self.house;
        let called = house.workers.call(
            &house.catalogue,
            &request.name,
            |_| given.read(),
            self.over(&context.ct),
        );
        answer::to_call(called.await).map(CallToolResponse::Complete)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        whole(request)?;
        let offers = self.listing().await?.prompts;
        let prompts = offers.iter().filter_map(|offer| offer.prompt());
        Ok(ListPromptsResult::with_all_items(prompts.collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let given = request.arguments.unwrap_or_default();
        let house = &self.house;
        let called = house.workers.call(
            &house.catalogue,
            &request.name,
            |tool| Ok(prompt::arguments(tool, given)),
            self.over(&context.ct),
        );
        answer::to_prompt(called.await).map(GetPromptResponse::Complete)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.house.changes.listen();
        let sink = context.sink();
        loop {
            tokio::select! {
                () = changes.changed() => {}
                () = context.cancelled() => return Ok(()),
                () = self.house.stop.cancelled() => return Ok(()),
            }
            // Whoever did not ask for one of them is not told.
            if sink.accepted().tools_list_changed == Some(true) {
                let _ = sink.notify_tool_list_changed().await;
            }
            if sink.accepted().prompts_list_changed == Some(true) {
                let _ = sink.notify_prompt_list_changed().await;
            }
        }
    }

    /// A method that the protocol does not have, or parameters that its method
    /// does not take.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let expected = match request.method.as_str() {
            CallToolRequestMethod::VALUE => {
                "`tools/call` takes `name`, a string, and `arguments`, an object"
            }
            GetPromptRequestMethod::VALUE => {
                "`prompts/get` takes `name`, a string, and `arguments`, an object of strings"
            }
            // The newer era has no such method.
            "initialize" if context.meta.protocol_version().is_none() => UNFIT,
            "tools/list" | "prompts/list" | "subscriptions/listen" => UNFIT,
            _ => {
                let message = format!("there is no method `{}`", request.method);
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
            }
        };
        Err(ErrorData::invalid_params(expected, None))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }
}

const UNFIT: &str = "these are not the parameters of that method";

/// Lists have one page, so nobody can ask for another.
fn whole(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        Some(_) => Err(ErrorData::invalid_params(
            "there is one page, and no cursor",
            None,
        )),
        None => Ok(()),
    }
}
