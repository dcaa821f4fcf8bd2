//! The start of a provider's programs: their approval, directory, variables and sandbox.
//!
//! Programs that the user has configured run in every project, also in one whose
//! author is hostile. Many load code from the working directory or from folders on
//! PATH (`python3 -m`, `npx`), so they start outside the project.

use std::any::Any;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    Provider, ProviderError, Server, Settings, Transport, add_project, described, references,
};
use crate::digest::{DigestError, Hash};
use crate::environment::{EnvError, PrivateVariable, PrivateVariables, Vars};
use crate::file::{self, descends};
use crate::process::{Process, SandboxMode};
use crate::resident::ServerStart;
use crate::sandbox::{Denial, Launcher, Roots, Run, RunError, Sandbox, SandboxPath};
use crate::source::plugin::PluginStart;
use crate::store::{self, Mirror, Store, StoreError};
use crate::trust::{Grant, Identity, RecordError, Verdict};
use crate::{Context, Diagnostic, digest};

/// The project's files that the approval of a provider covers, which run from a private
/// copy: only [`Provider::check_approval`] creates a value.
#[derive(Debug)]
pub(super) struct ApprovedFiles(Option<(Mirror, Hash)>);

/// A copy of them.
struct CopiedFiles<'a> {
    mirror: &'a Mirror,
    folder: PathBuf,
}

impl Provider {
    /// Returns true if it requires approval: the author of the project has named it, or has
    /// written what it runs, or it starts in the project.
    pub fn requires_approval(&self, cx: &Context) -> bool {
        let directory = directory(&self.settings, cx);
        let inside = |argument: &String| {
            let files = digest::referenced_files(&directory, argument);
            files.iter().any(|file| is_inside(file, &cx.root))
        };
        let parts = self.approved_parts();
        !self.settings.is_neutral() || parts.iter().flatten().any(inside)
    }

    /// The grant that it needs before it runs: its command lines, in this project.
    pub fn command(&self, cx: &Context) -> Result<Grant, ProviderError> {
        self.content(&self.mirror(cx), cx).map(|(grant, _)| grant)
    }

    /// The project's files that its command lines run, with those beside them, or the whole plugin.
    pub fn mirror(&self, cx: &Context) -> Mirror {
        let directory = directory(&self.settings, cx);
        let lines = self.known_lines(cx);
        let lines: Vec<&[String]> = lines.iter().map(Vec::as_slice).collect();
        let plugin = self.settings.plugin.as_ref();
        let plugin = plugin.map(|plugin| plugin.root.as_path());
        Mirror::of(&cx.root, &directory, &lines, plugin, self.data(cx))
    }

    /// Its command lines, as far as they are known before a start.
    fn known_lines(&self, cx: &Context) -> Vec<Vec<String>> {
        let command = self.expanded_command(cx);
        let lines = self.settings.lines().into_iter();
        self.expand_root(lines.chain(command.as_deref()))
    }

    /// Everything that approval covers, with the folder of a plugin.
    pub(crate) fn approved_parts(&self) -> Vec<Vec<String>> {
        self.expand_root(self.settings.approved_parts().into_iter())
    }

