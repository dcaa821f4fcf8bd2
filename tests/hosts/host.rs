//! One version of Gemini CLI in a project of its own.

use std::path::Path;

use cogtools_testing::{Conversation, FakeGemini, Gemini, Outcome, Project, Run, Turn, Version};
use serde_json::Value;

use super::facepalm;

/// Our programs as a host's settings name them, for both generations of keys.
const SETTINGS: &str = r#"{
  "toolDiscoveryCommand": "cogtools-discover",
  "toolCallCommand": "cogtools-call",
  "tools": { "discoveryCommand": "cogtools-discover", "callCommand": "cogtools-call" }
}
"#;

/// What the model says when it has nothing more to call.
const LAST: &str = "All done.";

/// Gemini CLI, a project that knows cogtools, and our programs on PATH.
pub(super) struct Host {
    pub(super) version: Version,
    pub(super) project: Project,
    gemini: Gemini,
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

    /// Plays the turns and a last word with every tool allowed; the run must
    /// end well and print that word. Its stderr is the CLI's own affair.
    #[track_caller]
    pub(super) fn play(&self, turns: impl IntoIterator<Item = Turn>) -> Conversation {
        self.play_with(&["--yolo"], turns)
    }

    /// Plays the turns and a last word with these flags of the CLI.
    #[track_caller]
    pub(super) fn play_with(
        &self,
        flags: &[&str],
        turns: impl IntoIterator<Item = Turn>,
    ) -> Conversation {
        let script = turns.into_iter().chain([Turn::text(LAST)]);
        let fake = FakeGemini::start(script);
        let outcome = self
            .gemini
            .ask(&self.project, crate::programs(), &fake, flags);
        let verdict = fake.verdict();
        let conversation = verdict.unwrap_or_else(|wrong| panic!("{wrong}\n{outcome}"));
        let stdout = format!("{}{LAST}\n", self.version.banner);
        outcome.expect(0, stdout, &outcome.stderr);
        conversation
    }

    /// Calls a tool without a host between, to compare with.
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

/// What the tools gave, as the model reads it: the `response` of every
/// functionResponse, a list for each turn of calls.
pub(super) fn responses(conversation: &Conversation) -> Vec<Vec<Value>> {
    let steps = conversation.main();
    let steps = steps.iter().skip(1).map(|request| request.responses());
    steps
        .map(|responses| {
            let responses = responses.iter();
            responses.map(|entry| entry["response"].clone()).collect()
        })
        .collect()
}
