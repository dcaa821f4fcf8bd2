//! The API's rules for a conversation: roles, order, calls and responses.

use serde_json::Value;

use super::field::{CALL, RESPONSE, field, is_model, items, parts, snake};
use super::message::DATA;

const ORDER: &str = "Please ensure that function call turn comes immediately after a user turn \
    or after a function response turn.";

/// Checks the contents of a request; `cached` are those of its cache, which come before
/// them and were checked already.
pub(super) fn check(cached: &[Value], contents: &[Value], complaints: &mut Vec<String>) {
    if contents.is_empty() {
        complaints.push("contents is not specified".to_owned());
    }
    for (index, content) in contents.iter().enumerate() {
        let is_alone = contents.len() == 1 && cached.is_empty();
        if !(is_alone && content["role"].is_null()) {
            role(content, &format!("contents[{index}]"), complaints);
        }
        shape(content, &format!("contents[{index}]"), complaints);
    }
    if contents.last().is_some_and(is_model) {
        complaints.push("the last content must not be the model's".to_owned());
    }
    order(cached.last(), contents, complaints);
}

fn role(content: &Value, at: &str, complaints: &mut Vec<String>) {
    let role = content["role"].as_str().unwrap_or_default();
    if !["user", "model", "function"].contains(&role) {
        complaints.push(format!(
            "Please use a valid role: user, model. ({at}.role is {})",
            content["role"]
        ));
    }
}

/// Checks the parts of a content.
pub(super) fn shape(content: &Value, at: &str, complaints: &mut Vec<String>) {
    let parts = items(&content["parts"]);
    if parts.is_empty() {
        complaints.push(format!("{at}.parts must not be empty"));
    }
    for (index, part) in parts.iter().enumerate() {
        let at = format!("{at}.parts[{index}]");
        let data = DATA.iter().filter(|name| !field(part, name).is_null());
        if data.count() != 1 {
            complaints.push(format!("{at}.data: exactly one field must be set"));
        }
        for (name, data) in [("functionCall", "args"), ("functionResponse", "response")] {
            let value = field(part, name);
            let is_missing = value[data].is_null() && name == CALL;
            if !value.is_null() && !value[data].is_object() && !is_missing {
                let name = snake(name);
                complaints.push(format!("{at}.{name}.{data}: must be an object"));
            }
            if !value.is_null() && value["name"].as_str().is_none_or(str::is_empty) {
                let name = snake(name);
                complaints.push(format!("{at}.{name}.name: cannot be empty"));
            }
        }
    }
}

fn order(last_cached: Option<&Value>, contents: &[Value], complaints: &mut Vec<String>) {
    let mut before = last_cached;
    for content in contents {
        let (calls, responses) = (parts(content, CALL), parts(content, RESPONSE));
        // A server of the API's own that was called: the model's turn has both.
        let is_called_within = is_model(content) && !calls.is_empty() && !responses.is_empty();
        if !calls.is_empty() && (!is_model(content) || before.is_none_or(is_model)) {
            complaints.push(ORDER.to_owned());
        }
        let asked = before.map_or_else(Vec::new, asked);
        // Calls without responses are valid only if the turn is never sent.
        if !is_called_within && (!responses.is_empty() || !asked.is_empty()) {
            answered(&asked, &responses, complaints);
        }
        before = Some(content);
    }
}

/// The calls of a turn that wait for a response in the next.
fn asked(content: &Value) -> Vec<&Value> {
    if parts(content, RESPONSE).is_empty() {
        parts(content, CALL)
    } else {
        Vec::new()
    }
}

/// One response for each call, in the turn that follows it.
fn answered(calls: &[&Value], responses: &[&Value], complaints: &mut Vec<String>) {
    if calls.len() != responses.len() {
        complaints.push(format!(
            "Please ensure that the number of function response parts is equal to the number \
             of function call parts of the function call turn. ({} and {})",
            responses.len(),
            calls.len()
        ));
        return;
    }
    for (call, response) in calls.iter().zip(responses) {
        if call["name"] != response["name"] {
            complaints.push(format!(
                "a call of {} is answered by {}",
                call["name"], response["name"]
            ));
        }
        if !call["id"].is_null() && call["id"] != response["id"] {
            complaints.push(format!(
                "call {} is answered with id {}",
                call["id"], response["id"]
            ));
        }
    }
}