    fn expand_root<'l>(&self, lines: impl Iterator<Item = &'l [String]>) -> Vec<Vec<String>> {
        match &self.settings.plugin {
            Some(plugin) => lines.map(|line| plugin.expand_root(line)).collect(),
            None => lines.map(<[String]>::to_vec).collect(),
        }
    }

    /// The grant, and the digest of the files in `mirror`.
    fn content(&self, mirror: &Mirror, cx: &Context) -> Result<(Grant, Hash), ProviderError> {
        let directory = directory(&self.settings, cx);
        let failed = |error: DigestError| self.unrunnable(&error, error.diagnostic());
        let parts = self.approved_parts();
        let parts: Vec<&[String]> = parts.iter().map(Vec::as_slice).collect();
        let lines = digest::command(&directory, &parts, mirror.data()).map_err(failed)?;
        let files = mirror.digest().map_err(failed)?;
        // Another project at the same path does not inherit the approval.
        let hash = Identity::of(&cx.root).bind(lines.and(files));
        Ok((self.grant_of(String::new(), hash, cx), files))
    }

    /// Its current files, for a trial by the user who has just written its command line.
    pub(super) fn files_of_trial(&self, cx: &Context) -> Result<ApprovedFiles, ProviderError> {
        let mirror = self.mirror(cx);
        let (_, files) = self.content(&mirror, cx)?;
        Ok(ApprovedFiles(
            (!mirror.is_empty()).then_some((mirror, files)),
        ))
    }

    /// Fails unless the user has approved the provider's command.
    pub fn check_approved(&self, cx: &Context) -> Result<(), ProviderError> {
        self.check_approval(cx).map(drop)
    }

    /// Returns the files that the user has approved with the provider's command.
    pub(super) fn check_approval(&self, cx: &Context) -> Result<ApprovedFiles, ProviderError> {
        if !self.requires_approval(cx) {
            return Ok(ApprovedFiles(None));
        }
        let failed = |error: RecordError| self.unrunnable(&error, error.diagnostic());
        let record = cx.trust.read().map_err(failed)?;
        if !record.knows(&self.key(cx), "") {
            // Nothing is hashed for a repository that nothing was approved of.
            return Err(ProviderError::NotApproved(self.name()));
        }
        let mirror = self.mirror(cx);
        let (grant, files) = self.content(&mirror, cx)?;
        match record.verdict(&grant) {
            Verdict::Approved if mirror.is_empty() => Ok(ApprovedFiles(None)),
            Verdict::Approved => Ok(ApprovedFiles(Some((mirror, files)))),
            Verdict::Changed => Err(ProviderError::ApprovalOutdated(self.name())),
            Verdict::NotApproved => Err(ProviderError::NotApproved(self.name())),
        }
    }
}

impl ApprovedFiles {
    /// The digest of the files, if there are any.
    pub(super) fn digest(&self) -> Option<String> {
        self.0.as_ref().map(|(_, hash)| hash.to_string())
    }

    /// The copy from which `provider` runs; `None` if nothing of the project is covered.
    fn copy(
        &self,
        provider: &Provider,
        cx: &Context,
    ) -> Result<Option<CopiedFiles<'_>>, ProviderError> {
        let Some((mirror, hash)) = &self.0 else {
            return Ok(None);
        };
        let state = cx.state.as_deref().ok_or(StoreError::Nowhere);
        let copied = state.and_then(|state| {
            Store::providers(state).copy_mirror(&provider.key(cx), mirror, *hash)
        });
        let folder = copied.map_err(|error| provider.unrunnable(&error, error.diagnostic()))?;
        Ok(Some(CopiedFiles { mirror, folder }))
    }
}

/// The folder of npm's packages.
const MODULES: &str = "node_modules";
/// Variables that tell where the user works, and the prefix of those that
/// npm sets for scripts of a project.
const PROJECT_VARS: [&str; 3] = ["PWD", "OLDPWD", "INIT_CWD"];
const NPM_PREFIX: &str = "npm_";

