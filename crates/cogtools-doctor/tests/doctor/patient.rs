//! A project where all is well, to be made ill, and the report that it gets.

use std::ffi::OsString;
use std::path::PathBuf;

use cogtools_doctor::PROGRAM;
use cogtools_program::{CapturedRun, Format, Input, Io, Reporter, SignalWatch, Terminals, Vars};
use cogtools_test_support::{Project, difference};

/// What each check says when all is well.
const SECTIONS: [(&str, &str); 13] = [
    ("configuration", "  ok       `.cogtoolrc.yaml` is valid\n"),
    ("sources", "  ok       no source of tools needs your word\n"),
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
        "  ok       the folder is trusted: ~/.gemini/trustedFolders.json says so\n",
    ),
    ("discovery", "  ok       runs, and declares 1 tool: hello\n"),
    (
        "call",
        "  ok       `cogtools-call hello` answers with 25 bytes\n",
    ),
    (
        "headless",
        "  ok       every tool is allowed where nobody can be asked (gemini -p)\n",
    ),
    ("mcp", "  ok       no MCP servers in the settings\n"),
    ("tools", "  ok       1 tool is sound\n"),
    (
        "manual",
        "  ok       manual pages of version 0.1.0 are installed: 2\n",
    ),
    (
        "budget",
        "  ok       1 tool costs about 41 tokens with every request\n",
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
description: Greet somebody
parameters:
  person: {type: string, description: Whom}
examples:
  - person: Ada
implementation: Hello {{ person }}
";

/// What stands on PATH as one of our programs: `answer` is what it does.
pub(crate) fn program(name: &str, version: &str, answer: &str) -> String {
    format!(
        "#!/bin/sh\ncase \"$1\" in\n--version) echo '{name} {version}';;\n\
         --help) echo 'Usage: {name} [--strict]';;\n*) {answer};;\nesac\n"
    )
}

/// What lists the tools.
pub(crate) const DISCOVER: &str = "echo '[{\"name\": \"hello\"}]'";
/// What calls them: it says what it was given.
pub(crate) const CALL: &str = "read -r line; echo \"$# $1 $line\"";

/// A project, a home, a Gemini CLI and our programs.
pub(crate) struct Patient {
    pub(crate) project: Project,
    pub(crate) vars: Vars,
}

impl Patient {
    /// One in good health.
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
        let bin = root.with_file_name("prefix").join("bin");
        let mut vars = Vars::new();
        vars.insert("HOME".into(), project.home().into());
        vars.insert("PATH".into(), bin.into());
        vars.insert(
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH".into(),
            root.with_file_name("etc").join("settings.json").into(),
        );
        let patient = Self { project, vars };
        patient.gemini("0.61.0");
        patient
    }

    /// Installs that version of Gemini CLI as npm does.
    pub(crate) fn gemini(&self, version: &str) {
        let package = "../prefix/lib/node_modules/@google/gemini-cli";
        let says = format!(
            "{{\"name\": \"@google/gemini-cli\", \"version\": \"{version}\", \"bin\": {{\"gemini\": \"gemini.js\"}}}}"
        );
        self.project
            .file(format!("{package}/package.json"), says)
            .program(format!("{package}/gemini.js"), "#!/bin/sh\nexit 9\n");
        let link = "../prefix/bin/gemini";
        if !self.project.path(link).exists() {
            let target = "../lib/node_modules/@google/gemini-cli/gemini.js";
            self.project.link(link, target);
        }
    }

    /// Makes it ill, or another.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        self.project.file(name, content);
        self
    }

    /// Replaces one of our programs.
    pub(crate) fn answers(&self, name: &str, answer: &str) -> &Self {
        let path = format!("../prefix/bin/{name}");
        self.project.program(path, program(name, "0.1.0", answer));
        self
    }

    /// One visit.
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

    /// The whole report must be that of good health but for these sections.
    #[track_caller]
    pub(crate) fn check(&self, sections: &[(&str, &str)], summary: &str) {
        self.check_with(&[], "", sections, summary);
    }

    /// The same for a run with `args`, whose report begins with `head`.
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

/// The report of good health, but for these sections.
pub(crate) fn report(sections: &[(&str, &str)], summary: &str) -> String {
    let mut text = String::new();
    for (name, well) in SECTIONS {
        let ill = sections.iter().find(|(other, _)| *other == name);
        text.push_str(name);
        text.push('\n');
        text.push_str(ill.map_or(well, |(_, ill)| ill));
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
