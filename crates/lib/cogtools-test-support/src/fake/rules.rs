//! The API's rules for a conversation: roles, order, calls and responses.

use serde_json::Value;

use super::field::{CALL, RESPONSE, SIGNATURE, field, is_model, items, parts, snake};
use super::message::DATA;

const ORDER: &str = "Please ensure that function call turn comes immediately after a user turn \
    or after a function response turn.";

/// Checks the contents of a request; `cached` are the contents of its cache, which come before
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
    order(&[cached, contents].concat(), complaints);
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

/// Checks the turns of a conversation. Contents of the model that follow each other are
/// one turn: the pieces of a stream, which some clients keep apart.
fn order(conversation: &[Value], complaints: &mut Vec<String>) {
    let mut before: Option<&[Value]> = None;
    for turn in conversation.chunk_by(|one, next| is_model(one) && is_model(next)) {
        let calls = all(turn, CALL);
        let is_of_user = |turn: &[Value]| !turn.iter().any(is_model);
        let follows_user = before.is_some_and(is_of_user) && !is_of_user(turn);
        if !calls.is_empty() && (!follows_user || calls_after_end(turn)) {
            complaints.push(ORDER.to_owned());
        }
        let asked = before.map_or_else(Vec::new, asked);
        let responses = all(turn, RESPONSE);
        // Calls without responses are valid only if the turn is never sent.
        if is_of_user(turn) && (!responses.is_empty() || !asked.is_empty()) {
            answered(&asked, &responses, complaints);
        }
        before = Some(turn);
    }
}

fn all<'v>(turn: &'v [Value], name: &str) -> Vec<&'v Value> {
    turn.iter()
        .flat_map(|content| parts(content, name))
        .collect()
}

/// The calls of a turn that wait for a response in the next. In a turn that has responses
/// as well, a server was called by the API itself.
fn asked(turn: &[Value]) -> Vec<&Value> {
    if all(turn, RESPONSE).is_empty() {
        all(turn, CALL)
    } else {
        Vec::new()
    }
}

/// Returns true if a content with calls follows one that ends a turn: a signed text.
fn calls_after_end(turn: &[Value]) -> bool {
    let is_end = |part: &Value| part["text"].is_string() && !field(part, SIGNATURE).is_null();
    let mut contents = turn.iter();
    contents.any(|content| items(&content["parts"]).iter().any(is_end))
        && contents.any(|content| !parts(content, CALL).is_empty())
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
