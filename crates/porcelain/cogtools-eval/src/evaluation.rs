//! A whole run: cases, tools and models put together, reported and compared.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cogtools_agent::{
    HistorySettings, Layers, Ledger, Permissions, Price, RequestOptions, Requests, Settings,
    connect, facts,
};
use cogtools_core::file::{Existing, Mode, WritePath, create_private_folder, open_append};
use cogtools_core::{Cancel, Code, Config, Context, Diagnostic, Project, Target, fail_on};
use cogtools_log::{Mask, Store};
use cogtools_model::{Model, RetryPolicy};
use cogtools_program::{EACH, Failure, Io, Severity, dirs, project};
use serde_json::{Map, Value, json};

use crate::EvalArgs;
use crate::case::Case;
use crate::compare::{Comparison, passed};
use crate::files::{cases, keep_report};
use crate::host::Host;
use crate::report::{self, Row, Verdict};
use crate::run::{CommandModel, Job, Runner, digests};
use crate::tapes::{Tapes, staleness};
use crate::tools::{self, Declared, Rules, in_scope, short};
use crate::trial::Record;
use crate::verdict::{failures, rows};

/// The hint for a limit of money without prices.
const PRICES: &str = "name a file with prices in the key `ask.prices` of your own configuration";

/// The variables that say where providers are.
const BASE_URLS: [&str; 4] = [
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_VERTEX_BASE_URL",
    "OPENAI_BASE_URL",
    "ANTHROPIC_BASE_URL",
];

/// The state that all parts of a run share.
pub(crate) struct Evaluation {
    pub(crate) args: EvalArgs,
    pub(crate) config: Config,
    pub(crate) project: Project,
    pub(crate) cases: Vec<Arc<Case>>,
    pub(crate) tools: Vec<Declared>,
    pub(crate) cx: Context,
    tapes: BTreeMap<PathBuf, Tapes>,
    pub(crate) models: Vec<String>,
    pub(crate) hosts: Vec<Host>,
    /// Everything that was spent, of the limits of the whole run.
    pub(crate) ledger: Ledger,
    /// The number of trials that did not begin because of it.
    pub(crate) skipped: Cell<usize>,
    pub(crate) cancel: Cancel,
}

/// Runs what the command line says.
pub(crate) fn run(mut args: EvalArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let project = project::project(io);
    let config = project::config(&project, io)?;
    args.model.configure(&config.ask)?;
    args.names.extend(args.improve.clone());
    let (mut all, notes) = if args.from_examples {
        (Vec::new(), Vec::new())
    } else {
        cases(&args.names, &config, &project, io)?
    };
    for note in &notes {
        io.note(note);
    }
    if let Some(only) = &args.only {
        all.retain(|case| {
            let stem = case.folder.file_stem().unwrap_or_default();
            let name = format!("{}/{}", stem.display(), case.name);
            only.is_match(&name).unwrap_or(false)
        });
    }
    if all.is_empty() && !args.from_examples {
        let hint = "write them in tools/NAME.evals.yaml; cogtools-eval(1) shows one";
        let diagnostic = Diagnostic::new(Code::Usage, "there are no cases");
        return Err(diagnostic.hint(hint).into());
    }
    let cancel = io.signals.begin_with_second();
    let (tools, cx) = load_tools(&args, &cancel, io)?;
    let mut tapes = BTreeMap::new();
    if args.record || args.replay {
        for case in &all {
            if !tapes.contains_key(&case.folder) {
                let read = Tapes::read(&case.folder, &project::read_scope(&case.folder, io))?;
                tapes.insert(case.folder.clone(), read);
            }
        }
    }
    let wanted = args.host.iter();
    let hosts = wanted.map(|wanted| Host::find(wanted, project.root(), &cancel, io));
    let hosts: Vec<Host> = hosts.collect::<Result<_, _>>()?;
    let models = models(&args, &tapes, &hosts)?;
    let evaluation = Evaluation {
        cases: all.into_iter().map(Arc::new).collect(),
        ledger: Ledger::new(args.whole),
        skipped: Cell::default(),
        args,
        config,
        project,
        tools,
        cx,
        tapes,
        models,
        hosts,
        cancel,
    };
    if evaluation.args.from_examples {
        return evaluation.write_cases(io);
    }
    evaluation.check()?;
    match evaluation.args.improve.clone() {
        Some(name) => evaluation.improve(&name, io),
        None => evaluation.evaluate(io),
    }
}

