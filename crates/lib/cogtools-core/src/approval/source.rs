//! Subjects of approval in a project: the project itself, packages and providers, with
//! the status of each.

use std::collections::BTreeSet;
use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

use crate::approval::{self, ToolPackage};
use crate::digest::{self, DigestError, named_paths};
use crate::source::{
    Folder, Offer, Package, Provider, RemoteTool, Source, Specification, packages,
};
use crate::store::Store;
use crate::tool::Author;
use crate::trust::{Grant, Record, RecordError, Verdict};
use crate::{Code, Config, Context, Diagnostic, Tool};

/// Something that requires approval: the project, a package, a provider or a specification.
#[derive(Debug)]
pub struct TrustableSource {
    /// The name that the user knows it by; [`TrustableSource::PROJECT`] for the project. That of a
    /// package ends in its folder if another one has the name, too.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
}

/// A kind of source that requires approval.
#[derive(Debug)]
pub enum Kind {
    /// The project, whose own tools run programs.
    Project {
        /// The tools of the project's folders that run programs.
        tools: Vec<Tool>,
    },
    /// Another program, identified by its command lines.
    Provider(Provider),
    /// A specification at a URL, identified by its content.
    Specification(Specification),
    /// A package with tools that run programs.
    Package {
        /// Its own name and its folder.
        package: ToolPackage,
        /// The tools that run programs.
        tools: Vec<Tool>,
    },
}

/// The project itself, and the sources of `config` that require approval, in order, each once:
/// a package with its tools of all folders.
pub fn trustable_sources(config: &Config, cx: &Context) -> Vec<TrustableSource> {
    let mut own = Vec::new();
    let mut found: Vec<TrustableSource> = Vec::new();
    for source in &config.sources {
        match source {
            Source::Folder(folder) => TrustableSource::add_folder(folder, &mut own, &mut found),
            Source::OpenApi(specification) if specification.requires_approval() => {
                found.push(TrustableSource {
                    name: specification.name().to_owned(),
                    kind: Kind::Specification(specification.clone()),
                });
            }
            Source::OpenApi(specification) if !specification.is_users => {
                let tools = source.list(cx).entries;
                own.extend(tools.iter().filter_map(|tool| tool.load().ok()));
            }
            Source::OpenApi(_) | Source::BuiltIn | Source::Editor | Source::Skills(_) => {}
            Source::Plugin(plugin) => {
                // Its servers are sources of their own.
                let tools = plugin.skills().script_tools();
                let is_foreign = tools.first().is_some_and(approval::is_of_package);
                let package = ToolPackage {
                    name: plugin.name.clone(),
                    root: plugin.root.clone(),
                };
                found.extend(is_foreign.then(|| TrustableSource::of_package(package, tools)));
            }
            Source::Provider(provider) if !provider.requires_approval(cx) => {}
            Source::Provider(provider) => found.push(TrustableSource {
                name: provider.settings().name.clone(),
                kind: Kind::Provider(provider.clone()),
            }),
            Source::Packages(packages) => {
                let (packages, _) = packages.packages();
                found.extend(packages.into_iter().filter_map(TrustableSource::package));
            }
        }
    }
    let mut all = vec![TrustableSource {
        name: TrustableSource::PROJECT.to_owned(),
        kind: Kind::Project { tools: own },
    }];
    for source in found {
        let same = all
            .iter_mut()
            .find(|other| other.identity() == source.identity());
        match same {
            Some(other) => other.merge(source),
            None => all.push(source),
        }
    }
    let names: Vec<String> = all.iter().map(TrustableSource::qualified_name).collect();
    for source in &mut all {
        let count = |own: &String| names.iter().filter(|name| *name == own).count();
        if let (2.., Kind::Package { package, .. }) =
            (count(&source.qualified_name()), &source.kind)
        {
            let ToolPackage { name, root } = package;
            let project = cx.root.canonicalize().unwrap_or_default();
            let place = root.strip_prefix(project).unwrap_or(root).display();
            source.name = format!("{name}@{place}");
        }
    }
    all
}

