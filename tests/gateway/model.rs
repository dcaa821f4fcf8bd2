//! A scripted model for hosts that do not speak to Gemini.

use cogtools_test_support::Project;
use serde_json::Value;

use crate::mcp::peer::Site;

/// The text of a model that has nothing more to call.
pub(crate) const LAST: &str = "All done.";

/// A model that listens.
pub(crate) struct Model {
    site: Site,
    project: Project,
}

impl Model {
    /// A model that speaks `api` and makes these calls.
    pub(crate) fn start(api: &str, calls: &Value) -> Self {
        let project = Project::new();
        let script = crate::repository().join("tests/gateway/peers/model.py");
        let args = [
            script.display().to_string(),
            api.to_owned(),
            "asked".to_owned(),
            calls.to_string(),
        ];
        let site = Site::start(&project, "python3", args);
        Self { site, project }
    }

    /// Where it listens.
    pub(crate) fn url(&self) -> &str {
        &self.site.url
    }

    /// The requests of the agent itself so far.
    pub(crate) fn asked(&self) -> Vec<Value> {
        let asked = self.project.read("asked");
        let lines = asked.lines();
        lines
            .map(|line| serde_json::from_str(line).expect("a request is JSON"))
            .collect()
    }
}
