//! The display of a failed call in an interactive Gemini CLI.

use cogtools_test_support::{FakeGemini, Turn, Version};
use serde_json::json;

use super::facepalm;
use super::host::Host;
use crate::pseudo_terminal::Terminal;

const LAST: &str = "All done.";

/// With `ui.errorVerbosity` alone the message of a failed call is on the screen.
#[test]
fn failed_calls_are_shown_on_request() {
    for (verbosity, is_shown) in [("low", false), ("full", true)] {
        let host = Host::new(Version::NEWEST);
        let mut arguments = facepalm::arguments();
        arguments["mood"] = json!("gloomy");
        let fake = FakeGemini::start([host.call("facepalm", arguments), Turn::text(LAST)]);
        let ui = json!({"errorVerbosity": verbosity});
        let line = host.gemini.at_terminal(&host.project, &fake, &ui);
        let mut terminal = Terminal::open_with(&host.project, &line, &[host.gemini.node()]);
        terminal.answer(LAST, "\u{3}").type_keys("\u{3}");
        let (_, screen) = terminal.end("");
        fake.try_finish()
            .unwrap_or_else(|wrong| panic!("{wrong}\n{screen}"));
        let message = "not a parameter of this tool";
        assert_eq!(screen.contains(message), is_shown, "{verbosity}: {screen}");
    }
}