impl Provider {
    /// Runs one of its command lines, with more arguments, from the copy of the `approved`
    /// files.
    pub(super) fn process(
        &self,
        (line, more): (&[String], &[String]),
        approved: &ApprovedFiles,
        mut variables: Vars,
        cx: &Context,
    ) -> Result<Process, ProviderError> {
        let program = line.first();
        let program = program.ok_or_else(|| ProviderError::NotFound(self.name(), String::new()))?;
        let mut directory = directory(&self.settings, cx);
        self.check_relative(program)?;
        let copy = approved.copy(self, cx)?;
        let own: Vec<PathBuf> = copy.iter().map(|copy| copy.folder.clone()).collect();
        let relocate = |line: Vec<String>| match &copy {
            Some(copy) => copy.mirror.relocate(&line, &copy.folder),
            None => line,
        };
        let mut line = line.to_vec();
        let command = if let Some(plugin) = &self.settings.plugin {
            let root = copy.as_ref().and_then(|copy| {
                let real = cx.root.canonicalize().ok()?;
                Some(copy.folder.join(plugin.root.strip_prefix(real).ok()?))
            });
            let root = root.as_deref().unwrap_or(&plugin.root);
            let data = self.plugin_data(cx)?;
            let words = self.settings.server.iter().flat_map(Server::command);
            let command = words.map(|word| PluginStart::expand(word, root, &data));
            let command = relocate(command.collect());
            directory = plugin.apply(&mut variables, root, &data);
            if let Ok(below) = directory.strip_prefix(&data) {
                let made = store::make_folders(&data, below);
                made.map_err(|error| self.unrunnable(&error, error.diagnostic()))?;
            }
            command
        } else {
            relocate(self.settings.command(&variables))
        };
        match &self.settings.server {
            Some(server) if !command.is_empty() => {
                let description = described(&server.description, "command", command.into());
                variables.insert(Server::VARIABLE.into(), description.into());
            }
            Some(_) => {}
            None => line = relocate(line),
        }
        self.leave_to_keyring(&mut variables, cx);
        let program = line.remove(0);
        let is_server = self.settings.server.is_some();
        let file = if is_server {
            // Not every installation has a link with the client's name.
            cx.own_program()
        } else {
            let path = variables.get(OsStr::new("PATH"));
            which::which_in(&program, path, &directory).ok()
        };
        let file = file.ok_or_else(|| ProviderError::NotFound(self.name(), program))?;
        if let (Some((launcher, folder)), true) = (self.launcher(cx), self.is_confined(cx)) {
            let made = file::create_private_folder(&folder);
            let made = made.map_err(|error| StoreError::Data(folder.clone(), error));
            made.map_err(|error| self.unrunnable(&error, error.diagnostic()))?;
            launcher.add_to(&mut variables, &folder, self.settings.sandbox.as_ref());
        }
        let args = is_server.then_some(Server::SUBCOMMAND).into_iter();
        let args = args.chain(line.iter().chain(more).map(String::as_str));
        let process = Process::new(&file, &directory).args(args);
        let process = match self.sandbox(cx)? {
            None => process.confinement(cx.confinement()),
            Some(run) => self.confined(process, &run, (&file, &own), &mut variables, cx)?,
        };
        Ok(process.variables(variables))
    }

    /// Names the variables that the user keeps for the source, whose values are secret, and lets the
    /// client take those that are in the keyring from there.
    fn leave_to_keyring(&self, variables: &mut Vars, cx: &Context) {
        let Some(own) = self.private_variables(cx) else {
            return;
        };
        let mut kept = own.read();
        kept.retain(|name, _| self.settings.env.contains(name));
        let text = variables.get(OsStr::new(Server::VARIABLE));
        let text = text.map(|text| text.to_string_lossy()).unwrap_or_default();
        let mut description: Value = serde_json::from_str(&text).unwrap_or_default();
        let has_description = description.is_object();
        if has_description && !kept.is_empty() {
            description["secret"] = json!(kept.keys().collect::<Vec<_>>());
            variables.insert(Server::VARIABLE.into(), description.to_string().into());
        }
        kept.retain(|_, value| matches!(value, PrivateVariable::Keyring { .. }));
        variables.retain(|name, _| name.to_str().is_none_or(|name| !kept.contains_key(name)));
        if !has_description || kept.is_empty() {
            return;
        }
        let names: Vec<&String> = kept.keys().collect();
        // The client alone needs the way to the keyring.
        let way = cx.environment.user_vars(super::LOGIN_VARS);
        let way = way.into_iter();
        let way: Vars = way
            .filter(|(name, _)| !variables.contains_key(name))
            .collect();
        let added: Vec<_> = way.keys().map(|name| name.to_string_lossy()).collect();
        description["keyring"] = json!({"key": own.key(), "names": names, "added": added});
        variables.insert(Server::VARIABLE.into(), description.to_string().into());
        variables.extend(way);
    }

    /// Returns the folder that a plugin's server may write to, which outlives a run.
    fn plugin_data(&self, cx: &Context) -> Result<PathBuf, ProviderError> {
        let path = self.plugin_data_path(cx).ok_or(StoreError::Nowhere);
        let made = path.and_then(|path| {
            let made = file::create_private_folder(&path);
            made.map_err(|error| StoreError::Data(path.clone(), error))?;
            Ok(path)
        });
        made.map_err(|error| self.unrunnable(&error, error.diagnostic()))
    }

