//! Gemini CLI in a project that has its cogtools from npm, through the links
//! and through the launchers.

use std::path::Path;

use cogtools_test_support::{FakeGemini, Gemini, Turn, Version};
use serde_json::json;

use super::packages::Packages;

const SETTINGS: &str = r#"{
  "tools": { "discoveryCommand": "cogtools-discover", "callCommand": "cogtools-call" }
}
"#;

#[test]
fn gemini_cli_calls_what_npm_has_installed() {
    let version = Version::NEWEST;
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("hosts");
    let gemini = Gemini::install(version, &cache);
    for flags in [&[][..], &["--ignore-scripts"]] {
        let project = Packages::get().installed(flags);
        project.file(".gemini/settings.json", SETTINGS);
        let call = Turn::call(version.declared("hello"), json!({ "person": "Ada" }));
        let fake = FakeGemini::for_host([call, Turn::text("All done.")]);
        let bin = project.path("node_modules/.bin");
        let outcome = gemini.ask(&project, &bin, &fake, &["--yolo"]);
        let finished = fake.try_finish();
        let conversation = finished.unwrap_or_else(|wrong| panic!("{wrong}\n{outcome}"));
        outcome.status(0).stdout_is("All done.\n");
        let steps = conversation.main();
        let responses: Vec<_> = steps[1].responses().into_iter().collect();
        assert_eq!(responses.len(), 1);
        assert_eq!(responses[0]["response"], json!({ "output": "Hello, Ada!" }));
    }
}
