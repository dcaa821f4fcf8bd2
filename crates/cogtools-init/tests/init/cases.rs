//! The file of each host: new, somebody's, and in the way.

use std::fs;
use std::path::PathBuf;

use crate::project::{CapturedRun, Project};

/// The file of a host, with `{root}` for the project.
pub(crate) struct Case {
    pub(crate) host: &'static str,
    pub(crate) file: &'static str,
    /// Whether it lies in the user's home directory.
    pub(crate) own: bool,
    /// What a new one says.
    pub(crate) new: &'static str,
    /// Somebody's file, and the same with our entry.
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
    /// A file whose entry is somebody else's, and where it is.
    pub(crate) taken: &'static str,
    pub(crate) place: &'static str,
}

pub(crate) const CASES: &[Case] = &[
    Case {
        host: "claude-code",
        file: ".mcp.json",
        own: false,
        new: "{\n  \"mcpServers\": {\n    \"cogtools\": {\n      \"type\": \"stdio\",\n      \"command\": \"cogtools\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
        before: "{\"mcpServers\":{\"x\":{\"command\":\"x\"}}}",
        after: "{\"mcpServers\":{\"x\":{\"command\":\"x\"},\"cogtools\":{\"type\":\"stdio\",\"command\":\"cogtools\",\"args\":[\"mcp\"]}}}",
        taken: "{\"mcpServers\": {\"cogtools\": {\"url\": \"http://a\"}}}",
        place: "1:29: /mcpServers/cogtools",
    },
    Case {
        host: "cursor",
        file: ".cursor/mcp.json",
        own: false,
        new: "{\n  \"mcpServers\": {\n    \"cogtools\": {\n      \"type\": \"stdio\",\n      \"command\": \"cogtools\",\n      \"args\": [\"mcp\", \"--project\", \"${workspaceFolder}\"]\n    }\n  }\n}\n",
        before: "{\r\n\t\"mcpServers\": {\r\n\t\t// none yet\r\n\t}\r\n}",
        after: "{\r\n\t\"mcpServers\": {\r\n\t\t// none yet\r\n\t\t\"cogtools\": {\r\n\t\t\t\"type\": \"stdio\",\r\n\t\t\t\"command\": \"cogtools\",\r\n\t\t\t\"args\": [\"mcp\", \"--project\", \"${workspaceFolder}\"]\r\n\t\t}\r\n\t}\r\n}",
        taken: "{\"mcpServers\": {\"cogtools\": {\"command\": \"other\", \"args\": [\"mcp\"]}}}",
        place: "1:29: /mcpServers/cogtools",
    },
    Case {
        host: "vscode",
        file: ".vscode/mcp.json",
        own: false,
        new: "{\n  \"servers\": {\n    \"cogtools\": {\n      \"type\": \"stdio\",\n      \"command\": \"cogtools\",\n      \"args\": [\"mcp\", \"--project\", \"${workspaceFolder}\"]\n    }\n  }\n}\n",
        before: "// mine\n{\n    \"inputs\": [], // a\n    \"servers\": {\n        \"b\": { \"type\": \"http\", \"url\": \"u\" },\n    },\n}\n",
        after: "// mine\n{\n    \"inputs\": [], // a\n    \"servers\": {\n        \"b\": { \"type\": \"http\", \"url\": \"u\" },\n        \"cogtools\": {\n            \"type\": \"stdio\",\n            \"command\": \"cogtools\",\n            \"args\": [\"mcp\", \"--project\", \"${workspaceFolder}\"]\n        }\n    },\n}\n",
        taken: "{\"servers\": {\"cogtools\": 1}}",
        place: "1:26: /servers/cogtools",
    },
    Case {
        host: "gemini-mcp",
        file: ".gemini/settings.json",
        own: false,
        new: "{\n  \"mcpServers\": {\n    \"cogtools\": {\n      \"command\": \"cogtools\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
        before: "\u{feff}{ \"theme\": \"x\" } // end",
        after: "\u{feff}{ \"theme\": \"x\", \"mcpServers\": { \"cogtools\": { \"command\": \"cogtools\", \"args\": [\"mcp\"] } } } // end",
        taken: "{\"mcpServers\": {\"cogtools\": {\"httpUrl\": \"http://a\"}}}",
        place: "1:29: /mcpServers/cogtools",
    },
    Case {
        host: "claude-desktop",
        file: ".config/Claude/claude_desktop_config.json",
        own: true,
        new: "{\n  \"mcpServers\": {\n    \"cogtools\": {\n      \"command\": \"/opt/bin/cogtools\",\n      \"args\": [\"mcp\", \"--project\", \"{root}\"]\n    }\n  }\n}\n",
        before: "{\"globalShortcut\": \"\"}\n",
        after: "{\"globalShortcut\": \"\", \"mcpServers\": {\"cogtools\": {\"command\": \"/opt/bin/cogtools\", \"args\": [\"mcp\", \"--project\", \"{root}\"]}}}\n",
        taken: "{\"mcpServers\": {\"cogtools\": {\"command\": \"cogtools\", \"args\": [\"mcp\", \"--project\", \"/else\"]}}}",
        place: "1:29: /mcpServers/cogtools",
    },
    Case {
        host: "codex",
        file: ".codex/config.toml",
        own: true,
        new: "[mcp_servers.cogtools]\ncommand = \"cogtools\"\nargs = [\"mcp\", \"--project\", \"{root}\"]\n",
        before: "model = \"m\" # mine\r\n\r\n[mcp_servers.x]\r\n  command = 'x'",
        after: "model = \"m\" # mine\r\n\r\n[mcp_servers.x]\r\n  command = 'x'\r\n\r\n[mcp_servers.cogtools]\r\ncommand = \"cogtools\"\r\nargs = [\"mcp\", \"--project\", \"{root}\"]\r\n",
        taken: "[mcp_servers.cogtools]\ncommand = \"cogtools\"\nargs = [\"mcp\", \"--project\", \"/else\"]\n",
        place: "1:1: /mcp_servers/cogtools",
    },
];

impl Case {
    pub(crate) fn path(&self, project: &Project) -> PathBuf {
        if self.own {
            project.own(self.file)
        } else {
            project.path(self.file)
        }
    }

    /// The file as messages name it.
    pub(crate) fn shown(&self, project: &Project) -> String {
        if self.own {
            project.own(self.file).display().to_string()
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