    fn plugin_data_path(&self, cx: &Context) -> Option<PathBuf> {
        let key = digest::bytes(self.key(cx).as_bytes()).to_string();
        Some(cx.state.as_ref()?.join("plugins").join(key))
    }

    /// Prepares its server for a client in this process, as [`Self::process`] does for one in
    /// another process.
    pub(super) fn server_start(
        &self,
        approved: &ApprovedFiles,
        variables: Vars,
        cx: &Context,
    ) -> Result<ServerStart, ProviderError> {
        let line = [Server::PROGRAM.to_owned()];
        let process = self.process((&line, &[]), approved, variables, cx)?;
        let (directory, mut variables, confinement, folder) = process.into_parts();
        let description = variables.remove(OsStr::new(Server::VARIABLE));
        let description = description.unwrap_or_default();
        Ok(ServerStart {
            description: description.to_string_lossy().into_owned(),
            variables,
            directory,
            confinement,
            folder: folder.map(|folder| -> Arc<dyn Any + Send + Sync> { folder }),
        })
    }

    /// Fails if its program is a relative path, but it does not start in the project.
    fn check_relative(&self, program: &str) -> Result<(), ProviderError> {
        let settings = &self.settings;
        let program = match &settings.server {
            Some(server) => server.command().first().map(String::as_str),
            None => Some(program),
        };
        let is_fixed = settings.plugin.is_some() || !settings.is_neutral();
        match program.filter(|program| !is_fixed && is_relative(program)) {
            Some(program) => Err(ProviderError::Relative(self.name(), program.to_owned())),
            None => Ok(()),
        }
    }

    /// The command line of its server with the values of variables, if it refers to some.
    pub(super) fn expanded_command(&self, cx: &Context) -> Option<Vec<String>> {
        let mut words = self.settings.server.iter().flat_map(Server::command);
        let refers = words.any(|word| references(word).next().is_some());
        let variables = refers.then(|| self.variables(cx).ok())?;
        Some(self.settings.command(&variables?))
    }

    /// The values that the user has given to it alone.
    pub fn private_variables(&self, cx: &Context) -> Option<PrivateVariables> {
        let root = (!self.settings.user_configured).then_some(cx.root.as_path());
        let state = cx.state.as_ref()?;
        Some(PrivateVariables::of(state, root, &self.settings.name))
    }

    /// The environment of its programs.
    pub(crate) fn variables(&self, cx: &Context) -> Result<Vars, ProviderError> {
        let settings = &self.settings;
        let failed = |error: EnvError| self.unrunnable(&error, error.diagnostic());
        if settings.user_configured {
            check_names(settings).map_err(failed)?;
        }
        let find = |names: &[String]| cx.env_of(settings.user_configured, names);
        let own = self.private_variables(cx);
        let mut own = own.map(|own| own.read()).unwrap_or_default();
        own.retain(|name, _| settings.env.contains(name));
        let names = settings.env.iter().filter(|name| !own.contains_key(*name));
        let names: Vec<String> = names.cloned().collect();
        let mut variables = find(&names).map_err(failed)?;
        let optional = settings.optional_env.iter();
        let optional = optional.filter_map(|name| find(std::slice::from_ref(name)).ok());
        variables.extend(optional.flatten());
        variables.extend(own.into_iter().map(|(name, value)| match value {
            PrivateVariable::Value(value) => (name.into(), value.into()),
            // The client replaces it: only what a cache depends on is known here.
            PrivateVariable::Keyring { changed } => (name.into(), changed.into()),
        }));
        // What a name finds must be a program of the system, which no approval covers.
        clean_path(&mut variables, cx);
        if let Some(server) = &settings.server {
            server.add_to(&mut variables, cx);
        }
        add_project(&mut variables, cx);
        Ok(variables)
    }
}

/// Returns true if a program is a path that depends on the working directory; a mere name is
/// searched on PATH.
fn is_relative(program: &str) -> bool {
    let path = Path::new(program);
    let is_path = program.contains('/') || cfg!(windows) && program.contains('\\');
    !path.is_absolute() && (is_path || [".", ".."].contains(&program))
}

