//! A scripted model for hosts that do not speak to Gemini.

use cogtools_test_support::{Project, Run};
use serde_json::{Value, json};

use crate::clients;
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

    /// `run` of Claude Code, with this model and one prompt.
    pub(crate) fn in_claude_code(&self, run: Run) -> Run {
        run.env("ANTHROPIC_BASE_URL", self.url())
            .env("ANTHROPIC_API_KEY", "x")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            // It waits for the server, however busy the machine is.
            .env("MCP_CONNECTION_NONBLOCKING", "0")
            .env("MCP_CONNECT_TIMEOUT_MS", "120000")
            .env("MCP_TIMEOUT", "120000")
            .args(["-p", "Go on.", "--model", "claude-sonnet-4-5"])
    }

    /// `run` of opencode with `config`, this model and one prompt.
    pub(crate) fn in_opencode(&self, run: Run, mut config: Value) -> Run {
        let options = json!({"baseURL": format!("{}/v1", self.url()), "apiKey": "x"});
        config["provider"] = json!({"anthropic": {"options": options}});
        run.env("OPENCODE_CONFIG_CONTENT", config.to_string())
            // It would download ripgrep.
            .path(clients::codex_programs())
            .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
            .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
            .args(["run", "--auto", "-m", "anthropic/claude-sonnet-4-5"])
            .arg("Go on.")
    }

    /// The configuration of Codex with this model.
    pub(crate) fn in_codex(&self) -> String {
        format!(
            "model = \"gpt-5\"\nmodel_provider = \"scripted\"\n\n\
             [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\n\
             wire_api = \"responses\"\n",
            self.url()
        )
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
