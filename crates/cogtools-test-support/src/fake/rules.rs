//! The API's rules for a conversation: roles, order, calls and responses.

use serde_json::Value;

use super::declaration;
use super::request::{CALL, RESPONSE, Request, field, items, parts};

const FIELDS: [&str; 8] = [
    "model",
    "contents",
    "systeminstruction",
    "tools",
    "toolconfig",
    "generationconfig",
    "safetysettings",
    "cachedcontent",
];

const DATA: [&str; 7] = [
    "text",
    "inlinedata",
    "filedata",
    "functioncall",
    "functionresponse",
    "executablecode",
    "codeexecutionresult",
];

const BESIDE: [&str; 4] = [
    "thought",
    "thoughtsignature",
    "videometadata",
    "partmetadata",
];

/// All reasons for which the API would refuse this request.
pub(super) fn check(request: &Request) -> Vec<String> {
    let mut complaints = Vec::new();
    let Some(body) = request.body.as_object() else {
        return vec!["Invalid JSON payload received. Not an object.".to_owned()];
    };
    for name in body.keys() {
        if !FIELDS.contains(&plain(name).as_str()) {
            complaints.push(format!(
                "Invalid JSON payload received. Unknown name \"{name}\": Cannot find field."
            ));
        }
    }
    let contents = items(&request.body["contents"]);
    if contents.is_empty() {
        complaints.push("contents is not specified".to_owned());
    }
    for (index, content) in contents.iter().enumerate() {
        shape(content, &format!("contents[{index}]"), &mut complaints);
    }
    if contents.last().is_some_and(|last| last["role"] == "model") {
        complaints.push("the last content must not be the model's".to_owned());
    }
    order(contents, &mut complaints);
    declaration::check(request, &mut complaints);
    complaints
}

/// A field's name, normalised so that both spellings are equal.
fn plain(name: &str) -> String {
    name.replace('_', "").to_ascii_lowercase()
}

fn shape(content: &Value, at: &str, complaints: &mut Vec<String>) {
    let role = content["role"].as_str().unwrap_or_default();
    if !["user", "model", "function"].contains(&role) {
        complaints.push(format!(
            "Please use a valid role: user, model. ({at}.role is {})",
            content["role"]
        ));
    }
    let parts = items(&content["parts"]);
    if parts.is_empty() {
        complaints.push(format!("{at}.parts must not be empty"));
    }
    for (index, part) in parts.iter().enumerate() {
        let at = format!("{at}.parts[{index}]");
        let names = part.as_object().into_iter().flat_map(|part| part.keys());
        let names: Vec<String> = names.map(|name| plain(name)).collect();
        let data = names.iter().filter(|name| DATA.contains(&name.as_str()));
        if data.count() != 1 {
            complaints.push(format!("{at}.data: exactly one field must be set"));
        }
        for name in names {
            if !DATA.contains(&name.as_str()) && !BESIDE.contains(&name.as_str()) {
                complaints.push(format!("Unknown name \"{name}\" at '{at}'"));
            }
        }
    }
}

fn order(contents: &[Value], complaints: &mut Vec<String>) {
    for (index, content) in contents.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| contents.get(index));
        let (calls, responses) = (parts(content, CALL), parts(content, RESPONSE));
        if !calls.is_empty() && (content["role"] != "model" || before.is_none_or(is_model)) {
            complaints.push(
                "Please ensure that function call turn comes immediately after a user turn \
                 or after a function response turn."
                    .to_owned(),
            );
        }
        let asked = before.map_or_else(Vec::new, |before| parts(before, CALL));
        // Calls without responses are valid only if the turn is never sent.
        if !responses.is_empty() || !asked.is_empty() {
            answered(&asked, &responses, complaints);
        }
        for response in responses {
            if !response["response"].is_object() {
                complaints.push(format!("contents[{index}]: a response must be an object"));
            }
        }
    }
}

fn is_model(content: &Value) -> bool {
    content["role"] == "model"
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
        let (asked, given) = (field(call, "id", "id"), field(response, "id", "id"));
        if !asked.is_null() && asked != given {
            complaints.push(format!("call {asked} is answered with id {given}"));
        }
    }
}
