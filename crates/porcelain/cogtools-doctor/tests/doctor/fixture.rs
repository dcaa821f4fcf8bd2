//! A healthy project that a test can break, and its report.

use std::ffi::OsString;
use std::path::PathBuf;

use cogtools_doctor::PROGRAM;
use cogtools_program::{
    CapturedRun, Format, Input, Io, IoContext, Reporter, SignalWatch, Terminals, Vars,
};
use cogtools_test_support::{Project, difference};

/// The section of each check for a healthy project.
const SECTIONS: [(&str, &str); 14] = [
    ("configuration", "  ok       `.cogtoolrc.yaml` is valid\n"),
    ("sources", "  ok       no tool source needs approval\n"),
    (
        "gemini",
        "  ok       Gemini CLI 0.61.0 is `[HERE]/prefix/bin/gemini`; it reads \
         `tools.discoveryCommand` and `tools.callCommand`\n",
    ),
    (
        "settings",
        "  ok       `.gemini/settings.json` (project) can be read
  ok       `tools.discoveryCommand` in `.gemini/settings.json` is \"cogtools-discover\"
  ok       `tools.callCommand` in `.gemini/settings.json` is \"cogtools-call\"\n",
    ),
    (
        "commands",
        "  ok       `cogtools-discover` is `[HERE]/prefix/bin/cogtools-discover`, version 0.1.0
  ok       `cogtools-call` is `[HERE]/prefix/bin/cogtools-call`, version 0.1.0\n",
    ),
    (
        "trust",
        "  ok       the folder is trusted: listed in ~/.gemini/trustedFolders.json\n",
    ),
    ("discovery", "  ok       runs, and declares 1 tool: hello\n"),
    (
        "call",
        "  ok       `cogtools-call hello` answers with 25 bytes\n",
    ),
    (
        "headless",
        "  ok       every tool is allowed in headless mode (gemini -p)\n",
    ),
    ("mcp", "  ok       no MCP servers in the settings\n"),
    ("tools", "  ok       1 tool is valid\n"),
    (
        "sandbox",
        "  ok       files (Landlock 7, all namespaces) and sockets are protected
  ok       a program in a sandbox can still
             see names of your files and other processes, and change permissions, owners and times (where users have no namespaces, as `cogtools doctor` says; contents, memory and variables are protected)
             signal your other processes, or empty files that it may not write (before Linux 6.12, or 6.2; a warning says so before 6.2)
             send what it may read to anyone, and use services such as Docker or the session bus (with `net: true`, not with a list of hosts; services only where users have no namespaces, or if `read` names their sockets)
             write what you run later, such as a makefile or `.git/hooks` (below the paths under `write`; with `workspace`, below the top of the project)
",
    ),
    (
        "manual",
        "  ok       manual pages of version 0.1.0 are installed: 2\n",
    ),
    (
        "budget",
        "  ok       1 tool costs about 53 tokens with every request\n",
    ),
];

/// The sections that differ for a healthy project that uses the MCP server.
pub(crate) const SERVED: [(&str, &str); 6] = [
    (
        "settings",
        "  ok       `.gemini/settings.json` (project) can be read
  ok       the MCP server `cogtools` in `.gemini/settings.json` is cogtools\n",
    ),
    (
        "commands",
        "  ok       no commands are set: the MCP server has the tools\n",
    ),
    (
        "discovery",
        "  ok       not needed: Gemini CLI lists the tools of the MCP server\n",
    ),
    (
        "call",
        "  ok       not needed: Gemini CLI calls the MCP server\n",
    ),
    (
        "mcp",
        "  ok       `cogtools` is started by `[HERE]/prefix/bin/cogtools`, with 1 tool\n",
    ),
    (
        "manual",
        "  ok       manual pages of version 0.1.0 are installed: 3\n",
    ),
];