/// Fails if the provider declares variables that would lead it into the project.
fn check_names(settings: &Settings) -> Result<(), EnvError> {
    let leads_there =
        |name: &&String| PROJECT_VARS.contains(&name.as_str()) || name.starts_with(NPM_PREFIX);
    let names = settings.env.iter().chain(&settings.optional_env);
    let names = names.filter(leads_there);
    let names: Vec<String> = names.filter(|_| settings.is_neutral()).cloned().collect();
    if names.is_empty() {
        Ok(())
    } else {
        Err(EnvError::Neutral(names))
    }
}

/// Removes from PATH what may contain programs of the project: entries that are empty
/// or relative, in the project, or in a folder of packages.
pub fn clean_path(variables: &mut Vars, cx: &Context) {
    let name = OsStr::new("PATH");
    let Some(path) = variables.remove(name) else {
        return;
    };
    let home = cx.environment.process().get(OsStr::new("HOME"));
    // A project that contains the home directory is the user's own.
    let is_own = home.is_some_and(|home| is_inside(Path::new(home), &cx.root));
    let is_foreign = |entry: &Path| {
        let real = entry.canonicalize();
        let mut ends = std::iter::once(entry).chain(real.as_deref().ok());
        ends.any(in_modules) || !is_own && is_inside(entry, &cx.root)
    };
    let entries = env::split_paths(&path).filter(|entry| entry.is_absolute() && !is_foreign(entry));
    // The entries come from a path, so that they can be joined.
    if let Ok(path) = env::join_paths(entries) {
        variables.insert(name.to_owned(), path);
    }
}

fn in_modules(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == MODULES)
}

/// The working directory of the provider with `settings`.
pub(super) fn directory(settings: &Settings, cx: &Context) -> PathBuf {
    if let Some(plugin) = &settings.plugin {
        return plugin.directory();
    }
    if !settings.is_neutral() {
        return cx.root.clone();
    }
    neutral_directory(cx.environment.process())
}

/// A directory in which nothing of a project is, for a process with these variables.
pub fn neutral_directory(variables: &Vars) -> PathBuf {
    if cfg!(windows) {
        let drive = variables.get(OsStr::new("SystemDrive"));
        let mut root = drive.map_or_else(|| OsString::from("C:"), Clone::clone);
        root.push("\\");
        return PathBuf::from(root);
    }
    PathBuf::from("/")
}

/// Returns true if `path` is in the folder `root`, as written or with links resolved.
fn is_inside(path: &Path, root: &Path) -> bool {
    if path.strip_prefix(root).is_ok_and(descends) {
        return true;
    }
    match (path.canonicalize(), root.canonicalize()) {
        (Ok(path), Ok(root)) => path.starts_with(root),
        _ => false,
    }
}

/// Files that say that the folder around a script is a package, whose modules it loads.
const MANIFESTS: [&str; 3] = ["package.json", "pyproject.toml", "deno.json"];

/// The package around a script that is not in the project, or else the script.
fn tree(file: &Path, cx: &Context) -> PathBuf {
    let home = cx.environment.process().get(OsStr::new("HOME"));
    let folders = file.ancestors().skip(1);
    let mut folders =
        folders.take_while(|it| home.is_none_or(|home| !Path::new(home).starts_with(it)));
    let is_package = |folder: &&Path| MANIFESTS.iter().any(|name| folder.join(name).is_file());
    let package = folders.find(is_package);
    let package = package.filter(|_| !is_inside(file, &cx.root));
    package.unwrap_or(file).to_path_buf()
}

impl Provider {
    /// Returns its sandbox; `None` if they are not confined.
    pub fn effective_sandbox(&self, cx: &Context) -> Option<Sandbox> {
        let settings = &self.settings;
        let server = settings.server.as_ref();
        if server.is_some_and(|server| matches!(server.transport, Transport::Url(..))) {
            return None;
        }
        let declared = settings.sandbox.clone();
        let default = || self.requires_approval(cx).then(Sandbox::default);
        let mut sandbox = declared.or_else(default)?;
        if settings.plugin.is_some() {
            let data = self.plugin_data_path(cx);
            let data = data.and_then(|path| SandboxPath::parse(&path.to_string_lossy()).ok());
            sandbox.write.extend(data);
        }
        if let Some((launcher, folder)) = self.launcher(cx) {
            launcher.widen(&mut sandbox, &folder);
        }
        Some(if server.is_some() {
            sandbox.with_network()
        } else {
            sandbox
        })
    }