/// Returns true if something may wait for an approval, found out without reading a tool: not if the
/// project is approved and has only tools of its own.
pub fn may_wait(config: &Config, cx: &Context) -> bool {
    let verdict = cx.trust.project_verdict(&cx.root);
    let is_own = |source: &Source| match source {
        Source::Folder(folder) => has_only_files(folder.path()),
        Source::OpenApi(specification) => !specification.requires_approval(),
        Source::BuiltIn | Source::Editor | Source::Skills(_) => true,
        Source::Provider(provider) => !provider.requires_approval(cx),
        Source::Packages(_) | Source::Plugin(_) => false,
    };
    !(matches!(verdict, Ok(Verdict::Approved)) && config.sources.iter().all(is_own))
}

/// Returns true if the folder at `path` has nothing but files of its own: no folder, and no link,
/// which could lead into a package.
fn has_only_files(path: &Path) -> bool {
    let is_file = |entry: io::Result<DirEntry>| {
        let kind = entry.and_then(|entry| entry.file_type());
        kind.is_ok_and(|kind| kind.is_file())
    };
    let is_in_package = |path: PathBuf| packages::containing_package(&path).is_some();
    !path.canonicalize().is_ok_and(is_in_package)
        && path
            .read_dir()
            .is_ok_and(|mut entries| entries.all(is_file))
}

impl TrustableSource {
    /// The name of the project.
    pub const PROJECT: &'static str = ".";

    /// The package, if it has tools that run programs.
    fn package(package: Package) -> Option<Self> {
        let files = package
            .folders
            .iter()
            .flat_map(|folder| folder.list().entries);
        let tools = files.filter_map(|entry| entry.load().ok());
        let tools: Vec<Tool> = tools.flat_map(Tool::programs).collect();
        let Package { name, root, .. } = package;
        (!tools.is_empty()).then(|| Self::of_package(ToolPackage { name, root }, tools))
    }

    fn of_package(package: ToolPackage, tools: Vec<Tool>) -> Self {
        Self {
            name: package.name.clone(),
            kind: Kind::Package { package, tools },
        }
    }

    /// The features that tell it from others: two folders may have packages of one name.
    fn identity(&self) -> (&'static str, &str, Option<&Path>) {
        let root = match &self.kind {
            Kind::Package { package, .. } => Some(package.root.as_path()),
            _ => None,
        };
        (self.noun(), &self.name, root)
    }

    /// Adds the tools of `other`, the same package in another source.
    fn merge(&mut self, other: Self) {
        let (Kind::Package { tools, .. }, Kind::Package { tools: more, .. }) =
            (&mut self.kind, other.kind)
        else {
            return;
        };
        let identity = |tool: &Tool| (tool.name().clone(), tool.text().path().canonicalize().ok());
        let known: Vec<_> = tools.iter().map(identity).collect();
        let is_new = |tool: &Tool| !known.contains(&identity(tool));
        tools.extend(more.into_iter().filter(is_new));
    }

    /// Adds the tools of `folder` that run programs: the project's to `own`, and the
    /// packages that its links lead into to `found`.
    fn add_folder(folder: &Folder, own: &mut Vec<Tool>, found: &mut Vec<Self>) {
        let entries = folder.list().entries;
        let tools = entries.iter().filter_map(|entry| entry.load().ok());
        for tool in tools.flat_map(Tool::programs) {
            if let Some(package) = ToolPackage::of(&tool) {
                found.push(Self::of_package(package, vec![tool]));
            } else if tool.provenance.author == Author::Project {
                own.push(tool);
            }
        }
    }

