//! `cogtools config env`: variables that the tools of a project declare, each with its origin.
//! No value is ever shown.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;

use cogtools_core::environment::{DotEnv, Resolved, is_dangerous, refusal};
use cogtools_core::source::Provider;
use cogtools_core::{Config, ConfigPaths, Context, Diagnostic, Environment, Registry, Source};
use cogtools_program::args::EnvArgs;
use cogtools_program::project::{config, context, project};
use cogtools_program::terminal::sanitize;
use cogtools_program::{Failure, Io, Severity};
use serde_json::{Value, json};

use super::EnvironmentArgs;

/// A variable that tools declare.
struct DeclaredVariable {
    name: String,
    tools: Vec<String>,
    resolved: Option<Resolved>,
    /// True if only sources in the user's own configuration declare it, which do not see
    /// the project's variables.
    of_user: bool,
    /// The line of `.env` that sets it without effect, because it is dangerous.
    ignored: Option<(PathBuf, usize)>,
}

/// A line of `.env` without effect.
struct UnusedEntry {
    name: String,
    location: (PathBuf, usize),
    refusal: Option<&'static str>,
}

/// Shows the variables of the project's tools.
pub(super) fn show(args: &EnvironmentArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let project = project(io);
    let config = config(&project, io)?;
    let priority = EnvArgs::from(args.env).priority(&config);
    let environment = context(io, &project, priority, config.bounds()).environment;
    let file = environment.file().map_err(|error| error.diagnostic())?;
    let users = user_sources(&config);
    let (names, diagnostics) = declared_names(config);
    let unused = unused_entries(file.as_ref(), &names);
    let declared: Vec<DeclaredVariable> = names
        .into_iter()
        .map(|(name, tools)| {
            let of_user = tools.iter().all(|tool| users.contains(tool));
            DeclaredVariable::new(name, tools, of_user, &environment, file.as_ref())
        })
        .collect();
    if args.format.is_json() {
        io.show_json(&format!("{:#}\n", report(&declared, &unused)))?;
    } else {
        let text: String = if args.explain {
            declared
                .iter()
                .map(DeclaredVariable::explain)
                .chain(unused.iter().map(UnusedEntry::explain))
                .collect()
        } else {
            declared.iter().map(DeclaredVariable::line).collect()
        };
        io.print(text.as_bytes())?;
    }
    for diagnostic in &diagnostics {
        io.report(Severity::Warning, diagnostic);
    }
    Ok(())
}

/// The entries of `.env` that no tool declares.
fn unused_entries(
    file: Option<&DotEnv>,
    declared: &BTreeMap<String, Vec<String>>,
) -> Vec<UnusedEntry> {
    let Some(file) = file else {
        return Vec::new();
    };
    let is_last = |name: &str, line: usize| file.get(name).is_some_and(|last| last.line == line);
    file.variables()
        .iter()
        .filter(|variable| is_last(&variable.name, variable.line))
        .filter(|variable| !declared.contains_key(&variable.name))
        .map(|variable| UnusedEntry {
            name: variable.name.clone(),
            location: (file.display_path().to_path_buf(), variable.line),
            refusal: refusal(&variable.name)
                .filter(|_| !ConfigPaths::may_be_in_dotenv(&variable.name)),
        })
        .collect()
}

impl DeclaredVariable {
    fn new(
        name: String,
        tools: Vec<String>,
        of_user: bool,
        environment: &Environment,
        file: Option<&DotEnv>,
    ) -> Self {
        let ignored = file.filter(|_| is_dangerous(&name)).and_then(|file| {
            let variable = file.get(&name)?;
            Some((file.display_path().to_path_buf(), variable.line))
        });
        let resolved = if of_user {
            let own = environment
                .user_vars([name.as_str()])
                .remove(OsStr::new(&name));
            own.and_then(|_| environment.lookup(&name, None))
        } else {
            environment.lookup(&name, file)
        };
        Self {
            name,
            tools,
            resolved,
            of_user,
            ignored,
        }
    }

    /// Origin of its value.
    fn origin(&self) -> String {
        match &self.resolved {
            None => "missing".to_owned(),
            Some(Resolved { line: None, .. }) => "process".to_owned(),
            Some(Resolved {
                line: Some(location),
                ..
            }) => display(location),
        }
    }

    fn line(&self) -> String {
        format!("{}\t{}\n", sanitize(&self.name), sanitize(&self.origin()))
    }

    fn explain(&self) -> String {
        let mut parts = vec![self.origin()];
        match &self.resolved {
            Some(resolved) if resolved.shadows && resolved.line.is_some() => {
                parts.push("overrides the value of the process".to_owned());
            }
            Some(resolved) if resolved.shadows => {
                parts.push("overrides the value in .env".to_owned());
            }
            _ => {}
        }
        if self.of_user {
            parts.push("the project's variables are not seen".to_owned());
        } else if let Some(refusal) = refusal(&self.name) {
            let reason = reason(refusal);
            parts.push(match &self.ignored {
                Some(location) => {
                    let location = display(location);
                    format!("{location} is ignored because .env may not set this name: {reason}")
                }
                None => format!(".env may not set this name: {reason}"),
            });
        }
        parts.push(format!("declared by {}", self.tools.join(", ")));
        format!(
            "{}\t{}\n",
            sanitize(&self.name),
            sanitize(&parts.join("; "))
        )
    }

