//! What the server can do, as it says to clients.

use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};

use crate::logging;

/// What a stateful client learns: whether the server can send it anything but answers. Logs are of
/// the revisions for stateful clients alone.
pub(crate) fn stateful(can_notify: bool) -> ServerCapabilities {
    let mut capabilities = config(can_notify).capabilities;
    if can_notify {
        logging::declare(&mut capabilities);
    }
    capabilities
}

/// What the server is, and whether it can announce changes.
pub(crate) fn config(announces: bool) -> ServerConfig {
    let capabilities = ServerCapabilities::builder();
    let capabilities = if announces {
        let tools = capabilities.enable_tools().enable_tool_list_changed();
        tools.enable_prompts().enable_prompts_list_changed()
    } else {
        capabilities.enable_tools().enable_prompts()
    };
    let capabilities = capabilities.enable_resources().enable_completions().build();
    let name = Implementation::new("cogtools", env!("CARGO_PKG_VERSION"));
    ServerConfig::new(capabilities).with_server_info(name)
}
