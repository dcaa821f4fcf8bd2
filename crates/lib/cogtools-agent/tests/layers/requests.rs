//! The request that a session makes.

use std::path::Path;
use std::sync::Arc;

use cogtools_agent::{
    Agent, AgentParts, AgentTool, HistorySettings, Instructions, Journal, Ledger, ReadyCall,
    Settings, Silent, Situation, StaticLayer, Tools, render_dynamic, render_static,
};
use cogtools_core::{Cancel, Diagnostic};
use cogtools_log::{
    CacheState, Event, Header, Id, Log, Options, SessionFile, SessionId, Timestamp,
};
use cogtools_model::{Content, Part};
use cogtools_test_support::Project;
use serde_json::{Map, Value};

use crate::model::Caching;

/// The model of all requests.
pub(crate) const MODEL: &str = "a-model";

/// No tools.
struct NoTools;

impl Tools for NoTools {
    fn list(&self) -> Vec<AgentTool> {
        Vec::new()
    }

    fn prepare(
        &self,
        _name: &str,
        _arguments: Map<String, Value>,
    ) -> Result<(ReadyCall, Value), Vec<Diagnostic>> {
        Err(Vec::new())
    }
}

/// Instructions with a text of each kind.
pub(crate) fn system() -> Option<Arc<Content>> {
    let instructions = Instructions {
        description: Some("the description".to_owned()),
        rules: vec!["the main_instruction".to_owned()],
        constraints: vec!["the constraints".to_owned()],
        session_goal: Some("the session_goal".to_owned()),
        ..Instructions::default()
    };
    render_static(None, &instructions).expect("the template is valid")
}

/// The state of the world at `time`.
pub(crate) fn dynamic(time: &str) -> Option<Arc<Content>> {
    let situation = Situation {
        current_datetime: Some(time.to_owned()),
        ..Situation::default()
    };
    render_dynamic(None, &situation).expect("there is no template")
}

/// A cache of `system` that holds the turns up to `up_to` and is deleted at `expires`.
pub(crate) fn cache(up_to: Id, expires: Timestamp) -> Event {
    let layer = StaticLayer {
        system: system(),
        ..StaticLayer::default()
    };
    Event::Cache {
        name: "cachedContents/old".to_owned(),
        state: CacheState::Created {
            key: layer.key(MODEL),
            up_to: Some(up_to),
            expires,
        },
        tokens: 1,
    }
}

/// Goes on after `events`, with `task` if there is one.
pub(crate) fn run(
    model: &Caching,
    events: Vec<Event>,
    task: Option<&str>,
    history: HistorySettings,
) {
    let project = Project::new();
    let root = project.root();
    let file = SessionFile::named(&root, &root, Path::new("session.jsonl"));
    let header = Header::new(
        SessionId::random(),
        Timestamp::from_millis(0),
        "project",
        MODEL,
    );
    let log = Log::create(&file, &header, Options::default()).expect("a new session");
    let mut journal = Journal::new(log);
    for event in events {
        journal.append(event).expect("the log is written");
    }
    let mut settings = Settings {
        history,
        ..Settings::default()
    };
    MODEL.clone_into(&mut settings.request.model);
    let mut observer = Silent;
    let mut agent = Agent::new(AgentParts {
        model,
        tools: Arc::new(NoTools),
        journal,
        system: system(),
        dynamic: dynamic("2025-12-20T00:00:00+00:00"),
        settings,
        ledger: Ledger::new(cogtools_agent::Budget::default()),
        observer: &mut observer,
        cancel: Cancel::default(),
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let end = match task {
        Some(task) => runtime.block_on(agent.run(vec![Part::text_of(task)])),
        None => runtime.block_on(agent.resume()),
    };
    assert_eq!(end.expect("the log is written").text, "done");
}