/// Loads the tools of the project that contains the working directory, and the decoys.
pub(crate) fn load_tools(
    args: &EvalArgs,
    cancel: &Cancel,
    io: &mut Io<'_>,
) -> Result<(Vec<Declared>, Context), Failure> {
    let is_model = args.host.is_empty() || !args.models.is_empty();
    let target = if is_model {
        Target::Gemini
    } else {
        Target::Mcp
    };
    io.keep_sessions();
    let (registry, context) = project::registry_and_context(&args.registry, io, Some(target))?;
    let (tools, diagnostics) = tools::load(
        &registry,
        args.with_decoys,
        args.model.provider.target(),
        args.code,
    );
    io.warn(&diagnostics, &EACH);
    let cx = Context {
        cancel: cancel.clone(),
        ..context.context(io)
    };
    Ok((tools, cx))
}

/// The models of the command line, of the recordings, or of the configuration.
fn models(
    args: &EvalArgs,
    tapes: &BTreeMap<PathBuf, Tapes>,
    hosts: &[Host],
) -> Result<Vec<String>, Failure> {
    let mut models: Vec<String> = args.models.clone();
    if models.is_empty() && args.replay && args.model.name.is_none() {
        let recorded = tapes.values().flat_map(Tapes::models);
        models = recorded.map(str::to_owned).collect();
        models.sort_unstable();
    }
    let is_asked = args.model.name.is_some() || args.model_command.is_some();
    if models.is_empty() && (hosts.is_empty() || is_asked) {
        models.push(match (&args.model.name, &args.model_command) {
            (None, Some(_)) => "command".to_owned(),
            _ => args.model.model()?,
        });
    }
    models.extend(hosts.iter().map(|host| host.column.clone()));
    let mut seen = HashSet::new();
    models.retain(|model| seen.insert(model.clone()));
    Ok(models)
}

impl Evaluation {
    /// Checks what would fail after the trials.
    fn check(&self) -> Result<(), Failure> {
        let args = &self.args;
        let is_live = !args.replay;
        let says = self.cases.iter().find(|case| !case.expect.says.is_empty());
        if let Some(case) = says.filter(|_| is_live && args.judge.is_none()) {
            let diagnostic = Diagnostic::new(Code::Usage, "`says` needs a model that judges");
            let diagnostic = diagnostic.with_subject(case.name.as_str());
            return Err(diagnostic.hint("name one with --judge").into());
        }
        let is_whole = args.whole.money.is_some();
        let mut cases = self.cases.iter();
        let needs_money = is_whole || cases.any(|case| case.expect.at_most.money.is_some());
        let others = args.judge.iter().chain(&args.writer);
        let models = self.models.iter().chain(others.filter(|_| is_whole));
        for model in models.filter(|_| is_live && needs_money) {
            let host = self.hosts.iter().find(|host| host.column == *model);
            let needs = |what: &str| {
                let message = format!("a limit of money needs {what}");
                Diagnostic::new(Code::Usage, message).with_subject(model.as_str())
            };
            if host.is_some_and(|host| !host.has_money()) {
                return Err(needs("a host that says what it costs").into());
            }
            if host.is_none() && facts(&self.config.ask, model)?.price.is_none() {
                return Err(needs("the prices of the model").hint(PRICES).into());
            }
        }
        Ok(())
    }

