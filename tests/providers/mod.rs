//! Sources that are programs: their declarations and failures, which affect
//! no other source.

use std::time::{Duration, Instant};

use cogtools_test_support::{Outcome, Project, Run, str};

use crate::{project_with, run};

mod cache;
mod calls;
mod changed;
mod failures;
mod nested;
mod repaired;
mod summaries;

/// The project's own tool.
const OK: &str = "name: ok\ndescription: d\nimplementation: fine\n";
/// Its declaration.
const DECLARED: &str = "{\"name\":\"ok\",\"description\":\"d\",\"parametersJsonSchema\":{\"type\":\"object\",\"properties\":{}}}";
/// The declaration of the tool `NAME` of a provider, which has only a description.
const OTHER: &str = "{\"name\":\"NAME\",\"description\":\"d\",\"parametersJsonSchema\":{\"type\":\"object\",\"properties\":{}}}";

/// A project with its own tool, after a provider from the user's configuration: the
/// program `p` in HOME, which is called with `call` and the name of a tool.
pub(super) struct Scene {
    pub(super) project: Project,
    settings: String,
}

impl Scene {
    /// The provider with this shell script, and these further settings.
    pub(super) fn new(script: &str, settings: &str) -> Self {
        let project = project_with("ok", OK);
        project.program("../home/p", format!("#!/bin/sh\n{script}\n"));
        let settings = settings.to_owned();
        Self { project, settings }
    }

    /// A run of one of our programs.
    pub(super) fn run(&self, program: &str) -> Run {
        let home = self.project.home();
        let provider = format!(
            "discover: [{0}/p], call: [{0}/p, call], name: other{1}",
            home.display(),
            self.settings
        );
        let sources = format!("[{{command: {{{provider}}}}}, {{local: ./tools}}]");
        run(program, &self.project).env("COGTOOLS_TOOL_SOURCES", sources)
    }

    pub(super) fn discover(&self) -> Outcome {
        self.run("cogtools-discover").run()
    }

    pub(super) fn call(&self, tool: &str) -> Outcome {
        self.run("cogtools-call").arg(tool).run()
    }

    /// Discovery prints these tools and warnings, and the project's own tool can be
    /// called, all within the time limit.
    #[track_caller]
    pub(super) fn declares(&self, tools: &[&str], warnings: &str) {
        let begin = Instant::now();
        let others = tools.iter().map(|tool| OTHER.replace("NAME", tool));
        let declared: Vec<String> = others.chain([DECLARED.to_owned()]).collect();
        let warnings = warnings.replace("warning[", "cogtools-discover: warning[");
        self.discover()
            .expect(0, format!("[\n{}\n]\n", declared.join(",\n")), warnings);
        self.call("ok").outputs(str!["fine"]);
        let took = begin.elapsed();
        assert!(took < Duration::from_secs(8), "{took:?}");
    }
}

/// A script that declares these tools, and answers a call with its name and arguments.
pub(super) fn declaring(json: &str) -> String {
    format!("if [ \"$1\" = call ]; then echo \"$2: $(cat)\"; exit; fi\ncat <<'END'\n{json}\nEND")
}