    /// `project`, `provider`, `specification` or `package`.
    pub const fn noun(&self) -> &'static str {
        match self.kind {
            Kind::Project { .. } => "project",
            Kind::Provider(_) => "provider",
            Kind::Specification(_) => "specification",
            Kind::Package { .. } => "package",
        }
    }

    /// Its name with its kind, as in `package:lint`, which is unique in a project.
    pub fn qualified_name(&self) -> String {
        format!("{}:{}", self.noun(), self.name)
    }

    /// Returns true if it would run something now. A project of templates would not.
    pub const fn runs_something(&self) -> bool {
        match &self.kind {
            Kind::Project { tools } => !tools.is_empty(),
            Kind::Provider(_) | Kind::Specification(_) | Kind::Package { .. } => true,
        }
    }

    /// Returns true if the user means this one by `name`, qualified or not.
    pub fn is_named(&self, name: &str) -> bool {
        let own = match &self.kind {
            Kind::Package { package, .. } => &package.name,
            _ => &self.name,
        };
        let plain = name.strip_prefix(self.noun());
        let plain = plain.and_then(|rest| rest.strip_prefix(':'));
        let mut names = [Some(name), plain].into_iter().flatten();
        names.any(|name| name == *own || name == self.name)
    }

    /// The package or the provider itself, with its current content, and the files of the
    /// project that a package loads; nothing for the project, which is trusted as a folder.
    pub(super) fn grants(&self, cx: &Context) -> Result<Vec<Grant>, Box<Diagnostic>> {
        match &self.kind {
            Kind::Project { .. } => Ok(Vec::new()),
            Kind::Provider(provider) => provider
                .command(cx)
                .map(|grant| vec![grant])
                .map_err(|error| Box::new(error.diagnostic())),
            Kind::Specification(specification) => specification.grant(cx).map(|it| vec![it]),
            Kind::Package { package, .. } => {
                let failed = |error: DigestError| Box::new(error.diagnostic());
                let mut grants = vec![package.grant().map_err(failed)?];
                package.check_contained(cx)?;
                grants.extend(package.loaded_grant(cx).map_err(failed)?);
                Ok(grants)
            }
        }
    }

    /// The tools that an approved provider currently declares, which runs its discovery, and those
    /// that it has declared to clients with more abilities, each with its grant. Packages are approved as a whole.
    fn tools(&self, cx: &Context) -> Result<Vec<(Grant, RemoteTool)>, Box<Diagnostic>> {
        let Kind::Provider(provider) = &self.kind else {
            return Ok(Vec::new());
        };
        let tools = provider.all_tools(cx);
        let tools = tools.map_err(|error| Box::new(error.diagnostic()))?;
        let with_grant = |tool: &RemoteTool| (provider.grant(tool, cx), tool.clone());
        Ok(tools.iter().map(with_grant).collect())
    }

    /// The texts of a provider, as far as they are known without running what is not approved: an
    /// approved one is asked for its tools, and of another the cached ones are read.
    pub fn texts(&self, cx: &Context) -> Texts {
        let Kind::Provider(provider) = &self.kind else {
            return Texts::default();
        };
        let is_approved = matches!(self.own_verdict(cx), Ok(Verdict::Approved));
        let known = provider.known_tools(is_approved, cx);
        let (mut tools, mut hidden) = known.unwrap_or_default();
        if let Ok(record) = cx.trust.read() {
            tools.retain(|it| record.verdict(&provider.grant(it, cx)) != Verdict::Approved);
        }
        let offer = provider.cached_offer(cx);
        hidden.extend(offer.iter().flat_map(|offer| &offer.hidden));
        Texts {
            tools,
            offer,
            hidden,
        }
    }

    /// The source and tool under which it is recorded; `None` for the project.
    pub fn key(&self, cx: &Context) -> Option<(String, String)> {
        match &self.kind {
            Kind::Project { .. } => None,
            Kind::Provider(provider) => Some((provider.key(cx), String::new())),
            Kind::Specification(specification) => Some(specification.key(cx)),
            Kind::Package { package, .. } => Some(package.key()),
        }
    }

    /// The files of the project that are approved with a provider because they are beside
    /// those that its command lines name.
    pub fn files_beside(&self, cx: &Context) -> Vec<PathBuf> {
        let Kind::Provider(provider) = &self.kind else {
            return Vec::new();
        };
        let real = |file: &PathBuf| cx.root.join(file).canonicalize().ok();
        let named: Vec<Option<PathBuf>> = self.files(cx).iter().map(real).collect();
        let mut files = provider.mirror(cx).files();
        files.retain(|file| !named.contains(&real(file)));
        files
    }

    /// The files that are approved with it: for a provider those that its command lines
    /// name, as written; for a package all its files, as far as they can be listed.
    pub fn files(&self, cx: &Context) -> Vec<PathBuf> {
        let provider = match &self.kind {
            Kind::Provider(provider) => provider,
            Kind::Project { .. } | Kind::Specification(_) => return Vec::new(),
            Kind::Package { package, .. } => {
                return digest::files(&package.root).unwrap_or_default();
            }
        };
        let plugin = provider.settings().plugin.as_ref();
        let parts = provider.approved_parts();
        let named = parts.iter().flatten().flat_map(|word| match plugin {
            Some(plugin) => plugin.named_paths(word, &cx.root),
            None => named_paths(&cx.root, word),
        });
        let mut files: Vec<PathBuf> = named.collect();
        let mirror = provider.mirror(cx);
        files.retain(|file| {
            let real = cx.root.join(file).canonicalize();
            real.map_or(true, |file| !mirror.data().contains(&file))
        });
        files.sort_unstable();
        files.dedup();
        files
    }
}

