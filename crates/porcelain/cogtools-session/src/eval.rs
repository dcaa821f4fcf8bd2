//! `cogtools session eval`: a case for `cogtools eval`, made of a conversation.

use std::collections::BTreeMap;

use cogtools_agent::task_of_user;
use cogtools_core::{Code, Diagnostic};
use cogtools_log::{Entry, Event, Outcome, Session};
use cogtools_model::Part;
use cogtools_program::{Failure, Io};
use serde_json::{Map, Value, json};

use crate::locate::SessionArg;

/// The keys of matchers: a map that has no others is not a value.
const MATCHERS: [&str; 7] = [
    "equals", "contains", "matches", "near", "schema", "one_of", "absent",
];

/// Prints a file with one case: the tasks, the results of tools as fixtures, and the calls as
/// expectations, which a person corrects.
pub(crate) fn eval(session: &SessionArg, json: bool, io: &mut Io<'_>) -> Result<(), Failure> {
    let opened = session.read(io)?;
    let session = &opened.session;
    let branch = session.branch(session.head());
    let is_task = |entry: &&Entry| matches!(entry.event, Event::Task { .. });
    if !branch.iter().any(is_task) {
        let hint = "name a session of `cogtools ask`; a flow is tested by its examples";
        return Err(opened.lacks("task of a model").hint(hint).into());
    }
    let document = json!({"cases": [case(session)]});
    if json {
        return io.show_json(&format!("{document:#}\n"));
    }
    let document = serde_yaml::to_string(&document).map_err(|error| {
        let message = format!("the case cannot be printed as YAML: {error}");
        Diagnostic::new(Code::Internal, message)
    })?;
    let text = format!(
        "# From a session: correct `expect` to what should have happened, and save this as\n\
         # evals/NAME.yaml, or beside a tool as tools/NAME.evals.yaml.\n{document}"
    );
    io.show(&text)
}

fn case(session: &Session) -> Value {
    let branch = session.branch(session.head());
    let mut tasks: Vec<String> = Vec::new();
    let mut with: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    let mut calls = Vec::new();
    for entry in &branch {
        if let Event::Task { parts } = &entry.event {
            let parts = task_of_user(parts);
            let texts = parts.iter().filter_map(Part::text);
            tasks.push(texts.collect::<Vec<_>>().join("\n"));
        }
    }
    for (call, result) in Session::calls(branch) {
        let Some(result) = result else {
            continue;
        };
        let args = matchers(&call.arguments);
        let output = result.content.get("output").cloned();
        let error = result.content.get("error").and_then(Value::as_str);
        let fixture = match (&result.outcome, output) {
            (Outcome::Succeeded, Some(result)) => json!({"args": args, "result": result}),
            (Outcome::Failed { code }, _) if code == "TOOL_FAILED" => {
                json!({"args": args, "fails": error.unwrap_or_default()})
            }
            _ => continue,
        };
        let fixtures = with.entry(&call.tool).or_default();
        if !fixtures.contains(&fixture) {
            fixtures.push(fixture);
        }
        calls.push(json!({"tool": call.tool, "args": args}));
    }
    let id: String = session.header.session.to_string().to_ascii_lowercase();
    let mut case = Map::new();
    case.insert("name".to_owned(), format!("session-{id}").into());
    let task = match tasks.as_slice() {
        [only] => Value::from(only.as_str()),
        tasks => tasks.into(),
    };
    case.insert("task".to_owned(), task);
    if !with.is_empty() {
        case.insert("with".to_owned(), json!(with));
    }
    let expect = if calls.is_empty() {
        json!({"never": ["*"]})
    } else {
        json!({ "calls": calls })
    };
    case.insert("expect".to_owned(), expect);
    case.into()
}

/// Returns arguments as matchers of the same values.
fn matchers(arguments: &Value) -> Value {
    let is_matcher = |value: &Value| {
        let keys = value.as_object().filter(|value| !value.is_empty());
        keys.is_some_and(|keys| keys.keys().all(|key| MATCHERS.contains(&key.as_str())))
    };
    let entries = arguments.as_object().into_iter().flatten();
    let entries = entries.map(|(key, value)| {
        // A key that begins with a slash would be a pointer.
        let key = match key.strip_prefix('/') {
            Some(rest) => format!("/~1{}", rest.replace('~', "~0").replace('/', "~1")),
            None => key.clone(),
        };
        let value = if is_matcher(value) {
            json!({ "equals": value })
        } else {
            value.clone()
        };
        (key, value)
    });
    Value::Object(entries.collect())
}