    fn json(&self) -> Value {
        let location = self
            .resolved
            .as_ref()
            .map(|resolved| resolved.line.as_ref());
        let (origin, line) = match location {
            None => (Value::Null, None),
            Some(None) => ("process".into(), None),
            Some(Some((file, line))) => (file.display().to_string().into(), Some(*line)),
        };
        let mut object = json!({
            "name": self.name,
            "set": self.resolved.is_some(),
            "origin": origin,
        });
        if let Some(line) = line {
            object["line"] = line.into();
        }
        object["hides"] = self
            .resolved
            .as_ref()
            .is_some_and(|resolved| resolved.shadows)
            .into();
        object["dangerous"] = is_dangerous(&self.name).into();
        object["tools"] = self.tools.clone().into();
        object
    }
}

impl UnusedEntry {
    fn explain(&self) -> String {
        let reason = match self.refusal {
            Some(refusal) => format!(
                "ignored because .env may not set this name: {}",
                reason(refusal)
            ),
            None if ConfigPaths::may_be_in_dotenv(&self.name) => {
                "chooses among the tools".to_owned()
            }
            None => "unused because no tool declares it".to_owned(),
        };
        format!(
            "{}\t{}; {reason}\n",
            sanitize(&self.name),
            sanitize(&display(&self.location))
        )
    }

    fn json(&self) -> Value {
        if self.refusal.is_some() {
            refused(&self.name, &self.location)
        } else {
            object(&self.name, &self.location)
        }
    }
}

fn report(declared: &[DeclaredVariable], unused: &[UnusedEntry]) -> Value {
    let ignored = declared.iter().filter_map(|variable| {
        let location = variable.ignored.as_ref()?;
        Some(refused(&variable.name, location))
    });
    let (dangerous, harmless): (Vec<&UnusedEntry>, Vec<&UnusedEntry>) =
        unused.iter().partition(|entry| entry.refusal.is_some());
    let unused = harmless
        .into_iter()
        .filter(|entry| !ConfigPaths::may_be_in_dotenv(&entry.name));
    let dangerous = dangerous.into_iter().map(UnusedEntry::json);
    json!({
        "variables": declared.iter().map(DeclaredVariable::json).collect::<Vec<_>>(),
        "unused": unused.map(UnusedEntry::json).collect::<Vec<_>>(),
        "ignored": ignored.chain(dangerous).collect::<Vec<_>>(),
    })
}

fn object(name: &str, (file, line): &(PathBuf, usize)) -> Value {
    json!({"name": name, "origin": file.display().to_string(), "line": line})
}

/// An entry that is ignored, with the reason.
fn refused(name: &str, location: &(PathBuf, usize)) -> Value {
    let mut object = object(name, location);
    object["reason"] = refusal(name).into();
    object
}

/// Reason for refusing a name, and the remedy.
fn reason(refusal: &str) -> String {
    format!("{refusal}; set it in the shell instead")
}

fn display((file, line): &(PathBuf, usize)) -> String {
    format!("{}:{line}", file.display())
}

/// The providers in the user's own configuration.
fn user_sources(config: &Config) -> Vec<String> {
    let providers = config.sources.iter().filter_map(Source::provider);
    let settings = providers.map(Provider::settings);
    let own = settings.filter(|settings| settings.user_configured);
    own.map(|settings| settings.name.clone()).collect()
}

/// The variables that tools and sources declare, with the names of those that do, and the
/// diagnostics of invalid tools. No program is run.
fn declared_names(mut config: Config) -> (BTreeMap<String, Vec<String>>, Vec<Diagnostic>) {
    let mut declared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |names: &[String], by: &str| {
        for name in names {
            declared
                .entry(name.clone())
                .or_default()
                .push(by.to_owned());
        }
    };
    for source in &config.sources {
        if let Source::Provider(provider) = source {
            let settings = provider.settings();
            add(&settings.env, &settings.name);
        }
    }
    config
        .sources
        .retain(|source| !matches!(source, Source::Provider(_)));
    let found = Registry::new(config, None, Context::default()).map(|tool| match tool {
        Ok(tool) => Ok((tool.name().to_string(), tool.env.clone())),
        Err(error) => Err(error.diagnostics()),
    });
    let mut diagnostics = found.source_diagnostics();
    for tool in found.items {
        match tool {
            Ok((name, env)) => add(&env, &name),
            Err(errors) => diagnostics.extend(errors.into_iter().take(1)),
        }
    }
    (declared, diagnostics)
}
