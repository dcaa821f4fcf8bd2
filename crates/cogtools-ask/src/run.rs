//! A run: everything is put together, the loop turns, and its end becomes an exit status.

use std::sync::Arc;

use cogtools_agent::{
    Agent, AgentParts, Fixed, Journal, Ledger, Settings, Tools as _, declarations,
};
use cogtools_core::todo::TodoList;
use cogtools_core::{Cancel, Code, Context, Diagnostic, Target};
use cogtools_log::{Approval, CallId, Decision, Event, Why};
use cogtools_model::Part;
use cogtools_program::{Failure, Io, Severity, project};

use crate::args::{Action, AskArgs};
use crate::connection::Connection;
use crate::display::Display;
use crate::project_tools::ProjectTools;
use crate::prompt::Layers;
use crate::summary::Summary;
use crate::{configuration, dry_run, models, provider, session, settings, task};

/// Does what the command line says.
pub(crate) fn run(mut args: AskArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let project = project::project(io);
    let config = project::config(&project, io)?;
    configuration::apply(&mut args, &config.ask)?;
    let args = &args;
    if args.action == Action::Models {
        return models::list(args, io);
    }
    let task = task::parts(args, io)?;
    if task.is_empty() && !args.is_answer() && !args.resume {
        return Err(no_task());
    }
    let (registry, context) =
        project::registry_and_context(&args.registry, io, Some(Target::Gemini))?;
    // The first signal stops the turn, and what there is of it is kept; the second one ends all.
    let cancel = io.signals.begin_with_second();
    let todos = TodoList::default();
    let cx = Context {
        cancel: cancel.clone(),
        todos: Some(todos.clone()),
        ..context.context(io)
    };
    let (tools, diagnostics) = ProjectTools::load(registry, cx);
    if !args.quiet {
        for diagnostic in &diagnostics {
            io.report(Severity::Warning, diagnostic);
        }
    }
    let settings = settings::settings(args, &config.ask, &task, &tools, io)?;
    let mut layers = Layers::load(&config, &project, args.quiet, io)?;
    layers.todos = todos;
    let fixed = Fixed {
        system: layers.system()?,
        tools: declarations(&tools.list()),
        dynamic: None,
        whole_results: settings.history.whole_results,
    };
    if args.action == Action::DryRun {
        return dry_run::print(args, task, &settings, (fixed, &layers), &project, io);
    }
    let connection = Connection::open(args, &settings.request.model, &project, io)?;
    let secrets = provider::secrets(io);
    let opened = session::open(
        args,
        &settings.request.model,
        &project,
        secrets,
        &layers.todos,
        io,
    )?;
    if task.is_empty() && opened.journal.conversation().turns().is_empty() {
        return Err(no_task());
    }
    let run = Run {
        connection: &connection,
        tools,
        layers,
        journal: opened.journal,
        fixed,
        settings,
        ledger: Ledger::new(args.budget),
        cancel,
    };
    let summary = run.start(args, task, opened.name, io)?;
    connection.save()?;
    summary.report(args, io)
}

/// Everything that a run needs.
struct Run<'c> {
    connection: &'c Connection,
    tools: ProjectTools,
    layers: Layers,
    journal: Journal,
    fixed: Fixed,
    settings: Settings,
    ledger: Ledger,
    cancel: Cancel,
}

impl Run<'_> {
    fn start(
        self,
        args: &AskArgs,
        task: Vec<Part>,
        session: String,
        io: &mut Io<'_>,
    ) -> Result<Summary, Failure> {
        let runtime = provider::runtime()?;
        let mut journal = self.journal;
        decide(&mut journal, args)?;
        let mut display = Display::new(io, args, self.cancel.clone());
        let model = self.settings.request.model.clone();
        let mut agent = Agent::new(AgentParts {
            model: self.connection.model(),
            tools: Arc::new(self.tools),
            dynamic: self.layers.dynamic(self.connection.time(journal.now()))?,
            journal,
            system: self.fixed.system,
            settings: self.settings,
            ledger: self.ledger.clone(),
            observer: &mut display,
            cancel: self.cancel,
        });
        let end = if task.is_empty() {
            runtime.block_on(agent.resume())
        } else {
            runtime.block_on(agent.run(task))
        };
        let paused: Vec<CallId> = agent
            .journal()
            .conversation()
            .open_calls()
            .iter()
            .map(|call| call.id.clone())
            .collect();
        drop(agent);
        // A tool that does not end in time must not keep the process.
        runtime.shutdown_background();
        let calls = display.finish()?;
        Ok(Summary {
            end: end.map_err(|error| session::failure(&error))?,
            session,
            model,
            spent: self.ledger.spent(),
            calls,
            paused,
        })
    }
}

/// Writes the user's answers to the log.
fn decide(journal: &mut Journal, args: &AskArgs) -> Result<(), Failure> {
    let granted = args.approve.iter().map(|call| (call, Decision::Granted));
    let denied = args.reject.iter().map(|call| (call, Decision::Denied));
    for (call, decision) in granted.chain(denied) {
        let id = CallId::new(call.as_str());
        let mut open = journal.conversation().open_calls().iter();
        if !open.any(|open| open.id == id) {
            let diagnostic =
                Diagnostic::new(Code::Usage, "the session does not wait for this call");
            return Err(diagnostic.with_subject(call.as_str()).into());
        }
        let approval = Approval::new(decision, Why::Answer);
        let event = Event::Decision { call: id, approval };
        journal
            .append(event)
            .map_err(|error| session::failure(&error))?;
    }
    Ok(())
}

fn no_task() -> Failure {
    Diagnostic::new(Code::Usage, "there is no task")
        .hint("cogtools ask \"Why does this fail?\"")
        .hint("git diff | cogtools ask \"Review this\"")
        .into()
}