/// True if a source may run.
#[derive(Debug)]
pub struct ApprovalStatus {
    /// True if all of it may run.
    pub verdict: Verdict,
    /// The error that prevented a complete answer.
    pub diagnostic: Option<Diagnostic>,
}

/// The texts of a provider that reach clients once it is approved.
#[derive(Debug, Default)]
pub struct Texts {
    /// The tools that are not approved as they are declared now.
    pub tools: Vec<RemoteTool>,
    /// Its prompts and instructions.
    pub offer: Option<Offer>,
    /// Invisible characters that were removed from all its texts.
    pub hidden: BTreeSet<char>,
}

/// The content of a source at the time of its review.
#[derive(Debug)]
pub struct Reviewed(Vec<Grant>);

/// Records that the user trusts the project of `cx`.
pub fn trust_project(cx: &Context) -> Result<(), Box<Diagnostic>> {
    let failed = |error: RecordError| Box::new(error.diagnostic());
    let update = cx.trust.update(|record| record.trust_project(&cx.root));
    if update.map_err(failed)? {
        Ok(())
    } else {
        Err(failed(RecordError::Path(cx.root.clone())))
    }
}

impl TrustableSource {
    /// Its current content, to be taken before it is shown.
    pub fn content(&self, cx: &Context) -> Result<Reviewed, Box<Diagnostic>> {
        self.grants(cx).map(Reviewed)
    }

    /// Records that the user approves the `reviewed` content, and returns the tools that a
    /// provider then declares, each of which is approved too.
    ///
    /// # Errors
    ///
    /// If the content is no longer the same, nothing is approved. If a provider's discovery
    /// fails, the provider itself is approved.
    pub fn approve(
        &self,
        reviewed: &Reviewed,
        cx: &Context,
    ) -> Result<Vec<RemoteTool>, Box<Diagnostic>> {
        let failed =
            |error: RecordError| Box::new(error.diagnostic().with_subject(self.qualified_name()));
        let update = |grants: &[Grant]| {
            let approve = |record: &mut Record| grants.iter().for_each(|it| record.approve(it));
            cx.trust.update(approve).map_err(failed)
        };
        let grants = self.grants(cx)?;
        if grants != reviewed.0 {
            let message = "not approved: it has changed since it was shown";
            let diagnostic = Diagnostic::new(Code::Denied, message)
                .with_subject(self.qualified_name())
                .hint("review it again");
            return Err(Box::new(diagnostic));
        }
        if grants.is_empty() {
            trust_project(cx)?;
            return Ok(Vec::new());
        }
        self.revoke(cx)?;
        update(&grants)?;
        let tools = self.tools(cx).map_err(|mut diagnostic| {
            let hint = "its command is now approved, but none of its tools is";
            diagnostic.hints.push(hint.into());
            diagnostic
        })?;
        let (grants, tools): (Vec<Grant>, Vec<RemoteTool>) = tools.into_iter().unzip();
        update(&grants)?;
        Ok(tools)
    }

