//! The configuration file of each host: new, existing, and conflicting.

use std::fs;
use std::path::PathBuf;

use crate::project::{CapturedRun, Project};

/// The file of a host, with `{root}` for the project.
pub(crate) struct Case {
    pub(crate) host: &'static str,
    pub(crate) file: &'static str,
    /// True if it is in the user's home directory.
    pub(crate) in_home: bool,
    /// The content of a new one.
    pub(crate) new: &'static str,
    /// An existing file, before and after the run.
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
    /// A file with a conflicting entry of the same name, and its location.
    pub(crate) conflicting: &'static str,
    pub(crate) location: &'static str,
}

pub(crate) const CASES: &[Case] = &[
    Case {
        host: "claude-code",
        file: ".mcp.json",
        in_home: false,
        new: "{\n  \"mcpServers\": {\n    \"cogtools\": {\n      \"type\": \"stdio\",\n      \"command\": \"cogtools\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
        before: "{\"mcpServers\":{\"x\":{\"command\":\"x\"}}}",
        after: "{\"mcpServers\":{\"x\":{\"command\":\"x\"},\"cogtools\":{\"type\":\"stdio\",\"command\":\"cogtools\",\"args\":[\"mcp\"]}}}",
        conflicting: "{\"mcpServers\": {\"cogtools\": {\"url\": \"http://a\"}}}",
        location: "1:29: /mcpServers/cogtools",
    },
    Case {
        host: "cursor",
        file: ".cursor/mcp.json",
        in_home: false,
        new: "{\n  \"mcpServers\": {\n    \"cogtools\": {\n      \"type\": \"stdio\",\n      \"command\": \"cogtools\",\n      \"args\": [\"mcp\", \"--project\", \"${workspaceFolder}\"]\n    }\n  }\n}\n",
        before: "{\r\n\t\"mcpServers\": {\r\n\t\t// none yet\r\n\t}\r\n}",
        after: "{\r\n\t\"mcpServers\": {\r\n\t\t// none yet\r\n\t\t\"cogtools\": {\r\n\t\t\t\"type\": \"stdio\",\r\n\t\t\t\"command\": \"cogtools\",\r\n\t\t\t\"args\": [\"mcp\", \"--project\", \"${workspaceFolder}\"]\r\n\t\t}\r\n\t}\r\n}",
        conflicting: "{\"mcpServers\": {\"cogtools\": {\"command\": \"other\", \"args\": [\"mcp\"]}}}",
        location: "1:29: /mcpServers/cogtools",
    },
    Case {
        host: "vscode",
        file: ".vscode/mcp.json",
        in_home: false,
        new: "{\n  \"servers\": {\n    \"cogtools\": {\n      \"type\": \"stdio\",\n      \"command\": \"cogtools\",\n      \"args\": [\"mcp\", \"--project\", \"${workspaceFolder}\"]\n    }\n  }\n}\n",
        before: "// mine\n{\n    \"inputs\": [], // a\n    \"servers\": {\n        \"b\": { \"type\": \"http\", \"url\": \"u\" },\n    },\n}\n",
        after: "// mine\n{\n    \"inputs\": [], // a\n    \"servers\": {\n        \"b\": { \"type\": \"http\", \"url\": \"u\" },\n        \"cogtools\": {\n            \"type\": \"stdio\",\n            \"command\": \"cogtools\",\n            \"args\": [\"mcp\", \"--project\", \"${workspaceFolder}\"]\n        }\n    },\n}\n",
        conflicting: "{\"servers\": {\"cogtools\": 1}}",
        location: "1:26: /servers/cogtools",
    },
    Case {
        host: "gemini-mcp",
        file: ".gemini/settings.json",
        in_home: false,
        new: "{\n  \"mcpServers\": {\n    \"cogtools\": {\n      \"command\": \"cogtools\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
        before: "{ \"theme\": \"x\" } // end",
        after: "{ \"theme\": \"x\", \"mcpServers\": { \"cogtools\": { \"command\": \"cogtools\", \"args\": [\"mcp\"] } } } // end",
        conflicting: "{\"mcpServers\": {\"cogtools\": {\"httpUrl\": \"http://a\"}}}",
        location: "1:29: /mcpServers/cogtools",
    },
    Case {
        host: "claude-desktop",
        file: ".config/Claude/claude_desktop_config.json",
        in_home: true,
        new: "{\n  \"mcpServers\": {\n    \"cogtools\": {\n      \"command\": \"/opt/bin/cogtools\",\n      \"args\": [\"mcp\", \"--project\", \"{root}\"]\n    }\n  }\n}\n",
        before: "{\"globalShortcut\": \"\"}\n",
        after: "{\"globalShortcut\": \"\", \"mcpServers\": {\"cogtools\": {\"command\": \"/opt/bin/cogtools\", \"args\": [\"mcp\", \"--project\", \"{root}\"]}}}\n",
        conflicting: "{\"mcpServers\": {\"cogtools\": {\"command\": \"cogtools\", \"args\": [\"mcp\", \"--project\", \"/else\"]}}}",
        location: "1:29: /mcpServers/cogtools",
    },
    Case {
        host: "codex",
        file: ".codex/config.toml",
        in_home: true,
        new: "[mcp_servers.cogtools]\ncommand = \"cogtools\"\nargs = [\"mcp\"]\nrequired = true\nstartup_timeout_sec = 60\n",
        before: "model = \"m\" # mine\r\n\r\n[mcp_servers.x]\r\n  command = 'x'",
        after: "model = \"m\" # mine\r\n\r\n[mcp_servers.x]\r\n  command = 'x'\r\n\r\n[mcp_servers.cogtools]\r\ncommand = \"cogtools\"\r\nargs = [\"mcp\"]\r\nrequired = true\r\nstartup_timeout_sec = 60\r\n",
        conflicting: "[mcp_servers.cogtools]\nurl = \"http://a\"\n",
        location: "1:1: /mcp_servers/cogtools",
    },
    Case {
        host: "opencode",
        file: "opencode.json",
        in_home: false,
        new: "{\n  \"mcp\": {\n    \"cogtools\": {\n      \"type\": \"local\",\n      \"command\": [\"cogtools\", \"mcp\"],\n      \"enabled\": true\n    }\n  }\n}\n",
        before: "{\n  // Mine.\n  \"mcp\": {\n    \"x\": { \"enabled\": false },\n  },\n}\n",
        after: "{\n  // Mine.\n  \"mcp\": {\n    \"x\": { \"enabled\": false },\n    \"cogtools\": {\n      \"type\": \"local\",\n      \"command\": [\"cogtools\", \"mcp\"],\n      \"enabled\": true\n    }\n  },\n}\n",
        conflicting: "{\"mcp\": {\"cogtools\": {\"type\": \"local\", \"command\": [\"cogtools\"]}}}",
        location: "1:22: /mcp/cogtools",
    },
    Case {
        host: "qwen",
        file: ".qwen/settings.json",
        in_home: false,
        new: "{\n  \"mcpServers\": {\n    \"cogtools\": {\n      \"command\": \"cogtools\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
        before: "{ \"theme\": \"x\" } // end",
        after: "{ \"theme\": \"x\", \"mcpServers\": { \"cogtools\": { \"command\": \"cogtools\", \"args\": [\"mcp\"] } } } // end",
        conflicting: "{\"mcpServers\": {\"cogtools\": {\"httpUrl\": \"http://a\"}}}",
        location: "1:29: /mcpServers/cogtools",
    },
    Case {
        host: "copilot",
        file: ".mcp.json",
        in_home: false,
        new: "{\n  \"mcpServers\": {\n    \"cogtools\": {\n      \"type\": \"stdio\",\n      \"command\": \"cogtools\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
        before: "{\"mcpServers\":{\"cogtools\":{\"command\":\"cogtools-mcp\"}}}",
        after: "{\"mcpServers\":{\"cogtools\":{\"command\":\"cogtools-mcp\"}}}",
        conflicting: "{\"mcpServers\": {\"cogtools\": {\"url\": \"http://a\"}}}",
        location: "1:29: /mcpServers/cogtools",
    },
    Case {
        host: "goose",
        file: ".config/goose/config.yaml",
        in_home: true,
        new: "extensions:\n  cogtools: {enabled: true, type: stdio, name: cogtools, description: \"The tools of a project\", cmd: cogtools, args: [mcp, \"--project\", {root}], timeout: 300}\n",
        before: "GOOSE_MODEL: m # mine\nextensions:\n  developer:\n    enabled: true # always\n    type: builtin\nGOOSE_PROVIDER: p\n",
        after: "GOOSE_MODEL: m # mine\nextensions:\n  developer:\n    enabled: true # always\n    type: builtin\n  cogtools: {enabled: true, type: stdio, name: cogtools, description: \"The tools of a project\", cmd: cogtools, args: [mcp, \"--project\", {root}], timeout: 300}\nGOOSE_PROVIDER: p\n",
        conflicting: "extensions:\n  cogtools:\n    cmd: cogtools\n    args: [mcp, --project, /else]\n",
        location: "3:5: /extensions/cogtools",
    },
    Case {
        host: "crush",
        file: ".crush.json",
        in_home: false,
        new: "{\n  \"mcp\": {\n    \"cogtools\": {\n      \"type\": \"stdio\",\n      \"command\": \"cogtools\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
        before: "{\"mcp\":{}}\n",
        after: "{\"mcp\":{\"cogtools\":{\"type\":\"stdio\",\"command\":\"cogtools\",\"args\":[\"mcp\"]}}}\n",
        conflicting: "{\"mcp\": {\"cogtools\": {\"type\": \"http\", \"url\": \"http://a\"}}}",
        location: "1:22: /mcp/cogtools",
    },
    Case {
        host: "zed",
        file: ".zed/settings.json",
        in_home: false,
        new: "{\n  \"context_servers\": {\n    \"cogtools\": {\n      \"command\": \"cogtools\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
        before: "// Mine.\n{\n  \"tab_size\": 2,\n}\n",
        after: "// Mine.\n{\n  \"tab_size\": 2,\n  \"context_servers\": {\n    \"cogtools\": {\n      \"command\": \"cogtools\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
        conflicting: "{\"context_servers\": {\"cogtools\": {\"command\": {\"path\": \"x\"}}}}",
        location: "1:34: /context_servers/cogtools",
    },
    Case {
        host: "antigravity",
        file: ".agents/mcp_config.json",
        in_home: false,
        new: "{\n  \"mcpServers\": {\n    \"cogtools\": {\n      \"command\": \"cogtools\",\n      \"args\": [\"mcp\", \"--max-tools\", \"100\"]\n    }\n  }\n}\n",
        before: "{\"mcpServers\":{}}\n",
        after: "{\"mcpServers\":{\"cogtools\":{\"command\":\"cogtools\",\"args\":[\"mcp\",\"--max-tools\",\"100\"]}}}\n",
        conflicting: "{\"mcpServers\": {\"cogtools\": {\"serverUrl\": \"http://a\"}}}",
        location: "1:29: /mcpServers/cogtools",
    },
];

impl Case {
    pub(crate) fn path(&self, project: &Project) -> PathBuf {
        if self.in_home {
            project.home_path(self.file)
        } else {
            project.path(self.file)
        }
    }

    /// The path of the file in messages.
    pub(crate) fn display_path(&self, project: &Project) -> String {
        if self.in_home {
            project.home_path(self.file).display().to_string()
        } else {
            self.file.to_owned()
        }
    }

    pub(crate) fn write(&self, project: &Project, text: &str) {
        let path = self.path(project);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn run(&self, project: &Project, more: &[&str]) -> CapturedRun {
        let args = [&["--host", self.host][..], more].concat();
        project.run(&args)
    }

    pub(crate) fn expected(text: &str, project: &Project) -> String {
        text.replace(
            "{root}",
            project.path("").to_str().unwrap().trim_end_matches('/'),
        )
    }
}