pub(crate) const SETTINGS: &str = "{
  // Mine.
  \"toolDiscoveryCommand\": \"cogtools-discover\",
  \"toolCallCommand\": \"cogtools-call\",
  \"tools\": {\"discoveryCommand\": \"cogtools-discover\", \"callCommand\": \"cogtools-call\"}
}
";

pub(crate) const HELLO: &str = "name: hello
description: Greet a person
parameters:
  person: {type: string, description: Name}
examples:
  - person: Ada
implementation: Hello {{ person }}
";

/// A script on PATH in place of one of our programs; `answer` is what it runs.
pub(crate) fn program(name: &str, version: &str, answer: &str) -> String {
    format!(
        "#!/bin/sh\ncase \"$1\" in\n--version) echo '{name} {version}';;\n\
         --help) echo 'Usage: {name} [--strict]';;\n*) {answer};;\nesac\n"
    )
}

/// Lists the tools.
pub(crate) const DISCOVER: &str = "echo '[{\"name\": \"hello\"}]'";
/// Serves one tool over MCP, to the requests of the doctor.
pub(crate) const SERVE: &str = r#"read -r a; echo '{"jsonrpc": "2.0", "id": 1, "result": {}}'
read -r a; read -r a; echo '{"jsonrpc": "2.0", "id": 2, "result": {"tools": [{"name": "hello"}]}}'"#;
/// Calls a tool: prints its arguments and its input.
pub(crate) const CALL: &str = "read -r line; echo \"$# $1 $line\"";

/// A project, a home, a Gemini CLI and our programs.
pub(crate) struct Fixture {
    pub(crate) project: Project,
    pub(crate) vars: Vars,
}

impl Fixture {
    /// A healthy project.
    pub(crate) fn new() -> Self {
        let project = Project::new();
        let root = project.root();
        let trusted = format!("{{\"{}\": \"TRUST_FOLDER\"}}", root.display());
        project
            .file(".gemini/settings.json", SETTINGS)
            .file(".cogtoolrc.yaml", "tool_sources:\n  - local: ./tools\n")
            .file("tools/hello.yaml", HELLO)
            .file("../home/.gemini/trustedFolders.json", trusted)
            .file(
                "../home/.gemini/policies/mine.toml",
                "[[rule]]\ntoolName = [\"discovered_tool_hello\"]\ndecision = \"allow\"\npriority = 1\n",
            );
        for (name, answer) in [("cogtools-discover", DISCOVER), ("cogtools-call", CALL)] {
            project
                .program(
                    format!("../prefix/bin/{name}"),
                    program(name, "0.1.0", answer),
                )
                .file(format!("../prefix/share/man/man1/{name}.1"), page(name));
        }
        let confine = "#!/bin/sh\necho '{\"landlock\":7,\"namespaces\":\"all\",\"gaps\":[]}'\n";
        project.program("../prefix/bin/cogtools-confine", confine);
        let bin = root.with_file_name("prefix").join("bin");
        let mut vars = Vars::new();
        vars.insert("HOME".into(), project.home().into());
        vars.insert("PATH".into(), bin.into());
        vars.insert(
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH".into(),
            root.with_file_name("etc").join("settings.json").into(),
        );
        let fixture = Self { project, vars };
        fixture.install_gemini("0.61.0");
        fixture
    }

    /// Installs the MCP server's program, and allows its tools.
    pub(crate) fn serve(&self) {
        let rule = "[[rule]]\ntoolName = \"mcp_cogtools_*\"\ndecision = \"allow\"\npriority = 1\n";
        self.project
            .program(
                "../prefix/bin/cogtools",
                program("cogtools", "0.1.0", SERVE),
            )
            .file("../prefix/share/man/man1/cogtools.1", page("cogtools"))
            .file("../home/.gemini/policies/mine.toml", rule);
    }

