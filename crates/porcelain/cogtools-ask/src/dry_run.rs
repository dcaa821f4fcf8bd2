//! `--dry-run`: the request that would be sent, by layers. Nothing is written.

use std::fmt::Write as _;

use cogtools_agent::{
    Fixed, State, Tools as _, declarations, dynamic_changes, sent_dynamic, with_types,
};
use cogtools_core::{Code, Diagnostic};
use cogtools_log::{Event, Id, LayerSize, Session, Timestamp};
use cogtools_model::Part;
use cogtools_program::terminal::pluralize;
use cogtools_program::{Failure, Io};
use serde_json::{Value, json};

use crate::args::{AskArgs, OutputFormat};
use crate::worker::Materials;
use crate::{run, worker};

/// Prints the request for `task`.
pub(crate) fn print(
    args: &AskArgs,
    task: Vec<Part>,
    materials: Materials<'_>,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let Materials {
        project,
        layers,
        tools,
        system,
        mut settings,
        ..
    } = materials;
    let mut sent = None;
    let mut state = match worker::existing(args, project, io)? {
        Some(file) => {
            let session = Session::read(&file).map_err(Box::<Diagnostic>::from)?;
            let state = State::new(&session, args.from);
            let path = state.head.map(|head| session.path_to(head));
            sent = sent_dynamic(path.unwrap_or_default(), &file.blobs());
            state
        }
        None => State::default(),
    };
    let now = Timestamp::now();
    layers.todos.set(state.todos().to_vec());
    let dynamic = layers.dynamic(now.to_string())?;
    let mut dynamic = with_types(dynamic, &*tools, &task);
    let model = &settings.request.model;
    let seed = run::seed(args, model, &task, &state.conversation);
    settings.request.generation.seed = Some(seed);
    let mut task = task;
    if let (Some(now), Some(sent)) = (&dynamic, sent) {
        if !task.is_empty() {
            task.extend(dynamic_changes(&sent, now));
        }
        dynamic = Some(sent);
    }
    if !task.is_empty() {
        let parts = task
            .into_iter()
            .map(|part| Value::Object(part.fields().clone()));
        let id = state.head.map_or(Id::FIRST, Id::next);
        state.apply(
            id,
            &Event::Task {
                parts: parts.collect(),
            },
        );
    }
    let fixed = Fixed {
        system,
        tools: declarations(&tools.list()),
        dynamic,
    };
    let options = &settings.request;
    let cache = state
        .usable_cache(&fixed, &options.model, now)
        .unwrap_or_default();
    let Some(prompt) = state.prompt(&fixed, cache.turns) else {
        let diagnostic = Diagnostic::new(Code::Usage, "the session has nothing to answer");
        return Err(diagnostic.hint("give a task").into());
    };
    let sizes = prompt.sizes(cache.name.is_some());
    let request = prompt.request(options, cache.name.as_deref());
    let body: Value = serde_json::from_slice(&request.body()).unwrap_or_default();
    if args.format() == OutputFormat::Text {
        return io.show(&text(&sizes, &options.model, &body));
    }
    let report = json!({"layers": sizes, "request": body, "cache": cache.name});
    io.show_json(&format!("{report}\n"))
}

fn text(layers: &[LayerSize], model: &str, body: &Value) -> String {
    let mut text = format!("model     {model}\n");
    for layer in layers {
        let cached = if layer.cached { ", cached" } else { "" };
        let (tokens, hash) = (pluralize(layer.tokens, "token"), &layer.hash[..12]);
        let name = &layer.name;
        let _ = writeln!(text, "{name:<9} {tokens}, {hash}{cached}");
    }
    let body = serde_json::to_string_pretty(body).unwrap_or_default();
    format!("{text}\n{body}\n")
}