    /// The launcher that starts its server, and the folder with its cache.
    fn launcher(&self, cx: &Context) -> Option<(&'static Launcher, PathBuf)> {
        let launcher = Launcher::of(self.settings.server.as_ref()?.command())?;
        let key = digest::bytes(self.key(cx).as_bytes()).to_string();
        Some((launcher, cx.cache.as_ref()?.join("launchers").join(key)))
    }

    /// Returns the first file that its sandbox denied, if the end of its standard error says so.
    pub fn denial(&self, stderr: &str, cx: &Context) -> Option<Denial> {
        self.effective_sandbox(cx)?.denial(stderr, &Roots::of(cx))
    }

    /// Adds to `diagnostic` the key that permits what its sandbox has denied.
    pub(super) fn explain_denial(&self, mut diagnostic: Diagnostic, cx: &Context) -> Diagnostic {
        if let Some(denial) = self.denial(&diagnostic.details, cx) {
            diagnostic.hints.insert(0, denial.hint().into());
        }
        diagnostic
    }

    pub(super) fn is_confined(&self, cx: &Context) -> bool {
        cx.sandbox != SandboxMode::Off && self.effective_sandbox(cx).is_some()
    }

    /// The sandbox of one run.
    pub(super) fn sandbox(&self, cx: &Context) -> Result<Option<Run>, ProviderError> {
        let sandbox = self.effective_sandbox(cx);
        let run = sandbox.map(|sandbox| Run::new(sandbox, cx)).transpose();
        run.map(Option::flatten)
            .map_err(|error| self.failed(&error))
    }

    /// `process` in the sandbox of `run`: `file` is its program, and `own` are its files.
    pub(super) fn confined(
        &self,
        process: Process,
        run: &Run,
        (file, own): (&Path, &[PathBuf]),
        variables: &mut Vars,
        cx: &Context,
    ) -> Result<Process, ProviderError> {
        run.add_to(variables);
        // They are approved with it, wherever they are.
        let directory = directory(&self.settings, cx);
        let command = self.settings.command(variables);
        let lines = self.known_lines(cx).into_iter().flatten();
        let lines = lines.chain(command.iter().cloned());
        let named = lines.flat_map(|word| digest::referenced_files(&directory, &word));
        // The user's: a project must not name a file that the server may then read.
        let certificates = match self.launcher(cx) {
            Some(_) => cx.environment.user_vars(Launcher::CERTIFICATES),
            None => Vars::new(),
        };
        let certificates = certificates.into_values().map(PathBuf::from);
        let own = own.iter().cloned().chain(named.map(|file| tree(&file, cx)));
        let own: Vec<PathBuf> = own.chain(certificates).collect();
        let failed = |error: RunError| self.failed(&error);
        if self.settings.server.is_none() {
            let policy = run.policy(Some(file), &own, variables, cx);
            return Ok(run.apply(process, Some(policy.map_err(failed)?), cx));
        }
        let path = variables.get(OsStr::new("PATH"));
        let program = command.first();
        let program = program.and_then(|it| which::which_in(it, path, &directory).ok());
        let policy = run.policy(program.as_deref(), &own, variables, cx);
        let policy = policy.map_err(failed)?;
        if let Some(description) = variables.get_mut(OsStr::new(Server::VARIABLE)) {
            let text = description.to_string_lossy().into_owned();
            *description = described(&text, "sandbox", json!(policy)).into();
        }
        Ok(run.apply(process, None, cx))
    }

    fn failed(&self, error: &RunError) -> ProviderError {
        let diagnostic = error.diagnostic("");
        self.unrunnable(&diagnostic.message.clone(), diagnostic)
    }

    fn unrunnable(&self, reason: &dyn Display, diagnostic: Diagnostic) -> ProviderError {
        ProviderError::Unrunnable(self.name(), reason.to_string(), Box::new(diagnostic))
    }
}
