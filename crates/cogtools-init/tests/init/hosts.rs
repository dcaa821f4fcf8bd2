//! The configuration of each host: new, among others, and in the way.

use std::fs;
use std::path::{Path, PathBuf};

use crate::project::{Ended, Project, done, failed};

/// The file of a host, with `{root}` for the project.
struct Case {
    host: &'static str,
    file: &'static str,
    /// Whether it lies in the user's home directory.
    own: bool,
    /// What a new one says.
    new: &'static str,
    /// Somebody's file, and the same with our entry.
    before: &'static str,
    after: &'static str,
    /// A file whose entry is somebody else's, and where it is.
    taken: &'static str,
    place: &'static str,
}

const CASES: &[Case] = &[
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
    fn path(&self, project: &Project) -> PathBuf {
        if self.own {
            project.own(self.file)
        } else {
            project.path(self.file)
        }
    }

    /// The file as messages name it.
    fn shown(&self, project: &Project) -> String {
        if self.own {
            project.own(self.file).display().to_string()
        } else {
            self.file.to_owned()
        }
    }

    fn write(&self, project: &Project, text: &str) {
        let path = self.path(project);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run(&self, project: &Project, more: &[&str]) -> Ended {
        let args = [&["--host", self.host][..], more].concat();
        project.run(&args)
    }

    fn expected(text: &str, project: &Project) -> String {
        text.replace(
            "{root}",
            project.path("").to_str().unwrap().trim_end_matches('/'),
        )
    }
}

fn summary(word: &str, file: &str) -> String {
    format!("{word} .cogtoolrc.yaml\n{word} tools/hello.yaml\n{word} {file}\n")
}

#[test]
fn a_file_that_is_not_there() {
    for case in CASES {
        let project = Project::new();
        let expected = Case::expected(case.new, &project);
        assert_eq!(
            case.run(&project, &["--print"]),
            done(&expected),
            "{}",
            case.host
        );
        assert!(project.files().is_empty() && !case.path(&project).exists());
        let ended = case.run(&project, &[]);
        let created = summary("created", &case.shown(&project));
        assert!(ended.stdout.starts_with(&created), "{ended:?}");
        assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
        assert_eq!(fs::read_to_string(case.path(&project)).unwrap(), expected);
        let unchanged = summary("unchanged", &case.shown(&project));
        let again = done(format!(
            "{unchanged}\nnothing to do: all of it is in place\n"
        ));
        assert_eq!(case.run(&project, &[]), again);
        assert_eq!(case.run(&project, &["--print"]), done(expected));
    }
}

#[test]
fn somebody_elses_file_keeps_every_byte() {
    for case in CASES {
        let project = Project::new();
        case.write(&project, case.before);
        let expected = Case::expected(case.after, &project);
        assert_eq!(
            case.run(&project, &["--print"]),
            done(&expected),
            "{}",
            case.host
        );
        assert_eq!(
            fs::read_to_string(case.path(&project)).unwrap(),
            case.before
        );
        assert_eq!(case.run(&project, &[]).status, 0);
        assert_eq!(fs::read_to_string(case.path(&project)).unwrap(), expected);
        let again = case.run(&project, &["--dry-run"]);
        assert_eq!(again, done(""), "{}", case.host);
    }
}

#[test]
fn an_entry_that_is_not_ours_stops_the_run() {
    for case in CASES {
        let project = Project::new();
        case.write(&project, case.taken);
        let ended = case.run(&project, &[]);
        let said: Vec<&str> = ended.stderr.lines().collect();
        let first = format!(
            "cogtools-init: error[INVALID_CONFIG]: {}:{}: another entry has that name already",
            case.shown(&project),
            case.place
        );
        assert_eq!(said[0], first);
        let hints: Vec<&str> = said
            .into_iter()
            .filter(|line| line.starts_with("hint"))
            .collect();
        let expected = [
            "hint: take it out or rename it, then run this again",
            "hint: or take another name with --name",
            "hint: no file was written",
        ];
        assert_eq!(hints, expected);
        assert_eq!((ended.status, ended.stdout.as_str()), (78, ""));
        assert_eq!(fs::read_to_string(case.path(&project)).unwrap(), case.taken);
        assert!(!project.path("tools").exists());

        assert_eq!(case.run(&project, &["--name", "tools-2"]).status, 0);
        let text = fs::read_to_string(case.path(&project)).unwrap();
        assert!(text.contains("tools-2"), "{text}");
    }
}

#[test]
fn an_entry_of_ours_that_its_owner_has_changed_stays() {
    let project = Project::new();
    let text = "{\"mcpServers\": {\"cogtools\": {\"command\": \"/opt/cogtools-mcp\", \"env\": {\"A\": \"b\"}}}}";
    project.write(".mcp.json", text);
    assert_eq!(project.run(&["--host=claude-code", "--print"]), done(text));
    assert_eq!(project.run(&["--host=claude-code"]).status, 0);
    assert_eq!(project.read(".mcp.json"), text);
}

#[test]
fn several_hosts_at_once() {
    let project = Project::new();
    let ended = project.run(&[
        "--host",
        "gemini,gemini-mcp",
        "--host",
        "claude-code,gemini",
    ]);
    let next = "next steps:\n- see what Gemini CLI will see";
    assert!(ended.stdout.contains(next), "{}", ended.stdout);
    assert_eq!(
        project.files(),
        [
            ".cogtoolrc.yaml",
            ".gemini/",
            ".gemini/settings.json",
            ".mcp.json",
            "tools/",
            "tools/hello.yaml"
        ]
    );
    let settings = project.read(".gemini/settings.json");
    assert_eq!(
        settings,
        "{\n  \"toolDiscoveryCommand\": \"cogtools-discover\",\n  \"toolCallCommand\": \"cogtools-call\",\n  \
         \"tools\": {\n    \"discoveryCommand\": \"cogtools-discover\",\n    \"callCommand\": \"cogtools-call\"\n  },\n  \
         \"mcpServers\": {\n    \"cogtools\": {\n      \"command\": \"cogtools\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"
    );
    let path = |file: &str| project.path(file).display().to_string();
    let printed = format!(
        "==> {} <==\n{}\n==> {} <==\n{settings}",
        path(".mcp.json"),
        project.read(".mcp.json"),
        path(".gemini/settings.json"),
    );
    assert_eq!(
        project.run(&["--print", "--host=claude-code,gemini-mcp"]),
        done(printed)
    );
}

#[test]
fn an_extension() {
    let project = Project::new();
    let manifest = "{\n  \"name\": \"my-tools\",\n  \"version\": \"0.1.0\",\n  \"contextFileName\": \"COGTOOLS.md\",\n  \
        \"mcpServers\": {\n    \"my-tools\": {\n      \"command\": \"cogtools\",\n      \
        \"args\": [\"mcp\", \"--project\", \"${extensionPath}\"]\n    }\n  }\n}\n";
    let args = ["--host=gemini-extension", "--name=my-tools"];
    assert_eq!(project.run(&args).status, 0);
    assert_eq!(project.read("gemini-extension.json"), manifest);
    assert!(
        project
            .read("COGTOOLS.md")
            .starts_with("# Tools of this extension\n")
    );
    let text = "{\"name\": \"theirs\", \"version\": \"7\", \"contextFileName\": \"GEMINI.md\"}";
    let project = Project::new();
    project.write("gemini-extension.json", text);
    assert_eq!(
        project.run(&[&args[..], &["--print"]].concat()),
        done(
            "{\"name\": \"theirs\", \"version\": \"7\", \"contextFileName\": \"GEMINI.md\", \"mcpServers\": {\"my-tools\": {\"command\": \"cogtools\", \"args\": [\"mcp\", \"--project\", \"${extensionPath}\"]}}}"
        )
    );
}

#[test]
fn what_cannot_be_asked_for() {
    let project = Project::new();
    let ended = project.run(&["--host", "vim"]);
    assert_eq!((ended.status, ended.stdout.as_str()), (2, ""));
    let ended = project.run(&["--name", "a_b"]);
    assert_eq!(
        ended,
        failed(
            2,
            "cogtools-init: error[USAGE]: invalid value 'a_b' for '--name <NAME>': a name has 1 to 32 \
             letters from a to z, digits and `-`\nhint: usage: cogtools-init [OPTIONS]\nhint: --help explains every option\n"
        )
    );
    for flag in ["--dry-run", "--format=json"] {
        assert_eq!(project.run(&["--print", flag]).status, 2, "{flag}");
    }
    assert!(project.files().is_empty());
    assert!(!Path::new(&project.own(".codex")).exists());
}
