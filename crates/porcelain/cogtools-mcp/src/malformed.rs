//! Requests that the protocol's types do not describe: unknown methods, and known ones with
//! other parameters.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;
use rmcp::model::{CallToolRequestMethod, ConstString as _, ErrorCode, GetPromptRequestMethod};

const INVALID_PARAMS: &str = "invalid parameters for this method";

/// The error of a request for `method`, of a client that is stateless or not.
pub(crate) fn error(method: &str, is_stateless: bool) -> ErrorData {
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
        // Stateless MCP has no such method.
        "initialize" if !is_stateless => INVALID_PARAMS,
        "tools/list" | "prompts/list" | "resources/list" | "subscriptions/listen" => INVALID_PARAMS,
        _ => {
            let message = format!("unknown method `{method}`");
            return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None);
        }
    };
    ErrorData::invalid_params(expected, None)
}

/// Lists have one page, so there are no cursors.
pub(crate) fn reject_cursor(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        Some(_) => Err(ErrorData::invalid_params(
            "there is only one page; cursors are not supported",
            None,
        )),
        None => Ok(()),
    }
}
