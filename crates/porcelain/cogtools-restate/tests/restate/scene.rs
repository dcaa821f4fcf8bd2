//! A project with flows whose nodes begin, wait for a word, and end: what a test can interrupt.

use cogtools_test_support::{Outcome, Project, Run};
use serde_json::Value;

use crate::worker::PROGRAM;
use crate::{LIMIT, Server, programs, wait};

/// A tool that says that it begins and who runs it, waits for the file `go-NAME`, and says that it
/// ends.
const TOOL: &str = "\
name: NAME
description: Begins, waits and ends
parameters: {text: string}
annotations: {idempotent: IDEMPOTENT}
env: [WORKER]
implementation:
  exec:
    - sh
    - -c
    - |
      echo \"begin NAME $WORKER $$\" >> log
      while [ ! -e go-NAME ]; do sleep 0.02; done
      echo \"end NAME $WORKER $$\" >> log
      printf 'NAME(%s)' \"$1\"
    - _
    - '{{ text }}'
";

/// A project with a Restate of its own.
pub(crate) struct Scene {
    pub(crate) server: Server,
    pub(crate) project: Project,
}

impl Scene {
    /// A project with the flow `f`, of these nodes and output, and these tools: the name of each,
    /// and whether it is idempotent.
    pub(crate) fn new(tools: &[(&str, bool)], flow: &str) -> Self {
        let project = Project::new();
        for (name, is_idempotent) in tools {
            let text = TOOL.replace("NAME", name);
            let text = text.replace("IDEMPOTENT", &is_idempotent.to_string());
            project.file(format!("tools/{name}.yaml"), text);
        }
        let head = "name: f\ndescription: A flow\nparameters: {text: {type: string, default: x}}\n";
        project.file(
            "tools/f.yaml",
            format!("{head}implementation:\n  flow:\n{flow}"),
        );
        let server = Server::start(&project);
        Self { server, project }
    }

    /// A command of the program under test, with the ingress of this Restate.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        Run::new(PROGRAM)
            .args(args)
            .args(["--ingress", &self.server.ingress])
            .project(&self.project)
            .limit(LIMIT)
    }

    /// `cogtools-restate run f`.
    pub(crate) fn run_flow(&self, name: &str, args: &[&str]) -> Outcome {
        let run = self.run(&["run", "f", "--name", name]).args(args);
        run.arg("--cogtools").arg(programs().join("cogtools")).run()
    }

    /// Lets the tool `name` end.
    pub(crate) fn go(&self, name: &str) {
        self.project.file(format!("go-{name}"), "");
    }

    /// The lines of the log that begin with `words`, without these.
    pub(crate) fn lines(&self, words: &str) -> Vec<String> {
        let log = std::fs::read_to_string(self.project.path("log")).unwrap_or_default();
        let lines = log.lines().filter_map(|line| line.strip_prefix(words));
        lines.map(|line| line.trim_start().to_owned()).collect()
    }

    /// Waits for the `count`th line with these words, and returns it.
    #[track_caller]
    pub(crate) fn wait_for(&self, words: &str, count: usize) -> String {
        wait(words, || self.lines(words).get(count - 1).cloned())
    }

    /// The nodes of the run that wait, with their questions.
    pub(crate) fn waiting(&self, name: &str) -> Value {
        self.run(&["waiting", name]).run().json()
    }
}