    /// Installs `version` of Gemini CLI as npm does.
    pub(crate) fn install_gemini(&self, version: &str) {
        let package = "../prefix/lib/node_modules/@google/gemini-cli";
        let manifest = format!(
            "{{\"name\": \"@google/gemini-cli\", \"version\": \"{version}\", \"bin\": {{\"gemini\": \"gemini.js\"}}}}"
        );
        self.project
            .file(format!("{package}/package.json"), manifest)
            .program(format!("{package}/gemini.js"), "#!/bin/sh\nexit 9\n");
        let link = "../prefix/bin/gemini";
        if !self.project.path(link).exists() {
            let target = "../lib/node_modules/@google/gemini-cli/gemini.js";
            self.project.link(link, target);
        }
    }

    /// Writes a file of the project.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        self.project.file(name, content);
        self
    }

    /// Replaces one of our programs.
    pub(crate) fn replace_program(&self, name: &str, answer: &str) -> &Self {
        let path = format!("../prefix/bin/{name}");
        self.project.program(path, program(name, "0.1.0", answer));
        self
    }

    /// Runs the doctor at the root of the project.
    pub(crate) fn run(&self, args: &[&str]) -> CapturedRun {
        self.run_on(Terminals::default(), self.project.root(), args)
    }

    pub(crate) fn run_on(&self, terminals: Terminals, cwd: PathBuf, args: &[&str]) -> CapturedRun {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let program = self.project.path("../prefix/bin/cogtools-doctor");
        let program = program.parent().unwrap().canonicalize().unwrap();
        let mut io = Io {
            program: program.join("cogtools-doctor"),
            next: None,
            stdin: Input::empty(),
            stdout: &mut stdout,
            stderr: &mut stderr,
            terminals,
            vars: self.vars.clone(),
            cwd,
            reporter: Reporter::new(PROGRAM.name, Format::Human, false),
            signals: SignalWatch::default(),
            context: IoContext::default(),
        };
        let status = PROGRAM.launch(&args, &mut io);
        let here = self.project.root().parent().unwrap().display().to_string();
        let text = |bytes| String::from_utf8(bytes).unwrap().replace(&here, "[HERE]");
        CapturedRun {
            status,
            stdout: text(stdout),
            stderr: text(stderr),
        }
    }

    /// Asserts the whole report: the report of a healthy project except for `sections`.
    #[track_caller]
    pub(crate) fn check(&self, sections: &[(&str, &str)], summary: &str) {
        self.check_with(&[], "", sections, summary);
    }

    /// As `check`, for a run with `args`, whose report begins with `head`.
    #[track_caller]
    pub(crate) fn check_with(
        &self,
        args: &[&str],
        head: &str,
        sections: &[(&str, &str)],
        summary: &str,
    ) {
        let ended = self.run(args);
        let expected = format!("{head}{}", report(sections, summary));
        if let Some(difference) = difference(&expected, &ended.stdout) {
            panic!("the report (- expected, + found):\n{difference}");
        }
        let status = u8::from(!summary.starts_with("no problems"));
        assert_eq!((ended.status, ended.stderr.as_str()), (status, ""));
    }
}

/// The report of a healthy project, except for `sections`.
pub(crate) fn report(sections: &[(&str, &str)], summary: &str) -> String {
    let mut text = String::new();
    for (name, healthy) in SECTIONS {
        let changed = sections.iter().find(|(other, _)| *other == name);
        text.push_str(name);
        text.push('\n');
        text.push_str(changed.map_or(healthy, |(_, text)| text));
    }
    for (name, _) in sections {
        assert!(SECTIONS.iter().any(|(other, _)| other == name), "{name}");
    }
    format!("{text}\n{summary}\n")
}

/// A manual page of a program that has one option.
pub(crate) fn page(name: &str) -> String {
    let title = name.to_uppercase();
    format!(
        ".TH {title} 1 2026-01-01 \"cogtools 0.1.0\" \"cogtools manual\"\n.SH OPTIONS\n\
         .TP\n\\fB\\-\\-strict\\fR\nBe strict; `make \\-\\-all` is another.\n"
    )
}
