//! `env`: where each variable that a tool declares would come from. No character
//! of a value is ever shown, nor how long it is.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cogtools_core::environment::{DotEnv, Resolved, is_dangerous};
use cogtools_core::{Config, Context, Diagnostic, Environment, Registry, Source};
use cogtools_program::project::{config, cx, project};
use cogtools_program::terminal::sanitize;
use cogtools_program::{Failure, Io, Severity};
use serde_json::{Value, json};

use crate::command::EnvironmentArgs;

/// A variable that tools declare.
struct Declared {
    name: String,
    tools: Vec<String>,
    seen: Option<Resolved>,
    /// Where `.env` sets it in vain, for it is dangerous.
    ignored: Option<(PathBuf, usize)>,
}

/// A line of `.env` that does nothing.
struct Idle {
    name: String,
    place: (PathBuf, usize),
    dangerous: bool,
}

/// Shows the variables of the project's tools.
pub(crate) fn show(args: EnvironmentArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let project = project(io);
    let config = config(&project, io)?;
    let priority = args.env.priority(&config);
    let environment = cx(io, &project, priority).environment;
    let file = environment.file().map_err(|error| error.diagnostic())?;
    let (wanted, broken) = wanted(config);
    let idle = idle(file.as_ref(), &wanted);
    let declared: Vec<Declared> = wanted
        .into_iter()
        .map(|(name, tools)| Declared::new(name, tools, &environment, file.as_ref()))
        .collect();
    if args.json {
        io.show_json(&format!("{:#}\n", report(&declared, &idle)))?;
    } else {
        let text: String = if args.explain {
            let lines = declared.iter().map(Declared::explained);
            lines.chain(idle.iter().map(Idle::explained)).collect()
        } else {
            declared.iter().map(Declared::line).collect()
        };
        io.print(text.as_bytes())?;
    }
    for diagnostic in &broken {
        io.report(Severity::Warning, diagnostic);
    }
    Ok(())
}

/// The names that tools and sources declare with who wants each, and what is
/// wrong with tools that cannot be asked. No program is run to find out.
fn wanted(mut config: Config) -> (BTreeMap<String, Vec<String>>, Vec<Diagnostic>) {
    let mut wanted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut note = |names: &[String], who: &str| {
        for name in names {
            let all = wanted.entry(name.clone()).or_default();
            all.push(who.to_owned());
        }
    };
    for source in &config.sources {
        if let Source::Provider(provider) = source {
            let settings = provider.settings();
            note(&settings.env, &settings.name);
        }
    }
    let runs = |source: &Source| matches!(source, Source::Provider(_));
    config.sources.retain(|source| !runs(source));
    let found = Registry::new(config, None, Context::default()).map(|tool| match tool {
        Ok(tool) => Ok((tool.name().to_string(), tool.env().to_vec())),
        Err(error) => Err(error.diagnostics()),
    });
    let mut broken: Vec<Diagnostic> = found
        .source_errors
        .iter()
        .map(cogtools_core::SourceError::diagnostic)
        .collect();
    for tool in found.items {
        match tool {
            Ok((name, env)) => note(&env, &name),
            Err(diagnostics) => broken.extend(diagnostics.into_iter().take(1)),
        }
    }
    (wanted, broken)
}

/// What stands in `.env` and is not used.
fn idle(file: Option<&DotEnv>, wanted: &BTreeMap<String, Vec<String>>) -> Vec<Idle> {
    let Some(file) = file else {
        return Vec::new();
    };
    let counts = |name: &str, line: usize| file.get(name).is_some_and(|last| last.line == line);
    let variables = file.variables().iter();
    variables
        .filter(|variable| counts(&variable.name, variable.line))
        .filter(|variable| !wanted.contains_key(&variable.name))
        .map(|variable| Idle {
            name: variable.name.clone(),
            place: (file.name().to_path_buf(), variable.line),
            dangerous: is_dangerous(&variable.name),
        })
        .collect()
}

impl Declared {
    fn new(
        name: String,
        tools: Vec<String>,
        environment: &Environment,
        file: Option<&DotEnv>,
    ) -> Self {
        let written = file.filter(|_| is_dangerous(&name));
        let ignored = written.and_then(|file| {
            let variable = file.get(&name)?;
            Some((file.name().to_path_buf(), variable.line))
        });
        Self {
            seen: environment.lookup(&name, file),
            name,
            tools,
            ignored,
        }
    }

    /// Where its value comes from.
    fn origin(&self) -> String {
        match &self.seen {
            None => "missing".to_owned(),
            Some(Resolved { line: None, .. }) => "process".to_owned(),
            Some(Resolved {
                line: Some(place), ..
            }) => shown(place),
        }
    }

    fn line(&self) -> String {
        format!("{}\t{}\n", sanitize(&self.name), sanitize(&self.origin()))
    }

    fn explained(&self) -> String {
        let mut parts = vec![self.origin()];
        match &self.seen {
            Some(seen) if seen.shadows && seen.line.is_some() => {
                parts.push("hides the one of the process".to_owned());
            }
            Some(seen) if seen.shadows => parts.push("hides the one in .env".to_owned()),
            _ => {}
        }
        if let Some(place) = &self.ignored {
            parts.push(format!(
                "{} is ignored, for .env may not set this name",
                shown(place)
            ));
        } else if is_dangerous(&self.name) {
            parts.push(".env may not set this name".to_owned());
        }
        parts.push(format!("wanted by {}", self.tools.join(", ")));
        format!(
            "{}\t{}\n",
            sanitize(&self.name),
            sanitize(&parts.join("; "))
        )
    }

    fn json(&self) -> Value {
        let place = self.seen.as_ref().map(|seen| seen.line.as_ref());
        let (origin, line) = match place {
            None => (Value::Null, None),
            Some(None) => ("process".into(), None),
            Some(Some((file, line))) => (file.display().to_string().into(), Some(*line)),
        };
        let mut object = json!({
            "name": self.name,
            "set": self.seen.is_some(),
            "origin": origin,
        });
        if let Some(line) = line {
            object["line"] = line.into();
        }
        object["hides"] = self.seen.as_ref().is_some_and(|seen| seen.shadows).into();
        object["dangerous"] = is_dangerous(&self.name).into();
        object["tools"] = self.tools.clone().into();
        object
    }
}

impl Idle {
    fn explained(&self) -> String {
        let why = if self.dangerous {
            "ignored, for .env may not set this name"
        } else {
            "unused, for no tool declares it"
        };
        format!(
            "{}\t{}; {why}\n",
            sanitize(&self.name),
            sanitize(&shown(&self.place))
        )
    }

    fn json(&self) -> Value {
        object(&self.name, &self.place)
    }
}

fn report(declared: &[Declared], idle: &[Idle]) -> Value {
    let in_vain = declared.iter().filter_map(|variable| {
        let place = variable.ignored.as_ref()?;
        Some(object(&variable.name, place))
    });
    let dangerous = idle.iter().filter(|idle| idle.dangerous).map(Idle::json);
    let unused = idle.iter().filter(|idle| !idle.dangerous).map(Idle::json);
    json!({
        "variables": declared.iter().map(Declared::json).collect::<Vec<_>>(),
        "unused": unused.collect::<Vec<_>>(),
        "ignored": in_vain.chain(dangerous).collect::<Vec<_>>(),
    })
}

fn object(name: &str, (file, line): &(PathBuf, usize)) -> Value {
    json!({"name": name, "origin": file.display().to_string(), "line": line})
}

fn shown((file, line): &(PathBuf, usize)) -> String {
    format!("{}:{line}", file.display())
}