    fn jobs(&self) -> Vec<Job> {
        let mut jobs = Vec::new();
        for case in &self.cases {
            for model in &self.models {
                for trial in 1..=self.args.trials.unwrap_or(case.trials) {
                    jobs.push(Job {
                        case: Arc::clone(case),
                        model: model.clone(),
                        trial,
                    });
                }
            }
        }
        jobs
    }

    fn evaluate(mut self, io: &mut Io<'_>) -> Result<(), Failure> {
        let rows = if self.args.replay {
            self.replay(io)?
        } else {
            let rows = self.live(&self.tools, None, true, io)?;
            if self.args.record {
                self.record(&rows, io)?;
            }
            rows
        };
        let mut comparisons = Vec::new();
        let new = passed(&rows, self.project.root());
        if let Some(with) = self.args.compare.clone() {
            let comparison = self.compare_with(&with, &new, io)?;
            comparisons.push((with, comparison));
        }
        if self.args.without {
            let old = self.live(&[], None, false, io)?;
            comparisons.push(("no tools".to_owned(), self.compare_rows(&old, &new)));
        }
        for part in self.args.ablate.clone() {
            let mut tools = self.tools.clone();
            tools::ablate(&mut tools, &part);
            let old = self.live(&tools, None, false, io)?;
            comparisons.push((format!("no {part}"), self.compare_rows(&old, &new)));
        }
        self.report(&rows, &comparisons, io)
    }

    /// The digest of the settings that a recording depends on.
    fn digest(&self) -> String {
        let generation = self.args.model.generation(|| None);
        let (temperature, tokens) = (generation.temperature, generation.max_output_tokens);
        let mut settings = vec![json!(temperature), json!(tokens)];
        if self.args.code {
            settings.push("code".into());
        }
        short(&settings.into())
    }

    fn replay(&mut self, io: &Io<'_>) -> Result<Vec<Row>, Failure> {
        let settings = self.digest();
        let mut results = Vec::new();
        let mut accepted = Vec::new();
        for job in self.jobs() {
            let tools = in_scope(&self.tools, &job.case);
            let tapes = self.tapes.entry(job.case.folder.clone()).or_default();
            let record = tapes.get(&job.case.name, &job.model, job.trial).cloned();
            let Some(mut record) = record else {
                let stale = "not recorded: cogtools eval --record does it".to_owned();
                results.push((job, None, Some(stale)));
                continue;
            };
            let mut stale = staleness(&record, &job.case, &tools, &settings);
            if self.args.accept && stale.take().is_some() {
                let called = std::mem::take(&mut record.digests.tools);
                let called = called.keys().map(String::as_str);
                record.digests = digests(&job.case, &tools, &settings, called);
                accepted.push((job.case.folder.clone(), record.clone()));
            }
            results.push((job, Some(record), stale));
        }
        self.keep(&accepted, io)?;
        Ok(rows(results))
    }