    /// Ends its approval. Returns false if there was none.
    pub fn revoke(&self, cx: &Context) -> Result<bool, Box<Diagnostic>> {
        let loaded = match &self.kind {
            Kind::Package { package, .. } => Some(package.loaded_key(cx)),
            Kind::Project { .. } | Kind::Provider(_) | Kind::Specification(_) => None,
        };
        let was_approved = cx.trust.update(|record| {
            if let Some((source, tool)) = &loaded {
                record.revoke(source, tool);
            }
            match self.key(cx) {
                Some((source, tool)) => record.revoke(&source, &tool),
                None => record.distrust_project(&cx.root),
            }
        });
        match (&self.kind, &cx.state) {
            (Kind::Package { package, .. }, Some(state)) => {
                Store::packages(state).remove(&package.root.display().to_string());
            }
            (Kind::Provider(provider), Some(state)) => {
                Store::providers(state).remove(&provider.key(cx));
            }
            _ => {}
        }
        was_approved.map_err(|error| Box::new(error.diagnostic()))
    }

    /// Returns true if it is approved itself: unlike its status, this does not run an approved
    /// provider to see whether its tools are approved, too.
    pub fn own_verdict(&self, cx: &Context) -> Result<Verdict, Box<Diagnostic>> {
        let failed = |error: RecordError| Box::new(error.diagnostic());
        let record = cx.trust.read().map_err(failed)?;
        if matches!(self.kind, Kind::Provider(_) | Kind::Specification(_))
            && self
                .key(cx)
                .is_some_and(|(source, tool)| !record.knows(&source, &tool))
        {
            // As at a call, nothing is hashed or requested for it.
            return Ok(Verdict::NotApproved);
        }
        let grants = self.grants(cx)?;
        let Some((own, more)) = grants.split_first() else {
            return cx.trust.project_verdict(&cx.root).map_err(failed);
        };
        let is_approved = |grant: &Grant| record.verdict(grant) == Verdict::Approved;
        Ok(match record.verdict(own) {
            Verdict::Approved if !more.iter().all(is_approved) => Verdict::Changed,
            verdict => verdict,
        })
    }

    /// Returns its status. The discovery of an approved provider is run, because each new or
    /// changed tool requires approval too.
    pub fn status(&self, cx: &Context) -> ApprovalStatus {
        let (verdict, diagnostic) = match self.own_verdict(cx) {
            Ok(Verdict::Approved) if matches!(self.kind, Kind::Provider(_)) => {
                match (cx.trust.read(), self.tools(cx)) {
                    (Err(error), _) => (Verdict::NotApproved, Some(error.diagnostic())),
                    (_, Err(error)) => (Verdict::Approved, Some(*error)),
                    (Ok(record), Ok(tools)) => {
                        let mut verdicts = tools.iter().map(|(grant, _)| record.verdict(grant));
                        let are_approved = verdicts.all(|it| it == Verdict::Approved);
                        let changed = (!are_approved).then_some(Verdict::Changed);
                        (changed.unwrap_or(Verdict::Approved), None)
                    }
                }
            }
            Ok(verdict) => (verdict, None),
            Err(error) => (Verdict::NotApproved, Some(*error)),
        };
        ApprovalStatus {
            verdict,
            diagnostic,
        }
    }
}
