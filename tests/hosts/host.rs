//! One version of Gemini CLI in a project of its own.

use std::path::Path;

use cogtools_test_support::{
    Conversation, FakeGemini, Gemini, Outcome, Project, Run, Turn, Version, difference,
};
use serde_json::{Value, json};

use super::facepalm;

/// Our programs as a host's settings name them, for both generations of keys.
const SETTINGS: &str = r#"{
  "toolDiscoveryCommand": "cogtools-discover",
  "toolCallCommand": "cogtools-call",
  "tools": { "discoveryCommand": "cogtools-discover", "callCommand": "cogtools-call" }
}
"#;

/// The model's last message, when it has nothing more to call.
const LAST: &str = "All done.";

/// Gemini CLI, a project that knows cogtools, and our programs on PATH.
pub(super) struct Host {
    pub(super) version: Version,
    pub(super) project: Project,
    pub(super) gemini: Gemini,
}

impl Host {
    /// A host in a project with the facepalm tool.
    pub(super) fn new(version: Version) -> Self {
        let host = Self::bare(version);
        host.project
            .file(".gemini/settings.json", SETTINGS)
            .file("tools/facepalm.yaml", facepalm::file());
        host
    }

    /// A host in an empty project.
    pub(super) fn bare(version: Version) -> Self {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("hosts");
        Self {
            version,
            project: Project::new(),
            gemini: Gemini::install(version, &cache),
        }
    }

    /// The turn in which the model calls a tool of ours.
    pub(super) fn call(&self, tool: &str, arguments: Value) -> Turn {
        Turn::call(self.version.declared(tool), arguments)
    }

    /// Plays the turns and a last message with every tool allowed; the run must
    /// succeed and print that message. The CLI's stderr is not checked.
    #[track_caller]
    pub(super) fn play(&self, turns: impl IntoIterator<Item = Turn>) -> Conversation {
        self.play_with(&["--yolo"], turns)
    }

    /// Plays the turns and a last message with these flags of the CLI.
    #[track_caller]
    pub(super) fn play_with(
        &self,
        flags: &[&str],
        turns: impl IntoIterator<Item = Turn>,
    ) -> Conversation {
        let script = turns.into_iter().chain([Turn::text(LAST)]);
        let fake = FakeGemini::for_host(script);
        let outcome = self
            .gemini
            .ask(&self.project, crate::programs(), &fake, flags);
        let finished = fake.try_finish();
        let conversation = finished.unwrap_or_else(|wrong| panic!("{wrong}\n{outcome}"));
        let stdout = format!("{}{LAST}\n", self.version.banner);
        outcome.status(0).stdout_is(stdout);
        conversation
    }

    /// Calls a tool without a host, for comparison.
    #[track_caller]
    pub(super) fn directly(&self, tool: &str, arguments: &Value) -> Outcome {
        Run::new(crate::programs().join("cogtools-call"))
            .arg(tool)
            .cwd(self.project.root())
            .home(self.project.home())
            .stdin(arguments)
            .run()
    }
}

/// The `response` of a call that succeeded.
pub(super) fn output(text: &str) -> Value {
    json!({ "output": text })
}

/// Asserts the results of the tools as the model reads them: the `response` of every
/// functionResponse, a list for each turn of calls.
#[track_caller]
pub(super) fn assert_responses(conversation: &Conversation, expected: &[&[Value]]) {
    let steps = conversation.main();
    let found = steps.iter().skip(1).map(|request| {
        let responses = request.responses().into_iter();
        shown(responses.map(|entry| &entry["response"]))
    });
    let found: String = found.collect();
    let expected: String = expected.iter().map(|turn| shown(turn.iter())).collect();
    if let Some(difference) = difference(expected, found) {
        panic!("responses (- expected, + found):\n{difference}");
    }
}

/// A turn's responses with their text as lines, for failure messages.
fn shown<'v>(responses: impl Iterator<Item = &'v Value>) -> String {
    let fields = responses.flat_map(|response| response.as_object().into_iter().flatten());
    fields.fold("turn:\n".to_owned(), |shown, (name, value)| {
        let text = value.as_str().map_or(value.to_string(), str::to_owned);
        shown + name + ": " + &text + "<end>\n"
    })
}