    /// Runs the trials with `tools`, which run in `cx` or, without one, in the project. With `is_own`
    /// tools, what is recorded already does not run.
    pub(crate) fn live(
        &self,
        tools: &[Declared],
        cx: Option<&Context>,
        is_own: bool,
        io: &mut Io<'_>,
    ) -> Result<Vec<Row>, Failure> {
        let args = &self.args;
        let digest = self.digest();
        let ask = &self.config.ask;
        let names = tools.iter().map(|tool| tool.agent.name.as_str());
        let permissions = Permissions::new(ask, &args.allow, &[], names);
        let rules = Rules {
            permissions: &permissions,
            cx: cx.unwrap_or(&self.cx),
        };
        let mut recorded = Vec::new();
        let mut jobs = Vec::new();
        for job in self.jobs() {
            let tape = self.tapes.get(&job.case.folder);
            let tape = tape.filter(|_| is_own && args.record);
            let record = tape.and_then(|tape| tape.get(&job.case.name, &job.model, job.trial));
            let is_current = |record: &&Record| {
                let scope = in_scope(tools, &job.case);
                staleness(record, &job.case, &scope, &digest).is_none()
                    && record.is_done(&job.case, &scope, &rules)
            };
            match record.filter(is_current).cloned() {
                Some(record) => recorded.push((job, Some(record))),
                None => jobs.push(job),
            }
        }
        let store = Store::of(dirs::state_dir(io).as_deref(), self.project.root())?;
        let total = jobs.len();
        let layers = Layers::load(&self.config, &self.project, true, io)?;
        let model = self.connect(total, io)?;
        let runner = Runner {
            evaluation: self,
            model: &*model,
            tools,
            rules,
            system: layers.system()?,
            layers: &layers,
            settings: Settings {
                request: RequestOptions {
                    generation: self.args.model.generation(|| None),
                    ..RequestOptions::default()
                },
                permissions: permissions.clone(),
                retry: match args.model_command {
                    Some(_) => CommandModel::RETRY,
                    None => RetryPolicy::default(),
                },
                history: HistorySettings {
                    cache_threshold: None,
                    ..HistorySettings::of(ask.history, None)
                },
                ..Settings::default()
            },
            digest,
            source: self.source(io),
            store,
            mask: Mask::new(io.secrets()),
        };
        let requests = Requests::new()?;
        let is_shown = io.terminals.stderr;
        let shown = RefCell::new((0, &mut *io.stderr));
        let progress = |job: &Job| {
            let (done, stderr) = &mut *shown.borrow_mut();
            *done += 1;
            if is_shown {
                let name = &job.case.name;
                let _ = write!(stderr, "\r\x1b[K{done}/{total} {name} ({})", job.model);
                let _ = stderr.flush();
            }
        };
        let outcomes = requests.wait(runner.run(jobs, &progress));
        if is_shown {
            let _ = write!(io.stderr, "\r\x1b[K");
        }
        let all = recorded.into_iter().chain(outcomes.unwrap_or_default());
        Ok(rows(all.map(|(job, record)| (job, record, None)).collect()))
    }

    /// The prices of `model`, if they are known.
    pub(crate) fn price(&self, model: &str) -> Option<Price> {
        facts(&self.config.ask, model).ok()?.price
    }

    /// The source of the answers: a command, or the provider and where the user says that it is.
    fn source(&self, io: &Io<'_>) -> String {
        if let Some(command) = &self.args.model_command {
            return command.clone();
        }
        let address =
            |name: &str| Some(dirs::trusted_var(io, name)?.to_string_lossy().into_owned());
        let addresses = BASE_URLS.iter().filter_map(|name| address(name));
        let addresses = addresses.chain(self.config.ask.base_url.clone());
        let provider = format!("{:?}", self.args.model.provider);
        addresses.fold(provider, |source, address| format!("{source} {address}"))
    }

    pub(crate) fn connect(&self, jobs: usize, io: &Io<'_>) -> Result<Box<dyn Model>, Failure> {
        let has_models = self.hosts.is_empty() || self.hosts.len() < self.models.len();
        let is_asked = jobs > 0 && (self.args.judge.is_some() || has_models);
        let command = match &self.args.model_command {
            Some(command) => command.clone(),
            None if is_asked => return connect(&self.args.model, io),
            None => "exit 1".to_owned(),
        };
        Ok(Box::new(CommandModel {
            command,
            directory: io.cwd.clone(),
            variables: io.vars.clone().into_iter().collect(),
            cancel: self.cancel.clone(),
        }))
    }

    /// Keeps the trials of `rows` beside their cases.
    fn record(&self, rows: &[Row], io: &Io<'_>) -> Result<(), Failure> {
        let mut records = Vec::new();
        for row in rows {
            let results = row.results.iter();
            let kept = results.filter(|result| result.verdict != Verdict::Error);
            let kept = kept.filter_map(|result| result.record.clone());
            records.extend(kept.map(|record| (row.case.folder.clone(), record)));
        }
        self.keep(&records, io)
    }

