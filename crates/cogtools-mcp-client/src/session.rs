//! A conversation with a server: which era it is of, its tools, a call.

use std::sync::Mutex;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest,
    Implementation, ListToolsRequest, PaginatedRequestParams, ProtocolVersion,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, RunningService, ServiceError,
};
use rmcp::transport::Transport;
use serde_json::{Map, Value};

use crate::error::ClientError;

/// How many pages of tools are read, and how many bytes of them.
const PAGES: usize = 1_000;
const BYTES: usize = 10 << 20;

/// What the server is being asked, for whoever loses patience.
pub(crate) type Step = Mutex<&'static str>;

/// Why a conversation ended.
pub(crate) enum Broken {
    /// The server says so, or what it says is nothing.
    Said(ClientError),
    /// It has gone; whoever knows how it was reached knows more.
    Gone(&'static str),
}

/// A conversation.
pub(crate) struct Session<'s> {
    name: &'s str,
    step: &'s Step,
    modern: bool,
    service: RunningService<RoleClient, ClientConfig>,
}

fn set(step: &Step, word: &'static str) -> &'static str {
    if let Ok(mut step) = step.lock() {
        *step = word;
    }
    word
}

impl<'s> Session<'s> {
    /// Begins one. `transport` gives a way to the server, twice when need be: a
    /// server that has no `initialize` is of the newer era.
    pub(crate) async fn begin<T: Transport<RoleClient> + 'static>(
        name: &'s str,
        step: &'s Step,
        transport: impl Fn() -> T,
    ) -> Result<Self, Broken> {
        let ours = Implementation::new("cogtools", env!("CARGO_PKG_VERSION"));
        let info = ClientConfig::new(ClientCapabilities::default(), ours);
        let info = info.with_protocol_version(ProtocolVersion::V_2025_11_25);
        let first = set(step, "initialize");
        let older = ClientLifecycleMode::Initialize;
        let served = info.clone().serve_with_lifecycle(transport(), older).await;
        let error = match served {
            Ok(service) => {
                return Ok(Self {
                    name,
                    step,
                    modern: false,
                    service,
                });
            }
            Err(error) => error,
        };
        let ClientInitializeError::JsonRpcError(refusal) = error else {
            return Err(broken(error, name, first));
        };
        set(step, "server/discover");
        let newer = ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        };
        let served = info.serve_with_lifecycle(transport(), newer).await;
        let service = served.map_err(|_| {
            let message = refusal.message.to_string();
            Broken::Said(ClientError::Refused(name.to_owned(), first, message))
        })?;
        Ok(Self {
            name,
            step,
            modern: true,
            service,
        })
    }

    /// Whether the server is of the newer era.
    pub(crate) const fn is_modern(&self) -> bool {
        self.modern
    }

    /// All its tools, as it describes them.
    pub(crate) async fn tools(&self) -> Result<Vec<Value>, Broken> {
        let step = set(self.step, "tools/list");
        let (mut tools, mut size, mut cursor) = (Vec::new(), 0, None::<String>);
        for _ in 0..PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor.take());
            let request = ListToolsRequest::with_param(params);
            let mut page = self
                .ask(step, ClientRequest::ListToolsRequest(request))
                .await?;
            let Some(Value::Array(more)) = page.remove("tools") else {
                let found = Value::Object(page).to_string();
                return Err(self.form(step, &found));
            };
            size += more
                .iter()
                .map(|tool| tool.to_string().len())
                .sum::<usize>();
            tools.extend(more);
            cursor = page
                .remove("nextCursor")
                .and_then(|cursor| cursor.as_str().map(str::to_owned));
            if cursor.is_none() {
                return Ok(tools);
            }
            if size > BYTES {
                break;
            }
        }
        Err(Broken::Said(ClientError::Endless(self.name.to_owned())))
    }

    /// The result of a call. A server that has no such tool any more is told of.
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Map<String, Value>, Broken> {
        let step = set(self.step, "tools/call");
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = CallToolRequest::new(params);
        let result = self
            .ask(step, ClientRequest::CallToolRequest(request))
            .await;
        match &result {
            Ok(object)
                if object.contains_key("content") || object.contains_key("structuredContent") =>
            {
                let failed = object.get("isError") == Some(&Value::Bool(true));
                if failed && !self.has(tool).await {
                    return Err(self.absent(tool));
                }
            }
            Ok(object) => {
                let found = Value::Object(object.clone()).to_string();
                return Err(self.form(step, &found));
            }
            Err(Broken::Said(ClientError::Refused(..))) if !self.has(tool).await => {
                return Err(self.absent(tool));
            }
            Err(_) => {}
        }
        result
    }

    /// Whether the server has a tool of that name now, as far as it says.
    async fn has(&self, tool: &str) -> bool {
        let tools = self.tools().await;
        tools.map_or(true, |tools| {
            let mut names = tools.iter().filter_map(|tool| tool.get("name")?.as_str());
            names.any(|name| name == tool)
        })
    }

    async fn ask(
        &self,
        step: &'static str,
        request: ClientRequest,
    ) -> Result<Map<String, Value>, Broken> {
        match self.service.send_request(request).await {
            Ok(result) => match serde_json::to_value(result) {
                Ok(Value::Object(object)) => Ok(object),
                Ok(other) => Err(self.form(step, &other.to_string())),
                Err(error) => Err(self.form(step, &error.to_string())),
            },
            Err(ServiceError::McpError(error)) => {
                let message = error.message.to_string();
                let name = self.name.to_owned();
                Err(Broken::Said(ClientError::Refused(name, step, message)))
            }
            Err(_) => Err(Broken::Gone(step)),
        }
    }

    fn form(&self, step: &'static str, found: &str) -> Broken {
        let found = found.chars().take(120).collect();
        Broken::Said(ClientError::Form(self.name.to_owned(), step, found))
    }

    fn absent(&self, tool: &str) -> Broken {
        let (name, tool) = (self.name.to_owned(), tool.to_owned());
        Broken::Said(ClientError::NoTool(name, tool))
    }

    /// Takes leave.
    pub(crate) async fn end(self) {
        let _ = self.service.cancel().await;
    }
}

fn broken(error: ClientInitializeError, name: &str, step: &'static str) -> Broken {
    match error {
        ClientInitializeError::ConnectionClosed(_)
        | ClientInitializeError::TransportError { .. } => Broken::Gone(step),
        other => {
            let found = other.to_string().chars().take(200).collect();
            Broken::Said(ClientError::Form(name.to_owned(), step, found))
        }
    }
}