    /// Writes `records` beside their cases, with what other runs have written there meanwhile.
    fn keep(&self, records: &[(PathBuf, Record)], io: &Io<'_>) -> Result<(), Failure> {
        let lock = || {
            let store = Store::new(&dirs::state_dir(io)?, self.project.root());
            create_private_folder(store.folder()).ok()?;
            let path = WritePath::below(store.folder(), Path::new("recordings.lock"));
            let lock = open_append(&path, Existing::OrCreate(Mode::Private)).ok()?;
            lock.lock().is_ok().then_some(lock)
        };
        // Another run waits with what it writes. Without a folder for it, there is merely a gap.
        let _lock = lock();
        for folder in self.tapes.keys() {
            let own = || records.iter().filter(|(place, _)| place == folder);
            if !self.args.record && own().next().is_none() {
                continue;
            }
            let mut tapes = Tapes::read(folder, &project::read_scope(folder, io))?;
            own().for_each(|(_, record)| tapes.add(record.clone()));
            let cases = self.cases.iter().filter(|case| case.folder == *folder);
            let names: Vec<&str> = cases.map(|case| case.name.as_str()).collect();
            // With a pattern, the other cases of the file are not known.
            let names = self.args.only.is_none().then_some(names.as_slice());
            tapes.write(self.project.root(), folder, names)?;
        }
        Ok(())
    }

    fn report(
        &self,
        rows: &[Row],
        comparisons: &[(String, Comparison)],
        io: &mut Io<'_>,
    ) -> Result<(), Failure> {
        let failures = failures(
            rows,
            comparisons,
            self.skipped.get(),
            (self.args.compare.is_some(), self.cancel.is_cancelled()),
        );
        let status = match failures.first() {
            _ if self.cancel.is_cancelled() => io.signals.status().unwrap_or(130),
            Some(failure) => failure.code.status(),
            None => 0,
        };
        let texts = comparisons.iter().map(|(with, one)| one.text(with));
        let text: String = texts.collect();
        let mut more = Map::new();
        if let [(_, only)] = comparisons {
            more.insert("compare".to_owned(), only.rows.clone().into());
            more.insert("overall".to_owned(), only.overall.clone());
        } else if !comparisons.is_empty() {
            let all = comparisons.iter();
            let all = all
                .map(|(with, it)| json!({"with": with, "compare": it.rows, "overall": it.overall}));
            more.insert("comparisons".to_owned(), all.collect());
        }
        let report = report::json(rows, &self.settings(), status, more);
        if let Some(state) = dirs::state_dir(io) {
            let store = Store::new(&state, self.project.root());
            if let Err(diagnostic) = keep_report(&report, &store.reports()) {
                io.report(Severity::Warning, &diagnostic);
            }
        }
        match self.args.format() {
            "json" => io.show_json(&format!("{report}\n"))?,
            "junit" => {
                let why = if self.cancel.is_cancelled() {
                    "the run was stopped"
                } else {
                    "the budget was spent"
                };
                io.show(&report::junit(rows, why))?;
            }
            "markdown" => io.show(&report::markdown(rows, &text))?,
            _ => io.show(&report::human(rows, &text))?,
        }
        if self.cancel.is_cancelled() {
            return Err(Failure::Reported(130));
        }
        Ok(fail_on(failures)?)
    }

    fn settings(&self) -> Value {
        let args = &self.args;
        let mode = if args.replay {
            "replay"
        } else if args.record {
            "record"
        } else {
            "live"
        };
        json!({
            "mode": mode,
            "models": self.models,
            "model_command": args.model_command,
            "trials": args.trials,
            "temperature": args.model.temperature,
            "max_tokens": args.model.max_tokens,
            "seed": args.model.seed,
            "judge": args.judge,
            "code": args.code,
            "decoys": args.with_decoys,
            "compare": args.compare,
            "ablate": args.ablate,
            "without": args.without,
        })
    }
}
